// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "adopt.h"
#include "refs.h"
#include "snapshot.h"

/* Move folio @part to the new list as folio @nr, with the reference of the space. */
static void adopt_folio(const struct ptebatch_space *space,
			const struct ptebatch_part *part, struct ptebatch_space *new)
{
	struct ptebatch_row *row = &new->row;
	unsigned int nr = row->nr_folios++;

	new->folios[nr] = part->folio;
	new->index[nr] = part->folio->index;
	row->folios[nr] = (struct ptebatch_shape) {
		.order = folio_order(part->folio),
		.first = row->nr_pages,
	};
	set_bit(row->nr_pages, new->held);
	row->nr_pages += folio_nr_pages(part->folio);
	if (folio_test_anon(part->folio))
		return;
	set_bit(nr, new->cached);
	row->folios[nr].at = (long)(part->folio->index - space->pgoff);
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
static int adopt_entries(struct ptebatch_space *space)
{
	struct ptebatch_snapshot *now = kvmalloc_obj(*now);
	struct ptebatch_row *row = &space->row;
	unsigned int i;

	if (!now)
		return -ENOMEM;
	for (i = 0; i < row->nr; i++)
		row->entries[i] = (struct ptebatch_entry) { .folio = PTEBATCH_NO_FOLIO };
	ptebatch_snapshot(now, space, &space->places[0]);
	ptebatch_row_copy(row, &now->row);
	kvfree(now);
	adopt_vmas(space);
	/* A swap entry without a folio is a drawn one, which has no swap slot. */
	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_SWAP &&
		    row->entries[i].folio == PTEBATCH_NO_FOLIO)
			row->entries[i].kind = PTEBATCH_NONE;
	return 0;
}

/**
 * ptebatch_space_adopt() - continue with what an operation has left
 * @space: the address space, after ptebatch_space_reacquire_refs()
 *
 * The folios that the space references now, new folios and the parts of split ones
 * included, become the folios of the row, and the entries of the first place the
 * entries of the row, as if they had been drawn.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table locks.
 * Return: 0, -ENOMEM, or -ENOSPC if there are too many folios.
 */
int ptebatch_space_adopt(struct ptebatch_space *space)
{
	struct ptebatch_space *new = kvzalloc_obj(*new);
	struct ptebatch_part part = {};
	int err = -ENOMEM;

	if (!new)
		return err;
	new->held = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	if (!new->held)
		goto free;
	while (ptebatch_next_held(space, &part)) {
		err = -ENOSPC;
		if (new->row.nr_folios == ARRAY_SIZE(new->folios))
			goto free;
		adopt_folio(space, &part, new);
	}
	memcpy(space->folios, new->folios, sizeof(space->folios));
	memcpy(space->index, new->index, sizeof(space->index));
	memset(space->mapping, 0, sizeof(space->mapping));
	bitmap_copy(space->cached, new->cached, PTEBATCH_ROW_ENTRIES);
	swap(space->held, new->held);
	memcpy(space->row.folios, new->row.folios, sizeof(space->row.folios));
	space->row.nr_folios = new->row.nr_folios;
	space->row.nr_pages = new->row.nr_pages;
	space->adopted = true;
	err = adopt_entries(space);
free:
	bitmap_free(new->held);
	kvfree(new);
	return err;
}
