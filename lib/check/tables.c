// SPDX-License-Identifier: GPL-2.0
#include "../space/tables.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_tables;

/**
 * ptebatch_check_tables() - check that batches end with the page table (rule 3)
 * @trial: the trial, stopped
 * @out: receives a line for each page table that a batch ran past
 *
 * Return: true if no entry behind the end of a page table has changed.
 */
bool ptebatch_check_tables(struct ptebatch_trial *trial, struct seq_buf *out)
{
	return trial->first || ptebatch_tables_ended(trial->space, out);
}
