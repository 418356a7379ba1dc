/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the reports that violate rule 10 (kernel log): the beginning of
 * the line, with "*" for what a conversion prints, and the kernel file that
 * prints it. No include guard: the including file defines REPORT() and includes
 * the table in the initializer of an array.
 *
 * tests/project/reports.py compares the table with the kernel source. The other
 * error messages of these files are in tests/project/not_reports.csv.
 */

/* Reports of all subsystems. */
REPORT("WARNING: ", "kernel/panic.c"),
REPORT("BUG: ", "mm/kasan/report.c"),
REPORT("BUG ", "mm/slub.c"),
REPORT("[ BUG: ", "kernel/locking/lockdep.c"),
REPORT("kernel BUG at ", "lib/bug.c"),
/* After these messages, lockdep is off. */
REPORT("INFO: trying to register non-static key", "kernel/locking/lockdep.c"),
REPORT("INFO: lockdep is turned off", "kernel/locking/lockdep.c"),
REPORT("Disabling lock debugging", "kernel/panic.c"),

/* Page tables. */
REPORT("BUG: Bad page map in process ", "mm/memory.c"),
REPORT("BUG: Bad page map: * messages suppressed", "mm/memory.c"),
REPORT("unrecognized swap entry ", "mm/memory.c"),
REPORT("*:*: bad pte ", "arch/*/include/asm/pgtable*.h"),
REPORT("*:*: bad pmd ", "arch/*/include/asm/pgtable*.h"),
REPORT("*:*: bad pud ", "arch/*/include/asm/pgtable*.h"),
REPORT("*:*: bad p4d ", "arch/*/include/asm/pgtable*.h"),
REPORT("*:*: bad pgd ", "arch/*/include/asm/pgtable*.h"),
REPORT("*: Corrupted page table at address ", "arch/x86/mm/fault.c"),
REPORT("PAGETABLE BUG ", "arch/x86/mm/init_64.c"),
REPORT("BUG: non-zero pgtables_bytes on freeing mm: ", "kernel/fork.c"),

/* Pages and folios. */
REPORT("page: refcount:* mapcount:* mapping:", "mm/debug.c"),
REPORT("page does not match folio", "mm/debug.c"),
REPORT("page:* is uninitialized and poisoned", "mm/debug.c"),
REPORT("page dumped because: ", "mm/debug.c"),
REPORT("BUG: Bad page state in process ", "mm/page_alloc.c"),
REPORT("BUG: Bad page state: * messages suppressed", "mm/page_alloc.c"),
REPORT("page 0x* outside node * zone ", "mm/page_alloc.c"),
REPORT("BUG: Bad page cache in process ", "mm/filemap.c"),
REPORT("Page cache invalidation failure on direct I/O.", "mm/filemap.c"),
REPORT("BUG: Bad rss-counter state ", "kernel/fork.c"),
REPORT("hugetlb: Huge Page Reserved count may go negative.", "mm/hugetlb.c"),
REPORT("HugeTLB: vma_lock already exists in ", "mm/hugetlb.c"),
REPORT("Unsupported ZONE_DEVICE page type.", "mm/migrate_device.c"),
REPORT("*: ino=* i_blocks=* alloced=* swapped=* nrpages=", "mm/shmem.c"),
REPORT("*: refcount went to 0 for * handle", "mm/page_owner.c"),
REPORT("pagealloc: single bit error", "mm/page_poison.c"),
REPORT("pagealloc: memory corruption", "mm/page_poison.c"),

/* Swap. */
REPORT("*: Bad swap file entry ", "mm/swapfile.c"),
REPORT("*: Bad swap offset entry ", "mm/swapfile.c"),
REPORT("Bad swap file entry ", "mm/swapfile.c"),
REPORT("swap:* != (max:* - 1)", "mm/swapfile.c"),
REPORT("Write error * on dio swapfile ", "mm/page_io.c"),
REPORT("Write-error on swap-device ", "mm/page_io.c"),
REPORT("Read-error on swap-device", "mm/page_io.c"),
REPORT("zswap: Decompression error from zswap ", "mm/zswap.c"),

/* VMAs and faults. */
REPORT("vma * start * end * mm ", "mm/debug.c"),
REPORT("mm * task_size ", "mm/debug.c"),
REPORT("vmg * dumped because: ", "mm/debug.c"),
REPORT("issue in ", "mm/vma.c"),
REPORT("FAULT_FLAG_ALLOW_RETRY missing ", "mm/userfaultfd.c"),
REPORT("Huh VM_FAULT_OOM leaked out to the #PF handler.", "mm/oom_kill.c"),
REPORT("*: unhandled return value: ", "mm/madvise.c"),
REPORT("BUG: unable to handle page fault for address: ", "arch/x86/mm/fault.c"),
REPORT("BUG: kernel NULL pointer dereference, address: ", "arch/x86/mm/fault.c"),
REPORT("kernel tried to execute NX-protected page ", "arch/x86/mm/fault.c"),
REPORT("unable to execute userspace code ", "arch/x86/mm/fault.c"),
REPORT("Unable to handle kernel ", "arch/arm64/mm/fault.c"),

/* Memory failure: a poisoned page stays mapped or is in an unexpected state. */
REPORT("Memory failure: *: forcibly killing ", "mm/memory-failure.c"),
REPORT("Memory failure: *: * still referenced by * users", "mm/memory-failure.c"),
REPORT("Memory failure: *: Unknown page state", "mm/memory-failure.c"),
REPORT("Memory failure: *: failed to unmap page ", "mm/memory-failure.c"),

/* Other memory. */
REPORT("BUG: mempool element poison mismatch", "mm/mempool.c"),
REPORT("SLUB *: * partial slabs counted but counter=", "mm/slub.c"),
REPORT("SLUB: * slabs counted but counter=", "mm/slub.c"),
REPORT("usercopy: Kernel memory * attempt detected ", "mm/usercopy.c"),
REPORT("tree is corrupted: ", "mm/vmalloc.c"),
REPORT("not lowest: ", "mm/vmalloc.c"),
REPORT("BUG: not creating mapping for ", "arch/arm64/mm/mmu.c"),
REPORT("BUG: not updating mapping for ", "arch/arm64/mm/mmu.c"),
REPORT("iounmap: bad address ", "arch/x86/mm/ioremap.c"),
