/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mprotect() and change_protection() on a synthetic address space.
 */
#ifndef PTEBATCH_PROTECT_H
#define PTEBATCH_PROTECT_H

#include "op.h"

/* Index into ptebatch_protections, which names them. */
enum ptebatch_protection_id {
	PTEBATCH_TO_NONE,
	PTEBATCH_TO_READABLE,
	PTEBATCH_TO_WRITABLE,
	PTEBATCH_TO_WRITABLE_LATER,
	PTEBATCH_UFFD_WP,
	PTEBATCH_UFFD_WP_RESOLVE,
	PTEBATCH_UFFD_RWP,
	PTEBATCH_UFFD_RWP_RESOLVE,
	PTEBATCH_NUMA_HINT,
	PTEBATCH_NR_PROTECTIONS,
};

extern const struct ptebatch_op ptebatch_protections[PTEBATCH_NR_PROTECTIONS];

/* mprotect_fixup() to each protection: index PTEBATCH_TO_NONE to _WRITABLE. */
extern const struct ptebatch_op ptebatch_fixups[];

int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot);
struct vm_area_struct *ptebatch_protect_vma(struct mm_struct *mm,
					    unsigned long addr,
					    unsigned long prot);
long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end, const struct ptebatch_op *op, bool twin);

/* As task_numa_work(), of the range. */
extern const struct ptebatch_op ptebatch_hint;

#endif /* PTEBATCH_PROTECT_H */
