// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../kernel/file.h"
#include "../space/refs.h"
#include "checks.h"

/* Only the suites' own file tells whether its dirty_folio() was called. */
static bool is_ours(const struct ptebatch_space *space, const struct folio *folio)
{
	return folio && space->file && folio->mapping == space->file->f_mapping &&
	       space->setup.mapping != PTEBATCH_SHMEM;
}

/*
 * dirty_folio() was called for each dirty folio of the file. folio_mark_dirty()
 * calls it, folio_set_dirty() does not: then writeback would not find the folio.
 */
static void check(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i, page, pages;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio;

		pages = ptebatch_nr_pages(space, i);
		for (page = 0; page < pages; page += folio ? folio_nr_pages(folio) : 1) {
			folio = ptebatch_page_folio(space, i, page);
			if (!is_ours(space, folio) || !folio_test_dirty(folio) ||
			    ptebatch_file_dirtied(folio))
				continue;
			seq_buf_printf(out, "folio %u is dirty, dirty_folio() was not called\n",
				       i);
		}
	}
}

const struct ptebatch_check ptebatch_check_dirty_folio = {
	.rule = PTEBATCH_RULE_FILE, .name = "dirty_folio", .whole = true, .check = check,
};
