// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of mapping a file: a read of each page of a page table, by the order of
 * the folios in the page cache. A fault maps the 16 pages around it, or the whole
 * folio. Beside it, one by one: the same reads where each page has a fault of its
 * own, as in a VMA that is registered with userfaultfd.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "../lib/kernel/process.h"
#include "../lib/record/stat.h"
#include "../lib/run/bench.h"
#include "../lib/service/service.h"
#include "../lib/space/space.h"

static const struct ptebatch_bench_kind kinds[] = {
	{ "file", { .mapping = PTEBATCH_FILE, .prot = PROT_READ }, "-" },
};

PTEBATCH_BENCH_PARAMS(file_bench, kinds);

static unsigned long faults;

static bool one_by_one(const struct ptebatch_space *space)
{
	const struct ptebatch_bench *bench = space->test->param_value;

	return bench->twin;
}

static void prepare(struct ptebatch_space *space)
{
	if (one_by_one(space))
		ptebatch_vma_flags(space->places[0].mm, ptebatch_addr(space, 0),
				   VM_UFFD_WP, 0);
	faults = ptebatch_events(PGFAULT);
}

/* Returns 0 if all pages were read. */
static long read_all(struct ptebatch_space *space, struct ptebatch_stopwatch *watch)
{
	unsigned long addr, end = ptebatch_addr(space, PTEBATCH_BENCH_PAGES);
	struct mm_struct *mm = space->places[0].mm;
	int failed = 0;
	char byte;

	kthread_use_mm(mm);
	ptebatch_stopwatch_start(watch);
	for (addr = ptebatch_addr(space, 0); addr < end; addr += PAGE_SIZE)
		failed |= get_user(byte, (char __user *)addr);
	ptebatch_stopwatch_stop(watch);
	kthread_unuse_mm(mm);
	faults = ptebatch_events(PGFAULT) - faults;
	return failed;
}

static void expect_mapped(struct ptebatch_space *space)
{
	if (one_by_one(space))
		KUNIT_EXPECT_EQ_MSG(space->test, faults, PTEBATCH_BENCH_PAGES,
				    "faults: not each page has one of its own");
	KUNIT_EXPECT_EQ_MSG(space->test, get_mm_counter_sum(space->places[0].mm, MM_FILEPAGES),
			    PTEBATCH_BENCH_PAGES, "MM_FILEPAGES after the reads, in pages");
}

static void file_bench(struct kunit *test)
{
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"faults", .prepare = prepare, .time = read_all, .check = expect_mapped,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(file_bench),
	{}
};

PTEBATCH_SUITE(filemap_bench, bench_cases);
