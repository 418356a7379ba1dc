// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "random_row.h"

/* As many entries as a page table has; the row may begin at any entry. */
#define ENTRIES_MAX	PTRS_PER_PTE
#define ORDER_MAX	9

static unsigned int below(struct rnd_state *rnd, unsigned int limit)
{
	return prandom_u32_state(rnd) % limit;
}

/* Small numbers more often than large ones, up to @limit - 1. */
static unsigned int small(struct rnd_state *rnd, unsigned int limit)
{
	return below(rnd, below(rnd, limit) + 1);
}

/* A random state with a page (@page is true) or without. */
static struct ptebatch_entry any_state(struct rnd_state *rnd,
				       const struct ptebatch_states *states,
				       bool page)
{
	for (;;) {
		struct ptebatch_entry state =
			states->state[below(rnd, states->nr)];

		/* A folio in device-private memory has no other entries. */
		if (state.kind != PTEBATCH_DEVICE_PRIVATE &&
		    page == ptebatch_entry_has_page(&state))
			return state;
	}
}

/*
 * May a folio of @order be physically adjacent to the last folio? After a folio
 * at least as large it is aligned, and short chains fit into a block of pages.
 */
static bool may_follow(const struct ptebatch_row *row, unsigned int order)
{
	const struct ptebatch_shape *last = &row->folios[row->nr_folios - 1];

	return row->nr_folios && order <= last->order && order < 4 &&
	       last->order < 8 && !last->adjacent;
}

static void add_holes(struct ptebatch_row *row, struct rnd_state *rnd,
		      const struct ptebatch_states *states, unsigned int nr)
{
	static const struct ptebatch_entry none = {
		.folio = PTEBATCH_NO_FOLIO,
	};
	bool empty = below(rnd, 2);

	while (nr-- && row->nr < ENTRIES_MAX)
		row->entries[row->nr++] =
			empty ? none : any_state(rnd, states, false);
}

/*
 * Add a folio, fully or partially mapped, in runs of entries with equal state,
 * so that there are batches. A file folio is aligned as in the page cache.
 */
static void add_folio(struct ptebatch_row *row, struct rnd_state *rnd,
		      const struct ptebatch_call *call,
		      const struct ptebatch_states *states)
{
	unsigned int order = small(rnd, ORDER_MAX + 1);
	unsigned int page = 0, pages = 1U << order, run = 0, cut = 0;
	struct ptebatch_entry state;

	if (call->file)
		add_holes(row, rnd, states, -(row->first + row->nr) & (pages - 1));
	if (row->nr + pages > ENTRIES_MAX)
		return;
	row->folios[row->nr_folios] = (struct ptebatch_shape) {
		.order = order,
		.adjacent = may_follow(row, order) && below(rnd, 2),
	};
	if (!call->file && !below(rnd, 4))
		page = small(rnd, pages);
	if (!below(rnd, 4))
		cut = small(rnd, pages - page);
	pages -= cut;
	for (; page < pages; page++, run--) {
		if (!run) {
			run = 1 + small(rnd, pages);
			state = any_state(rnd, states, true);
			state.folio = row->nr_folios;
		}
		state.page = page;
		row->entries[row->nr++] = state;
	}
	row->nr_folios++;
	/* The file has the unmapped pages, too: leave their entries empty. */
	if (call->file)
		add_holes(row, rnd, states, cut);
}

/* Number the pages of the folios, as the parser does. */
static void number_pages(struct ptebatch_row *row)
{
	unsigned int i;

	row->nr_pages = 0;
	for (i = 0; i < row->nr_folios; i++) {
		row->folios[i].first = row->nr_pages;
		row->nr_pages += 1U << row->folios[i].order;
	}
}

/**
 * ptebatch_random_row() - generate a random row
 * @row: set to the generated row
 * @rnd: state of the random number generator
 * @call: a call with the properties of the VMA
 * @states: possible states of an entry in this VMA
 */
void ptebatch_random_row(struct ptebatch_row *row, struct rnd_state *rnd,
			 const struct ptebatch_call *call,
			 const struct ptebatch_states *states)
{
	unsigned int nr_min = 1 + small(rnd, ENTRIES_MAX);

	memset(row, 0, sizeof(*row));
	row->first = below(rnd, PTRS_PER_PTE);
	while (row->nr < nr_min) {
		if (!below(rnd, 8))
			add_holes(row, rnd, states, 1 + small(rnd, 16));
		else
			add_folio(row, rnd, call, states);
	}
	row->from = small(rnd, row->nr);
	row->to = row->nr - small(rnd, row->nr - row->from);
	number_pages(row);
}

/**
 * ptebatch_random_vmas() - divide a random row into several VMAs
 * @row: the row; one in two rows keeps a single VMA
 * @rnd: state of the random number generator
 */
void ptebatch_random_vmas(struct ptebatch_row *row, struct rnd_state *rnd)
{
	unsigned int nr = below(rnd, 2) ? 1 + small(rnd, 8) : 0;

	while (nr-- && row->nr > 1)
		__set_bit(1 + below(rnd, row->nr - 1), row->vma_starts);
}

/* Drop the folios that no entry maps any more. */
static void drop_unmapped(struct ptebatch_row *row)
{
	s16 old = PTEBATCH_NO_FOLIO, new = PTEBATCH_NO_FOLIO;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		s16 folio = row->entries[i].folio;

		if (folio == PTEBATCH_NO_FOLIO)
			continue;
		if (folio != old) {
			row->folios[++new] = row->folios[folio];
			/* The folio before it was dropped. */
			if (folio != old + 1)
				row->folios[new].adjacent = false;
			old = folio;
		}
		row->entries[i].folio = new;
	}
	row->nr_folios = new + 1;
	row->folios[0].adjacent = false;
	number_pages(row);
}

/**
 * ptebatch_row_without() - copy a row without some of its entries
 * @row: set to the copy
 * @from: the row to copy
 * @first: index of the first entry to leave out
 * @nr: number of entries to leave out
 *
 * Entries at an end are cut off, entries in the middle become none entries.
 *
 * Return: true if @row is usable, false if no entry of the range is left.
 */
bool ptebatch_row_without(struct ptebatch_row *row,
			  const struct ptebatch_row *from, unsigned int first,
			  unsigned int nr)
{
	static const struct ptebatch_entry hole = {
		.folio = PTEBATCH_NO_FOLIO,
	};
	unsigned int i;

	*row = *from;
	if (first + nr == from->nr) {
		row->nr = first;
		row->to = min(row->to, row->nr);
		bitmap_clear(row->vma_starts, first, nr);
	} else if (!first) {
		row->nr -= nr;
		memmove(row->entries, row->entries + nr,
			row->nr * sizeof(row->entries[0]));
		bitmap_shift_right(row->vma_starts, row->vma_starts, nr,
				   PTEBATCH_ROW_ENTRIES);
		__clear_bit(0, row->vma_starts);
		row->first = (row->first + nr) % PTRS_PER_PTE;
		row->from -= min(row->from, nr);
		row->to -= min(row->to, nr);
	} else {
		for (i = first; i < first + nr; i++)
			row->entries[i] = hole;
	}
	drop_unmapped(row);
	return row->from < row->to;
}
