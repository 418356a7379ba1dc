// SPDX-License-Identifier: GPL-2.0
#include "../arch/arch.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_model, ptebatch_check_returned;

/**
 * ptebatch_check_model() - check the entries of the range against the model
 * @trial: the trial, stopped
 * @out: unused: the marked entries say it all
 *
 * Return: true if the model allows all entries, or if it does not cover the
 * operation.
 */
bool ptebatch_check_model(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = ptebatch_trial_was(trial);
	const struct ptebatch_row *got = &trial->after.row;
	/* mremap() resolves the protection by batches, its twin too. */
	bool batches = !trial->one_by_one || trial->call.uffd_no_remap_event;
	unsigned int i;

	if (!trial->call.model)
		return true;
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
	return bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES);
}

/**
 * ptebatch_check_returned() - check rule 9 (return value)
 * @trial: the trial, stopped
 * @out: receives the returned and the expected number of pages
 *
 * Return: true if the operation returned the number of changed pages, or if it
 * does not count pages.
 */
bool ptebatch_check_returned(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct ptebatch_allowed allowed;
	unsigned int i;
	long pages = 0;

	if (!trial->call.counts || !trial->call.model)
		return true;
	for (i = was->from; i < was->to; i++) {
		/* A PMD migration entry is not counted, those of a split are. */
		if (test_bit(i, trial->after.huge) &&
		    !ptebatch_entry_present(&was->entries[i]))
			continue;
		trial->call.model(&trial->call, &was->entries[i], &allowed);
		pages += allowed.counts;
	}
	seq_buf_printf(out, "returns %ld, expected %ld changed pages\n",
		       trial->returned, pages);
	return trial->returned == pages;
}
