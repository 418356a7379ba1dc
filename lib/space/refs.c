// SPDX-License-Identifier: GPL-2.0
/*
 * A split replaces a large folio by small folios, so references are tracked by
 * page: space->held has a bit set for the first page of each referenced folio.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "folio.h"
#include "refs.h"

/**
 * ptebatch_space_get_refs() - allocate the folios of the row
 * @space: the address space
 *
 * The caller calls ptebatch_space_put_refs(), also after a failure.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM, or an error of ptebatch_folios_alloc().
 */
int ptebatch_space_get_refs(struct ptebatch_space *space)
{
	unsigned int i;
	int err;

	space->held = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	if (!space->held)
		return -ENOMEM;
	err = ptebatch_folios_alloc(space->folios, &space->row, space->setup.folios & COHERENT);
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++)
		set_bit(ptebatch_first_page(space, i), space->held);
	return err;
}

/**
 * ptebatch_unpin() - unpin the page that is pinned, if any
 * @space: the address space
 *
 * Context: Process context, may sleep.
 */
void ptebatch_unpin(struct ptebatch_space *space)
{
	if (space->pinned)
		unpin_user_page(space->pinned);
	space->pinned = NULL;
}

/**
 * ptebatch_page_folio() - get the folio that a page belongs to now
 * @space: the address space
 * @folio: index of the page's folio in the row
 * @page: index of the page in the row's folio
 *
 * Return: the folio, %NULL if the space holds no reference to it.
 */
struct folio *ptebatch_page_folio(const struct ptebatch_space *space, s16 folio,
				  unsigned int page)
{
	if (ptebatch_folio_intact(space, folio))
		return space->folios[folio];
	if (!test_bit(ptebatch_first_page(space, folio) + page, space->held))
		return NULL;
	return page_folio(&space->folios[folio]->page + page);
}

/**
 * ptebatch_next_part() - get the next folio that pages of one folio belong to now
 * @space: the address space
 * @part: the last one; to begin with, only @part->i is set, to the folio's index
 *
 * Return: true if @part is the next folio that the space references, false after the
 * last.
 */
bool ptebatch_next_part(const struct ptebatch_space *space, struct ptebatch_part *part)
{
	unsigned int first = ptebatch_first_page(space, part->i);
	unsigned int end = first + ptebatch_nr_pages(space, part->i);
	unsigned int page = part->folio ? part->page + folio_nr_pages(part->folio) : 0;

	page = find_next_bit(space->held, end, first + page) - first;
	part->page = page;
	part->folio = page < end - first ? page_folio(&space->folios[part->i]->page + page) : NULL;
	return part->folio;
}

/**
 * ptebatch_next_held() - get the next folio that a space references
 * @space: the address space
 * @part: the last one, zeroed to begin with
 *
 * Return: true if @part is the next folio, false after the last.
 */
bool ptebatch_next_held(const struct ptebatch_space *space, struct ptebatch_part *part)
{
	unsigned int page = 0;

	if (part->folio)
		page = ptebatch_first_page(space, part->i) + part->page +
		       folio_nr_pages(part->folio);
	page = find_next_bit(space->held, space->row.nr_pages, page);
	if (page >= space->row.nr_pages)
		return false;
	while (page >= ptebatch_first_page(space, part->i) + ptebatch_nr_pages(space, part->i))
		part->i++;
	part->page = page - ptebatch_first_page(space, part->i);
	part->folio = page_folio(&space->folios[part->i]->page + part->page);
	return true;
}

/**
 * ptebatch_folio_intact() - test whether a folio is referenced and not split
 * @space: the address space
 * @folio: index of the folio in the row
 *
 * Return: true if the space holds a reference and the folio was not split.
 */
bool ptebatch_folio_intact(const struct ptebatch_space *space, s16 folio)
{
	return test_bit(ptebatch_first_page(space, folio), space->held) &&
	       folio_nr_pages(space->folios[folio]) == ptebatch_nr_pages(space, folio);
}

/**
 * ptebatch_folio_gone() - test whether no page of a folio is referenced
 * @space: the address space
 * @folio: index of the folio in the row
 *
 * Return: true if the space holds no reference to any page of the folio.
 */
bool ptebatch_folio_gone(const struct ptebatch_space *space, s16 folio)
{
	unsigned int first = ptebatch_first_page(space, folio);
	unsigned int end = first + ptebatch_nr_pages(space, folio);

	return find_next_bit(space->held, end, first) == end;
}

/**
 * ptebatch_folio_leaked() - test whether a folio was lost instead of freed
 * @space: the address space, after ptebatch_space_reacquire_refs()
 * @folio: index of the folio in the row; only anonymous folios can be found
 *
 * Freeing a folio clears its mapping. A folio that keeps mapping and index has
 * not been freed.
 *
 * Return: true if the space holds no reference, but the folio has references.
 */
bool ptebatch_folio_leaked(const struct ptebatch_space *space, s16 folio)
{
	struct folio *old = space->folios[folio];

	return ptebatch_folio_gone(space, folio) && space->mapping[folio] &&
	       READ_ONCE(old->mapping) == space->mapping[folio] &&
	       READ_ONCE(old->index) == space->index[folio] &&
	       folio_ref_count(old);
}

/**
 * ptebatch_space_drop_refs() - drop the references to the folios
 * @space: the address space
 *
 * Page tables, page cache and swap cache keep their references. The space keeps
 * its references to locked or split folios.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_space_drop_refs(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (folio_test_locked(folio) || !ptebatch_folio_intact(space, i))
			continue;
		space->index[i] = folio->index;
		if (folio_test_anon(folio))
			space->mapping[i] = folio->mapping;
		clear_bit(ptebatch_first_page(space, i), space->held);
		folio_put(folio);
	}
}

/**
 * ptebatch_space_put_refs() - drop all references at teardown
 * @space: the address space; its folios are no longer mapped
 *
 * Context: Process context, may sleep.
 */
void ptebatch_space_put_refs(struct ptebatch_space *space)
{
	unsigned int i, page;

	for (i = 0; space->held && i < space->row.nr_folios; i++) {
		struct page *first = &space->folios[i]->page;

		/* From the end, so that no page of a freed folio is read. */
		for (page = ptebatch_nr_pages(space, i); page--;)
			if (test_and_clear_bit(ptebatch_first_page(space, i) + page,
					       space->held))
				folio_put(page_folio(first + page));
	}
	bitmap_free(space->held);
}
