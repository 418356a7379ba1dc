// SPDX-License-Identifier: GPL-2.0
#include "internal.h"
#include <swap_table.h>

#include "../service/swap.h"
#include "conditions.h"

static void swap_out(struct ptebatch_use *use, const unsigned long *args,
		     struct pt_regs *regs)
{
	struct ptebatch_trial *trial = use->trial;
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++)
		KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_swap_out(trial->space->folios[i]));
	bitmap_zero(trial->locked, PTEBATCH_ROW_ENTRIES);
}

const struct ptebatch_condition_type ptebatch_condition_swapped_out = {
	.name = "the folios are swapped out", .occur = swap_out,
};

static void fill_count(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	struct folio *folio = use->trial->space->folios[0];
	unsigned long page = use->condition->value;
	unsigned int nr = SWP_TB_COUNT_MAX - 1 - ptebatch_swap_count(folio, page);

	KUNIT_ASSERT_EQ(use->trial->test, 0, ptebatch_swap_dup(folio, page, nr));
	use->word = nr;
}

static void restore_count(struct ptebatch_use *use)
{
	ptebatch_swap_put(use->trial->space->folios[0], use->condition->value, use->word);
}

const struct ptebatch_condition_type ptebatch_condition_swap_count_full = {
	.name = "the swap count of a page needs an extend table to grow",
	.occur = fill_count, .end = restore_count,
};
