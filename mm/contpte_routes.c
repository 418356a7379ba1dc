// SPDX-License-Identifier: GPL-2.0
/*
 * Rule 26 (unfolding) for callers in the core code: an operation on some halves of
 * a folio of two contpte blocks.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/check/checks.h"
#include "../lib/op/op.h"
#include "../lib/op/protect.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/service.h"
#include "../lib/space/blocks.h"

#define RW	(PROT_READ | PROT_WRITE)

#define PROTECT	(&ptebatch_protections[PTEBATCH_TO_READABLE])

static const struct route {
	const char *name;
	const struct ptebatch_op *op;
	struct ptebatch_setup setup;
	const char *entry;
	/* Range, in halves of blocks. */
	unsigned int from, to;
	/* Number of unfolded blocks, bitmap of the contiguous ones afterwards. */
	unsigned int unfolds, contiguous;
} routes[] = {
	{ "mprotect() of both blocks: both stay contiguous",
	  PROTECT, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 4, .unfolds = 0,
	  .contiguous = 0b11 },
	{ "mprotect() of the first block: both stay contiguous",
	  PROTECT, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 2, .unfolds = 0,
	  .contiguous = 0b11 },
	{ "mprotect() of the first half of a block: that block unfolded",
	  PROTECT, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 1, .unfolds = 1,
	  .contiguous = 0b10 },
	{ "mprotect() of the adjacent halves of two blocks: both unfolded",
	  PROTECT, { .prot = RW }, .entry = "Wdyx", .from = 1, .to = 3, .unfolds = 2,
	  .contiguous = 0b00 },
	{ "mprotect() of one block and half of the next: second one unfolded",
	  PROTECT, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 3, .unfolds = 1,
	  .contiguous = 0b01 },
	{ "zap of both blocks: neither unfolded",
	  &ptebatch_zap, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 4, .unfolds = 0,
	  .contiguous = 0b00 },
	{ "zap of the first block: neither unfolded, second stays contiguous",
	  &ptebatch_zap, { .prot = RW }, .entry = "Wdyx", .from = 0, .to = 2, .unfolds = 0,
	  .contiguous = 0b10 },
	{ "zap of the adjacent halves of two blocks: both unfolded",
	  &ptebatch_zap, { .prot = RW }, .entry = "Wdyx", .from = 1, .to = 3, .unfolds = 2,
	  .contiguous = 0b00 },
	{ "try_to_unmap() of a lazyfree folio: neither block unfolded",
	  &ptebatch_unmap, { .prot = RW }, .entry = "Wyxl", .from = 0, .to = 4, .unfolds = 0,
	  .contiguous = 0b00 },
	{ "try_to_unmap() of a shmem folio: neither block unfolded",
	  &ptebatch_unmap, { .mapping = PTEBATCH_SHMEM, .prot = RW }, .entry = "Wdy",
	  .from = 0, .to = 4, .unfolds = 0, .contiguous = 0b00 },
};

KUNIT_ARRAY_PARAM_DESC(routes, routes, name);

static void contpte_route(struct kunit *test)
{
	const struct route *route = test->param_value;
	struct ptebatch_setup setup = route->setup;
	struct ptebatch_trial *trial;
	struct ptebatch_space *space;
	struct mm_struct *mm;
	unsigned int block;
	unsigned long addr;

	setup.picture = ptebatch_draw(test, "{%s*%u}", route->entry,
				      2U * CONT_PTES);
	trial = ptebatch_op_begin(test, route->op, &setup, false);
	space = trial->space;
	space->row.from = route->from * CONT_PTES / 2;
	space->row.to = route->to * CONT_PTES / 2;
	trial->before.row.from = space->row.from;
	trial->before.row.to = space->row.to;
	mm = space->places[0].mm;
	for (block = 0; block < 2; block++) {
		addr = ptebatch_addr(space, block * CONT_PTES);
		KUNIT_EXPECT_TRUE(test, ptebatch_is_contiguous(mm, addr));
	}

	trial->returned = route->op->call(route->op, space, false);
	/* One invalidation for the operation, one for each unfolded block. */
	KUNIT_EXPECT_EQ_MSG(test, trial->secondary.flushes,
			    1 + (system_supports_bbml3() ? 0 : route->unfolds),
			    PTEBATCH_RULE_UNFOLDING ": %s: wrong number of TLB invalidations",
			    trial->function);
	for (block = 0; block < 2; block++) {
		addr = ptebatch_addr(space, (block + 1) * CONT_PTES - 1);
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_is_contiguous(mm, addr),
				    !!(route->contiguous & BIT(block)),
				    PTEBATCH_RULE_UNFOLDING ": %s: PTE_CONT of block %u is wrong",
				    trial->function, block);
	}
	ptebatch_trial_end(trial);
}

static struct kunit_case routes_cases[] = {
	KUNIT_CASE_PARAM(contpte_route, routes_gen_params),
	{}
};

PTEBATCH_SUITE(contpte_routes, routes_cases);
