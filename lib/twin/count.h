/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the operations on page table entries in the kernel source that is
 * compiled as a twin, and in the functions of mm/internal.h that find batches.
 * What a function of the headers above does is not counted again. No include
 * guard: begin.h includes this header once for each twin.
 */
#include <linux/pgtable.h>

#include "counts.h"

static __always_inline pte_t counted_ptep_get(pte_t *ptep)
{
	ptebatch_counts.reads++;
	return ptep_get(ptep);
}

static __always_inline pte_t counted_ptep_get_lockless(pte_t *ptep)
{
	ptebatch_counts.reads++;
	return ptep_get_lockless(ptep);
}

static __always_inline bool
counted_test_and_clear_young_ptes(struct vm_area_struct *vma, unsigned long addr,
				  pte_t *ptep, unsigned int nr)
{
	ptebatch_counts.updates++;
	return test_and_clear_young_ptes(vma, addr, ptep, nr);
}

static __always_inline bool
counted_clear_flush_young_ptes(struct vm_area_struct *vma, unsigned long addr,
			       pte_t *ptep, unsigned int nr)
{
	ptebatch_counts.updates++;
	return clear_flush_young_ptes(vma, addr, ptep, nr);
}

static __always_inline int
counted_ptep_set_access_flags(struct vm_area_struct *vma, unsigned long addr,
			      pte_t *ptep, pte_t pte, int dirty)
{
	ptebatch_counts.updates++;
	return ptep_set_access_flags(vma, addr, ptep, pte, dirty);
}

#define COUNT_PTE(name, params, args)					\
static __always_inline pte_t counted_##name params			\
{									\
	ptebatch_counts.updates++;					\
	return name args;						\
}

#define COUNT_VOID(name, params, args)					\
static __always_inline void counted_##name params			\
{									\
	ptebatch_counts.updates++;					\
	name args;							\
}

#define MM	struct mm_struct *mm, unsigned long addr, pte_t *ptep
#define VMA	struct vm_area_struct *vma, unsigned long addr, pte_t *ptep

COUNT_PTE(get_and_clear_full_ptes, (MM, unsigned int nr, int full),
	  (mm, addr, ptep, nr, full))
COUNT_PTE(get_and_clear_ptes, (MM, unsigned int nr), (mm, addr, ptep, nr))
COUNT_PTE(modify_prot_start_ptes, (VMA, unsigned int nr), (vma, addr, ptep, nr))
COUNT_PTE(ptep_modify_prot_start, (VMA), (vma, addr, ptep))
COUNT_PTE(ptep_get_and_clear, (MM), (mm, addr, ptep))
COUNT_PTE(ptep_get_and_clear_full, (MM, int full), (mm, addr, ptep, full))
COUNT_PTE(ptep_clear_flush, (VMA), (vma, addr, ptep))
COUNT_VOID(set_ptes, (MM, pte_t pte, unsigned int nr), (mm, addr, ptep, pte, nr))
COUNT_VOID(clear_full_ptes, (MM, unsigned int nr, int full),
	   (mm, addr, ptep, nr, full))
COUNT_VOID(clear_ptes, (MM, unsigned int nr), (mm, addr, ptep, nr))
COUNT_VOID(clear_nonpresent_ptes, (MM, unsigned int nr), (mm, addr, ptep, nr))
COUNT_VOID(pte_clear, (MM), (mm, addr, ptep))
COUNT_VOID(wrprotect_ptes, (MM, unsigned int nr), (mm, addr, ptep, nr))
COUNT_VOID(clear_young_dirty_ptes, (VMA, unsigned int nr, cydp_t flags),
	   (vma, addr, ptep, nr, flags))
COUNT_VOID(modify_prot_commit_ptes, (VMA, pte_t old, pte_t pte, unsigned int nr),
	   (vma, addr, ptep, old, pte, nr))
COUNT_VOID(ptep_modify_prot_commit, (VMA, pte_t old, pte_t pte),
	   (vma, addr, ptep, old, pte))

#undef COUNT_PTE
#undef COUNT_VOID
#undef MM
#undef VMA

/* Some of these names are macros, which the functions above have used. */
#undef ptep_get
#undef ptep_get_lockless
#undef test_and_clear_young_ptes
#undef clear_flush_young_ptes
#undef ptep_set_access_flags
#undef get_and_clear_full_ptes
#undef get_and_clear_ptes
#undef modify_prot_start_ptes
#undef ptep_modify_prot_start
#undef ptep_get_and_clear
#undef ptep_get_and_clear_full
#undef ptep_clear_flush
#undef set_ptes
#undef clear_full_ptes
#undef clear_ptes
#undef clear_nonpresent_ptes
#undef pte_clear
#undef wrprotect_ptes
#undef clear_young_dirty_ptes
#undef modify_prot_commit_ptes
#undef ptep_modify_prot_commit

#define ptep_get			counted_ptep_get
#define ptep_get_lockless		counted_ptep_get_lockless
#define test_and_clear_young_ptes	counted_test_and_clear_young_ptes
#define clear_flush_young_ptes		counted_clear_flush_young_ptes
#define ptep_set_access_flags		counted_ptep_set_access_flags
#define get_and_clear_full_ptes		counted_get_and_clear_full_ptes
#define get_and_clear_ptes		counted_get_and_clear_ptes
#define modify_prot_start_ptes		counted_modify_prot_start_ptes
#define ptep_modify_prot_start		counted_ptep_modify_prot_start
#define ptep_get_and_clear		counted_ptep_get_and_clear
#define ptep_get_and_clear_full		counted_ptep_get_and_clear_full
#define ptep_clear_flush		counted_ptep_clear_flush
#define set_ptes			counted_set_ptes
#define clear_full_ptes			counted_clear_full_ptes
#define clear_ptes			counted_clear_ptes
#define clear_nonpresent_ptes		counted_clear_nonpresent_ptes
#define pte_clear			counted_pte_clear
#define wrprotect_ptes			counted_wrprotect_ptes
#define clear_young_dirty_ptes		counted_clear_young_dirty_ptes
#define modify_prot_commit_ptes		counted_modify_prot_commit_ptes
#define ptep_modify_prot_commit		counted_ptep_modify_prot_commit
