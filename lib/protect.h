/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mprotect() in an address space that is not the caller's.
 */
#ifndef PTEBATCH_PROTECT_H
#define PTEBATCH_PROTECT_H

#include <linux/mm_types.h>

typedef long (*ptebatch_change_t)(struct mmu_gather *tlb,
				  struct vm_area_struct *vma,
				  unsigned long start, unsigned long end,
				  unsigned long cp_flags);

int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot);

long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end, unsigned long prot,
		     unsigned long cp_flags, ptebatch_change_t change);

#endif /* PTEBATCH_PROTECT_H */
