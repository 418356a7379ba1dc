// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of fork() per page: copy_page_range(), by order of folio, beside its twin,
 * which copies one PTE at a time. The small folios of order 0 and 1 are compared in
 * small_folios_bench.c, too.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/run/stopwatch.h"
#include "../lib/service/service.h"

#define LAPS	5

static const struct ptebatch_bench_kind kinds[] = {
	{ "anon", { .prot = PROT_READ | PROT_WRITE }, "Wdyx" },
};

static int fork_bench_params(struct kunit *test)
{
	return ptebatch_bench_params(test, kinds, ARRAY_SIZE(kinds));
}

static void fork_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	const struct ptebatch_op *op = &ptebatch_copy;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	char what[64];
	long err = 0;

	while (watch.laps < LAPS) {
		space = ptebatch_bench_space(test, PTEBATCH_BENCH_PAGES);
		ptebatch_stopwatch_start(&watch);
		err |= op->call(op, space, bench->twin);
		ptebatch_stopwatch_stop(&watch);
		KUNIT_EXPECT_EQ_MSG(test, get_mm_counter_sum(space->places[1].mm, MM_ANONPAGES),
				    PTEBATCH_BENCH_PAGES, "MM_ANONPAGES of the child, in pages");
		ptebatch_space_release(space);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	snprintf(what, sizeof(what), "table=fork name=%s order=%u way=%s",
		 bench->kind->name, bench->order, bench->twin ? "twin" : "kernel");
	ptebatch_stopwatch_report(test, &watch, what, PTEBATCH_BENCH_PAGES, 1);
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(fork_bench),
	{}
};

PTEBATCH_SUITE(memory_fork_bench, bench_cases);
