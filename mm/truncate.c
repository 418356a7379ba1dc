// SPDX-License-Identifier: GPL-2.0
/*
 * A hole in a file that begins or ends in a large folio splits the folio. If the
 * split fails, the folio is unmapped as a whole, so that faults beyond the end of
 * the file raise SIGBUS; a shmem folio keeps the mappings of the other pages:
 *
 *	hole from page 5 on, the folio has an additional reference
 *	file	{Wdy*16}  ->  {-*16}
 *	shmem	{Wdy*16}  ->  {Wdy*5 -*11}
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>

#include "../lib/run/rows.h"

#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct truncate_row - a hole in a file
 * @name: name of the case
 * @setup: address space before the call; without @setup.lru, the references of
 *         the space prevent splits
 * @from: first entry in the hole
 * @to: first entry behind the hole
 * @after: expected row
 */
struct truncate_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned int from, to;
	const char *after;
};

/* From entry @op->arg on, @op->new_pages pages. */
static long punch(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	struct inode *inode = file_inode(space->file);
	struct vm_area_struct *vma;
	loff_t start, bytes;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, space->places[0].start);
	start = (loff_t)linear_page_index(vma, ptebatch_addr(space, op->arg)) << PAGE_SHIFT;
	mmap_read_unlock(mm);
	bytes = (loff_t)op->new_pages << PAGE_SHIFT;
	inode_lock(inode);
	if (shmem_mapping(inode->i_mapping)) {
		/* As shmem_fallocate() does. */
		unmap_mapping_range(inode->i_mapping, start, bytes, 0);
		shmem_truncate_range(inode, start, start + bytes - 1);
	} else {
		truncate_pagecache_range(inode, start, start + bytes - 1);
	}
	inode_unlock(inode);
	return 0;
}

static const struct truncate_row rows[] = {
	{ "whole 64K folio: unmapped",
	  { "{Ry*16} {Wdy*16}", PTEBATCH_FILE, RW }, 0, 16, "{-*16} {Wdy*16}" },

	/* The split succeeds. */
	{ "last 11 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .lru = true }, 5, 16, "(-*16)" },
	{ "first 5 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .lru = true }, 0, 5, "(-*16)" },
	{ "pages 5 to 10 of a 64K shmem folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .lru = true }, 5, 11, "(-*16)" },
	{ "last 11 pages of a 64K folio, next to another: the other folio stays",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .lru = true }, 5, 16,
	  "(-*16) {Wdy*16}" },
	{ "last 8 pages of a 64K folio, first 8 of the next one: both split and unmapped",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .lru = true }, 8, 24,
	  "(-*16) (-*16)" },

	/* The split fails: additional references. */
	{ "last 11 pages of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, 5, 16, "{-*16}" },
	{ "pages 5 to 10 of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, 5, 11, "{-*16}" },
	{ "first 5 pages of a referenced 64K folio in two VMAs: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .twice = true }, 0, 5, "{-*16}" },
	{ "last 11 pages of a referenced 64K folio, mlocked: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .mlocked = true }, 5, 16, "{-*16}" },
	{ "last 11 pages of a referenced 64K shmem folio: they are unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, 5, 16, "{Wdy*5 -*11}" },
	{ "half of a referenced, PMD-mapped folio: folio unmapped",
	  { "[Wdy]", PTEBATCH_FILE, RW }, PTRS_PER_PTE / 2, PTRS_PER_PTE, "{-*T}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void truncate_row(struct kunit *test)
{
	const struct truncate_row *row = test->param_value;
	const struct ptebatch_op op = {
		.name = "punch a hole", .call = punch, .no_twin = true,
		.function = row->setup.mapping == PTEBATCH_SHMEM ?
			    "shmem_truncate_range()" : "truncate_pagecache_range()",
		.arg = row->from, .new_pages = row->to - row->from,
	};
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .after = row->after,
	};

	ptebatch_row_run(test, &run);
}

static struct kunit_case truncate_cases[] = {
	KUNIT_CASE_PARAM(truncate_row, rows_gen_params),
	{}
};

static struct kunit_suite truncate_suite = {
	.name = "ptebatch_truncate",
	.test_cases = truncate_cases,
};

kunit_test_suite(truncate_suite);
