/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the architectures: includes the architecture's header and
 * defines defaults for what that header does not define.
 */
#ifndef PTEBATCH_ARCH_H
#define PTEBATCH_ARCH_H

#include <linux/linkage.h>
#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/ptrace.h>

#if defined(CONFIG_UML)
#include "um.h"
#elif defined(CONFIG_ARM64)
#include "arm64.h"
#elif defined(CONFIG_X86_64)
#include "x86_64.h"
#elif defined(CONFIG_RISCV)
#include "riscv.h"
#elif defined(CONFIG_S390)
#include "s390.h"
#elif defined(CONFIG_PPC_BOOK3S_64)
#include "powerpc.h"
#else
#error "ptebatch does not support this architecture, see Kconfig"
#endif

/* Number of entries in an aligned block that shares accessed and dirty. */
#ifndef PTEBATCH_BLOCK_ENTRIES
#define PTEBATCH_BLOCK_ENTRIES	1
#endif

/* A PTE without bits that the architecture manages, such as PTE_CONT. */
#ifndef ptebatch_bare_pte
static inline pte_t ptebatch_bare_pte(pte_t pte)
{
	return pte;
}
#endif

/* The entry as the MMU sees it, where ptep_get() and set_pte() do more. */
#ifndef ptebatch_raw_pte
static inline pte_t ptebatch_raw_pte(pte_t *ptep)
{
	return READ_ONCE(*ptep);
}

static inline void ptebatch_set_raw_pte(pte_t *ptep, pte_t pte)
{
	WRITE_ONCE(*ptep, pte);
}
#endif

/*
 * Number of contiguous PTEs, and of contiguous PMDs, that map a hugetlb page; 1: no
 * such pages. Do these PTEs have one value, or each its page?
 */
#ifndef PTEBATCH_HUGE_PTES
#define PTEBATCH_HUGE_PTES	1
#endif
#ifndef PTEBATCH_HUGE_PMDS
#define PTEBATCH_HUGE_PMDS	1
#endif
#ifndef PTEBATCH_HUGE_PTES_EQUAL
#define PTEBATCH_HUGE_PTES_EQUAL	false
#endif

/* Does ptep_set_access_flags() return true also for an entry that has the bits? */
#ifndef PTEBATCH_ALWAYS_CHANGED
#define PTEBATCH_ALWAYS_CHANGED	false
#endif

/* Corrupt the PMD so that it is neither none nor leaf; unchanged where not supported. */
#ifdef PTEBATCH_BAD_PMD_BIT
static inline pmd_t ptebatch_bad_pmd(pmd_t pmd)
{
	return __pmd(pmd_val(pmd) & ~PTEBATCH_BAD_PMD_BIT);
}
#else
#define PTEBATCH_BAD_PMD_BIT	0
static inline pmd_t ptebatch_bad_pmd(pmd_t pmd)
{
	return pmd;
}
#endif

/* Shadow stacks: CPU support and PTEs. */
#ifndef ptebatch_has_shadow_stack
static inline bool ptebatch_has_shadow_stack(void)
{
	return false;
}

static inline bool ptebatch_pte_shadow_stack(pte_t pte)
{
	return false;
}

static inline pte_t ptebatch_pte_mkshadow_stack(pte_t pte)
{
	return pte;
}
#endif

/*
 * The bit that forbids user mode to execute, or the bit that permits it, and all
 * bits that every accessible entry has from its VMA, whether writable or not: this
 * bit, protection key, memory type.
 */
#ifndef PTEBATCH_PROT_NOEXEC
#define PTEBATCH_PROT_NOEXEC	0
#endif
#ifndef PTEBATCH_PROT_EXEC
#define PTEBATCH_PROT_EXEC	0
#endif
#ifndef PTEBATCH_PROT_BITS
#define PTEBATCH_PROT_BITS	(PTEBATCH_PROT_NOEXEC | PTEBATCH_PROT_EXEC)
#endif

/* The value of an empty entry. */
#ifndef PTEBATCH_EMPTY
#define PTEBATCH_EMPTY		0
#endif

/* The bit of a present entry whose page a guest no longer needs: see pte_unused(). */
#ifndef PTEBATCH_UNUSED
#define PTEBATCH_UNUSED		0
#endif

/* Is a page table a page? Others are parts of pages. */
#ifndef PTEBATCH_TABLES_ARE_PAGES
#define PTEBATCH_TABLES_ARE_PAGES	1
#endif

#if PTEBATCH_TABLES_ARE_PAGES
#define ptebatch_table_entries(table)	((pte_t *)page_address(table))
#else
#define ptebatch_table_entries(table)	((pte_t *)(table))
#endif

/* Must an executable entry be flushed before it may become another entry? */
#ifndef ptebatch_exec_breaks
static inline bool ptebatch_exec_breaks(void)
{
	return false;
}
#endif

/* PROT_MTE: the memory of the VMA has a tag for each 16 bytes (arm64 MTE). */
#define PTEBATCH_PROT_MTE	0x20

/* Memory tags: CPU support, and the tag of all bytes of a page. */
#ifndef ptebatch_has_tags
static inline bool ptebatch_has_tags(void)
{
	return false;
}

static inline bool ptebatch_page_tagged(struct page *page)
{
	return false;
}

static inline void ptebatch_page_untag(struct page *page)
{
}

static inline void ptebatch_tag_set(struct page *page, u8 tag)
{
}

static inline u8 ptebatch_tag_get(struct page *page)
{
	return 0;
}
#endif

/* True if all page protections include the accessed bit. */
#ifndef PTEBATCH_PROT_SETS_YOUNG
#define PTEBATCH_PROT_SETS_YOUNG	false
#endif

/* The kernel reads user memory that is PROT_NONE. */
#ifndef PTEBATCH_READS_PROT_NONE
#define PTEBATCH_READS_PROT_NONE	false
#endif

/* The accessed bit that PAGE_NONE has, as in a picture: for entries made from it. */
#ifndef PTEBATCH_NONE_YOUNG
#define PTEBATCH_NONE_YOUNG		"y"
#endif

/* True if a TLB flush waits for the other CPUs; false: the hardware broadcasts. */
#ifndef PTEBATCH_TLB_FLUSH_IPI
#define PTEBATCH_TLB_FLUSH_IPI		false
#endif

/* Make an mm one that a CPU has used. */
#ifndef ptebatch_mm_use
static inline void ptebatch_mm_use(struct mm_struct *mm)
{
}
#endif

/* Are changes of page tables, and TLB flushes, announced to MMU notifiers? */
#ifndef PTEBATCH_NOTIFIES
#define PTEBATCH_NOTIFIES		1
#endif

/* Does a CPU that writes to a clean, writable page set the dirty bit of the entry? */
#ifndef PTEBATCH_WRITE_SETS_DIRTY
#define PTEBATCH_WRITE_SETS_DIRTY	true
#endif

/* Does spin_is_contended() report a waiter? */
#ifndef PTEBATCH_WAITERS_SEEN
#define PTEBATCH_WAITERS_SEEN		true
#endif

/* Does access_ok() reject addresses behind the end of user space? */
#ifndef PTEBATCH_ACCESS_OK_ENDS
#define PTEBATCH_ACCESS_OK_ENDS		true
#endif

/*
 * What the MMU does for a write access, in raw entries: if all bits NEEDS are set,
 * it sets the bits SETS, and clears the bits CLEARS.
 */
#ifndef PTEBATCH_MMU_SETS
#define PTEBATCH_MMU_NEEDS		0
#define PTEBATCH_MMU_SETS		0
#define ptebatch_mmu_sets_bits()	false
#endif
#ifndef PTEBATCH_MMU_CLEARS
#define PTEBATCH_MMU_CLEARS		0
#endif
#ifndef ptebatch_mmu_sets_bits
#define ptebatch_mmu_sets_bits()	true
#endif

/* Bytes to the next instruction; 1: the kernel finds out where one begins. */
#ifndef ptebatch_instruction_bytes
static inline unsigned int ptebatch_instruction_bytes(const u8 *code)
{
	return 1;
}
#endif

/*
 * Is the instruction one of a pair that a kprobe in between would let fail for ever:
 * the load that reserves, the store that is conditional? The kernel knows it itself
 * where these are not defined.
 */
#ifndef ptebatch_reserves
static inline bool ptebatch_reserves(const u8 *code)
{
	return false;
}

static inline bool ptebatch_stores_conditionally(const u8 *code)
{
	return false;
}
#endif

/*
 * Replace an entry without taking its lock, which the caller may hold. No other
 * task uses the mm.
 */
#ifndef ptebatch_exchange_pte
static inline pte_t ptebatch_exchange_pte(struct mm_struct *mm, unsigned long addr,
					  pte_t *ptep, pte_t pte)
{
	pte_t old = ptep_get_and_clear(mm, addr, ptep);

	set_pte_at(mm, addr, ptep, pte);
	return old;
}
#endif

/* Do MMU notifiers learn of all TLB flushes? */
#ifndef PTEBATCH_FLUSHES_SEEN
#define PTEBATCH_FLUSHES_SEEN		1
#endif

/* True if folio_referenced() flushes the TLB for entries that become old. */
#ifndef PTEBATCH_FLUSHES_YOUNG
#define PTEBATCH_FLUSHES_YOUNG		false
#endif

/* True if MMU notifiers get the ranges of deferred flushes, not the whole mm. */
#ifndef PTEBATCH_DEFERS_RANGES
#define PTEBATCH_DEFERS_RANGES		false
#endif

/* True if WARN_ON_ONCE() remembers a warning that a case has suppressed. */
#ifndef PTEBATCH_WARNS_ONCE
#define PTEBATCH_WARNS_ONCE		false
#endif

/* Is the guest as fast as the host, which allows for more combinations? */
#ifndef PTEBATCH_NATIVE
#define PTEBATCH_NATIVE			0
#endif

/* set_ptes() maps consecutive pages. */
#ifndef ptebatch_set_ptes_works
static inline bool ptebatch_set_ptes_works(void)
{
	return true;
}
#endif

/* Parameters of the function that the syscall entry code calls. */
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
#ifndef PTEBATCH_SYSCALL_PARAMS
#define PTEBATCH_SYSCALL_PARAMS	const struct pt_regs *regs
#endif
#else
#define PTEBATCH_SYSCALL_PARAMS	long a, long b, long c, long d, long e, long f
#endif

#define PTEBATCH_DECLARE_SYSCALL(function) \
	asmlinkage long function(PTEBATCH_SYSCALL_PARAMS)

#endif /* PTEBATCH_ARCH_H */
