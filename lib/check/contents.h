/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents of the pages of a row: a pattern that identifies each page.
 */
#ifndef PTEBATCH_CONTENTS_H
#define PTEBATCH_CONTENTS_H

#include "trial.h"

u32 ptebatch_stamp(const struct ptebatch_row *row, s16 folio, unsigned int page);
void ptebatch_page_fill(const struct ptebatch_space *space, struct page *page, u32 stamp);
bool ptebatch_page_contains(const struct ptebatch_space *space, struct page *page,
			    u32 first, u32 stamp);
void ptebatch_pages_fill(const struct ptebatch_space *space);
void ptebatch_contents_fill(struct ptebatch_trial *trial);
bool ptebatch_contents_copied(const struct ptebatch_space *space,
			      const struct ptebatch_entry *entry, struct page *page);
int ptebatch_contents_read(const struct ptebatch_space *space);

#endif /* PTEBATCH_CONTENTS_H */
