/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How reclaim finds accessed folios: by the rmap, with MGLRU by a look-around
 * from there, and by walks of page tables.
 */
#ifndef PTEBATCH_REFERENCE_H
#define PTEBATCH_REFERENCE_H

#include "op.h"

extern const struct ptebatch_op ptebatch_referenced;
extern const struct ptebatch_op ptebatch_walk, ptebatch_walk_hot;

int ptebatch_folio_referenced(struct folio *folio, bool twin, bool is_locked,
			      vma_flags_t *vma_flags);
int ptebatch_reference(struct folio *folio);

#endif /* PTEBATCH_REFERENCE_H */
