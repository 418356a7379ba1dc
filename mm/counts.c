// SPDX-License-Identifier: GPL-2.0
/*
 * Rule 28 (cost): a row gives how often an operation may read page table entries,
 * search for the end of a batch, call a function that changes entries, and flush
 * the TLB. The twins count, with the batches of the kernel's source, see
 * lib/twin/counts.h.
 *
 * A batch of n entries takes n reads at most (on arm64 one of each contpte block),
 * one change, and no flush of its own. A contpte block that is unfolded takes one
 * flush.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/arch/arch.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/advise.h"
#include "../lib/op/mempolicy.h"
#include "../lib/op/op.h"
#include "../lib/op/protect.h"
#include "../lib/run/rows.h"
#include "../lib/twin/counts.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define TO_READABLE	(&ptebatch_protections[PTEBATCH_TO_READABLE])
#define TO_WRITABLE	(&ptebatch_protections[PTEBATCH_TO_WRITABLE])
#define TO_NONE		(&ptebatch_protections[PTEBATCH_TO_NONE])

/**
 * struct cost - maximum cost of an operation
 * @reads: reads of entries
 * @searches: searches for the end of a batch
 * @updates: calls of functions that change entries
 * @flushes: TLB flushes; not counted on UML
 */
struct cost {
	unsigned int reads, searches, updates, flushes;
};

/**
 * struct counts_row - an operation and its maximum cost
 * @name: name of the case
 * @op: the operation
 * @setup: address space before the operation
 * @most: maximum cost
 * @contpte: maximum cost if contpte blocks of 16 entries map the folios; the
 *           same as @most if there are no reads
 * @unbatched: 7.3 does not search for a batch, but mm/series/unmap does
 */
struct counts_row {
	const char *name;
	const struct ptebatch_op *op;
	struct ptebatch_setup setup;
	struct cost most, contpte;
	bool unbatched;
};

/* A 64K folio. */
#define EVERY_OTHER_SHARED	"{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}"
#define SOME_READ_ONLY	"{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx*8}"

static const struct counts_row rows[] = {
	/* mprotect() */
	{ "mprotect() of a 64K folio to read-only: one batch",
	  TO_READABLE, { "{Wdyx*16}", .prot = RW },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ "mprotect() of a 64K folio to no access: one batch",
	  TO_NONE, { "{Wdyx*16}", .prot = RW },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ "mprotect() of a 64K folio to writable: one batch",
	  TO_WRITABLE, { "{Rdyx*16}", .prot = RO },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ "mprotect() of a 64K folio to writable, second half shared: one batch, 2 sub-batches",
	  TO_WRITABLE, { "{Rdyx*8 Rdy*8}", .prot = RO },
	  { 16, 1, 3, 1 }, { 1, 1, 3, 1 } },
	{ "mprotect() of a 64K folio to writable, every other page shared: 16 sub-batches",
	  TO_WRITABLE, { EVERY_OTHER_SHARED, .prot = RO },
	  { 16, 1, 17, 1 }, { 1, 1, 17, 1 } },
	{ "mprotect() of half a 64K folio to read-only: one batch",
	  TO_READABLE, { "{| Wdyx*8 | Wdyx*8}", .prot = RW },
	  { 8, 1, 2, 1 }, { 1, 1, 2, 2 } },
	{ "mprotect() of two 64K folios to read-only: two batches",
	  TO_READABLE, { "{Wdyx*16} {Wdyx*16}", .prot = RW },
	  { 32, 2, 4, 1 }, { 2, 2, 4, 1 } },
	{ "mprotect() of 16 small folios to read-only: 16 PTEs",
	  TO_READABLE, { "Wdyx*16", .prot = RW },
	  { 16, 0, 32, 1 } },
	{ "mprotect() of a 64K shmem folio to read-only: one batch",
	  TO_READABLE, { "{Wdy*16}", PTEBATCH_SHMEM, RW },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ "uffd-wp protection of a 64K folio: one batch",
	  &ptebatch_protections[PTEBATCH_UFFD_WP],
	  { "{Wdyx*16}", .prot = RW, .uffd_wp = true },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ "NUMA hint on a 64K folio: one batch",
	  &ptebatch_protections[PTEBATCH_NUMA_HINT], { "{Wdyx*16}", .prot = RW },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },

	/* Zapping */
	{ "zap of a 64K folio: one batch",
	  &ptebatch_zap, { "{Wdyx*16}", .prot = RW },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "zap of a 64K file folio: one batch",
	  &ptebatch_zap, { "{Wdy*16}", PTEBATCH_FILE, RW },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "zap of half a 64K folio: one batch",
	  &ptebatch_zap, { "{| Wdyx*8 | Wdyx*8}", .prot = RW },
	  { 8, 1, 1, 1 }, { 1, 1, 1, 2 } },
	{ "zap of a 64K shmem folio with uffd-wp: one batch, and a marker for each PTE",
	  &ptebatch_zap, { "{Ryu*16}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  { 17, 1, 17, 1 }, { 2, 1, 17, 1 } },
	{ "zap of 16 swap entries: one batch",
	  &ptebatch_zap, { "{Sx*16}", .prot = RW, .swap = true },
	  { 17, 1, 1, 0 } },

	/* try_to_unmap() */
	{ "try_to_unmap() of a 64K file folio: one batch, one flush",
	  &ptebatch_unmap, { "{Wdy*16}", PTEBATCH_FILE, RW },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "try_to_unmap() of a 64K shmem folio in a uffd-wp VMA: one batch, one flush",
	  &ptebatch_unmap, { "{Wdy*16}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "try_to_unmap() of a 64K shmem folio with uffd-wp: one batch, one flush, and 16 markers",
	  &ptebatch_unmap, { "{Ryu*16}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "try_to_unmap() of a 64K lazyfree folio: one batch, one flush",
	  &ptebatch_unmap, { "{Wyx*16}", .prot = RW, .lazyfree = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "try_to_unmap() of a 64K lazyfree folio in a uffd-wp VMA: one batch, one flush",
	  &ptebatch_unmap, { "{Wyx*16}", .prot = RW, .lazyfree = true, .uffd_wp = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "try_to_unmap() of a 64K swap-backed folio: 16 PTEs, 16 flushes",
	  &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	  { 16, 1, 32, 16 }, { 16, 1, 32, 17 }, .unbatched = true },

	/* madvise() */
	{ "MADV_FREE of a 64K folio: one batch",
	  &ptebatch_advices[PTEBATCH_FREE], { "{Wdyx*16}", .prot = RW, .lru = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ "MADV_FREE of 16 swap entries: one batch",
	  &ptebatch_advices[PTEBATCH_FREE], { "{Sx*16}", .prot = RW, .swap = true },
	  { 16, 1, 1, 0 } },
	{ "MADV_COLD of a 64K folio: one batch",
	  &ptebatch_advices[PTEBATCH_COLD], { "{Wdyx*16}", .prot = RW, .lru = true },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },

	/* fork() and mremap() */
	{ "fork() with a 64K folio: one batch",
	  &ptebatch_copy, { "{Wdyx*16}", .prot = RW },
	  { PTRS_PER_PTE, 1, 2, 2 }, { PTRS_PER_PTE - 15, 1, 2, 2 } },
	{ "fork() with a 64K folio, 4 of 16 PTEs read-only: one batch",
	  &ptebatch_copy, { SOME_READ_ONLY, .prot = RW },
	  { PTRS_PER_PTE, 1, 2, 2 } },
	{ "mremap() of a 64K folio: one batch with contpte, otherwise 16 PTEs",
	  &ptebatch_move, { "{Wdyx*16}", .prot = RW },
	  { 32, 0, 32, 1 }, { 2, 1, 2, 1 } },
	{ "mremap() of a 16K folio, which is no contpte block: 4 PTEs, no search",
	  &ptebatch_move, { "{Wdyx*4}", .prot = RW },
	  { 8, 0, 8, 1 } },
	{ "mremap() of 16 small folios: 16 PTEs",
	  &ptebatch_move, { "Wdyx*16", .prot = RW },
	  { 32, 0, 32, 1 } },

	/* One page needs no search. */
	{ "zap of one page of a 64K folio: no search",
	  &ptebatch_zap, { "{| Wdyx | Wdyx*15}", .prot = RW },
	  { 1, 0, 1, 1 }, { 1, 0, 1, 2 } },
	{ "zap of two pages of a 64K folio: one batch",
	  &ptebatch_zap, { "{| Wdyx*2 | Wdyx*14}", .prot = RW },
	  { 2, 1, 1, 1 }, { 1, 1, 1, 2 } },
	{ "fork() with one page of a 64K folio in the page table: no search",
	  &ptebatch_copy, { "@-1 {Wdyx*16}", .prot = RW },
	  { 2 * PTRS_PER_PTE, 1, 4, 2 } },
	{ "fork() with two pages of a 64K folio in the page table: one batch",
	  &ptebatch_copy, { "@-2 {Wdyx*16}", .prot = RW },
	  { 2 * PTRS_PER_PTE, 2, 4, 2 } },
	{ "mremap() of one page of a 64K folio: no search",
	  &ptebatch_move, { "{| Wdyx | Wdyx*15}", .prot = RW },
	  { 2, 0, 2, 1 }, { 2, 0, 2, 2 } },
	{ "mremap() of two pages of a 64K folio: one batch with contpte, otherwise 2 PTEs",
	  &ptebatch_move, { "{| Wdyx*2 | Wdyx*14}", .prot = RW },
	  { 4, 0, 4, 1 }, { 2, 1, 2, 2 } },
	{ "migrate_pages() of a 64K folio on the right node: one batch",
	  &ptebatch_migrate_pages, { "1{Wdyx*16}", .prot = RW, .lru = true },
	  { PTRS_PER_PTE, 1, 0, 0 }, { PTRS_PER_PTE - 15, 1, 0, 0 } },
	{ "migrate_pages() with one page of a 64K folio in the page table: no search",
	  &ptebatch_migrate_pages, { "@-1 1{Wdyx*16}", .prot = RW, .lru = true },
	  { 2 * PTRS_PER_PTE, 1, 0, 0 } },

	/* What is not to be done needs no change, and no flush. */
	{ "zap of 4 zero pages: 4 PTEs",
	  &ptebatch_zap, { "Rzy*4", .prot = RW },
	  { 4, 0, 4, 1 } },
	{ "mremap() of 16 empty PTEs: no change, no flush",
	  &ptebatch_move, { "Wdyx | -*16 |", .prot = RW },
	  { 32, 0, 0, 0 } },
	{ "mremap() of 16 swap entries: 16 entries, no flush",
	  &ptebatch_move, { "{Sx*16}", .prot = RW, .swap = true },
	  { 32, 0, 32, 0 } },
	{ "fork() with a 64K folio, read-only: copied, not write-protected",
	  &ptebatch_copy, { "{Rdyx*16}", .prot = RW },
	  { PTRS_PER_PTE, 1, 1, 2 }, { PTRS_PER_PTE - 15, 1, 1, 2 } },
	{ "fork() with a 64K shmem folio in a uffd-wp VMA, second half dirty: one batch",
	  &ptebatch_copy, { "{Wy*8 Wdy*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  { PTRS_PER_PTE, 1, 1, 2 } },
};

KUNIT_ARRAY_PARAM_DESC(counts, rows, name);

static void begin_counting(struct ptebatch_trial *trial, const void *data)
{
	/* The counting twin finds batches. */
	trial->one_by_one = false;
	ptebatch_counts = (struct ptebatch_counts) { .on = true };
}

static void end_counting(struct ptebatch_trial *trial, const void *data)
{
	ptebatch_counts.on = false;
}

/* With @none, the operation may do without. */
static void expect_at_most(const struct ptebatch_trial *trial, const char *what,
			   unsigned long counted, unsigned long most, bool none)
{
	KUNIT_EXPECT_LE_MSG(trial->test, counted, most,
			    PTEBATCH_RULE_COST ": %s takes %lu %s, expected at most %lu",
			    trial->function, counted, what, most);
	/* Otherwise the count is not connected. */
	KUNIT_EXPECT_TRUE_MSG(trial->test, counted || !most || none,
			      PTEBATCH_RULE_COST ": %s: no %s counted",
			      trial->function, what);
}

static void counts_row(struct kunit *test)
{
	const struct counts_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = row->op,
		.setup = &row->setup,
		.second = "-",
		.prepare = begin_counting,
		.undo = end_counting,
	};
	const char *missing = ptebatch_op_missing(row->op);
	const struct cost *most = &row->most;
	struct ptebatch_trial *trial;
	bool passes = true;

	if (missing)
		kunit_skip(test, "%s", missing);
	if (!PTEBATCH_COUNTS)
		kunit_skip(test, "CONFIG_PTEBATCH_BENCH is set: the twins do not count");
	if (PTEBATCH_BLOCK_ENTRIES == 16 && row->contpte.reads)
		most = &row->contpte;
	trial = ptebatch_row_call(test, &run, true, &passes);
	/* mm/series/mprotect compares two entries before it searches for a batch. */
	expect_at_most(trial, "reads of entries", ptebatch_counts.reads,
		       most->reads + (row->op->counts ? most->searches : 0), false);
	expect_at_most(trial, "searches for a batch", ptebatch_counts.searches,
		       most->searches, row->unbatched);
	expect_at_most(trial, "changes of entries", ptebatch_counts.updates,
		       most->updates, false);
	if (!IS_ENABLED(CONFIG_UML))
		expect_at_most(trial, "TLB flushes", trial->flush.calls,
			       most->flushes, false);
}

static struct kunit_case counts_cases[] = {
	KUNIT_CASE_PARAM(counts_row, counts_gen_params),
	{}
};

PTEBATCH_SUITE(counts, counts_cases, PTEBATCH_SWAP_SPACE);
