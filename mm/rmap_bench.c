// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of try_to_unmap() per page, by kind and order of folio, beside its
 * twin, which unmaps one PTE at a time; and of MADV_PAGEOUT of 256 MiB, which
 * calls it.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/check/flush.h"
#include "../lib/check/trial.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/unmap.h"
#include "../lib/run/region.h"
#include "../lib/run/stopwatch.h"
#include "../lib/space/space.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* One page table. */
#define PAGES	512
#define LAPS	5

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *entry;
} kinds[] = {
	{ "swap", { .prot = RW, .swap = true }, "Wdyx" },
	{ "swap-shared", { .prot = RO, .swap = true }, "Rdy" },
	{ "lazyfree", { .prot = RW, .lazyfree = true }, "Wyx" },
	{ "shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

static const unsigned int orders[] = { 0, 2, 4, 6, 9 };

static const struct way {
	const char *name;
	ptebatch_unmap_t unmap;
} ways[] = {
	{ "kernel", try_to_unmap },
	{ "twin", ptebatch_twin_try_to_unmap },
};

/**
 * struct unmap_param - parameters of a case
 * @kind: index into kinds[]
 * @order: index into orders[]
 * @way: index into ways[]
 */
struct unmap_param {
	unsigned int kind, order, way;
};

static const void *unmap_gen_params(struct kunit *test, const void *prev,
				    char *desc)
{
	static struct unmap_param param;

	if (!prev)
		param = (struct unmap_param) {};
	else if (++param.way == ARRAY_SIZE(ways))
		param = (struct unmap_param) { param.kind, param.order + 1 };
	if (param.order == ARRAY_SIZE(orders))
		param = (struct unmap_param) { param.kind + 1 };
	if (param.kind == ARRAY_SIZE(kinds))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, order %u, %s",
		 kinds[param.kind].name, orders[param.order],
		 ways[param.way].name);
	return &param;
}

/* Setup of a case; static, so that it outlives a case that aborts. */
static struct ptebatch_setup setup;

static void set_picture(const struct kind *kind, unsigned int order,
			unsigned int nr)
{
	static char picture[32];

	snprintf(picture, sizeof(picture), "{%s*%u}*%u", kind->entry,
		 1U << order, nr);
	setup = kind->setup;
	setup.picture = picture;
}

static void unmap_bench(struct kunit *test)
{
	const struct unmap_param *param = test->param_value;
	const struct kind *kind = &kinds[param->kind];
	unsigned int order = orders[param->order], i;
	struct ptebatch_stopwatch watch = {};
	enum ttu_flags flags = TTU_BATCH_FLUSH;
	struct ptebatch_space *space;
	char what[64];

	set_picture(kind, order, PAGES >> order);
	/* The flags of shrink_folio_list(). */
	if (order)
		flags |= TTU_SYNC;

	while (watch.laps < LAPS) {
		space = ptebatch_space(test, &setup);
		for (i = 0; i < space->row.nr_folios; i++)
			if (!folio_test_locked(space->folios[i]))
				folio_lock(space->folios[i]);
		ptebatch_stopwatch_start(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			ways[param->way].unmap(space->folios[i], flags);
		ptebatch_stopwatch_stop(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[i]));
		ptebatch_space_release(space);
	}
	snprintf(what, sizeof(what), "table=S2 name=unmap kind=%s order=%u way=%s",
		 kind->name, order, ways[param->way].name);
	ptebatch_stopwatch_report(test, &watch, what, PAGES,
				  PAGES >> order);
}

/*
 * Counted per folio, as instruction counts do not show them: TLB flushes, and
 * on arm64 contpte blocks that are read for one PTE, or unfolded.
 */

static const char *const counter_names[] = {
#ifdef CONFIG_ARM64_CONTPTE
	"block-reads", "unfolds",
#endif
};

static struct ptebatch_counter counters[] = {
#ifdef CONFIG_ARM64_CONTPTE
	{ "contpte_ptep_get" }, { "__contpte_try_unfold" },
#endif
};

static void unmap_counts(struct kunit *test)
{
	const struct unmap_param *param = test->param_value;
	unsigned int order = orders[param->order], i;
	struct ptebatch_space *space;
	struct ptebatch_flush *flush;
	char counts[64] = "";
	struct seq_buf out;

	flush = kunit_kzalloc(test, sizeof(*flush), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, flush);
	set_picture(&kinds[param->kind], order, 1);
	space = ptebatch_space(test, &setup);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_flush_begin(flush, &space->places[0]));
	KUNIT_EXPECT_EQ(test, 0,
			ptebatch_counters_begin(counters, ARRAY_SIZE(counters)));
	ptebatch_unmap(space, 0, ways[param->way].unmap);
	ptebatch_counters_end(counters, ARRAY_SIZE(counters));
	ptebatch_flush_end(flush);

	seq_buf_init(&out, counts, sizeof(counts));
	for (i = 0; i < ARRAY_SIZE(counter_names); i++)
		seq_buf_printf(&out, " %s=%lu", counter_names[i], counters[i].hits);
	kunit_info(test, "counts table=S2 name=unmap kind=%s order=%u way=%s: per=folio flushes=%u%s\n",
		   kinds[param->kind].name, order, ways[param->way].name,
		   flush->calls, counts);
	KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[0]));
}

/* 256 MiB in 64K folios: the benchmark of the patch series. */

#define PAGEOUT_BYTES	SZ_256M

static const unsigned int pageout_orders[] = { 0, 4 };

static void describe_order(const unsigned int *order, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u", *order);
}

KUNIT_ARRAY_PARAM(pageout, pageout_orders, describe_order);

static void pageout_bench(struct kunit *test)
{
	const unsigned int *order = test->param_value;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_region *region;
	char what[64];

	if (ptebatch_swap_missing())
		kunit_skip(test, "%s", ptebatch_swap_missing());
	region = ptebatch_region_filled(test, PAGEOUT_BYTES, *order);

	ptebatch_stopwatch_start(&watch);
	do_madvise(region->mm, region->start, PAGEOUT_BYTES, MADV_PAGEOUT);
	ptebatch_stopwatch_stop(&watch);
	KUNIT_EXPECT_EQ_MSG(test, get_mm_counter_sum(region->mm, MM_SWAPENTS),
			    PAGEOUT_BYTES >> PAGE_SHIFT,
			    "MM_SWAPENTS after MADV_PAGEOUT, in pages");
	snprintf(what, sizeof(what), "table=S2 name=pageout order=%u", *order);
	ptebatch_stopwatch_report(test, &watch, what,
				  PAGEOUT_BYTES >> PAGE_SHIFT, 1);
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(unmap_bench, unmap_gen_params),
	KUNIT_CASE_PARAM(unmap_counts, unmap_gen_params),
	KUNIT_CASE_PARAM(pageout_bench, pageout_gen_params),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "ptebatch_rmap_bench",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
