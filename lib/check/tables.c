// SPDX-License-Identifier: GPL-2.0
#include "../space/tables.h"
#include "checks.h"

/* Batches end with the page table: no entry behind its end has changed. */
static void check_tables(struct ptebatch_trial *trial, struct seq_buf *out)
{
	unsigned int i;

	for (i = 0; i < trial->space->nr_places; i++)
		ptebatch_tables_check(&trial->space->places[i], out);
}

const struct ptebatch_check ptebatch_check_tables = {
	.rule = PTEBATCH_RULE_END, .name = "tables", .whole = true, .check = check_tables,
};
