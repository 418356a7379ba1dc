// SPDX-License-Identifier: GPL-2.0
/*
 * S2 without reclaim: the cost of zap_vma_range(), by kind and order of folio,
 * beside its twin, which clears one PTE at a time.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/op/unmap.h"
#include "../lib/run/stopwatch.h"
#include "../lib/space/space.h"
#include "../lib/twin/twin.h"

#define RW	(PROT_READ | PROT_WRITE)

/* One page table. */
#define PAGES	512
#define LAPS	5

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *entry;
} kinds[] = {
	{ "anon", { .prot = RW }, "Wdyx" },
	{ "shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

static const unsigned int orders[] = { 0, 2, 4, 6, 9 };

static const struct way {
	const char *name;
	ptebatch_zap_t zap;
} ways[] = {
	{ "kernel", zap_vma_range },
	{ "twin", ptebatch_twin_zap_vma_range },
};

/**
 * struct zap_param - parameters of a case
 * @kind: index into kinds[]
 * @order: index into orders[]
 * @way: index into ways[]
 */
struct zap_param {
	unsigned int kind, order, way;
};

static const void *zap_gen_params(struct kunit *test, const void *prev,
				  char *desc)
{
	static struct zap_param param;

	if (!prev)
		param = (struct zap_param) {};
	else if (++param.way == ARRAY_SIZE(ways))
		param = (struct zap_param) { param.kind, param.order + 1 };
	if (param.order == ARRAY_SIZE(orders))
		param = (struct zap_param) { param.kind + 1 };
	if (param.kind == ARRAY_SIZE(kinds))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, order %u, %s",
		 kinds[param.kind].name, orders[param.order],
		 ways[param.way].name);
	return &param;
}

static void zap_bench(struct kunit *test)
{
	const struct zap_param *param = test->param_value;
	const struct kind *kind = &kinds[param->kind];
	unsigned int order = orders[param->order], i;
	struct ptebatch_stopwatch watch = {};
	/* Static, so that they outlive a case that aborts. */
	static struct ptebatch_setup setup;
	static char picture[32];
	struct ptebatch_space *space;
	char what[64];

	snprintf(picture, sizeof(picture), "{%s*%u}*%u", kind->entry,
		 1U << order, PAGES >> order);
	setup = kind->setup;
	setup.picture = picture;
	while (watch.laps < LAPS) {
		space = ptebatch_space(test, &setup);
		ptebatch_stopwatch_start(&watch);
		ptebatch_zap(space, ways[param->way].zap);
		ptebatch_stopwatch_stop(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[i]));
		ptebatch_space_release(space);
	}
	snprintf(what, sizeof(what),
		 "table=S2 name=zap kind=%s order=%u way=%s", kind->name,
		 order, ways[param->way].name);
	ptebatch_stopwatch_report(test, &watch, what, PAGES, 1);
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(zap_bench, zap_gen_params),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "ptebatch_memory_bench",
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
