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
#include "../lib/op/advise.h"
#include "../lib/op/mempolicy.h"
#include "../lib/op/op.h"
#include "../lib/op/protect.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/service/swap.h"
#include "../lib/twin/counts.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define TO_READABLE	(&ptebatch_protections[PTEBATCH_TO_READABLE])
#define TO_WRITABLE	(&ptebatch_protections[PTEBATCH_TO_WRITABLE])
#define TO_NONE		(&ptebatch_protections[PTEBATCH_TO_NONE])
#define UFFD_WP_SET		(&ptebatch_protections[PTEBATCH_UFFD_WP])
#define NUMA_HINT	(&ptebatch_protections[PTEBATCH_NUMA_HINT])

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
 * @c: the operation; its entries are not compared
 * @most: maximum cost
 * @contpte: maximum cost if contpte blocks of 16 entries map the folios; the
 *           same as @most if there are no reads
 * @unbatched: 7.3 does not search for a batch, but mm/series/unmap does
 */
struct counts_row {
	struct ptebatch_case c;
	struct cost most, contpte;
	bool unbatched;
};

/* A 64K folio. */
#define EVERY_OTHER_SHARED	"{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}"
#define SOME_READ_ONLY	"{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx*8}"

static const struct counts_row rows[] = {
	/* mprotect() */
	{ { "mprotect() of a 64K folio to read-only: one batch",
	    { "{Wdyx*16}", .prot = RW }, .op = TO_READABLE },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ { "mprotect() of a 64K folio to no access: one batch",
	    { "{Wdyx*16}", .prot = RW }, .op = TO_NONE },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ { "mprotect() of a 64K folio to writable: one batch",
	    { "{Rdyx*16}", .prot = RO }, .op = TO_WRITABLE },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ { "mprotect() of a 64K folio to writable, second half shared: one batch, 2 sub-batches",
	    { "{Rdyx*8 Rdy*8}", .prot = RO }, .op = TO_WRITABLE },
	  { 16, 1, 3, 1 }, { 1, 1, 3, 1 } },
	{ { "mprotect() of a 64K folio to writable, every other page shared: 16 sub-batches",
	    { EVERY_OTHER_SHARED, .prot = RO }, .op = TO_WRITABLE },
	  { 16, 1, 17, 1 }, { 1, 1, 17, 1 } },
	{ { "mprotect() of half a 64K folio to read-only: one batch",
	    { "{| Wdyx*8 | Wdyx*8}", .prot = RW }, .op = TO_READABLE },
	  { 8, 1, 2, 1 }, { 1, 1, 2, 2 } },
	{ { "mprotect() of two 64K folios to read-only: two batches",
	    { "{Wdyx*16} {Wdyx*16}", .prot = RW }, .op = TO_READABLE },
	  { 32, 2, 4, 1 }, { 2, 2, 4, 1 } },
	{ { "mprotect() of 16 small folios to read-only: 16 PTEs",
	    { "Wdyx*16", .prot = RW }, .op = TO_READABLE },
	  { 16, 0, 32, 1 } },
	{ { "mprotect() of a 64K shmem folio to read-only: one batch",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW }, .op = TO_READABLE },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ { "uffd-wp protection of a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP }, .op = UFFD_WP_SET },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },
	{ { "NUMA hint on a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW }, .op = NUMA_HINT },
	  { 16, 1, 2, 1 }, { 1, 1, 2, 1 } },

	/* Zapping */
	{ { "zap of a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW }, .op = &ptebatch_zap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "zap of a 64K file folio: one batch",
	    { "{Wdy*16}", PTEBATCH_FILE, RW }, .op = &ptebatch_zap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "zap of half a 64K folio: one batch",
	    { "{| Wdyx*8 | Wdyx*8}", .prot = RW }, .op = &ptebatch_zap },
	  { 8, 1, 1, 1 }, { 1, 1, 1, 2 } },
	{ { "zap of a 64K shmem folio with uffd-wp: one batch, and a marker for each PTE",
	    { "{Ryu*16}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, .op = &ptebatch_zap },
	  { 17, 1, 17, 1 }, { 2, 1, 17, 1 } },
	{ { "zap of 16 swap entries: one batch",
	    { "{Sx*16}", .prot = RW, .folios = WITH_SWAP }, .op = &ptebatch_zap },
	  { 17, 1, 1, 0 } },

	/* try_to_unmap() */
	{ { "try_to_unmap() of a 64K file folio: one batch, one flush",
	    { "{Wdy*16}", PTEBATCH_FILE, RW }, .op = &ptebatch_unmap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "try_to_unmap() of a 64K shmem folio in a uffd-wp VMA: one batch, one flush",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, .op = &ptebatch_unmap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ {
	    "try_to_unmap() of a 64K shmem folio with uffd-wp: one batch, one flush, and 16 markers",
	    { "{Ryu*16}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, .op = &ptebatch_unmap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "try_to_unmap() of a 64K lazyfree folio: one batch, one flush",
	    { "{Wyxl*16}", .prot = RW }, .op = &ptebatch_unmap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "try_to_unmap() of a 64K lazyfree folio in a uffd-wp VMA: one batch, one flush",
	    { "{Wyxl*16}", .prot = RW, .uffd = UFFD_WP },
	    .op = &ptebatch_unmap },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "try_to_unmap() of a 64K swap-backed folio: 16 PTEs, 16 flushes",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, .op = &ptebatch_unmap },
	  { 16, 1, 32, 16 }, { 16, 1, 32, 17 }, .unbatched = true },

	/* madvise() */
	{ { "MADV_FREE of a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    .op = &ptebatch_advices[PTEBATCH_FREE] },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },
	{ { "MADV_FREE of 16 swap entries: one batch",
	    { "{Sx*16}", .prot = RW, .folios = WITH_SWAP },
	    .op = &ptebatch_advices[PTEBATCH_FREE] },
	  { 16, 1, 1, 0 } },
	{ { "MADV_COLD of a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    .op = &ptebatch_advices[PTEBATCH_COLD] },
	  { 16, 1, 1, 1 }, { 1, 1, 1, 1 } },

	/* fork() and mremap() */
	{ { "fork() with a 64K folio: one batch",
	    { "{Wdyx*16}", .prot = RW }, .op = &ptebatch_copy },
	  { PTRS_PER_PTE, 1, 2, 2 }, { PTRS_PER_PTE - 15, 1, 2, 2 } },
	{ { "fork() with a 64K folio, 4 of 16 PTEs read-only: one batch",
	    { SOME_READ_ONLY, .prot = RW }, .op = &ptebatch_copy },
	  { PTRS_PER_PTE, 1, 2, 2 } },
	{ { "mremap() of a 64K folio: one batch with contpte, otherwise 16 PTEs",
	    { "{Wdyx*16}", .prot = RW }, .op = &ptebatch_move },
	  { 32, 0, 32, 1 }, { 2, 1, 2, 1 } },
	{ { "mremap() of a 16K folio, which is no contpte block: 4 PTEs, no search",
	    { "{Wdyx*4}", .prot = RW }, .op = &ptebatch_move },
	  { 8, 0, 8, 1 } },
	{ { "mremap() of 16 small folios: 16 PTEs",
	    { "Wdyx*16", .prot = RW }, .op = &ptebatch_move },
	  { 32, 0, 32, 1 } },

	/* One page needs no search. */
	{ { "zap of one page of a 64K folio: no search",
	    { "{| Wdyx | Wdyx*15}", .prot = RW }, .op = &ptebatch_zap },
	  { 1, 0, 1, 1 }, { 1, 0, 1, 2 } },
	{ { "zap of two pages of a 64K folio: one batch",
	    { "{| Wdyx*2 | Wdyx*14}", .prot = RW }, .op = &ptebatch_zap },
	  { 2, 1, 1, 1 }, { 1, 1, 1, 2 } },
	{ { "fork() with one page of a 64K folio in the page table: no search",
	    { "@-1 {Wdyx*16}", .prot = RW }, .op = &ptebatch_copy },
	  { 2 * PTRS_PER_PTE, 1, 4, 2 } },
	{ { "fork() with two pages of a 64K folio in the page table: one batch",
	    { "@-2 {Wdyx*16}", .prot = RW }, .op = &ptebatch_copy },
	  { 2 * PTRS_PER_PTE, 2, 4, 2 } },
	{ { "mremap() of one page of a 64K folio: no search",
	    { "{| Wdyx | Wdyx*15}", .prot = RW }, .op = &ptebatch_move },
	  { 2, 0, 2, 1 }, { 2, 0, 2, 2 } },
	{ { "mremap() of two pages of a 64K folio: one batch with contpte, otherwise 2 PTEs",
	    { "{| Wdyx*2 | Wdyx*14}", .prot = RW }, .op = &ptebatch_move },
	  { 4, 0, 4, 1 }, { 2, 1, 2, 2 } },
	{ { "migrate_pages() of a 64K folio on the right node: one batch",
	    { "1{Wdyx*16}", .prot = RW, .folios = ON_LRU }, .op = &ptebatch_migrate_pages },
	  { PTRS_PER_PTE, 1, 0, 0 }, { PTRS_PER_PTE - 15, 1, 0, 0 } },
	{ { "migrate_pages() with one page of a 64K folio in the page table: no search",
	    { "@-1 1{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    .op = &ptebatch_migrate_pages },
	  { 2 * PTRS_PER_PTE, 1, 0, 0 } },

	/* What is not to be done needs no change, and no flush. */
	{ { "zap of 4 zero pages: 4 PTEs",
	    { "Rzy*4", .prot = RW }, .op = &ptebatch_zap },
	  { 4, 0, 4, 1 } },
	{ { "mremap() of 16 empty PTEs: no change, no flush",
	    { "Wdyx | -*16 |", .prot = RW }, .op = &ptebatch_move },
	  { 32, 0, 0, 0 } },
	{ { "mremap() of 16 swap entries: 16 entries, no flush",
	    { "{Sx*16}", .prot = RW, .folios = WITH_SWAP }, .op = &ptebatch_move },
	  { 32, 0, 32, 0 } },
	{ { "fork() with a 64K folio, read-only: copied, not write-protected",
	    { "{Rdyx*16}", .prot = RW }, .op = &ptebatch_copy },
	  { PTRS_PER_PTE, 1, 1, 2 }, { PTRS_PER_PTE - 15, 1, 1, 2 } },
	{ { "fork() with a 64K shmem folio in a uffd-wp VMA, second half dirty: one batch",
	    { "{Wy*8 Wdy*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	    .op = &ptebatch_copy },
	  { PTRS_PER_PTE, 1, 1, 2 } },
};

KUNIT_ARRAY_PARAM_DESC(counts, rows, c.name);

static void begin_counting(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	/* The counting twin finds batches. */
	use->trial->one_by_one = false;
	ptebatch_counts = (struct ptebatch_counts) { .on = true };
}

static void end_counting(struct ptebatch_use *use)
{
	ptebatch_counts.on = false;
}

static const struct ptebatch_condition_type counting = {
	.name = "the twin counts", .occur = begin_counting, .end = end_counting,
};

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
	struct ptebatch_case c = row->c;
	const struct cost *most = &row->most;
	struct ptebatch_trial *trial;
	bool passes = true;

	if (!PTEBATCH_COUNTS)
		kunit_skip(test, "CONFIG_PTEBATCH_BENCH is set: the twins do not count");
	if (PTEBATCH_BLOCK_ENTRIES == 16 && row->contpte.reads)
		most = &row->contpte;
	c.second = "-";
	c.with[0].type = &counting;
	trial = ptebatch_case_call(test, &c, true, &passes);
	/* mm/series/mprotect compares two entries before it searches for a batch. */
	expect_at_most(trial, "reads of entries", ptebatch_counts.reads,
		       most->reads + (c.op->counts ? most->searches : 0), false);
	expect_at_most(trial, "searches for a batch", ptebatch_counts.searches,
		       most->searches, row->unbatched);
	expect_at_most(trial, "changes of entries", ptebatch_counts.updates,
		       most->updates, false);
	if (PTEBATCH_NOTIFIES && PTEBATCH_FLUSHES_SEEN)
		expect_at_most(trial, "TLB flushes", trial->secondary.flushes,
			       most->flushes, false);
}

static struct kunit_case counts_cases[] = {
	KUNIT_CASE_PARAM(counts_row, counts_gen_params),
	{}
};

PTEBATCH_SUITE(counts, counts_cases, PTEBATCH_SWAP_SPACE);
