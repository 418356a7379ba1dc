// SPDX-License-Identifier: GPL-2.0
/*
 * What batching costs where there is nothing to batch: folios of one page, and of
 * two pages, beside the twin, for the paths that the other benches do not time at
 * these orders. mlock() has no twin.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "../lib/op/advise.h"
#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/service/service.h"
#include "../lib/space/snapshot.h"

#define RW	(PROT_READ | PROT_WRITE)
#define ANON	{ .prot = RW }
#define LRU	{ .prot = RW, .folios = ON_LRU }
#define SHMEM	{ .mapping = PTEBATCH_SHMEM, .prot = RW }
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
 * struct small_path - a batched path
 * @op: the operation
 * @is_done: is the entry as the operation leaves it?
 * @whole: it handles a large folio only as a whole, and the twin, which sees one
 *         page of it, tries to split it instead
 */
struct small_path {
	const struct ptebatch_op *op;
	bool (*is_done)(pte_t pte);
	bool whole;
};

/* Named like the paths. */
static const struct ptebatch_bench_kind kinds[] = {
	{ "fork", ANON, "Wdyx" },
	{ "zap-anon", ANON, "Wdyx" },
	{ "zap-shmem", SHMEM, "Wdy" },
	{ "MADV_COLD", LRU, "Wdyx" },
	{ "MADV_FREE", LRU, "Wdyx" },
	{ "mremap", ANON, "Wdyx" },
};

static const struct small_path paths[ARRAY_SIZE(kinds)] = {
	{ &ptebatch_copy, is_readonly },
	{ &ptebatch_zap, is_none },
	{ &ptebatch_zap, is_none },
	{ &ptebatch_advices[PTEBATCH_COLD], is_old, true },
	{ &ptebatch_advices[PTEBATCH_FREE], is_clean, true },
	{ &ptebatch_move, is_none },
};

PTEBATCH_BENCH_PARAMS_OF(small_bench, kinds, BIT(0) | BIT(1), 2);

static const struct small_path *path_of(const struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;

	return &paths[bench->kind - kinds];
}

static void add_destination(struct ptebatch_space *space)
{
	if (path_of(space->test)->op->moves)
		ptebatch_space_add_place(space, 0);
}

static void expect_done(struct ptebatch_space *space)
{
	struct ptebatch_snapshot *snapshot = kmalloc_obj(*snapshot);
	const struct small_path *path = path_of(space->test);
	unsigned int i, left = 0;

	KUNIT_ASSERT_NOT_NULL(space->test, snapshot);
	ptebatch_snapshot(snapshot, space, &space->places[0]);
	for (i = 0; i < PAGES; i++)
		left += !path->is_done(snapshot->raw[snapshot->lead + i]);
	kfree(snapshot);
	KUNIT_EXPECT_EQ_MSG(space->test, left, 0, "entries that did not change");
}

static void small_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	const struct small_path *path = path_of(test);

	if (path->whole && bench->order && bench->twin)
		kunit_skip(test, "one page at a time, %s splits folios", bench->kind->name);
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"small", .op = path->op, .prepare = add_destination, .check = expect_done,
		.pages = PAGES,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(small_bench),
	{}
};

PTEBATCH_SUITE(small_folios_bench, bench_cases);
