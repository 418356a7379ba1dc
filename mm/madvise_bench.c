// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_DONTNEED of 256 MiB, page by page: by madvise(), and by
 * process_madvise() with 1 to 1024 pages a call. Besides the time, the lock
 * acquisitions and TLB gathers of a call are counted.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/pidfd.h>

#include "../lib/kernel/process.h"
#include "../lib/kernel/syscall.h"
#include "../lib/record/counter.h"
#include "../lib/run/bench.h"
#include "../lib/run/region.h"
#include "../lib/service/service.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(madvise));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(process_madvise));

/* Pages a call of process_madvise(); 0: madvise(). */
static const unsigned int batches[] = {
	0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024
};

static void batch_desc(const unsigned int *batch, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, *batch ?
		 "process_madvise(), %u pages a call" : "madvise()", *batch);
}

KUNIT_ARRAY_PARAM(batches, batches, batch_desc);

/**
 * struct advice - MADV_DONTNEED of a region
 * @region: the region
 * @vector: address of an array of struct iovec, one for each page
 * @batch: pages a call, from batches[]
 * @watch: stopwatch that times all calls
 * @counters: NR_COUNTERS counters of function calls, or %NULL
 */
struct advice {
	struct ptebatch_region *region;
	unsigned long vector;
	unsigned int batch;
	struct ptebatch_stopwatch *watch;
	struct ptebatch_counter *counters;
};

enum { MMAP_LOCKS, VMA_LOCKS, GATHERS, NR_COUNTERS };

static long advise_each(const struct advice *advice)
{
	unsigned long addr = advice->region->start;
	unsigned long end = addr + advice->region->bytes;
	struct ptebatch_args args;
	long err = 0;

	for (; addr < end && !err; addr += PAGE_SIZE) {
		args = ptebatch_args(addr, PAGE_SIZE, MADV_DONTNEED, 0, 0);
		err = ptebatch_syscall(PTEBATCH_SYSCALL(madvise), &args);
	}
	return err;
}

static long advise_batches(const struct advice *advice)
{
	unsigned long at = advice->vector, batch = advice->batch;
	unsigned long left = advice->region->bytes;
	struct ptebatch_args args;
	long bytes;

	for (; left; left -= bytes) {
		args = ptebatch_args(PIDFD_SELF, at, batch, MADV_DONTNEED, 0);
		bytes = ptebatch_syscall(PTEBATCH_SYSCALL(process_madvise),
					 &args);
		if (bytes != batch * PAGE_SIZE)
			return bytes < 0 ? bytes : -EIO;
		at += batch * sizeof(struct iovec);
	}
	return 0;
}

/* In the process that owns the region: MADV_DONTNEED is not allowed remotely. */
static long advise(void *data)
{
	const struct advice *advice = data;
	long err = 0;

	if (advice->counters)
		err = ptebatch_counters_begin(advice->counters, NR_COUNTERS);
	if (err)
		return err;
	ptebatch_stopwatch_start(advice->watch);
	err = advice->batch ? advise_batches(advice) : advise_each(advice);
	ptebatch_stopwatch_stop(advice->watch);
	if (advice->counters)
		ptebatch_counters_end(advice->counters, NR_COUNTERS);
	return err;
}

/* Populate a region, and write an iovec for each of its pages beside it. */
static void prepare(struct kunit *test, struct advice *advice,
		    unsigned long bytes)
{
	struct ptebatch_region *region;
	unsigned long addr, failed = 0;
	struct iovec __user *vector;
	struct iovec page;

	region = ptebatch_region_filled(test, bytes, 0);
	advice->region = region;
	kthread_use_mm(region->mm);
	advice->vector = vm_mmap(NULL, 0, bytes / PAGE_SIZE * sizeof(page),
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, 0);
	vector = (struct iovec __user *)advice->vector;
	if (IS_ERR_VALUE(advice->vector))
		failed = 1;
	for (addr = region->start; !failed && addr < region->start + bytes;
	     addr += PAGE_SIZE) {
		page.iov_base = (void __user *)addr;
		page.iov_len = PAGE_SIZE;
		failed = copy_to_user(vector++, &page, sizeof(page));
	}
	kthread_unuse_mm(region->mm);
	KUNIT_ASSERT_EQ(test, failed, 0);
}

static void expect_zapped(struct kunit *test, struct ptebatch_region *region)
{
	/* The pages of the vector stay mapped. */
	KUNIT_EXPECT_LE(test, get_mm_counter_sum(region->mm, MM_ANONPAGES),
			region->bytes / PAGE_SIZE * sizeof(struct iovec) /
			PAGE_SIZE);
}

#define BYTES	SZ_256M

static unsigned long calls(const struct advice *advice)
{
	return advice->region->bytes / PAGE_SIZE / (advice->batch ?: 1);
}

static void dontneed_bench(struct kunit *test)
{
	const unsigned int *batch = test->param_value;
	struct ptebatch_stopwatch watch = {};
	struct advice advice = { .batch = *batch, .watch = &watch };

	prepare(test, &advice, BYTES);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_process(advice.region->mm, advise,
						  &advice));
	expect_zapped(test, advice.region);
	ptebatch_bench_report(test, &watch, BYTES / PAGE_SIZE, calls(&advice),
			      "table=madvise name=dontneed batch=%u", *batch);
}

/* One call of the largest batch. */
#define COUNTED_BYTES	(1024 * PAGE_SIZE)

static void dontneed_counts(struct kunit *test)
{
	const unsigned int *batch = test->param_value;
	static struct ptebatch_counter counters[NR_COUNTERS];
	struct ptebatch_stopwatch unused = {};
	struct advice advice = {
		.batch = *batch,
		.watch = &unused,
		.counters = counters,
	};
	unsigned int i;
	int err;

	prepare(test, &advice, COUNTED_BYTES);
	counters[MMAP_LOCKS] = (struct ptebatch_counter) {
		"down_read", &advice.region->mm->mmap_lock,
	};
	counters[VMA_LOCKS] = (struct ptebatch_counter) {
		"lock_vma_under_rcu", advice.region->mm,
	};
	counters[GATHERS] = (struct ptebatch_counter) {
		"tlb_gather_mmu", advice.region->mm, 1,
	};
	err = ptebatch_process(advice.region->mm, advise, &advice);
	if (err == -EOPNOTSUPP)
		kunit_skip(test, "counting calls needs CONFIG_KPROBES");
	KUNIT_ASSERT_EQ(test, 0, err);
	expect_zapped(test, advice.region);
	/* All calls must take the same number of locks and gathers. */
	for (i = 0; i < NR_COUNTERS; i++) {
		KUNIT_EXPECT_EQ(test, 0, counters[i].hits % calls(&advice));
		counters[i].hits /= calls(&advice);
	}
	kunit_info(test, "counts table=madvise name=dontneed batch=%u: per=call mmap-locks=%lu vma-locks=%lu gathers=%lu\n",
		   *batch, counters[MMAP_LOCKS].hits, counters[VMA_LOCKS].hits,
		   counters[GATHERS].hits);
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(dontneed_bench, batches_gen_params),
	KUNIT_CASE_PARAM(dontneed_counts, batches_gen_params),
	{}
};

PTEBATCH_SUITE(madvise_bench, bench_cases);
