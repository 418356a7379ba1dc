// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "adopt.h"
#include "refs.h"
#include "snapshot.h"

/* List the folios that the space references; returns their number, or -ENOSPC. */
static int list_folios(const struct ptebatch_space *space, struct folio **folios)
{
	struct ptebatch_part part = {};
	unsigned int nr = 0;

	while (ptebatch_next_held(space, &part)) {
		if (nr == PTEBATCH_ROW_ENTRIES)
			return -ENOSPC;
		folios[nr++] = part.folio;
	}
	return nr;
}

/* Append a folio to those of the row, with the reference of the space. */
static void adopt_folio(struct ptebatch_space *space, struct folio *folio)
{
	struct ptebatch_row *row = &space->row;
	unsigned int nr = row->nr_folios++;
	bool anon = folio_test_anon(folio);

	space->folios[nr] = folio;
	space->index[nr] = folio->index;
	space->mapping[nr] = NULL;
	if (!anon)
		set_bit(nr, space->cached);
	row->folios[nr] = (struct ptebatch_shape) {
		.order = folio_order(folio),
		.first = row->nr_pages,
		.at = anon ? 0 : (long)(folio->index - space->pgoff),
	};
	set_bit(row->nr_pages, space->held);
	row->nr_pages += folio_nr_pages(folio);
}

/* Operations have split and merged VMAs. */
static void adopt_vmas(struct ptebatch_space *space)
{
	const struct ptebatch_place *place = &space->places[0];
	struct ptebatch_row *row = &space->row;
	unsigned long end = ptebatch_addr(space, row->nr);
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, place->mm, place->start);

	bitmap_zero(row->vma_starts, row->nr);
	mmap_read_lock(place->mm);
	for_each_vma_range(vmi, vma, end)
		if (vma->vm_start > place->start)
			__set_bit((vma->vm_start - place->start) / PAGE_SIZE, row->vma_starts);
	mmap_read_unlock(place->mm);
}

/* The entries of the first place become those of the row. */
static void adopt_entries(struct ptebatch_space *space, struct ptebatch_snapshot *now)
{
	struct ptebatch_row *row = &space->row;
	unsigned int i;

	adopt_vmas(space);
	for (i = 0; i < row->nr; i++)
		row->entries[i] = (struct ptebatch_entry) { .folio = PTEBATCH_NO_FOLIO };
	ptebatch_snapshot(now, space, &space->places[0]);
	ptebatch_row_copy(row, &now->row);
	/* A swap entry without a folio is a drawn one, which has no swap slot. */
	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_SWAP &&
		    row->entries[i].folio == PTEBATCH_NO_FOLIO)
			row->entries[i].kind = PTEBATCH_NONE;
}

/**
 * ptebatch_space_adopt() - continue with what an operation has left
 * @space: the address space, after ptebatch_space_reacquire_refs()
 * @now: set to a snapshot of the first place
 *
 * The folios that the space references now, new folios and the parts of split ones
 * included, become the folios of the row, and the entries of the first place the
 * entries of the row, as if they had been drawn.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table locks.
 * Return: 0, -ENOMEM, or -ENOSPC if there are too many folios.
 */
int ptebatch_space_adopt(struct ptebatch_space *space, struct ptebatch_snapshot *now)
{
	struct folio **folios = kvmalloc_objs(*folios, PTEBATCH_ROW_ENTRIES);
	int i, nr;

	if (!folios)
		return -ENOMEM;
	nr = list_folios(space, folios);
	if (nr >= 0) {
		bitmap_zero(space->held, space->row.nr_pages);
		bitmap_zero(space->cached, PTEBATCH_ROW_ENTRIES);
		space->row.nr_folios = 0;
		space->row.nr_pages = 0;
		for (i = 0; i < nr; i++)
			adopt_folio(space, folios[i]);
		space->adopted = true;
		adopt_entries(space, now);
	}
	kvfree(folios);
	return min(nr, 0);
}
