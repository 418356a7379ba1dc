// SPDX-License-Identifier: GPL-2.0
#include "../arch/arch.h"
#include "checks.h"

/*
 * __split_huge_pmd_locked() drops the NUMA hint of the PMD; zero pages become accessed
 * by the permissions of the VMA.
 */
static bool same_but_split(const struct ptebatch_trial *trial, int i)
{
	struct ptebatch_entry was = trial->before.row.entries[i];
	const struct ptebatch_entry *is = &trial->after.row.entries[i];

	if (trial->space->setup.prot && was.kind == PTEBATCH_PROTNONE &&
	    is->kind == PTEBATCH_READABLE)
		was.kind = PTEBATCH_READABLE;
	if (was.flags & PTEBATCH_ZERO_PAGE && !test_bit(i, trial->after.huge))
		was.flags |= is->flags & PTEBATCH_YOUNG;
	return !memcmp(&was, is, sizeof(was));
}

/*
 * Is entry @i of the row unchanged? A PMD that was split is unchanged if each
 * PTE maps the same page with the same flags.
 */
static bool same_entry(const struct ptebatch_trial *trial, int i)
{
	const struct ptebatch_snapshot *before = &trial->before, *after = &trial->after;
	const struct ptebatch_row *row = &before->row;

	if (i >= 0 && i < row->nr && test_bit(i, before->huge))
		return same_but_split(trial, i);
	return pte_same(before->raw[before->lead + i],
			after->raw[after->lead + i]);
}

/* Does a contpte block contain entry @i and an entry of the range? */
static bool in_block_of_range(const struct ptebatch_row *row, int i)
{
	int block = round_down((int)row->first + i, PTEBATCH_BLOCK_ENTRIES) -
		    (int)row->first;

	return PTEBATCH_BLOCK_ENTRIES > 1 && block < (int)row->to &&
	       block + PTEBATCH_BLOCK_ENTRIES > (int)row->from;
}

/* Does @after differ from @before only by accessed or dirty bits gained? */
static bool only_gained_bits(pte_t before, pte_t after)
{
	if (!pte_present(before) || !pte_present(after))
		return false;
	return pte_same(pte_mkold(pte_mkclean(before)),
			pte_mkold(pte_mkclean(after))) &&
	       (pte_dirty(after) || !pte_dirty(before)) &&
	       (pte_young(after) || !pte_young(before));
}

/* Are all entries unchanged, bit by bit? Most calls leave the neighbours so. */
static bool same_raw(const struct ptebatch_snapshot *before,
		     const struct ptebatch_snapshot *after, int from, int to)
{
	return from >= to || !memcmp(before->raw + before->lead + from,
				     after->raw + after->lead + from,
				     (to - from) * sizeof(before->raw[0]));
}

/* No entry outside the range has changed. */
static void check_neighbours(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *before = &trial->before;
	const struct ptebatch_snapshot *after = &trial->after;
	const struct ptebatch_row *row = &before->row;
	int first = -(int)before->lead;
	int i;

	if (bitmap_empty(before->huge, row->nr) &&
	    same_raw(before, after, first, min((int)row->from, (int)before->nr + first)) &&
	    same_raw(before, after, row->to, (int)before->nr + first))
		return;
	for (i = first; i < (int)before->nr + first; i++) {
		if (i >= (int)row->from && i < (int)row->to)
			continue;
		if (same_entry(trial, i))
			continue;
		if (in_block_of_range(row, i) &&
		    only_gained_bits(before->raw[before->lead + i],
				     after->raw[after->lead + i]))
			continue;
		if (i >= 0 && i < row->nr)
			set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %d, outside the range: expected %#llx, found %#llx\n",
			       i, (u64)pte_val(before->raw[before->lead + i]),
			       (u64)pte_val(after->raw[after->lead + i]));
	}
}

const struct ptebatch_check ptebatch_check_neighbours = {
	.rule = PTEBATCH_RULE_NEIGHBOURS, .name = "neighbours", .check = check_neighbours,
};
