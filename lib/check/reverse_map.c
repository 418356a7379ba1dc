// SPDX-License-Identifier: GPL-2.0
/*
 * An operation that maps a page at another address, or a new page, must set
 * folio->mapping and folio->index accordingly: or else the rmap does not find the
 * entry, and reclaim, migration and memory failure miss it.
 *
 * Entries that map the same page as before are left out, as is a page that set-up
 * has drawn where its index does not say.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>

#include "checks.h"

/* Does the rmap of the entry's page matter? Until swap-in, an entry in swap has it. */
static bool has_rmap(const struct ptebatch_entry *entry)
{
	if (entry->flags & PTEBATCH_KSM)
		return false;
	return ptebatch_entry_normal(entry) ||
	       (entry->kind == PTEBATCH_SWAP && entry->flags & PTEBATCH_EXCLUSIVE &&
		entry->folio != PTEBATCH_NO_FOLIO);
}

static bool was_mapped(const struct ptebatch_row *row, unsigned int i,
		       const struct ptebatch_entry *entry)
{
	return i < row->nr && row->entries[i].folio == entry->folio &&
	       row->entries[i].page == entry->page;
}

/* Was the entry drawn where the index of its page does not say? */
static bool is_misplaced(const struct ptebatch_row *row, unsigned int i,
			 const struct ptebatch_entry *entry)
{
	return entry->folio < (int)row->nr_folios &&
	       (int)i - entry->page != row->folios[entry->folio].at;
}

/* page_address_in_vma() returns the address of each entry with another page. */
static void check_reverse_map(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *after = &trial->after.row;
	const struct ptebatch_place *place = trial->place;
	struct vm_area_struct *vma;
	unsigned int i;

	/* Not for a window, which is read back too often. */
	if (trial->partial && !trial->first)
		return;
	mmap_read_lock(place->mm);
	for (i = 0; i < after->nr; i++) {
		const struct ptebatch_entry *entry = &after->entries[i];
		unsigned long addr = place->start + i * PAGE_SIZE;
		struct page *page;

		if (!has_rmap(entry) ||
		    was_mapped(&trial->before.row, i, entry) ||
		    is_misplaced(ptebatch_trial_was(trial), i, entry))
			continue;
		vma = vma_lookup(place->mm, addr);
		page = &trial->space->folios[entry->folio]->page + entry->page;
		if (!vma || page_address_in_vma(page_folio(page), page, vma) == addr)
			continue;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "the rmap does not find entry %u\n", i);
	}
	mmap_read_unlock(place->mm);
}

const struct ptebatch_check ptebatch_check_reverse_map = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "reverse_map", .check = check_reverse_map,
};
