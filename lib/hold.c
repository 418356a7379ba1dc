// SPDX-License-Identifier: GPL-2.0
/*
 * A split leaves small folios where a large one was, so what is held is kept by
 * page: a bit for each page of the row's folios that a folio of ours begins at.
 */
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "folio.h"
#include "hold.h"
#include "snapshot.h"
#include "swap.h"

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
 * ptebatch_leaked() - is a folio that is gone for us not free?
 * @space: whose
 * @folio: index of the row's folio, an anonymous one
 *
 * A page that has been freed forgets what it belonged to, and where there.
 *
 * Return: whether somebody still has a reference to it.
 */
bool ptebatch_leaked(const struct ptebatch_space *space, s16 folio)
{
	struct folio *old = space->folios[folio];

	return ptebatch_gone(space, folio) && space->mapping[folio] &&
	       READ_ONCE(old->mapping) == space->mapping[folio] &&
	       READ_ONCE(old->index) == space->index[folio] &&
	       folio_ref_count(old);
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
		if (folio_test_anon(folio))
			space->mapping[i] = folio->mapping;
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

/* The page that an entry maps; %NULL if it maps none. */
static struct page *mapped_page(const struct ptebatch_snapshot *snapshot,
				unsigned int i)
{
	pte_t pte = snapshot->raw[snapshot->lead + i];
	unsigned long pfn;

	if (test_bit(i, snapshot->huge)) {
		pmd_t pmd = __pmd(pte_val(pte));

		if (!pmd_present(pmd))
			return NULL;
		pfn = pmd_pfn(pmd) + (snapshot->row.first + i) % PTRS_PER_PTE;
	} else {
		if (!pte_present(pte))
			return NULL;
		pfn = pte_pfn(pte);
	}
	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

/* Was it ours, and is it still where it was? Its frame may be another's now. */
static bool is_same(const struct ptebatch_space *space, s16 drawn,
		    struct page *page)
{
	unsigned long nr = page_to_pfn(page) - folio_pfn(space->folios[drawn]);
	struct folio *folio = page_folio(page);

	if (nr >= nr_pages(space, drawn))
		return false;
	return !ptebatch_gone(space, drawn) ||
	       folio->index + folio_page_idx(folio, page) ==
	       space->index[drawn] + nr;
}

static s16 find_drawn(const struct ptebatch_space *space, s16 guess,
		      struct page *page)
{
	s16 i;

	if (guess != PTEBATCH_NO_FOLIO && is_same(space, guess, page))
		return guess;
	/* From the end: that is where the new ones are. */
	for (i = space->row.nr_folios; i--;)
		if (is_same(space, i, page))
			return i;
	return PTEBATCH_NO_FOLIO;
}

/* May it be what the operation has put in the place of what there was? */
static bool is_made(const struct ptebatch_space *space, struct folio *folio)
{
	return folio_mapped(folio) &&
	       (folio_test_anon(folio) ||
		(space->file && folio->mapping == space->file->f_mapping));
}

/* Number it behind all others. */
static int add_made(struct ptebatch_space *space, struct folio *folio)
{
	struct ptebatch_row *row = &space->row;
	s16 nr = row->nr_folios;
	unsigned long *held;

	if (nr == ARRAY_SIZE(space->folios))
		return -ENOSPC;
	held = bitmap_zalloc(row->nr_pages + folio_nr_pages(folio) + 1,
			     GFP_KERNEL);
	if (!held)
		return -ENOMEM;
	bitmap_copy(held, space->held, row->nr_pages);
	bitmap_free(space->held);
	space->held = held;

	space->folios[nr] = folio;
	space->index[nr] = folio->index;
	row->folios[nr] = (struct ptebatch_shape) {
		.order = folio_order(folio),
		.made = true,
		.first = row->nr_pages,
	};
	row->nr_folios++;
	row->nr_pages += folio_nr_pages(folio);
	if (!folio_test_anon(folio))
		set_bit(nr, space->cached);
	return 0;
}

/* What is mapped; being mapped it does not go away. */
static int take_mapped(struct ptebatch_space *space,
		       const struct ptebatch_snapshot *snapshot)
{
	unsigned int i;
	int err;

	for (i = 0; i < snapshot->row.nr; i++) {
		struct page *page = mapped_page(snapshot, i);
		struct folio *folio;
		s16 drawn;

		if (!page)
			continue;
		folio = page_folio(page);
		drawn = find_drawn(space, space->row.entries[i].folio, page);
		if (drawn == PTEBATCH_NO_FOLIO) {
			if (!is_made(space, folio))
				continue;
			err = add_made(space, folio);
			if (err)
				return err;
			drawn = space->row.nr_folios - 1;
		}
		take(space, drawn, folio);
	}
	return 0;
}

/* What is in the swap cache, where an entry says that it is in swap. */
static void take_swapped(struct ptebatch_space *space,
			 const struct ptebatch_snapshot *snapshot)
{
	unsigned int i;

	for (i = 0; i < snapshot->row.nr; i++) {
		pte_t pte = snapshot->raw[snapshot->lead + i];
		struct folio *folio;
		s16 drawn;

		if (snapshot->row.entries[i].kind != PTEBATCH_SWAP)
			continue;
		folio = ptebatch_swap_cached(softleaf_from_pte(pte));
		if (!folio)
			continue;
		drawn = find_drawn(space, space->row.entries[i].folio,
				   &folio->page);
		if (drawn != PTEBATCH_NO_FOLIO)
			take(space, drawn, folio);
		folio_put(folio);
	}
}

/**
 * ptebatch_take_back() - take references again to what is left of the folios
 * @space: has given them up by ptebatch_let_go()
 *
 * Left is what is mapped, in the swap cache or in the file's page cache; all
 * else may be someone else's by now. Folios that are mapped, and that the row
 * did not have, become the row's last ones.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 0, -ENOMEM, or -ENOSPC where there are too many new folios.
 */
int ptebatch_take_back(struct ptebatch_space *space)
{
	struct ptebatch_snapshot *snapshot;
	unsigned int i;
	int err = 0;

	lru_add_drain_all();
	snapshot = kvmalloc_obj(*snapshot);
	if (!snapshot)
		return -ENOMEM;
	for (i = 0; i < space->nr_places && !err; i++) {
		ptebatch_snapshot(snapshot, space, &space->places[i]);
		err = take_mapped(space, snapshot);
		take_swapped(space, snapshot);
	}
	kvfree(snapshot);
	for_each_set_bit(i, space->cached, space->row.nr_folios)
		take_cached(space, i);
	return err;
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
