// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../kernel/file.h"
#include "../space/refs.h"
#include "checks.h"

/* Only the suites' own file tells whether its dirty_folio() was called. */
static bool is_ours(const struct ptebatch_space *space, const struct folio *folio)
{
	return space->file && folio->mapping == space->file->f_mapping &&
	       space->setup.mapping != PTEBATCH_SHMEM;
}

/*
 * dirty_folio() was called for each dirty folio of the file. folio_mark_dirty()
 * calls it, folio_set_dirty() does not: then writeback would not find the folio.
 */
static void check_dirty_folio(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	struct ptebatch_part part = {};

	while (ptebatch_next_held(space, &part))
		if (is_ours(space, part.folio) && folio_test_dirty(part.folio) &&
		    !ptebatch_file_dirtied(part.folio))
			seq_buf_printf(out, "folio %u is dirty, dirty_folio() was not called\n",
				       part.i);
}

const struct ptebatch_check ptebatch_check_dirty_folio = {
	.rule = PTEBATCH_RULE_FILE, .name = "dirty_folio", .whole = true,
	.check = check_dirty_folio,
};
