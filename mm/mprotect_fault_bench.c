// SPDX-License-Identifier: GPL-2.0
/*
 * Time of writes where mprotect() avoids the write fault, compared with
 * writes to writable memory and with writes that fault: to new memory, to memory
 * that mprotect() left read-only, and to memory with soft-dirty bits clear.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "../lib/op/protect.h"
#include "../lib/run/bench.h"
#include "../lib/run/region.h"
#include "../lib/service/service.h"

/* The region, in bytes; it is written in areas of each of sizes[]. */
#define BYTES	SZ_4M

/* Write all bytes of an area; returns 0 if all were written. */
static unsigned long write_all(unsigned long start, unsigned long bytes)
{
	return clear_user((void __user *)start, bytes);
}

/* Write one byte to each page of an area; returns 0 if all were written. */
static unsigned long write_bytes(unsigned long start, unsigned long bytes)
{
	unsigned long addr, failed = 0;

	for (addr = start; addr < start + bytes; addr += PAGE_SIZE)
		failed |= put_user(1, (char __user *)addr);
	return failed;
}

static const struct how {
	const char *name;
	unsigned long (*write)(unsigned long start, unsigned long bytes);
} hows[] = {
	{ "memset", write_all },
	{ "byte", write_bytes },
};

static const unsigned int sizes[] = { 4, 16, 64, 512 };	/* KiB */

static void prepare_nothing(struct ptebatch_region *region)
{
}

static void change(struct ptebatch_region *region,
		   enum ptebatch_protection_id how)
{
	ptebatch_change(region->mm, region->start,
			region->start + region->bytes,
			&ptebatch_protections[how], false);
}

static void ro_rw(struct ptebatch_region *region)
{
	change(region, PTEBATCH_TO_READABLE);
	change(region, PTEBATCH_TO_WRITABLE);
}

/* As ro_rw(), but leaving the write faults: no MM_CP_TRY_CHANGE_WRITABLE. */
static void ro_rw_faults(struct ptebatch_region *region)
{
	change(region, PTEBATCH_TO_READABLE);
	change(region, PTEBATCH_TO_WRITABLE_LATER);
}

/* Preparation of each timed write, in the order in which they run. */
static const struct access {
	const char *name;
	void (*prepare)(struct ptebatch_region *region);
	bool soft_dirty;
} accesses[] = {
	{ "first", prepare_nothing },
	{ "second", prepare_nothing },
	{ "ro-rw", ro_rw },
	{ "ro-rw-faults", ro_rw_faults },
	{ "soft-dirty", ptebatch_region_clear_refs, true },
};

/**
 * struct write_param - a case: one kind and size of writes
 * @how: index of the write function in hows[]
 * @size: index of the area's size in sizes[]
 */
struct write_param {
	unsigned int how, size;
};

static bool fill_param(unsigned int i, void *param)
{
	*(struct write_param *)param = (struct write_param) {
		.how = i / ARRAY_SIZE(sizes), .size = i % ARRAY_SIZE(sizes),
	};
	return true;
}

static void describe_param(struct kunit *test, const void *data, char *desc)
{
	const struct write_param *param = data;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, %u KiB",
		 hows[param->how].name, sizes[param->size]);
}

static int write_bench_params(struct kunit *test)
{
	return ptebatch_params(test, ARRAY_SIZE(hows) * ARRAY_SIZE(sizes),
			       sizeof(struct write_param), fill_param,
			       describe_param);
}

static unsigned long write_areas(struct ptebatch_region *region,
				 const struct how *how, unsigned long bytes,
				 struct ptebatch_stopwatch *watch)
{
	unsigned long addr, end = region->start + region->bytes, failed = 0;

	kthread_use_mm(region->mm);
	ptebatch_stopwatch_start(watch);
	for (addr = region->start; addr < end; addr += bytes)
		failed |= how->write(addr, bytes);
	ptebatch_stopwatch_stop(watch);
	kthread_unuse_mm(region->mm);
	return failed;
}

static void write_bench(struct kunit *test)
{
	const struct write_param *param = test->param_value;
	struct ptebatch_stopwatch watches[ARRAY_SIZE(accesses)] = {};
	const struct how *how = &hows[param->how];
	unsigned long bytes = sizes[param->size] * 1024UL;
	struct ptebatch_region *region;
	unsigned int lap, i;

	for (lap = 0; lap < PTEBATCH_BENCH_LAPS; lap++) {
		region = ptebatch_region(test, BYTES);
		for (i = 0; i < ARRAY_SIZE(accesses); i++) {
			if (accesses[i].soft_dirty &&
			    !pgtable_supports_soft_dirty())
				continue;
			accesses[i].prepare(region);
			KUNIT_ASSERT_EQ(test, 0,
					write_areas(region, how, bytes,
						    &watches[i]));
		}
		ptebatch_region_release(region);
	}
	for (i = 0; i < ARRAY_SIZE(accesses); i++) {
		if (!watches[i].laps) {
			kunit_info(test, "access=%s: needs soft-dirty bits\n",
				   accesses[i].name);
			continue;
		}
		ptebatch_bench_report(test, &watches[i], BYTES / PAGE_SIZE, BYTES / bytes,
				      "table=mprotect-fault name=write how=%s size=%u access=%s",
				      how->name, sizes[param->size], accesses[i].name);
	}
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(write_bench),
	{}
};

PTEBATCH_SUITE(mprotect_fault_bench, bench_cases);
