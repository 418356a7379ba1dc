// SPDX-License-Identifier: GPL-2.0
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/nodemask.h>

#include "../twin/twin.h"
#include "mempolicy.h"

#ifdef CONFIG_NUMA

/* From the other node to PTEBATCH_TARGET_NODE. */
static long migrate_row(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	nodemask_t from = nodemask_of_node(!PTEBATCH_TARGET_NODE);
	nodemask_t to = nodemask_of_node(PTEBATCH_TARGET_NODE);

	return (twin ? ptebatch_twin_do_migrate_pages : do_migrate_pages)
		(space->places[0].mm, &from, &to, op->arg);
}

#else

static long migrate_row(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * ptebatch_nodes_missing() - check that the machine has two NUMA nodes
 *
 * Return: what is missing, or %NULL.
 */
const char *ptebatch_nodes_missing(void)
{
	if (!IS_ENABLED(CONFIG_NUMA))
		return "without CONFIG_NUMA, there are no NUMA nodes";
	return num_online_nodes() < 2 ? "the machine has only one NUMA node" : NULL;
}

/* @arg: MPOL_MF_* flags. Returns the number of folios that failed to move. */
const struct ptebatch_op ptebatch_migrate_pages = {
	.name = "migrate pages", .function = "do_migrate_pages()",
	.call = migrate_row, .arg = MPOL_MF_MOVE, .missing = ptebatch_nodes_missing,
};
