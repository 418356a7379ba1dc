// SPDX-License-Identifier: GPL-2.0
/*
 * A userfaultfd that is closed resolves the write protection of all entries.
 * UFFDIO_MOVE moves the present entries of small folios in batches, splits large
 * folios, and moves a PMD as a whole.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>
#include <linux/userfaultfd_k.h>

#include "../lib/check/compare.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/swap.h"
#include "../lib/kernel/uffd.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Register the VMA with a userfaultfd, which is closed then. */
static long close_uffd(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	bool rwp = space->setup.uffd_rwp;
	unsigned long addr = space->places[0].start;
	struct mm_struct *mm = space->places[0].mm;
	struct file *uffd;
	long ret;

	/* The set-up registers the VMA without a userfaultfd. */
	ptebatch_vma_flags(mm, addr, 0, VM_UFFD_WP | VM_UFFD_RWP);
	uffd = ptebatch_uffd_open(mm, rwp ? UFFD_FEATURE_RWP : 0);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	ret = ptebatch_uffd_register(uffd, mm, addr,
				     rwp ? UFFDIO_REGISTER_MODE_RWP : UFFDIO_REGISTER_MODE_WP);
	__fput_sync(uffd);
	return ret;
}

static const struct ptebatch_op close_op = {
	.function = "close() of a userfaultfd", .call = close_uffd, .no_twin = true,
};

/**
 * struct close_row - a case of close()
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row
 */
struct close_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
};

static const struct close_row close_rows[] = {
	{ "64K folio, uffd-wp: writable",
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, "{Wdyx*16}" },
	{ "64K folio, half of it uffd-wp, last 4 pages shared: they stay read-only",
	  { "{Wdyx*4 Rdyux*8 Rdyu*4}", .prot = RW, .uffd_wp = true },
	  "{Wdyx*12 Rdy*4}" },
	{ "64K folio in a read-only VMA, uffd-wp: read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, "{Rdyx*16}" },
	{ "folios of orders 0, 2 and 4 across a page table boundary, uffd-wp: writable",
	  { "@-8 Rdyux {Rdyux*4} {Rdyux*16}", .prot = RW, .uffd_wp = true },
	  "@-8 Wdyx {Wdyx*4} {Wdyx*16}" },
	{ "PMD-mapped folio, uffd-wp: PMD writable",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true }, "[Wdyx]" },
	{ "64K folio, half of its swap entries uffd-wp: none",
	  { "{Sxu*8 Sx*8}", .prot = RW, .swap = true, .uffd_wp = true },
	  "{Sx*16}" },
	{ "64K folio, migration entries uffd-wp: none",
	  { "{Mxu*8 Mx*8}", .prot = RW, .uffd_wp = true }, "{Mx*16}" },
	{ "32K shmem folio, uffd-wp, between markers: no uffd-wp, no markers",
	  { "U*4 {Rdyu*8} U*4", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "-*4 {Rdy*8} -*4" },
	{ "64K folio, half of it uffd-rwp: accessible",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd_rwp = true }, "{Wdyx*16}" },
};

KUNIT_ARRAY_PARAM_DESC(close_rows, close_rows, name);

static void close_row(struct kunit *test)
{
	const struct close_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = &close_op, .setup = &row->setup, .after = row->after,
	};

	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	ptebatch_row_run(test, &run);
}

static int map_destination(struct ptebatch_space *space, const struct ptebatch_place *to)
{
	unsigned long start = ALIGN_DOWN(to->start, PMD_SIZE);
	unsigned long end = ALIGN(to->start + space->row.nr * PAGE_SIZE, PMD_SIZE);
	unsigned long at;

	kthread_use_mm(to->mm);
	at = vm_mmap(NULL, start, end - start, space->setup.prot,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0);
	kthread_unuse_mm(to->mm);
	return IS_ERR_VALUE(at) ? at : 0;
}

static void close_file(void *file)
{
	__fput_sync(file);
}

/* @op->arg: UFFDIO_MOVE_MODE_*, @op->uffd_rwp: also of the destination. */
static long move(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	struct uffdio_move arg = {
		.dst = to->start + space->row.from * PAGE_SIZE,
		.src = ptebatch_addr(space, space->row.from),
		.len = (space->row.to - space->row.from) * PAGE_SIZE,
		.mode = op->arg,
	};
	u64 mode = UFFDIO_REGISTER_MODE_MISSING;
	struct file *uffd;
	long ret;

	ret = map_destination(space, to);
	if (ret)
		return ret;
	uffd = ptebatch_uffd_open(to->mm, op->uffd_rwp ? UFFD_FEATURE_RWP : 0);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	/* Closed at the end of the case, as close() makes the entries accessible. */
	ret = kunit_add_action_or_reset(space->test, close_file, uffd);
	if (ret)
		return ret;
	if (op->uffd_rwp)
		mode |= UFFDIO_REGISTER_MODE_RWP;
	ret = ptebatch_uffd_register(uffd, to->mm, to->start, mode);
	if (!ret)
		ret = ptebatch_uffd_ioctl(uffd, to->mm, UFFDIO_MOVE, &arg, sizeof(arg));
	return ret;
}

static const struct ptebatch_op move_op = {
	.function = "UFFDIO_MOVE", .call = move, .no_twin = true, .moves = true,
};

/*
 * In pictures of one place, {-} is a small folio that the other place maps. A
 * folio that is split becomes new folios, as the index of each changes.
 */

/**
 * struct move_row - a case of UFFDIO_MOVE
 * @name: name of the case
 * @setup: address space before the call; large folios that are split need
 *         @setup.lru
 * @after: expected row of the source; %NULL: no entry has changed
 * @second: expected row of the destination
 * @err: expected return value
 * @holes: UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES
 * @pinned: number of the folio that is pinned, from 1; 0: none
 * @locked: the folios are locked, until UFFDIO_MOVE waits for the lock
 * @killed: with @locked: the folios stay locked, the caller gets SIGKILL
 * @rwp: the destination is registered for read-write protection, too
 * @out: the folios are swapped out, and not in the swap cache
 */
struct move_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	const char *second;
	long err;
	bool holes;
	unsigned int pinned;
	bool locked;
	bool killed;
	bool rwp;
	bool out;
};

/* Another thread changes the entries of the source while UFFDIO_MOVE waits. */
#define AT_FOLIO_LOCK(picture)	{ (picture), "__folio_lock" }
/* It has read the entry of the source, and looks at the swap cache. */
#define AT_SWAP(picture)	{ (picture), "get_swap_device" }
/* It has not read the entry of the destination yet. */
#define AT_DST(picture)		{ (picture), "pte_offset_map_rw_nolock", .second = true }

static const struct move_row move_rows[] = {
	{ "small folios: moved",
	  { "Wdyx*16", .prot = RW }, "-*16", "Wdyx*16" },
	{ "small folios, middle ones clean: they stay clean",
	  { "Wdyx*4 Wyx*8 Wdyx*4", .prot = RW }, "-*16", "Wdyx*4 Wyx*8 Wdyx*4" },
	{ "small folios, read-only and old ones: writable and young at the destination",
	  { "Wdyx*4 Rdyx*4 Wdx*8", .prot = RW }, "-*16", "Wdyx*16" },
	{ "small folios, soft-dirty tracked: soft-dirty at the destination",
	  { "Wdysx*4 Wdyx*12", .prot = RW, .track = true }, "-*16", "Wdysx*16" },
	{ "small folios across a page table boundary of the source: moved",
	  { "@-8 Wdyx*16", .prot = RW }, "@-8 -*16", "Wdyx*16" },
	{ "small folios across a page table boundary of the destination: moved",
	  { "Wdyx*16", .prot = RW }, "-*16", "@-5 Wdyx*16" },
	{ "middle 8 of 16 small folios: moved, the rest unchanged",
	  { "Wdyx*4 | Wdyx*8 | Wdyx*4", .prot = RW },
	  "Wdyx*4 {-}*8 Wdyx*4", "{-}*4 Wdyx*8 {-}*4" },
	{ "small folios with holes, holes permitted: moved",
	  { "Wdyx*4 -*4 Wdyx*8", .prot = RW }, "-*16", "Wdyx*4 -*4 Wdyx*8",
	  .holes = true },
	{ "small folios with holes: those before the first hole moved, -EAGAIN",
	  { "Wdyx*4 -*4 Wdyx*8", .prot = RW }, "{-}*4 -*4 Wdyx*8", "Wdyx*4 -*12",
	  -EAGAIN },
	{ "small folios, the fifth shared: those before it moved, -EAGAIN",
	  { "Wdyx*4 Rdy Wdyx*11", .prot = RW }, "{-}*4 Rdy Wdyx*11",
	  "Wdyx*4 -*12",
	  -EAGAIN },
	{ "small folios, the first pinned: -EBUSY",
	  { "Wdyx*16", .prot = RW }, NULL, "-*16", -EBUSY, .pinned = 1 },
	{ "small folios, the third pinned: those before it moved, -EAGAIN",
	  { "Wdyx*4", .prot = RW }, "{-}*2 Wdyx*2", "Wdyx*2 -*2", -EAGAIN, .pinned = 3 },
	{ "64K folio: split and moved",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "~{-}*16", "~Wdyx*16" },
	{ "64K folio, soft-dirty tracked: split and moved, soft-dirty",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true, .lru = true },
	  "~{-}*16", "~Wdysx*16" },
	{ "64K folio, first 4 of 16 pages exclusive, range of the shared ones: split, -EBUSY",
	  { "{Wdyx*4 | Rdy*12} |", .prot = RW, .lru = true }, "(Wdyx*4 Rdy*12)",
	  "(-*16)", -EBUSY },
	{ "64K folio, shared: -EBUSY without a split",
	  { "{Rdy*16}", .prot = RW, .lru = true }, NULL, "-*16", -EBUSY },
	{ "64K folio with an additional reference: -EBUSY",
	  { "{Wdyx*16}", .prot = RW }, NULL, "-*16", -EBUSY },
	{ "swap entries of small folios, soft-dirty tracked: moved, soft-dirty",
	  { "{Sx}*4", .prot = RW, .swap = true, .track = true }, "-*4", "{Ssx}*4" },
	{ "small folios, clean, soft-dirty tracked: moved, soft-dirty",
	  { "Wyx*4", .prot = RW, .track = true }, "-*4", "Wysx*4" },
	{ "small folios, destination with uffd-rwp: moved, without access",
	  { "Wdyx*4", .prot = RW }, "-*4", "Ndyux*4", .rwp = true },
	{ "zero pages, destination with uffd-rwp: moved, without access",
	  { "Rzy*4", .prot = RW }, "-*4", "Nzyu*4", .rwp = true },
	{ "swap entries, destination with uffd-rwp: moved, uffd-rwp",
	  { "{Sx}*4", .prot = RW, .swap = true }, "-*4", "{Sux}*4", .rwp = true },

	/* The destination is not empty. */
	{ "zero page at the destination: -EEXIST",
	  { "Wdyx*4", .prot = RW, .meanwhile = AT_DST("Rzy -*3") }, NULL, "Rzy -*3",
	  -EEXIST },
	{ "zero page at the destination of the third folio: two moved, -EAGAIN",
	  { "Wdyx*4", .prot = RW, .meanwhile = AT_DST("-*2 Rzy -") },
	  "{-}*2 Wdyx*2", "Wdyx*2 Rzy -", -EAGAIN },
	{ "marker at the destination, zero page to move: -EEXIST",
	  { "Rzy*4", .prot = RW, .meanwhile = AT_DST("P -*3") }, NULL, "P -*3",
	  -EEXIST },

	/* Another thread holds a lock, or changes entries. */
	{ "small folios locked: waits for each, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", "Wdyx*4", .locked = true },
	{ "small folios locked, first one becomes clean meanwhile: tried again, moved clean",
	  { "Wdyx*4", .prot = RW, .meanwhile = AT_FOLIO_LOCK("Wyx Wdyx*3") }, "-*4",
	  "Wyx Wdyx*3", .locked = true },
	{ "64K folio locked: tried again without a reference, split and moved",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "~{-}*16", "~Wdyx*16",
	  .locked = true },
	{ "64K folio stays locked, SIGKILL: -EINTR",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, NULL, "-*16", -EINTR,
	  .locked = true, .killed = true },
	{ "swap entries, folios locked: waits for each, moved",
	  { "{Sx}*4", .prot = RW, .swap = true }, "-*4", "{Sx}*4", .locked = true },
	{ "swap entries, folios locked, first shared meanwhile: tried again, -EBUSY",
	  { "{Sx}*4", .prot = RW, .swap = true,
	    .meanwhile = AT_FOLIO_LOCK("{S} {Sx}*3") }, NULL, "-*4", -EBUSY,
	  .locked = true },
	{ "swap entry shared before the lock: tried again, -EBUSY",
	  { "{Sx}*4", .prot = RW, .swap = true,
	    .meanwhile = AT_SWAP("{S} {Sx}*3") }, NULL, "-*4", -EBUSY },
	{ "marker at the destination of a swap entry before the lock: -EEXIST",
	  { "{Sx}*4", .prot = RW, .swap = true,
	    .meanwhile = { "P -*3", "get_swap_device", .second = true } }, NULL,
	  "P -*3", -EEXIST },

	{ "zero pages: moved", { "Rzy*4", .prot = RW }, "-*4", "Rzy*4" },
	{ "zero pages, soft-dirty tracked: moved, soft-dirty",
	  { "Rzys*2 Rzy*2", .prot = RW, .track = true }, "-*4", "Rzys*4" },
	{ "zero pages that KSM has mapped: moved, KSM does not count them any more",
	  { "Rdzy*2 Rzy Rdzy", .prot = RW }, "-*4", "Rzy*4" },
	{ "zero pages between small folios: moved",
	  { "Wdyx Rzy*2 Wdyx", .prot = RW }, "-*4", "Wdyx Rzy*2 Wdyx" },
	{ "KSM pages: -EBUSY", { "Rky*2", .prot = RW }, NULL, "-*2", -EBUSY },
	{ "guard markers: -EFAULT",
	  { "G*4", .prot = RW, .guarded = true }, NULL, "-*4", -EFAULT },
	{ "swap entries of shared small folios: -EBUSY",
	  { "{S}*4", .prot = RW, .swap = true }, NULL, "-*4", -EBUSY },
	{ "destination's page table gone before its lock: tried again, moved",
	  { "Wdyx*4", .prot = RW, .lost_in = "pte_offset_map_rw_nolock" }, "-*4",
	  "Wdyx*4" },
	{ "source's page table gone before its lock: tried again, moved",
	  { "Wdyx*4", .prot = RW, .lost_in = "pte_offset_map_rw_nolock", .lost_call = 1 },
	  "-*4", "Wdyx*4" },
	{ "swap entries of small folios that are not in the swap cache: moved",
	  { "{Sx}*4", .prot = RW, .swap = true }, "-*4", "Sx*4", .out = true },
	{ "swap entries of a 64K folio: -EBUSY",
	  { "{Sx*16}", .prot = RW, .swap = true }, NULL, "-*16", -EBUSY },
	{ "PMD-mapped folio: PMD moved",
	  { "[Wdyx]", .prot = RW }, "-*T", "[Wdyx]" },
	{ "PMD-mapped folio, shared: -EBUSY",
	  { "[Rdy]", .prot = RW }, NULL, "-*T", -EBUSY },
	{ "PMD-mapped folio, pinned: -EBUSY",
	  { "[Wdyx]", .prot = RW }, NULL, "-*T", -EBUSY, .pinned = 1 },
};

KUNIT_ARRAY_PARAM_DESC(move_rows, move_rows, name);

/**
 * struct attempt - a move, and what it needs besides the trial
 * @row: the case
 * @space: the address space
 * @waits: kprobe on the function that UFFDIO_MOVE calls until a folio is unlocked
 * @ends: kprobe on the function that UFFDIO_MOVE calls at its end
 * @unlocked: number of folios that another thread has unlocked
 */
struct attempt {
	const struct move_row *row;
	const struct ptebatch_space *space;
	struct ptebatch_counter waits, ends;
	unsigned int unlocked;
};

static bool is_large(const struct attempt *attempt)
{
	return attempt->space->row.folios[0].order;
}

/*
 * One folio after the other. UFFDIO_MOVE does not wait for the lock of a large folio,
 * but maps both page tables again.
 */
static void unlock_next(void *data)
{
	struct attempt *attempt = data;

	if (is_large(attempt) && attempt->waits.hits <= 2)
		return;
	if (attempt->row->killed)
		ptebatch_sigkill_set();
	else if (attempt->unlocked < attempt->space->row.nr_folios)
		folio_unlock(attempt->space->folios[attempt->unlocked++]);
}

/* Before UFFDIO_MOVE returns: what follows is not to be killed. */
static void clear_signal(void *data)
{
	ptebatch_sigkill_clear();
}

static struct ptebatch_counter until_return(const struct ptebatch_space *space)
{
	return (struct ptebatch_counter) {
		.function = "mmput", .match = space->places[0].mm, .on_call = clear_signal,
	};
}

/* The set-up locks folios with swap space; UFFDIO_MOVE locks them itself. */
static void prepare_move(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	const struct move_row *row = attempt->row;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		bool locked = test_bit(i, trial->locked);

		if (row->out)
			KUNIT_ASSERT_EQ(trial->test, 0,
					ptebatch_swap_out(space->folios[i]));
		else if (row->locked && !locked)
			folio_lock(space->folios[i]);
		else if (!row->locked && locked)
			folio_unlock(space->folios[i]);
	}
	attempt->space = space;
	attempt->unlocked = 0;
	attempt->waits = (struct ptebatch_counter) {
		.function = is_large(attempt) ? "pte_offset_map_rw_nolock" : "__folio_lock",
		.on_call = unlock_next, .data = attempt,
	};
	KUNIT_ASSERT_EQ(trial->test, 0,
			ptebatch_counters_begin(&attempt->waits, row->locked));
	attempt->ends = until_return(space);
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&attempt->ends, row->killed));
	if (row->pinned)
		ptebatch_folio_pin(space->folios[row->pinned - 1], 1);
}

static void undo_move(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	const struct move_row *row = attempt->row;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	ptebatch_counters_end(&attempt->ends, row->killed);
	ptebatch_counters_end(&attempt->waits, row->locked);
	if (row->pinned)
		ptebatch_folio_pin(space->folios[row->pinned - 1], -1);
	for (i = attempt->unlocked; i < space->row.nr_folios && row->locked; i++)
		folio_unlock(space->folios[i]);
	for_each_set_bit(i, trial->locked, row->out ? 0 : space->row.nr_folios)
		folio_lock(space->folios[i]);
}

static void move_row(struct kunit *test)
{
	const struct move_row *row = test->param_value;
	struct ptebatch_op op = move_op;
	struct attempt *attempt;
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup,
		.after = row->after, .second = row->second, .ret = row->err,
		.prepare = prepare_move, .undo = undo_move,
		.data = &attempt,
	};

	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	if (row->locked && !IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "no other thread holds a lock without CONFIG_KPROBES");
	if (row->rwp && VM_UFFD_RWP == VM_NONE)
		kunit_skip(test, "no read-write protection by userfaultfd in this kernel");
	attempt = kunit_kzalloc(test, sizeof(*attempt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt);
	attempt->row = row;
	op.arg = row->holes ? UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES : 0;
	op.uffd_rwp = row->rwp;
	ptebatch_row_run(test, &run);
}

/* UFFDIO_MOVE of a range without pages to the row. */
static long move_hole(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_place *from = &space->places[1];
	struct uffdio_move arg = {
		.dst = ptebatch_addr(space, 0), .src = from->start,
		.len = space->row.nr * PAGE_SIZE, .mode = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES,
	};
	struct file *uffd;
	long ret;

	ret = map_destination(space, from);
	if (ret)
		return ret;
	uffd = ptebatch_uffd_open(from->mm, 0);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	ret = ptebatch_uffd_register(uffd, from->mm, arg.dst, UFFDIO_REGISTER_MODE_MISSING) ?:
	      ptebatch_uffd_ioctl(uffd, from->mm, UFFDIO_MOVE, &arg, sizeof(arg));
	__fput_sync(uffd);
	return ret;
}

static const struct ptebatch_op move_hole_op = {
	.function = "UFFDIO_MOVE", .call = move_hole, .no_twin = true, .moves = true,
};

/* UFFDIO_MOVE may try again, but not without end. */
#define TRIES	100

static void stop_tries(void *data)
{
	struct ptebatch_counter *tries = data;

	if (tries->hits > TRIES)
		ptebatch_sigkill_set();
}

/**
 * struct destination_row - a case of UFFDIO_MOVE onto a PMD that is no page table
 * @name: name of the case
 * @setup: the destination
 */
struct destination_row {
	const char *name;
	struct ptebatch_setup setup;
};

static const struct destination_row destination_rows[] = {
	{ "PMD-mapped folio at the destination: -EEXIST", { "[Wdyx]", .prot = RW } },
	{ "PMD migration entry at the destination: -EEXIST", { "[Mw]", .prot = RW } },
	{ "device-private PMD at the destination: -EEXIST", { "[Dwx]", .prot = RW } },
};

KUNIT_ARRAY_PARAM_DESC(destination_rows, destination_rows, name);

static void prepare_destination(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_counter *probes = *(struct ptebatch_counter * const *)data;

	probes[0] = (struct ptebatch_counter) {
		.function = "pte_offset_map_rw_nolock", .match = trial->place->mm,
		.on_call = stop_tries, .data = probes,
	};
	probes[1] = until_return(trial->space);
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(probes, 2));
}

static void undo_destination(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_counter *probes = *(struct ptebatch_counter * const *)data;

	ptebatch_counters_end(probes, 2);
}

static void destination_row(struct kunit *test)
{
	const struct destination_row *row = test->param_value;
	struct ptebatch_counter *probes;
	const struct ptebatch_run run = {
		.op = &move_hole_op, .setup = &row->setup, .second = "-*T", .ret = -EEXIST,
		.prepare = prepare_destination, .undo = undo_destination, .data = &probes,
	};

	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "an endless loop is not ended without CONFIG_KPROBES");
	probes = kunit_kcalloc(test, 2, sizeof(*probes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, probes);
	ptebatch_row_run(test, &run);
}

static pmd_t read_pmd(const struct ptebatch_place *place)
{
	pmd_t *pmd;
	pmd_t value = {};

	mmap_read_lock(place->mm);
	pmd = ptebatch_find_pmd(place->mm, place->start);
	if (pmd)
		value = pmdp_get(pmd);
	mmap_read_unlock(place->mm);
	return value;
}

/* Teardown would free the wrong page. */
static void clear_pmd(const struct ptebatch_place *place)
{
	mmap_write_lock(place->mm);
	pmd_clear(ptebatch_find_pmd(place->mm, place->start));
	mmap_write_unlock(place->mm);
}

static void move_huge_zero_page(struct kunit *test)
{
	const struct ptebatch_setup setup = { "-*T", .prot = RW };
	const struct ptebatch_place *to;
	struct ptebatch_space *space;
	struct mm_struct *mm;
	pmd_t was, is;

	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no huge zero page without CONFIG_TRANSPARENT_HUGEPAGE");
	if (PMD_SIZE > SZ_64M)
		kunit_skip(test, "folio is larger than 64 MiB, the limit of the suites");
	space = ptebatch_space(test, &setup);
	mm = space->places[0].mm;
	ptebatch_vma_flags(mm, space->places[0].start, VM_HUGEPAGE, 0);
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	KUNIT_EXPECT_EQ(test, 0,
			ptebatch_read_fault.call(&ptebatch_read_fault, space, false));
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	was = read_pmd(&space->places[0]);
	KUNIT_ASSERT_TRUE_MSG(test, pmd_present(was) && pmd_trans_huge(was),
			      "the read fault maps no huge zero page");

	to = ptebatch_space_add_place(space, 0);
	KUNIT_EXPECT_EQ(test, 0, move_op.call(&move_op, space, false));
	KUNIT_EXPECT_TRUE_MSG(test, pmd_none(read_pmd(&space->places[0])),
			      "UFFDIO_MOVE leaves the PMD of the source");
	is = read_pmd(to);
	if (pmd_present(is) && pmd_trans_huge(is) && pmd_pfn(is) == pmd_pfn(was)) {
		KUNIT_EXPECT_FALSE_MSG(test, pmd_write(is), "the huge zero page is writable");
		return;
	}
	KUNIT_FAIL(test, "UFFDIO_MOVE of the huge zero page leaves PMD %#llx, expected PFN %#lx",
		   (u64)pmd_val(is), (unsigned long)pmd_pfn(was));
	clear_pmd(to);
}

static struct kunit_case userfaultfd_cases[] = {
	KUNIT_CASE_PARAM(close_row, close_rows_gen_params),
	KUNIT_CASE_PARAM(move_row, move_rows_gen_params),
	KUNIT_CASE_PARAM(destination_row, destination_rows_gen_params),
	KUNIT_CASE(move_huge_zero_page),
	{}
};

PTEBATCH_SUITE(userfaultfd, userfaultfd_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
