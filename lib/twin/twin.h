/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The twin: the kernel's own source, compiled a second time with batching off.
 * Its results are those of processing one entry at a time.
 */
#ifndef PTEBATCH_TWIN_H
#define PTEBATCH_TWIN_H

#include <linux/mm.h>
#include <linux/rmap.h>

#include "../arch/arch.h"
#include "../arch/ptes.h"

/* As do_madvise() of mm/madvise.c. */
int ptebatch_twin_do_madvise(struct mm_struct *mm, unsigned long start,
			     size_t bytes, int behavior);

/* As zap_vma_range() of mm/memory.c. */
void ptebatch_twin_zap_vma_range(struct vm_area_struct *vma,
				 unsigned long start, unsigned long bytes);

/* As copy_page_range() of mm/memory.c. */
int ptebatch_twin_copy_page_range(struct vm_area_struct *child,
				  struct vm_area_struct *parent);

/* As do_swap_page() of mm/memory.c. */
vm_fault_t ptebatch_twin_do_swap_page(struct vm_fault *vmf);

/* As madvise_collapse() and collapse_pte_mapped_thp() of mm/khugepaged.c. */
int ptebatch_twin_madvise_collapse(struct vm_area_struct *vma,
				   unsigned long start, unsigned long end,
				   bool *lock_dropped);
void ptebatch_twin_collapse_pte_mapped_thp(struct mm_struct *mm,
					   unsigned long addr,
					   bool install_pmd);

/* As a scan of one mm by khugepaged; its limits max_ptes_none and so on. */
long ptebatch_twin_khugepaged_scan(struct mm_struct *mm);
void ptebatch_twin_khugepaged_limits(unsigned int none, unsigned int swap,
				     unsigned int shared);

#ifdef CONFIG_NUMA
/* As do_migrate_pages() of mm/mempolicy.c. */
int ptebatch_twin_do_migrate_pages(struct mm_struct *mm,
				   const nodemask_t *from,
				   const nodemask_t *to, int flags);
#endif

/* As mprotect(2) of mm/mprotect.c, in the current mm. */
PTEBATCH_DECLARE_SYSCALL(ptebatch_twin_mprotect);

/* As mremap(2) of mm/mremap.c, in the current mm. */
PTEBATCH_DECLARE_SYSCALL(ptebatch_twin_mremap);

/* As change_protection() of mm/mprotect.c. */
long ptebatch_twin_change_protection(struct mmu_gather *tlb,
				     struct vm_area_struct *vma,
				     unsigned long start, unsigned long end,
				     unsigned long cp_flags);

/* As try_to_unmap() of mm/rmap.c. */
void ptebatch_twin_try_to_unmap(struct folio *folio, enum ttu_flags flags);

/* As folio_referenced() of mm/rmap.c, without MGLRU. */
int ptebatch_twin_folio_referenced(struct folio *folio, int is_locked,
				   struct mem_cgroup *memcg, void *vma_flags);

/* An operation on PTEs that counts its cost, see contpte.c. */
void ptebatch_twin_pte_op(enum ptebatch_pte_op op, struct ptebatch_ptes *ptes,
			  struct ptebatch_pte_cost *cost);

#endif /* PTEBATCH_TWIN_H */
