// SPDX-License-Identifier: GPL-2.0
/*
 * swapoff() looks for swap entries in the mms of init_mm.mmlist: each mm that has some
 * must be there.
 */
#include <linux/mm.h>

#include "checks.h"

static void check_swapping(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		struct mm_struct *mm = space->places[i].mm;

		if (get_mm_counter_sum(mm, MM_SWAPENTS) && list_empty(&mm->mmlist))
			seq_buf_printf(out, "place %u: swap entries, mm not in mmlist\n", i);
	}
}

const struct ptebatch_check ptebatch_check_swapping = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "swapping", .whole = true,
	.check = check_swapping,
};
