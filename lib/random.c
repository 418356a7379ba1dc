// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "random.h"

/* Up to a page table of entries, wherever in one it begins. */
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

/* A state for what has a page, or for what has none. */
static struct ptebatch_entry any_state(struct rnd_state *rnd,
				       const struct ptebatch_states *states,
				       bool page)
{
	for (;;) {
		struct ptebatch_entry state =
			states->state[below(rnd, states->nr)];

		if (page == ptebatch_entry_has_page(&state))
			return state;
	}
}

/*
 * May a folio of this order follow the last one physically? Behind a larger
 * one it is aligned by itself, and small chains fit into a block of pages.
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
 * A folio, mapped whole or in part, in runs of entries that are alike: only
 * where entries are alike there is a batch to go wrong. A file's folio lies
 * where the page cache can have it.
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
	/* What is not mapped is in the file all the same. */
	if (call->file)
		add_holes(row, rnd, states, cut);
}

/* Give the folios' pages their numbers, as the parser does. */
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
 * ptebatch_random_row() - draw a row by chance
 * @row: gets it
 * @rnd: what decides
 * @call: says what VMA it is for
 * @states: what entries can be there
 */
void ptebatch_random_row(struct ptebatch_row *row, struct rnd_state *rnd,
			 const struct ptebatch_call *call,
			 const struct ptebatch_states *states)
{
	unsigned int wanted = 1 + small(rnd, ENTRIES_MAX);

	memset(row, 0, sizeof(*row));
	row->first = below(rnd, PTRS_PER_PTE);
	while (row->nr < wanted) {
		if (!below(rnd, 8))
			add_holes(row, rnd, states, 1 + small(rnd, 16));
		else
			add_folio(row, rnd, call, states);
	}
	row->from = small(rnd, row->nr);
	row->to = row->nr - small(rnd, row->nr - row->from);
	number_pages(row);
}

/* Leave out the folios that no entry maps any more. */
static void drop_unmapped(struct ptebatch_row *row)
{
	s16 was = PTEBATCH_NO_FOLIO, is = PTEBATCH_NO_FOLIO;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		s16 folio = row->entries[i].folio;

		if (folio == PTEBATCH_NO_FOLIO)
			continue;
		if (folio != was) {
			row->folios[++is] = row->folios[folio];
			/* Next to whom? */
			if (folio != was + 1)
				row->folios[is].adjacent = false;
			was = folio;
		}
		row->entries[i].folio = is;
	}
	row->nr_folios = is + 1;
	row->folios[0].adjacent = false;
	number_pages(row);
}

/**
 * ptebatch_row_without() - a row with some entries less
 * @row: gets it
 * @from: the row
 * @first: the first entry to leave out
 * @nr: how many to leave out
 *
 * At its ends the row becomes shorter, in its midst it gets a hole.
 *
 * Return: whether anything of the range is left; if not, @row is not one.
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
	} else if (!first) {
		row->nr -= nr;
		memmove(row->entries, row->entries + nr,
			row->nr * sizeof(row->entries[0]));
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
