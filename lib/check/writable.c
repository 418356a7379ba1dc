// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

static bool is_wrong(const struct ptebatch_entry *entry)
{
	return entry->kind == PTEBATCH_WRITABLE && ptebatch_entry_normal(entry) &&
	       !(entry->flags & PTEBATCH_EXCLUSIVE);
}

/*
 * No entry of a private mapping becomes writable unless it maps an anonymous page that
 * is AnonExclusive: a write through it must not reach another process or the file.
 */
static void check_writable(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = ptebatch_trial_was(trial);
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	if (ptebatch_shared(trial->space->setup.mapping))
		return;
	for (i = 0; i < is->nr; i++) {
		if (!is_wrong(&is->entries[i]) || is_wrong(&was->entries[i]))
			continue;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %u is writable, its page is not AnonExclusive\n", i);
	}
}

const struct ptebatch_check ptebatch_check_writable = {
	.rule = PTEBATCH_RULE_WRITABLE, .name = "writable", .check = check_writable,
};
