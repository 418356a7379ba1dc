// SPDX-License-Identifier: GPL-2.0
/*
 * The cost per page of a collapse, by order of the folios before it: of a page
 * table into a PMD-mapped folio by MADV_COLLAPSE, beside the twin, which clears one
 * entry at a time; and of the split of a PMD into PTEs, or of a PMD migration entry
 * into migration entries, which has no twin.
 */
#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/mman.h>

#include "../lib/op/collapse.h"
#include "../lib/run/bench.h"
#include "../lib/run/orders.h"
#include "../lib/service/service.h"
#include "../lib/space/pte.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"

#define RW	(PROT_READ | PROT_WRITE)

static const struct ptebatch_bench_kind tables[] = {
	{ "collapse", { .prot = RW, .folios = ON_LRU }, "Wdyx" },
};

PTEBATCH_BENCH_PARAMS(collapse_bench, tables);

static const struct ptebatch_bench_kind pmds[] = {
	{ "split-PMD", { "[Wdyx]", .prot = RW } },
	{ "split-migration-PMD", { "[Mw]", .prot = RW } },
};

PTEBATCH_BENCH_PARAMS_OF(split_bench, pmds, BIT(9), 1);

static bool is_huge(const struct ptebatch_space *space)
{
	pmd_t pmd = pmdp_get(ptebatch_find_pmd(space->places[0].mm, ptebatch_addr(space, 0)));

	return pmd_trans_huge(pmd) || pmd_is_valid_softleaf(pmd);
}

static void expect_collapsed(struct ptebatch_space *space)
{
	KUNIT_ASSERT_EQ(space->test, 0, ptebatch_space_reacquire_refs(space));
	KUNIT_EXPECT_TRUE_MSG(space->test, is_huge(space), "a PMD maps the folio");
}

static void expect_split(struct ptebatch_space *space)
{
	KUNIT_EXPECT_FALSE_MSG(space->test, is_huge(space), "a PMD maps the folio");
}

static void bench(struct kunit *test, const struct ptebatch_timed *timed)
{
	if (PTRS_PER_PTE != PTEBATCH_BENCH_PAGES)
		kunit_skip(test, "the page table has more pages than the benches use");
	ptebatch_bench_run(test, timed);
}

static void collapse_bench(struct kunit *test)
{
	bench(test, &(struct ptebatch_timed) {
		"THP", .op = &ptebatch_collapse, .prepare = ptebatch_space_drop_refs,
		.check = expect_collapsed,
	});
}

static void split_bench(struct kunit *test)
{
	bench(test, &(struct ptebatch_timed) {
		"THP", .op = &ptebatch_split_pmds, .check = expect_split,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(collapse_bench),
	PTEBATCH_CASE_PARAMS(split_bench),
	{}
};

PTEBATCH_SUITE(huge_memory_bench, bench_cases);
