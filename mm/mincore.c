// SPDX-License-Identifier: GPL-2.0
/*
 * mincore() reports which pages are in memory. mincore_pte_range() reads one
 * entry of a contpte block for all entries of the block in the range. A present
 * entry is in memory, and a swap entry whose folio is in the swap cache; without
 * an entry or with a marker, a page that the page cache of the file has:
 *
 *	{Wdyx*4 -*8 Wdyx*4}	"1*4 0*8 1*4"
 *
 * Of shmem in swap, MADV_WILLNEED reads pages into the swap cache.
 *
 * There is no twin: it would differ in contpte blocks only.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "../lib/inject/conditions.h"
#include "../lib/kernel/syscall.h"
#include "../lib/op/advise.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/swap.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mincore));

#define RW	(PROT_READ | PROT_WRITE)

/* A byte that mincore() has not written. */
#define NOT_WRITTEN	0xa5

/* What mincore() reports for each page of the range; then a byte more. */
static u8 reported[PTEBATCH_ROW_ENTRIES + 1];

static long call_mincore(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	const struct ptebatch_row *row = &space->row;
	struct ptebatch_args args;
	unsigned long to;
	long ret;

	memset(reported, NOT_WRITTEN, sizeof(reported));
	kthread_use_mm(space->places[0].mm);
	to = ptebatch_to_user(reported, sizeof(reported));
	if (IS_ERR_VALUE(to)) {
		ret = to;
		goto unuse;
	}
	args = ptebatch_args(ptebatch_addr(space, row->from),
			     (row->to - row->from) * PAGE_SIZE, to, 0, 0);
	ret = ptebatch_syscall(PTEBATCH_SYSCALL(mincore), &args);
	if (copy_from_user(reported, (void __user *)to, sizeof(reported)))
		ret = -EFAULT;
	vm_munmap(to, PAGE_ALIGN(sizeof(reported)));
unuse:
	kthread_unuse_mm(space->places[0].mm);
	return ret;
}

static const struct ptebatch_op mincore_op = {
	.function = "mincore()", .call = call_mincore, .no_twin = true,
};

/* The set-up keeps the folios of swap entries in the swap cache. */
static void drop_cache(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (folio_test_swapcache(space->folios[i]))
			ptebatch_swap_free(space->folios[i]);
}

static const struct ptebatch_condition_type not_in_swap_cache = {
	.name = "the folios are not in the swap cache", .occur = drop_cache,
};

#define NOT_IN_SWAP_CACHE	{ .type = &not_in_swap_cache }

static void read_pages(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned long part = use->condition->value;

	KUNIT_ASSERT_EQ(use->trial->test, 0,
			ptebatch_do_madvise(space->places[0].mm,
					    ptebatch_addr(space, PART_FROM(part)),
					    PART_NR(part) * PAGE_SIZE, MADV_WILLNEED));
}

static const struct ptebatch_condition_type willneed = {
	.name = "MADV_WILLNEED reads pages into the swap cache", .occur = read_pages,
};

#define WILLNEED(from, nr)	{ .type = &willneed, .value = PART(from, nr) }

/**
 * struct mincore_row - a case of mincore()
 * @c: the case; no entry changes
 * @expected: what mincore() reports: runs of equal bytes, of which the last may
 *            be without its length
 */
struct mincore_row {
	struct ptebatch_case c;
	const char *expected;
};

static const struct mincore_row rows[] = {
	{ { "64K folio: in memory",
	    { "{Wdyx*16}", .prot = RW } }, "1" },
	{ { "64K folio, PROT_NONE: in memory",
	    { "{Ndyx*16}", .prot = PROT_NONE } }, "1" },
	{ { "64K folio, 10 pages in the middle of it: 10 bytes written",
	    { "{Wdyx*3 | Wdyx*10 | Wdyx*3}", .prot = RW } }, "1" },
	{ { "64K folio with a hole: in memory, except for the hole",
	    { "{Wdyx*4 -*8 Wdyx*4}", .prot = RW } }, "1*4 0*8 1" },
	{ { "two 64K folios with a hole of 64K between them: in memory, except for the hole",
	    { "{Wdyx*16} -*16 {Wdyx*16}", .prot = RW } }, "1*16 0*16 1" },
	{ { "64K folio across a page table boundary: in memory",
	    { "@-8 {Wdyx*16}", .prot = RW } }, "1" },
	{ { "64K folio, not mapped behind a page table boundary: first half in memory",
	    { "@-8 {Wdyx*8 -*8}", .prot = RW } }, "1*8 0" },
	{ { "PMD changes before the lock: looked at again, in memory",
	    { "{Wdyx*16}", .prot = RW }, .with = { TABLE_LOST } }, "1" },
	{ { "PMD-mapped folio: in memory",
	    { "[Wdyx]", .prot = RW } }, "1" },
	{ { "9 pages of a PMD-mapped folio: 9 bytes written",
	    { "[|Wdyx*9|Wdyx*T-9]", .prot = RW } }, "1" },
	{ { "zero page between two small folios: in memory",
	    { "Wdyx Rzy*2 Wdyx", .prot = RW } }, "1" },
	{ { "guard markers between 16K folios: not in memory",
	    { "{Wdyx*4} G*4 {Wdyx*4}", .prot = RW, .vma = VM_MAYBE_GUARD } }, "1*4 0*4 1" },
	{ { "migration entries of a 64K folio: in memory",
	    { "{Mx*16}", .prot = RW } }, "1" },
	{ { "64K folio, second half migration entries: in memory",
	    { "{Wdyx*8 Mx*8}", .prot = RW } }, "1" },

	/* Swap entries. */
	{ { "swap entries of a 64K folio in the swap cache: in memory",
	    { "{Sx*16}", .prot = RW, .folios = WITH_SWAP } }, "1" },
	{ { "swap entries of a 64K folio that is swapped out: not in memory",
	    { "{Sx*16}", .prot = RW, .folios = WITH_SWAP }, .with = { NOT_IN_SWAP_CACHE } }, "0" },
	{ { "small folios before swap entries of a swapped-out folio: only they in memory",
	    { "Wdyx*3 {Sx*16}", .prot = RW, .folios = WITH_SWAP },
	    .with = { NOT_IN_SWAP_CACHE } }, "1*3 0" },

	/* Files. */
	{ { "64K file folio: in memory",
	    { "{Ry*16}", PTEBATCH_FILE, RW } }, "1" },
	{ { "64K file folio that no entry maps: in memory",
	    { "{-*16}", PTEBATCH_FILE, RW } }, "1" },
	{ { "16K file folio, nothing before and behind it: only it in memory",
	    { "-*4 {-*4} -*4", PTEBATCH_FILE, RW } }, "0*4 1*4 0" },
	{ { "64K shmem folio, half of it mapped: in memory",
	    { "{Wdy*8 -*8}", PTEBATCH_SHMEM, RW } }, "1" },
	{ { "32K shmem folio between markers of an empty file: only it in memory",
	    { "U*4 {Ry*8} U*4", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP } }, "0*4 1*8 0" },
	{ { "64K shmem folio, uffd-wp markers instead of its second half: in memory",
	    { "{Ry*8 U*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP } }, "1" },

	/* Shmem in swap: one entry in the page cache for all pages of a folio. */
	{ { "swapped-out 64K shmem folio: not in memory",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16",
	    .with = { FILE_SWAPPED_OUT } }, "0" },
	{ { "swapped-out small shmem folios, MADV_WILLNEED of 2: only they in memory",
	    { "Wdy*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*4",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(1, 2) } }, "0*1 1*2 0" },
	{ { "swapped-out 64K shmem folio, MADV_WILLNEED of page 0: only it in memory",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(0, 1) } }, "1*1 0" },
	{ { "swapped-out 64K shmem folio, MADV_WILLNEED of all pages: in memory",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(0, 16) } }, "1" },
	{ { "swapped-out 64K shmem folio, MADV_WILLNEED of pages 5 to 10: only they in memory",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(5, 6) } }, "0*5 1*6 0" },
	{ { "two swapped-out 64K shmem folios, MADV_WILLNEED of pages 8 to 23: in memory",
	    { "{Wdy*16} {Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*32",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(8, 16) } }, "0*8 1*16 0" },
	{ { "swapped-out 512K shmem folio, MADV_WILLNEED of 20 pages: only they in memory",
	    { "{Wdy*128}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*128",
	    .with = { FILE_SWAPPED_OUT, WILLNEED(60, 20) } }, "0*60 1*20 0" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

/* The length of the first run of @runs. */
static unsigned int run_length(const char *runs)
{
	unsigned int length;

	return sscanf(runs + 1, "*%u", &length) == 1 ? length : UINT_MAX;
}

static void check_reported(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	const struct mincore_row *row = container_of(c, struct mincore_row, c);
	const struct ptebatch_row *drawn = &trial->space->row;
	unsigned int nr = drawn->to - drawn->from;
	const char *run = row->expected;
	unsigned int left = run_length(run);
	unsigned int i;

	for (i = 0; i < nr && reported[i] == *run - '0'; i++)
		if (!--left) {
			run = skip_spaces(strchrnul(run, ' '));
			left = run_length(run);
		}
	KUNIT_EXPECT_EQ_MSG(trial->test, i, nr,
			    "mincore() reports %#x for page %u of the range, expected %c",
			    reported[i], i, *run);
	KUNIT_EXPECT_EQ_MSG(trial->test, reported[nr], NOT_WRITTEN,
			    "mincore() writes more than the %u bytes of the range", nr);
}

static bool check_row(struct kunit *test, struct mincore_row row)
{
	row.c.op = &mincore_op;
	row.c.check = check_reported;
	return ptebatch_case_run(test, &row.c);
}

static void mincore_row(struct kunit *test)
{
	check_row(test, *(const struct mincore_row *)test->param_value);
}

/**
 * struct kind - kind of entries
 * @name: name of the kind
 * @inside: token of the pages in the range
 * @outside: token of the other pages
 * @expected: what mincore() reports for each page of the range
 */
struct kind {
	const char *name;
	const char *inside, *outside, *expected;
};

static const struct kind kinds[] = {
	{ "folio: in memory", "Wdyx", "Wdyx", .expected = "1" },
	{ "folio, no entry outside of the range: in memory", "Wdyx", "-", .expected = "1" },
	{ "folio, no entry in the range: not in memory", "-", "Wdyx", .expected = "0" },
};

PTEBATCH_ORDER_PARAMS(mincore_order, kinds);

static bool check_range(struct kunit *test, const void *data, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = data;
	const char *picture = ptebatch_draw_range(test, nr, from, to, kind->outside,
						  kind->inside);

	return check_row(test, (struct mincore_row) {
		{ .setup = { picture, .prot = RW } }, kind->expected,
	});
}

static void mincore_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

static struct kunit_case mincore_cases[] = {
	KUNIT_CASE_PARAM(mincore_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(mincore_order),
	{}
};

PTEBATCH_SUITE(mincore, mincore_cases, PTEBATCH_SWAP_SPACE);
