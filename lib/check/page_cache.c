// SPDX-License-Identifier: GPL-2.0
/*
 * Each index of the row's file leads to the folio that has it. Writeback finds folios by
 * the tags of the page cache: a folio with a tag is dirty, or in writeback. That a dirty
 * folio has the tag is rule 17.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/xarray.h>

#include "checks.h"

static void check_slot(struct address_space *mapping, struct xa_state *xas,
		       struct folio *folio, struct seq_buf *out)
{
	unsigned long index = xas->xa_index;

	if (folio->mapping != mapping || !folio_contains(folio, index)) {
		seq_buf_printf(out, "another folio than the index says: index %lu\n", index);
		return;
	}
	if (xas_get_mark(xas, PAGECACHE_TAG_DIRTY) && !folio_test_dirty(folio))
		seq_buf_printf(out, "tagged as dirty, but clean: the folio of index %lu\n", index);
	if (xas_get_mark(xas, PAGECACHE_TAG_WRITEBACK) != folio_test_writeback(folio))
		seq_buf_printf(out, "tag and folio differ in writeback: index %lu\n", index);
}

static void check_page_cache(struct ptebatch_trial *trial, struct seq_buf *out)
{
	struct file *file = trial->space->file;
	struct address_space *mapping;
	struct folio *folio;

	if (!file)
		return;
	mapping = file->f_mapping;
	XA_STATE(xas, &mapping->i_pages, 0);

	xas_lock_irq(&xas);
	xas_for_each(&xas, folio, ULONG_MAX)
		if (!xa_is_value(folio))
			check_slot(mapping, &xas, folio, out);
	xas_unlock_irq(&xas);
}

const struct ptebatch_check ptebatch_check_page_cache = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "page_cache", .whole = true,
	.check = check_page_cache,
};
