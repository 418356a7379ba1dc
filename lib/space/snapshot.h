/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page tables at one moment, as a row and as raw entries.
 */
#ifndef PTEBATCH_SNAPSHOT_H
#define PTEBATCH_SNAPSHOT_H

#include "types.h"

/* The row's page tables and one page table on each side. */
#define PTEBATCH_SNAPSHOT_ENTRIES	(PTEBATCH_ROW_ENTRIES + 2 * PTRS_PER_PTE)

/**
 * struct ptebatch_snapshot - the entries of a place
 * @row: the row's entries at the time of the snapshot, with their pages' flags
 * @huge: one bit per entry of the row, set if a PMD maps the entry
 * @folded: one bit per entry of the row, set if it is one of a contpte block
 * @lead: index of the row's first entry in @raw
 * @nr: number of entries in @raw
 * @raw: the entries of the row's page tables and of one page table on each
 *       side, bit by bit; empty where there is no page table
 */
struct ptebatch_snapshot {
	struct ptebatch_row row;
	DECLARE_BITMAP(huge, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(folded, PTEBATCH_ROW_ENTRIES);
	unsigned int lead;
	unsigned int nr;
	pte_t raw[PTEBATCH_SNAPSHOT_ENTRIES];
};

/* The operation does not see the entries of the row's first page table. */
static inline void ptebatch_hide_table(struct ptebatch_row *row)
{
	row->from = min_t(unsigned int, row->to, PTRS_PER_PTE - row->first);
}

void ptebatch_snapshot_clear(struct ptebatch_snapshot *snapshot);
void ptebatch_snapshot_raw(struct ptebatch_snapshot *snapshot,
			   const struct ptebatch_space *space,
			   const struct ptebatch_place *place);
void ptebatch_snapshot(struct ptebatch_snapshot *snapshot,
		       const struct ptebatch_space *space,
		       const struct ptebatch_place *place);
void ptebatch_snapshot_unlocked(struct ptebatch_snapshot *snapshot,
				const struct ptebatch_space *space,
				const struct ptebatch_place *place);

#endif /* PTEBATCH_SNAPSHOT_H */
