// SPDX-License-Identifier: GPL-2.0
/*
 * Under memory pressure the kernel splits the folios in the deferred split queue,
 * to free the pages that are not mapped. __folio_remove_rmap() puts an anonymous
 * folio of more than two pages into the queue, and sets PG_partially_mapped, when
 * the last mapping of some pages goes while other pages stay mapped. In 7.3:
 *
 *  - a folio with both mapped and unmapped pages is in the queue, unless it was in
 *    the swap cache when they were unmapped;
 *  - a folio whose pages are all mapped, before and after, does not enter it;
 *  - neither does a new folio of which all pages are mapped;
 *  - neither does a folio that is unmapped as a whole, by one batch.
 *
 * Except by try_to_migrate(), which unmaps one page after the other: its caller undoes
 * that. And no folio of a device enters the queue.
 * A folio leaves the queue only when it is split or freed.
 */
#include <linux/bitmap.h>
#include <linux/memremap.h>
#include <linux/mm.h>

#include "internal.h"

#include "../space/refs.h"
#include "begin.h"
#include "checks.h"
#include "places.h"

ptebatch_check_t ptebatch_check_deferred;

/* Mark the pages of the row's folios that entries map. */
static void mark_mapped(const struct ptebatch_space *space,
			const struct ptebatch_row *row, unsigned long *mapped)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (ptebatch_entry_mapped(&row->entries[i]))
			set_bit(ptebatch_first_page(space, row->entries[i].folio) +
				row->entries[i].page, mapped);
}

static void mark_place(const struct ptebatch_trial *trial,
		       const struct ptebatch_place *place,
		       const struct ptebatch_snapshot *snapshot, void *data)
{
	mark_mapped(trial->space, &snapshot->row, data);
}

static unsigned int count_mapped(const struct ptebatch_space *space,
				 unsigned int i, const unsigned long *mapped)
{
	unsigned int first = ptebatch_first_page(space, i);
	unsigned int end = first + ptebatch_nr_pages(space, i);
	unsigned int nr = 0;

	for_each_set_bit_from(first, mapped, end)
		nr++;
	return nr;
}

/* May folio @i be in the queue at all? The third page has the list. */
static bool is_candidate(const struct ptebatch_space *space, unsigned int i)
{
	struct folio *folio = space->folios[i];

	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	       space->row.folios[i].order > 1 && ptebatch_folio_intact(space, i) &&
	       folio_test_anon(folio) && !folio_test_swapcache(folio) &&
	       !folio_is_device_private(folio);
}

/* A large folio of a device must not be in the queue. */
static bool is_excluded(const struct ptebatch_space *space, unsigned int i)
{
	return space->row.folios[i].order > 1 && ptebatch_folio_intact(space, i) &&
	       folio_is_device_private(space->folios[i]);
}

static bool is_queued(const struct folio *folio)
{
	return folio_test_partially_mapped(folio) &&
	       !list_empty(&folio->_deferred_list);
}

/*
 * Does the trial's operation get the whole folio @i as one batch? It gets the
 * entries of a device one by one.
 */
static bool is_one_batch(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_row *row = &trial->before.row;
	unsigned int at, end, nr = ptebatch_nr_pages(trial->space, i);
	const u16 spread = PTEBATCH_YOUNG | PTEBATCH_DIRTY;

	for (at = row->from; at < row->to; at++)
		if (row->entries[at].folio == (s16)i)
			break;
	end = at + nr;
	if (end > row->to || (row->first + at) % PTRS_PER_PTE + nr > PTRS_PER_PTE ||
	    find_next_bit(row->vma_starts, end, at + 1) < end)
		return false;
	for (; at < end; at++) {
		const struct ptebatch_entry *entry = &row->entries[at];
		const struct ptebatch_entry *last = &row->entries[end - 1];
		u8 kind = trial->after.row.entries[at].kind;

		if (entry->folio != (s16)i || entry->page != nr - (end - at) ||
		    entry->kind != last->kind || !ptebatch_entry_normal(entry) ||
		    (entry->flags ^ last->flags) & ~spread)
			return false;
		if (kind != PTEBATCH_NONE && kind != PTEBATCH_GUARD)
			return false;
	}
	return true;
}

/* May pages of folio @i have been unmapped while it was in the swap cache? */
static bool was_in_swap(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_row *row = &trial->space->row;
	unsigned int at;

	for (at = 0; at < row->nr; at++)
		if (row->entries[at].folio == (s16)i &&
		    row->entries[at].kind == PTEBATCH_SWAP)
			return true;
	return trial->space->setup.swap;
}

static bool check_folio(const struct ptebatch_trial *trial, unsigned int i,
			unsigned int before, unsigned int after,
			struct seq_buf *out)
{
	unsigned int nr = ptebatch_nr_pages(trial->space, i);
	struct folio *folio = trial->space->folios[i];

	if (after && after < nr) {
		if (was_in_swap(trial, i) || is_queued(folio))
			return true;
		seq_buf_printf(out, "folio %u, %u of %u pages mapped, is not in the queue\n",
			       i, after, nr);
		return false;
	}
	if (trial->migrates || test_bit(i, trial->deferred) || !is_queued(folio))
		return true;
	if (after == nr && trial->space->row.folios[i].made)
		seq_buf_printf(out, "folio %u, new, all pages mapped, is in the queue\n", i);
	else if (before != nr)
		return true;
	else if (after == nr)
		seq_buf_printf(out, "folio %u, all pages mapped, has entered the queue\n", i);
	else if (!trial->one_by_one && trial->space->nr_places == 1 &&
		 is_one_batch(trial, i))
		seq_buf_printf(out, "folio %u, unmapped at once, has entered the queue\n", i);
	else
		return true;
	return false;
}

/**
 * ptebatch_deferred_begin() - record which folios are in the queue
 * @trial: the trial, begun
 */
void ptebatch_deferred_begin(struct ptebatch_trial *trial)
{
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++)
		if (is_candidate(trial->space, i) &&
		    is_queued(trial->space->folios[i]))
			set_bit(i, trial->deferred);
}

/**
 * ptebatch_check_deferred() - check rule 7 (accounting): deferred split queue
 * @trial: the trial, stopped
 * @out: receives a line for each folio that should, or should not be in the queue
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: true if the queue has the folios that the top of this file names.
 */
bool ptebatch_check_deferred(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned long *before, *after;
	bool consistent = true;
	unsigned int i;

	before = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	after = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	if (!before || !after || ptebatch_each_place(trial, mark_place, after)) {
		seq_buf_puts(out, "not checked: out of memory\n");
		consistent = false;
	}
	if (consistent)
		mark_mapped(space, &trial->before.row, before);
	for (i = 0; consistent && i < space->row.nr_folios; i++) {
		if (is_excluded(space, i) && is_queued(space->folios[i])) {
			seq_buf_printf(out, "folio %u of a device is in the queue\n", i);
			consistent = false;
		}
		if (is_candidate(space, i))
			consistent = check_folio(trial, i,
						 count_mapped(space, i, before),
						 count_mapped(space, i, after), out);
	}
	bitmap_free(after);
	bitmap_free(before);
	return consistent;
}
