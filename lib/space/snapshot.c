// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../service/swap.h"
#include "pte.h"
#include "refs.h"
#include "snapshot.h"

/**
 * struct finder - finds the folios of entries
 * @space: the address space
 * @guess: the folio that the row has at the entry, or PTEBATCH_NO_FOLIO
 * @unlocked: the row's folios may be in use without a reference of the space
 * @last: the folio of the last entry whose guess was wrong
 * @foreign: the last folio that is not one of the row, %NULL if none was found
 */
struct finder {
	const struct ptebatch_space *space;
	bool unlocked;
	s16 guess;
	s16 last;
	struct folio *foreign;
};

static bool is_in(const struct finder *finder, s16 folio, unsigned long pfn,
		  struct ptebatch_entry *entry)
{
	const struct ptebatch_space *space = finder->space;
	unsigned long page = pfn - folio_pfn(space->folios[folio]);
	unsigned long part;

	if (page >= 1UL << space->row.folios[folio].order)
		return false;
	/* A new folio may use the frames of a part that was freed, but no poisoned one. */
	part = folio_pfn(pfn_folio(pfn)) - folio_pfn(space->folios[folio]);
	if (entry->kind != PTEBATCH_HWPOISON && !finder->unlocked &&
	    (part > page || !test_bit(space->row.folios[folio].first + part, space->held)))
		return false;
	entry->folio = folio;
	entry->page = page;
	return true;
}

/* Adjacent entries often have the same or adjacent folios. */
static bool is_next(const struct finder *finder, unsigned long pfn,
		    struct ptebatch_entry *entry)
{
	s16 folio = finder->last;

	if (folio != PTEBATCH_NO_FOLIO && is_in(finder, folio, pfn, entry))
		return true;
	folio++;
	return folio < finder->space->row.nr_folios && is_in(finder, folio, pfn, entry);
}

/*
 * Find a page in the row's folios: first in the guess, then from the last folio
 * backwards, as new folios are last.
 */
static bool find_in_row(struct finder *finder, unsigned long pfn,
			struct ptebatch_entry *entry)
{
	s16 folio = finder->guess;

	if (folio != PTEBATCH_NO_FOLIO && is_in(finder, folio, pfn, entry))
		return true;
	if (!is_next(finder, pfn, entry))
		for (folio = finder->space->row.nr_folios; folio--;)
			if (is_in(finder, folio, pfn, entry))
				break;
	finder->last = entry->folio;
	return entry->folio != PTEBATCH_NO_FOLIO;
}

/* Find the page that an entry refers to. */
static void find_page(struct finder *finder, unsigned long pfn,
		      struct ptebatch_entry *entry)
{
	struct folio *folio = pfn_valid(pfn) ? pfn_folio(pfn) : NULL;

	if ((folio && folio == finder->foreign) || !find_in_row(finder, pfn, entry)) {
		finder->foreign = folio;
		entry->kind = PTEBATCH_FOREIGN;
	}
}

static void add_page(struct finder *finder, unsigned long pfn, bool huge,
		     struct ptebatch_entry *entry)
{
	struct folio *folio;
	struct page *page;

	find_page(finder, pfn, entry);
	if (entry->kind == PTEBATCH_FOREIGN || entry->flags & PTEBATCH_SPECIAL)
		return;
	page = &finder->space->folios[entry->folio]->page + entry->page;
	folio = page_folio(page);
	if (PageHWPoison(page))
		entry->flags |= PTEBATCH_POISONED;
	if (!folio_test_anon(folio))
		return;
	if (folio_test_ksm(folio))
		entry->flags |= PTEBATCH_KSM;
	/* A PMD-mapped folio has AnonExclusive on its first page only. */
	if (PageAnonExclusive(huge ? &folio->page : page))
		entry->flags |= PTEBATCH_EXCLUSIVE;
	if (!folio_test_swapbacked(folio))
		entry->flags |= PTEBATCH_LAZYFREE;
}

/* Find the page of a swap entry in the swap cache; other entries have no folio. */
static void find_swap(struct finder *finder, pte_t pte, struct ptebatch_entry *entry)
{
	swp_entry_t swap = softleaf_from_pte(pte);
	struct folio *folio = ptebatch_swap_cached(swap);

	if (!folio)
		return;
	find_in_row(finder, folio_pfn(folio) + ptebatch_swap_page(folio, swap), entry);
	folio_put(folio);
}

static void read_pte(struct finder *finder, pte_t pte, struct ptebatch_entry *entry)
{
	unsigned long pfn = ptebatch_pte_read(pte, entry);

	if (entry->flags & PTEBATCH_ZERO_PAGE)
		return;
	if (ptebatch_entry_present(entry) || ptebatch_entry_mapped(entry))
		add_page(finder, pfn, false, entry);
	else if (ptebatch_entry_has_page(entry))
		find_page(finder, pfn, entry);
	else if (entry->kind == PTEBATCH_SWAP)
		find_swap(finder, pte, entry);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static void read_pmd_nonpresent(struct finder *finder, pmd_t pmd,
				unsigned int page, struct ptebatch_entry *entry)
{
	softleaf_t leaf = softleaf_from_pmd(pmd);

	entry->kind = PTEBATCH_MIGRATION;
	entry->flags = (pmd_swp_soft_dirty(pmd) ? PTEBATCH_SOFT_DIRTY : 0) |
		       (pmd_swp_uffd(pmd) ? PTEBATCH_UFFD : 0);
	if (softleaf_is_device_private(leaf)) {
		entry->kind = PTEBATCH_DEVICE_PRIVATE;
		if (softleaf_is_device_private_write(leaf))
			entry->flags |= PTEBATCH_MIGRATION_WRITE;
		add_page(finder, softleaf_to_pfn(leaf) + page, true, entry);
		return;
	}
	if (softleaf_is_migration_write(leaf))
		entry->flags |= PTEBATCH_MIGRATION_WRITE;
	else if (softleaf_is_migration_read_exclusive(leaf))
		entry->flags |= PTEBATCH_EXCLUSIVE;
	find_page(finder, softleaf_to_pfn(leaf) + page, entry);
}

/* The pages of a folio that a PMD maps differ in PG_hwpoison only. */
static void read_next_page(struct finder *finder, struct ptebatch_entry *entry)
{
	*entry = entry[-1];
	entry->flags &= ~PTEBATCH_POISONED;
	entry->page++;
	if (PageHWPoison(&finder->space->folios[entry->folio]->page + entry->page))
		entry->flags |= PTEBATCH_POISONED;
}

static bool is_of_pmd(const struct finder *finder, const struct ptebatch_entry *entry)
{
	return ptebatch_entry_mapped(entry) && entry->folio != PTEBATCH_NO_FOLIO &&
	       finder->space->row.folios[entry->folio].order == PMD_ORDER;
}

static void read_pmd(struct finder *finder, pmd_t pmd, unsigned int page,
		     struct ptebatch_entry *entry)
{
	*entry = (struct ptebatch_entry) { .folio = PTEBATCH_NO_FOLIO };
	if (!pmd_present(pmd)) {
		read_pmd_nonpresent(finder, pmd, page, entry);
		return;
	}
	entry->kind = pmd_protnone(pmd) ? PTEBATCH_PROTNONE :
		      pmd_write(pmd) ? PTEBATCH_WRITABLE : PTEBATCH_READABLE;
	entry->flags = (pmd_dirty(pmd) ? PTEBATCH_DIRTY : 0) |
		       (pmd_young(pmd) ? PTEBATCH_YOUNG : 0) |
		       (pmd_soft_dirty(pmd) ? PTEBATCH_SOFT_DIRTY : 0) |
		       (pmd_uffd(pmd) ? PTEBATCH_UFFD : 0);
	/* Of the special PMDs, the suites map the huge zero page only. */
	if (pmd_special(pmd))
		entry->flags |= PTEBATCH_ZERO_PAGE;
	else
		add_page(finder, pmd_pfn(pmd) + page, true, entry);
}
#else
static void read_next_page(struct finder *finder, struct ptebatch_entry *entry)
{
}

static bool is_of_pmd(const struct finder *finder, const struct ptebatch_entry *entry)
{
	return false;
}

static void read_pmd(struct finder *finder, pmd_t pmd, unsigned int page,
		     struct ptebatch_entry *entry)
{
}
#endif

/* The entries of a page table; @ptep is %NULL if there is none: then all are @missing. */
static void read_entries(pte_t *raw, pte_t *ptep, pte_t missing)
{
	unsigned int i;

	if (ptep && PTEBATCH_BLOCK_ENTRIES == 1)
		memcpy(raw, ptep, PTRS_PER_PTE * sizeof(*raw));
	else if (!ptep && !pte_val(missing))
		memset(raw, 0, PTRS_PER_PTE * sizeof(*raw));
	else
		for (i = 0; i < PTRS_PER_PTE; i++)
			raw[i] = ptep ? ptebatch_bare_pte(ptep_get(ptep + i)) : missing;
}

static bool is_folded(pte_t pte)
{
	return PTEBATCH_BLOCK_ENTRIES > 1 && !pte_same(pte, ptebatch_bare_pte(pte));
}

/* How a snapshot reads page tables. */
enum {
	FIND = 1 << 0,		/* find the pages of the entries, too */
	UNLOCKED = 1 << 1,	/* without any lock, but for RCU */
};

static pmd_t read_pmd_entry(struct mm_struct *mm, pmd_t *pmd, unsigned int how)
{
	spinlock_t *ptl;	/* of the PMD */
	pmd_t pmdval;

	if (how & UNLOCKED)
		return pmdp_get_lockless(pmd);
	ptl = pmd_lock(mm, pmd);
	pmdval = pmdp_get(pmd);
	spin_unlock(ptl);
	return pmdval;
}

/* Read a page table; its first entry has index @at in the row, maybe < 0. */
static void read_table(struct ptebatch_snapshot *snapshot, unsigned int how,
		       const struct ptebatch_space *space,
		       struct mm_struct *mm, unsigned long addr, int at)
{
	struct finder finder = {
		.space = space, .unlocked = how & UNLOCKED, .last = PTEBATCH_NO_FOLIO,
	};
	struct ptebatch_row *row = &snapshot->row;
	pte_t *raw = snapshot->raw + snapshot->lead + at;
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	pte_t *ptep = NULL;
	bool huge = false;
	spinlock_t *ptl;	/* of the page table */
	pmd_t pmdval;
	int i, first;

	if (pmd) {
		pmdval = read_pmd_entry(mm, pmd, how);
		huge = pmd_trans_huge(pmdval) || pmd_is_valid_softleaf(pmdval);
	}
	if (pmd && !huge && !pmd_none(pmdval))
		ptep = how & UNLOCKED ? pte_offset_map(pmd, addr) :
					pte_offset_map_lock(mm, pmd, addr, &ptl);

	read_entries(raw, ptep, __pte(huge ? pmd_val(pmdval) : PTEBATCH_EMPTY));
	first = max(-at, 0);
	for (i = first, at += i; i < PTRS_PER_PTE && at < (int)row->nr; i++, at++) {
		if (huge)
			set_bit(at, snapshot->huge);
		else if (ptep && is_folded(ptebatch_raw_pte(ptep + i)))
			set_bit(at, snapshot->folded);
		if (!(how & FIND))
			continue;
		finder.guess = space->row.entries[at].folio;
		if (huge && i > first && is_of_pmd(&finder, &row->entries[at - 1]))
			read_next_page(&finder, &row->entries[at]);
		else if (huge)
			read_pmd(&finder, pmdval, i, &row->entries[at]);
		else
			read_pte(&finder, raw[i], &row->entries[at]);
	}
	if (ptep && !(how & UNLOCKED))
		spin_unlock(ptl);
	if (ptep)
		pte_unmap(ptep);
}

static void ignore_soft_dirty(struct ptebatch_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		row->entries[i].flags &= ~PTEBATCH_SOFT_DIRTY;
}

/* Read the nodes of the folios, if the picture names any node. */
static void read_nodes(struct ptebatch_row *row,
		       const struct ptebatch_space *space)
{
	bool has_nodes = false;
	unsigned int i;

	for (i = 0; i < row->nr_folios; i++)
		has_nodes |= !!row->folios[i].node;
	for (i = 0; i < row->nr_folios && has_nodes; i++)
		if (!ptebatch_folio_gone(space, i))
			row->folios[i].node = 1 + folio_nid(space->folios[i]);
}

/* Is entry @i the first of a page table that belongs to the row as a whole? */
static bool maps_whole_table(const struct ptebatch_row *row, unsigned int i)
{
	return ptebatch_row_begins_table(row, i) && i + PTRS_PER_PTE <= row->nr;
}

static void read_tables(struct ptebatch_snapshot *snapshot, unsigned int how,
			const struct ptebatch_space *space,
			const struct ptebatch_place *place)
{
	unsigned long addr = ALIGN_DOWN(place->start, PMD_SIZE) - PMD_SIZE;
	unsigned long end = ALIGN(place->start + space->row.nr * PAGE_SIZE,
				  PMD_SIZE) + PMD_SIZE;

	snapshot->row.nr = space->row.nr;
	snapshot->row.first = (place->start >> PAGE_SHIFT) % PTRS_PER_PTE;
	bitmap_zero(snapshot->huge, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(snapshot->folded, PTEBATCH_ROW_ENTRIES);
	snapshot->lead = (place->start - addr) >> PAGE_SHIFT;
	snapshot->nr = (end - addr) >> PAGE_SHIFT;

	if (!(how & UNLOCKED))
		mmap_read_lock(place->mm);
	for (; addr != end; addr += PMD_SIZE)
		read_table(snapshot, how, space, place->mm, addr,
			   (long)(addr - place->start) >> PAGE_SHIFT);
	if (!(how & UNLOCKED))
		mmap_read_unlock(place->mm);
}

/**
 * ptebatch_snapshot_clear() - make a snapshot of no entries
 * @snapshot: the snapshot; what is behind its last entry and its last folio stays
 */
void ptebatch_snapshot_clear(struct ptebatch_snapshot *snapshot)
{
	memset(&snapshot->row, 0, offsetof(struct ptebatch_row, folios));
	bitmap_zero(snapshot->row.vma_starts, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(snapshot->huge, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(snapshot->folded, PTEBATCH_ROW_ENTRIES);
	snapshot->lead = 0;
	snapshot->nr = 0;
}

/**
 * ptebatch_snapshot_raw() - read the page tables of a place, but not what they refer to
 * @snapshot: returns the entries; of @snapshot->row, only @first and @nr are set
 * @space: the address space
 * @place: the place to read
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 */
void ptebatch_snapshot_raw(struct ptebatch_snapshot *snapshot,
			   const struct ptebatch_space *space,
			   const struct ptebatch_place *place)
{
	read_tables(snapshot, 0, space, place);
}

static void read_all(struct ptebatch_snapshot *snapshot, unsigned int how,
		     const struct ptebatch_space *space, const struct ptebatch_place *place)
{
	struct ptebatch_row *row = &snapshot->row;
	unsigned int i;

	ptebatch_row_copy(row, &space->row);
	read_tables(snapshot, FIND | how, space, place);
	if (space->hides_table && place == &space->places[0])
		ptebatch_hide_table(row);
	if (!space->setup.track)
		ignore_soft_dirty(row);

	for (i = 0; i < row->nr_folios; i++) {
		row->folios[i].pmd = false;
		row->folios[i].split = !ptebatch_folio_intact(space, i) &&
				       !ptebatch_folio_gone(space, i);
	}
	read_nodes(row, space);
	row->huge_zero = 0;
	for_each_set_bit(i, snapshot->huge, row->nr)
		if (row->entries[i].folio != PTEBATCH_NO_FOLIO)
			row->folios[row->entries[i].folio].pmd = true;
		else if (maps_whole_table(row, i) &&
			 row->entries[i].flags & PTEBATCH_ZERO_PAGE)
			row->huge_zero |= BIT(ptebatch_row_table(row, i));
}

/**
 * ptebatch_snapshot() - read the page tables of a place
 * @snapshot: returns the entries
 * @space: the address space
 * @place: the place to read
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 */
void ptebatch_snapshot(struct ptebatch_snapshot *snapshot,
		       const struct ptebatch_space *space,
		       const struct ptebatch_place *place)
{
	read_all(snapshot, 0, space, place);
}

/**
 * ptebatch_snapshot_unlocked() - read the page tables of a place, for a look at them
 * @snapshot: returns the entries; if another task changes them meanwhile, some of them old,
 *            some new; a new folio at the place of one that was freed counts as that one
 * @space: the address space
 * @place: the place to read
 *
 * Context: Any, also with the mmap_lock and page table locks held. Upper page tables stay.
 */
void ptebatch_snapshot_unlocked(struct ptebatch_snapshot *snapshot,
				const struct ptebatch_space *space,
				const struct ptebatch_place *place)
{
	read_all(snapshot, UNLOCKED, space, place);
}
