// SPDX-License-Identifier: GPL-2.0
#include "../space/blocks.h"
#include "checks.h"

static void check_blocks(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *after = &trial->after;
	unsigned long start = trial->place->start - after->lead * PAGE_SIZE;

	ptebatch_blocks_consistent(trial->place->mm, start,
				   start + after->nr * PAGE_SIZE, out);
}

const struct ptebatch_check ptebatch_check_blocks = {
	.rule = PTEBATCH_RULE_BLOCKS, .name = "blocks", .check = check_blocks,
};
