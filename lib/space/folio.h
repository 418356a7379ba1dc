/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocate the folios of a row, physically adjacent where the row says so.
 */
#ifndef PTEBATCH_FOLIO_H
#define PTEBATCH_FOLIO_H

#include <linux/mm_types.h>

#include "../row/row.h"

int ptebatch_folios_alloc(struct folio **folios, const struct ptebatch_row *row,
			  bool coherent);
void ptebatch_folio_add_anon_rmap(struct folio *folio,
				  struct vm_area_struct *vma,
				  unsigned long addr, bool pmd);
void ptebatch_folio_pin(struct folio *folio, int pins);
void ptebatch_folio_poison(struct folio *folio, unsigned int page);
void ptebatch_folio_unpoison(struct folio *folio, unsigned int page);
int ptebatch_folio_cache(struct folio *folio, struct file *file, pgoff_t index);

#endif /* PTEBATCH_FOLIO_H */
