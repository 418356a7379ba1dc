// SPDX-License-Identifier: GPL-2.0
/* mm/khugepaged.c with batching off. The twin starts no daemon. */
#include "begin.h"

/* mm/khugepaged.c defines pr_fmt() before its first header. */
#undef pr_fmt
#include <khugepaged.c>

__visible int ptebatch_twin_madvise_collapse(struct vm_area_struct *vma,
					     unsigned long start,
					     unsigned long end,
					     bool *lock_dropped)
{
	return madvise_collapse(vma, start, end, lock_dropped);
}

__visible void ptebatch_twin_collapse_pte_mapped_thp(struct mm_struct *mm,
						     unsigned long addr,
						     bool install_pmd)
{
	collapse_pte_mapped_thp(mm, addr, install_pmd);
}

__visible void ptebatch_twin_khugepaged_limits(unsigned int none, unsigned int swap,
					       unsigned int shared)
{
	khugepaged_max_ptes_none = none;
	khugepaged_max_ptes_swap = swap;
	khugepaged_max_ptes_shared = shared;
}

/* As khugepaged_do_scan(), with a list of one mm. */
__visible long ptebatch_twin_khugepaged_scan(struct mm_struct *mm)
{
	unsigned int before = khugepaged_pages_collapsed;
	struct mm_slot slot = { .mm = mm };
	enum scan_result result;

	lru_add_drain_all();
	spin_lock(&khugepaged_mm_lock);
	list_add(&slot.mm_node, &khugepaged_scan.mm_head);
	do
		collapse_scan_mm_slot(UINT_MAX, &result, &khugepaged_collapse_control);
	while (khugepaged_scan.mm_slot);
	list_del(&slot.mm_node);
	spin_unlock(&khugepaged_mm_lock);
	return khugepaged_pages_collapsed - before;
}
