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

#include "internal.h"

#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/advise.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static bool has_swap_entry(const struct ptebatch_space *space, s16 folio)
{
	unsigned int i;

	for (i = 0; i < space->row.nr; i++)
		if (space->row.entries[i].folio == folio &&
		    space->row.entries[i].kind == PTEBATCH_SWAP)
			return true;
	return false;
}

/* Conditions of this suite, most of them of the first folio. */

/* The pages of the other folios are not written. */
static void keep_in_cache(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	struct ptebatch_space *space = use->trial->space;
	unsigned long cached = use->condition->value;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (!has_swap_entry(space, i) || (i < BITS_PER_LONG && cached & BIT(i)))
			continue;
		ptebatch_swap_free(space->folios[i]);
		folio_unlock(space->folios[i]);
	}
	ptebatch_space_drop_refs(space);
	for_each_set_bit(i, &cached, BITS_PER_LONG)
		folio_unlock(space->folios[i]);
}

static const struct ptebatch_condition_type in_swap_cache = {
	.name = "some folios are in the swap cache", .occur = keep_in_cache,
};

static void read_in_child(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	const struct ptebatch_place *child = &use->trial->space->places[1];
	unsigned long addr = child->start + use->condition->value * PAGE_SIZE;

	mmap_read_lock(child->mm);
	KUNIT_EXPECT_EQ(use->trial->test, 0,
			fixup_user_fault(child->mm, addr, FAULT_FLAG_REMOTE, NULL));
	mmap_read_unlock(child->mm);
}

static const struct ptebatch_condition_type child_reads = {
	.name = "the child has read an entry", .occur = read_in_child,
};

/* Of the row's swap device. */
static swp_entry_t device_entry;

static void change_device(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	unsigned long flag = use->condition->value;

	device_entry = use->trial->space->folios[0]->swap;
	use->word = ptebatch_swap_flags(device_entry, flag & SWP_SYNCHRONOUS_IO,
					flag & SWP_STABLE_WRITES);
}

static void restore_device(struct ptebatch_use *use)
{
	ptebatch_swap_flags(device_entry, ~0UL, use->word);
}

static const struct ptebatch_condition_type swap_device = {
	.name = "the swap device is another", .occur = change_device, .end = restore_device,
};

static void start_writeback(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	use->folio = use->trial->space->folios[0];
	folio_start_writeback(use->folio);
}

static void end_writeback(struct ptebatch_use *use)
{
	if (use->folio)
		folio_end_writeback(use->folio);
}

static const struct ptebatch_condition_type writeback = {
	.name = "the folio is under writeback", .occur = start_writeback,
	.end = end_writeback,
};

static void clear_uptodate(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	folio_clear_uptodate(use->trial->space->folios[0]);
}

static const struct ptebatch_condition_type not_uptodate = {
	.name = "the folio is not uptodate", .occur = clear_uptodate,
};

/* Before the fault is in the wait queue: a hook must not wake a task. */
static void lock_before(struct ptebatch_use *use)
{
	use->folio = use->trial->space->folios[0];
	folio_lock(use->folio);
}

static void unlock(struct ptebatch_use *use, const unsigned long *args,
		   struct pt_regs *regs)
{
	folio_unlock(use->folio);
}

static void unlock_unmet(struct ptebatch_use *use)
{
	if (use->folio && !use->met)
		folio_unlock(use->folio);
}

static const struct ptebatch_condition_type locked_until = {
	.name = "the folio is unlocked", .begin = lock_before, .occur = unlock,
	.end = unlock_unmet,
};

static bool has_swap_count(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		if (ptebatch_swap_count(folio, i))
			return true;
	return false;
}

/* As KSM leaves it, whose pages lose their flag when they are swapped out. */
static void misplace(struct ptebatch_use *use, const unsigned long *args,
		     struct pt_regs *regs)
{
	use->folio = use->trial->space->folios[0];
	folio_get(use->folio);
	use->folio->index++;
}

/* A folio that was copied stays in the swap cache until reclaim. */
static void put_back(struct ptebatch_use *use)
{
	struct folio *folio = use->folio;

	if (!folio)
		return;
	folio->index--;
	if (!has_swap_count(folio)) {
		folio_lock(folio);
		ptebatch_swap_free(folio);
		folio_unlock(folio);
	}
	folio_put(folio);
}

static const struct ptebatch_condition_type misplaced = {
	.name = "the folio has the index of another address", .occur = misplace,
	.end = put_back,
};

/* With a bitmap of folios; the others are in swap only. */
#define IN_SWAP_CACHE(folios)	{ .type = &in_swap_cache, .value = (folios) }
#define CHILD_READS(entry)	{ .type = &child_reads, .value = (entry) }
#define SLOW_DEVICE		{ .type = &swap_device, .value = SWP_SYNCHRONOUS_IO }
/* A page under writeback must not change. */
#define STABLE_PAGES		{ .type = &swap_device, .value = SWP_STABLE_WRITES }
#define WRITEBACK		{ .type = &writeback }
#define NOT_UPTODATE		{ .type = &not_uptodate }
#define LOCKED_UNTIL(at)	{ .type = &locked_until, .function = (at) }
#define MISPLACED		{ .type = &misplaced }

/* Faults. */

#define SIZES		(BIT(2) | BIT(4))	/* 16K and 64K */
#define CHILDS_PAGE	12

/*
 * Rule 7: the last fault of a folio frees its slots, as a RAM disk is as fast as
 * the swap cache (SWP_SYNCHRONOUS_IO). With other devices, only some faults do.
 */
static void expect_cached(struct ptebatch_trial *trial, unsigned int expected)
{
	struct ptebatch_space *space = trial->space;
	unsigned int i, cached = 0;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_folio_intact(space, i))
			continue;
		cached += folio_test_swapcache(folio) && !has_swap_count(folio);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_locked(folio),
				       "%s leaves folio %u locked",
				       trial->function, i);
	}
	KUNIT_EXPECT_EQ_MSG(trial->test, cached, expected,
			    PTEBATCH_RULE_ACCOUNTING
			    ": folios in the swap cache that are not in swap, after %s",
			    trial->function);
}

static void leaves_swap_cache(struct ptebatch_trial *trial,
			      const struct ptebatch_case *row)
{
	expect_cached(trial, 0);
}

static void stays_in_swap_cache(struct ptebatch_trial *trial,
				const struct ptebatch_case *row)
{
	expect_cached(trial, 1);
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

/* Of the last fault. */
static unsigned long major_faults, device_faults;

static long fault(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	long err;

	major_faults = current->maj_flt;
	device_faults = ptebatch_device_faults();
	err = ptebatch_swap_in_read.call(op, space, twin);
	major_faults = current->maj_flt - major_faults;
	device_faults = ptebatch_device_faults() - device_faults;
	return err;
}

/* A fault that reads from the device is a major one. */
static bool is_major(const struct ptebatch_case *row)
{
	return ptebatch_conditions_have(row->with, &ptebatch_condition_swapped_out) &&
	       !ptebatch_conditions_have(row->with, &ptebatch_condition_no_folio) &&
	       !(ptebatch_conditions_have(row->with, &child_reads) && row->arg == CHILDS_PAGE);
}

static bool check_fault(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_op op = *(row->op ?: &ptebatch_swap_in_read);
	/* Its pages are not in swap, and no memory is behind its addresses. */
	bool device = strchr(row->setup.picture, 'D');
	struct ptebatch_case fault_row = *row;
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	if (!ptebatch_swap_missing() && ptebatch_swap_used() < 0)
		kunit_skip(test, "the machine's swap device may read ahead");
	op.call = fault;
	fault_row.op = &op;
	fault_row.setup.prot = row->setup.prot ?: RW;
	if (!device)
		fault_row.setup.folios |= WITH_SWAP | ON_LRU;
	fault_row.filled = !device;
	fault_row.check = row->check ?: leaves_swap_cache;
	if (!row->with[0].type)
		fault_row.with[0] = (struct ptebatch_condition)UNLOCKED;
	kernel = ptebatch_case_try(test, &fault_row, false, &passes);
	KUNIT_EXPECT_EQ_MSG(test, major_faults, is_major(row), "major faults of %s",
			    kernel->function);
	KUNIT_EXPECT_EQ_MSG(test, device_faults, device && row->ret,
			    "calls of migrate_to_ram() by %s", kernel->function);
	if (!passes || row->no_twin)
		return passes;
	twin = ptebatch_case_call(test, &fault_row, true, &passes);
	fault_row.check(twin, &fault_row);
	if (passes)
		expect_like_twin(kernel, twin);
	ptebatch_trial_release(twin);
	ptebatch_trial_release(kernel);
	return passes;
}

/* @arg is the entry of a read fault. Without conditions, the folios are UNLOCKED. */
static const struct ptebatch_case rows[] = {
	/* All swap entries of the folio are there: it is mapped. */
	{ "64K folio, read fault: folio mapped, writable and clean",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 5 },
	{ "64K folio, read fault of the first page: folio mapped",
	  { "{Sx*16}" }, "{Wyx*16}" },
	{ "64K folio, read fault of the last page: folio mapped",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 15 },
	{ "64K folio, write fault: folio mapped, writable and dirty",
	  { "{Sx*16}" }, "{Wdyx*16}", .op = &ptebatch_swap_in_write, .arg = 5 },
	{ "64K folio, shared, read fault: folio mapped read-only",
	  { "{S*16}" }, "{Ry*16}", .arg = 5 },
	{ "64K folio, shared, no other mm, write fault: page reused, the rest read-only",
	  { "{S*16}" }, "{Ry*5 Wdyx Ry*10}", .op = &ptebatch_swap_in_write, .arg = 5 },
	{ "64K folio, shared, another reference, write fault of the last page: it is copied",
	  { "{S*16}" }, "{Ry*15 .} ~{Wdyx}", .op = &ptebatch_swap_in_write, .arg = 15,
	  .with = { UNLOCKED, REFERENCED(0) } },
	{ "64K folio of parent and child, read fault: folio mapped read-only",
	  { "{S*16}", .twice = true }, "{Ry*16}", .arg = 5 },
	{ "64K folio of parent and child, write fault of the last page: it is copied",
	  { "{S*16}", .twice = true }, "{Ry*15 .} ~{Wdyx}",
	  .op = &ptebatch_swap_in_write, .arg = 15 },
	{ "64K folio, read-only VMA, read fault: folio mapped read-only and exclusive",
	  { "{Sx*16}", .prot = RO }, "{Ryx*16}", .arg = 5 },
	{ "64K folio in an mlocked VMA, read fault: folio mapped",
	  { "{Sx*16}", .vma = VM_LOCKED }, "{Wyx*16}", .arg = 5 },
	{ "64K folio of a private file mapping, read fault: folio mapped",
	  { "{Sx*16}", PTEBATCH_PRIVATE_FILE }, "{Wyx*16}", .arg = 5 },
	{ "64K folio, virtual address not 64K-aligned, read fault: folio mapped",
	  { "@5 {Sx*16}" }, "@5 {Wyx*16}", .arg = 5 },
	{ "64K folio at the end of a page table, read fault: folio mapped",
	  { "@-16 {Sx*16}" }, "@-16 {Wyx*16}", .arg = 5 },
	{ "64K folio that fills a VMA, read fault: folio mapped",
	  { "- ; | {Sx*16} | ; -" }, "- {Wyx*16} -", .arg = 5 },
	{ "second of two 64K folios, read fault: folio mapped, the first unchanged",
	  { "{Sx*16} | {Sx*16} |" }, "{Sx*16} {Wyx*16}", .arg = 20 },
	{ "2M folio, write fault: folio mapped, writable and dirty",
	  { "{Sx*T}" }, "{Wdyx*T}", .op = &ptebatch_swap_in_write, .arg = 100 },

	/* Rule 6: soft-dirty and uffd-wp are those of the swap entries. */
	{ "64K folio, soft-dirty, write fault: folio mapped, writable and soft-dirty",
	  { "{Ssx*16}", .track = true }, "{Wdysx*16}", .op = &ptebatch_swap_in_write,
	  .arg = 5 },
	{ "64K folio, not soft-dirty, read fault: folio mapped read-only",
	  { "{Sx*16}", .track = true }, "{Ryx*16}", .arg = 5 },
	{ "64K folio, not soft-dirty, write fault: only the page of the fault soft-dirty",
	  { "{Sx*16}", .track = true }, "{Ryx*5 Wdysx Ryx*10}",
	  .op = &ptebatch_swap_in_write, .arg = 5 },
	{ "64K folio, uffd-wp, read fault: folio mapped read-only and uffd-wp",
	  { "{Sux*16}", .uffd = UFFD_WP }, "{Ryux*16}", .arg = 5 },
	{ "64K folio, uffd-wp, write fault: -EFAULT, folio mapped read-only and uffd-wp",
	  { "{Sux*16}", .uffd = UFFD_WP }, "{Ryux*16}", .op = &ptebatch_swap_in_write,
	  .arg = 5, .ret = -EFAULT },
	{ "64K folio, uffd-rwp, read fault: folio mapped without access",
	  { "{Sux*16}", .uffd = UFFD_RWP }, "{Nyux*16}", .arg = 5 },

	{ "64K folio, uffd-rwp, write fault: folio mapped without access",
	  { "{Sux*16}", .uffd = UFFD_RWP }, "{Nyux*16}", .op = &ptebatch_swap_in_write,
	  .arg = 5 },
	{ "64K folio, shared, uffd-rwp, write fault: folio mapped without access, not copied",
	  { "{Su*16}", .uffd = UFFD_RWP }, "{Nyu*16}", .op = &ptebatch_swap_in_write,
	  .arg = 5 },
	{ "64K folio, not uffd-rwp, VMA for it, read fault: folio mapped, writable",
	  { "{Sx*16}", .uffd = UFFD_RWP }, "{Wyx*16}", .arg = 5 },

	/* Rule 3: otherwise only the page of the fault is mapped. */
	{ "first PTE of a 64K folio empty, read fault: one page mapped",
	  { "{- Sx*4 | Sx | Sx*10}" }, "{- Sx*4 Wyx Sx*10}", .arg = 5 },
	{ "last PTE of a 64K folio empty, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 -}" }, "{Sx*5 Wyx Sx*9 -}", .arg = 5 },
	{ "PTE 7 of a 64K folio empty, write fault: one page mapped",
	  { "{Sx*5 | Sx | Sx - Sx*8}" }, "{Sx*5 Wdyx Sx - Sx*8}",
	  .op = &ptebatch_swap_in_write, .arg = 5 },
	{ "first page of a 64K folio mapped, read fault: one page mapped",
	  { "{Wyx Sx*4 | Sx | Sx*10}" }, "{Wyx Sx*4 Wyx Sx*10}", .arg = 5 },
	{ "last page of a 64K folio mapped, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 Wdyx}" }, "{Sx*5 Wyx Sx*9 Wdyx}", .arg = 5 },
	{ "marker instead of the last page of a 64K folio, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 P}" }, "{Sx*5 Wyx Sx*9 P}", .arg = 5 },
	{ "last 12 pages of a 64K folio behind another folio, read fault: one page mapped",
	  { "{Sx*4} {.*4 Sx | Sx | Sx*10}" }, "{Sx*4} {.*4 Sx Wyx Sx*10}", .arg = 5 },
	{ "first 12 pages of a 64K folio before another folio, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*6 .*4} {Sx*4}" }, "{Sx*5 Wyx Sx*6 .*4} {Sx*4}", .arg = 5 },
	{ "64K folio, pages in the order 8 to 15, 0 to 7, read fault: one page mapped",
	  { "{Sx=8*5 | Sx=13 | Sx=14*2 Sx=0*8}" }, "{Sx=8*5 Wyx=13 Sx=14*2 Sx=0*8}",
	  .arg = 5 },
	{ "64K folio, second half shared, read fault of the first half: one page mapped",
	  { "{Sx*5 | Sx | Sx*2 S*8}" }, "{Sx*5 Wyx Sx*2 S*8}", .arg = 5 },
	{ "64K folio, second half shared, read fault of it: one page mapped read-only",
	  { "{Sx*8 S | S | S*6}" }, "{Sx*8 S Ry S*6}", .arg = 9 },
	{ "64K folio, last page shared, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*9 S}" }, "{Sx*5 Wyx Sx*9 S}", .arg = 5 },
	{ "64K folio, first page shared, read fault of it: one page mapped read-only",
	  { "{| S | Sx*15}" }, "{Ry Sx*15}" },
	{ "64K folio, first half soft-dirty, read fault of it: one page mapped, writable",
	  { "{Ssx*5 | Ssx | Ssx*2 Sx*8}", .track = true }, "{Ssx*5 Wysx Ssx*2 Sx*8}",
	  .arg = 5 },
	{ "64K folio, last page soft-dirty, read fault: one page mapped read-only",
	  { "{Sx*5 | Sx | Sx*9 Ssx}", .track = true }, "{Sx*5 Ryx Sx*9 Ssx}",
	  .arg = 5 },
	{ "64K folio, last page uffd-wp, read fault: one page mapped, writable",
	  { "{Sx*5 | Sx | Sx*9 Sux}", .uffd = UFFD_WP }, "{Sx*5 Wyx Sx*9 Sux}",
	  .arg = 5 },
	{ "64K folio, second half uffd-wp, read fault of it: one page mapped read-only",
	  { "{Sx*8 Sux | Sux | Sux*6}", .uffd = UFFD_WP }, "{Sx*8 Sux Ryux Sux*6}",
	  .arg = 9 },
	{ "64K folio across a page table boundary, read fault before it: one page mapped",
	  { "@-8 {Sx*3 | Sx | Sx*12}" }, "@-8 {Sx*3 Wyx Sx*12}", .arg = 3 },
	{ "64K folio across a page table boundary, read fault behind it: one page mapped",
	  { "@-8 {Sx*12 | Sx | Sx*3}" }, "@-8 {Sx*12 Wyx Sx*3}", .arg = 12 },
	{ "64K folio in two VMAs, read fault in the first: one page mapped",
	  { "{Sx*3 | Sx | Sx*11 ; Sx}" }, "{Sx*3 Wyx Sx*12}", .arg = 3 },
	{ "64K folio in two VMAs, read fault in the second: one page mapped",
	  { "{Sx ; Sx*11 | Sx | Sx*3}" }, "{Sx*12 Wyx Sx*3}", .arg = 12 },
	{ "small folio, read fault: mapped",
	  { "{Sx} | {Sx} | {Sx}" }, "{Sx} {Wyx} {Sx}", .arg = 1 },
	{ "64K folio not uptodate, as its read failed, read fault: -EFAULT, not mapped",
	  { "{Sx*5 || Sx*11}" }, "{Sx*16}", .arg = 5, .ret = -EFAULT,
	  .with = { UNLOCKED, NOT_UPTODATE } },

	{ "device-private entry between small folios, read fault of it: given to the driver",
	  { "Wdyx || {Dwx} Wdyx" }, "Wdyx {Dwx} Wdyx", .arg = 1, .ret = -EFAULT },
	{ "device-private entry soft-dirty before the lock, read fault: nothing done",
	  { "Wdyx || {Dwx} Wdyx", .track = true }, "Wdyx {Dwsx} Wdyx", .arg = 1,
	  .with = { PTES_BECOME("Wdyx {Dwsx} Wdyx") } },
	{ "device-private entry, page table gone before the lock, read fault: nothing done",
	  { "Wdyx || {Dwx} Wdyx" }, "Wdyx {Dwx} Wdyx", .arg = 1,
	  .with = { TABLE_LOST } },
	{ "device-private entry, folio locked, read fault: waits, nothing done",
	  { "|| {Dwx} Wdyx" }, "{Dwx} Wdyx",
	  .with = { LOCKED_UNTIL("softleaf_entry_wait_on_locked") } },
	{ "64K folio locked, read fault: waits, folio mapped",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 5,
	  .with = { UNLOCKED, LOCKED_UNTIL("__folio_lock_or_retry") } },
	{ "entry soft-dirty before the lock, read fault: nothing mapped",
	  { "{Sx*5 || Sx*11}", .track = true }, "{Sx*5 Ssx Sx*10}", .arg = 5,
	  .with = { PTES_BECOME("{Sx*5 Ssx Sx*10}"), UNLOCKED, REFERENCED(0) } },
	{ "another entry soft-dirty before the lock, read fault: one page mapped",
	  { "{Sx*5 | Sx | Sx*10}", .track = true }, "{Sx*5 Ryx Sx*9 Ssx}", .arg = 5,
	  .with = { PTES_BECOME("{Sx*15 Ssx}"), UNLOCKED, REFERENCED(0) } },
	{ "page at another address than its index says, read fault: copied",
	  { "{Sx}" }, "~{Wyx}", .with = { UNLOCKED, MISPLACED } },
	{ "page at another address than its index says, shared, read fault: copied, exclusive",
	  { "{S}" }, "~{Wyx}", .with = { UNLOCKED, MISPLACED } },
	{ "page at another address, entry soft-dirty before the lock: copy not mapped",
	  { "|| {Sx}", .track = true }, "{Ssx}",
	  .with = { PTES_BECOME("{Ssx}"), UNLOCKED, MISPLACED } },
	{ "page at another address than its index says, shared, write fault: copied",
	  { "{S}" }, "~{Wdyx}", .op = &ptebatch_swap_in_write,
	  .with = { UNLOCKED, MISPLACED } },
	{ "page at another address than its index says, no memory for a copy: -ENOMEM",
	  { "{Sx}" }, "{Sx}", .ret = -ENOMEM,
	  .with = { UNLOCKED, MISPLACED, NO_FOLIO(1) } },
	{ "page table gone before the lock, read fault: nothing mapped",
	  { "{Sx*5 || Sx*11}" }, "{Sx*16}", .arg = 5,
	  .with = { TABLE_LOST, UNLOCKED, REFERENCED(0) } },
	{ "swap device turned off before it is used, read fault: nothing done",
	  { "{Sx*5 || Sx*11}" }, "{Sx*16}", .arg = 5,
	  .with = { UNLOCKED, REFERENCED(0), LOST_AT("get_swap_device", 0) } },
	{ "64K folio, page of the fault PG_hwpoison: -EFAULT, not mapped",
	  { "{Sx*9 || Sx*7}" }, "{Sx*16}", .arg = 9, .ret = -EFAULT,
	  .with = { UNLOCKED, HWPOISON(9), REFERENCED(0) } },
	{ "64K folio, page 9 PG_hwpoison, read fault of page 5: one page mapped",
	  { "{Sx*5 | Sx | Sx*10}" }, "{Sx*5 Wyx Sx*10}", .arg = 5,
	  .with = { UNLOCKED, HWPOISON(9), REFERENCED(0) } },
	{ "64K folio, page 9 PG_hwpoison, write fault of page 15: one page mapped",
	  { "{Sx*15 | Sx |}" }, "{Sx*15 Wdyx}", .op = &ptebatch_swap_in_write,
	  .arg = 15, .with = { UNLOCKED, HWPOISON(9), REFERENCED(0) } },
	{ "guard marker between folios, read fault of it: -EFAULT, nothing mapped",
	  { "{Sx*4} || G {Sx*4}" }, "{Sx*4} G {Sx*4}", .arg = 4, .ret = -EFAULT },
	{ "poison marker between folios, read fault of it: -EFAULT, nothing mapped",
	  { "{Sx*4} || P {Sx*4}" }, "{Sx*4} P {Sx*4}", .arg = 4, .ret = -EFAULT },

	/* Pages under writeback, and a device that is not as fast as memory. */
	{ "64K folio under writeback, read fault: folio mapped, exclusive",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 5,
	  .with = { WRITEBACK, UNLOCKED, REFERENCED(0) }, .check = stays_in_swap_cache },
	{ "64K folio under writeback that must be stable: mapped read-only, not exclusive",
	  { "{Sx*16}" }, "{Ry*16}", .arg = 5,
	  .with = { STABLE_PAGES, WRITEBACK, UNLOCKED, REFERENCED(0) },
	  .check = stays_in_swap_cache },
	{ "64K folio not under writeback, device for stable pages: mapped, exclusive",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 5, .with = { STABLE_PAGES, UNLOCKED } },
	{ "64K folio, slow device, read fault: mapped, stays in the swap cache",
	  { "{Sx*16}" }, "{Wyx*16}", .arg = 5, .with = { SLOW_DEVICE, UNLOCKED },
	  .check = stays_in_swap_cache },
	{ "64K folio, slow device, write fault: mapped, leaves the swap cache",
	  { "{Sx*16}" }, "{Wdyx*16}", .op = &ptebatch_swap_in_write, .arg = 5,
	  .with = { SLOW_DEVICE, UNLOCKED } },
	{ "64K folio, slow device, mlocked VMA, read fault: leaves the swap cache",
	  { "{Sx*16}", .vma = VM_LOCKED }, "{Wyx*16}", .arg = 5,
	  .with = { SLOW_DEVICE, UNLOCKED } },
	{ "64K folio swapped out to a slow device, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}" }, "Sx*5 ~{Wyx} Sx*10", .arg = 5,
	  .with = { SLOW_DEVICE, SWAPPED_OUT, ANON_ORDERS(SIZES) },
	  .check = stays_in_swap_cache },

	/* Swap-in from the device. */
	{ "64K folio swapped out, no size enabled, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}" }, "Sx*5 ~{Wyx} Sx*10", .arg = 5,
	  .with = { SWAPPED_OUT } },
	{ "64K folio swapped out, read fault: a 64K folio, writable and clean",
	  { "{Sx*16}" }, "~{Wyx*16}", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, entry 12 soft-dirty before the lock: nothing mapped",
	  { "{Sx*5 || Sx*11}", .track = true }, "Sx*12 Ssx Sx*3", .arg = 5,
	  .with = { PTES_BECOME_AT("pte_offset_map_lock", 1, "{Sx*12 Ssx Sx*3}"),
		    SWAPPED_OUT, ANON_ORDERS(SIZES) },
	  .no_twin = true },
	{ "64K folio swapped out, no memory, read fault: -ENOMEM",
	  { "{Sx*5 || Sx*11}" }, "Sx*16", .arg = 5, .ret = -ENOMEM,
	  .with = { SWAPPED_OUT, NO_FOLIO(1) } },
	{ "64K folio swapped out, no memory, entry soft-dirty before the lock: nothing done",
	  { "{Sx*5 || Sx*11}", .track = true }, "Sx*5 Ssx Sx*10", .arg = 5,
	  .with = { PTES_BECOME("{Sx*5 Ssx Sx*10}"), SWAPPED_OUT, NO_FOLIO(1) } },
	{ "64K folio swapped out, no memory, page table gone before the lock: nothing done",
	  { "{Sx*5 || Sx*11}" }, "Sx*16", .arg = 5,
	  .with = { TABLE_LOST, SWAPPED_OUT, NO_FOLIO(1) } },
	{ "64K folio swapped out, page table gone at the first lock: a small folio",
	  { "{Sx*5 | Sx | Sx*10}" }, "Sx*5 ~{Wyx} Sx*10", .arg = 5,
	  .with = { TABLE_LOST, SWAPPED_OUT, ANON_ORDERS(SIZES) }, .no_twin = true },
	{ "64K folio swapped out, write fault: a 64K folio, writable and dirty",
	  { "{Sx*16}" }, "~{Wdyx*16}", .op = &ptebatch_swap_in_write, .arg = 15,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, shared, read fault: a 64K folio, read-only",
	  { "{S*16}" }, "~{Ry*16}", .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, shared, no other mm, write fault: page of a new folio reused",
	  { "{S*16}" }, "~{Ry*5 Wdyx Ry*10}", .op = &ptebatch_swap_in_write, .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, memory tags, read fault: a 64K folio with its tags",
	  { "{Sx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "~{Wyx*16}", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, soft-dirty, read fault: a 64K folio, soft-dirty",
	  { "{Ssx*16}", .track = true }, "~{Wysx*16}", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "small folio swapped out, mlocked VMA, read fault: a small folio, mlocked",
	  { "{Sx}", .vma = VM_LOCKED }, "~{Wyx}", .with = { SWAPPED_OUT } },
	{ "64K folio swapped out, only 16K enabled, read fault: a 16K folio",
	  { "{Sx*4 | Sx*4 | Sx*8}" }, "Sx*4 ~{Wyx*4} Sx*8", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(BIT(2)) } },
	{ "four 16K folios swapped out, next to each other in swap or not: a 16K folio",
	  { "{Sx*4} | {Sx*4} | {Sx*4} {Sx*4}" }, "Sx*4 ~{Wyx*4} Sx*8", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(BIT(2)) } },
	{ "64K folio swapped out, last PTE empty, read fault: a 16K folio",
	  { "{Sx*4 | Sx*4 | Sx*7 -}" }, "Sx*4 ~{Wyx*4} Sx*7 -", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, last PTE empty, read fault of page 14: a small folio",
	  { "{Sx*14 | Sx | -}" }, "Sx*14 ~{Wyx} -", .arg = 14,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, pages 4 to 15 shared, read fault: a 16K folio, read-only",
	  { "{Sx*4 S*4 | S*4 | S*4}" }, "Sx*4 S*4 ~{Ry*4} S*4", .arg = 9,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, page 2 shared, read fault of page 0: a small folio",
	  { "{| Sx | Sx S Sx*13}" }, "~{Wyx} Sx S Sx*13",
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, page 6 soft-dirty, read fault of page 5: a small folio",
	  { "{Sx*5 | Sx | Ssx Sx*9}", .track = true }, "Sx*5 ~{Ryx} Ssx Sx*9", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, 16K-aligned address, read fault: a 16K folio",
	  { "@4 {Sx*4 | Sx*4 | Sx*8}" }, "@4 Sx*4 ~{Wyx*4} Sx*8", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, address not aligned, read fault: a small folio",
	  { "@5 {Sx*5 | Sx | Sx*10}" }, "@5 Sx*5 ~{Wyx} Sx*10", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, VMA ends after page 12, read fault: a 16K folio",
	  { "{Sx*8 | Sx*4 | ; Sx*4}" }, "Sx*8 ~{Wyx*4} Sx*4", .arg = 9,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, VMA begins at page 2, read fault of page 3: a small folio",
	  { "{Sx*2 ; Sx | Sx | Sx*12}" }, "Sx*3 ~{Wyx} Sx*12", .arg = 3,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, userfaultfd registered, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", .uffd = UFFD_WP }, "Sx*5 ~{Wyx} Sx*10", .arg = 5,
	  .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, private file mapping, read fault: a small folio",
	  { "{Sx*5 | Sx | Sx*10}", PTEBATCH_PRIVATE_FILE }, "Sx*5 ~{Wyx} Sx*10",
	  .arg = 5, .with = { SWAPPED_OUT, ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, child has read page 12, read fault of page 5: a 16K folio",
	  { "{S*4 | S*4 | S*8}", .twice = true }, "S*4 ~{Ry*4} S*4 ~{S} S*3", .arg = 5,
	  .with = { SWAPPED_OUT, CHILD_READS(CHILDS_PAGE), ANON_ORDERS(SIZES) } },
	{ "64K folio swapped out, child has read page 12, read fault of it: child's folio",
	  { "{S*12 | S | S*3}", .twice = true }, "S*12 ~{Ry} S*3", .arg = 12,
	  .with = { SWAPPED_OUT, CHILD_READS(CHILDS_PAGE), ANON_ORDERS(SIZES) } },
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
	const struct ptebatch_op *op;
	bool out;
} kinds[] = {
	{ "folio, read fault: folio mapped", "Sx", "Wyx", .rest = "Wyx" },
	{ "folio, shared, write fault: first page reused, the rest read-only",
	  "S", "Wdyx", .rest = "Ry", .op = &ptebatch_swap_in_write },
	{ "folio swapped out, all sizes enabled: the largest below a PMD, if there is one",
	  "Sx", "Wyx", .rest = "Wyx", .out = true },
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
	struct ptebatch_case row = { .op = kind->op };

	if (kind->out) {
		mapped = 1U << largest_order(param->order);
		row.with[0] = (struct ptebatch_condition)SWAPPED_OUT;
		row.with[1] = (struct ptebatch_condition)
			      ANON_ORDERS(GENMASK(PMD_SHIFT - PAGE_SHIFT - 1, 2));
	}
	row.setup.picture = ptebatch_draw_range(test, nr, 0, mapped, kind->before,
						kind->before);
	row.after = ptebatch_draw(test, "%s{%s %s*%u} %s*%u",
				  kind->out ? "~" : "", kind->first,
				  kind->rest, mapped - 1, kind->before, nr - mapped);
	check_fault(test, &row);
}

/* Rule 7: zapping and MADV_FREE free the slots of swap entries. */

/*
 * With @op, only zapping or only MADV_FREE. Without conditions, no folio is in the swap
 * cache.
 */
static const struct ptebatch_case free_rows[] = {
	{ "64K folio: all cleared", { "{Sx*16}" }, "-*16" },
	{ "middle 8 pages of a 64K folio: cleared, the rest unchanged",
	  { "{Sx*4 | Sx*8 | Sx*4}" }, "Sx*4 -*8 Sx*4" },
	{ "64K folio, soft-dirty and exclusive change: all cleared",
	  { "{Ssx*3 S Ss*2 Ssx*2 Sx*3 S Ss*4}", .track = true }, "-*16" },
	{ "64K folio, uffd-wp changes: all cleared",
	  { "{Sx Sux Sx Sux*5 Sx*8}", .uffd = UFFD_WP }, "-*16" },
	{ "pages of a 32K folio in the order 0, 2, 4, 6, 1, 3, 5, 7: all cleared",
	  { "{Sx Sx=2 Sx=4 Sx=6 Sx=1 Sx=3 Sx=5 Sx=7}" }, "-*8" },
	{ "pages of a 64K folio in the order 8 to 15, 0 to 7, first 12: cleared",
	  { "{| Sx=8*8 Sx=0*4 | Sx=4*4}" }, "-*12 Sx*4" },
	{ "two 64K folios, last 4 and first 4 pages: cleared, the rest unchanged",
	  { "{Sx*12 | Sx*4} {Sx*4 | Sx*12}" }, "Sx*12 -*8 Sx*12" },
	{ "swap entries across a page table boundary, middle 12: cleared",
	  { "@-8 {Sx*2 | Sx*12 | Sx*2}" }, "@-8 Sx*2 -*12 Sx*2" },
	{ "64K folio in two VMAs, middle 12 pages: cleared, the rest unchanged",
	  { "{Sx*2 | Sx*6 ; Sx*6 | Sx*2}" }, "Sx*2 -*12 Sx*2" },
	{ "swap entries across the end of a swap cluster: 8 cleared, the rest unchanged",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*4 | Sx*T-4}", .folios = SWAP_FOLLOWS },
	  "@T/2 Sx*T-4 -*8 Sx*T-4" },
	{ "markers and migration entries between: zapping leaves guards",
	  { "{Sx*4} P {Sx*4} G {Mx*4} {Sx*4}" }, "-*9 G -*8", .op = &ptebatch_zap },
	{ "markers and migration entries between: MADV_FREE leaves guards and migration entries",
	  { "{Sx*4} P {Sx*4} G {Mx*4} {Sx*4}" }, "-*9 G {Mx*4} -*4",
	  .op = &ptebatch_advices[PTEBATCH_FREE] },
	{ "three 16K folios, the middle one in the swap cache: all cleared",
	  { "{Sx*4} {Sx*4} {Sx*4}" }, "-*12", .with = { IN_SWAP_CACHE(BIT(1)) } },
	{ "two 16K folios, the first one in the swap cache: all cleared",
	  { "{Sx*4} {Sx*4}" }, "-*8", .with = { IN_SWAP_CACHE(BIT(0)) } },
	{ "8 small folios, every other one in the swap cache: all cleared",
	  { "{Sx}*8" }, "-*8", .with = { IN_SWAP_CACHE(0xaa) } },
	{ "64K folio in the swap cache, first 12 pages: cleared, folio stays in the swap cache",
	  { "{| Sx*12 | Sx*4}" }, "{-*12 Sx*4}", .with = { IN_SWAP_CACHE(BIT(0)) } },
	{ "64K folio mapped by parent and child, middle 4 pages: cleared in the parent",
	  { "{S*8 | S*4 | S*4}", .twice = true }, "S*8 -*4 S*4" },
	{ "64K folio mapped by parent and child, pages 4 to 7 only by the parent: cleared",
	  { "{S*16}", .twice = true }, "-*16",
	  .with = { IN_SWAP_CACHE(0), CHILD_LACKS(4, 4) } },
};

KUNIT_ARRAY_PARAM_DESC(free_rows, free_rows, name);

/* A folio leaves the swap cache with the last of its swap entries. */
static void check_cached(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_row *is = &trial->after.row;
	unsigned long cached = row->with[0].value;
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
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;
	const struct ptebatch_op *only = row.op;
	unsigned int i;

	row.setup.prot = RW;
	row.setup.folios |= WITH_SWAP;
	row.check = check_cached;
	if (!row.with[0].type)
		row.with[0] = (struct ptebatch_condition)IN_SWAP_CACHE(0);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		bool frees = ops[i] == free, only_frees = only == free;

		row.op = ops[i];
		if (only && frees != only_frees)
			continue;
		if (!ptebatch_case_run(test, &row))
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
