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
#include "../lib/service/service.h"

static const struct ptebatch_bench_kind kinds[] = {
	{ "anon", { .prot = PROT_READ | PROT_WRITE }, "Wdyx" },
};

PTEBATCH_BENCH_PARAMS(fork_bench, kinds);

static void expect_copied(struct ptebatch_space *space)
{
	KUNIT_EXPECT_EQ_MSG(space->test, get_mm_counter_sum(space->places[1].mm, MM_ANONPAGES),
			    PTEBATCH_BENCH_PAGES, "MM_ANONPAGES of the child, in pages");
}

static void fork_bench(struct kunit *test)
{
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"fork", .op = &ptebatch_copy, .check = expect_copied,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(fork_bench),
	{}
};

PTEBATCH_SUITE(memory_fork_bench, bench_cases);
