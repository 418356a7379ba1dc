// SPDX-License-Identifier: GPL-2.0
/*
 * A userfaultfd that is closed resolves the write protection of all entries, as
 * UFFDIO_UNREGISTER does, also of a child whose fork() waits for a reader;
 * UFFDIO_WRITEPROTECT sets and resolves it.
 * UFFDIO_UNREGISTER wakes threads that wait in faults. UFFDIO_ZEROPAGE maps zero pages,
 * and new pages in shmem. UFFDIO_MOVE moves the present entries of small folios in
 * batches, splits large folios, and moves a PMD as a whole.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/userfaultfd_k.h>

#include "../lib/inject/conditions.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/syscall.h"
#include "../lib/kernel/uffd.h"
#include "../lib/op/migrate.h"
#include "../lib/op/uffd.h"
#include "../lib/run/case.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Register the VMA, which the set-up has made without a userfaultfd. */
static long register_row(struct file *uffd, const struct ptebatch_space *space)
{
	const struct ptebatch_place *place = &space->places[0];

	ptebatch_vma_flags(place->mm, place->start, 0, VM_UFFD_WP | VM_UFFD_RWP);
	return ptebatch_uffd_register(uffd, place->mm, place->start,
				      space->setup.uffd & UFFD_RWP ?
				      UFFDIO_REGISTER_MODE_RWP : UFFDIO_REGISTER_MODE_WP);
}

static long close_uffd(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	bool rwp = space->setup.uffd & UFFD_RWP;
	struct file *uffd;
	long ret;

	uffd = ptebatch_uffd_open(space->places[0].mm, rwp ? UFFD_FEATURE_RWP : 0);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	ret = register_row(uffd, space);
	__fput_sync(uffd);
	return ret;
}

static const struct ptebatch_op close_op = {
	.function = "close() of a userfaultfd", .call = close_uffd,
	.missing = ptebatch_uffd_missing, .no_twin = true, .vma_flags = PTEBATCH_UFFD_FLAGS,
};

static const struct ptebatch_case close_rows[] = {
	{ "64K folio, uffd-wp: writable",
	  { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP }, "{Wdyx*16}" },
	{ "64K folio, half of it uffd-wp, last 4 pages shared: they stay read-only",
	  { "{Wdyx*4 Rdyux*8 Rdyu*4}", .prot = RW, .uffd = UFFD_WP },
	  "{Wdyx*12 Rdy*4}" },
	{ "64K folio in a read-only VMA, uffd-wp: read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP }, "{Rdyx*16}" },
	{ "folios of orders 0, 2 and 4 across a page table boundary, uffd-wp: writable",
	  { "@-8 Rdyux {Rdyux*4} {Rdyux*16}", .prot = RW, .uffd = UFFD_WP },
	  "@-8 Wdyx {Wdyx*4} {Wdyx*16}" },
	{ "PMD-mapped folio, uffd-wp: PMD writable",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "[Wdyx]" },
	{ "64K folio, half of its swap entries uffd-wp: none",
	  { "{Sxu*8 Sx*8}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP },
	  "{Sx*16}" },
	{ "64K folio, migration entries uffd-wp: none",
	  { "{Mxu*8 Mx*8}", .prot = RW, .uffd = UFFD_WP }, "{Mx*16}" },
	{ "32K shmem folio, uffd-wp, between markers: no uffd-wp, no markers",
	  { "U*4 {Rdyu*8} U*4", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "-*4 {Rdy*8} -*4" },
	{ "64K folio, half of it uffd-rwp: accessible",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_RWP }, "{Wdyx*16}" },
};

KUNIT_ARRAY_PARAM_DESC(close_rows, close_rows, name);

static void run_row(struct kunit *test, const struct ptebatch_op *op)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.op = row.op ?: op;
	ptebatch_case_run(test, &row);
}

static void close_row(struct kunit *test)
{
	run_row(test, &close_op);
}

static void close_file(void *file)
{
	__fput_sync(file);
}

/* @op->arg: UFFDIO_MOVE_MODE_*, @op->uffd_rwp: also of the destination. */
static long move_from_to(const struct ptebatch_op *op, struct ptebatch_space *space,
			 const struct ptebatch_place *from,
			 const struct ptebatch_place *to)
{
	u64 registers = UFFDIO_REGISTER_MODE_MISSING;
	struct file *uffd;
	long ret;

	uffd = ptebatch_uffd_open(to->mm, op->uffd_rwp ? UFFD_FEATURE_RWP : 0);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	/* Closed at the end of the case, as close() makes the entries accessible. */
	ret = kunit_add_action_or_reset(space->test, close_file, uffd);
	if (ret)
		return ret;
	if (op->uffd_rwp)
		registers |= UFFDIO_REGISTER_MODE_RWP;
	ret = space->setup.uffd ? register_row(uffd, space) : 0;
	return ret ?: ptebatch_uffd_map_last(space) ?:
	       ptebatch_uffd_move_between(uffd, space, from, to, registers, op->arg);
}

static long move(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return move_from_to(op, space, &space->places[0],
			    &space->places[space->nr_places - 1]);
}

#define MOVE_OP(from_to)						\
	.function = "UFFDIO_MOVE", .call = (from_to), .no_twin = true,	\
	.moves = true, .missing = ptebatch_uffd_missing

static const struct ptebatch_op move_op = { MOVE_OP(move) };
static const struct ptebatch_op move_rwp_op = { MOVE_OP(move), .uffd_rwp = true };

/* What another thread holds, until UFFDIO_MOVE waits for it. */

static void lock_all(struct ptebatch_use *use)
{
	struct ptebatch_trial *trial = use->trial;
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++)
		if (!test_bit(i, trial->locked))
			folio_lock(trial->space->folios[i]);
	/* None stays locked. The word is the number of unlocked folios. */
	bitmap_zero(trial->locked, PTEBATCH_ROW_ENTRIES);
}

static void unlock_next(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	struct ptebatch_space *space = use->trial->space;

	if (use->word < space->row.nr_folios)
		folio_unlock(space->folios[use->word++]);
}

static void unlock_rest(struct ptebatch_use *use)
{
	while (use->word < use->trial->space->row.nr_folios)
		unlock_next(use, NULL, NULL);
}

static const struct ptebatch_condition_type locked_until = {
	.name = "the next folio is unlocked", .begin = lock_all, .occur = unlock_next,
	.end = unlock_rest, .always = true,
};

/* Each call of the function unlocks one folio. */
#define LOCKED_UNTIL(at, after)	{ .type = &locked_until, .function = (at), .calls = (after) }
#define LOCKED_UNTIL_WAIT	LOCKED_UNTIL("__folio_lock", 0)
/* UFFDIO_MOVE does not wait for a large folio, but maps both page tables again. */
#define LOCKED_UNTIL_RETRY	LOCKED_UNTIL("pte_offset_map_rw_nolock", 2)

/* It has not read the entry of the destination yet. */
#define AT_DST(row)		SECOND_PTES_BECOME_AT("pte_offset_map_rw_nolock", 0, row)

static void clear_signal(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	ptebatch_sigkill_clear();
}

static const struct ptebatch_condition_type signal_handled = {
	.name = "SIGKILL is not pending", .occur = clear_signal, .always = true,
};

/* Before UFFDIO_MOVE returns: what follows is not to be killed. */
#define SIGNAL_HANDLED		{ .type = &signal_handled, .function = "mmput" }

static void stop_tries(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	ptebatch_sigkill_set();
}

static const struct ptebatch_condition_type tries_end = {
	.name = "SIGKILL ends the tries", .occur = stop_tries, .optional = true,
};

/* UFFDIO_MOVE may try again, but not without end. */
#define TRIES_END	{ .type = &tries_end, .function = "pte_offset_map_rw_nolock", \
			  .calls = 100 }

/* Another thread ends the migration of the first folio as soon as a thread waits for it. */
static int end_migration(void *data)
{
	struct ptebatch_space *space = data;

	while (!kthread_should_stop() && !folio_test_waiters(space->folios[0]))
		usleep_range(100, 1000);
	return ptebatch_migrated.call(&ptebatch_migrated, space, false);
}

static long move_migrating(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	struct task_struct *task = kthread_create(end_migration, space, "ptebatch");
	long ret;

	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	ret = ptebatch_migrate.call(&ptebatch_migrate, space, false);
	wake_up_process(task);
	ret = ret ?: move(op, space, twin);
	kthread_stop_put(task);
	return ret;
}

static const char *migration_missing(void)
{
	return ptebatch_uffd_missing() ?: ptebatch_migrate.missing();
}

static const struct ptebatch_op move_migrating_op = {
	.function = "UFFDIO_MOVE", .call = move_migrating, .no_twin = true, .moves = true,
	.missing = migration_missing,
};

/*
 * In pictures of one place, {-} is a small folio that the other place maps. A
 * folio that is split becomes new folios, as the index of each changes. Large folios
 * that are split need @lru.
 */
static const struct ptebatch_case move_rows[] = {
	{ "small folios: moved",
	  { "Wdyx*16", .prot = RW }, "-*16", .second = "Wdyx*16" },
	{ "small folios, middle ones clean: they stay clean",
	  { "Wdyx*4 Wyx*8 Wdyx*4", .prot = RW }, "-*16",
	  .second = "Wdyx*4 Wyx*8 Wdyx*4" },
	{ "small folios, read-only and old ones: writable and young at the destination",
	  { "Wdyx*4 Rdyx*4 Wdx*8", .prot = RW }, "-*16", .second = "Wdyx*16" },
	{ "small folios, soft-dirty tracked: soft-dirty at the destination",
	  { "Wdysx*4 Wdyx*12", .prot = RW, .track = true }, "-*16",
	  .second = "Wdysx*16" },
	{ "small folios across a page table boundary of the source: moved",
	  { "@-8 Wdyx*16", .prot = RW }, "@-8 -*16", .second = "Wdyx*16" },
	{ "small folios across a page table boundary of the destination: moved",
	  { "Wdyx*16", .prot = RW }, "-*16", .second = "@-5 Wdyx*16",
	  .with = { DESTINATION_TABLES } },
	{ "middle 8 of 16 small folios: moved, the rest unchanged",
	  { "Wdyx*4 | Wdyx*8 | Wdyx*4", .prot = RW }, "Wdyx*4 {-}*8 Wdyx*4",
	  .second = "{-}*4 Wdyx*8 {-}*4" },
	{ "small folios with holes, holes permitted: moved",
	  { "Wdyx*4 -*4 Wdyx*8", .prot = RW }, "-*16",
	  .second = "Wdyx*4 -*4 Wdyx*8", .arg = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES },
	{ "small folios with holes: those before the first hole moved, -EAGAIN",
	  { "Wdyx*4 -*4 Wdyx*8", .prot = RW }, "{-}*4 -*4 Wdyx*8",
	  .second = "Wdyx*4 -*12", .ret = -EAGAIN },
	{ "small folios, the fifth shared: those before it moved, -EAGAIN",
	  { "Wdyx*4 Rdy Wdyx*11", .prot = RW }, "{-}*4 Rdy Wdyx*11",
	  .second = "Wdyx*4 -*12", .ret = -EAGAIN },
	{ "small folios, the first pinned: -EBUSY",
	  { "Wdyx*16", .prot = RW }, NULL, .second = "-*16", .ret = -EBUSY,
	  .with = { PINNED(0) } },
	{ "small folios, the third pinned: those before it moved, -EAGAIN",
	  { "Wdyx*4", .prot = RW }, "{-}*2 Wdyx*2", .second = "Wdyx*2 -*2",
	  .ret = -EAGAIN, .with = { PINNED(2) } },
	{ "64K folio: split and moved",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "~{-}*16",
	  .second = "~Wdyx*16", .with = { SPLITS } },
	{ "64K folio, soft-dirty tracked: split and moved, soft-dirty",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true, .folios = ON_LRU }, "~{-}*16",
	  .second = "~Wdysx*16", .with = { SPLITS } },
	{ "64K folio, first 4 of 16 pages exclusive, range of the shared ones: not split, -EBUSY",
	  { "{Wdyx*4 | Rdy*12} |", .prot = RW, .folios = ON_LRU }, NULL,
	  .second = "-*16", .ret = -EBUSY },
	{ "64K folio, first page shared and not mapped: the exclusive ones split and moved",
	  { "@1 {. Wdyx*15}", .prot = RW, .folios = ON_LRU }, "@1 ~{-}*15",
	  .second = "~Wdyx*15", .with = { SPLITS } },
	{ "64K folio, shared: -EBUSY without a split",
	  { "{Rdy*16}", .prot = RW, .folios = ON_LRU }, NULL, .second = "-*16",
	  .ret = -EBUSY },
	{ "64K folio with an additional reference: -EBUSY",
	  { "{Wdyx*16}", .prot = RW }, NULL, .second = "-*16", .ret = -EBUSY,
	  .with = { SPLITS } },
	{ "swap entries of small folios, soft-dirty tracked: moved, soft-dirty",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP, .track = true }, "-*4",
	  .second = "{Ssx}*4", .with = { UNLOCKED } },
	{ "swap entries of small folios, uffd-wp: moved, not uffd-wp",
	  { "{Sxu}*4", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP }, "-*4",
	  .second = "{Sx}*4", .with = { UNLOCKED } },
	{ "small folios, uffd-wp: moved, not uffd-wp",
	  { "Rdyux*4", .prot = RW, .uffd = UFFD_WP }, "-*4", .second = "Wdyx*4" },
	{ "small folios, clean, soft-dirty tracked: moved, soft-dirty",
	  { "Wyx*4", .prot = RW, .track = true }, "-*4", .second = "Wysx*4" },
	{ "small folios, destination with uffd-rwp: moved, without access",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Ndyux*4",
	  .op = &move_rwp_op },
	{ "zero pages, destination with uffd-rwp: moved, without access",
	  { "Rzy*4", .prot = RW }, "-*4", .second = "Nzyu*4", .op = &move_rwp_op },
	{ "swap entries, destination with uffd-rwp: moved, uffd-rwp",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, "-*4", .second = "{Sux}*4",
	  .op = &move_rwp_op, .with = { UNLOCKED } },

	/* The destination is not empty. */
	{ "zero page at the destination: -EEXIST",
	  { "Wdyx*4", .prot = RW }, NULL, .second = "Rzy -*3", .ret = -EEXIST,
	  .with = { AT_DST("Rzy -*3") } },
	{ "zero page at the destination of the third folio: two moved, -EAGAIN",
	  { "Wdyx*4", .prot = RW }, "{-}*2 Wdyx*2", .second = "Wdyx*2 Rzy -",
	  .ret = -EAGAIN, .with = { AT_DST("-*2 Rzy -") } },
	{ "marker at the destination, zero page to move: -EEXIST",
	  { "Rzy*4", .prot = RW }, NULL, .second = "P -*3", .ret = -EEXIST,
	  .with = { AT_DST("P -*3") } },

	/* Another thread holds a lock, or changes entries. */
	{ "small folios locked: waits for each, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wdyx*4",
	  .with = { LOCKED_UNTIL_WAIT } },
	{ "small folios locked, first one becomes clean meanwhile: tried again, moved clean",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wyx Wdyx*3",
	  .with = { LOCKED_UNTIL_WAIT,
	    PTES_BECOME_AT("__folio_lock", 0, "Wyx Wdyx*3") } },
	{ "64K folio locked: tried again without a reference, split and moved",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "~{-}*16", .second = "~Wdyx*16",
	  .with = { LOCKED_UNTIL_RETRY, SPLITS } },
	{ "64K folio stays locked, SIGKILL: -EINTR",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, NULL, .second = "-*16",
	  .ret = -EINTR,
	  .with = { LOCKED(0), KILLED_AT("pte_offset_map_rw_nolock", 2),
	    SIGNAL_HANDLED } },
	{ "swap entries, folios locked: waits for each, moved",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, "-*4", .second = "{Sx}*4",
	  .with = { LOCKED_UNTIL_WAIT } },
	{ "swap entries, folios locked, first shared meanwhile: tried again, -EBUSY",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, NULL, .second = "-*4",
	  .ret = -EBUSY,
	  .with = { LOCKED_UNTIL_WAIT,
	    PTES_BECOME_AT("__folio_lock", 0, "{S} {Sx}*3") } },
	{ "swap entry shared before the lock: tried again, -EBUSY",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, NULL, .second = "-*4",
	  .ret = -EBUSY,
	  .with = { UNLOCKED,
	    PTES_BECOME_AT("get_swap_device", 0, "{S} {Sx}*3") } },
	{ "marker at the destination of a swap entry before the lock: -EEXIST",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, NULL, .second = "P -*3",
	  .ret = -EEXIST,
	  .with = { UNLOCKED,
	    SECOND_PTES_BECOME_AT("get_swap_device", 0, "P -*3") } },

	{ "first folio in migration: waits for its end, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wdyx*4", .op = &move_migrating_op,
	  .with = { TRIES_END, SIGNAL_HANDLED } },

	{ "zero pages: moved",
	  { "Rzy*4", .prot = RW }, "-*4", .second = "Rzy*4" },
	{ "zero pages, soft-dirty tracked: moved, soft-dirty",
	  { "Rzys*2 Rzy*2", .prot = RW, .track = true }, "-*4",
	  .second = "Rzys*4" },
	{ "zero pages that KSM has mapped: moved, KSM does not count them any more",
	  { "Rdzy*2 Rzy Rdzy", .prot = RW }, "-*4", .second = "Rzy*4" },
	{ "zero pages between small folios: moved",
	  { "Wdyx Rzy*2 Wdyx", .prot = RW }, "-*4", .second = "Wdyx Rzy*2 Wdyx" },
	{ "KSM pages: -EBUSY",
	  { "Rky*2", .prot = RW }, NULL, .second = "-*2", .ret = -EBUSY },
	{ "guard markers: -EFAULT",
	  { "G*4", .prot = RW, .vma = VM_MAYBE_GUARD }, NULL, .second = "-*4",
	  .ret = -EFAULT },
	{ "swap entries of shared small folios: -EBUSY",
	  { "{S}*4", .prot = RW, .folios = WITH_SWAP }, NULL, .second = "-*4",
	  .ret = -EBUSY, .with = { UNLOCKED } },
	{ "destination's page table gone before it is mapped: tried again, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wdyx*4",
	  .with = { LOST_AT("pte_offset_map_rw_nolock", 0) } },
	{ "destination's page table gone after it is mapped: tried again, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wdyx*4",
	  .with = { SECOND_TABLE_GONE_AT("pte_offset_map_rw_nolock", 1),
		    TABLE_BACK_AT("__mmu_notifier_invalidate_range_end") } },
	{ "source's page table gone before it is mapped: tried again, moved",
	  { "Wdyx*4", .prot = RW }, "-*4", .second = "Wdyx*4",
	  .with = { LOST_AT("pte_offset_map_rw_nolock", 1) } },
	{ "swap device turned off before it is used: tried again, moved",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, "-*4", .second = "{Sx}*4",
	  .with = { UNLOCKED, LOST_AT("get_swap_device", 0) } },
	{ "swap entries of small folios that are not in the swap cache: moved",
	  { "{Sx}*4", .prot = RW, .folios = WITH_SWAP }, "-*4", .second = "Sx*4",
	  .with = { SWAPPED_OUT } },
	{ "swap entries of a 64K folio: -EBUSY",
	  { "{Sx*16}", .prot = RW, .folios = WITH_SWAP }, NULL, .second = "-*16",
	  .ret = -EBUSY, .with = { UNLOCKED } },
	{ "PMD-mapped folio: PMD moved",
	  { "[Wdyx]", .prot = RW }, "-*T", .second = "[Wdyx]" },
	{ "PMD-mapped folio, shared: -EBUSY",
	  { "[Rdy]", .prot = RW }, NULL, .second = "-*T", .ret = -EBUSY },
	{ "PMD-mapped folio, pinned: -EBUSY",
	  { "[Wdyx]", .prot = RW }, NULL, .second = "-*T", .ret = -EBUSY,
	  .with = { PINNED(0) } },
};

KUNIT_ARRAY_PARAM_DESC(move_rows, move_rows, name);

static void move_row(struct kunit *test)
{
	run_row(test, &move_op);
}

/* Of a range without pages to the row. */
static long move_hole(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return move_from_to(op, space, &space->places[1], &space->places[0]);
}

static const struct ptebatch_op move_hole_op = {
	MOVE_OP(move_hole), .arg = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES,
	.vma_flags = PTEBATCH_UFFD_FLAGS,
};

/* Onto a PMD that is no page table. */
static const struct ptebatch_case destination_rows[] = {
	{ "PMD-mapped folio at the destination: -EEXIST", { "[Wdyx]", .prot = RW } },
	{ "PMD migration entry at the destination: -EEXIST", { "[Mw]", .prot = RW } },
	{ "device-private PMD at the destination: -EEXIST", { "[Dwx]", .prot = RW } },
};

KUNIT_ARRAY_PARAM_DESC(destination_rows, destination_rows, name);

static void destination_row(struct kunit *test)
{
	const struct ptebatch_case *of = test->param_value;
	const struct ptebatch_case row = {
		.setup = of->setup, .second = "-*T", .op = &move_hole_op, .ret = -EEXIST,
		.with = { TRIES_END, SIGNAL_HANDLED },
	};

	ptebatch_case_run(test, &row);
}

static pmd_t read_pmd(const struct ptebatch_place *place)
{
	pmd_t *pmd;
	pmd_t value = __pmd(0);

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

/*
 * Rules 12 and 14: UFFDIO_WRITEPROTECT, from the ioctl() on. When it ends the
 * write protection, a write that needs no fault otherwise does not fault either.
 */

/* Register the VMAs of the row, until the end of the case. */
static struct file *register_vmas(struct ptebatch_space *space, u64 features, u64 mode)
{
	/* In two VMAs, if the row has two. */
	unsigned long first = ptebatch_addr(space, 0);
	unsigned long last = ptebatch_addr(space, space->row.nr - 1);
	struct mm_struct *mm = space->places[0].mm;
	struct file *uffd;
	long ret;

	/* The set-up registers the VMA without a userfaultfd. */
	ptebatch_vma_flags(mm, first, 0, VM_UFFD_WP | VM_UFFD_RWP);
	ptebatch_vma_flags(mm, last, 0, VM_UFFD_WP | VM_UFFD_RWP);
	uffd = ptebatch_uffd_open(mm, features);
	if (IS_ERR(uffd))
		return uffd;
	/* Closed at the end of the case, as that ends the protection. */
	ret = kunit_add_action_or_reset(space->test, close_file, uffd) ?:
	      ptebatch_uffd_register(uffd, mm, first, mode) ?:
	      ptebatch_uffd_register(uffd, mm, last, mode);
	return ret ? ERR_PTR(ret) : uffd;
}

static struct uffdio_range range_of(const struct ptebatch_space *space)
{
	return (struct uffdio_range) {
		.start = ptebatch_addr(space, space->row.from),
		.len = (space->row.to - space->row.from) * PAGE_SIZE,
	};
}

/* @op->arg: UFFDIO_WRITEPROTECT_MODE_* */
static long write_protect(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	struct uffdio_writeprotect arg = { .range = range_of(space), .mode = op->arg };
	struct file *uffd = register_vmas(space, UFFD_FEATURE_PAGEFAULT_FLAG_WP |
					  UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
					  UFFDIO_REGISTER_MODE_WP);

	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	return ptebatch_uffd_ioctl(uffd, space->places[0].mm, UFFDIO_WRITEPROTECT,
				   &arg, sizeof(arg));
}

static const struct ptebatch_op protect_op = {
	.function = "UFFDIO_WRITEPROTECT", .call = write_protect, .no_twin = true,
	.missing = ptebatch_uffd_missing,
};

#define PROTECT	.op = &protect_op, .arg = UFFDIO_WRITEPROTECT_MODE_WP
#define RESOLVE	.op = &protect_op

/* Each ioctl() allocates a page table for its argument: that of UFFDIO_API, and so on. */
#define ARGUMENTS	4

static const struct ptebatch_case protect_rows[] = {
	{ "UFFDIO_WRITEPROTECT, 64K folio: all entries become uffd-wp",
	  { "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP }, "{Rdyux*16}",
	  PROTECT },
	{ "UFFDIO_WRITEPROTECT, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW, .uffd = UFFD_WP },
	  "{Wdyx*5 Rdyux*6 Wdyx*5}", PROTECT },
	{ "UFFDIO_WRITEPROTECT, folio in two VMAs: all entries become uffd-wp",
	  { "{Wdyx*6 ; Wdyx*10}", .prot = RW, .uffd = UFFD_WP }, "{Rdyux*16}",
	  PROTECT },
	{ "UFFDIO_WRITEPROTECT, shmem folio and none entries: uffd-wp, and markers",
	  { "{Wdy*4} -*4", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "{Rdyu*4} U*4",
	  PROTECT },
	{ "UFFDIO_WRITEPROTECT across 1G, no page table after the split of a PMD: -ENOMEM",
	  { "@-16 {Wdy*16} [Wdy]", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP, .pud_boundary = true },
	  "@-16 {Rdyu*16} -*T", PROTECT, .ret = -ENOMEM, .with = { NO_TABLE(ARGUMENTS) } },
	{ "UFFDIO_WRITEPROTECT ends, 64K folio: all entries become writable",
	  { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP }, "{Wdyx*16}", RESOLVE },
	{ "UFFDIO_WRITEPROTECT ends, second half shared: first half becomes writable",
	  { "{Rdyux*8 Rdyu*8}", .prot = RW, .uffd = UFFD_WP }, "{Wdyx*8 Rdy*8}", RESOLVE },
	{ "UFFDIO_WRITEPROTECT ends, read-only VMA: all entries stay read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP }, "{Rdyx*16}", RESOLVE },
	{ "UFFDIO_WRITEPROTECT ends, folio in two VMAs: all entries become writable",
	  { "{Rdyux*6 ; Rdyux*10}", .prot = RW, .uffd = UFFD_WP }, "{Wdyx*16}", RESOLVE },
};

KUNIT_ARRAY_PARAM_DESC(protect_rows, protect_rows, name);

static void protect_row(struct kunit *test)
{
	ptebatch_case_param(test);
}

/* UFFDIO_ZEROPAGE, of memory that is registered for missing pages, too. */
static long map_zero_pages(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	struct uffdio_zeropage arg = { .range = range_of(space) };
	u64 mode = UFFDIO_REGISTER_MODE_MISSING;
	struct file *uffd;

	if (space->setup.uffd & UFFD_WP)
		mode |= UFFDIO_REGISTER_MODE_WP;
	uffd = register_vmas(space, 0, mode);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	return ptebatch_uffd_ioctl(uffd, space->places[0].mm, UFFDIO_ZEROPAGE,
				   &arg, sizeof(arg));
}

static const struct ptebatch_op zero_op = {
	.function = "UFFDIO_ZEROPAGE", .call = map_zero_pages, .no_twin = true,
	/* It registers first. */
	.missing = ptebatch_uffd_missing, .vma_flags = PTEBATCH_UFFD_FLAGS,
};

static const struct ptebatch_case zero_rows[] = {
	{ "UFFDIO_ZEROPAGE, none entries: zero pages", { "-*4", .prot = RW }, "Rzy*4" },
	{ "UFFDIO_ZEROPAGE, second entry is populated: one zero page, -EAGAIN",
	  { "- Wdyx -*2", .prot = RW }, "Rzy Wdyx -*2", .ret = -EAGAIN },
	{ "UFFDIO_ZEROPAGE, none entries with write protection: zero pages, not uffd-wp",
	  { "-*4", .prot = RW, .uffd = UFFD_WP }, "Rzy*4" },
	{ "UFFDIO_ZEROPAGE, uffd-wp markers, then none: zero pages, the first uffd-wp",
	  { "U*2 -*2", .prot = RW, .uffd = UFFD_WP }, "Rzyu*2 Rzy*2" },
	{ "UFFDIO_ZEROPAGE, uffd-wp markers without write protection: zero pages",
	  { "U*4", .prot = RW }, "Rzy*4" },
	{ "UFFDIO_ZEROPAGE, shmem, uffd-wp markers, then none: new pages, the first uffd-wp",
	  { "U*2 -*2", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP, .folios = ON_LRU },
	  "~Rdyu*2 ~Wdy*2" },
	{ "UFFDIO_ZEROPAGE, shmem, uffd-wp markers without write protection: new pages",
	  { "U*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "~Wdy*4" },
	{ "UFFDIO_ZEROPAGE, poison markers: -EEXIST",
	  { "P*4", .prot = RW, .uffd = UFFD_WP }, NULL, .ret = -EEXIST },
};

KUNIT_ARRAY_PARAM_DESC(zero_rows, zero_rows, name);

static void zero_row(struct kunit *test)
{
	run_row(test, &zero_op);
}

/* With the userfaultfd of the space. */
#define REGISTERED	.uffd = UFFD_WP | NO_REMAP_EVENT

static const struct ptebatch_case poison_rows[] = {
	{ "UFFDIO_POISON, none entries: poison markers", { "-*4", .prot = RW, REGISTERED }, "P*4" },
	{ "UFFDIO_POISON, no page table: poison markers",
	  { "| -*4 | -*T-4", .prot = RW, REGISTERED }, "P*4 -*T-4" },
	{ "UFFDIO_POISON, new page table gone before it is mapped: -EAGAIN",
	  { "| -*4 | -*T-4", .prot = RW, REGISTERED }, .ret = -EAGAIN,
	  .with = { NEW_TABLE_GONE } },
	{ "UFFDIO_POISON, part of a shmem folio that is not mapped: poison markers",
	  { "{Wdy*4 | -*8 | Wdy*4}", PTEBATCH_SHMEM, RW, REGISTERED }, "{Wdy*4 P*8 Wdy*4}" },
	{ "UFFDIO_POISON, second entry is populated: one poison marker, -EAGAIN",
	  { "- Wdyx -*2", .prot = RW, REGISTERED }, "P Wdyx -*2", .ret = -EAGAIN },
	{ "UFFDIO_POISON, 64K folio: -EEXIST",
	  { "{Wdyx*16}", .prot = RW, REGISTERED }, .ret = -EEXIST },
	{ "UFFDIO_POISON, PMD-mapped folio: -EEXIST",
	  { "[Wdyx]", .prot = RW, REGISTERED }, .ret = -EEXIST },
	{ "UFFDIO_POISON, swap entries: -EEXIST",
	  { "{Sx*4}", .prot = RW, REGISTERED, .folios = WITH_SWAP }, .ret = -EEXIST },
	{ "UFFDIO_POISON, uffd-wp markers: -EEXIST",
	  { "U*4", .prot = RW, REGISTERED }, .ret = -EEXIST },
	{ "UFFDIO_POISON, poison markers: -EEXIST",
	  { "P*4", .prot = RW, REGISTERED }, .ret = -EEXIST },
	{ "UFFDIO_POISON, guard markers: -EEXIST",
	  { "G*4", .prot = RW, REGISTERED, .vma = VM_MAYBE_GUARD }, .ret = -EEXIST },
};

KUNIT_ARRAY_PARAM_DESC(poison_rows, poison_rows, name);

static void poison_row(struct kunit *test)
{
	run_row(test, &ptebatch_uffd_poison);
}

/*
 * UFFDIO_UNREGISTER wakes a thread that waits in a fault of the range's first entry.
 * UFFDIO_COPY to this entry waits for its end.
 */

/* In a right kernel, the thread waits, and is woken, at once. */
#define WAKE_TIME	(5 * HZ)

/**
 * struct waiter - the thread, of one case at a time
 * @space: the address space
 * @uffd: the userfaultfd
 * @task: the thread
 * @flags: flags of the fault
 * @copy: address of the argument of UFFDIO_COPY, which the thread calls; 0: it faults
 * @late: the fault begins when UFFDIO_UNREGISTER is about to change the entries
 * @copies: UFFDIO_COPY begins when UFFDIO_UNREGISTER has changed them
 * @registered: UFFDIO_UNREGISTER follows, or runs
 * @begun: the fault, or UFFDIO_COPY, has begun
 * @begin: completed when it begins
 * @end: completed when it has ended
 * @result: return value of ptebatch_fault(), or of UFFDIO_COPY
 */
static struct waiter {
	struct ptebatch_space *space;
	struct file *uffd;
	struct task_struct *task;
	unsigned int flags;
	unsigned long copy;
	bool late;
	bool copies;
	bool registered;
	bool begun;
	struct completion begin;
	struct completion end;
	long result;
} waiter;

/* Without ptebatch_uffd_ioctl(), which needs the mmap_lock for writing. */
static long call_copy(void)
{
	struct mm_struct *mm = waiter.space->places[0].mm;
	long ret;

	if (!waiter.begun)
		return -EINVAL;
	kthread_use_mm(mm);
	ret = waiter.uffd->f_op->unlocked_ioctl(waiter.uffd, UFFDIO_COPY, waiter.copy);
	kthread_unuse_mm(mm);
	return ret;
}

static int fault_and_wait(void *unused)
{
	wait_for_completion(&waiter.begin);
	waiter.result = waiter.copy ? call_copy() :
			ptebatch_fault(waiter.space, waiter.space->row.from, waiter.flags);
	complete_all(&waiter.end);
	return 0;
}

/* The source is the second page of the row. */
static unsigned long copy_argument(const struct ptebatch_space *space)
{
	struct uffdio_copy arg = {
		.dst = ptebatch_addr(space, 0), .src = ptebatch_addr(space, 1),
		.len = PAGE_SIZE, .mode = UFFDIO_COPY_MODE_WP,
	};
	unsigned long addr;

	kthread_use_mm(space->places[0].mm);
	addr = ptebatch_to_user(&arg, sizeof(arg));
	kthread_unuse_mm(space->places[0].mm);
	return addr;
}

static void free_argument(void)
{
	if (!waiter.copy)
		return;
	kthread_use_mm(waiter.space->places[0].mm);
	vm_munmap(waiter.copy, PAGE_SIZE);
	kthread_unuse_mm(waiter.space->places[0].mm);
}

/* What begins during UFFDIO_UNREGISTER may wait for a lock, or end, instead. */
static bool waits(void)
{
	if (waiter.registered && (completion_done(&waiter.end) ||
				  READ_ONCE(waiter.task->__state) & TASK_UNINTERRUPTIBLE))
		return true;
	return vfs_poll(waiter.uffd, NULL) & EPOLLIN;
}

/* Returns when the thread waits. */
static void begin_fault(void)
{
	unsigned long end = jiffies + WAKE_TIME;

	waiter.begun = true;
	complete(&waiter.begin);
	while (!waits() && time_before(jiffies, end))
		usleep_range(100, 1000);
	if (!waits())
		KUNIT_FAIL(waiter.space->test, "the thread does not wait in its fault");
}

static long unregister_and_wake(struct ptebatch_space *space)
{
	struct uffdio_range arg = {
		.start = ptebatch_addr(space, 0), .len = space->row.nr * PAGE_SIZE,
	};
	long ret;

	if (!waiter.late && !waiter.copies)
		begin_fault();
	waiter.registered = true;
	ret = ptebatch_uffd_ioctl(waiter.uffd, space->places[0].mm, UFFDIO_UNREGISTER,
				  &arg, sizeof(arg));
	waiter.registered = false;
	if (waiter.begun && !wait_for_completion_timeout(&waiter.end, WAKE_TIME))
		KUNIT_FAIL(space->test, "UFFDIO_UNREGISTER does not wake the thread");
	return ret;
}

/* @op->arg: UFFDIO_REGISTER_MODE_* */
static long unregister(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	const struct ptebatch_place *place = &space->places[0];
	long ret;

	ptebatch_vma_flags(place->mm, place->start, 0, VM_UFFD_WP | VM_UFFD_RWP);
	waiter.space = space;
	waiter.begun = false;
	waiter.copy = waiter.copies ? copy_argument(space) : 0;
	if (IS_ERR_VALUE(waiter.copy))
		return waiter.copy;
	waiter.flags = FAULT_FLAG_USER | FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE;
	if (op->arg == UFFDIO_REGISTER_MODE_WP)
		waiter.flags |= FAULT_FLAG_WRITE;
	init_completion(&waiter.begin);
	init_completion(&waiter.end);
	waiter.uffd = ptebatch_uffd_open(place->mm, op->uffd_rwp ? UFFD_FEATURE_RWP : 0);
	if (IS_ERR(waiter.uffd))
		return PTR_ERR(waiter.uffd);
	/* For vfs_poll(). */
	waiter.uffd->f_flags |= O_NONBLOCK;
	ret = ptebatch_uffd_register(waiter.uffd, place->mm, place->start, op->arg);
	waiter.task = ret ? ERR_PTR(ret) : kthread_create(fault_and_wait, NULL, "ptebatch");
	if (!IS_ERR(waiter.task)) {
		get_task_struct(waiter.task);
		wake_up_process(waiter.task);
		ret = unregister_and_wake(space);
	}
	/* If the thread still waits, this wakes it. */
	__fput_sync(waiter.uffd);
	if (!IS_ERR(waiter.task)) {
		complete(&waiter.begin);
		wait_for_completion(&waiter.end);
		put_task_struct(waiter.task);
	}
	free_argument();
	return PTR_ERR_OR_ZERO(waiter.task) ?: ret ?: waiter.result;
}

#define UNREGISTER_OP							\
	.function = "UFFDIO_UNREGISTER", .call = unregister, .no_twin = true,	\
	.vma_flags = PTEBATCH_UFFD_FLAGS

static const struct ptebatch_op unregister_op = {
	UNREGISTER_OP, .missing = ptebatch_uffd_missing,
};

static const struct ptebatch_op unregister_rwp_op = {
	UNREGISTER_OP, .missing = ptebatch_uffd_missing, .uffd_rwp = true,
};

static const char *minor_missing(void)
{
	return IS_ENABLED(CONFIG_HAVE_ARCH_USERFAULTFD_MINOR) ? ptebatch_uffd_missing() :
	       "no minor faults of userfaultfd in this kernel";
}

static const struct ptebatch_op unregister_minor_op = {
	UNREGISTER_OP, .missing = minor_missing,
};

static void begin_late_fault(void *unused, enum ptebatch_point point)
{
	if (point == (waiter.copies ? PTEBATCH_RANGE_END : PTEBATCH_RANGE_START) &&
	    waiter.registered && !waiter.begun)
		begin_fault();
}

static void delay_fault(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	waiter.late = true;
	use->trial->secondary.on_call = begin_late_fault;
}

static void delay_copy(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	waiter.copies = true;
	use->trial->secondary.on_call = begin_late_fault;
}

static void end_delay(struct ptebatch_use *use)
{
	use->trial->secondary.on_call = NULL;
	waiter.late = false;
	waiter.copies = false;
	use->met = waiter.begun;
}

/* Under the lock of the VMA: UFFDIO_UNREGISTER holds the mmap_lock. */
static const struct ptebatch_condition_type faults_late = {
	.name = "the fault begins when entries are about to change", .occur = delay_fault,
	.end = end_delay, .tells = true,
};

/* It may run under the lock of the VMA, too. */
static const struct ptebatch_condition_type copies_late = {
	.name = "UFFDIO_COPY begins when entries have changed", .occur = delay_copy,
	.end = end_delay, .tells = true,
};

static const struct ptebatch_case unregister_rows[] = {
	{ "UFFDIO_UNREGISTER, a read fault of a missing page waits: woken, zero page",
	  { "-*4", .prot = RW }, "Rzy -*3", .arg = UFFDIO_REGISTER_MODE_MISSING },
	{ "UFFDIO_UNREGISTER, a write-protect fault waits: woken, writable",
	  { "Rdyux*4", .prot = RW, .uffd = UFFD_WP }, "Wdyx*4",
	  .arg = UFFDIO_REGISTER_MODE_WP },
	{ "UFFDIO_UNREGISTER, a read-write-protect fault waits: woken, accessible",
	  { "Ndyux*4", .prot = RW, .uffd = UFFD_RWP }, "Wdyx*4", .op = &unregister_rwp_op,
	  .arg = UFFDIO_REGISTER_MODE_RWP },
	{ "UFFDIO_UNREGISTER, a minor fault waits: woken, shmem folio mapped",
	  { "{Wdy .} | - |", PTEBATCH_SHMEM, RW }, "{Wdy Wy}", .op = &unregister_minor_op,
	  .arg = UFFDIO_REGISTER_MODE_MINOR },
	{ "UFFDIO_UNREGISTER, a fault of a missing page begins meanwhile: ends, zero page",
	  { "- Rdyux*3", .prot = RW, .uffd = UFFD_WP }, "Rzy Wdyx*3",
	  .arg = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	  .with = { { .type = &faults_late } } },
	{ "UFFDIO_UNREGISTER, UFFDIO_COPY with protection begins meanwhile: waits, -ENOENT",
	  { "- Rdyux*3", .prot = RW, .uffd = UFFD_WP }, "- Wdyx*3", .ret = -ENOENT,
	  .arg = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	  .with = { { .type = &copies_late } } },
};

KUNIT_ARRAY_PARAM_DESC(unregister_rows, unregister_rows, name);

static void unregister_row(struct kunit *test)
{
	run_row(test, &unregister_op);
}

/*
 * fork() with UFFD_FEATURE_EVENT_FORK waits until its event is read. If the userfaultfd
 * is closed instead, neither parent nor child stay registered, or write-protected.
 */

static int close_waited_for(void *uffd)
{
	while (!kthread_should_stop() && !(vfs_poll(uffd, NULL) & EPOLLIN))
		usleep_range(100, 1000);
	__fput_sync(uffd);
	return 0;
}

static long fork_and_close(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	u64 features = UFFD_FEATURE_EVENT_FORK;
	struct task_struct *task;
	struct file *uffd;
	long ret;

	if (space->setup.uffd & UFFD_RWP)
		features |= UFFD_FEATURE_RWP;
	uffd = ptebatch_uffd_open(space->places[0].mm, features);
	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	/* For vfs_poll(). */
	uffd->f_flags |= O_NONBLOCK;
	ret = register_row(uffd, space);
	task = ret ? ERR_PTR(ret) : kthread_create(close_waited_for, uffd, "ptebatch");
	if (IS_ERR(task)) {
		__fput_sync(uffd);
		return PTR_ERR(task);
	}
	get_task_struct(task);
	wake_up_process(task);
	ret = ptebatch_dup_mmap.call(&ptebatch_dup_mmap, space, false);
	kthread_stop_put(task);
	return ret;
}

static const struct ptebatch_op fork_op = {
	.name = "fork", .function = "dup_mmap()", .call = fork_and_close,
	.vma_flags = PTEBATCH_UFFD_FLAGS,
	.missing = ptebatch_uffd_missing, .forks = true, .no_twin = true,
};

static const struct ptebatch_case fork_rows[] = {
	{ "fork() waits, userfaultfd closed, 64K folio, half of it uffd-wp: none in the child",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_WP }, "{Rdy*16}",
	  .second = "{Rd*16}" },
	{ "fork() waits, userfaultfd closed, PMD-mapped folio, uffd-wp: none in the child",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "[Rdy]", .second = "[Rd]" },
	{ "fork() waits, userfaultfd closed, swap entries, uffd-wp: none in the child",
	  { "{Sxu*8 Sx*8}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP }, "{S*16}",
	  .second = "{S*16}" },
	{ "fork() waits, userfaultfd closed, shmem, uffd-wp and markers: none in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "{Rdy*16} -*2 P", .second = "{R*16} -*2 P" },
	{ "fork() waits, userfaultfd closed, 64K folio, uffd-rwp: readable in the child",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_RWP }, "{Rdy*16}",
	  .second = "{Rd*16}" },
};

KUNIT_ARRAY_PARAM_DESC(fork_rows, fork_rows, name);

static void fork_row(struct kunit *test)
{
	run_row(test, &fork_op);
}

static struct kunit_case userfaultfd_cases[] = {
	KUNIT_CASE_PARAM(close_row, close_rows_gen_params),
	KUNIT_CASE_PARAM(move_row, move_rows_gen_params),
	KUNIT_CASE_PARAM(destination_row, destination_rows_gen_params),
	KUNIT_CASE(move_huge_zero_page),
	KUNIT_CASE_PARAM(protect_row, protect_rows_gen_params),
	KUNIT_CASE_PARAM(zero_row, zero_rows_gen_params),
	KUNIT_CASE_PARAM(poison_row, poison_rows_gen_params),
	KUNIT_CASE_PARAM(unregister_row, unregister_rows_gen_params),
	KUNIT_CASE_PARAM(fork_row, fork_rows_gen_params),
	{}
};

PTEBATCH_SUITE(userfaultfd, userfaultfd_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
