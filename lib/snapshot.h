/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the page tables say at one moment, as a row and to the bit.
 */
#ifndef PTEBATCH_SNAPSHOT_H
#define PTEBATCH_SNAPSHOT_H

#include "space.h"

/* The row's page tables and one on each side. */
#define PTEBATCH_SNAPSHOT_ENTRIES	(PTEBATCH_ROW_ENTRIES + 2 * PTRS_PER_PTE)

/**
 * struct ptebatch_snapshot - the entries of a place
 * @row: the row's entries as they are now, with the flags of their pages
 * @huge: which of the row's entries a PMD maps
 * @raw: all entries of the page tables that the row lies in and of those on
 *       both sides, to the bit, 0 where there is no table
 * @lead: index of the row's first entry in @raw
 * @nr: number of entries in @raw
 */
struct ptebatch_snapshot {
	struct ptebatch_row row;
	DECLARE_BITMAP(huge, PTEBATCH_ROW_ENTRIES);
	unsigned int lead;
	unsigned int nr;
	pte_t raw[PTEBATCH_SNAPSHOT_ENTRIES];
};

void ptebatch_snapshot(struct ptebatch_snapshot *snapshot,
		       const struct ptebatch_space *space,
		       const struct ptebatch_place *place);
bool ptebatch_neighbours_same(const struct ptebatch_snapshot *before,
			      const struct ptebatch_snapshot *after,
			      struct seq_buf *out);

#endif /* PTEBATCH_SNAPSHOT_H */
