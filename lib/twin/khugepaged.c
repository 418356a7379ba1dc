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
