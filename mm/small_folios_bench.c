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
#include "../lib/service/service.h"
#include "../lib/space/snapshot.h"

#define RW	(PROT_READ | PROT_WRITE)
#define ANON	{ .prot = RW }
#define LRU	{ .prot = RW, .folios = ON_LRU }
#define SHMEM	{ .mapping = PTEBATCH_SHMEM, .prot = RW }
#define ORDERS	2
#define WAYS	2
#define LAPS	5
/* Less than a page table, which mremap() would move as a whole. */
#define PAGES	256

static bool is_none(pte_t pte)
{
	return pte_none(pte);
}

static bool is_old(pte_t pte)
{
	return pte_present(pte) && !pte_young(pte);
}

static bool is_clean(pte_t pte)
{
	return pte_present(pte) && !pte_dirty(pte);
}

static bool is_readonly(pte_t pte)
{
	return pte_present(pte) && !pte_write(pte);
}

/**
 * struct bench_path - a batched path
 * @kind: kind of folios; the name is that of the path
 * @op: the operation
 * @is_done: is the entry as the operation leaves it?
 * @whole: it handles a large folio only as a whole, and the twin, which sees one
 *         page of it, tries to split it instead
 */
struct bench_path {
	struct ptebatch_bench_kind kind;
	const struct ptebatch_op *op;
	bool (*is_done)(pte_t pte);
	bool whole;
};

static const struct bench_path paths[] = {
	{ { "fork", ANON, "Wdyx" }, &ptebatch_copy, is_readonly },
	{ { "zap-anon", ANON, "Wdyx" }, &ptebatch_zap, is_none },
	{ { "zap-shmem", SHMEM, "Wdy" }, &ptebatch_zap, is_none },
	{ { "MADV_COLD", LRU, "Wdyx" }, &ptebatch_advices[PTEBATCH_COLD], is_old, true },
	{ { "MADV_FREE", LRU, "Wdyx" }, &ptebatch_advices[PTEBATCH_FREE], is_clean, true },
	{ { "mremap", ANON, "Wdyx" }, &ptebatch_move, is_none },
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

/* The number of entries that the operation did not change. */
static unsigned int left(struct ptebatch_snapshot *snapshot,
			 const struct ptebatch_space *space,
			 const struct bench_path *path)
{
	unsigned int i, nr = 0;

	ptebatch_snapshot(snapshot, space, &space->places[0]);
	for (i = 0; i < PAGES; i++)
		nr += !path->is_done(snapshot->raw[snapshot->lead + i]);
	return nr;
}

static void small_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	const struct bench_path *path = container_of(bench->kind, struct bench_path, kind);
	const struct ptebatch_op *op = path->op;
	struct ptebatch_snapshot *snapshot = kunit_kmalloc(test, sizeof(*snapshot), GFP_KERNEL);
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	char what[64];
	long err = 0;

	KUNIT_ASSERT_NOT_NULL(test, snapshot);
	if (path->whole && bench->order && bench->twin)
		kunit_skip(test, "one page at a time, %s splits folios", bench->kind->name);
	while (watch.laps < LAPS) {
		space = ptebatch_bench_space(test, PAGES);
		if (op->moves)
			ptebatch_space_add_place(space, 0);
		ptebatch_stopwatch_start(&watch);
		err |= op->call(op, space, bench->twin);
		ptebatch_stopwatch_stop(&watch);
		KUNIT_EXPECT_EQ(test, left(snapshot, space, path), 0);
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

PTEBATCH_SUITE(small_folios_bench, bench_cases);
