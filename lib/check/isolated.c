// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim waits while too many folios are isolated (NR_ISOLATED_ANON, _FILE): an
 * operation that isolates folios must count them again when it puts them back.
 */
#include <linux/mmzone.h>

#include "../record/stat.h"
#include "checks.h"

static const enum node_stat_item isolated[] = { NR_ISOLATED_ANON, NR_ISOLATED_FILE };

/* The state: the counters before the operation. */
struct isolated_before {
	long pages[ARRAY_SIZE(isolated)];
};

static void begin_isolated(struct ptebatch_trial *trial)
{
	struct isolated_before *state = ptebatch_check_state(trial, &ptebatch_check_isolated);
	unsigned int i;

	for (i = 0; ptebatch_counts_alone() && i < ARRAY_SIZE(isolated); i++)
		state->pages[i] = ptebatch_node_stat(NUMA_NO_NODE, isolated[i]);
}

static void check_isolated(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct isolated_before *state =
		ptebatch_check_state(trial, &ptebatch_check_isolated);
	unsigned int i;

	for (i = 0; ptebatch_counts_alone() && i < ARRAY_SIZE(isolated); i++) {
		long more = ptebatch_node_stat(NUMA_NO_NODE, isolated[i]) - state->pages[i];

		if (more)
			seq_buf_printf(out, "NR_ISOLATED_%s is %ld higher than before\n",
				       i ? "FILE" : "ANON", more);
	}
}

const struct ptebatch_check ptebatch_check_isolated = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "isolated", .whole = true,
	.state_size = sizeof(struct isolated_before), .begin = begin_isolated,
	.check = check_isolated,
};
