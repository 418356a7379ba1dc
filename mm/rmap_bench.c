// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of try_to_unmap() per page, by kind and order of folio, beside its
 * twin, which unmaps one PTE at a time; and of MADV_PAGEOUT of 256 MiB, which
 * calls it.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rmap.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/op/op.h"
#include "../lib/record/counter.h"
#include "../lib/record/secondary.h"
#include "../lib/run/bench.h"
#include "../lib/run/region.h"
#include "../lib/service/swap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static const struct ptebatch_bench_kind kinds[] = {
	{ "swap", { .prot = RW, .folios = WITH_SWAP }, "Wdyx" },
	{ "swap-shared", { .prot = RO, .folios = WITH_SWAP }, "Rdy" },
	{ "lazyfree", { .prot = RW }, "Wyxl" },
	{ "shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

PTEBATCH_BENCH_PARAMS(unmap_bench, kinds);

static void unmap_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	struct ptebatch_op op = ptebatch_unmap;

	/* The flags of shrink_folio_list(). */
	op.arg = TTU_BATCH_FLUSH | (bench->order ? TTU_SYNC : 0);
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"unmap", "unmap", &op, .prepare = ptebatch_bench_lock,
		.check = ptebatch_bench_expect_unmapped,
		.calls = PTEBATCH_BENCH_PAGES >> bench->order,
	});
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
	const struct ptebatch_bench *bench = test->param_value;
	struct ptebatch_space *space;
	struct ptebatch_secondary *secondary;
	char counts[64] = "";
	struct seq_buf out;
	unsigned int i;

	secondary = kunit_kzalloc(test, sizeof(*secondary), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, secondary);
	space = ptebatch_bench_space(test, 1U << bench->order);
	ptebatch_bench_lock(space);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_secondary_begin(secondary, &space->places[0]));
	KUNIT_EXPECT_EQ(test, 0,
			ptebatch_counters_begin(counters, ARRAY_SIZE(counters)));
	ptebatch_unmap.call(&ptebatch_unmap, space, bench->twin);
	ptebatch_counters_end(counters, ARRAY_SIZE(counters));
	ptebatch_secondary_end(secondary);

	seq_buf_init(&out, counts, sizeof(counts));
	for (i = 0; i < ARRAY_SIZE(counter_names); i++)
		seq_buf_printf(&out, " %s=%lu", counter_names[i], counters[i].hits);
	kunit_info(test, "counts table=unmap name=unmap kind=%s order=%u way=%s: per=folio flushes=%u%s\n",
		   bench->kind->name, bench->order, bench->twin ? "twin" : "kernel",
		   secondary->flushes, counts);
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

	if (ptebatch_swap_missing())
		kunit_skip(test, "%s", ptebatch_swap_missing());
	region = ptebatch_region_filled(test, PAGEOUT_BYTES, *order);

	ptebatch_stopwatch_start(&watch);
	do_madvise(region->mm, region->start, PAGEOUT_BYTES, MADV_PAGEOUT);
	ptebatch_stopwatch_stop(&watch);
	KUNIT_EXPECT_EQ_MSG(test, get_mm_counter_sum(region->mm, MM_SWAPENTS),
			    PAGEOUT_BYTES >> PAGE_SHIFT,
			    "MM_SWAPENTS after MADV_PAGEOUT, in pages");
	ptebatch_bench_report(test, &watch, PAGEOUT_BYTES >> PAGE_SHIFT, 1,
			      "table=unmap name=pageout order=%u", *order);
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(unmap_bench),
	KUNIT_CASE_PARAM_WITH_INIT(unmap_counts, kunit_array_gen_params,
				   unmap_bench_params, NULL),
	KUNIT_CASE_PARAM_ATTR(pageout_bench, pageout_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	{}
};

PTEBATCH_SUITE(rmap_bench, bench_cases, PTEBATCH_SWAP_SPACE);
