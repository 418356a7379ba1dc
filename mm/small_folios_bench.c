// SPDX-License-Identifier: GPL-2.0
/*
 * What batching costs where there is nothing to batch: folios of one page, and of
 * two pages, beside the twin, for the paths that the other benches do not time at
 * these orders. mlock() has no twin.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "../lib/op/advise.h"
#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/run/stopwatch.h"

#define RW	(PROT_READ | PROT_WRITE)
#define ANON	{ .prot = RW }
#define LRU	{ .prot = RW, .lru = true }
#define SHMEM	{ .mapping = PTEBATCH_SHMEM, .prot = RW }
#define ORDERS	2
#define WAYS	2
#define LAPS	5
/* Less than a page table, which mremap() would move as a whole. */
#define PAGES	256

/**
 * struct bench_path - a batched path
 * @kind: kind of folios; the name is that of the path
 * @op: the operation
 */
struct bench_path {
	struct ptebatch_bench_kind kind;
	const struct ptebatch_op *op;
};

static const struct bench_path paths[] = {
	{ { "fork", ANON, "Wdyx" }, &ptebatch_copy },
	{ { "zap-anon", ANON, "Wdyx" }, &ptebatch_zap },
	{ { "zap-shmem", SHMEM, "Wdy" }, &ptebatch_zap },
	{ { "MADV_COLD", LRU, "Wdyx" }, &ptebatch_advices[PTEBATCH_COLD] },
	{ { "MADV_FREE", LRU, "Wdyx" }, &ptebatch_advices[PTEBATCH_FREE] },
	{ { "mremap", ANON, "Wdyx" }, &ptebatch_move },
};

static bool fill(unsigned int i, void *param)
{
	*(struct ptebatch_bench *)param = (struct ptebatch_bench) {
		.kind = &paths[i / WAYS / ORDERS].kind,
		.order = i / WAYS % ORDERS,
		.twin = i % WAYS,
	};
	return true;
}

static int small_bench_params(struct kunit *test)
{
	return ptebatch_params(test, ARRAY_SIZE(paths) * ORDERS * WAYS,
			       sizeof(struct ptebatch_bench), fill,
			       ptebatch_bench_describe);
}

static void small_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	const struct ptebatch_op *op = container_of(bench->kind, struct bench_path, kind)->op;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	char what[64];
	long err = 0;

	while (watch.laps < LAPS) {
		space = ptebatch_bench_space(test, PAGES);
		if (op->moves)
			ptebatch_space_add_place(space, 0);
		ptebatch_stopwatch_start(&watch);
		err |= op->call(op, space, bench->twin);
		ptebatch_stopwatch_stop(&watch);
		ptebatch_space_release(space);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	snprintf(what, sizeof(what), "table=small name=%s order=%u way=%s",
		 bench->kind->name, bench->order, bench->twin ? "twin" : "kernel");
	ptebatch_stopwatch_report(test, &watch, what, PAGES, 1);
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(small_bench),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "ptebatch_small_folios_bench",
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
