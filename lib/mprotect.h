/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mprotect() in an address space that is not the caller's.
 */
#ifndef PTEBATCH_MPROTECT_H
#define PTEBATCH_MPROTECT_H

#include <linux/mm_types.h>

int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot);

#endif /* PTEBATCH_MPROTECT_H */
