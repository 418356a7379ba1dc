// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "../service/swap.h"
#include "reacquire.h"
#include "refs.h"
#include "snapshot.h"

static void get_ref(struct ptebatch_space *space, s16 drawn,
		    struct folio *folio)
{
	unsigned long page = folio_pfn(folio) - folio_pfn(space->folios[drawn]);

	if (test_and_set_bit(ptebatch_first_page(space, drawn) + page, space->held))
		return;
	folio_get(folio);
}

/* Get the pages of a drawn folio that are in the page cache. */
static void get_cached(struct ptebatch_space *space, s16 drawn)
{
	unsigned int i, nr = ptebatch_nr_pages(space, drawn);
	unsigned long first = folio_pfn(space->folios[drawn]);
	struct folio *folio;

	for (i = 0; i < nr; i++) {
		folio = filemap_get_folio(space->file->f_mapping,
					  space->index[drawn] + i);
		if (IS_ERR(folio))
			continue;
		if (folio_pfn(folio) - first < nr)
			get_ref(space, drawn, folio);
		folio_put(folio);
	}
}

/* The page that entry @i maps; %NULL if the entry maps none. */
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
		if (softleaf_is_device_exclusive(softleaf_from_pte(pte)))
			return softleaf_to_page(softleaf_from_pte(pte));
		if (!pte_present(pte))
			return NULL;
		pfn = pte_pfn(pte);
	}
	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

/*
 * Is @page a page of the drawn folio? If the folio may have been freed, or a part of
 * it, and its frame reused, the index must match too.
 */
static bool is_page_of(const struct ptebatch_space *space, s16 drawn,
		       struct page *page)
{
	unsigned long nr = page_to_pfn(page) - folio_pfn(space->folios[drawn]);
	struct folio *folio = page_folio(page);

	if (nr >= ptebatch_nr_pages(space, drawn))
		return false;
	return ptebatch_folio_intact(space, drawn) ||
	       folio->index + folio_page_idx(folio, page) ==
	       space->index[drawn] + nr;
}

static s16 find_drawn(const struct ptebatch_space *space, s16 guess,
		      struct page *page)
{
	s16 i;

	if (guess != PTEBATCH_NO_FOLIO && is_page_of(space, guess, page))
		return guess;
	/* From the end, as new folios are last. */
	for (i = space->row.nr_folios; i--;)
		if (is_page_of(space, i, page))
			return i;
	return PTEBATCH_NO_FOLIO;
}

/* May the operation have allocated @folio, for example in migration or COW? */
static bool may_be_new(const struct ptebatch_space *space, struct folio *folio)
{
	return folio_mapped(folio) &&
	       (folio_test_anon(folio) ||
		(space->file && folio->mapping == space->file->f_mapping));
}

/* Append a new folio to the row's folios. */
static int add_new(struct ptebatch_space *space, struct folio *folio)
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

/* Get the mapped folios: the mapping keeps them from being freed. */
static int get_mapped(struct ptebatch_space *space,
		      const struct ptebatch_snapshot *snapshot)
{
	struct folio *folio, *last = NULL;
	unsigned int i;
	int err;

	for (i = 0; i < snapshot->row.nr; i++) {
		struct page *page = mapped_page(snapshot, i);
		s16 drawn;

		if (!page)
			continue;
		folio = page_folio(page);
		if (folio == last)
			continue;
		last = folio;
		drawn = find_drawn(space, space->row.entries[i].folio, page);
		if (drawn == PTEBATCH_NO_FOLIO) {
			if (!may_be_new(space, folio))
				continue;
			err = add_new(space, folio);
			if (err)
				return err;
			drawn = space->row.nr_folios - 1;
		}
		get_ref(space, drawn, folio);
	}
	return 0;
}

/* Get the folios in the swap cache that swap entries refer to. */
static int get_swapped(struct ptebatch_space *space,
		       const struct ptebatch_snapshot *snapshot)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < snapshot->row.nr && !err; i++) {
		pte_t pte = snapshot->raw[snapshot->lead + i];
		struct folio *folio;
		s16 drawn;

		if (test_bit(i, snapshot->huge) || !softleaf_is_swap(softleaf_from_pte(pte)))
			continue;
		folio = ptebatch_swap_cached(softleaf_from_pte(pte));
		if (!folio)
			continue;
		drawn = find_drawn(space, space->row.entries[i].folio,
				   &folio->page);
		/* One that an earlier operation has read from swap. */
		if (drawn == PTEBATCH_NO_FOLIO && space->adopted) {
			err = add_new(space, folio);
			drawn = err ? drawn : (s16)(space->row.nr_folios - 1);
		}
		if (drawn != PTEBATCH_NO_FOLIO)
			get_ref(space, drawn, folio);
		folio_put(folio);
	}
	return err;
}

static void get_pinned(struct ptebatch_space *space)
{
	s16 drawn = find_drawn(space, PTEBATCH_NO_FOLIO, space->pinned);

	if (drawn != PTEBATCH_NO_FOLIO)
		get_ref(space, drawn, page_folio(space->pinned));
}

/**
 * ptebatch_space_reacquire_refs() - re-acquire the references to the folios
 * @space: the address space, after ptebatch_space_drop_refs()
 *
 * Gets folios that are mapped, in the swap cache or in the file's page cache;
 * other folios may have been freed and reused. Mapped folios that are not in
 * the row are appended to the row's folios; with @space->adopted, folios in the swap
 * cache, too. A pinned page may have no mapping any more.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 0, -ENOMEM, or -ENOSPC if there are too many new folios.
 */
int ptebatch_space_reacquire_refs(struct ptebatch_space *space)
{
	struct ptebatch_snapshot *snapshot;
	unsigned int i;
	int err = 0;

	lru_add_drain_all();
	snapshot = kvmalloc_obj(*snapshot);
	if (!snapshot)
		return -ENOMEM;
	for (i = 0; i < space->nr_places && !err; i++) {
		ptebatch_snapshot_raw(snapshot, space, &space->places[i]);
		err = get_mapped(space, snapshot) ?: get_swapped(space, snapshot);
	}
	kvfree(snapshot);
	for_each_set_bit(i, space->cached, space->row.nr_folios)
		get_cached(space, i);
	if (space->pinned)
		get_pinned(space);
	return err;
}
