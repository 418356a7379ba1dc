/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Monitor addresses by DAMON, without its thread kdamond.
 */
#ifndef PTEBATCH_DAMON_H
#define PTEBATCH_DAMON_H

#include <linux/mm_types.h>

int ptebatch_damon_prepare(struct mm_struct *mm, const unsigned long *addresses,
			   unsigned int nr);
int ptebatch_damon_check(struct mm_struct *mm, const unsigned long *addresses,
			 unsigned int nr);

#endif /* PTEBATCH_DAMON_H */
