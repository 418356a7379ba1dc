/* SPDX-License-Identifier: GPL-2.0 */
/*
 * References to the folios of a row. They prevent the kernel from splitting,
 * migrating or freeing the folios. For operations that do so, the references
 * are dropped and re-acquired, see reacquire.h.
 */
#ifndef PTEBATCH_REFS_H
#define PTEBATCH_REFS_H

#include "types.h"

/* Index of the folio's first page among all pages of the row's folios. */
static inline unsigned int
ptebatch_first_page(const struct ptebatch_space *space, s16 folio)
{
	return space->row.folios[folio].first;
}

/* Number of pages of the folio in the picture. */
static inline unsigned int
ptebatch_nr_pages(const struct ptebatch_space *space, s16 folio)
{
	return 1U << space->row.folios[folio].order;
}

int ptebatch_space_get_refs(struct ptebatch_space *space);
void ptebatch_space_drop_refs(struct ptebatch_space *space);
void ptebatch_space_put_refs(struct ptebatch_space *space);

struct folio *ptebatch_page_folio(const struct ptebatch_space *space, s16 folio,
				  unsigned int page);
struct folio *ptebatch_next_held(const struct ptebatch_space *space, s16 folio,
				 unsigned int *page);
bool ptebatch_folio_intact(const struct ptebatch_space *space, s16 folio);
bool ptebatch_folio_gone(const struct ptebatch_space *space, s16 folio);
bool ptebatch_folio_leaked(const struct ptebatch_space *space, s16 folio);

/**
 * ptebatch_for_each_part() - iterate over the folios that a folio of the row has become
 * @space: the address space
 * @i: index of the folio in the row
 * @page: unsigned int: index in that folio of the first page of @part
 * @part: the folio itself, or a part of it after a split; only those that are
 *        referenced
 */
#define ptebatch_for_each_part(space, i, page, part)				\
	for ((page) = 0; ((part) = ptebatch_next_held(space, i, &(page)));	\
	     (page) += folio_nr_pages(part))

/**
 * ptebatch_for_each_held() - iterate over all folios that a space references
 * @space: the address space
 * @i: unsigned int: index of the folio in the row
 * @page: unsigned int: index in that folio of the first page of @part
 * @part: the folio itself, or a part of it after a split
 */
#define ptebatch_for_each_held(space, i, page, part)				\
	for ((i) = 0; (i) < (space)->row.nr_folios; (i)++)			\
		ptebatch_for_each_part(space, i, page, part)

#endif /* PTEBATCH_REFS_H */
