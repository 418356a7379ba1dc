// SPDX-License-Identifier: GPL-2.0
/*
 * mm/mempolicy.c with batching off. It has no caches for policies, which are
 * made at boot: nothing here may make one.
 */
#include "twin_begin.h"

/* It has its own, and has it before all headers. */
#undef pr_fmt
#include <mempolicy.c>

__visible int ptebatch_twin_do_migrate_pages(struct mm_struct *mm,
					     const nodemask_t *from,
					     const nodemask_t *to, int flags)
{
	return do_migrate_pages(mm, from, to, flags);
}
