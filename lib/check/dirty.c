// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../space/refs.h"
#include "checks.h"

/* The entry maps no page any more, or an anonymous page only as a swap entry. */
static bool was_unmapped(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[i];
	const struct ptebatch_entry *is = &trial->after.row.entries[i];

	return ptebatch_entry_normal(was) && !ptebatch_entry_present(is) &&
	       (is->kind == PTEBATCH_SWAP ||
		test_bit(was->folio, trial->space->cached));
}

static bool maps_dirty(const struct ptebatch_row *row, unsigned int folio)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (row->entries[i].folio == folio &&
		    row->entries[i].flags & PTEBATCH_DIRTY)
			return true;
	return false;
}

/* Did a clean folio become dirty without a dirty entry, as from a write fault? */
static bool dirtied(const struct ptebatch_trial *trial, unsigned int folio)
{
	return !test_bit(folio, trial->dirty) &&
	       folio_test_dirty(trial->space->folios[folio]) &&
	       !maps_dirty(&trial->before.row, folio) &&
	       !maps_dirty(&trial->after.row, folio);
}

static void begin_dirty(struct ptebatch_trial *trial)
{
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++)
		if (folio_test_dirty(trial->space->folios[i]))
			set_bit(i, trial->dirty);
}

/*
 * The folio of each dirty entry that was unmapped is dirty, and no other folio
 * became dirty. Not checked: moved entries, which keep the dirty bit, and folios
 * without the space's references, which the operation may have written out.
 */
static void check_dirty(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	if (trial->space->setup.folios & ON_LRU || trial->second)
		return;
	for_each_set_bit(i, trial->space->cached, was->nr_folios)
		if (dirtied(trial, i))
			seq_buf_printf(out, "folio %u became dirty, none of its entries is\n",
				       i);
	for (i = 0; i < was->nr; i++) {
		const struct ptebatch_entry *entry = &was->entries[i];

		if (!(entry->flags & PTEBATCH_DIRTY) || !was_unmapped(trial, i) ||
		    folio_test_dirty(trial->space->folios[entry->folio]))
			continue;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %u was dirty, its folio is clean\n", i);
	}
}

const struct ptebatch_check ptebatch_check_dirty = {
	.rule = PTEBATCH_RULE_FILE, .name = "dirty", .whole = true,
	.begin = begin_dirty, .check = check_dirty,
};
