// SPDX-License-Identifier: GPL-2.0
/*
 * process_madvise(): its return value, the ranges it has advised, and how many
 * locks and TLB gathers it takes (rule 23). ptebatch_madvise checks what each
 * advice does to entries; most cases here use MADV_DONTNEED, because its effect
 * is easy to see.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/pidfd.h>

#include "internal.h"

#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/lock_count.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/swap.h"
#include "../lib/kernel/syscall.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(pidfd_open));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(process_madvise));

/**
 * struct vector_range - one range of a vector
 * @at: start of the range, in bytes from the address of the row's first entry
 * @bytes: length of the range, in bytes
 */
struct vector_range {
	long at;
	unsigned long bytes;
};

#define PAGES(at, nr)	{ (at) * PAGE_SIZE, (nr) * PAGE_SIZE }

/* Stands for the last page of the address space. */
#define LAST_PAGE	LONG_MAX

/**
 * struct call - a call of process_madvise()
 * @space: the address space to advise
 * @ranges: the vector
 * @vlen: number of ranges to pass; if larger than @nr, @ranges repeats
 * @nr: number of elements of @ranges
 * @behavior: MADV_*
 * @flags: flags argument of the system call; only 0 is valid
 * @pidfd: pidfd argument of the system call, if @pid is 0
 * @pid: process ID to open a pidfd for, or 0
 * @no_vector: pass address 0 instead of the vector
 * @madvise: call madvise() with the first range instead
 * @cred: credentials of the caller; %NULL to keep the current ones
 * @locks: gets the lock counts of @space, if not %NULL
 * @result: return value of process_madvise()
 */
struct call {
	struct ptebatch_space *space;
	const struct vector_range *ranges;
	size_t vlen;
	unsigned int nr;
	int behavior;
	unsigned long flags;
	int pidfd;
	pid_t pid;
	bool no_vector;
	bool madvise;
	const struct cred *cred;
	struct ptebatch_locks *locks;
	long result;
};

static unsigned long range_start(const struct call *call,
				 const struct vector_range *range)
{
	if (range->at == LAST_PAGE)
		return TASK_SIZE_MAX - PAGE_SIZE;
	return ptebatch_addr(call->space, 0) + range->at;
}

static int write_vector(const struct call *call, unsigned long addr)
{
	struct iovec __user *vector = (struct iovec __user *)addr;
	size_t i;

	for (i = 0; i < call->vlen; i++) {
		const struct vector_range *range = &call->ranges[i % call->nr];
		struct iovec iov = {
			.iov_base = (void __user *)range_start(call, range),
			.iov_len = range->bytes,
		};

		if (copy_to_user(vector + i, &iov, sizeof(iov)))
			return -EFAULT;
	}
	return 0;
}

static long advise(const struct call *call, unsigned long vector, int pidfd)
{
	const struct ptebatch_args args =
		ptebatch_args(pidfd, call->no_vector ? 0 : vector, call->vlen,
			      call->behavior, call->flags);
	const struct cred *old = call->cred ? override_creds(call->cred) : NULL;
	long result;

	if (call->madvise)
		result = do_madvise(current->mm, range_start(call, call->ranges),
				    call->ranges->bytes, call->behavior);
	else
		result = ptebatch_syscall(PTEBATCH_SYSCALL(process_madvise), &args);
	if (old)
		revert_creds(old);
	return result;
}

/* A lock that is still held would block the teardown: release it. */
static void release_lock(struct ptebatch_locks *locks)
{
	while (rwsem_is_locked(&locks->mm->mmap_lock))
		mmap_read_unlock(locks->mm);
}

/* Runs in the process that calls process_madvise(). */
static long call_in_process(void *data)
{
	struct call *call = data;
	const struct ptebatch_args pid = ptebatch_args(call->pid, 0, 0, 0, 0);
	size_t bytes = PAGE_ALIGN(max(call->vlen, 1UL) * sizeof(struct iovec));
	unsigned long vector;
	int pidfd = call->pidfd;
	long err;

	vector = vm_mmap(NULL, 0, bytes, RW, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(vector))
		return vector;
	err = write_vector(call, vector);
	if (!err && call->pid) {
		pidfd = ptebatch_syscall(PTEBATCH_SYSCALL(pidfd_open), &pid);
		err = min(pidfd, 0);
	}
	if (!err) {
		if (call->locks)
			ptebatch_locks_begin(call->locks,
					     call->space->places[0].mm);
		call->result = advise(call, vector, pidfd);
		if (call->locks) {
			ptebatch_locks_end();
			release_lock(call->locks);
		}
	}
	vm_munmap(vector, bytes);
	return err;
}

/* Call from the process that owns the address space. */
static void call_self(struct kunit *test, struct call *call)
{
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_process(call->space->places[0].mm,
					 call_in_process, call));
}

/* Call from another process. */
static void call_remote(struct kunit *test, struct call *call)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct ptebatch_dummy_task owner;
	long err;

	KUNIT_ASSERT_NOT_NULL(test, mm);
	err = ptebatch_dummy_task_start(&owner, call->space->places[0].mm);
	if (!err) {
		call->pid = owner.pid;
		err = ptebatch_process(mm, call_in_process, call);
		ptebatch_dummy_task_stop(&owner);
	}
	mmput(mm);
	KUNIT_ASSERT_EQ(test, 0, err);
}

static void expect_result(struct kunit *test, const struct call *call,
			  long expected)
{
	KUNIT_EXPECT_EQ_MSG(test, call->result, expected,
			    PTEBATCH_RULE_PROCESS ": returns %ld, expected %ld",
			    call->result, expected);
}

/**
 * enum part_change - how the address space of a part of the row is changed
 * @UNCHANGED: not at all
 * @HOLE: unmapped
 * @OTHER_VMA: a VMA of its own, without other difference
 * @LOCKED: a VMA with VM_LOCKED
 * @SEALED: a VMA with VM_SEALED, read-only
 */
enum part_change { UNCHANGED, HOLE, OTHER_VMA, LOCKED, SEALED };

/**
 * struct part - a part of the row
 * @from: first entry
 * @nr: number of entries
 * @change: one of enum part_change
 */
struct part {
	unsigned int from;
	unsigned int nr;
	enum part_change change;
};

static void change_part(struct kunit *test, struct ptebatch_space *space,
			const struct part *part)
{
	unsigned long addr = ptebatch_addr(space, part->from);
	unsigned long bytes = part->nr * PAGE_SIZE;
	struct mm_struct *mm = space->places[0].mm;
	int err = 0;

	if (part->change == UNCHANGED)
		return;
	kthread_use_mm(mm);
	if (part->change == HOLE)
		err = vm_munmap(addr, bytes);
	else
		err = do_madvise(mm, addr, bytes, MADV_DONTDUMP);
	kthread_unuse_mm(mm);
	KUNIT_ASSERT_EQ(test, 0, err);
	if (part->change == LOCKED)
		ptebatch_vma_flags(mm, addr, VM_LOCKED, 0);
	if (part->change == SEALED)
		ptebatch_vma_flags(mm, addr, VM_SEALED, VM_WRITE);
}

/* Vectors: return value, and which ranges are advised. */

#define RANGES_MAX	5

/**
 * struct vector_row - a case of process_madvise() with a vector
 * @name: name of the case
 * @picture: the row before
 * @after: the expected row after; %NULL if it must not change
 * @part: part of the row that is changed before the call
 * @nr: number of elements of @ranges
 * @ranges: the vector
 * @result: expected return value of process_madvise()
 * @vlen: number of ranges to pass, if not @nr
 */
struct vector_row {
	const char *name;
	const char *picture;
	const char *after;
	struct part part;
	unsigned int nr;
	struct vector_range ranges[RANGES_MAX];
	long result;
	size_t vlen;
};

#define BYTES(pages)	((pages) * (long)PAGE_SIZE)

static const struct vector_row vector_rows[] = {
	{ "vlen 0: returns 0", "{Wdyx*16}", .nr = 0 },
	{ "one range: advised, returns 8 pages",
	  "{Wdyx*16}", "{Wdyx*4 -*8 Wdyx*4}",
	  .nr = 1, .ranges = { PAGES(4, 8) }, .result = BYTES(8) },
	{ "two ranges: both advised", "{Wdyx*16}", "{-*4 Wdyx*4 -*4 Wdyx*4}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(8, 4) },
	  .result = BYTES(8) },
	{ "two adjacent ranges: both advised", "{Wdyx*16}", "{-*8 Wdyx*8}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(4, 4) },
	  .result = BYTES(8) },
	{ "two overlapping ranges: advised, returns the sum of their lengths",
	  "{Wdyx*16}", "{-*9 Wdyx*7}",
	  .nr = 2, .ranges = { PAGES(0, 6), PAGES(3, 6) },
	  .result = BYTES(12) },
	{ "the same range twice: advised, returns twice its length",
	  "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(0, 4) },
	  .result = BYTES(8) },
	{ "three ranges in descending order: all advised",
	  "{Wdyx*16} Wdyx", "{-*2 Wdyx*6 -*4 Wdyx*4} -",
	  .nr = 3, .ranges = { PAGES(16, 1), PAGES(8, 4), PAGES(0, 2) },
	  .result = BYTES(7) },
	{ "five ranges: all advised",
	  "{Wdyx*16}", "{- Wdyx - Wdyx - Wdyx - Wdyx - Wdyx*7}",
	  .nr = 5, .ranges = { PAGES(0, 1), PAGES(2, 1), PAGES(4, 1),
			       PAGES(6, 1), PAGES(8, 1) },
	  .result = BYTES(5) },
	{ "vlen 1024: all advised, returns 1024 pages",
	  "{Wdyx*16}", "{-*5 Wdyx*11}",
	  .nr = 5, .ranges = { PAGES(0, 1), PAGES(1, 1), PAGES(2, 1),
			       PAGES(3, 1), PAGES(4, 1) },
	  .result = BYTES(1024), .vlen = 1024 },
	{ "vlen 1025: -EINVAL, nothing advised",
	  "{Wdyx*16}", .nr = 1, .ranges = { PAGES(0, 1) },
	  .result = -EINVAL, .vlen = 1025 },
	{ "vlen 5000: -EINVAL, nothing advised", "{Wdyx*16}", .nr = 1,
	  .ranges = { PAGES(0, 1) }, .result = -EINVAL, .vlen = 5000 },
	{ "one range over parts of two folios: advised", "{Wdyx*16} {Wdyx*16}",
	  "{Wdyx*8 -*8} {-*8 Wdyx*8}", .nr = 1, .ranges = { PAGES(8, 16) },
	  .result = BYTES(16) },

	/* Lengths. */
	{ "one empty range: returns 0",
	  "{Wdyx*16}", .nr = 1, .ranges = { PAGES(4, 0) } },
	{ "three empty ranges: returns 0", "{Wdyx*16}", .nr = 3,
	  .ranges = { PAGES(4, 0), PAGES(0, 0), PAGES(8, 0) } },
	{ "empty range, then 4 pages: returns 4 pages",
	  "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 2, .ranges = { PAGES(8, 0), PAGES(0, 4) },
	  .result = BYTES(4) },
	{ "empty ranges between two other ranges: both advised",
	  "{Wdyx*16}", "{-*4 Wdyx*4 -*2 Wdyx*6}",
	  .nr = 5, .ranges = { PAGES(0, 4), PAGES(8, 0), PAGES(9, 0),
			       PAGES(8, 2), PAGES(15, 0) },
	  .result = BYTES(6) },
	{ "unaligned empty range first: -EINVAL, nothing advised", "{Wdyx*16}",
	  .nr = 2, .ranges = { { 1, 0 }, PAGES(0, 4) }, .result = -EINVAL },
	{ "length of 4 pages and 1 byte: 5 pages advised, returns the length",
	  "{Wdyx*16}", "{-*5 Wdyx*11}",
	  .nr = 1, .ranges = { { 0, 4 * PAGE_SIZE + 1 } },
	  .result = BYTES(4) + 1 },
	{ "two unaligned lengths: rounded up to pages, returns their sum",
	  "{Wdyx*16}", "{-*5 Wdyx*3 - Wdyx*7}",
	  .nr = 2, .ranges = { { 0, 4 * PAGE_SIZE + 1 },
			       { 8 * PAGE_SIZE, PAGE_SIZE - 1 } },
	  .result = BYTES(5) },
	{ "unaligned start: -EINVAL, nothing advised", "{Wdyx*16}",
	  .nr = 1, .ranges = { { 8, PAGE_SIZE } }, .result = -EINVAL },
	{ "unaligned start of the second range: first advised, returns its length",
	  "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 3, .ranges = { PAGES(0, 4), { 8 * PAGE_SIZE + 1, PAGE_SIZE },
			       PAGES(12, 4) },
	  .result = BYTES(4) },

	/* Rejected by import_iovec(): no range is advised. */
	{ "second range past the end of the address space: -EFAULT, nothing advised",
	  "{Wdyx*16}",
	  .nr = 2, .ranges = { PAGES(0, 4), { LAST_PAGE, 2 * PAGE_SIZE } },
	  .result = -EFAULT },
	{ "one range past the end of the address space: -EFAULT", "{Wdyx*16}",
	  .nr = 1, .ranges = { { LAST_PAGE, 2 * PAGE_SIZE } },
	  .result = -EFAULT },
	{ "second range of length -PAGE_SIZE: -EINVAL, nothing advised",
	  "{Wdyx*16}", .nr = 2, .ranges = { PAGES(0, 4), { 0, -PAGE_SIZE } },
	  .result = -EINVAL },
	{ "second range of length -1: -EINVAL, nothing advised", "{Wdyx*16}",
	  .nr = 2, .ranges = { PAGES(0, 4), { 0, -1UL } },
	  .result = -EINVAL },

	/* VMAs. */
	{ "one range over three VMAs: advised",
	  "{Wdyx*16}", "{Wdyx*2 -*12 Wdyx*2}",
	  { 6, 4, OTHER_VMA }, 1, { PAGES(2, 12) }, BYTES(12) },
	{ "ranges in one VMA, over three and in one: all advised", "{Wdyx*16}",
	  "{-*2 Wdyx -*10 Wdyx*2 -}", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(3, 10), PAGES(15, 1) }, BYTES(13) },
	{ "one range in each of three VMAs: all advised",
	  "{Wdyx*16}", "{Wdyx -*4 Wdyx -*4 Wdyx -*4 Wdyx}",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(1, 4), PAGES(6, 4), PAGES(11, 4) }, BYTES(12) },
	{ "range in a hole: -ENOMEM",
	  "Wdyx*4 -*8 Wdyx*4", NULL, { 4, 8, HOLE }, 1,
	  { PAGES(5, 4) }, -ENOMEM },
	{ "range over a hole: both sides advised, -ENOMEM",
	  "Wdyx*4 -*8 Wdyx*4", "Wdyx*2 -*12 Wdyx*2",
	  { 4, 8, HOLE }, 1, { PAGES(2, 12) }, -ENOMEM },
	{ "range that ends in a hole: mapped part advised, -ENOMEM",
	  "Wdyx*4 -*8 Wdyx*4", "Wdyx*2 -*10 Wdyx*4",
	  { 4, 8, HOLE }, 1, { PAGES(2, 6) }, -ENOMEM },
	{ "range that starts in a hole: mapped part advised, -ENOMEM",
	  "Wdyx*4 -*8 Wdyx*4", "Wdyx*4 -*10 Wdyx*2",
	  { 4, 8, HOLE }, 1, { PAGES(8, 6) }, -ENOMEM },
	{ "second of three ranges over a hole: first two advised, returns the first's length",
	  "Wdyx*4 -*8 Wdyx*4", "- Wdyx -*12 Wdyx*2", { 4, 8, HOLE }, 3,
	  { PAGES(0, 1), PAGES(2, 12), PAGES(15, 1) }, BYTES(1) },
	{ "empty range in a hole first: the next two ranges advised",
	  "Wdyx*4 -*8 Wdyx*4", "-*14 Wdyx*2",
	  { 4, 8, HOLE }, 3, { PAGES(6, 0), PAGES(0, 4), PAGES(12, 2) },
	  BYTES(6) },
};

KUNIT_ARRAY_PARAM_DESC(vector, vector_rows, name);

static struct ptebatch_trial *begin(struct kunit *test, const char *picture,
				    enum ptebatch_mapping mapping)
{
	const struct ptebatch_setup setup = {
		picture, mapping, .prot = RW, .lru = true,
	};

	return ptebatch_trial_begin(test, "process_madvise()", &setup);
}

static bool end(struct ptebatch_trial *trial, const char *after)
{
	bool passes = ptebatch_trial_end(trial);

	if (after)
		passes &= ptebatch_trial_expect(trial, after);
	else
		passes &= ptebatch_trial_untouched(trial);
	ptebatch_trial_release(trial);
	return passes;
}

static void process_vector(struct kunit *test)
{
	const struct vector_row *row = test->param_value;
	struct ptebatch_trial *trial = begin(test, row->picture, PTEBATCH_ANON);
	struct call call = {
		.space = trial->space,
		.ranges = row->ranges,
		.vlen = row->vlen ?: row->nr,
		.nr = row->nr,
		.behavior = MADV_DONTNEED,
		.pidfd = PIDFD_SELF,
	};

	change_part(test, trial->space, &row->part);
	call_self(test, &call);
	expect_result(test, &call, row->result);
	end(trial, row->after);
}

/* A vector of more than MAX_RW_COUNT bytes is truncated, not rejected. */
static void process_too_much(struct kunit *test)
{
	struct ptebatch_trial *trial = begin(test, "-", PTEBATCH_ANON);
	struct ptebatch_space *space = trial->space;
	const unsigned long bytes = 3UL * SZ_1G;
	struct vector_range range = { .bytes = bytes };
	struct call call = {
		.space = space,
		.ranges = &range,
		.vlen = 2,
		.nr = 1,
		.behavior = MADV_DONTNEED,
		.pidfd = PIDFD_SELF,
	};
	unsigned long addr;

	kthread_use_mm(space->places[0].mm);
	addr = vm_mmap(NULL, 0, bytes, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
	kthread_unuse_mm(space->places[0].mm);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	range.at = addr - ptebatch_addr(space, 0);
	call_self(test, &call);
	expect_result(test, &call, MAX_RW_COUNT);
	end(trial, NULL);
}

/* Arguments other than the vector. */

static const struct argument_row {
	const char *name;
	int pidfd;
	pid_t pid;
	int behavior;
	unsigned long flags;
	bool no_vector;
	long result;
} argument_rows[] = {
	{ "PIDFD_SELF: advised",
	  PIDFD_SELF, 0, MADV_DONTNEED, .result = PAGE_SIZE },
	{ "PIDFD_SELF_THREAD: advised", PIDFD_SELF_THREAD, 0, MADV_DONTNEED,
	  .result = PAGE_SIZE },
	{ "flags 1: -EINVAL",
	  PIDFD_SELF, 0, MADV_DONTNEED, 1, .result = -EINVAL },
	{ "flags UINT_MAX: -EINVAL", PIDFD_SELF, 0, MADV_DONTNEED, UINT_MAX,
	  .result = -EINVAL },
	{ "vector at address 0: -EFAULT",
	  PIDFD_SELF, 0, MADV_DONTNEED, .no_vector = true, .result = -EFAULT },
	{ "pidfd -1: -EBADF", -1, 0, MADV_DONTNEED, .result = -EBADF },
	{ "pidfd 1000, not open: -EBADF", 1000, 0, MADV_DONTNEED,
	  .result = -EBADF },
	{ "pidfd of a kernel thread: -ESRCH",
	  0, 2, MADV_COLD, .result = -ESRCH },
	{ "unassigned behavior 5: -EINVAL",
	  PIDFD_SELF, 0, 5, .result = -EINVAL },
	{ "unassigned behavior 12345: -EINVAL", PIDFD_SELF, 0, 12345,
	  .result = -EINVAL },
	{ "behavior -1 (__MADV_SET_ANON_VMA_NAME, prctl() only): -EINVAL",
	  PIDFD_SELF, 0, -1, .result = -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(argument, argument_rows, name);

static void process_argument(struct kunit *test)
{
	const struct argument_row *row = test->param_value;
	struct ptebatch_trial *trial = begin(test, "Wdyx*2", PTEBATCH_ANON);
	static const struct vector_range range = PAGES(0, 1);
	struct call call = {
		.space = trial->space,
		.ranges = &range,
		.vlen = 1,
		.nr = 1,
		.behavior = row->behavior,
		.flags = row->flags,
		.pidfd = row->pidfd,
		.pid = row->pid,
		.no_vector = row->no_vector,
	};

	call_self(test, &call);
	expect_result(test, &call, row->result);
	end(trial, row->result > 0 ? "- Wdyx" : NULL);
}

/*
 * Rule 23: an error in one of the ranges, at each position of the vector. The
 * ranges before it are advised and their bytes returned; the error is returned
 * only if it is in the first range.
 */

static const struct error_row {
	const char *name;
	int behavior;
	const char *before, *after;	/* token of each entry */
	int error;
	enum part_change change;
	long misalign;		/* added to the range's start, in bytes */
	bool half;		/* @change applies to the first half only */
} error_rows[] = {
	{ "MADV_DONTNEED, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", "-", -ENOMEM, HOLE },
	{ "MADV_DONTNEED, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", "-", -ENOMEM, HOLE, .half = true },
	{ "MADV_DONTNEED, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", "-", -EINVAL, LOCKED },
	{ "MADV_DONTNEED, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", "-", -EPERM, SEALED },
	{ "MADV_DONTNEED, one of 5 ranges unaligned: -EINVAL, or the bytes before it",
	  MADV_DONTNEED, "Wdyx", "-", -EINVAL, .misalign = 1 },
	{ "MADV_FREE, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_FREE, "Wdyx", "Wxl", -ENOMEM, HOLE },
	{ "MADV_FREE, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_FREE, "Wdyx", "Wxl", -ENOMEM, HOLE, .half = true },
	{ "MADV_FREE, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_FREE, "Wdyx", "Wxl", -EINVAL, LOCKED },
	{ "MADV_FREE, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_FREE, "Wdyx", "Wxl", -EPERM, SEALED },
	{ "MADV_COLD, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_COLD, "Wdyx", "Wdx", -ENOMEM, HOLE },
	{ "MADV_COLD, one of 5 ranges half in a hole: -ENOMEM, or the bytes before it",
	  MADV_COLD, "Wdyx", "Wdx", -ENOMEM, HOLE, .half = true },
	{ "MADV_COLD, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_COLD, "Wdyx", "Wdx", -EINVAL, LOCKED },
	{ "MADV_COLD, one of 5 ranges unaligned: -EINVAL, or the bytes before it",
	  MADV_COLD, "Wdyx", "Wdx", -EINVAL, .misalign = 8 },
	{ "MADV_GUARD_INSTALL, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", "G", -ENOMEM, HOLE },
	{ "MADV_GUARD_INSTALL, one of 5 ranges VM_LOCKED: -EINVAL, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", "G", -EINVAL, LOCKED },
	{ "MADV_GUARD_INSTALL, one of 5 ranges sealed: -EPERM, or the bytes before it",
	  MADV_GUARD_INSTALL, "Wdyx", "G", -EPERM, SEALED },
	{ "MADV_GUARD_REMOVE, one of 5 ranges in a hole: -ENOMEM, or the bytes before it",
	  MADV_GUARD_REMOVE, "G", "-", -ENOMEM, HOLE },
};

KUNIT_ARRAY_PARAM_DESC(error, error_rows, name);

/* Pages of a range. */
#define ERROR_PAGES	4

static void add_entries(struct seq_buf *out, const char *entry, unsigned int nr)
{
	seq_buf_printf(out, " %s*%u", entry, nr);
}

static bool error_at(struct kunit *test, const struct error_row *row,
		     unsigned int at)
{
	const unsigned int first = at * ERROR_PAGES;
	const struct part part = {
		first, ERROR_PAGES / (row->half ? 2 : 1), row->change
	};
	const unsigned int hole = row->change == HOLE ? part.nr : 0;
	struct vector_range ranges[RANGES_MAX];
	struct ptebatch_trial *trial;
	struct seq_buf before, after;
	char text[2][128];
	struct call call = {
		.ranges = ranges,
		.vlen = RANGES_MAX,
		.nr = RANGES_MAX,
		.behavior = row->behavior,
		.pidfd = PIDFD_SELF,
	};
	unsigned int i;

	seq_buf_init(&before, text[0], sizeof(text[0]));
	seq_buf_init(&after, text[1], sizeof(text[1]));
	for (i = 0; i < RANGES_MAX; i++) {
		ranges[i] = (struct vector_range)PAGES(ERROR_PAGES * i, ERROR_PAGES);
		if (i != at) {
			add_entries(&before, row->before, ERROR_PAGES);
			add_entries(&after, i < at ? row->after : row->before, ERROR_PAGES);
			continue;
		}
		ranges[i].at += row->misalign;
		if (hole) {
			add_entries(&before, "-", hole);
			add_entries(&after, "-", hole);
		}
		/* The mapped half of a range with a hole is advised. */
		if (ERROR_PAGES - hole) {
			add_entries(&before, row->before, ERROR_PAGES - hole);
			add_entries(&after, hole ? row->after : row->before,
				    ERROR_PAGES - hole);
		}
	}
	trial = begin(test, seq_buf_str(&before), PTEBATCH_ANON);
	call.space = trial->space;
	change_part(test, trial->space, &part);
	call_self(test, &call);
	expect_result(test, &call, at ? BYTES(ERROR_PAGES * at) : row->error);
	return end(trial, seq_buf_str(&after));
}

static void process_error(struct kunit *test)
{
	const struct error_row *row = test->param_value;
	unsigned int at;

	for (at = 0; at < RANGES_MAX; at++)
		if (!error_at(test, row, at))
			return;
}

/* Behaviors: which are allowed remotely, and the locks they take. */

/**
 * enum lock_mode - locks of a behavior, after get_lock_mode()
 * @NO_LOCK: no lock
 * @READ_ONCE_A_CALL: mmap_lock for reading, once a call
 * @READ_AND_ONCE_A_RANGE: mmap_lock for reading, once a call and once a range
 * @WRITE_ONCE_A_CALL: mmap_lock for writing, once a call
 * @VMA_ONCE_A_RANGE: the VMA lock, once a range
 */
enum lock_mode {
	NO_LOCK,
	READ_ONCE_A_CALL,
	READ_AND_ONCE_A_RANGE,
	WRITE_ONCE_A_CALL,
	VMA_ONCE_A_RANGE,
};

/* Number of tlb_gather_mmu() calls. */
enum gathers { NEVER, ONCE_A_CALL, ONCE_A_RANGE, NOT_CHECKED };

static const struct behavior_row {
	const char *name;
	int behavior;
	enum lock_mode mode;
	enum gathers gathers;
	bool remote;		/* allowed for another process */
	int error;		/* expected error of the first range, or 0 */
	enum ptebatch_mapping mapping;
	bool missing;		/* not built into this kernel: -EINVAL */
} behavior_rows[] = {
	{ "MADV_NORMAL", MADV_NORMAL, WRITE_ONCE_A_CALL },
	{ "MADV_RANDOM", MADV_RANDOM, WRITE_ONCE_A_CALL },
	{ "MADV_SEQUENTIAL", MADV_SEQUENTIAL, WRITE_ONCE_A_CALL },
	{ "MADV_WILLNEED", MADV_WILLNEED, READ_ONCE_A_CALL, .remote = true,
	  .error = IS_ENABLED(CONFIG_SWAP) ? 0 : -EBADF },
	{ "MADV_DONTNEED", MADV_DONTNEED, VMA_ONCE_A_RANGE, ONCE_A_CALL },
	{ "MADV_FREE", MADV_FREE, VMA_ONCE_A_RANGE, ONCE_A_CALL },
	{ "MADV_REMOVE", MADV_REMOVE, READ_AND_ONCE_A_RANGE, NOT_CHECKED,
	  .mapping = PTEBATCH_SHMEM },
	{ "MADV_DONTFORK", MADV_DONTFORK, WRITE_ONCE_A_CALL },
	{ "MADV_DOFORK", MADV_DOFORK, WRITE_ONCE_A_CALL },
	{ "MADV_HWPOISON", MADV_HWPOISON, NO_LOCK, .error = -EPERM,
	  .missing = !IS_ENABLED(CONFIG_MEMORY_FAILURE) },
	{ "MADV_SOFT_OFFLINE", MADV_SOFT_OFFLINE, NO_LOCK, .error = -EPERM,
	  .missing = !IS_ENABLED(CONFIG_MEMORY_FAILURE) },
	{ "MADV_MERGEABLE", MADV_MERGEABLE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_KSM) },
	{ "MADV_UNMERGEABLE", MADV_UNMERGEABLE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_KSM) },
	{ "MADV_HUGEPAGE", MADV_HUGEPAGE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_NOHUGEPAGE", MADV_NOHUGEPAGE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_DONTDUMP", MADV_DONTDUMP, WRITE_ONCE_A_CALL },
	{ "MADV_DODUMP", MADV_DODUMP, WRITE_ONCE_A_CALL },
	{ "MADV_WIPEONFORK", MADV_WIPEONFORK, WRITE_ONCE_A_CALL },
	{ "MADV_KEEPONFORK", MADV_KEEPONFORK, WRITE_ONCE_A_CALL },
	{ "MADV_COLD", MADV_COLD, READ_ONCE_A_CALL, ONCE_A_RANGE,
	  .remote = true },
	{ "MADV_PAGEOUT", MADV_PAGEOUT, READ_ONCE_A_CALL, ONCE_A_RANGE,
	  .remote = true },
	{ "MADV_POPULATE_READ", MADV_POPULATE_READ, READ_ONCE_A_CALL },
	{ "MADV_POPULATE_WRITE", MADV_POPULATE_WRITE, READ_ONCE_A_CALL },
	{ "MADV_DONTNEED_LOCKED", MADV_DONTNEED_LOCKED, VMA_ONCE_A_RANGE,
	  ONCE_A_CALL },
	/* The test address spaces have MMF_DISABLE_THP_COMPLETELY. */
	{ "MADV_COLLAPSE", MADV_COLLAPSE, READ_ONCE_A_CALL, .remote = true,
	  .error = -EINVAL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_GUARD_INSTALL", MADV_GUARD_INSTALL, VMA_ONCE_A_RANGE,
	  ONCE_A_RANGE },
	{ "MADV_GUARD_REMOVE", MADV_GUARD_REMOVE, VMA_ONCE_A_RANGE },
};

static void locks_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s: locks and TLB gathers of vlen 0, 1 and 8", row->name);
}

KUNIT_ARRAY_PARAM(locks, behavior_rows, locks_desc);

static void remote_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s of another process: %s",
		 row->name, row->remote && !row->missing ? "allowed" : "-EINVAL");
}

KUNIT_ARRAY_PARAM(remote, behavior_rows, remote_desc);

/* Without CONFIG_PER_VMA_LOCK, mmap_lock replaces the VMA lock. */
static struct ptebatch_locks expected_locks(enum lock_mode mode,
					    enum gathers gathers,
					    unsigned int vlen)
{
	struct ptebatch_locks locks = {};

	if (mode == VMA_ONCE_A_RANGE && !IS_ENABLED(CONFIG_PER_VMA_LOCK))
		mode = vlen ? READ_ONCE_A_CALL : NO_LOCK;
	if (mode == READ_ONCE_A_CALL || mode == READ_AND_ONCE_A_RANGE)
		locks.nr[PTEBATCH_MMAP_READ] = 1;
	if (mode == READ_AND_ONCE_A_RANGE)
		locks.nr[PTEBATCH_MMAP_READ] += vlen;
	if (mode == WRITE_ONCE_A_CALL)
		locks.nr[PTEBATCH_MMAP_WRITE] = 1;
	if (mode == VMA_ONCE_A_RANGE)
		locks.nr[PTEBATCH_VMA_READ] = vlen;
	if (gathers == ONCE_A_CALL)
		locks.nr[PTEBATCH_GATHER] = 1;
	if (gathers == ONCE_A_RANGE)
		locks.nr[PTEBATCH_GATHER] = vlen;
	return locks;
}

static void expect_lock(struct kunit *test, const struct ptebatch_locks *got,
			const struct ptebatch_locks *expected,
			enum ptebatch_lock lock, const char *what)
{
	if (ptebatch_locks_count(lock))
		KUNIT_EXPECT_EQ_MSG(test, got->nr[lock], expected->nr[lock],
				    PTEBATCH_RULE_PROCESS ": %s %lu times, not %lu", what,
				    got->nr[lock], expected->nr[lock]);
}

static void expect_locks(struct kunit *test, const struct ptebatch_locks *got,
			 const struct ptebatch_locks *expected)
{
	struct ptebatch_locks released = *expected;

	/* Each time before it is taken again, and at the end. */
	released.nr[PTEBATCH_MMAP_RELEASE] = expected->nr[PTEBATCH_MMAP_READ] +
					     expected->nr[PTEBATCH_MMAP_WRITE];
	expect_lock(test, got, &released, PTEBATCH_MMAP_RELEASE,
		    "mmap_lock is released");
	expect_lock(test, got, expected, PTEBATCH_MMAP_READ,
		    "mmap_lock is taken for reading");
	expect_lock(test, got, expected, PTEBATCH_MMAP_WRITE,
		    "mmap_lock is taken for writing");
	if (IS_ENABLED(CONFIG_PER_VMA_LOCK))
		expect_lock(test, got, expected, PTEBATCH_VMA_READ,
			    "lock_vma_under_rcu() is called");
	expect_lock(test, got, expected, PTEBATCH_GATHER,
		    "tlb_gather_mmu() is called");
}

/* Credentials with the @nr capabilities of @caps only. */
static struct cred *alloc_cred(struct kunit *test, const int *caps,
			       unsigned int nr)
{
	struct cred *cred = prepare_kernel_cred(&init_task);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	for (i = 0; i < nr; i++)
		cap_raise(cred->cap_effective, caps[i]);
	return cred;
}

/* Ranges of a call; each maps one folio. */
#define VLEN_MAX	8

/* process_madvise() with @vlen ranges, or madvise() of the first range. */
static void lock_case(struct kunit *test, const struct behavior_row *row,
		      unsigned int vlen, bool madvise)
{
	bool shmem = row->mapping == PTEBATCH_SHMEM;
	struct vector_range ranges[VLEN_MAX];
	struct ptebatch_trial *trial;
	struct ptebatch_locks locks, expected;
	struct call call = {
		.ranges = ranges,
		.vlen = vlen,
		.nr = VLEN_MAX,
		.behavior = row->behavior,
		.pidfd = PIDFD_SELF,
		.madvise = madvise,
		.locks = &locks,
	};
	struct cred *cred = NULL;
	unsigned int i;

	for (i = 0; i < VLEN_MAX; i++)
		ranges[i] = (struct vector_range)PAGES(2 * i, 1);
	trial = begin(test, shmem ? "Wdy*16" : "Wdyx*16", row->mapping);
	call.space = trial->space;
	if (row->mode == NO_LOCK)
		cred = alloc_cred(test, NULL, 0);
	call.cred = cred;
	call_self(test, &call);
	if (cred)
		put_cred(cred);

	/* An error ends the call at the first range. */
	expected = expected_locks(row->missing ? NO_LOCK : row->mode,
				  row->missing || row->error ? NEVER :
							       row->gathers,
				  vlen);
	if (row->gathers == NOT_CHECKED)
		expected.nr[PTEBATCH_GATHER] = locks.nr[PTEBATCH_GATHER];
	expect_locks(test, &locks, &expected);
	if (madvise)
		KUNIT_EXPECT_EQ_MSG(test, call.result,
				    row->missing ? -EINVAL : row->error,
				    "madvise() returns %ld", call.result);
	else
		expect_result(test, &call, row->missing ? -EINVAL :
					   vlen && row->error ? row->error :
								BYTES(vlen));
	ptebatch_trial_end(trial);
	ptebatch_trial_release(trial);
}

static void process_locks(struct kunit *test)
{
	const struct behavior_row *row = test->param_value;
	static const unsigned int vlens[] = { 0, 1, VLEN_MAX };
	unsigned int i;

	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	for (i = 0; i < ARRAY_SIZE(vlens); i++)
		lock_case(test, row, vlens[i], false);
}

static void madvise_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: locks and TLB gathers of madvise()",
		 row->name);
}

KUNIT_ARRAY_PARAM(madvise, behavior_rows, madvise_desc);

/* madvise() takes the locks of process_madvise() with one range. */
static void madvise_locks(struct kunit *test)
{
	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	lock_case(test, test->param_value, 1, true);
}

/*
 * Behaviors that release mmap_lock while they advise a range, and take it again:
 * all VMAs of the range, and the ranges after it, are advised nevertheless.
 */

static const struct drop_row {
	const char *name;
	int behavior;
	const char *picture;
	enum ptebatch_mapping mapping;
	struct part part;
	unsigned int nr;
	struct vector_range ranges[2];
	unsigned long reads, writes;	/* of mmap_lock */
	const char *after;		/* %NULL: not compared */
	bool retry;			/* the first fault is to be retried */
} drop_rows[] = {
	{ "MADV_WILLNEED of a file, 2 ranges: mmap_lock taken again in each",
	  MADV_WILLNEED, "{Wdy*16}", PTEBATCH_FILE, {}, 2,
	  { PAGES(0, 4), PAGES(8, 4) }, 3, 0, "{Wdy*16}" },
	{ "MADV_WILLNEED of a file, range over 3 VMAs: mmap_lock taken again in each",
	  MADV_WILLNEED, "{Wdy*16}", PTEBATCH_FILE, { 6, 4, OTHER_VMA }, 1,
	  { PAGES(2, 12) }, 4, 0, "{Wdy*16}" },
	{ "MADV_REMOVE, range over 3 VMAs: mmap_lock taken again in each",
	  MADV_REMOVE, "Wdy*16", PTEBATCH_SHMEM, { 6, 4, OTHER_VMA }, 1,
	  { PAGES(2, 12) }, 4, 0, "Wdy*2 -*12 Wdy*2" },
	{ "MADV_POPULATE_READ, fault retried: mmap_lock taken again, all pages populated",
	  MADV_POPULATE_READ, "Wdy*4 -*12", PTEBATCH_SHMEM, {}, 1,
	  { PAGES(0, 16) }, 3, 0, NULL, true },
	{ "MADV_POPULATE_READ, fault of the first of 2 ranges retried: both populated",
	  MADV_POPULATE_READ, "Wdy*4 -*12", PTEBATCH_SHMEM, {}, 2,
	  { PAGES(2, 6), PAGES(8, 8) }, 3, 0, NULL, true },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	/* To scan, in collapse_huge_page(), and for the next page table. */
	{ "MADV_COLLAPSE of 2 page tables: both collapsed, mmap_lock released between",
	  MADV_COLLAPSE, "{Wdyx*T/2}*4", PTEBATCH_ANON, {}, 1,
	  { PAGES(0, 2 * PTRS_PER_PTE) }, 5, 2, "~[Wdyx] ~[Wdyx]" },
	{ "MADV_COLLAPSE, 2 ranges: both collapsed, mmap_lock released in each",
	  MADV_COLLAPSE, "{Wdyx*T/2}*4", PTEBATCH_ANON, {}, 2,
	  { PAGES(0, PTRS_PER_PTE), PAGES(PTRS_PER_PTE, PTRS_PER_PTE) }, 5, 2,
	  "~[Wdyx] ~[Wdyx]" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(drop, drop_rows, name);

/* Of the VMA whose first fault is to be retried. */
static const struct vm_operations_struct *vm_ops;
static bool has_retried;

static vm_fault_t retry_first_fault(struct vm_fault *vmf)
{
	if (has_retried || !(vmf->flags & FAULT_FLAG_ALLOW_RETRY))
		return vm_ops->fault(vmf);
	has_retried = true;
	release_fault_lock(vmf);
	return VM_FAULT_RETRY;
}

static const struct vm_operations_struct retry_vm_ops = {
	.fault = retry_first_fault,
};

static void retry_faults(const struct ptebatch_space *space)
{
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;

	has_retried = false;
	mmap_write_lock(mm);
	vma = vma_lookup(mm, ptebatch_addr(space, 0));
	vma_start_write(vma);
	vm_ops = vma->vm_ops;
	vma->vm_ops = &retry_vm_ops;
	mmap_write_unlock(mm);
}

static bool has_none(const struct ptebatch_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_NONE)
			return true;
	return false;
}

static void process_drops_lock(struct kunit *test)
{
	const struct drop_row *row = test->param_value;
	struct ptebatch_locks locks, expected = {};
	struct ptebatch_trial *trial;
	struct call call = {
		.ranges = row->ranges,
		.vlen = row->nr,
		.nr = row->nr,
		.behavior = row->behavior,
		.pidfd = PIDFD_SELF,
		.locks = &locks,
	};
	long bytes = 0;
	unsigned int i;

	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	trial = begin(test, row->picture, row->mapping);
	call.space = trial->space;
	change_part(test, trial->space, &row->part);
	if (row->retry)
		retry_faults(trial->space);
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, trial->place->mm);
	call_self(test, &call);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, trial->place->mm);
	for (i = 0; i < row->nr; i++)
		bytes += row->ranges[i].bytes;
	expect_result(test, &call, bytes);
	expected.nr[PTEBATCH_MMAP_READ] = row->reads;
	expected.nr[PTEBATCH_MMAP_WRITE] = row->writes;
	expected.nr[PTEBATCH_GATHER] = locks.nr[PTEBATCH_GATHER];
	expect_locks(test, &locks, &expected);
	KUNIT_EXPECT_TRUE_MSG(test, has_retried || !row->retry, "no fault was retried");
	ptebatch_trial_end(trial);
	if (row->after)
		ptebatch_trial_expect(trial, row->after);
	else
		KUNIT_EXPECT_FALSE_MSG(test, has_none(&trial->after.row),
				       "an entry was not populated");
	ptebatch_trial_release(trial);
}

#ifdef CONFIG_MEMORY_FAILURE

/* MADV_HWPOISON and MADV_SOFT_OFFLINE of one page, with CAP_SYS_ADMIN. */

static const struct failure_row {
	const char *name;
	int behavior;
	const char *picture;
	unsigned int at;	/* entry of the page */
} failure_rows[] = {
	{ "MADV_HWPOISON, small folio: hwpoison entry, no lock",
	  MADV_HWPOISON, "Wdyx*4", 1 },
	{ "MADV_HWPOISON, page 3 of a 64K folio: only its entry is a hwpoison entry",
	  MADV_HWPOISON, "{Wdyx*16}", 3 },
	{ "MADV_SOFT_OFFLINE, small folio: only its entry maps a new page",
	  MADV_SOFT_OFFLINE, "Wdyx*4", 1 },
	{ "MADV_SOFT_OFFLINE, page 3 of a 64K folio: only its entry maps a new page",
	  MADV_SOFT_OFFLINE, "{Wdyx*16}", 3 },
};

KUNIT_ARRAY_PARAM_DESC(failure, failure_rows, name);

static bool is_hwpoison(pte_t pte, unsigned long pfn)
{
	softleaf_t entry = softleaf_from_pte(pte);

	return !pte_present(pte) && softleaf_is_hwpoison(entry) &&
	       softleaf_to_pfn(entry) == pfn;
}

static void process_failure(struct kunit *test)
{
	const struct failure_row *row = test->param_value;
	const struct vector_range range = PAGES(row->at, 1);
	struct ptebatch_locks locks, expected = {};
	struct ptebatch_trial *trial;
	struct call call = {
		.ranges = &range,
		.vlen = 1,
		.nr = 1,
		.behavior = row->behavior,
		.pidfd = PIDFD_SELF,
		.locks = &locks,
	};
	const pte_t *before, *after;
	unsigned long pfn;
	unsigned int i;

	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	trial = begin(test, row->picture, PTEBATCH_ANON);
	before = trial->before.raw + trial->before.lead;
	pfn = pte_pfn(before[row->at]);
	call.space = trial->space;
	call_self(test, &call);
	expect_result(test, &call, PAGE_SIZE);
	expect_locks(test, &locks, &expected);
	/* The poisoned page keeps a reference: no check of the accounting. */
	ptebatch_trial_stop(trial);
	after = trial->after.raw + trial->after.lead;
	for (i = 0; i < trial->space->row.nr; i++) {
		if (i != row->at)
			KUNIT_EXPECT_EQ_MSG(test, pte_pfn(after[i]), pte_pfn(before[i]),
					    "entry %u maps another page", i);
		else if (row->behavior == MADV_HWPOISON)
			KUNIT_EXPECT_TRUE_MSG(test, is_hwpoison(after[i], pfn),
					      "entry %u is no hwpoison entry of its page", i);
		else
			KUNIT_EXPECT_TRUE_MSG(test, pte_present(after[i]) &&
					      pte_write(after[i]) && pte_pfn(after[i]) != pfn,
					      "entry %u maps no new page", i);
	}
	KUNIT_EXPECT_TRUE_MSG(test, PageHWPoison(pfn_to_page(pfn)),
			      "the page does not have PG_hwpoison");
	/* Once the page is neither mapped nor referenced. */
	ptebatch_trial_release(trial);
	unpoison_memory(pfn);
	KUNIT_EXPECT_FALSE_MSG(test, PageHWPoison(pfn_to_page(pfn)),
			       "the page keeps PG_hwpoison");
}

#endif

/* Only non-destructive behaviors are allowed remotely. */
static void process_other(struct kunit *test)
{
	const struct behavior_row *row = test->param_value;
	bool shmem = row->mapping == PTEBATCH_SHMEM;
	bool accepted = row->remote && !row->missing;
	static const struct vector_range ranges[] = { PAGES(0, 1), PAGES(2, 1) };
	struct ptebatch_locks locks, expected;
	struct ptebatch_trial *trial;
	struct call call = {
		.ranges = ranges,
		.vlen = ARRAY_SIZE(ranges),
		.nr = ARRAY_SIZE(ranges),
		.behavior = row->behavior,
		.locks = ptebatch_locks_missing() ? NULL : &locks,
	};

	trial = begin(test, shmem ? "Wdy*4" : "Wdyx*4", row->mapping);
	call.space = trial->space;
	call_remote(test, &call);
	expect_result(test, &call, !accepted ? -EINVAL :
				   row->error ?: BYTES(ARRAY_SIZE(ranges)));
	expected = expected_locks(accepted ? row->mode : NO_LOCK,
				  accepted && !row->error ? row->gathers : NEVER,
				  ARRAY_SIZE(ranges));
	if (call.locks)
		expect_locks(test, &locks, &expected);
	if (accepted) {
		ptebatch_trial_end(trial);
		ptebatch_trial_release(trial);
	} else {
		end(trial, NULL);
	}
}

/* Capabilities that a remote call needs. */

#define CAPS_MAX	3

static const struct capability_row {
	const char *name;
	bool own;		/* in the caller's own address space */
	unsigned int nr;
	int caps[CAPS_MAX];	/* CAP_* */
	int behavior;
	long result;
} capability_rows[] = {
	{ "own address space, no capabilities: allowed",
	  true, 0, {}, MADV_DONTNEED, PAGE_SIZE },
	{ "CAP_SYS_PTRACE and CAP_SYS_NICE: allowed", false, 2,
	  { CAP_SYS_PTRACE, CAP_SYS_NICE }, MADV_COLD, PAGE_SIZE },
	{ "CAP_PERFMON and CAP_SYS_NICE: allowed", false, 2,
	  { CAP_PERFMON, CAP_SYS_NICE }, MADV_COLD, PAGE_SIZE },
	{ "CAP_SYS_PTRACE only: -EPERM",
	  false, 1, { CAP_SYS_PTRACE }, MADV_COLD, -EPERM },
	{ "CAP_SYS_NICE only: -EACCES",
	  false, 1, { CAP_SYS_NICE }, MADV_COLD, -EACCES },
	{ "no capabilities: -EACCES", false, 0, {}, MADV_COLD, -EACCES },
	{ "CAP_SYS_RESOURCE, CAP_KILL and CAP_IPC_LOCK: -EACCES", false, 3,
	  { CAP_SYS_RESOURCE, CAP_KILL, CAP_IPC_LOCK }, MADV_COLD, -EACCES },
	{ "CAP_SYS_PTRACE only, MADV_DONTNEED of another process: -EINVAL",
	  false, 1, { CAP_SYS_PTRACE }, MADV_DONTNEED, -EINVAL },
	{ "no capabilities, unassigned behavior 12345: -EACCES",
	  false, 0, {}, 12345, -EACCES },
};

KUNIT_ARRAY_PARAM_DESC(capability, capability_rows, name);

static void process_right(struct kunit *test)
{
	const struct capability_row *row = test->param_value;
	static const struct vector_range range = PAGES(0, 1);
	struct ptebatch_trial *trial;
	struct call call = {
		.ranges = &range,
		.vlen = 1,
		.nr = 1,
		.behavior = row->behavior,
		.pidfd = PIDFD_SELF,
	};
	struct cred *cred;

	trial = begin(test, "Wdyx*2", PTEBATCH_ANON);
	call.space = trial->space;
	cred = alloc_cred(test, row->caps, row->nr);
	call.cred = cred;
	if (row->own)
		call_self(test, &call);
	else
		call_remote(test, &call);
	put_cred(cred);
	expect_result(test, &call, row->result);
	end(trial, row->result < 0 ? NULL : row->own ? "- Wdyx" : "Wdx Wdyx");
}

/*
 * Fallback from the VMA lock to mmap_lock: once taken, mmap_lock is held for
 * the rest of the vector.
 */

static const struct fallback_row {
	const char *name;
	struct part part;
	unsigned int nr;
	struct vector_range ranges[RANGES_MAX];
	unsigned long vma, mmap;	/* VMA lock attempts, mmap_lock reads */
	bool uffd;			/* userfaultfd is registered */
	long result;
} fallback_rows[] = {
	{ "each range in one VMA: 3 VMA lock attempts, no mmap_lock",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(6, 4), PAGES(12, 2) }, 3, 0, false, BYTES(8) },
	{ "third range over two VMAs: 3 VMA lock attempts, then mmap_lock",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(2, 2), PAGES(4, 4) }, 3, 1, false, BYTES(8) },
	{ "second range over two VMAs: 2 VMA lock attempts, then mmap_lock",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(4, 4), PAGES(12, 2) }, 2, 1, false, BYTES(8) },
	{ "first range over two VMAs: 1 VMA lock attempt, then mmap_lock",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(4, 4), PAGES(0, 2), PAGES(12, 2) }, 1, 1, false, BYTES(8) },
	{ "second range in a hole: 2 VMA lock attempts, then mmap_lock",
	  { 6, 4, HOLE }, 3,
	  { PAGES(0, 2), PAGES(6, 2), PAGES(12, 2) }, 2, 1, false, BYTES(2) },
	{ "userfaultfd registered: 1 VMA lock attempt, then mmap_lock", {}, 3,
	  { PAGES(0, 2), PAGES(6, 2), PAGES(12, 2) }, 1, 1, true, BYTES(6) },
};

KUNIT_ARRAY_PARAM_DESC(fallback, fallback_rows, name);

static void process_fallback(struct kunit *test)
{
	const struct fallback_row *row = test->param_value;
	const char *picture = row->part.change == HOLE ?
			      "Wdyx*6 -*4 Wdyx*6" : "Wdyx*16";
	struct ptebatch_trial *trial;
	struct ptebatch_locks locks, expected = {};
	struct call call = {
		.ranges = row->ranges,
		.vlen = row->nr,
		.nr = row->nr,
		.behavior = MADV_DONTNEED,
		.pidfd = PIDFD_SELF,
		.locks = &locks,
	};

	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	trial = begin(test, picture, PTEBATCH_ANON);
	call.space = trial->space;
	change_part(test, trial->space, &row->part);
	if (row->uffd)
		ptebatch_vma_flags(trial->space->places[0].mm,
				   ptebatch_addr(trial->space, 0),
				   VM_UFFD_MISSING, 0);
	call_self(test, &call);
	expect_result(test, &call, row->result);
	if (IS_ENABLED(CONFIG_PER_VMA_LOCK)) {
		expected.nr[PTEBATCH_VMA_READ] = row->vma;
		expected.nr[PTEBATCH_MMAP_READ] = row->mmap;
	} else {
		expected.nr[PTEBATCH_MMAP_READ] = 1;
	}
	expected.nr[PTEBATCH_GATHER] = 1;
	expect_locks(test, &locks, &expected);
	ptebatch_trial_end(trial);
	ptebatch_trial_release(trial);
}

/*
 * MADV_GUARD_INSTALL zaps a range that maps pages, and retries. After losing
 * the race against a fault MAX_MADVISE_GUARD_RETRIES times, it restarts and
 * takes the lock again.
 */

/**
 * struct fault_race - faults that fill an entry which was zapped for a guard
 * @space: the address space
 * @at: entry of the row that is faulted in
 * @faults: number of faults that still have to win the race
 * @kill: the last fault sends SIGKILL to the caller
 */
struct fault_race {
	struct ptebatch_space *space;
	unsigned int at;
	unsigned int faults;
	bool kill;
};

/* Map the zero page, like a read fault. May run in atomic context. */
static void fault_entry(void *data)
{
	struct fault_race *race = data;
	struct mm_struct *mm = race->space->places[0].mm;
	unsigned long addr = ptebatch_addr(race->space, race->at);
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	if (!race->faults)
		return;
	ptep = pte_offset_map_lock(mm, ptebatch_find_pmd(mm, addr), addr, &ptl);
	if (!ptep)
		return;
	if (pte_none(ptep_get(ptep))) {
		set_pte_at(mm, addr, ptep,
			   pte_mkspecial(mk_pte(ZERO_PAGE(addr),
						vm_get_page_prot(VM_READ))));
		race->faults--;
		if (!race->faults && race->kill)
			send_sig(SIGKILL, current, 1);
	}
	pte_unmap_unlock(ptep, ptl);
}

/* As MAX_MADVISE_GUARD_RETRIES of mm/madvise.c. */
#define TRIES	3

static const struct retry_row {
	const char *name;
	unsigned int at;		/* entry that is faulted in */
	unsigned int faults;		/* faults that win the race */
	bool kill;
	unsigned int restarts;		/* expected number of restarts */
	long result;
	bool uffd;			/* registered: takes mmap_lock */
} retry_rows[] = {
	{ "no fault wins the race: no restart", 0, 0, false, 0, BYTES(12) },
	{ "1 fault wins the race: no restart", 6, 1, false, 0, BYTES(12) },
	{ "3 faults win the race in the second range: 1 restart",
	  6, TRIES, false, 1, BYTES(12) },
	{ "3 faults win the race in the first range: 1 restart",
	  0, TRIES, false, 1, BYTES(12) },
	{ "3 faults win the race in the last range: 1 restart",
	  13, TRIES, false, 1, BYTES(12) },
	{ "9 faults win the race, 3 restarts",
	  6, 3 * TRIES, false, 3, BYTES(12) },
	{ "userfaultfd, no fault wins the race: mmap_lock taken once",
	  0, 0, false, 0, BYTES(12), true },
	{ "userfaultfd, 3 faults win the race: mmap_lock released and taken again",
	  6, TRIES, false, 1, BYTES(12), true },
	{ "userfaultfd, 9 faults win the race: mmap_lock released and taken again 3 times",
	  6, 3 * TRIES, false, 3, BYTES(12), true },
	{ "SIGKILL after 3 faults in the second range: returns 4 pages",
	  6, TRIES, true, 0, BYTES(4) },
	{ "SIGKILL after 3 faults in the first range: -EINTR",
	  0, TRIES, true, 0, -EINTR },
};

KUNIT_ARRAY_PARAM_DESC(retry, retry_rows, name);

static void process_retry(struct kunit *test)
{
	const struct retry_row *row = test->param_value;
	static const struct vector_range ranges[] = {
		PAGES(0, 4), PAGES(5, 4), PAGES(10, 4),
	};
	struct ptebatch_trial *trial;
	struct ptebatch_locks locks, expected = {};
	struct fault_race race = {
		.at = row->at, .faults = row->faults, .kill = row->kill,
	};
	struct call call = {
		.ranges = ranges,
		.vlen = ARRAY_SIZE(ranges),
		.nr = ARRAY_SIZE(ranges),
		.behavior = MADV_GUARD_INSTALL,
		.pidfd = PIDFD_SELF,
		.locks = &locks,
	};

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "UML calls no MMU notifier at a TLB flush");
	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	trial = begin(test, "Wdyx*14", PTEBATCH_ANON);
	call.space = trial->space;
	race.space = trial->space;
	trial->flush.data = &race;
	trial->flush.on_flush = fault_entry;
	if (row->uffd)
		ptebatch_vma_flags(trial->place->mm, trial->place->start,
				   VM_UFFD_MISSING, 0);
	call_self(test, &call);
	trial->flush.on_flush = NULL;
	expect_result(test, &call, row->result);
	KUNIT_EXPECT_EQ_MSG(test, race.faults, 0,
			    "%u of %u faults did not win the race", race.faults,
			    row->faults);
	if (!row->kill) {
		/* Attempts; each call and each restart begins with one. */
		expected.nr[PTEBATCH_VMA_READ] = (row->uffd ? 1 : ARRAY_SIZE(ranges)) +
						 row->restarts;
		if (row->uffd)
			expected.nr[PTEBATCH_MMAP_READ] = 1 + row->restarts;
		/* One zap for each range, and one for each fault that wins. */
		expected.nr[PTEBATCH_GATHER] = ARRAY_SIZE(ranges) + row->faults;
		expect_locks(test, &locks, &expected);
	}
	ptebatch_trial_end(trial);
	if (!row->kill)
		ptebatch_trial_expect(trial, "G*4 Wdyx G*4 Wdyx G*4");
	ptebatch_trial_release(trial);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE_PARAM(process_vector, vector_gen_params),
	KUNIT_CASE(process_too_much),
	KUNIT_CASE_PARAM(process_argument, argument_gen_params),
	KUNIT_CASE_PARAM(process_error, error_gen_params),
	KUNIT_CASE_PARAM(process_locks, locks_gen_params),
	KUNIT_CASE_PARAM(madvise_locks, madvise_gen_params),
	KUNIT_CASE_PARAM(process_drops_lock, drop_gen_params),
#ifdef CONFIG_MEMORY_FAILURE
	KUNIT_CASE_PARAM(process_failure, failure_gen_params),
#endif
	KUNIT_CASE_PARAM(process_other, remote_gen_params),
	KUNIT_CASE_PARAM(process_right, capability_gen_params),
	KUNIT_CASE_PARAM(process_fallback, fallback_gen_params),
	KUNIT_CASE_PARAM(process_retry, retry_gen_params),
	{}
};

PTEBATCH_SUITE(madvise_process, process_cases, PTEBATCH_LOCK_COUNT, PTEBATCH_SWAP_SPACE);
