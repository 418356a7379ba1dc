// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "../space/refs.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_dirty;

/* The entry maps no page any more, or an anonymous page only as a swap entry. */
static bool was_unmapped(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[i];
	const struct ptebatch_entry *is = &trial->after.row.entries[i];

	return ptebatch_entry_normal(was) && !ptebatch_entry_present(is) &&
	       (is->kind == PTEBATCH_SWAP ||
		test_bit(was->folio, trial->space->cached));
}

/**
 * ptebatch_check_dirty() - check rule 17 (file folios): dirty reaches the folio
 * @trial: the trial, stopped
 * @out: receives a line for each dirty entry that was lost
 *
 * Not checked: moved entries, which keep the dirty bit, and folios without the
 * space's references, which the operation may have written out.
 *
 * Return: true if the folio of each dirty entry that was unmapped is dirty.
 */
bool ptebatch_check_dirty(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	if (trial->space->setup.lru || trial->second)
		return true;
	for (i = 0; i < was->nr; i++) {
		const struct ptebatch_entry *entry = &was->entries[i];

		if (!(entry->flags & PTEBATCH_DIRTY) || !was_unmapped(trial, i) ||
		    folio_test_dirty(trial->space->folios[entry->folio]))
			continue;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %u was dirty, its folio is clean\n", i);
	}
	return bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES);
}
