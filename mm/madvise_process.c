// SPDX-License-Identifier: GPL-2.0
/*
 * process_madvise(): what it returns, what it has advised then, and how often it
 * takes a lock and gathers TLB flushes for that (rule 23). What advice does to
 * entries is in ptebatch_madvise; here MADV_DONTNEED mostly stands for all, as
 * it shows.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/pidfd.h>

#include "internal.h"

#include "../lib/locks.h"
#include "../lib/process.h"
#include "../lib/pte.h"
#include "../lib/swap.h"
#include "../lib/syscall.h"
#include "../lib/trial.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(pidfd_open));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(process_madvise));

/**
 * struct vector_range - one of a vector
 * @at: where it begins, in bytes from the row's first entry on
 * @bytes: how long it is
 */
struct vector_range {
	long at;
	unsigned long bytes;
};

#define PAGES(at, nr)	{ (at) * PAGE_SIZE, (nr) * PAGE_SIZE }

/* A page before the end of the address space. */
#define AT_THE_END	LONG_MAX

/**
 * struct call - of process_madvise()
 * @space: whose memory
 * @ranges: the vector
 * @vlen: how many ranges that is; beyond @ranges they begin again
 * @nr: how many @ranges has
 * @behavior: MADV_*
 * @flags: what the system call wants to be 0
 * @pidfd: whose memory it is, as the system call is told
 * @pid: for a pidfd of that process; else 0
 * @no_vector: the vector is where there is no memory
 * @cred: what the caller may do, if not %NULL
 * @locks: gets the count of those of @space, if not %NULL
 * @result: what it returns
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
	const struct cred *cred;
	struct ptebatch_locks *locks;
	long result;
};

static unsigned long range_start(const struct call *call,
				 const struct vector_range *range)
{
	if (range->at == AT_THE_END)
		return TASK_SIZE_MAX - PAGE_SIZE;
	return ptebatch_addr(call->space, 0) + range->at;
}

static int write_vector(const struct call *call, unsigned long addr)
{
	struct iovec __user *vector = (struct iovec __user *)addr;
	size_t i;

	for (i = 0; i < call->vlen; i++) {
		const struct vector_range *range = &call->ranges[i % call->nr];
		struct iovec one = {
			.iov_base = (void __user *)range_start(call, range),
			.iov_len = range->bytes,
		};

		if (copy_to_user(vector + i, &one, sizeof(one)))
			return -EFAULT;
	}
	return 0;
}

static long advise(const struct call *call, unsigned long vector, int pidfd)
{
	const struct ptebatch_args args =
		ptebatch_args(pidfd, call->no_vector ? 0 : vector, call->vlen,
			      call->behavior, call->flags);
	const struct cred *was = call->cred ? override_creds(call->cred) : NULL;
	long result;

	result = ptebatch_syscall(PTEBATCH_SYSCALL(process_madvise), &args);
	if (was)
		revert_creds(was);
	return result;
}

/* In a process. */
static long work(void *data)
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
		if (call->locks)
			ptebatch_locks_end();
	}
	vm_munmap(vector, bytes);
	return err;
}

/* As the process whose memory it is. */
static void call_self(struct kunit *test, struct call *call)
{
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_process(call->space->places[0].mm, work, call));
}

/* As another process. */
static void call_other(struct kunit *test, struct call *call)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct ptebatch_idler owner;
	long err;

	KUNIT_ASSERT_NOT_NULL(test, mm);
	err = ptebatch_idler_start(&owner, call->space->places[0].mm);
	if (!err) {
		call->pid = owner.pid;
		err = ptebatch_process(mm, work, call);
		ptebatch_idler_stop(&owner);
	}
	mmput(mm);
	KUNIT_ASSERT_EQ(test, 0, err);
}

static void expect_result(struct kunit *test, const struct call *call,
			  long expected)
{
	KUNIT_EXPECT_EQ_MSG(test, call->result, expected,
			    "rule 23: process_madvise() returns %ld, not %ld",
			    call->result, expected);
}

/**
 * enum oddity - what may be odd about a part of the row
 * @NOTHING: nothing
 * @HOLE: there is no VMA
 * @OTHER_VMA: it is a VMA of its own, just like the others
 * @LOCKED: it is locked into memory
 * @SEALED: it is sealed and read-only
 */
enum oddity { NOTHING, HOLE, OTHER_VMA, LOCKED, SEALED };

/**
 * struct part - of the row
 * @from: first entry
 * @nr: how many
 * @oddity: one of enum oddity
 */
struct part {
	unsigned int from;
	unsigned int nr;
	enum oddity oddity;
};

static void make_odd(struct kunit *test, struct ptebatch_space *space,
		     const struct part *part)
{
	unsigned long addr = ptebatch_addr(space, part->from);
	unsigned long bytes = part->nr * PAGE_SIZE;
	struct mm_struct *mm = space->places[0].mm;
	int err = 0;

	if (part->oddity == NOTHING)
		return;
	kthread_use_mm(mm);
	if (part->oddity == HOLE)
		err = vm_munmap(addr, bytes);
	else
		err = do_madvise(mm, addr, bytes, MADV_DONTDUMP);
	kthread_unuse_mm(mm);
	KUNIT_ASSERT_EQ(test, 0, err);
	if (part->oddity == LOCKED)
		ptebatch_vma_flags(mm, addr, VM_LOCKED, 0);
	if (part->oddity == SEALED)
		ptebatch_vma_flags(mm, addr, VM_SEALED, VM_WRITE);
}

/* Vectors. */

#define RANGES_MAX	5

/**
 * struct vector_row - a case
 * @name: of the case
 * @picture: the row before
 * @after: the row then, %NULL: as it was
 * @part: what is odd there
 * @nr: how many ranges there are
 * @ranges: they
 * @result: what process_madvise() shall return
 * @vlen: how many ranges it gets, if not @nr
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
	{ "vlen 0", "{Wdyx*16}", .nr = 0 },
	{ "one range", "{Wdyx*16}", "{Wdyx*4 -*8 Wdyx*4}",
	  .nr = 1, .ranges = { PAGES(4, 8) }, .result = BYTES(8) },
	{ "two ranges", "{Wdyx*16}", "{-*4 Wdyx*4 -*4 Wdyx*4}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(8, 4) },
	  .result = BYTES(8) },
	{ "ranges side by side", "{Wdyx*16}", "{-*8 Wdyx*8}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(4, 4) },
	  .result = BYTES(8) },
	{ "ranges that overlap", "{Wdyx*16}", "{-*9 Wdyx*7}",
	  .nr = 2, .ranges = { PAGES(0, 6), PAGES(3, 6) },
	  .result = BYTES(12) },
	{ "a range twice", "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 2, .ranges = { PAGES(0, 4), PAGES(0, 4) },
	  .result = BYTES(8) },
	{ "in reverse order", "{Wdyx*16} Wdyx", "{-*2 Wdyx*6 -*4 Wdyx*4} -",
	  .nr = 3, .ranges = { PAGES(16, 1), PAGES(8, 4), PAGES(0, 2) },
	  .result = BYTES(7) },
	{ "five ranges", "{Wdyx*16}", "{- Wdyx - Wdyx - Wdyx - Wdyx - Wdyx*7}",
	  .nr = 5, .ranges = { PAGES(0, 1), PAGES(2, 1), PAGES(4, 1),
			       PAGES(6, 1), PAGES(8, 1) },
	  .result = BYTES(5) },
	{ "vlen 1024", "{Wdyx*16}", "{-*5 Wdyx*11}",
	  .nr = 5, .ranges = { PAGES(0, 1), PAGES(1, 1), PAGES(2, 1),
			       PAGES(3, 1), PAGES(4, 1) },
	  .result = BYTES(1024), .vlen = 1024 },
	{ "vlen 1025", "{Wdyx*16}", .nr = 1, .ranges = { PAGES(0, 1) },
	  .result = -EINVAL, .vlen = 1025 },
	{ "vlen beyond all bounds", "{Wdyx*16}", .nr = 1,
	  .ranges = { PAGES(0, 1) }, .result = -EINVAL, .vlen = 5000 },
	{ "two folios at once", "{Wdyx*16} {Wdyx*16}",
	  "{Wdyx*8 -*8} {-*8 Wdyx*8}", .nr = 1, .ranges = { PAGES(8, 16) },
	  .result = BYTES(16) },

	/* Lengths. */
	{ "an empty range", "{Wdyx*16}", .nr = 1, .ranges = { PAGES(4, 0) } },
	{ "only empty ranges", "{Wdyx*16}", .nr = 3,
	  .ranges = { PAGES(4, 0), PAGES(0, 0), PAGES(8, 0) } },
	{ "an empty range first", "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 2, .ranges = { PAGES(8, 0), PAGES(0, 4) },
	  .result = BYTES(4) },
	{ "empty ranges amid others", "{Wdyx*16}", "{-*4 Wdyx*4 -*2 Wdyx*6}",
	  .nr = 5, .ranges = { PAGES(0, 4), PAGES(8, 0), PAGES(9, 0),
			       PAGES(8, 2), PAGES(15, 0) },
	  .result = BYTES(6) },
	{ "an empty range off a page's edge", "{Wdyx*16}",
	  .nr = 2, .ranges = { { 1, 0 }, PAGES(0, 4) }, .result = -EINVAL },
	{ "not whole pages", "{Wdyx*16}", "{-*5 Wdyx*11}",
	  .nr = 1, .ranges = { { 0, 4 * PAGE_SIZE + 1 } },
	  .result = BYTES(4) + 1 },
	{ "not whole pages, twice", "{Wdyx*16}", "{-*5 Wdyx*3 - Wdyx*7}",
	  .nr = 2, .ranges = { { 0, 4 * PAGE_SIZE + 1 },
			       { 8 * PAGE_SIZE, PAGE_SIZE - 1 } },
	  .result = BYTES(5) },
	{ "off a page's edge", "{Wdyx*16}",
	  .nr = 1, .ranges = { { 8, PAGE_SIZE } }, .result = -EINVAL },
	{ "the second off a page's edge", "{Wdyx*16}", "{-*4 Wdyx*12}",
	  .nr = 3, .ranges = { PAGES(0, 4), { 8 * PAGE_SIZE + 1, PAGE_SIZE },
			       PAGES(12, 4) },
	  .result = BYTES(4) },

	/* What the vector is refused for, all of it. */
	{ "beyond the address space", "{Wdyx*16}",
	  .nr = 2, .ranges = { PAGES(0, 4), { AT_THE_END, 2 * PAGE_SIZE } },
	  .result = -EFAULT },
	{ "a single one beyond the address space", "{Wdyx*16}",
	  .nr = 1, .ranges = { { AT_THE_END, 2 * PAGE_SIZE } },
	  .result = -EFAULT },
	{ "around the end of all addresses", "{Wdyx*16}",
	  .nr = 2, .ranges = { PAGES(0, 4), { 0, -PAGE_SIZE } },
	  .result = -EINVAL },
	{ "a length that is rounded up to nothing", "{Wdyx*16}",
	  .nr = 2, .ranges = { PAGES(0, 4), { 0, -1UL } },
	  .result = -EINVAL },

	/* VMAs. */
	{ "over three VMAs", "{Wdyx*16}", "{Wdyx*2 -*12 Wdyx*2}",
	  { 6, 4, OTHER_VMA }, 1, { PAGES(2, 12) }, BYTES(12) },
	{ "in one VMA, over three, in one", "{Wdyx*16}",
	  "{-*2 Wdyx -*10 Wdyx*2 -}", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(3, 10), PAGES(15, 1) }, BYTES(13) },
	{ "a VMA each", "{Wdyx*16}", "{Wdyx -*4 Wdyx -*4 Wdyx -*4 Wdyx}",
	  { 6, 4, OTHER_VMA }, 3,
	  { PAGES(1, 4), PAGES(6, 4), PAGES(11, 4) }, BYTES(12) },
	{ "in a hole", "Wdyx*4 -*8 Wdyx*4", NULL, { 4, 8, HOLE }, 1,
	  { PAGES(5, 4) }, -ENOMEM },
	{ "over a hole", "Wdyx*4 -*8 Wdyx*4", "Wdyx*2 -*12 Wdyx*2",
	  { 4, 8, HOLE }, 1, { PAGES(2, 12) }, -ENOMEM },
	{ "into a hole", "Wdyx*4 -*8 Wdyx*4", "Wdyx*2 -*10 Wdyx*4",
	  { 4, 8, HOLE }, 1, { PAGES(2, 6) }, -ENOMEM },
	{ "out of a hole", "Wdyx*4 -*8 Wdyx*4", "Wdyx*4 -*10 Wdyx*2",
	  { 4, 8, HOLE }, 1, { PAGES(8, 6) }, -ENOMEM },
	{ "something, over a hole, something", "Wdyx*4 -*8 Wdyx*4",
	  "- Wdyx -*12 Wdyx*2", { 4, 8, HOLE }, 3,
	  { PAGES(0, 1), PAGES(2, 12), PAGES(15, 1) }, BYTES(1) },
	{ "an empty range in a hole", "Wdyx*4 -*8 Wdyx*4", "-*14 Wdyx*2",
	  { 4, 8, HOLE }, 3, { PAGES(6, 0), PAGES(0, 4), PAGES(12, 2) },
	  BYTES(6) },
};

KUNIT_ARRAY_PARAM_DESC(vector, vector_rows, name);

static struct ptebatch_trial *begin(struct kunit *test, const char *picture,
				    enum ptebatch_mapping mapping)
{
	struct ptebatch_setup *setup;

	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = (struct ptebatch_setup) {
		.picture = picture,
		.mapping = mapping,
		.prot = RW,
		.lru = true,
	};
	return ptebatch_trial_begin(test, "process_madvise()", setup);
}

static void end(struct ptebatch_trial *trial, const char *after)
{
	ptebatch_trial_end(trial);
	if (after)
		ptebatch_trial_expect(trial, after);
	else
		ptebatch_trial_untouched(trial);
	ptebatch_trial_release(trial);
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

	make_odd(test, trial->space, &row->part);
	call_self(test, &call);
	expect_result(test, &call, row->result);
	end(trial, row->after);
}

/* More than any system call takes in one go is not refused: it is cut short. */
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

/* The arguments beside the vector. */

static const struct argument_row {
	const char *name;
	int pidfd;
	pid_t pid;
	int behavior;
	unsigned long flags;
	bool no_vector;
	long result;
} argument_rows[] = {
	{ "all is well", PIDFD_SELF, 0, MADV_DONTNEED, .result = PAGE_SIZE },
	{ "as a thread", PIDFD_SELF_THREAD, 0, MADV_DONTNEED,
	  .result = PAGE_SIZE },
	{ "a flag", PIDFD_SELF, 0, MADV_DONTNEED, 1, .result = -EINVAL },
	{ "all flags", PIDFD_SELF, 0, MADV_DONTNEED, UINT_MAX,
	  .result = -EINVAL },
	{ "no vector", PIDFD_SELF, 0, MADV_DONTNEED, .no_vector = true,
	  .result = -EFAULT },
	{ "no file descriptor", -1, 0, MADV_DONTNEED, .result = -EBADF },
	{ "a file descriptor of nothing", 1000, 0, MADV_DONTNEED,
	  .result = -EBADF },
	{ "a kernel thread", 0, 2, MADV_COLD, .result = -ESRCH },
	{ "no such behaviour", PIDFD_SELF, 0, 5, .result = -EINVAL },
	{ "no behaviour there has ever been", PIDFD_SELF, 0, 12345,
	  .result = -EINVAL },
	{ "a name, which only prctl() gives", PIDFD_SELF, 0, -1,
	  .result = -EINVAL },
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

/* Each error at each place in the vector: what is before it is done. */

static const struct error_row {
	const char *name;
	int behavior;
	const char *before, *after;	/* of each entry */
	int error;
	enum oddity oddity;
	long off;		/* bytes that the range is off a page's edge */
	bool half;		/* only the first half of the range is odd */
} error_rows[] = {
	{ "MADV_DONTNEED, hole", MADV_DONTNEED, "Wdyx", "-", -ENOMEM, HOLE },
	{ "MADV_DONTNEED, half a hole", MADV_DONTNEED, "Wdyx", "-", -ENOMEM,
	  HOLE, .half = true },
	{ "MADV_DONTNEED, locked into memory", MADV_DONTNEED, "Wdyx", "-",
	  -EINVAL, LOCKED },
	{ "MADV_DONTNEED, sealed", MADV_DONTNEED, "Wdyx", "-", -EPERM, SEALED },
	{ "MADV_DONTNEED, off a page's edge", MADV_DONTNEED, "Wdyx", "-",
	  -EINVAL, .off = 1 },
	{ "MADV_FREE, hole", MADV_FREE, "Wdyx", "Wxl", -ENOMEM, HOLE },
	{ "MADV_FREE, half a hole", MADV_FREE, "Wdyx", "Wxl", -ENOMEM, HOLE,
	  .half = true },
	{ "MADV_FREE, locked into memory", MADV_FREE, "Wdyx", "Wxl", -EINVAL,
	  LOCKED },
	{ "MADV_FREE, sealed", MADV_FREE, "Wdyx", "Wxl", -EPERM, SEALED },
	{ "MADV_COLD, hole", MADV_COLD, "Wdyx", "Wdx", -ENOMEM, HOLE },
	{ "MADV_COLD, half a hole", MADV_COLD, "Wdyx", "Wdx", -ENOMEM, HOLE,
	  .half = true },
	{ "MADV_COLD, locked into memory", MADV_COLD, "Wdyx", "Wdx", -EINVAL,
	  LOCKED },
	{ "MADV_COLD, off a page's edge", MADV_COLD, "Wdyx", "Wdx", -EINVAL,
	  .off = 8 },
	{ "MADV_GUARD_INSTALL, hole", MADV_GUARD_INSTALL, "Wdyx", "G", -ENOMEM,
	  HOLE },
	{ "MADV_GUARD_INSTALL, locked into memory", MADV_GUARD_INSTALL, "Wdyx",
	  "G", -EINVAL, LOCKED },
	{ "MADV_GUARD_INSTALL, sealed", MADV_GUARD_INSTALL, "Wdyx", "G",
	  -EPERM, SEALED },
	{ "MADV_GUARD_REMOVE, hole", MADV_GUARD_REMOVE, "G", "-", -ENOMEM,
	  HOLE },
};

KUNIT_ARRAY_PARAM_DESC(error, error_rows, name);

/* In each range. */
#define ERROR_PAGES	4

static void add_entries(struct seq_buf *out, const char *entry, unsigned int nr)
{
	seq_buf_printf(out, " %s*%u", entry, nr);
}

static void error_at(struct kunit *test, const struct error_row *row,
		     unsigned int at)
{
	const unsigned int first = at * ERROR_PAGES;
	const struct part part = {
		first, ERROR_PAGES / (row->half ? 2 : 1), row->oddity
	};
	const unsigned int gone = row->oddity == HOLE ? part.nr : 0;
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
		ranges[i].at += row->off;
		if (gone) {
			add_entries(&before, "-", gone);
			add_entries(&after, "-", gone);
		}
		/* A hole does not keep the rest from being advised. */
		if (ERROR_PAGES - gone) {
			add_entries(&before, row->before, ERROR_PAGES - gone);
			add_entries(&after, gone ? row->after : row->before,
				    ERROR_PAGES - gone);
		}
	}
	trial = begin(test, seq_buf_str(&before), PTEBATCH_ANON);
	call.space = trial->space;
	make_odd(test, trial->space, &part);
	call_self(test, &call);
	expect_result(test, &call, at ? BYTES(ERROR_PAGES * at) : row->error);
	end(trial, seq_buf_str(&after));
}

static void process_error(struct kunit *test)
{
	const struct error_row *row = test->param_value;
	unsigned int at;

	for (at = 0; at < RANGES_MAX && !ptebatch_failed(test); at++)
		error_at(test, row, at);
}

/* Behaviours: whether they are accepted, and what they lock. */

/**
 * enum lock_mode - the classes of get_lock_mode()
 * @NO_LOCK: none
 * @READ_ONCE_A_CALL: mmap_lock for reading, once a call
 * @READ_AND_AGAIN: the same, and once more after each range
 * @WRITE_ONCE_A_CALL: mmap_lock for writing, once a call
 * @VMA_ONCE_A_RANGE: the VMA's lock, once a range
 */
enum lock_mode {
	NO_LOCK,
	READ_ONCE_A_CALL,
	READ_AND_AGAIN,
	WRITE_ONCE_A_CALL,
	VMA_ONCE_A_RANGE,
};

/* How often TLB flushes are gathered. */
enum gathers { NEVER, ONCE_A_CALL, ONCE_A_RANGE, WHO_KNOWS };

static const struct behavior_row {
	const char *name;
	int behavior;
	enum lock_mode mode;
	enum gathers gathers;
	bool remote;		/* another process may do it, too */
	int error;		/* it fails with that all the same */
	enum ptebatch_mapping mapping;
	bool missing;		/* this kernel does not know it */
} behavior_rows[] = {
	{ "MADV_NORMAL", MADV_NORMAL, WRITE_ONCE_A_CALL },
	{ "MADV_RANDOM", MADV_RANDOM, WRITE_ONCE_A_CALL },
	{ "MADV_SEQUENTIAL", MADV_SEQUENTIAL, WRITE_ONCE_A_CALL },
	{ "MADV_WILLNEED", MADV_WILLNEED, READ_ONCE_A_CALL, .remote = true,
	  .error = IS_ENABLED(CONFIG_SWAP) ? 0 : -EBADF },
	{ "MADV_DONTNEED", MADV_DONTNEED, VMA_ONCE_A_RANGE, ONCE_A_CALL },
	{ "MADV_FREE", MADV_FREE, VMA_ONCE_A_RANGE, ONCE_A_CALL },
	{ "MADV_REMOVE", MADV_REMOVE, READ_AND_AGAIN, WHO_KNOWS,
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
	/* Huge pages are off in our address spaces. */
	{ "MADV_COLLAPSE", MADV_COLLAPSE, READ_ONCE_A_CALL, .remote = true,
	  .error = -EINVAL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_GUARD_INSTALL", MADV_GUARD_INSTALL, VMA_ONCE_A_RANGE,
	  ONCE_A_RANGE },
	{ "MADV_GUARD_REMOVE", MADV_GUARD_REMOVE, VMA_ONCE_A_RANGE },
};

KUNIT_ARRAY_PARAM_DESC(behavior, behavior_rows, name);

/* Where VMAs have no locks of their own, mmap_lock is taken instead. */
static struct ptebatch_locks locks_of(enum lock_mode mode, enum gathers gathers,
				      unsigned int vlen)
{
	struct ptebatch_locks locks = {};

	if (mode == VMA_ONCE_A_RANGE && !IS_ENABLED(CONFIG_PER_VMA_LOCK))
		mode = vlen ? READ_ONCE_A_CALL : NO_LOCK;
	if (mode == READ_ONCE_A_CALL || mode == READ_AND_AGAIN)
		locks.nr[PTEBATCH_MMAP_READ] = 1;
	if (mode == READ_AND_AGAIN)
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
				    "rule 23: %s %lu times, not %lu", what,
				    got->nr[lock], expected->nr[lock]);
}

static void expect_locks(struct kunit *test, const struct ptebatch_locks *got,
			 const struct ptebatch_locks *expected)
{
	expect_lock(test, got, expected, PTEBATCH_MMAP_READ,
		    "mmap_lock is taken for reading");
	expect_lock(test, got, expected, PTEBATCH_MMAP_WRITE,
		    "mmap_lock is taken for writing");
	if (IS_ENABLED(CONFIG_PER_VMA_LOCK))
		expect_lock(test, got, expected, PTEBATCH_VMA_READ,
			    "a VMA's lock is asked for");
	expect_lock(test, got, expected, PTEBATCH_GATHER,
		    "TLB flushes are gathered");
}

/* A caller who may do no more than a few things, if anything. */
static struct cred *may(struct kunit *test, const int *caps, unsigned int nr)
{
	struct cred *cred = prepare_kernel_cred(&init_task);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	for (i = 0; i < nr; i++)
		cap_raise(cred->cap_effective, caps[i]);
	return cred;
}

/* A folio a range. */
#define VLEN_MAX	8

static void lock_case(struct kunit *test, const struct behavior_row *row,
		      unsigned int vlen)
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
		.locks = &locks,
	};
	struct cred *cred = NULL;
	unsigned int i;

	for (i = 0; i < VLEN_MAX; i++)
		ranges[i] = (struct vector_range)PAGES(2 * i, 1);
	trial = begin(test, shmem ? "Wdy*16" : "Wdyx*16", row->mapping);
	call.space = trial->space;
	if (row->mode == NO_LOCK)
		cred = may(test, NULL, 0);
	call.cred = cred;
	call_self(test, &call);
	if (cred)
		put_cred(cred);

	/* With an error, the first range is the last one. */
	expected = locks_of(row->missing ? NO_LOCK : row->mode,
			    row->missing || row->error ? NEVER : row->gathers,
			    vlen);
	if (row->gathers == WHO_KNOWS)
		expected.nr[PTEBATCH_GATHER] = locks.nr[PTEBATCH_GATHER];
	expect_locks(test, &locks, &expected);
	expect_result(test, &call, row->missing ? -EINVAL :
				   vlen && row->error ? row->error : BYTES(vlen));
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
	for (i = 0; i < ARRAY_SIZE(vlens) && !ptebatch_failed(test); i++)
		lock_case(test, row, vlens[i]);
}

/* Others may do only what destroys nothing. */
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
	call_other(test, &call);
	expect_result(test, &call, !accepted ? -EINVAL :
				   row->error ?: BYTES(ARRAY_SIZE(ranges)));
	expected = locks_of(accepted ? row->mode : NO_LOCK,
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

/* Who may. */

#define CAPS_MAX	3

static const struct right_row {
	const char *name;
	bool own;		/* it is the caller's own memory */
	unsigned int nr;
	int caps[CAPS_MAX];	/* CAP_* */
	int behavior;
	long result;
} right_rows[] = {
	{ "own memory, no right at all", true, 0, {}, MADV_DONTNEED,
	  PAGE_SIZE },
	{ "to look and to be nice", false, 2,
	  { CAP_SYS_PTRACE, CAP_SYS_NICE }, MADV_COLD, PAGE_SIZE },
	{ "to measure and to be nice", false, 2,
	  { CAP_PERFMON, CAP_SYS_NICE }, MADV_COLD, PAGE_SIZE },
	{ "to look only", false, 1, { CAP_SYS_PTRACE }, MADV_COLD, -EPERM },
	{ "to be nice only", false, 1, { CAP_SYS_NICE }, MADV_COLD, -EACCES },
	{ "no right at all", false, 0, {}, MADV_COLD, -EACCES },
	{ "all but these two", false, 3,
	  { CAP_SYS_RESOURCE, CAP_KILL, CAP_IPC_LOCK }, MADV_COLD, -EACCES },
	{ "to look, at what no other may do", false, 1, { CAP_SYS_PTRACE },
	  MADV_DONTNEED, -EINVAL },
	{ "no right, and no such behaviour", false, 0, {}, 12345, -EACCES },
};

KUNIT_ARRAY_PARAM_DESC(right, right_rows, name);

static void process_right(struct kunit *test)
{
	const struct right_row *row = test->param_value;
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
	cred = may(test, row->caps, row->nr);
	call.cred = cred;
	if (row->own)
		call_self(test, &call);
	else
		call_other(test, &call);
	put_cred(cred);
	expect_result(test, &call, row->result);
	end(trial, row->result < 0 ? NULL : row->own ? "- Wdyx" : "Wdx Wdyx");
}

/*
 * From a VMA's lock back to mmap_lock: once that is held, it is held for the
 * rest of the vector.
 */

static const struct fallback_row {
	const char *name;
	struct part part;
	unsigned int nr;
	struct vector_range ranges[RANGES_MAX];
	unsigned long vma, mmap;	/* how often these are taken */
	bool armed;			/* userfaultfd is registered */
	long result;
} fallback_rows[] = {
	{ "in one VMA", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(6, 4), PAGES(12, 2) }, 3, 0, false, BYTES(8) },
	{ "the last one over two VMAs", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(2, 2), PAGES(4, 4) }, 3, 1, false, BYTES(8) },
	{ "the second one over two VMAs", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(0, 2), PAGES(4, 4), PAGES(12, 2) }, 2, 1, false, BYTES(8) },
	{ "the first one over two VMAs", { 6, 4, OTHER_VMA }, 3,
	  { PAGES(4, 4), PAGES(0, 2), PAGES(12, 2) }, 1, 1, false, BYTES(8) },
	{ "the second one in a hole", { 6, 4, HOLE }, 3,
	  { PAGES(0, 2), PAGES(6, 2), PAGES(12, 2) }, 2, 1, false, BYTES(2) },
	{ "userfaultfd", {}, 3,
	  { PAGES(0, 2), PAGES(6, 2), PAGES(12, 2) }, 1, 1, true, BYTES(6) },
};

KUNIT_ARRAY_PARAM_DESC(fallback, fallback_rows, name);

static void process_fallback(struct kunit *test)
{
	const struct fallback_row *row = test->param_value;
	const char *picture = row->part.oddity == HOLE ?
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
	make_odd(test, trial->space, &row->part);
	if (row->armed)
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
 * A guard goes where nothing is. If each time after it has made room somebody
 * is there first, the kernel gives up its locks, and tries again.
 */

/**
 * struct racer - faults pages in where room was made for guards
 * @space: where
 * @at: at which entry of the row
 * @rounds: how often it shall be there first
 * @kill: and is killed then
 */
struct racer {
	struct ptebatch_space *space;
	unsigned int at;
	unsigned int rounds;
	bool kill;
};

/* As a read of what is not there: the zero page. At a flush, maybe atomic. */
static void race(void *data)
{
	struct racer *racer = data;
	struct mm_struct *mm = racer->space->places[0].mm;
	unsigned long addr = ptebatch_addr(racer->space, racer->at);
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	if (!racer->rounds)
		return;
	ptep = pte_offset_map_lock(mm, ptebatch_find_pmd(mm, addr), addr, &ptl);
	if (!ptep)
		return;
	if (pte_none(ptep_get(ptep))) {
		set_pte_at(mm, addr, ptep,
			   pte_mkspecial(mk_pte(ZERO_PAGE(addr),
						PAGE_READONLY)));
		racer->rounds--;
		if (!racer->rounds && racer->kill)
			send_sig(SIGKILL, current, 1);
	}
	pte_unmap_unlock(ptep, ptl);
}

/* How often a call to install guards looks before it gives up its locks. */
#define TRIES	3

static const struct retry_row {
	const char *name;
	unsigned int at;		/* entry where somebody is first */
	unsigned int rounds;
	bool kill;
	unsigned int retries;		/* how often it begins again */
	long result;
} retry_rows[] = {
	{ "nobody", 0, 0, false, 0, BYTES(12) },
	{ "somebody, once", 6, 1, false, 0, BYTES(12) },
	{ "somebody, again and again", 6, TRIES, false, 1, BYTES(12) },
	{ "somebody in the first range", 0, TRIES, false, 1, BYTES(12) },
	{ "somebody in the last range", 13, TRIES, false, 1, BYTES(12) },
	{ "somebody, for ever so long", 6, 3 * TRIES, false, 3, BYTES(12) },
	{ "killed meanwhile", 6, TRIES, true, 0, BYTES(4) },
	{ "killed meanwhile, in the first range", 0, TRIES, true, 0, -EINTR },
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
	struct racer racer = {
		.at = row->at, .rounds = row->rounds, .kill = row->kill,
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
		kunit_skip(test, "nothing tells of flushes here");
	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
	trial = begin(test, "Wdyx*14", PTEBATCH_ANON);
	call.space = trial->space;
	racer.space = trial->space;
	trial->flush.data = &racer;
	trial->flush.meanwhile = race;
	call_self(test, &call);
	trial->flush.meanwhile = NULL;
	expect_result(test, &call, row->result);
	KUNIT_EXPECT_EQ_MSG(test, racer.rounds, 0, "nobody was there first");
	if (!row->kill) {
		expected.nr[PTEBATCH_VMA_READ] = ARRAY_SIZE(ranges) +
						 row->retries;
		/* The first look at each range, and each race, ends in a zap. */
		expected.nr[PTEBATCH_GATHER] = ARRAY_SIZE(ranges) + row->rounds;
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
	KUNIT_CASE_PARAM(process_locks, behavior_gen_params),
	KUNIT_CASE_PARAM(process_other, behavior_gen_params),
	KUNIT_CASE_PARAM(process_right, right_gen_params),
	KUNIT_CASE_PARAM(process_fallback, fallback_gen_params),
	KUNIT_CASE_PARAM(process_retry, retry_gen_params),
	{}
};

static int process_on(struct kunit_suite *suite)
{
	return ptebatch_locks_on(suite) ?: ptebatch_swap_on(suite);
}

static void process_off(struct kunit_suite *suite)
{
	ptebatch_swap_off(suite);
	ptebatch_locks_off(suite);
}

static struct kunit_suite process_suite = {
	.name = "ptebatch_madvise_process",
	.suite_init = process_on,
	.suite_exit = process_off,
	.test_cases = process_cases,
};

kunit_test_suite(process_suite);
