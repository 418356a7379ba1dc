// SPDX-License-Identifier: GPL-2.0
/*
 * process_madvise(): its return value and the ranges it has advised (rule 23).
 * ptebatch_madvise checks what each advice does to entries; most cases here use
 * MADV_DONTNEED, because its effect is easy to see.
 */
#include <kunit/test.h>
#include <linux/capability.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <uapi/linux/pidfd.h>

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/process.h"
#include "../lib/op/advise.h"
#include "../lib/op/process_madvise.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/service.h"
#include "../lib/service/swap.h"

#define DONTNEED(...)	VECTOR(MADV_DONTNEED, RANGES(__VA_ARGS__))

static bool check_row(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_case run = *row;

	run.setup.prot = PROT_READ | PROT_WRITE;
	run.setup.folios |= ON_LRU;
	run.op = &ptebatch_process_madvise;
	return ptebatch_case_run(test, &run);
}

/* Vectors: return value, and which ranges are advised. */

static const struct ptebatch_case vector_rows[] = {
	{ "vlen 0: returns 0", { "{Wdyx*16}" },
	  .arg = VECTOR(MADV_DONTNEED) },
	{ "one range: advised, returns 8 pages", { "{Wdyx*16}" }, "{Wdyx*4 -*8 Wdyx*4}",
	  .arg = DONTNEED(PAGES(4, 8)), .ret = BYTES(8) },
	{ "two ranges: both advised", { "{Wdyx*16}" }, "{-*4 Wdyx*4 -*4 Wdyx*4}",
	  .arg = DONTNEED(PAGES(0, 4), PAGES(8, 4)), .ret = BYTES(8) },
	{ "two adjacent ranges: both advised", { "{Wdyx*16}" }, "{-*8 Wdyx*8}",
	  .arg = DONTNEED(PAGES(0, 4), PAGES(4, 4)), .ret = BYTES(8) },
	{ "two overlapping ranges: advised, returns the sum of their lengths",
	  { "{Wdyx*16}" }, "{-*9 Wdyx*7}", .arg = DONTNEED(PAGES(0, 6), PAGES(3, 6)),
	  .ret = BYTES(12) },
	{ "the same range twice: advised, returns twice its length", { "{Wdyx*16}" },
	  "{-*4 Wdyx*12}", .arg = DONTNEED(PAGES(0, 4), PAGES(0, 4)), .ret = BYTES(8) },
	{ "three ranges in descending order: all advised", { "{Wdyx*16} Wdyx" },
	  "{-*2 Wdyx*6 -*4 Wdyx*4} -",
	  .arg = DONTNEED(PAGES(16, 1), PAGES(8, 4), PAGES(0, 2)), .ret = BYTES(7) },
	{ "five ranges: all advised", { "{Wdyx*16}" },
	  "{- Wdyx - Wdyx - Wdyx - Wdyx - Wdyx*7}",
	  .arg = DONTNEED(PAGES(0, 1), PAGES(2, 1), PAGES(4, 1), PAGES(6, 1),
			  PAGES(8, 1)),
	  .ret = BYTES(5) },
	{ "vlen 1024: all advised, returns 1024 pages", { "{Wdyx*16}" },
	  "{-*5 Wdyx*11}",
	  .arg = VECTOR(MADV_DONTNEED, .vlen = 1024,
			RANGES(PAGES(0, 1), PAGES(1, 1), PAGES(2, 1), PAGES(3, 1),
			       PAGES(4, 1))),
	  .ret = BYTES(1024) },
	{ "vlen 1025: -EINVAL, nothing advised", { "{Wdyx*16}" },
	  .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 1)), .vlen = 1025),
	  .ret = -EINVAL },
	{ "vlen 5000: -EINVAL, nothing advised", { "{Wdyx*16}" },
	  .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 1)), .vlen = 5000),
	  .ret = -EINVAL },
	{ "one range over parts of two folios: advised", { "{Wdyx*16} {Wdyx*16}" },
	  "{Wdyx*8 -*8} {-*8 Wdyx*8}", .arg = DONTNEED(PAGES(8, 16)),
	  .ret = BYTES(16) },

	/* Lengths. */
	{ "one empty range: returns 0", { "{Wdyx*16}" }, .arg = DONTNEED(PAGES(4, 0)) },
	{ "three empty ranges: returns 0", { "{Wdyx*16}" },
	  .arg = DONTNEED(PAGES(4, 0), PAGES(0, 0), PAGES(8, 0)) },
	{ "empty range, then 4 pages: returns 4 pages", { "{Wdyx*16}" },
	  "{-*4 Wdyx*12}", .arg = DONTNEED(PAGES(8, 0), PAGES(0, 4)), .ret = BYTES(4) },
	{ "empty ranges between two other ranges: both advised", { "{Wdyx*16}" },
	  "{-*4 Wdyx*4 -*2 Wdyx*6}",
	  .arg = DONTNEED(PAGES(0, 4), PAGES(8, 0), PAGES(9, 0), PAGES(8, 2),
			  PAGES(15, 0)),
	  .ret = BYTES(6) },
	{ "unaligned empty range first: -EINVAL, nothing advised", { "{Wdyx*16}" },
	  .arg = DONTNEED({ 1, 0 }, PAGES(0, 4)), .ret = -EINVAL },
	{ "length of 4 pages and 1 byte: 5 pages advised, returns the length",
	  { "{Wdyx*16}" }, "{-*5 Wdyx*11}", .arg = DONTNEED({ 0, 4 * PAGE_SIZE + 1 }),
	  .ret = BYTES(4) + 1 },
	{ "two unaligned lengths: rounded up to pages, returns their sum",
	  { "{Wdyx*16}" }, "{-*5 Wdyx*3 - Wdyx*7}",
	  .arg = DONTNEED({ 0, 4 * PAGE_SIZE + 1 }, { 8 * PAGE_SIZE, PAGE_SIZE - 1 }),
	  .ret = BYTES(5) },
	{ "unaligned start: -EINVAL, nothing advised", { "{Wdyx*16}" },
	  .arg = DONTNEED({ 8, PAGE_SIZE }), .ret = -EINVAL },
	{ "unaligned start of the second range: first advised, returns its length",
	  { "{Wdyx*16}" }, "{-*4 Wdyx*12}",
	  .arg = DONTNEED(PAGES(0, 4), { 8 * PAGE_SIZE + 1, PAGE_SIZE }, PAGES(12, 4)),
	  .ret = BYTES(4) },

	/* Rejected by import_iovec(): no range is advised. */
	{ "second range past the end of the address space: -EFAULT, nothing advised",
	  { "{Wdyx*16}" }, .arg = DONTNEED(PAGES(0, 4), { LAST_PAGE, 2 * PAGE_SIZE }),
	  .ret = -EFAULT },
	{ "one range past the end of the address space: -EFAULT", { "{Wdyx*16}" },
	  .arg = DONTNEED({ LAST_PAGE, 2 * PAGE_SIZE }), .ret = -EFAULT },
	{ "second range of length -PAGE_SIZE: -EINVAL, nothing advised",
	  { "{Wdyx*16}" }, .arg = DONTNEED(PAGES(0, 4), { 0, -PAGE_SIZE }),
	  .ret = -EINVAL },
	{ "second range of length -1: -EINVAL, nothing advised", { "{Wdyx*16}" },
	  .arg = DONTNEED(PAGES(0, 4), { 0, -1UL }), .ret = -EINVAL },

	/* VMAs. */
	{ "one range over three VMAs: advised", { "{Wdyx*6 ; Wdyx*4 ; Wdyx*6}" },
	  "{Wdyx*2 -*12 Wdyx*2}", .arg = DONTNEED(PAGES(2, 12)), .ret = BYTES(12) },
	{ "ranges in one VMA, over three and in one: all advised",
	  { "{Wdyx*6 ; Wdyx*4 ; Wdyx*6}" }, "{-*2 Wdyx -*10 Wdyx*2 -}",
	  .arg = DONTNEED(PAGES(0, 2), PAGES(3, 10), PAGES(15, 1)), .ret = BYTES(13) },
	{ "one range in each of three VMAs: all advised",
	  { "{Wdyx*6 ; Wdyx*4 ; Wdyx*6}" }, "{Wdyx -*4 Wdyx -*4 Wdyx -*4 Wdyx}",
	  .arg = DONTNEED(PAGES(1, 4), PAGES(6, 4), PAGES(11, 4)), .ret = BYTES(12) },
	{ "range in a hole: -ENOMEM", { "Wdyx*4 -*8 Wdyx*4" },
	  .arg = DONTNEED(PAGES(5, 4)), .with = { HOLE(4, 8) }, .ret = -ENOMEM },
	{ "range over a hole: both sides advised, -ENOMEM", { "Wdyx*4 -*8 Wdyx*4" },
	  "Wdyx*2 -*12 Wdyx*2", .arg = DONTNEED(PAGES(2, 12)), .with = { HOLE(4, 8) },
	  .ret = -ENOMEM },
	{ "range that ends in a hole: mapped part advised, -ENOMEM",
	  { "Wdyx*4 -*8 Wdyx*4" }, "Wdyx*2 -*10 Wdyx*4", .arg = DONTNEED(PAGES(2, 6)),
	  .with = { HOLE(4, 8) }, .ret = -ENOMEM },
	{ "range that starts in a hole: mapped part advised, -ENOMEM",
	  { "Wdyx*4 -*8 Wdyx*4" }, "Wdyx*4 -*10 Wdyx*2", .arg = DONTNEED(PAGES(8, 6)),
	  .with = { HOLE(4, 8) }, .ret = -ENOMEM },
	{ "second of three ranges over a hole: first two advised, returns the first's length",
	  { "Wdyx*4 -*8 Wdyx*4" }, "- Wdyx -*12 Wdyx*2",
	  .arg = DONTNEED(PAGES(0, 1), PAGES(2, 12), PAGES(15, 1)),
	  .with = { HOLE(4, 8) }, .ret = BYTES(1) },
	{ "empty range in a hole first: the next two ranges advised",
	  { "Wdyx*4 -*8 Wdyx*4" }, "-*14 Wdyx*2",
	  .arg = DONTNEED(PAGES(6, 0), PAGES(0, 4), PAGES(12, 2)),
	  .with = { HOLE(4, 8) }, .ret = BYTES(6) },
};

KUNIT_ARRAY_PARAM_DESC(vector, vector_rows, name);

static bool has_last_page(const struct ptebatch_vector *vector)
{
	unsigned int i;

	for (i = 0; i < vector->nr; i++)
		if (vector->ranges[i].at == LAST_PAGE)
			return true;
	return false;
}

static void process_vector(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;

	if (!PTEBATCH_ACCESS_OK_ENDS && has_last_page((const void *)row->arg))
		kunit_skip(test, "access_ok() accepts addresses behind the end of user space");
	check_row(test, row);
}

/* From the row's first entry, in bytes. */
#define RESERVED_AT	(16L * SZ_1G)
#define RESERVED_BYTES	(3UL * SZ_1G)

static void reserve(struct ptebatch_use *use, const unsigned long *args,
		    struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	unsigned long addr;

	kthread_use_mm(place->mm);
	addr = vm_mmap(NULL, place->start + RESERVED_AT, RESERVED_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, 0);
	kthread_unuse_mm(place->mm);
	KUNIT_ASSERT_EQ(use->trial->test, addr, place->start + RESERVED_AT);
}

static const struct ptebatch_condition_type reserved = {
	.name = "a large VMA without pages", .occur = reserve,
};

static const struct ptebatch_case too_much = {
	.setup = { "-" }, .arg = DONTNEED({ RESERVED_AT, RESERVED_BYTES },
					  { RESERVED_AT, RESERVED_BYTES }),
	.with = { { .type = &reserved } }, .ret = MAX_RW_COUNT,
};

/* A vector of more than MAX_RW_COUNT bytes is truncated, not rejected. */
static void process_too_much(struct kunit *test)
{
	check_row(test, &too_much);
}

/* Arguments other than the vector. */

#define FIRST_PAGE(advice, ...)	VECTOR(advice, RANGES(PAGES(0, 1)), __VA_ARGS__)

static const struct ptebatch_case argument_rows[] = {
	{ "PIDFD_SELF: advised", { "Wdyx*2" }, "- Wdyx",
	  .arg = FIRST_PAGE(MADV_DONTNEED), .ret = PAGE_SIZE },
	{ "PIDFD_SELF_THREAD: advised", { "Wdyx*2" }, "- Wdyx",
	  .arg = FIRST_PAGE(MADV_DONTNEED, .pidfd = PIDFD_SELF_THREAD),
	  .ret = PAGE_SIZE },
	{ "flags 1: -EINVAL", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .flags = 1), .ret = -EINVAL },
	{ "flags UINT_MAX: -EINVAL", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .flags = UINT_MAX), .ret = -EINVAL },
	{ "vector at address 0: -EFAULT", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .no_vector = true), .ret = -EFAULT },
	{ "pidfd -1: -EBADF", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .pidfd = -1), .ret = -EBADF },
	{ "pidfd 1000, not open: -EBADF", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .pidfd = 1000), .ret = -EBADF },
	{ "pidfd of a kernel thread: -ESRCH", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_COLD, .pid = 2), .ret = -ESRCH },
	{ "unassigned behavior 5: -EINVAL", { "Wdyx*2" }, .arg = FIRST_PAGE(5),
	  .ret = -EINVAL },
	{ "unassigned behavior 12345: -EINVAL", { "Wdyx*2" }, .arg = FIRST_PAGE(12345),
	  .ret = -EINVAL },
	{ "behavior -1 (__MADV_SET_ANON_VMA_NAME, prctl() only): -EINVAL", { "Wdyx*2" },
	  .arg = FIRST_PAGE(-1), .ret = -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(argument, argument_rows, name);

static void process_argument(struct kunit *test)
{
	check_row(test, test->param_value);
}

/*
 * Rule 23: an error in one of the ranges, at each position of the vector. The
 * ranges before it are advised and their bytes returned; the error is returned
 * only if it is in the first range.
 */

/* Entries of the row that become a VMA of their own, with or without flags. */
static void change_part(struct ptebatch_use *use, vm_flags_t set, vm_flags_t clear)
{
	unsigned long value = use->condition->value;
	unsigned long addr = ptebatch_addr(use->trial->space, PART_FROM(value));
	struct mm_struct *mm = use->trial->place->mm;

	KUNIT_ASSERT_EQ(use->trial->test, 0,
			ptebatch_do_madvise(mm, addr, PART_NR(value) * PAGE_SIZE, MADV_DONTDUMP));
	ptebatch_vma_flags(mm, addr, set, clear);
	use->trial->call.vma_flags |= set | clear;
}

static void lock_part(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	change_part(use, VM_LOCKED, VM_NONE);
}

static const struct ptebatch_condition_type locked_part = {
	.name = "a part is in a VMA with VM_LOCKED", .occur = lock_part,
};

static void seal_part(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	change_part(use, VM_SEALED, VM_WRITE);
}

static const struct ptebatch_condition_type sealed_part = {
	.name = "a part is in a VMA with VM_SEALED, read-only", .occur = seal_part,
};

static const struct error_row {
	const char *name;
	int behavior;
	const char *before, *after;	/* token of each entry */
	int error;
	const struct ptebatch_condition_type *change;	/* of the range */
	long misalign;		/* added to the range's start, in bytes */
	bool half;		/* @change applies to the first half only */
} error_rows[] = {
	{ "MADV_DONTNEED, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", .after = "-", .error = -ENOMEM,
	  .change = &ptebatch_condition_hole },
	{ "MADV_DONTNEED, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", .after = "-", .error = -ENOMEM, .change = &ptebatch_condition_hole,
	  .half = true },
	{ "MADV_DONTNEED, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", .after = "-", .error = -EINVAL, .change = &locked_part },
	{ "MADV_DONTNEED, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", .after = "-", .error = -EPERM, .change = &sealed_part },
	{ "MADV_DONTNEED, one of 5 ranges unaligned: -EINVAL, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", .after = "-", .error = -EINVAL, .misalign = 1 },
	{ "MADV_FREE, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_FREE, "Wdyx", .after = "Wxl", .error = -ENOMEM, .change = &ptebatch_condition_hole },
	{ "MADV_FREE, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_FREE, "Wdyx", .after = "Wxl", .error = -ENOMEM, .change = &ptebatch_condition_hole,
	  .half = true },
	{ "MADV_FREE, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_FREE, "Wdyx", .after = "Wxl", .error = -EINVAL, .change = &locked_part },
	{ "MADV_FREE, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_FREE, "Wdyx", .after = "Wxl", .error = -EPERM, .change = &sealed_part },
	{ "MADV_COLD, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_COLD, "Wdyx", .after = "Wdx", .error = -ENOMEM, .change = &ptebatch_condition_hole },
	{ "MADV_COLD, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_COLD, "Wdyx", .after = "Wdx", .error = -ENOMEM, .change = &ptebatch_condition_hole,
	  .half = true },
	{ "MADV_COLD, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_COLD, "Wdyx", .after = "Wdx", .error = -EINVAL, .change = &locked_part },
	{ "MADV_COLD, one of 5 ranges unaligned: -EINVAL, or the bytes before it",
	  MADV_COLD, "Wdyx", .after = "Wdx", .error = -EINVAL, .misalign = 8 },
	{ "MADV_GUARD_INSTALL, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", .after = "G", .error = -ENOMEM,
	  .change = &ptebatch_condition_hole },
	{ "MADV_GUARD_INSTALL, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", .after = "G", .error = -EINVAL, .change = &locked_part },
	{ "MADV_GUARD_INSTALL, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", .after = "G", .error = -EPERM, .change = &sealed_part },
	{ "MADV_GUARD_REMOVE, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_GUARD_REMOVE, "G", .after = "-", .error = -ENOMEM,
	  .change = &ptebatch_condition_hole },
};

KUNIT_ARRAY_PARAM_DESC(error, error_rows, name);

#define ERROR_RANGES	5
#define ERROR_PAGES	4	/* of a range */

static bool error_at(struct kunit *test, const struct error_row *row, unsigned int at)
{
	unsigned int before = at * ERROR_PAGES, rest = ERROR_RANGES * ERROR_PAGES - before;
	unsigned int changed = ERROR_PAGES / (row->half ? 2 : 1);
	unsigned int hole = row->change == &ptebatch_condition_hole ? changed : 0;
	struct ptebatch_range ranges[ERROR_RANGES];
	const struct ptebatch_vector vector = {
		.behavior = row->behavior, .ranges = ranges, .nr = ERROR_RANGES,
	};
	const struct ptebatch_case run = {
		.setup.picture = ptebatch_draw(test, "%s*%u -*%u %s*%u", row->before, before,
					       hole, row->before, rest - hole),
		/* The mapped half of a range with a hole is advised. */
		.after = ptebatch_draw(test, "%s*%u -*%u %s*%u %s*%u", row->after, before,
				       hole, hole ? row->after : row->before,
				       ERROR_PAGES - hole, row->before, rest - ERROR_PAGES),
		.arg = (unsigned long)&vector,
		.with = { { .type = row->change, .value = PART(before, changed) } },
		.ret = at ? BYTES(before) : row->error,
	};
	unsigned int i;

	for (i = 0; i < ERROR_RANGES; i++)
		ranges[i] = (struct ptebatch_range)PAGES(ERROR_PAGES * i, ERROR_PAGES);
	ranges[at].at += row->misalign;
	return check_row(test, &run);
}

static void process_error(struct kunit *test)
{
	unsigned int at;

	for (at = 0; at < ERROR_RANGES && error_at(test, test->param_value, at); at++)
		;
}

/* Capabilities that a remote call needs. */

static const struct ptebatch_case capability_rows[] = {
	{ "own address space, no capabilities: allowed", { "Wdyx*2" }, "- Wdyx",
	  .arg = FIRST_PAGE(MADV_DONTNEED, .limited = true), .ret = PAGE_SIZE },
	{ "CAP_SYS_PTRACE and CAP_SYS_NICE: allowed", { "Wdyx*2" }, "Wdx Wdyx",
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_SYS_PTRACE) | BIT_ULL(CAP_SYS_NICE)),
	  .ret = PAGE_SIZE },
	{ "CAP_PERFMON and CAP_SYS_NICE: allowed", { "Wdyx*2" }, "Wdx Wdyx",
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_PERFMON) | BIT_ULL(CAP_SYS_NICE)),
	  .ret = PAGE_SIZE },
	{ "CAP_SYS_PTRACE only: -EPERM", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_SYS_PTRACE)),
	  .ret = -EPERM },
	{ "CAP_SYS_NICE only: -EACCES", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_SYS_NICE)),
	  .ret = -EACCES },
	{ "no capabilities: -EACCES", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true),
	  .ret = -EACCES },
	{ "CAP_SYS_RESOURCE, CAP_KILL and CAP_IPC_LOCK: -EACCES", { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_COLD, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_SYS_RESOURCE) | BIT_ULL(CAP_KILL) | BIT_ULL(CAP_IPC_LOCK)),
	  .ret = -EACCES },
	{ "CAP_SYS_PTRACE only, MADV_DONTNEED of another process: -EINVAL",
	  { "Wdyx*2" },
	  .arg = FIRST_PAGE(MADV_DONTNEED, .limited = true, .remote = true,
	    .caps = BIT_ULL(CAP_SYS_PTRACE)),
	  .ret = -EINVAL },
	{ "no capabilities, unassigned behavior 12345: -EACCES", { "Wdyx*2" },
	  .arg = FIRST_PAGE(12345, .limited = true, .remote = true), .ret = -EACCES },
};

KUNIT_ARRAY_PARAM_DESC(capability, capability_rows, name);

static void process_right(struct kunit *test)
{
	check_row(test, test->param_value);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE_PARAM(process_vector, vector_gen_params),
	KUNIT_CASE(process_too_much),
	KUNIT_CASE_PARAM(process_argument, argument_gen_params),
	KUNIT_CASE_PARAM(process_error, error_gen_params),
	KUNIT_CASE_PARAM(process_right, capability_gen_params),
	{}
};

PTEBATCH_SUITE(madvise_process, process_cases, PTEBATCH_SWAP_SPACE);
