// SPDX-License-Identifier: GPL-2.0
/*
 * A split leaves small folios where a large one was, so what is held is kept by
 * page: a bit for each page of the row's folios that a folio of ours begins at.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "folio.h"
#include "hold.h"
#include "snapshot.h"

static unsigned int first_bit(const struct ptebatch_space *space, s16 folio)
{
	return space->row.folios[folio].first;
}

static unsigned int nr_pages(const struct ptebatch_space *space, s16 folio)
{
	return 1U << space->row.folios[folio].order;
}

/**
 * ptebatch_hold() - get the folios of the row
 * @space: whose; to be undone by ptebatch_hold_end(), on failure, too
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of ptebatch_folios_alloc().
 */
int ptebatch_hold(struct ptebatch_space *space)
{
	unsigned int i;
	int err;

	space->held = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	if (!space->held)
		return -ENOMEM;
	err = ptebatch_folios_alloc(space->folios, &space->row);
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++)
		set_bit(first_bit(space, i), space->held);
	return err;
}

/**
 * ptebatch_held() - the folio that a page belongs to now
 * @space: whose
 * @folio: index of the row's folio that the page was drawn in
 * @page: its number there
 *
 * Return: the folio, %NULL if it is not ours any more.
 */
struct folio *ptebatch_held(const struct ptebatch_space *space, s16 folio,
			    unsigned int page)
{
	if (ptebatch_held_whole(space, folio))
		return space->folios[folio];
	if (!test_bit(first_bit(space, folio) + page, space->held))
		return NULL;
	return page_folio(&space->folios[folio]->page + page);
}

/**
 * ptebatch_held_whole() - is a folio ours, and not split?
 * @space: whose
 * @folio: index of the row's folio
 *
 * Return: whether it is.
 */
bool ptebatch_held_whole(const struct ptebatch_space *space, s16 folio)
{
	return test_bit(first_bit(space, folio), space->held) &&
	       folio_nr_pages(space->folios[folio]) == nr_pages(space, folio);
}

/**
 * ptebatch_gone() - is nothing of a folio ours any more?
 * @space: whose
 * @folio: index of the row's folio
 *
 * Return: whether nothing is.
 */
bool ptebatch_gone(const struct ptebatch_space *space, s16 folio)
{
	unsigned int first = first_bit(space, folio);
	unsigned int end = first + nr_pages(space, folio);

	return find_next_bit(space->held, end, first) == end;
}

/**
 * ptebatch_let_go() - give up the references to all folios that others hold
 * @space: whose
 *
 * They live on by what maps them, by the page cache and by who has locked them.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_let_go(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (folio_test_locked(folio) || !ptebatch_held_whole(space, i))
			continue;
		space->index[i] = folio->index;
		clear_bit(first_bit(space, i), space->held);
		folio_put(folio);
	}
}

static void take(struct ptebatch_space *space, s16 drawn, struct folio *folio)
{
	unsigned long page = folio_pfn(folio) - folio_pfn(space->folios[drawn]);

	if (test_and_set_bit(first_bit(space, drawn) + page, space->held))
		return;
	folio_get(folio);
}

/* What the page cache has of a file's folio. */
static void take_cached(struct ptebatch_space *space, s16 drawn)
{
	unsigned int i, nr = nr_pages(space, drawn);
	unsigned long first = folio_pfn(space->folios[drawn]);
	struct folio *folio;

	for (i = 0; i < nr; i++) {
		folio = filemap_get_folio(space->file->f_mapping,
					  space->index[drawn] + i);
		if (IS_ERR(folio))
			continue;
		if (folio_pfn(folio) - first < nr)
			take(space, drawn, folio);
		folio_put(folio);
	}
}

/* What is mapped; being mapped it does not go away. */
static void take_mapped(struct ptebatch_space *space,
			const struct ptebatch_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct page *page;

		if (!ptebatch_entry_present(entry) ||
		    entry->folio == PTEBATCH_NO_FOLIO)
			continue;
		page = &space->folios[entry->folio]->page + entry->page;
		take(space, entry->folio, page_folio(page));
	}
}

/**
 * ptebatch_take_back() - take references again to what is left of the folios
 * @space: has given them up by ptebatch_let_go()
 *
 * Left is what is mapped, or in the file's page cache; all else may be someone
 * else's by now.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_take_back(struct ptebatch_space *space)
{
	struct ptebatch_snapshot *snapshot;
	unsigned int i;

	lru_add_drain_all();
	snapshot = kvmalloc_obj(*snapshot);
	if (!snapshot)
		return -ENOMEM;
	for (i = 0; i < space->nr_places; i++) {
		ptebatch_snapshot(snapshot, space, &space->places[i]);
		take_mapped(space, &snapshot->row);
	}
	kvfree(snapshot);
	for_each_set_bit(i, space->cached, space->row.nr_folios)
		take_cached(space, i);
	return 0;
}

/**
 * ptebatch_hold_end() - give up the references for good
 * @space: whose folios are mapped nowhere any more
 *
 * Context: Process context, may sleep.
 */
void ptebatch_hold_end(struct ptebatch_space *space)
{
	unsigned int i, page;

	for (i = 0; space->held && i < space->row.nr_folios; i++) {
		struct page *first = &space->folios[i]->page;

		/* From the end: a folio is not looked at when it is gone. */
		for (page = nr_pages(space, i); page--;)
			if (test_and_clear_bit(first_bit(space, i) + page,
					       space->held))
				folio_put(page_folio(first + page));
	}
	bitmap_free(space->held);
}
