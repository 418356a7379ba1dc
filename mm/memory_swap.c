// SPDX-License-Identifier: GPL-2.0
/*
 * A fault of a swap entry (do_swap_page()) maps a large folio of the swap cache in
 * a batch if the swap entries of all of its pages are there, in order and with
 * the same flags, in the VMA and in the page table. Otherwise it maps the page of
 * the fault:
 *
 *	{Sx*16}    ->  {Wyx*16}
 *	{Sx*15 -}  ->  {Sx*5 Wyx Sx*9 -}	read fault of page 5
 *
 * If the page is not in the swap cache, the fault allocates the largest folio of
 * an enabled size for which all that holds, and whose swap slots are aligned like
 * its address:
 *
 *	Sx*15 -    ->  Sx*4 ~{Wyx*4} Sx*7 -	sizes of 16K and 64K enabled
 *
 * Zapping and MADV_FREE free the slots of a batch of swap entries: here those that
 * are not in the swap cache. See mm/memory.c and mm/madvise.c for the others.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/workqueue.h>

#include "internal.h"

#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/anon_orders.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/fail_folio.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/advise.h"
#include "../lib/op/op.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* State of the folios. */
#define OUT		BIT(0)	/* swapped out, not in the swap cache */
#define REFERENCED	BIT(1)	/* the folio in the swap cache has another reference */
#define CHILD_READS	BIT(2)	/* the child has read entry 12 */
#define CHILD_UNMAPS	BIT(3)	/* the child has unmapped entries 4 to 7 */
#define NOT_READ	BIT(4)	/* the first folio is not uptodate: a read failed */
#define POISONED	BIT(5)	/* page 9 of the first folio has PG_hwpoison */
#define WRITEBACK	BIT(6)	/* the first folio is under writeback; REFERENCED, too */
#define STABLE		BIT(7)	/* a page under writeback must not change */
#define SLOW		BIT(8)	/* the swap device is not as fast as memory */
#define MISPLACED	BIT(9)	/* the first folio has the index of another address */
#define DEVICE		BIT(10)	/* the entry of the fault is device-private */
#define LOCKED		BIT(11)	/* another thread unlocks the first folio when asked to */
#define KEEPS		BIT(12)	/* expected: the first folio stays in the swap cache */
#define IGNORED		BIT(13)	/* expected: the device's driver is not called */
#define NO_TWIN		BIT(14)	/* no twin, as it would map a small folio */

static bool has_swap_entry(const struct ptebatch_space *space, s16 folio)
{
	unsigned int i;

	for (i = 0; i < space->row.nr; i++)
		if (space->row.entries[i].folio == folio &&
		    space->row.entries[i].kind == PTEBATCH_SWAP)
			return true;
	return false;
}

static void swap_out(struct ptebatch_trial *trial)
{
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (has_swap_entry(space, i))
			KUNIT_ASSERT_EQ(trial->test, 0,
					ptebatch_swap_out(space->folios[i]));
}

/* As swap_out(), except for the folios in @cached. The pages are not written. */
static void discard(struct ptebatch_space *space, unsigned long cached)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (!has_swap_entry(space, i) || (i < BITS_PER_LONG && cached & BIT(i)))
			continue;
		ptebatch_swap_free(space->folios[i]);
		folio_unlock(space->folios[i]);
	}
}

static void unlock_cached(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (has_swap_entry(space, i) && folio_test_locked(space->folios[i]))
			folio_unlock(space->folios[i]);
}

/* Faults. */

/**
 * struct fault_row - a fault of a swap entry
 * @name: name of the case
 * @setup: address space before the fault; its range are the entries that the
 *         fault maps
 * @at: entry that faults
 * @after: expected row
 * @write: a write faults, not a read
 * @state: state of the folios: OUT and so on
 * @orders: orders of the enabled folio sizes
 * @error: expected result of the fault, 0 or a negative errno
 * @fails: number of allocations that fail
 */
struct fault_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned int at;
	const char *after;
	bool write;
	unsigned int state;
	unsigned long orders;
	int error;
	unsigned int fails;
};

static void read_in_child(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_place *child = &trial->space->places[1];

	mmap_read_lock(child->mm);
	KUNIT_EXPECT_EQ(trial->test, 0,
			fixup_user_fault(child->mm, child->start + i * PAGE_SIZE,
					 FAULT_FLAG_REMOTE, NULL));
	mmap_read_unlock(child->mm);
}

/* Of the row's swap device. */
static swp_entry_t device_entry;
static unsigned long flags_before;

static void set_device_flags(const struct ptebatch_space *space, unsigned int state)
{
	device_entry = space->folios[0]->swap;
	flags_before = ptebatch_swap_flags(device_entry,
					   state & SLOW ? SWP_SYNCHRONOUS_IO : 0,
					   state & STABLE ? SWP_STABLE_WRITES : 0);
}

static struct ptebatch_counter waits;

/* Before the fault is in the wait queue: a handler of a kprobe must not wake a task. */
static void unlock_folio(void *data)
{
	folio_unlock(data);
}

/* For a device-private folio: a worker, which may wake the fault. */
static struct later {
	struct delayed_work work;
	struct folio *folio;
} later;

static void unlock_later(struct work_struct *work)
{
	folio_unlock(container_of(work, struct later, work.work)->folio);
}

static void lock_first(struct ptebatch_trial *trial, bool device)
{
	struct folio *folio = trial->space->folios[0];

	folio_lock(folio);
	if (device) {
		later.folio = folio;
		INIT_DELAYED_WORK(&later.work, unlock_later);
		schedule_delayed_work(&later.work, msecs_to_jiffies(50));
		return;
	}
	waits = (struct ptebatch_counter) {
		.function = "__folio_lock_or_retry", .match = folio,
		.on_call = unlock_folio, .data = folio,
	};
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&waits, 1));
}

/* The fault has waited until the folio was unlocked. */
static void expect_unlocked(struct ptebatch_trial *trial, bool device)
{
	if (!device) {
		ptebatch_counters_end(&waits, 1);
		return;
	}
	KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_locked(later.folio),
			       "%s does not wait until the folio is unlocked", trial->function);
	flush_delayed_work(&later.work);
}

/* Of this task, before the fault. */
static unsigned long major_faults, device_faults;

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	const struct fault_row *row = data;
	const struct ptebatch_anon_orders orders = { .always = row->orders };

	if (row->state & (SLOW | STABLE))
		set_device_flags(space, row->state);
	if (row->state & WRITEBACK)
		folio_start_writeback(space->folios[0]);
	if (row->state & POISONED)
		ptebatch_folio_poison(space->folios[0], 9);
	/* No memory is behind the device's addresses. */
	if (!(row->state & DEVICE))
		ptebatch_contents_fill(trial);
	/* A reference to a swapped out folio: its frames are not reused. */
	if (row->state & OUT)
		swap_out(trial);
	unlock_cached(space);
	if (row->state & NOT_READ)
		folio_clear_uptodate(space->folios[0]);
	if (!(row->state & (OUT | REFERENCED)))
		ptebatch_space_drop_refs(space);
	if (row->state & CHILD_READS)
		read_in_child(trial, 12);
	/* As KSM leaves it, whose pages lose their flag when they are swapped out. */
	if (row->state & MISPLACED)
		space->folios[0]->index++;
	if (row->fails)
		KUNIT_ASSERT_EQ(trial->test, 0,
				ptebatch_fail_folio(PTEBATCH_FAIL_VMA, row->fails));
	ptebatch_anon_orders_begin(trial->place->mm, &orders);
	if (row->state & LOCKED)
		lock_first(trial, row->state & DEVICE);
	major_faults = current->maj_flt;
	device_faults = ptebatch_device_faults();
}

static bool has_swap_count(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		if (ptebatch_swap_count(folio, i))
			return true;
	return false;
}

/* A folio that was copied stays in the swap cache until reclaim. */
static void put_back(struct folio *folio)
{
	folio->index--;
	if (has_swap_count(folio))
		return;
	folio_lock(folio);
	ptebatch_swap_free(folio);
	folio_unlock(folio);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	const struct fault_row *row = data;
	struct folio *last;

	if (row->state & LOCKED)
		expect_unlocked(trial, row->state & DEVICE);
	if (row->fails)
		KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_fail_folio_end(&last),
				      "%s allocates no folio", trial->function);
	if (row->state & MISPLACED)
		put_back(space->folios[0]);
	if (row->state & POISONED)
		ptebatch_folio_unpoison(space->folios[0], 9);
	if (row->state & WRITEBACK)
		folio_end_writeback(space->folios[0]);
	if (row->state & (SLOW | STABLE))
		ptebatch_swap_flags(device_entry, ~0UL, flags_before);
	ptebatch_anon_orders_end(trial->place->mm);
}

/*
 * Rule 7: the last fault of a folio frees its slots, as a RAM disk is as fast as
 * the swap cache (SWP_SYNCHRONOUS_IO). With other devices, only some faults do.
 */
static void check_freed(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	const struct fault_row *row = data;
	unsigned int i, kept = 0;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_folio_intact(space, i))
			continue;
		kept += folio_test_swapcache(folio) && !has_swap_count(folio);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_locked(folio),
				       "%s leaves folio %u locked",
				       trial->function, i);
	}
	KUNIT_EXPECT_EQ_MSG(trial->test, kept, row->state & KEEPS ? 1 : 0,
			    PTEBATCH_RULE_ACCOUNTING
			    ": folios in the swap cache that are not in swap, after %s",
			    trial->function);
}

/* A fault that reads from the device is a major one. */
static void check_kind(struct ptebatch_trial *trial, const void *data)
{
	const struct fault_row *row = data;
	bool in_cache = row->state & CHILD_READS && row->at == 12;

	check_freed(trial, data);
	KUNIT_EXPECT_EQ_MSG(trial->test, current->maj_flt - major_faults,
			    row->state & OUT && !in_cache && !row->fails, "major faults of %s",
			    trial->function);
	KUNIT_EXPECT_EQ_MSG(trial->test, ptebatch_device_faults() - device_faults,
			    row->state & DEVICE && !(row->state & IGNORED) ? 1 : 0,
			    "calls of migrate_to_ram() by %s", trial->function);
}

/* Rule 1: the twin's folios differ, and dirty does not spread in it. */
static void expect_like_twin(struct ptebatch_trial *kernel,
			     const struct ptebatch_trial *twin)
{
	const struct ptebatch_row *got = &kernel->after.row;
	unsigned int i;

	bitmap_zero(kernel->differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < got->nr; i++) {
		const struct ptebatch_entry *one = &twin->after.row.entries[i];
		const struct ptebatch_entry *is = &got->entries[i];

		if (is->kind != one->kind ||
		    (is->flags | PTEBATCH_DIRTY) != (one->flags | PTEBATCH_DIRTY) ||
		    one->flags & ~is->flags)
			set_bit(i, kernel->differs);
	}
	if (!bitmap_empty(kernel->differs, PTEBATCH_ROW_ENTRIES))
		ptebatch_trial_print(kernel, "leaves other entries than one fault for each page: "
				     PTEBATCH_RULE_TWIN);
}

static bool check_fault(struct kunit *test, const struct fault_row *row)
{
	struct ptebatch_op op = row->write ? ptebatch_swap_in_write :
					     ptebatch_swap_in_read;
	struct ptebatch_setup setup = row->setup;
	const struct ptebatch_run run = {
		.op = &op, .setup = &setup, .after = row->after,
		.ret = row->error, .prepare = prepare, .undo = undo,
		.check = check_kind, .data = row,
	};
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	if (!ptebatch_swap_missing() && ptebatch_swap_used() < 0)
		kunit_skip(test, "the machine's swap device may read ahead");
	if (row->fails && ptebatch_fail_folio_missing())
		kunit_skip(test, "%s", ptebatch_fail_folio_missing());
	if (row->state & LOCKED && !(row->state & DEVICE) && !IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "no other thread holds a lock without CONFIG_KPROBES");
	if (row->state & POISONED && !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "no PG_hwpoison without CONFIG_MEMORY_FAILURE");
	setup.swap = !(row->state & DEVICE);
	setup.lru = setup.swap;
	op.arg = row->at;
	kernel = ptebatch_row_try(test, &run, false, &passes);
	if (!passes || row->state & NO_TWIN)
		return passes;
	twin = ptebatch_row_call(test, &run, true, &passes);
	check_freed(twin, row);
	if (passes)
		expect_like_twin(kernel, twin);
	ptebatch_trial_release(twin);
	ptebatch_trial_release(kernel);
	return passes;
}

#define SIZES	(BIT(2) | BIT(4))	/* 16K and 64K */

static const struct fault_row rows[] = {
	/* All swap entries of the folio are there: it is mapped. */
	{ "64K folio, read fault: folio mapped, writable and clean",
	  { "{Sx*16}", .prot = RW }, 5, "{Wyx*16}" },
	{ "64K folio, read fault of the first page: folio mapped",
	  { "{Sx*16}", .prot = RW }, 0, "{Wyx*16}" },
	{ "64K folio, read fault of the last page: folio mapped",
	  { "{Sx*16}", .prot = RW }, 15, "{Wyx*16}" },
	{ "64K folio, write fault: folio mapped, writable and dirty",
	  { "{Sx*16}", .prot = RW }, 5, "{Wdyx*16}", true },
	{ "64K folio, shared, read fault: folio mapped read-only",
	  { "{S*16}", .prot = RW }, 5, "{Ry*16}" },
	{ "64K folio, shared, no other mm, write fault: page reused, the rest read-only",
	  { "{S*16}", .prot = RW }, 5, "{Ry*5 Wdyx Ry*10}", true },
	{ "64K folio, shared, another reference, write fault of the last page: it is copied",
	  { "{S*16}", .prot = RW }, 15, "{Ry*15 .} ~{Wdyx}", true, REFERENCED },
	{ "64K folio of parent and child, read fault: folio mapped read-only",
	  { "{S*16}", .prot = RW, .twice = true }, 5, "{Ry*16}" },
	{ "64K folio of parent and child, write fault of the last page: it is copied",
	  { "{S*16}", .prot = RW, .twice = true }, 15, "{Ry*15 .} ~{Wdyx}", true },
	{ "64K folio, read-only VMA, read fault: folio mapped read-only and exclusive",
	  { "{Sx*16}", .prot = RO }, 5, "{Ryx*16}" },
	{ "64K folio in an mlocked VMA, read fault: folio mapped",
	  { "{Sx*16}", .prot = RW, .mlocked = true }, 5, "{Wyx*16}" },
	{ "64K folio of a private file mapping, read fault: folio mapped",
	  { "{Sx*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "{Wyx*16}" },
	{ "64K folio, virtual address not 64K-aligned, read fault: folio mapped",
	  { "@5 {Sx*16}", .prot = RW }, 5, "@5 {Wyx*16}" },
	{ "64K folio at the end of a page table, read fault: folio mapped",
	  { "@-16 {Sx*16}", .prot = RW }, 5, "@-16 {Wyx*16}" },
	{ "64K folio that fills a VMA, read fault: folio mapped",
	  { "- ; | {Sx*16} | ; -", .prot = RW }, 5, "- {Wyx*16} -" },
	{ "second of two 64K folios, read fault: folio mapped, the first unchanged",
	  { "{Sx*16} | {Sx*16} |", .prot = RW }, 20, "{Sx*16} {Wyx*16}" },
	{ "2M folio, write fault: folio mapped, writable and dirty",
	  { "{Sx*T}", .prot = RW }, 100, "{Wdyx*T}", true },

	/* Rule 6: soft-dirty and uffd-wp are those of the swap entries. */
	{ "64K folio, soft-dirty, write fault: folio mapped, writable and soft-dirty",
	  { "{Ssx*16}", .prot = RW, .track = true }, 5, "{Wdysx*16}", true },
	{ "64K folio, not soft-dirty, read fault: folio mapped read-only",
	  { "{Sx*16}", .prot = RW, .track = true }, 5, "{Ryx*16}" },
	{ "64K folio, not soft-dirty, write fault: only the page of the fault soft-dirty",
	  { "{Sx*16}", .prot = RW, .track = true }, 5, "{Ryx*5 Wdysx Ryx*10}", true },
	{ "64K folio, uffd-wp, read fault: folio mapped read-only and uffd-wp",
	  { "{Sux*16}", .prot = RW, .uffd_wp = true }, 5, "{Ryux*16}" },
	{ "64K folio, uffd-wp, write fault: -EFAULT, folio mapped read-only and uffd-wp",
	  { "{Sux*16}", .prot = RW, .uffd_wp = true }, 5, "{Ryux*16}", true,
	  .error = -EFAULT },
	{ "64K folio, uffd-rwp, read fault: folio mapped without access",
	  { "{Sux*16}", .prot = RW, .uffd_rwp = true }, 5, "{Nyux*16}" },

	{ "64K folio, uffd-rwp, write fault: folio mapped without access",
	  { "{Sux*16}", .prot = RW, .uffd_rwp = true }, 5, "{Nyux*16}", true },
	{ "64K folio, shared, uffd-rwp, write fault: folio mapped without access, not copied",
	  { "{Su*16}", .prot = RW, .uffd_rwp = true }, 5, "{Nyu*16}", true },
	{ "64K folio, not uffd-rwp, VMA for it, read fault: folio mapped, writable",
	  { "{Sx*16}", .prot = RW, .uffd_rwp = true }, 5, "{Wyx*16}" },

	/* Rule 3: otherwise only the page of the fault is mapped. */
	{ "first PTE of a 64K folio empty, read fault: one page mapped",
	  { "{- Sx*4 | Sx | Sx*10}", .prot = RW }, 5, "{- Sx*4 Wyx Sx*10}" },
	{ "last PTE of a 64K folio empty, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 -}", .prot = RW }, 5, "{Sx*5 Wyx Sx*9 -}" },
	{ "PTE 7 of a 64K folio empty, write fault: one page mapped",
	  { "{Sx*5 | Sx | Sx - Sx*8}", .prot = RW }, 5, "{Sx*5 Wdyx Sx - Sx*8}", true },
	{ "first page of a 64K folio mapped, read fault: one page mapped",
	  { "{Wyx Sx*4 | Sx | Sx*10}", .prot = RW }, 5, "{Wyx Sx*4 Wyx Sx*10}" },
	{ "last page of a 64K folio mapped, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 Wdyx}", .prot = RW }, 5, "{Sx*5 Wyx Sx*9 Wdyx}" },
	{ "marker instead of the last page of a 64K folio, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 P}", .prot = RW }, 5, "{Sx*5 Wyx Sx*9 P}" },
	{ "last 12 pages of a 64K folio behind another folio, read fault: one page mapped",
	  { "{Sx*4} {.*4 Sx | Sx | Sx*10}", .prot = RW }, 5, "{Sx*4} {.*4 Sx Wyx Sx*10}" },
	{ "first 12 pages of a 64K folio before another folio, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*6 .*4} {Sx*4}", .prot = RW }, 5, "{Sx*5 Wyx Sx*6 .*4} {Sx*4}" },
	{ "64K folio, pages in the order 8 to 15, 0 to 7, read fault: one page mapped",
	  { "{Sx=8*5 | Sx=13 | Sx=14*2 Sx=0*8}", .prot = RW }, 5,
	  "{Sx=8*5 Wyx=13 Sx=14*2 Sx=0*8}" },
	{ "64K folio, second half shared, read fault of the first half: one page mapped",
	  { "{Sx*5 | Sx | Sx*2 S*8}", .prot = RW }, 5, "{Sx*5 Wyx Sx*2 S*8}" },
	{ "64K folio, second half shared, read fault of it: one page mapped read-only",
	  { "{Sx*8 S | S | S*6}", .prot = RW }, 9, "{Sx*8 S Ry S*6}" },
	{ "64K folio, last page shared, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 S}", .prot = RW }, 5, "{Sx*5 Wyx Sx*9 S}" },
	{ "64K folio, first page shared, read fault of it: one page mapped read-only",
	  { "{| S | Sx*15}", .prot = RW }, 0, "{Ry Sx*15}" },
	{ "64K folio, first half soft-dirty, read fault of it: one page mapped, writable",
	  { "{Ssx*5 | Ssx | Ssx*2 Sx*8}", .prot = RW, .track = true }, 5,
	  "{Ssx*5 Wysx Ssx*2 Sx*8}" },
	{ "64K folio, last page soft-dirty, read fault: one page mapped read-only",
	  { "{Sx*5 | Sx | Sx*9 Ssx}", .prot = RW, .track = true }, 5,
	  "{Sx*5 Ryx Sx*9 Ssx}" },
	{ "64K folio, last page uffd-wp, read fault: one page mapped, writable",
	  { "{Sx*5 | Sx | Sx*9 Sux}", .prot = RW, .uffd_wp = true }, 5,
	  "{Sx*5 Wyx Sx*9 Sux}" },
	{ "64K folio, second half uffd-wp, read fault of it: one page mapped read-only",
	  { "{Sx*8 Sux | Sux | Sux*6}", .prot = RW, .uffd_wp = true }, 9,
	  "{Sx*8 Sux Ryux Sux*6}" },
	{ "64K folio across a page table boundary, read fault before it: one page mapped",
	  { "@-8 {Sx*3 | Sx | Sx*12}", .prot = RW }, 3, "@-8 {Sx*3 Wyx Sx*12}" },
	{ "64K folio across a page table boundary, read fault behind it: one page mapped",
	  { "@-8 {Sx*12 | Sx | Sx*3}", .prot = RW }, 12, "@-8 {Sx*12 Wyx Sx*3}" },
	{ "64K folio in two VMAs, read fault in the first: one page mapped",
	  { "{Sx*3 | Sx | Sx*11 ; Sx}", .prot = RW }, 3, "{Sx*3 Wyx Sx*12}" },
	{ "64K folio in two VMAs, read fault in the second: one page mapped",
	  { "{Sx ; Sx*11 | Sx | Sx*3}", .prot = RW }, 12, "{Sx*12 Wyx Sx*3}" },
	{ "small folio, read fault: mapped",
	  { "{Sx} | {Sx} | {Sx}", .prot = RW }, 1, "{Sx} {Wyx} {Sx}" },
	{ "64K folio not uptodate, as its read failed, read fault: -EFAULT, not mapped",
	  { "{Sx*5 || Sx*11}", .prot = RW }, 5, "{Sx*16}", .state = NOT_READ,
	  .error = -EFAULT },

	{ "device-private entry between small folios, read fault of it: given to the driver",
	  { "Wdyx || {Dwx} Wdyx", .prot = RW }, 1, "Wdyx {Dwx} Wdyx",
	  .state = DEVICE | REFERENCED, .error = -EFAULT },
	{ "device-private entry soft-dirty before the lock, read fault: nothing done",
	  { "Wdyx || {Dwx} Wdyx", .prot = RW, .track = true,
	    .meanwhile = PTEBATCH_AT_LOCK("Wdyx {Dwsx} Wdyx") }, 1, "Wdyx {Dwsx} Wdyx",
	  .state = DEVICE | IGNORED | REFERENCED },
	{ "device-private entry, page table gone before the lock, read fault: nothing done",
	  { "Wdyx || {Dwx} Wdyx", .prot = RW, .lost_in = "pte_offset_map_lock" }, 1,
	  "Wdyx {Dwx} Wdyx", .state = DEVICE | IGNORED | REFERENCED },
	{ "device-private entry, folio locked, read fault: waits, nothing done",
	  { "|| {Dwx} Wdyx", .prot = RW }, 0, "{Dwx} Wdyx",
	  .state = DEVICE | IGNORED | LOCKED | REFERENCED },
	{ "64K folio locked, read fault: waits, folio mapped",
	  { "{Sx*16}", .prot = RW }, 5, "{Wyx*16}", .state = LOCKED },
	{ "entry soft-dirty before the lock, read fault: nothing mapped",
	  { "{Sx*5 || Sx*11}", .prot = RW, .track = true,
	    .meanwhile = PTEBATCH_AT_LOCK("{Sx*5 Ssx Sx*10}") }, 5, "{Sx*5 Ssx Sx*10}",
	  .state = REFERENCED },
	{ "another entry soft-dirty before the lock, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW, .track = true,
	    .meanwhile = PTEBATCH_AT_LOCK("{Sx*15 Ssx}") }, 5, "{Sx*5 Ryx Sx*9 Ssx}",
	  .state = REFERENCED },
	{ "page at another address than its index says, read fault: copied",
	  { "{Sx}", .prot = RW }, 0, "~{Wyx}", .state = MISPLACED | REFERENCED },
	{ "page at another address than its index says, shared, read fault: copied, exclusive",
	  { "{S}", .prot = RW }, 0, "~{Wyx}", .state = MISPLACED | REFERENCED },
	{ "page at another address, entry soft-dirty before the lock: copy not mapped",
	  { "|| {Sx}", .prot = RW, .track = true,
	    .meanwhile = PTEBATCH_AT_LOCK("{Ssx}") }, 0, "{Ssx}",
	  .state = MISPLACED | REFERENCED },
	{ "page at another address than its index says, shared, write fault: copied",
	  { "{S}", .prot = RW }, 0, "~{Wdyx}", true, MISPLACED | REFERENCED },
	{ "page at another address than its index says, no memory for a copy: -ENOMEM",
	  { "{Sx}", .prot = RW }, 0, "{Sx}", .state = MISPLACED | REFERENCED,
	  .error = -ENOMEM, .fails = 1 },
	{ "page table gone before the lock, read fault: nothing mapped",
	  { "{Sx*5 || Sx*11}", .prot = RW, .lost_in = "pte_offset_map_lock" }, 5,
	  "{Sx*16}", .state = REFERENCED },
	{ "64K folio, page of the fault PG_hwpoison: -EFAULT, not mapped",
	  { "{Sx*9 || Sx*7}", .prot = RW }, 9, "{Sx*16}",
	  .state = POISONED | REFERENCED, .error = -EFAULT },
	{ "64K folio, page 9 PG_hwpoison, read fault of page 5: one page mapped",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW }, 5, "{Sx*5 Wyx Sx*10}",
	  .state = POISONED | REFERENCED },
	{ "64K folio, page 9 PG_hwpoison, write fault of page 15: one page mapped",
	  { "{Sx*15 | Sx |}", .prot = RW }, 15, "{Sx*15 Wdyx}", true,
	  POISONED | REFERENCED },
	{ "guard marker between folios, read fault of it: -EFAULT, nothing mapped",
	  { "{Sx*4} || G {Sx*4}", .prot = RW }, 4, "{Sx*4} G {Sx*4}", .error = -EFAULT },
	{ "poison marker between folios, read fault of it: -EFAULT, nothing mapped",
	  { "{Sx*4} || P {Sx*4}", .prot = RW }, 4, "{Sx*4} P {Sx*4}", .error = -EFAULT },

	/* Pages under writeback, and a device that is not as fast as memory. */
	{ "64K folio under writeback, read fault: folio mapped, exclusive",
	  { "{Sx*16}", .prot = RW }, 5, "{Wyx*16}", .state = WRITEBACK | REFERENCED | KEEPS },
	{ "64K folio under writeback that must be stable: mapped read-only, not exclusive",
	  { "{Sx*16}", .prot = RW }, 5, "{Ry*16}",
	  .state = WRITEBACK | STABLE | REFERENCED | KEEPS },
	{ "64K folio not under writeback, device for stable pages: mapped, exclusive",
	  { "{Sx*16}", .prot = RW }, 5, "{Wyx*16}", .state = STABLE },
	{ "64K folio, slow device, read fault: mapped, stays in the swap cache",
	  { "{Sx*16}", .prot = RW }, 5, "{Wyx*16}", .state = SLOW | KEEPS },
	{ "64K folio, slow device, write fault: mapped, leaves the swap cache",
	  { "{Sx*16}", .prot = RW }, 5, "{Wdyx*16}", true, SLOW },
	{ "64K folio, slow device, mlocked VMA, read fault: leaves the swap cache",
	  { "{Sx*16}", .prot = RW, .mlocked = true }, 5, "{Wyx*16}", .state = SLOW },
	{ "64K folio swapped out to a slow device, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW }, 5, "Sx*5 ~{Wyx} Sx*10",
	  .state = OUT | SLOW | KEEPS, .orders = SIZES },

	/* Swap-in from the device. */
	{ "64K folio swapped out, no size enabled, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW }, 5, "Sx*5 ~{Wyx} Sx*10", .state = OUT },
	{ "64K folio swapped out, read fault: a 64K folio, writable and clean",
	  { "{Sx*16}", .prot = RW }, 5, "~{Wyx*16}", .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, entry 12 soft-dirty before the lock: nothing mapped",
	  { "{Sx*5 || Sx*11}", .prot = RW, .track = true,
	    .meanwhile = { "{Sx*12 Ssx Sx*3}", "pte_offset_map_lock", 1 } }, 5,
	  "Sx*12 Ssx Sx*3", .state = OUT | NO_TWIN, .orders = SIZES },
	{ "64K folio swapped out, no memory, read fault: -ENOMEM",
	  { "{Sx*5 || Sx*11}", .prot = RW }, 5, "Sx*16", .state = OUT,
	  .error = -ENOMEM, .fails = 1 },
	{ "64K folio swapped out, no memory, entry soft-dirty before the lock: nothing done",
	  { "{Sx*5 || Sx*11}", .prot = RW, .track = true,
	    .meanwhile = PTEBATCH_AT_LOCK("{Sx*5 Ssx Sx*10}") }, 5, "Sx*5 Ssx Sx*10", .state = OUT,
	  .fails = 1 },
	{ "64K folio swapped out, no memory, page table gone before the lock: nothing done",
	  { "{Sx*5 || Sx*11}", .prot = RW, .lost_in = "pte_offset_map_lock" }, 5,
	  "Sx*16", .state = OUT, .fails = 1 },
	{ "64K folio swapped out, page table gone at the first lock: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW, .lost_in = "pte_offset_map_lock" }, 5,
	  "Sx*5 ~{Wyx} Sx*10", .state = OUT | NO_TWIN, .orders = SIZES },
	{ "64K folio swapped out, write fault: a 64K folio, writable and dirty",
	  { "{Sx*16}", .prot = RW }, 15, "~{Wdyx*16}", true, OUT, SIZES },
	{ "64K folio swapped out, shared, read fault: a 64K folio, read-only",
	  { "{S*16}", .prot = RW }, 0, "~{Ry*16}", .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, shared, no other mm, write fault: page of a new folio reused",
	  { "{S*16}", .prot = RW }, 5, "~{Ry*5 Wdyx Ry*10}", true, OUT, SIZES },
	{ "64K folio swapped out, memory tags, read fault: a 64K folio with its tags",
	  { "{Sx*16}", .prot = RW | PTEBATCH_PROT_MTE }, 5, "~{Wyx*16}",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, soft-dirty, read fault: a 64K folio, soft-dirty",
	  { "{Ssx*16}", .prot = RW, .track = true }, 5, "~{Wysx*16}",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, only 16K enabled, read fault: a 16K folio",
	  { "{Sx*4 | Sx*4 | Sx*8}", .prot = RW }, 5, "Sx*4 ~{Wyx*4} Sx*8",
	  .state = OUT, .orders = BIT(2) },
	{ "four 16K folios swapped out, next to each other in swap or not: a 16K folio",
	  { "{Sx*4} | {Sx*4} | {Sx*4} {Sx*4}", .prot = RW }, 5,
	  "Sx*4 ~{Wyx*4} Sx*8", .state = OUT, .orders = BIT(2) },
	{ "64K folio swapped out, last PTE empty, read fault: a 16K folio",
	  { "{Sx*4 | Sx*4 | Sx*7 -}", .prot = RW }, 5, "Sx*4 ~{Wyx*4} Sx*7 -",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, last PTE empty, read fault of page 14: a small folio",
	  { "{Sx*14 | Sx | -}", .prot = RW }, 14, "Sx*14 ~{Wyx} -",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, pages 4 to 15 shared, read fault: a 16K folio, read-only",
	  { "{Sx*4 S*4 | S*4 | S*4}", .prot = RW }, 9, "Sx*4 S*4 ~{Ry*4} S*4",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, page 2 shared, read fault of page 0: a small folio",
	  { "{| Sx | Sx S Sx*13}", .prot = RW }, 0, "~{Wyx} Sx S Sx*13",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, page 6 soft-dirty, read fault of page 5: a small folio",
	  { "{Sx*5 | Sx | Ssx Sx*9}", .prot = RW, .track = true }, 5,
	  "Sx*5 ~{Ryx} Ssx Sx*9", .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, 16K-aligned address, read fault: a 16K folio",
	  { "@4 {Sx*4 | Sx*4 | Sx*8}", .prot = RW }, 5, "@4 Sx*4 ~{Wyx*4} Sx*8",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, address not aligned, read fault: a small folio",
	  { "@5 {Sx*5 | Sx | Sx*10}", .prot = RW }, 5, "@5 Sx*5 ~{Wyx} Sx*10",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, VMA ends after page 12, read fault: a 16K folio",
	  { "{Sx*8 | Sx*4 | ; Sx*4}", .prot = RW }, 9, "Sx*8 ~{Wyx*4} Sx*4",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, VMA begins at page 2, read fault of page 3: a small folio",
	  { "{Sx*2 ; Sx | Sx | Sx*12}", .prot = RW }, 3, "Sx*3 ~{Wyx} Sx*12",
	  .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, userfaultfd registered, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", .prot = RW, .uffd_wp = true }, 5,
	  "Sx*5 ~{Wyx} Sx*10", .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, private file mapping, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", PTEBATCH_PRIVATE_FILE, RW }, 5,
	  "Sx*5 ~{Wyx} Sx*10", .state = OUT, .orders = SIZES },
	{ "64K folio swapped out, child has read page 12, read fault of page 5: a 16K folio",
	  { "{S*4 | S*4 | S*8}", .prot = RW, .twice = true }, 5,
	  "S*4 ~{Ry*4} S*4 ~{S} S*3", .state = OUT | CHILD_READS, .orders = SIZES },
	{ "64K folio swapped out, child has read page 12, read fault of it: child's folio",
	  { "{S*12 | S | S*3}", .prot = RW, .twice = true }, 12,
	  "S*12 ~{Ry} S*3", .state = OUT | CHILD_READS, .orders = SIZES },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void swap_in(struct kunit *test)
{
	check_fault(test, test->param_value);
}

/* Each order. */

static const struct kind {
	const char *name;
	const char *before, *first, *rest;
	bool write;
	unsigned int state;
} kinds[] = {
	{ "folio, read fault: folio mapped", "Sx", "Wyx", "Wyx" },
	{ "folio, shared, write fault: first page reused, the rest read-only",
	  "S", "Wdyx", "Ry", true },
	{ "folio swapped out, all sizes enabled: the largest below a PMD, if there is one",
	  "Sx", "Wyx", "Wyx", .state = OUT },
};

PTEBATCH_ORDER_PARAMS(swap_in_order, kinds);

/* Folios of swap-in from the device have order 0, or 2 to PMD_ORDER - 1. */
static unsigned int largest_order(unsigned int order)
{
	return order == 1 ? 0 : min_t(unsigned int, order, PMD_SHIFT - PAGE_SHIFT - 1);
}

static void swap_in_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order, mapped = nr;
	struct fault_row row = {
		.setup.prot = RW, .write = kind->write, .state = kind->state,
	};

	if (kind->state & OUT) {
		mapped = 1U << largest_order(param->order);
		row.orders = GENMASK(PMD_SHIFT - PAGE_SHIFT - 1, 2);
	}
	row.setup.picture = ptebatch_draw_range(test, nr, 0, mapped, kind->before,
						kind->before);
	row.after = ptebatch_draw(test, "%s{%s %s*%u} %s*%u",
				  kind->state & OUT ? "~" : "", kind->first,
				  kind->rest, mapped - 1, kind->before, nr - mapped);
	check_fault(test, &row);
}

/* Rule 7: zapping and MADV_FREE free the slots of swap entries. */

/**
 * struct free_row - swap entries that are cleared
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row after zap_vma_range()
 * @freed: expected row after MADV_FREE; %NULL: the same
 * @cached: bitmap of the folios that are in the swap cache; the rest is not
 * @state: CHILD_UNMAPS or 0
 */
struct free_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	const char *freed;
	unsigned long cached;
	unsigned int state;
};

static const struct free_row free_rows[] = {
	{ "64K folio: all cleared",
	  { "{Sx*16}", .prot = RW }, "-*16" },
	{ "middle 8 pages of a 64K folio: cleared, the rest unchanged",
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW }, "Sx*4 -*8 Sx*4" },
	{ "64K folio, soft-dirty and exclusive change: all cleared",
	  { "{Ssx*3 S Ss*2 Ssx*2 Sx*3 S Ss*4}", .prot = RW, .track = true }, "-*16" },
	{ "64K folio, uffd-wp changes: all cleared",
	  { "{Sx Sux Sx Sux*5 Sx*8}", .prot = RW, .uffd_wp = true }, "-*16" },
	{ "pages of a 32K folio in the order 0, 2, 4, 6, 1, 3, 5, 7: all cleared",
	  { "{Sx Sx=2 Sx=4 Sx=6 Sx=1 Sx=3 Sx=5 Sx=7}", .prot = RW }, "-*8" },
	{ "pages of a 64K folio in the order 8 to 15, 0 to 7, first 12: cleared",
	  { "{| Sx=8*8 Sx=0*4 | Sx=4*4}", .prot = RW }, "-*12 Sx*4" },
	{ "two 64K folios, last 4 and first 4 pages: cleared, the rest unchanged",
	  { "{Sx*12 | Sx*4} {Sx*4 | Sx*12}", .prot = RW }, "Sx*12 -*8 Sx*12" },
	{ "swap entries across a page table boundary, middle 12: cleared",
	  { "@-8 {Sx*2 | Sx*12 | Sx*2}", .prot = RW }, "@-8 Sx*2 -*12 Sx*2" },
	{ "64K folio in two VMAs, middle 12 pages: cleared, the rest unchanged",
	  { "{Sx*2 | Sx*6 ; Sx*6 | Sx*2}", .prot = RW }, "Sx*2 -*12 Sx*2" },
	{ "swap entries across the end of a swap cluster: 8 cleared, the rest unchanged",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*4 | Sx*T-4}", .prot = RW, .swap_follows = true },
	  "@T/2 Sx*T-4 -*8 Sx*T-4" },
	{ "markers and migration entries between: MADV_FREE leaves guards and migration entries",
	  { "{Sx*4} P {Sx*4} G {Mx*4} {Sx*4}", .prot = RW }, "-*9 G -*8",
	  "-*9 G {Mx*4} -*4" },
	{ "three 16K folios, the middle one in the swap cache: all cleared",
	  { "{Sx*4} {Sx*4} {Sx*4}", .prot = RW }, "-*12", .cached = BIT(1) },
	{ "two 16K folios, the first one in the swap cache: all cleared",
	  { "{Sx*4} {Sx*4}", .prot = RW }, "-*8", .cached = BIT(0) },
	{ "8 small folios, every other one in the swap cache: all cleared",
	  { "{Sx}*8", .prot = RW }, "-*8", .cached = 0xaa },
	{ "64K folio in the swap cache, first 12 pages: cleared, folio stays in the swap cache",
	  { "{| Sx*12 | Sx*4}", .prot = RW }, "{-*12 Sx*4}", .cached = BIT(0) },
	{ "64K folio mapped by parent and child, middle 4 pages: cleared in the parent",
	  { "{S*8 | S*4 | S*4}", .prot = RW, .twice = true }, "S*8 -*4 S*4" },
	{ "64K folio mapped by parent and child, pages 4 to 7 only by the parent: cleared",
	  { "{S*16}", .prot = RW, .twice = true }, "-*16", .state = CHILD_UNMAPS },
};

KUNIT_ARRAY_PARAM_DESC(free_rows, free_rows, name);

static void unmap_in_child(const struct ptebatch_trial *trial, unsigned int from,
			   unsigned int nr)
{
	const struct ptebatch_place *child = &trial->space->places[1];
	struct vm_area_struct *vma;

	mmap_read_lock(child->mm);
	vma = vma_lookup(child->mm, child->start);
	zap_vma_range(vma, child->start + from * PAGE_SIZE, nr * PAGE_SIZE);
	mmap_read_unlock(child->mm);
}

static void prepare_free(struct ptebatch_trial *trial, const void *data)
{
	const struct free_row *row = data;

	discard(trial->space, row->cached);
	/* The folios that are not in the swap cache; the others are locked. */
	ptebatch_space_drop_refs(trial->space);
	unlock_cached(trial->space);
	if (row->state & CHILD_UNMAPS)
		unmap_in_child(trial, 4, 4);
}

/* A folio leaves the swap cache with the last of its swap entries. */
static void check_cached(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_row *is = &trial->after.row;
	const struct free_row *row = data;
	unsigned long cached = row->cached;
	unsigned int i, folio;

	for_each_set_bit(folio, &cached, BITS_PER_LONG) {
		bool used = false;

		for (i = 0; i < is->nr; i++)
			used |= is->entries[i].folio == folio;
		KUNIT_EXPECT_EQ_MSG(trial->test, used,
				    folio_test_swapcache(trial->space->folios[folio]),
				    PTEBATCH_RULE_ACCOUNTING
				    ": folio %u in the swap cache after %s",
				    folio, trial->function);
	}
}

static void free_slots(struct kunit *test)
{
	const struct ptebatch_op *free = &ptebatch_advices[PTEBATCH_FREE];
	const struct ptebatch_op * const ops[] = {
		&ptebatch_zap, &ptebatch_zap_batched, free,
	};
	const struct free_row *row = test->param_value;
	struct ptebatch_setup setup = row->setup;
	unsigned int i;

	setup.swap = true;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		const struct ptebatch_run run = {
			.op = ops[i], .setup = &setup,
			.after = row->freed && ops[i] == free ? row->freed : row->after,
			.prepare = prepare_free, .check = check_cached, .data = row,
		};

		if (!ptebatch_row_run(test, &run))
			return;
	}
}

static struct kunit_case memory_swap_cases[] = {
	KUNIT_CASE_PARAM(swap_in, rows_gen_params),
	PTEBATCH_CASE_PARAMS(swap_in_order),
	KUNIT_CASE_PARAM(free_slots, free_rows_gen_params),
	{}
};

/* Two swap devices: see mm/memory.c. */
PTEBATCH_SUITE(memory_swap, memory_swap_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
