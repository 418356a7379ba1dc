// SPDX-License-Identifier: GPL-2.0
/*
 * mm/mempolicy.c with batching off. The slab caches for policies are created at
 * boot, so the twin must not allocate a policy.
 */
#include "begin.h"

/* mm/mempolicy.c defines pr_fmt() before its first header. */
#undef pr_fmt
#include <mempolicy.c>

/* Set policy_zone, as the kernel does when it builds its zonelists. */
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
