// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of new anonymous memory: a write to each page of a page table, by the
 * order of folio that a fault maps. Beside it, one by one: the same writes where
 * each page has a fault of its own.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../lib/record/stat.h"
#include "../lib/run/bench.h"
#include "../lib/run/region.h"
#include "../lib/service/anon_orders.h"
#include "../lib/service/service.h"

/* Order 9 is mapped by a PMD. No fault maps folios of order 1. */
static const struct ptebatch_bench_kind anon[] = {
	{ "anon" },
};

PTEBATCH_BENCH_PARAMS(anon_bench, anon);

/* Returns 0 if all pages were written. */
static int write_all(const struct ptebatch_region *region,
		     struct ptebatch_stopwatch *watch)
{
	unsigned long addr, end = region->start + region->bytes;
	int failed = 0;

	kthread_use_mm(region->mm);
	ptebatch_stopwatch_start(watch);
	for (addr = region->start; addr < end; addr += PAGE_SIZE)
		failed |= put_user(1, (char __user *)addr);
	ptebatch_stopwatch_stop(watch);
	kthread_unuse_mm(region->mm);
	return failed;
}

static void anon_bench(struct kunit *test)
{
	const struct ptebatch_bench *bench = test->param_value;
	unsigned int order = bench->twin ? 0 : bench->order;
	const struct ptebatch_anon_orders permitted = {
		.always = order ? BIT(order) : 0,
	};
	unsigned long faults, expected = PTEBATCH_BENCH_PAGES >> order;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_region *region;
	int failed;

	if (bench->order && ptebatch_anon_orders_missing())
		kunit_skip(test, "%s", ptebatch_anon_orders_missing());
	while (watch.laps < PTEBATCH_BENCH_LAPS) {
		region = ptebatch_region(test, PTEBATCH_BENCH_PAGES * PAGE_SIZE);
		ptebatch_anon_orders_begin(region->mm, &permitted);
		faults = ptebatch_events(PGFAULT);
		failed = write_all(region, &watch);
		faults = ptebatch_events(PGFAULT) - faults;
		ptebatch_anon_orders_end(region->mm);
		KUNIT_EXPECT_EQ(test, failed, 0);
		KUNIT_EXPECT_EQ_MSG(test, faults, expected,
				    "faults: not all of them mapped a folio of order %u",
				    order);
		ptebatch_region_release(region);
	}
	ptebatch_bench_report(test, &watch, PTEBATCH_BENCH_PAGES, expected,
			      "table=faults name=anon order=%u way=%s", bench->order,
			      bench->twin ? "twin" : "kernel");
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(anon_bench),
	{}
};

PTEBATCH_SUITE(memory_anon_bench, bench_cases);
