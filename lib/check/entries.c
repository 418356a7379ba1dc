// SPDX-License-Identifier: GPL-2.0
#include "../arch/arch.h"
#include "checks.h"

/* The model allows the entries of the range. The marked entries say it all. */
static void check_entries(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = ptebatch_trial_was(trial);
	const struct ptebatch_row *got = &trial->after.row;
	/* mremap() resolves the protection by batches, its twin too. */
	bool batches = !trial->one_by_one || trial->call.uffd_no_remap_event;
	unsigned int i;

	if (!trial->call.model)
		return;
	for (i = was->from; i < was->to; i++) {
		u16 spread = 0;

		/* Only flags that the entry gained can have spread to it. */
		if (got->entries[i].flags & ~was->entries[i].flags)
			spread = ptebatch_model_spread(was, got->first, i,
						       batches);
		if (!ptebatch_model_allows(&trial->call, &was->entries[i],
					   spread | PTEBATCH_PROT_YOUNG,
					   &got->entries[i]))
			set_bit(i, trial->differs);
	}
}

const struct ptebatch_check ptebatch_check_entries = {
	.rule = PTEBATCH_RULE_MODEL, .name = "entries", .check = check_entries,
};
