// SPDX-License-Identifier: GPL-2.0
/*
 * Time of the mprotect() system call on the current mm, for the kernel and for
 * its twin without batching.
 *
 * Table mprotect: gain of batching on large folios. Table mprotect-size: cost of
 * batching on small folios, by size from one page up, since a regression there was
 * reported late.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sizes.h>

#include "../lib/kernel/syscall.h"
#include "../lib/run/bench.h"
#include "../lib/run/region.h"
#include "../lib/service/service.h"
#include "../lib/twin/twin.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mprotect));

static const struct way {
	const char *name;
	ptebatch_syscall_t mprotect;
} ways[] = {
	{ "kernel", PTEBATCH_SYSCALL(mprotect) },
	{ "twin", ptebatch_twin_mprotect },
};

#define RW	(PROT_READ | PROT_WRITE)

/* Time mprotect() of the whole region to @prot and back to read-write. */
static void toggle(struct ptebatch_region *region, unsigned long prot,
		   unsigned int calls, unsigned int laps, const struct way *way,
		   struct ptebatch_stopwatch *watch)
{
	struct ptebatch_args to[] = {
		ptebatch_args(region->start, region->bytes, prot, 0, 0),
		ptebatch_args(region->start, region->bytes, RW, 0, 0),
	};
	unsigned int i;
	long err = 0;

	*watch = (struct ptebatch_stopwatch) {};
	kthread_use_mm(region->mm);
	while (watch->laps < laps) {
		ptebatch_stopwatch_start(watch);
		for (i = 0; i < calls; i++)
			err |= ptebatch_syscall(way->mprotect, &to[i % 2]);
		ptebatch_stopwatch_stop(watch);
	}
	kthread_unuse_mm(region->mm);
	KUNIT_EXPECT_EQ(region->test, err, 0);
}

#define BYTES	SZ_8M

static const unsigned int orders[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void order_desc(const unsigned int *order, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u", *order);
}

KUNIT_ARRAY_PARAM(orders, orders, order_desc);

static void ro_rw_bench(struct kunit *test)
{
	const unsigned int *order = test->param_value;
	struct ptebatch_stopwatch watch;
	struct ptebatch_region *region;
	unsigned int i;

	region = ptebatch_region_filled(test, BYTES, *order);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		toggle(region, PROT_READ, 2, PTEBATCH_BENCH_LAPS, &ways[i], &watch);
		ptebatch_bench_report(test, &watch, BYTES / PAGE_SIZE, 2,
				      "table=mprotect name=ro-rw order=%u way=%s", *order,
				      ways[i].name);
	}
}

/*
 * The worst case of batching: in each folio, every second page is AnonExclusive.
 * To read-write, each of these becomes writable alone; to read-only, each entry
 * differs from the next one in write permission.
 */
static const unsigned int large_orders[] = { 1, 2, 4, 9 };

KUNIT_ARRAY_PARAM(large_orders, large_orders, order_desc);

static void alternate_bench(struct kunit *test)
{
	const unsigned int *order = test->param_value;
	struct ptebatch_stopwatch watches[2];
	struct ptebatch_region *region;
	struct ptebatch_args args[2];
	unsigned int i, j;
	long err = 0;

	region = ptebatch_region_filled(test, BYTES, *order);
	ptebatch_region_share_odd_pages(region);
	args[0] = ptebatch_args(region->start, region->bytes, PROT_READ, 0, 0);
	args[1] = ptebatch_args(region->start, region->bytes, RW, 0, 0);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		memset(watches, 0, sizeof(watches));
		kthread_use_mm(region->mm);
		for (j = 0; j < PTEBATCH_BENCH_LAPS * ARRAY_SIZE(args); j++) {
			ptebatch_stopwatch_start(&watches[j % 2]);
			err |= ptebatch_syscall(ways[i].mprotect, &args[j % 2]);
			ptebatch_stopwatch_stop(&watches[j % 2]);
		}
		kthread_unuse_mm(region->mm);
		for (j = 0; j < ARRAY_SIZE(args); j++) {
			ptebatch_bench_report(test, &watches[j], BYTES / PAGE_SIZE, 1,
					      "table=mprotect name=%s order=%u way=%s",
					      j ? "alternate-rw" : "alternate-ro", *order,
					      ways[i].name);
		}
	}
	KUNIT_EXPECT_EQ(test, err, 0);
}

/* Pages protected per lap, at least: makes the stopwatch overhead negligible. */
#define PAGES	128

static const struct size {
	unsigned int kib, order;
} sizes[] = {
	{ 4, 0 }, { 40, 0 }, { 400, 0 }, { 4000, 0 }, { 40000, 0 },
	{ 400000, 0 },
	{ 400, 4 }, { 4000, 4 }, { 40000, 4 }, { 400000, 4 },
};

static void size_desc(const struct size *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u KiB, order %u", size->kib,
		 size->order);
}

KUNIT_ARRAY_PARAM(sizes, sizes, size_desc);

static void none_rw_bench(struct kunit *test)
{
	const struct size *size = test->param_value;
	unsigned long bytes = size->kib * 1024UL;
	struct ptebatch_stopwatch watch;
	struct ptebatch_region *region;
	unsigned int calls, i;

	region = ptebatch_region_filled(test, bytes, size->order);
	calls = 2 * DIV_ROUND_UP(PAGES, bytes / PAGE_SIZE);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		toggle(region, PROT_NONE, calls, 3, &ways[i], &watch);
		ptebatch_bench_report(test, &watch, bytes / PAGE_SIZE * calls / 2, calls,
				      "table=mprotect-size name=none-rw size=%u order=%u way=%s",
				      size->kib, size->order, ways[i].name);
	}
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(ro_rw_bench, orders_gen_params),
	KUNIT_CASE_PARAM(alternate_bench, large_orders_gen_params),
	KUNIT_CASE_PARAM(none_rw_bench, sizes_gen_params),
	{}
};

PTEBATCH_SUITE(mprotect_bench, bench_cases);
