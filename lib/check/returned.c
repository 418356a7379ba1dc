// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

/* An operation that counts pages has returned the number of changed pages. */
static void check_returned(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct ptebatch_allowed allowed;
	unsigned int i;
	long pages = 0;

	if (!trial->call.counts || !trial->call.model)
		return;
	for (i = was->from; i < was->to; i++) {
		/* A PMD migration entry is not counted, those of a split are. */
		if (test_bit(i, trial->after.huge) &&
		    !ptebatch_entry_present(&was->entries[i]))
			continue;
		trial->call.model(&trial->call, &was->entries[i], &allowed);
		pages += allowed.counts;
	}
	if (trial->returned != pages)
		seq_buf_printf(out, "returns %ld, expected %ld changed pages\n",
			       trial->returned, pages);
}

const struct ptebatch_check ptebatch_check_returned = {
	.rule = PTEBATCH_RULE_RETURN, .name = "returned", .check = check_returned,
};
