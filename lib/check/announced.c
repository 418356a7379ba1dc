// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

ptebatch_check_t ptebatch_check_announced;

/**
 * ptebatch_check_announced() - check rule 30 (MMU notifiers)
 * @trial: the trial, stopped
 * @out: receives a line for each entry that changed without an announcement, and
 *       for announcements without an end
 *
 * Return: true if every entry made less permissive was in an announced range,
 * and each announced range has addresses and an end.
 */
bool ptebatch_check_announced(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	const struct ptebatch_announced *announced = &trial->announced;
	bool good = true;
	unsigned int i;

	if (IS_ENABLED(CONFIG_UML))
		return true;
	if (announced->open || announced->sum) {
		good = false;
		seq_buf_printf(out, "%d announced ranges have no end, or another end\n",
			       announced->open);
	}
	if (announced->empty) {
		good = false;
		seq_buf_printf(out, "%u announced ranges are empty\n", announced->empty);
	}
	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, announced->entries) ||
		    !ptebatch_entry_loses_access(&before->entries[i], &after->entries[i]))
			continue;
		good = false;
		set_bit(i, trial->differs);
		ptebatch_change_print(trial, i, "changed without an announcement", out);
	}
	return good;
}
