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

/**
 * struct ptebatch_part - a folio of the row, or a part of it after a split
 * @i: index of the folio in the row
 * @page: index in that folio of the first page of @folio
 * @folio: the folio that the page belongs to now
 */
struct ptebatch_part {
	unsigned int i;
	unsigned int page;
	struct folio *folio;
};

int ptebatch_space_get_refs(struct ptebatch_space *space);
void ptebatch_space_drop_refs(struct ptebatch_space *space);
void ptebatch_space_put_refs(struct ptebatch_space *space);

void ptebatch_unpin(struct ptebatch_space *space);
struct folio *ptebatch_page_folio(const struct ptebatch_space *space, s16 folio,
				  unsigned int page);
bool ptebatch_next_part(const struct ptebatch_space *space, struct ptebatch_part *part);
bool ptebatch_next_held(const struct ptebatch_space *space, struct ptebatch_part *part);
bool ptebatch_folio_intact(const struct ptebatch_space *space, s16 folio);
bool ptebatch_folio_gone(const struct ptebatch_space *space, s16 folio);
bool ptebatch_folio_leaked(const struct ptebatch_space *space, s16 folio);

#endif /* PTEBATCH_REFS_H */
