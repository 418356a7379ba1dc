// SPDX-License-Identifier: GPL-2.0
/*
 * S5: MADV_DONTNEED of 256 MiB, page by page: by madvise(), and by
 * process_madvise() with more and more pages a call. Beside the time, how often
 * a call takes a lock and gathers what to flush from the TLBs.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/pidfd.h>

#include "../lib/counter.h"
#include "../lib/process.h"
#include "../lib/region.h"
#include "../lib/stopwatch.h"
#include "../lib/syscall.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(madvise));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(process_madvise));

/* How many pages a call of process_madvise() is told of; 0: madvise(). */
static const unsigned int batches[] = {
	0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024
};

static void batch_desc(const unsigned int *batch, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, *batch ? "%u a call" : "madvise()",
		 *batch);
}

KUNIT_ARRAY_PARAM(batches, batches, batch_desc);

/**
 * struct advice - what to do
 * @region: all of this is not needed any more
 * @vector: address of an array of struct iovec, one for each page
 * @batch: from batches[]
 * @watch: times it
 * @counters: count its calls, if not %NULL
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

/* As the process whose memory it is; nobody else may do this to it. */
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

/* Memory, and beside it what names each of its pages. */
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

static void check_gone(struct kunit *test, struct ptebatch_region *region)
{
	/* The pages that hold the vector are left. */
	KUNIT_EXPECT_LE(test, get_mm_counter_sum(region->mm, MM_ANONPAGES),
			region->bytes / PAGE_SIZE * sizeof(struct iovec) /
			PAGE_SIZE);
}

#define S5_BYTES	SZ_256M

static unsigned long calls(const struct advice *advice)
{
	return advice->region->bytes / PAGE_SIZE / (advice->batch ?: 1);
}

static void dontneed_bench(struct kunit *test)
{
	const unsigned int *batch = test->param_value;
	struct ptebatch_stopwatch watch = {};
	struct advice advice = { .batch = *batch, .watch = &watch };
	char what[64];

	prepare(test, &advice, S5_BYTES);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_process(advice.region->mm, advise,
						  &advice));
	check_gone(test, advice.region);
	snprintf(what, sizeof(what), "table=S5 name=dontneed batch=%u", *batch);
	ptebatch_stopwatch_report(test, &watch, what, S5_BYTES / PAGE_SIZE,
				  calls(&advice));
}

/* As much as the largest batch. */
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
		kunit_skip(test, "nothing counts calls without CONFIG_KPROBES");
	KUNIT_ASSERT_EQ(test, 0, err);
	check_gone(test, advice.region);
	/* Each call is like the next. */
	for (i = 0; i < NR_COUNTERS; i++) {
		KUNIT_EXPECT_EQ(test, 0, counters[i].hits % calls(&advice));
		counters[i].hits /= calls(&advice);
	}
	kunit_info(test, "counts table=S5 name=dontneed batch=%u: per=call mmap-locks=%lu vma-locks=%lu gathers=%lu\n",
		   *batch, counters[MMAP_LOCKS].hits, counters[VMA_LOCKS].hits,
		   counters[GATHERS].hits);
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(dontneed_bench, batches_gen_params),
	KUNIT_CASE_PARAM(dontneed_counts, batches_gen_params),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "ptebatch_madvise_bench",
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
