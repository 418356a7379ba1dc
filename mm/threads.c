// SPDX-License-Identifier: GPL-2.0
/*
 * What one thread cannot show: an operation pauses, and meanwhile another CPU
 * writes, pins, zaps, unmaps, migrates or splits the same folio.
 *
 * The points at which an operation pauses are defined, see
 * lib/service/pause.h. So is what the other CPU does then: its operation finishes
 * during the pause, or it waits for a lock that the paused operation holds.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swap.h>

#include "../lib/arch/arch.h"
#include "../lib/kernel/process.h"
#include "../lib/op/access.h"
#include "../lib/op/advise.h"
#include "../lib/op/collapse.h"
#include "../lib/op/migrate.h"
#include "../lib/op/protect.h"
#include "../lib/run/threads.h"
#include "../lib/service/swap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define TO_READABLE	(&ptebatch_protections[PTEBATCH_TO_READABLE])
#define TO_WRITABLE	(&ptebatch_protections[PTEBATCH_TO_WRITABLE])
#define DONTNEED	(&ptebatch_advices[PTEBATCH_DONTNEED])
#define COLD		(&ptebatch_advices[PTEBATCH_COLD])
#define FREE		(&ptebatch_advices[PTEBATCH_FREE])

#define DONE		PTEBATCH_UNTIL_DONE
#define ASLEEP		PTEBATCH_UNTIL_ASLEEP
#define SPINNING	PTEBATCH_UNTIL_SPINNING
#define BLOCKED		PTEBATCH_UNTIL_BLOCKED
/* A TLB flush waits until each CPU that uses the mm has interrupts enabled. */
#define IPI		(PTEBATCH_TLB_FLUSH_IPI ? SPINNING : DONE)

static long do_nothing(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	return 0;
}

/* With .tlb, the second CPU uses the mm and has read the pages. */
static const struct ptebatch_op nothing = {
	.name = "nothing", .function = "nothing", .call = do_nothing, .no_twin = true,
};

static long call_zap_half(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	ptebatch_zap_pages(&space->places[0], space->row.nr / 2, space->row.nr);
	return 0;
}

static const struct ptebatch_op zap_half = {
	.name = "zap half", .function = "zap_vma_range()", .call = call_zap_half,
	.no_twin = true,
};

/*
 * The VMA changes before fork(). The guard page, which is installed meanwhile, has to be
 * in the child, too: its VMA has VM_MAYBE_GUARD.
 */

static long mprotect_and_fork(const struct ptebatch_op *op, struct ptebatch_space *space,
			      bool twin)
{
	const struct ptebatch_op *fixup = &ptebatch_fixups[PTEBATCH_TO_READABLE];

	return fixup->call(fixup, space, false) ?:
	       ptebatch_dup_mmap.call(&ptebatch_dup_mmap, space, false);
}

static const struct ptebatch_op mprotect_then_fork = {
	.name = "mprotect, fork", .function = "mprotect_fixup()", .call = mprotect_and_fork,
	.prot = RO, .protects = true, .forks = true, .no_twin = true,
};

static long advise_first(struct ptebatch_space *space, unsigned int pages, int behavior)
{
	return ptebatch_do_madvise(space->places[0].mm, ptebatch_addr(space, 0), pages * PAGE_SIZE,
				   behavior);
}

static long madvise_and_fork(const struct ptebatch_op *op, struct ptebatch_space *space,
			     bool twin)
{
	return advise_first(space, space->row.nr, op->arg) ?:
	       ptebatch_dup_mmap.call(&ptebatch_dup_mmap, space, false);
}

static const struct ptebatch_op madvise_then_fork = {
	.name = "madvise, fork", .function = "do_madvise()", .call = madvise_and_fork,
	.arg = MADV_RANDOM, .forks = true, .no_twin = true, .vma_flags = VM_RAND_READ,
};

/* The second half of the row. */
static long munmap_and_fork(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	unsigned int half = space->row.nr / 2;
	long err;

	kthread_use_mm(space->places[0].mm);
	err = vm_munmap(ptebatch_addr(space, half), half * PAGE_SIZE);
	kthread_unuse_mm(space->places[0].mm);
	return err ?: ptebatch_dup_mmap.call(&ptebatch_dup_mmap, space, false);
}

static const struct ptebatch_op munmap_then_fork = {
	.name = "munmap, fork", .function = "vm_munmap()", .call = munmap_and_fork,
	.forks = true, .no_twin = true,
};

static long install_guard(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	return advise_first(space, 1, MADV_GUARD_INSTALL);
}

static const struct ptebatch_op guard_first = {
	.name = "guard", .function = "MADV_GUARD_INSTALL", .call = install_guard,
	.no_twin = true, .vma_flags = VM_MAYBE_GUARD,
};

/*
 * Two VMAs merge, of which only the second one has a guard page. Another process collapses
 * the file meanwhile: that removes page tables of VMAs without VM_MAYBE_GUARD.
 */

/* Not as a task of the mm: the paused CPU does not answer to TLB flushes. */
static long merge_vmas(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long start = ptebatch_addr(space, 0), end;
	struct mm_struct *mm = space->places[0].mm;

	/* Otherwise the collapse waits for a worker of the paused CPU. */
	lru_add_drain_all();
	mmap_read_lock(mm);
	end = vma_lookup(mm, ptebatch_addr(space, space->row.nr - 1))->vm_end;
	mmap_read_unlock(mm);
	/* The set-up has made the VMAs differ by VM_DONTDUMP. */
	return do_madvise(mm, start, end - start, MADV_DODUMP);
}

static const struct ptebatch_op merge = {
	.name = "merge", .function = "do_madvise()", .call = merge_vmas, .no_twin = true,
	/* The second VMA has guards. */
	.vma_flags = VM_DONTDUMP | VM_MAYBE_GUARD,
};

static const struct ptebatch_threads rows[] = {
	/* mprotect(), which holds the mmap_lock for writing. */
	{ { "mprotect() to read-only, folio in migration meanwhile: read-only",
	    { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .op = TO_READABLE },
	  PTEBATCH_RANGE_START, &ptebatch_migrate, .until = DONE, .finally = &ptebatch_migrated },
	{ { "mprotect() of half a folio in migration: the other half stays writable",
	    { "{Wdyx*8 | Wdyx*8} |", .prot = RW }, "{Wdyx*8 Rdyx*8}", .op = TO_READABLE },
	  PTEBATCH_RANGE_START, &ptebatch_migrate, .until = DONE, .finally = &ptebatch_migrated },
	{ { "mprotect() to read-only, folio split meanwhile: read-only",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Rdyx*16)", .op = TO_READABLE },
	  PTEBATCH_RANGE_START, &ptebatch_split, .until = DONE },
	{ { "mprotect() to read-only, page 5 pinned meanwhile: read-only",
	    { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .op = TO_READABLE },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(5), .until = DONE, .meanwhile_ret = 1 },
	{ { "mprotect() to read-only, page table unlocked: no pin for writing",
	    { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .op = TO_READABLE },
	  PTEBATCH_RANGE_END, PTEBATCH_PIN(5), .until = ASLEEP, .meanwhile_ret = -EFAULT },
	{ { "mprotect() to read-only, page table unlocked, MADV_DONTNEED: waits, zaps",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .op = TO_READABLE },
	  PTEBATCH_RANGE_END, DONTNEED, .until = ASLEEP },
	{ { "mprotect() to read-only, page table unlocked, try_to_unmap(): swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}", .op = TO_READABLE },
	  PTEBATCH_RANGE_END, &ptebatch_unmap, .until = DONE },
	{ { "mprotect() to read-only, then a write by a CPU with TLB entries: -EFAULT",
	    { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .op = TO_READABLE },
	  PTEBATCH_RETURNED, PTEBATCH_WRITE(5), .until = DONE, .meanwhile_ret = -EFAULT,
	  .tlb = true },
	{ { "mprotect() to writable, try_to_unmap() meanwhile: swap entries",
	    { "{Rdyx*16}", .prot = RO, .folios = WITH_SWAP }, "{Sx*16}", .op = TO_WRITABLE },
	  PTEBATCH_RANGE_START, &ptebatch_unmap, .until = DONE },

	/* Shared memory: fork() copies no page table without VM_MAYBE_GUARD. */
	{ { "mprotect() has new flags, MADV_GUARD_INSTALL meanwhile: child has the guard",
	    { "-*4", PTEBATCH_SHMEM, RW }, "G -*3", .second = "G -*3",
	    .op = &mprotect_then_fork },
	  /* It may wait for the paused CPU, whose TLB it flushes. */
	  PTEBATCH_NEW_FLAGS, &guard_first, .until = BLOCKED },
	{ { "MADV_RANDOM has new flags, MADV_GUARD_INSTALL meanwhile: child has the guard",
	    { "-*4", PTEBATCH_SHMEM, RW }, "G -*3", .second = "G -*3",
	    .op = &madvise_then_fork },
	  PTEBATCH_NEW_FLAGS, &guard_first, .until = DONE },
	{ { "munmap() has copied the VMA, MADV_GUARD_INSTALL: waits, child has the guard",
	    { "-*4", PTEBATCH_SHMEM, RW }, "G -*3", .second = "G -*3",
	    .op = &munmap_then_fork },
	  PTEBATCH_VMA_COPIED, &guard_first, .until = ASLEEP },

	/* MADV_COLLAPSE does not need the locks of the other mm. */
	{ { "VMAs merge, the file is collapsed in another mm meanwhile: guard page stays",
	    { "{-*T} ; G -*T-1", PTEBATCH_SHMEM, RW, .next_vma = VM_MAYBE_GUARD },
	    "{-*T} G -*T-1", .op = &merge },
	  PTEBATCH_VMA_MERGED, &ptebatch_collapse_elsewhere, .until = DONE },

	/* GUP-fast, which holds no lock: interrupts are off. */
	{ { "GUP-fast has read the PTE, mprotect() to read-only: no pin",
	    { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .op = PTEBATCH_PIN(5),
	    .ret = -EFAULT },
	  PTEBATCH_GUP_READ, TO_READABLE, .until = IPI, .meanwhile_ret = 16 },
	{ { "GUP-fast has read the PTE, try_to_unmap(): no pin, swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}", .op = PTEBATCH_PIN(0),
	    .ret = -EFAULT },
	  PTEBATCH_GUP_READ, &ptebatch_unmap, .until = IPI },
	{ { "GUP-fast has pinned page 0, try_to_unmap(): no swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Wdyx*16}", .op = PTEBATCH_PIN(0),
	    .ret = 1 },
	  PTEBATCH_GUP_PINNED, &ptebatch_unmap, .until = IPI },

	/* fork(), which holds the mmap_lock for writing. */
	{ { "fork(), page 5 pinned before entries are copied: child gets copies",
	    { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .second = "{?dy*16}",
	    .op = &ptebatch_copy },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(5), .until = DONE, .meanwhile_ret = 1 },
	{ { "fork() copies entries: GUP-fast pins no page",
	    { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}",
	    .op = &ptebatch_copy },
	  PTEBATCH_SECOND_TABLE, PTEBATCH_PIN(5), .until = ASLEEP, .meanwhile_ret = -EFAULT },
	{ { "fork(), folio in migration meanwhile: shared and read-only",
	    { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{Rdy*16}",
	    .op = &ptebatch_copy },
	  PTEBATCH_RANGE_START, &ptebatch_migrate, .until = DONE, .finally = &ptebatch_migrated },
	{ { "fork(), folio split meanwhile: shared and read-only",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Rdy*16)", .second = "(Rd*16)",
	    .op = &ptebatch_copy },
	  PTEBATCH_RANGE_START, &ptebatch_split, .until = DONE },
	{ { "fork(), then a write by a CPU with TLB entries: page 15 copied",
	    { "{Wdyx*16}", .prot = RW }, "{Rdy*15 ?dy}", .second = "{Rd*16}",
	    .op = &ptebatch_dup_mmap },
	  PTEBATCH_RETURNED, PTEBATCH_WRITE(15), .until = DONE, .tlb = true },

	/* try_to_unmap(), which holds no mmap_lock. */
	{ { "try_to_unmap(), page 5 pinned meanwhile: no swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Wdyx*16}",
	    .op = &ptebatch_unmap },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(5), .until = DONE, .meanwhile_ret = 1 },
	{ { "try_to_unmap(), PTE 0 cleared: GUP-fast does not pin page 0",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}", .op = &ptebatch_unmap },
	  PTEBATCH_FLUSH, PTEBATCH_PIN(0), .until = SPINNING, .meanwhile_ret = -EFAULT },
	{ { "try_to_unmap(), MADV_DONTNEED meanwhile: no entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "-*16", .op = &ptebatch_unmap },
	  PTEBATCH_RANGE_START, DONTNEED, .until = DONE },
	{ { "try_to_unmap(), TTU_BATCH_FLUSH, another CPU has TLB entries: flushed",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}",
	    .op = &ptebatch_unmap_deferred },
	  PTEBATCH_RANGE_START, &nothing, .until = DONE, .tlb = true },
	{ { "try_to_unmap(), first PTE cleared, MADV_DONTNEED: waits, zaps swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "-*16", .op = &ptebatch_unmap },
	  PTEBATCH_FLUSH, DONTNEED, .until = SPINNING },
	{ { "try_to_unmap(), mprotect() to read-only meanwhile: swap entries",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}", .op = &ptebatch_unmap },
	  PTEBATCH_RANGE_START, TO_READABLE, .until = DONE, .meanwhile_ret = 16 },

	/* Rule 18: lazyfree folios, written to until the PTEs are cleared. */
	/* Restored as one batch: dirty spreads to all entries (rule 1). */
	{ { "try_to_unmap() of a lazyfree folio, page 9 written meanwhile: stays mapped",
	    { "{Wyxl*16}", .prot = RW }, "{Wdyx*16}",
	    .op = &ptebatch_unmap },
	  PTEBATCH_RANGE_START, PTEBATCH_WRITE(9), .until = DONE, .without_fault = true },
	{ { "try_to_unmap() of a lazyfree folio, PTEs cleared: a write gets a new page",
	    { "{Wyxl*16}", .prot = RW, .folios = ON_LRU }, "-*9 ~Wdyx -*6",
	    .op = &ptebatch_unmap },
	  PTEBATCH_FLUSH, PTEBATCH_WRITE(9), .until = SPINNING, .tlb = true, .discards = true },
	{ { "try_to_unmap() of a lazyfree folio, page 9 pinned meanwhile: stays mapped",
	    { "{Wyxl*16}", .prot = RW }, "{Wyxl*16}",
	    .op = &ptebatch_unmap },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(9), .until = DONE, .meanwhile_ret = 1 },
	{ { "try_to_unmap() of a lazyfree folio, PTEs cleared: GUP-fast pins no page",
	    { "{Wyxl*16}", .prot = RW }, "-*16", .op = &ptebatch_unmap },
	  PTEBATCH_FLUSH, PTEBATCH_PIN(9), .until = SPINNING, .meanwhile_ret = -EFAULT,
	  .discards = true },
	{ { "MADV_FREE, then a write by a CPU with TLB entries: PTE 9 dirty",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "{Wxl*9 Wdyxl Wxl*6}", .op = FREE },
	  PTEBATCH_RETURNED, PTEBATCH_WRITE(9), .until = DONE, .tlb = true },

	/* Zapping. */
	{ { "MADV_DONTNEED, folio in migration meanwhile: no entries",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .op = DONTNEED },
	  PTEBATCH_RANGE_START, &ptebatch_migrate, .until = DONE, .finally = &ptebatch_migrated },
	{ { "MADV_DONTNEED, folio split meanwhile: no entries",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "-*16", .op = DONTNEED },
	  PTEBATCH_RANGE_START, &ptebatch_split, .until = DONE, .discards = true },
	{ { "MADV_DONTNEED of half a folio, split meanwhile: the other half stays",
	    { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .folios = ON_LRU }, "(Wdyx*8 .*8) -*8",
	    .op = DONTNEED },
	  PTEBATCH_RANGE_START, &ptebatch_split, .until = DONE, .discards = true },
	{ { "MADV_DONTNEED, page 5 pinned meanwhile: no entries",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .op = DONTNEED },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(5), .until = DONE, .meanwhile_ret = 1 },
	{ { "MADV_DONTNEED, then a write by a CPU with TLB entries: a new page",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "-*5 ~Wdyx -*10", .op = DONTNEED },
	  PTEBATCH_RETURNED, PTEBATCH_WRITE(5), .until = DONE, .tlb = true, .discards = true },
	/* The fault maps the whole folio again. */
	{ { "MADV_DONTNEED of dirty shmem, before the TLB flush: a write waits",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", .op = DONTNEED },
	  PTEBATCH_FLUSH, PTEBATCH_WRITE(5), .until = SPINNING, .tlb = true },

	/* migrate_pages(), which holds the folio lock. */
	{ { "migrate_pages(), second half of the folio zapped meanwhile: partially mapped",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "~{Wdyx*8 .*8} -*8",
	    .op = &ptebatch_move_folios },
	  PTEBATCH_RANGE_END, &zap_half, .until = DONE, .discards = true },

	/* mremap(), which holds both page table locks. */
	{ { "mremap(), folio in migration meanwhile: moved",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .second = "{Wdyx*16}",
	    .op = &ptebatch_move },
	  PTEBATCH_RANGE_START, &ptebatch_migrate, .until = DONE, .finally = &ptebatch_migrated },
	{ { "mremap() of half a folio, split meanwhile: moved",
	    { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .folios = ON_LRU }, "(Wdyx*8 .*8) -*8",
	    .second = "-*8 (.*8 Wdyx*8)", .op = &ptebatch_move },
	  PTEBATCH_RANGE_START, &ptebatch_split, .until = DONE },
	{ { "mremap(), page 5 pinned meanwhile: moved",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .second = "{Wdyx*16}",
	    .op = &ptebatch_move },
	  PTEBATCH_RANGE_START, PTEBATCH_PIN(5), .until = DONE, .meanwhile_ret = 1 },
	{ { "mremap() moves entries: migration finds all pages",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .second = "{Wdyx*16}",
	    .op = &ptebatch_move },
	  PTEBATCH_SECOND_TABLE, &ptebatch_migrate, .until = SPINNING,
	  .finally = &ptebatch_migrated },
	{ { "mremap() flushes the TLB: a second thread cannot unmap before",
	    { "{Wdyx*16}", .prot = RW }, "-*16", .second = "{Wdyx*16}",
	    .op = &ptebatch_move },
	  PTEBATCH_FLUSH, &ptebatch_migrate, .until = SPINNING, .finally = &ptebatch_migrated },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

/*
 * Without a schedule, for data races that KCSAN detects: both repeat their
 * operation until the first one has done so often enough. Any result that the
 * checks accept is right.
 */

static long change_twice(const struct ptebatch_op *op,
			 struct ptebatch_space *space, bool twin)
{
	TO_READABLE->call(TO_READABLE, space, false);
	TO_WRITABLE->call(TO_WRITABLE, space, false);
	return 0;
}

static const struct ptebatch_op to_readable_and_back = {
	.name = "to read-only and back", .function = "change_protection()",
	.call = change_twice, .no_twin = true,
};

#define RACE(title, first, at, second, ...) {					\
	{ title, { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, .op = first },	\
	at, second, PTEBATCH_UNTIL_STARTED, .rounds = 16, .discards = true,	\
	__VA_ARGS__ }

#define START	PTEBATCH_RANGE_START

static const struct ptebatch_threads races[] = {
	RACE("mprotect() to read-only and back, writes",
	     &to_readable_and_back, START, PTEBATCH_WRITE(5)),
	RACE("mprotect() to read-only and back, pins",
	     &to_readable_and_back, START, PTEBATCH_PIN(5)),
	RACE("mprotect() to read-only and back, migration",
	     &to_readable_and_back, START, &ptebatch_migrate, .finally = &ptebatch_migrated),
	RACE("MADV_COLD, writes",
	     COLD, PTEBATCH_FLUSH, PTEBATCH_WRITE(5)),
	RACE("MADV_FREE, writes",
	     FREE, START, PTEBATCH_WRITE(5)),
	RACE("MADV_DONTNEED, writes",
	     DONTNEED, START, PTEBATCH_WRITE(5)),
	RACE("MADV_DONTNEED, pins",
	     DONTNEED, START, PTEBATCH_PIN(5)),
};

KUNIT_ARRAY_PARAM_DESC(races, races, c.name);

static void two_threads(struct kunit *test)
{
	ptebatch_threads_run(test, test->param_value);
}

static void free_running(struct kunit *test)
{
	ptebatch_threads_run(test, test->param_value);
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE_PARAM(two_threads, rows_gen_params),
	KUNIT_CASE_PARAM(free_running, races_gen_params),
	{}
};

PTEBATCH_SUITE(threads, threads_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_SECOND_CPU);
