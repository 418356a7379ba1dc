// SPDX-License-Identifier: GPL-2.0
/*
 * The cost per page of a collapse, by order of the folios before it: of a page
 * table into a PMD-mapped folio by MADV_COLLAPSE, beside the twin, which clears one
 * entry at a time; and of the split of a PMD into PTEs, or of a PMD migration entry
 * into migration entries, which has no twin.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "../lib/op/collapse.h"
#include "../lib/run/bench.h"
#include "../lib/run/orders.h"
#include "../lib/run/stopwatch.h"
#include "../lib/service/service.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"
#include "../lib/space/snapshot.h"

#define RW	(PROT_READ | PROT_WRITE)
#define LAPS	5

/* Time @op on a page table; no entry may be left as it was. */
static void bench(struct kunit *test, const struct ptebatch_op *op,
		  const struct ptebatch_setup *setup, bool twin, const char *what)
{
	struct ptebatch_snapshot *before, *after;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	const char *missing = ptebatch_op_missing(op);
	long err;

	if (missing)
		kunit_skip(test, "%s", missing);
	if (PTRS_PER_PTE != PTEBATCH_BENCH_PAGES)
		kunit_skip(test, "the page table has more pages than the benches use");
	before = kunit_kmalloc(test, sizeof(*before), GFP_KERNEL);
	after = kunit_kmalloc(test, sizeof(*after), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	KUNIT_ASSERT_NOT_NULL(test, after);
	while (watch.laps < LAPS) {
		space = ptebatch_space(test, setup);
		ptebatch_snapshot(before, space, &space->places[0]);
		if (setup->folios & ON_LRU)
			ptebatch_space_drop_refs(space);
		ptebatch_stopwatch_start(&watch);
		err = op->call(op, space, twin);
		ptebatch_stopwatch_stop(&watch);
		if (setup->folios & ON_LRU)
			KUNIT_ASSERT_EQ(test, 0, ptebatch_space_reacquire_refs(space));
		ptebatch_snapshot(after, space, &space->places[0]);
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_NE(test, test_bit(0, before->huge), test_bit(0, after->huge));
		ptebatch_space_release(space);
	}
	ptebatch_stopwatch_report(test, &watch, what, PTEBATCH_BENCH_PAGES, 1);
}

static const struct ptebatch_bench_kind kinds[] = {
	{ "anon", { .prot = RW, .folios = ON_LRU }, "Wdyx" },
};

static int collapse_bench_params(struct kunit *test)
{
	return ptebatch_bench_params(test, kinds, ARRAY_SIZE(kinds));
}

static void collapse_bench(struct kunit *test)
{
	const struct ptebatch_bench *param = test->param_value;
	struct ptebatch_setup setup = param->kind->setup;
	char what[64];

	setup.picture = ptebatch_draw(test, "{%s*%u}*%u", param->kind->entry,
				      1U << param->order,
				      PTEBATCH_BENCH_PAGES >> param->order);
	snprintf(what, sizeof(what), "table=THP name=collapse order=%u way=%s",
		 param->order, param->twin ? "twin" : "kernel");
	bench(test, &ptebatch_collapse, &setup, param->twin, what);
}

static const struct pmd_kind {
	const char *name;
	struct ptebatch_setup setup;
} pmd_kinds[] = {
	{ "split-PMD", { "[Wdyx]", .prot = RW } },
	{ "split-migration-PMD", { "[Mw]", .prot = RW } },
};

KUNIT_ARRAY_PARAM_DESC(pmd_kinds, pmd_kinds, name);

static void split_bench(struct kunit *test)
{
	const struct pmd_kind *kind = test->param_value;
	char what[64];

	snprintf(what, sizeof(what), "table=THP name=%s order=9 way=kernel", kind->name);
	bench(test, &ptebatch_split_pmds, &kind->setup, false, what);
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(collapse_bench),
	KUNIT_CASE_PARAM(split_bench, pmd_kinds_gen_params),
	{}
};

PTEBATCH_SUITE(huge_memory_bench, bench_cases);
