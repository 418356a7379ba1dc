// SPDX-License-Identifier: GPL-2.0
#include "../arch/arch.h"
#include "checks.h"

/*
 * Every entry made less permissive was in an announced range, and each announced
 * range has addresses and an end.
 */
static void check_announced(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	const struct ptebatch_secondary *secondary = &trial->secondary;
	unsigned int i;

	if (!PTEBATCH_NOTIFIES)
		return;
	if (secondary->open || secondary->sum)
		seq_buf_printf(out, "%d announced ranges have no end, or another end\n",
			       secondary->open);
	if (secondary->empty)
		seq_buf_printf(out, "%u announced ranges are empty\n", secondary->empty);
	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, secondary->announced) ||
		    !ptebatch_entry_loses_access(&before->entries[i], &after->entries[i]))
			continue;
		set_bit(i, trial->differs);
		ptebatch_change_print(trial, i, "changed without an announcement", out);
	}
}

const struct ptebatch_check ptebatch_check_announced = {
	.rule = PTEBATCH_RULE_NOTIFIERS, .name = "announced", .check = check_announced,
};
