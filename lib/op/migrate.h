/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Isolation from the LRU lists, the page table side of migration, and the split of a folio.
 */
#ifndef PTEBATCH_MIGRATE_H
#define PTEBATCH_MIGRATE_H

#include "op.h"

bool ptebatch_isolate(struct folio *folio);

/* The first folio of the row: to migration entries, and back from them. */
extern const struct ptebatch_op ptebatch_migrate, ptebatch_migrated;

/*
 * All folios of the row, with the flags of enum ttu_flags in @arg: to migration entries,
 * which leaves the folios locked; and back from them at once.
 */
extern const struct ptebatch_op ptebatch_migrate_all, ptebatch_migrate_and_back;

/*
 * migrate_pages() of all folios of the row, which are on the LRU lists; returns the
 * number of folios that failed to move.
 */
extern const struct ptebatch_op ptebatch_move_folios;

/* The folio of the first entry of the range, which the space holds no reference to. */
extern const struct ptebatch_op ptebatch_split;

#endif /* PTEBATCH_MIGRATE_H */
