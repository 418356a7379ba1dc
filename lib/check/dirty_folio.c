// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../kernel/file.h"
#include "../space/refs.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_dirty_folio;

/* Only the suites' own file tells whether its dirty_folio() was called. */
static bool is_ours(const struct ptebatch_space *space, const struct folio *folio)
{
	return folio && space->file && folio->mapping == space->file->f_mapping &&
	       space->setup.mapping != PTEBATCH_SHMEM;
}

/**
 * ptebatch_check_dirty_folio() - check rule 17 (file folios): dirty_folio()
 * @trial: the trial, stopped
 * @out: receives a line for each folio that is dirtied without a_ops->dirty_folio()
 *
 * folio_mark_dirty() calls the file's dirty_folio(), which folio_set_dirty() does
 * not: then writeback would not find the folio.
 *
 * Return: true if dirty_folio() was called for each dirty folio of the file.
 */
bool ptebatch_check_dirty_folio(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i, page, pages;
	bool called = true;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio;

		pages = ptebatch_nr_pages(space, i);
		for (page = 0; page < pages; page += folio ? folio_nr_pages(folio) : 1) {
			folio = ptebatch_page_folio(space, i, page);
			if (!is_ours(space, folio) || !folio_test_dirty(folio) ||
			    ptebatch_file_dirtied(folio))
				continue;
			called = false;
			seq_buf_printf(out, "folio %u is dirty, dirty_folio() was not called\n",
				       i);
		}
	}
	return called;
}
