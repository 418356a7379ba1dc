// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>

#include "internal.h"
#include <swap_table.h>

#include "../op/advise.h"
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

static const char *large_swap_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_THP_SWAP) ? ptebatch_swap_missing() :
	       "no large folios in swap without CONFIG_THP_SWAP";
}

static void write_file(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	i_size_write(file_inode(space->file), MAX_LFS_FILESIZE);
	for (i = 0; i < space->row.nr_folios; i++)
		folio_mark_dirty(space->folios[i]);
}

const struct ptebatch_condition_type ptebatch_condition_file_written = {
	.name = "the file was written", .occur = write_file,
};

static void swap_file_out(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	const struct ptebatch_row *row = &space->row;
	struct address_space *file = space->file->f_mapping;
	struct kunit *test = use->trial->test;
	unsigned int i;

	write_file(use, args, regs);
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_do_madvise(space->places[0].mm, ptebatch_addr(space, 0),
					    row->nr * PAGE_SIZE, MADV_PAGEOUT));
	KUNIT_ASSERT_EQ_MSG(test, SHMEM_I(file->host)->swapped, row->nr_pages,
			    "pages of the file in swap");
	for (i = 0; i < row->nr_folios; i++)
		KUNIT_ASSERT_EQ_MSG(test, xa_get_order(&file->i_pages,
						       space->pgoff + row->folios[i].at),
				    row->folios[i].order, "order of the swap entry of folio %u",
				    i);
}

const struct ptebatch_condition_type ptebatch_condition_file_swapped_out = {
	.name = "the folios of the file are swapped out", .missing = large_swap_missing,
	.occur = swap_file_out,
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
