// SPDX-License-Identifier: GPL-2.0
/*
 * A hole in a file that begins or ends in a large folio splits the folio. If the
 * split fails, the folio is unmapped as a whole, so that faults beyond the end of
 * the file raise SIGBUS; a shmem folio keeps the mappings of the other pages:
 *
 *	hole from page 5 on, the folio has an additional reference
 *	file	{Wdy*16}  ->  {-*16}
 *	shmem	{Wdy*16}  ->  {Wdy*5 -*11}
 *
 * What was written outside the hole stays in the page cache, also if one of several splits
 * fails, and if the file has large blocks.
 *
 * fallocate() of shmem that fails removes what it has allocated, and nothing else.
 * A page of shmem that cannot be read from swap is counted until it is removed: then
 * the swap slots in use are as many as the file counts.
 */
#include <kunit/test.h>
#include <linux/blk_types.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/shmem_fs.h>

#include "../lib/inject/conditions.h"
#include "../lib/op/hole.h"
#include "../lib/run/case.h"
#include "../lib/service/swap.h"

#define RW	(PROT_READ | PROT_WRITE)

static void expect_rest_in_file(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		struct folio *folio;

		if (i >= PTEBATCH_HOLE_FROM(row->arg) && i < PTEBATCH_HOLE_TO(row->arg))
			continue;
		folio = filemap_get_folio(space->file->f_mapping, space->pgoff + i);
		if (IS_ERR(folio)) {
			KUNIT_FAIL(trial->test, "page %u, outside the hole, is gone", i);
			return;
		}
		folio_put(folio);
	}
}

/* A dirty page outside the hole stays. */
#define PUNCH(from, to)	\
	.op = &ptebatch_hole, .arg = PTEBATCH_HOLE(from, to), .check = expect_rest_in_file

/* Another task reads the pages behind the hole, after the first split. */
#define READ_MEANWHILE	RESULT_REFERENCED_OF("__filemap_get_folio_mpol", 1)

/* fallocate() of pages of a shmem file. */

static long allocate(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long from = PTEBATCH_HOLE_FROM(op->arg), to = PTEBATCH_HOLE_TO(op->arg);

	return vfs_fallocate(space->file, 0, (loff_t)(space->pgoff + from) << PAGE_SHIFT,
			     (loff_t)(to - from) << PAGE_SHIFT);
}

static const struct ptebatch_op allocate_op = {
	.name = "fallocate", .function = "vfs_fallocate()", .call = allocate, .no_twin = true,
};

/* As before a direct write. */
static long invalidate(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long from = PTEBATCH_HOLE_FROM(op->arg), to = PTEBATCH_HOLE_TO(op->arg);

	return invalidate_inode_pages2_range(space->file->f_mapping, space->pgoff + from,
					     space->pgoff + to - 1);
}

static const struct ptebatch_op invalidate_op = {
	.name = "invalidate", .function = "invalidate_inode_pages2_range()", .call = invalidate,
	.no_twin = true,
};

#define INVALIDATE(from, to)	.op = &invalidate_op, .arg = PTEBATCH_HOLE(from, to)

static void expect_row_allocated(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_space *space = trial->space;

	KUNIT_EXPECT_EQ_MSG(trial->test,
			    file_inode(space->file)->i_blocks >> (PAGE_SHIFT - SECTOR_SHIFT),
			    space->row.nr_pages, "allocated pages of the file");
}

static struct shmem_sb_info *shmem_mount(const struct ptebatch_use *use)
{
	return file_inode(use->trial->space->file)->i_sb->s_fs_info;
}

static void enable_large(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	use->word = shmem_mount(use)->huge;
	shmem_mount(use)->huge = 1;	/* SHMEM_HUGE_ALWAYS */
}

static void restore_large(struct ptebatch_use *use)
{
	shmem_mount(use)->huge = use->word;
}

static const struct ptebatch_condition_type large_folios = {
	.name = "shmem files get large folios", .occur = enable_large, .end = restore_large,
};

/* A signal that kills the task arrives while folio @nr is allocated, from 0 on. */
#define KILLED_AT_FOLIO(from, to, nr)						\
	.op = &allocate_op, .arg = PTEBATCH_HOLE(from, to), .ret = -EINTR,	\
	.check = expect_row_allocated,						\
	.with = { { .type = &large_folios }, KILLED_AT("shmem_add_to_page_cache", nr) }

/* Pages of shmem that cannot be read from swap. */

static void clear_uptodate(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_return_value(regs);

	if (!IS_ERR(folio))
		folio_clear_uptodate(folio);
}

static const struct ptebatch_condition_type read_error = {
	.name = "a read of swap fails", .occur = clear_uptodate, .at_return = true,
};

/* A fault of the first page of the hole, then the hole. */
static long fault_and_punch(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	long err = ptebatch_fault(space, PTEBATCH_HOLE_FROM(op->arg), 0);

	return ptebatch_hole.call(op, space, twin) ?: err;
}

static const struct ptebatch_op fault_and_punch_op = {
	.name = "fault, punch hole", .function = "a hole in the file", .call = fault_and_punch,
	.no_twin = true,
};

#define UNREADABLE_HOLE(from, to)						\
	.op = &fault_and_punch_op, .arg = PTEBATCH_HOLE(from, to), .ret = -EFAULT, \
	.with = { FILE_SWAPPED_OUT, { .type = &read_error, .function = "swapin_sync" } }

static void begin_blocks(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	struct address_space *mapping = use->trial->space->file->f_mapping;

	use->word = mapping->flags;
	mapping_set_folio_min_order(mapping, 2);
}

static void end_blocks(struct ptebatch_use *use)
{
	use->trial->space->file->f_mapping->flags = use->word;
}

static const struct ptebatch_condition_type large_blocks = {
	.name = "blocks of four pages", .occur = begin_blocks, .end = end_blocks,
};

static const struct ptebatch_case rows[] = {
	{ "whole 64K folio: unmapped",
	  { "{Ry*16} {Wdy*16}", PTEBATCH_FILE, RW }, "{-*16} {Wdy*16}", PUNCH(0, 16) },

	/* The split succeeds. */
	{ "last 11 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", PUNCH(5, 16) },
	{ "first 5 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", PUNCH(0, 5) },
	{ "pages 5 to 10 of a 64K shmem folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "(-*16)", PUNCH(5, 11) },
	{ "last 11 pages of a 64K folio, next to another: the other folio stays",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) {Wdy*16}",
	  PUNCH(5, 16) },
	{ "last 8 pages of a 64K folio, first 8 of the next one: both split and unmapped",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) (-*16)",
	  PUNCH(8, 24) },

	/* The split fails: additional references. */
	{ "last 11 pages of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{-*16}", PUNCH(5, 16) },
	{ "pages 5 to 10 of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{-*16}", PUNCH(5, 11) },
	{ "first 5 pages of a referenced 64K folio in two VMAs: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .twice = true }, "{-*16}", PUNCH(0, 5) },
	{ "last 11 pages of a referenced 64K folio, mlocked: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .vma = VM_LOCKED }, "{-*16}", PUNCH(5, 16) },
	{ "last 11 pages of a referenced 64K shmem folio: they are unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*5 -*11}", PUNCH(5, 16) },
	{ "half of a referenced, PMD-mapped folio: folio unmapped",
	  { "[Wdy]", PTEBATCH_FILE, RW }, "{-*T}",
	  PUNCH(PTRS_PER_PTE / 2, PTRS_PER_PTE) },

	{ "PMD-mapped shmem folio: removed",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "{-*T}", PUNCH(0, PTRS_PER_PTE) },
	{ "PMD-mapped file folio: removed",
	  { "[Wdy]", PTEBATCH_FILE, RW, .folios = ON_LRU }, "{-*T}", PUNCH(0, PTRS_PER_PTE) },

	/* One of several splits fails: what lies outside the hole stays. */
	{ "pages 5 to 10 of a 64K folio, split at their end fails: pages 11 to 15 stay",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", PUNCH(5, 11),
	  .with = { READ_MEANWHILE } },
	{ "from page 5 of a 64K folio in blocks of 16K on, and behind it: page 4 stays",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) {-*16}",
	  PUNCH(5, 32), .with = { { .type = &large_blocks } } },
	{ "to page 5 of a 64K folio in blocks of 16K: page 6 stays",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", PUNCH(0, 6),
	  .with = { { .type = &large_blocks } } },
	{ "last 8 pages of a 64K folio, first 5 of the next, its split fails: the rest stays",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) {-*16}",
	  PUNCH(8, 21), .with = { READ_MEANWHILE } },
	{ "PMD-mapped folio from page 100 on, and behind it, one split fails: pages 0 to 99 stay",
	  { "[Wdy] {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*T) {-*16}",
	  PUNCH(100, PTRS_PER_PTE + 16), .with = { NO_SLAB_AT("xas_try_split", 0) } },

	/* The folio leaves the page cache, but its data can be read again. */
	{ "first 4 pages of a 64K folio invalidated: unmapped",
	  { "{Ry*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "{-*16}", INVALIDATE(0, 4) },
	{ "first 4 pages of a 64K folio invalidated, guard page beside them: it stays",
	  { "{Ry*12 G Ry*3}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "{-*12 G -*3}",
	  INVALIDATE(0, 4) },

	/* fallocate() that fails. */
	{ "fallocate() from page 0 of a new folio on, killed: folio removed",
	  { "-*16 {Wdy*16}", PTEBATCH_SHMEM, RW }, NULL, KILLED_AT_FOLIO(0, 32, 0) },
	{ "fallocate() from page 8 of a new folio on, killed: folio removed",
	  { "-*16 {Wdy*16}", PTEBATCH_SHMEM, RW }, NULL, KILLED_AT_FOLIO(8, 32, 0) },
	{ "fallocate() from page 1 of a new folio on, killed: folio removed",
	  { "-*16 {Wdy*16}", PTEBATCH_SHMEM, RW }, NULL, KILLED_AT_FOLIO(1, 32, 0) },
	{ "fallocate() from page 8 of a present folio on, killed: only the new folio removed",
	  { "{Wdy*16} -*16", PTEBATCH_SHMEM, RW }, NULL, KILLED_AT_FOLIO(8, 64, 0) },
	{ "fallocate(), new folios before and behind a present one, killed: only they removed",
	  { "-*16 {Wdy*16} -*16", PTEBATCH_SHMEM, RW }, NULL, KILLED_AT_FOLIO(8, 80, 1) },

	/* Read errors of swap. */
	{ "small shmem folios in swap, read error of page 1, hole there: 3 counted in swap",
	  { "Wdy*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*4", UNREADABLE_HOLE(1, 2) },
	{ "small shmem folios in swap, read error of page 1, hole from there: 1 counted in swap",
	  { "Wdy*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*4", UNREADABLE_HOLE(1, 4) },
	{ "64K shmem folio in swap, read error, hole: none counted in swap",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16", UNREADABLE_HOLE(0, 16) },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void truncate_row(struct kunit *test)
{
	ptebatch_case_param(test);
}

static struct kunit_case truncate_cases[] = {
	KUNIT_CASE_PARAM(truncate_row, rows_gen_params),
	{}
};

PTEBATCH_SUITE(truncate, truncate_cases, PTEBATCH_SWAP_SPACE);
