// SPDX-License-Identifier: GPL-2.0
/*
 * Under memory pressure the kernel splits the folios in the deferred split queue,
 * to free the pages that are not mapped. __folio_remove_rmap() puts an anonymous
 * folio of more than two pages into the queue, sets PG_partially_mapped and counts
 * it, when the last mapping of some pages goes while other pages stay mapped:
 *
 *  - a folio with both mapped and unmapped pages is in the queue, unless it was in
 *    the swap cache when they were unmapped;
 *  - a folio whose pages are all mapped, before and after, does not enter it;
 *  - neither does a new folio of which all pages are mapped;
 *  - neither does a folio that is unmapped as a whole, by one batch;
 *  - a page with a migration entry counts as mapped, as it will be mapped again:
 *    while a folio has some, it is not decided that it is partially mapped.
 *
 * No folio of a device enters the queue. A folio leaves it only when it is split or
 * freed; one that is migrated leaves its place to the new folio.
 *
 * nr_anon_partially_mapped is the number of folios with PG_partially_mapped;
 * split_deferred and thp_deferred_split_page have counted how often it was set.
 */
#include <linux/bitmap.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "internal.h"

#include "../record/stat.h"
#include "../space/refs.h"
#include "checks.h"
#include "places.h"

/* Number of orders of folios that have mTHP statistics, from 0 on. */
#define ORDERS	(ilog2(MAX_PTRS_PER_PTE) + 1)

/**
 * struct deferred_before - state before the operation; the counters are unused after boot
 * @queued: bitmap of the folios in the queue
 * @marked: bitmap of the folios with PG_partially_mapped
 * @other_marked: nr_anon_partially_mapped of each order, less the folios of the row
 * @split_deferred: split_deferred of each order
 * @events: thp_deferred_split_page
 */
struct deferred_before {
	DECLARE_BITMAP(queued, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(marked, PTEBATCH_ROW_ENTRIES);
	long other_marked[ORDERS];
	long split_deferred[ORDERS];
	long events;
};

/**
 * struct pages - bitmaps of the pages of the row's folios
 * @before: mapped before the operation, or with a migration entry
 * @mapped: mapped after the operation
 * @held: mapped after the operation, or with a migration entry
 */
struct pages {
	unsigned long *before;
	unsigned long *mapped;
	unsigned long *held;
};

static bool holds_page(const struct ptebatch_entry *entry)
{
	return ptebatch_entry_mapped(entry) || entry->kind == PTEBATCH_MIGRATION;
}

/* Mark the pages of the row's folios that entries map or hold. */
static void mark_pages(const struct ptebatch_space *space, const struct ptebatch_row *row,
		       unsigned long *mapped, unsigned long *held)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		unsigned int page;

		if (!holds_page(entry))
			continue;
		page = ptebatch_first_page(space, entry->folio) + entry->page;
		set_bit(page, held);
		if (mapped && ptebatch_entry_mapped(entry))
			set_bit(page, mapped);
	}
}

static void mark_place(const struct ptebatch_trial *trial,
		       const struct ptebatch_place *place,
		       const struct ptebatch_snapshot *snapshot, void *data)
{
	const struct pages *pages = data;

	mark_pages(trial->space, &snapshot->row, pages->mapped, pages->held);
}

/* From page @first of the row's folios on. */
static unsigned int count_pages(const unsigned long *pages, unsigned int first,
				unsigned int end)
{
	unsigned int nr = 0;

	for_each_set_bit_from(first, pages, end)
		nr++;
	return nr;
}

static bool may_be_queued(const struct folio *folio)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && folio_test_anon(folio) &&
	       !folio_test_swapcache(folio) && !folio_is_zone_device(folio);
}

/* May folio @i be in the queue? The third page has the list. */
static bool has_queue_entry(const struct ptebatch_space *space, unsigned int i)
{
	return space->row.folios[i].order > 1 && ptebatch_folio_intact(space, i) &&
	       may_be_queued(space->folios[i]);
}

/* A large folio of a device must not be in the queue. */
static bool is_excluded(const struct ptebatch_space *space, unsigned int i)
{
	return space->row.folios[i].order > 1 && ptebatch_folio_intact(space, i) &&
	       folio_is_zone_device(space->folios[i]);
}

static bool is_listed(const struct folio *folio)
{
	return !list_empty(&folio->_deferred_list);
}

static bool is_queued(const struct folio *folio)
{
	return folio_test_partially_mapped(folio) && is_listed(folio);
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
		/* folio_pte_batch() compares PTE_CONT, too. */
		if (test_bit(at, trial->before.folded) != test_bit(end - 1, trial->before.folded))
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
	return trial->space->setup.folios & WITH_SWAP;
}

static struct deferred_before *state_of(const struct ptebatch_trial *trial)
{
	return ptebatch_check_state(trial, &ptebatch_check_deferred);
}

/* Is the folio of these pages in the queue if it is partially mapped? */
static void check_partial(const struct ptebatch_trial *trial, unsigned int i,
			  const struct folio *folio, unsigned int first,
			  const struct pages *pages, struct seq_buf *out)
{
	unsigned int nr = folio_nr_pages(folio), end = first + nr;
	unsigned int after = count_pages(pages->mapped, first, end);

	if (after && after < nr && after == count_pages(pages->held, first, end) &&
	    !was_in_swap(trial, i) && !is_queued(folio))
		seq_buf_printf(out, "folio %u, %u of %u pages mapped, is not in the queue\n",
			       i, after, nr);
}

/* Of the folios into which folio @i was split. */
static void check_parts(const struct ptebatch_trial *trial, unsigned int i,
			const struct pages *pages, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int first = ptebatch_first_page(space, i);
	struct ptebatch_part part = { .i = i };

	while (ptebatch_next_part(space, &part))
		if (folio_order(part.folio) > 1 && may_be_queued(part.folio))
			check_partial(trial, i, part.folio, first + part.page, pages, out);
}

static void check_whole(const struct ptebatch_trial *trial, unsigned int i,
			const struct pages *pages, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int first = ptebatch_first_page(space, i);
	unsigned int nr = ptebatch_nr_pages(space, i), end = first + nr;
	unsigned int before = count_pages(pages->before, first, end);
	unsigned int held = count_pages(pages->held, first, end);
	struct folio *folio = space->folios[i];

	/*
	 * An earlier step may have unmapped pages while the folio was in the swap cache. It
	 * may be in the queue nevertheless, from when it was new.
	 */
	if (!trial->space->adopted || before == nr || test_bit(i, state_of(trial)->marked))
		check_partial(trial, i, folio, first, pages, out);
	/* The kernel also queues new folios, to look for pages of zeroes later. */
	if (space->row.folios[i].made) {
		if (held == nr && is_queued(folio))
			seq_buf_printf(out, "folio %u, new, all pages mapped, is in the queue\n",
				       i);
		return;
	}
	if (test_bit(i, state_of(trial)->queued) || !is_listed(folio) || before != nr)
		return;
	if (held == nr)
		seq_buf_printf(out, "folio %u, all pages mapped, has entered the queue\n", i);
	else if (!trial->one_by_one && space->nr_places == 1 && is_one_batch(trial, i))
		seq_buf_printf(out, "folio %u, unmapped at once, has entered the queue\n", i);
}

/* The new folio by whose pages the operation has replaced those of folio @i, or none. */
static s16 moved_to(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_shape *folios = trial->space->row.folios;
	const struct ptebatch_row *row = &trial->before.row;
	s16 to = PTEBATCH_NO_FOLIO;
	unsigned int at;

	for (at = 0; at < row->nr; at++) {
		const struct ptebatch_entry *was = &row->entries[at];
		const struct ptebatch_entry *is = &trial->after.row.entries[at];

		if (was->folio != (s16)i || !holds_page(was))
			continue;
		/* A collapse unmaps page by page. */
		if (test_bit(at, trial->after.huge) && !test_bit(at, trial->before.huge))
			return PTEBATCH_NO_FOLIO;
		if (to == PTEBATCH_NO_FOLIO)
			to = is->folio;
		if (!holds_page(is) || is->folio != to || is->page != was->page)
			return PTEBATCH_NO_FOLIO;
	}
	if (to == PTEBATCH_NO_FOLIO || !folios[to].made || folios[to].order != folios[i].order)
		return PTEBATCH_NO_FOLIO;
	return to;
}

/* Migration moves a folio's place in the queue, too. */
static void check_moved(const struct ptebatch_trial *trial, unsigned int i,
			struct seq_buf *out)
{
	s16 to = test_bit(i, state_of(trial)->queued) ? moved_to(trial, i) : PTEBATCH_NO_FOLIO;

	if (to != PTEBATCH_NO_FOLIO && has_queue_entry(trial->space, to) &&
	    !is_listed(trial->space->folios[to]))
		seq_buf_printf(out, "folio %u has left the queue as folio %d\n", i, to);
}

/* User processes would count, too, and a module does not reach the counters. */
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && defined(CONFIG_VM_EVENT_COUNTERS) && !defined(MODULE)

/* Has folio @i lost pages, so that it may have been partially mapped for a while? */
static bool has_lost_pages(const struct ptebatch_trial *trial, unsigned int i,
			   const struct pages *pages)
{
	unsigned int first = ptebatch_first_page(trial->space, i);
	unsigned int end = first + ptebatch_nr_pages(trial->space, i);
	unsigned int page = first;

	/* The child may have unmapped them, as at its exit. */
	if (test_bit(i, trial->shared))
		return true;
	if (test_bit(i, trial->space->cached) ||
	    moved_to(trial, i) != PTEBATCH_NO_FOLIO)
		return false;
	for_each_set_bit_from(page, pages->before, end)
		if (!test_bit(page, pages->held))
			return true;
	return false;
}

static long sum_up(unsigned int order, enum mthp_stat_item item)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(mthp_stats, cpu).stats[order][item];
	return sum;
}

/**
 * struct marked - folios of each order with PG_partially_mapped
 * @nr: number of the row's folios, and of those into which one was split
 * @newly: number of those that did not have it before
 */
struct marked {
	long nr[ORDERS];
	long newly[ORDERS];
};

static void count_marked(const struct ptebatch_trial *trial, struct marked *marked)
{
	const struct ptebatch_space *space = trial->space;
	struct ptebatch_part part = {};

	while (ptebatch_next_held(space, &part)) {
		unsigned int order = folio_order(part.folio);

		if (order < 2 || order >= ORDERS || !folio_test_anon(part.folio) ||
		    !folio_test_partially_mapped(part.folio))
			continue;
		marked->nr[order]++;
		marked->newly[order] += !ptebatch_folio_intact(space, part.i) ||
					!test_bit(part.i, state_of(trial)->marked);
	}
}

static void begin_deferred_counts(struct ptebatch_trial *trial)
{
	struct deferred_before *state = state_of(trial);
	struct marked marked = {};
	unsigned int order;

	count_marked(trial, &marked);
	for (order = 2; order < ORDERS; order++) {
		state->other_marked[order] =
			sum_up(order, MTHP_STAT_NR_ANON_PARTIALLY_MAPPED) -
			marked.nr[order];
		state->split_deferred[order] = sum_up(order, MTHP_STAT_SPLIT_DEFERRED);
	}
	state->events = ptebatch_events(THP_DEFERRED_SPLIT_PAGE);
}

static void check_order(const struct ptebatch_trial *trial, unsigned int order,
			const struct marked *marked, const struct pages *pages,
			struct seq_buf *out)
{
	const struct deferred_before *state = state_of(trial);
	long counted = sum_up(order, MTHP_STAT_SPLIT_DEFERRED) - state->split_deferred[order];
	long nr = sum_up(order, MTHP_STAT_NR_ANON_PARTIALLY_MAPPED) -
		  state->other_marked[order];
	long newly = marked->newly[order], may = newly;
	unsigned int i;

	/* One that was freed or split may have been marked before; twins unmap in steps. */
	for (i = 0; counted > newly && i < trial->space->row.nr_folios; i++)
		may += trial->space->row.folios[i].order == order &&
		       has_lost_pages(trial, i, pages);
	if (nr != marked->nr[order])
		seq_buf_printf(out, "nr_anon_partially_mapped of order %u: %ld, expected %ld\n",
			       order, nr, marked->nr[order]);
	if (counted < newly || (counted > may && !trial->one_by_one)) {
		seq_buf_printf(out, "split_deferred of order %u: %ld more, expected %ld",
			       order, counted, newly);
		seq_buf_printf(out, may > newly ? " to %ld\n" : "\n", may);
	}
}

static void check_deferred_counts(const struct ptebatch_trial *trial, const struct pages *pages,
				  struct seq_buf *out)
{
	const struct deferred_before *state = state_of(trial);
	long events = ptebatch_events(THP_DEFERRED_SPLIT_PAGE) - state->events, counted;
	struct marked marked = {};
	unsigned int order;

	if (!ptebatch_counts_alone())
		return;
	count_marked(trial, &marked);
	for (order = 2; order < ORDERS; order++)
		check_order(trial, order, &marked, pages, out);
	counted = sum_up(HPAGE_PMD_ORDER, MTHP_STAT_SPLIT_DEFERRED) -
		  state->split_deferred[HPAGE_PMD_ORDER];
	if (events != counted)
		seq_buf_printf(out, "thp_deferred_split_page: %ld more, expected %ld\n",
			       events, counted);
}

#else

static void begin_deferred_counts(struct ptebatch_trial *trial)
{
}

static void check_deferred_counts(const struct ptebatch_trial *trial, const struct pages *pages,
				  struct seq_buf *out)
{
}

#endif

static void begin_deferred(struct ptebatch_trial *trial)
{
	struct deferred_before *state = state_of(trial);
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++) {
		struct folio *folio = trial->space->folios[i];

		if (has_queue_entry(trial->space, i) && is_listed(folio))
			set_bit(i, state->queued);
		if (folio_order(folio) > 1 && folio_test_anon(folio) &&
		    folio_test_partially_mapped(folio))
			set_bit(i, state->marked);
	}
	begin_deferred_counts(trial);
}

static void check_deferred(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int nr = space->row.nr_pages + 1;
	struct pages pages = {
		.before = bitmap_zalloc(nr, GFP_KERNEL),
		.mapped = bitmap_zalloc(nr, GFP_KERNEL),
		.held = bitmap_zalloc(nr, GFP_KERNEL),
	};
	unsigned int i;

	if (!pages.before || !pages.mapped || !pages.held ||
	    ptebatch_each_place(trial, mark_place, &pages)) {
		seq_buf_puts(out, "not checked: out of memory\n");
		goto free;
	}
	mark_pages(space, &trial->before.row, NULL, pages.before);
	for (i = 0; !seq_buf_used(out) && i < space->row.nr_folios; i++) {
		if (is_excluded(space, i) && is_listed(space->folios[i]))
			seq_buf_printf(out, "folio %u of a device is in the queue\n", i);
		if (has_queue_entry(space, i))
			check_whole(trial, i, &pages, out);
		else if (!ptebatch_folio_intact(space, i))
			check_parts(trial, i, &pages, out);
		check_moved(trial, i, out);
	}
	if (!seq_buf_used(out))
		check_deferred_counts(trial, &pages, out);
free:
	bitmap_free(pages.held);
	bitmap_free(pages.mapped);
	bitmap_free(pages.before);
}

const struct ptebatch_check ptebatch_check_deferred = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "deferred", .whole = true,
	.state_size = sizeof(struct deferred_before),
	.begin = begin_deferred, .check = check_deferred,
};
