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

#include "../lib/op/hole.h"
#include "../lib/run/case.h"
#include "../lib/service/service.h"

#define RW	(PROT_READ | PROT_WRITE)

#define HOLE(from, to)	.op = &ptebatch_hole, .arg = PTEBATCH_HOLE(from, to)

static const struct ptebatch_case rows[] = {
	{ "whole 64K folio: unmapped",
	  { "{Ry*16} {Wdy*16}", PTEBATCH_FILE, RW }, "{-*16} {Wdy*16}", HOLE(0, 16) },

	/* The split succeeds. */
	{ "last 11 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", HOLE(5, 16) },
	{ "first 5 pages of a 64K folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16)", HOLE(0, 5) },
	{ "pages 5 to 10 of a 64K shmem folio: folio split and unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "(-*16)", HOLE(5, 11) },
	{ "last 11 pages of a 64K folio, next to another: the other folio stays",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) {Wdy*16}",
	  HOLE(5, 16) },
	{ "last 8 pages of a 64K folio, first 8 of the next one: both split and unmapped",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW, .folios = ON_LRU }, "(-*16) (-*16)",
	  HOLE(8, 24) },

	/* The split fails: additional references. */
	{ "last 11 pages of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{-*16}", HOLE(5, 16) },
	{ "pages 5 to 10 of a referenced 64K folio: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{-*16}", HOLE(5, 11) },
	{ "first 5 pages of a referenced 64K folio in two VMAs: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .twice = true }, "{-*16}", HOLE(0, 5) },
	{ "last 11 pages of a referenced 64K folio, mlocked: folio unmapped",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .vma = VM_LOCKED }, "{-*16}", HOLE(5, 16) },
	{ "last 11 pages of a referenced 64K shmem folio: they are unmapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*5 -*11}", HOLE(5, 16) },
	{ "half of a referenced, PMD-mapped folio: folio unmapped",
	  { "[Wdy]", PTEBATCH_FILE, RW }, "{-*T}",
	  HOLE(PTRS_PER_PTE / 2, PTRS_PER_PTE) },
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

PTEBATCH_SUITE(truncate, truncate_cases);
