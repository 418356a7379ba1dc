// SPDX-License-Identifier: GPL-2.0
/*
 * mm/mempolicy.c with batching off. It has no caches for policies, which are
 * made at boot: nothing here may make one.
 */
#include "twin_begin.h"

/* It has its own, and has it before all headers. */
#undef pr_fmt
#include <mempolicy.c>

/* As the kernel does at boot, where it builds the lists of zones. */
static void find_policy_zone(void)
{
	enum zone_type zone;
	int node;

	for_each_node_state(node, N_MEMORY)
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			if (populated_zone(NODE_DATA(node)->node_zones + zone))
				check_highest_zone(zone);
}

__visible int ptebatch_twin_do_migrate_pages(struct mm_struct *mm,
					     const nodemask_t *from,
					     const nodemask_t *to, int flags)
{
	find_policy_zone();
	return do_migrate_pages(mm, from, to, flags);
}
