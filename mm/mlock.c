// SPDX-License-Identifier: GPL-2.0
/*
 * mlock_pte_range() handles the entries of a large folio in one batch. It
 * mlocks a large folio only if the range maps all its pages within one page
 * table, and munlocks a large folio if the range maps any of its pages.
 *
 * Pages in swap are mlocked when a fault or swapoff() makes them present.
 *
 * There is no twin: with batches of one, mlock() would never mlock a large
 * folio, and munlock() would decrement mlock_count once a page. Instead, each
 * row gives the expected mlock_count of each folio, and lockable() derives it
 * from the entries.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/syscall.h"
#include "../lib/op/advise.h"
#include "../lib/record/stat.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/space/refs.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mlock));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mlock2));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(munlock));

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * enum step - a system call
 * @DONE: no further system call
 * @PAGEOUT: MADV_PAGEOUT of the range
 * @LOCK: mlock() of the range, which faults in all pages
 * @ONFAULT: mlock2(MLOCK_ONFAULT) of the range, which faults in no page
 * @ONFAULT_ALL: mlock2(MLOCK_ONFAULT) of the whole row
 * @ONFAULT_SECOND: mlock2(MLOCK_ONFAULT) of the range in the second mapping
 * @UNLOCK: munlock() of the range
 * @UNLOCK_ALL: munlock() of the whole row
 * @UNLOCK_SECOND: munlock() of the range in the second mapping
 * @SWAPOFF: swapoff(), which makes all pages in swap present, and swapon()
 */
enum step {
	DONE,
	PAGEOUT,
	LOCK,
	ONFAULT,
	ONFAULT_ALL,
	ONFAULT_SECOND,
	UNLOCK,
	UNLOCK_ALL,
	UNLOCK_SECOND,
	SWAPOFF,
};

#define STEPS	4

/**
 * struct mlock_row - a case of mlock()
 * @c: the case
 * @steps: the system calls, in order
 * @locks: a character for each folio: its expected mlock_count, or "-" if it is freed;
 *         new folios follow
 */
struct mlock_row {
	struct ptebatch_case c;
	enum step steps[STEPS];
	const char *locks;
};

static bool covers_row(enum step step)
{
	return step == ONFAULT_ALL || step == UNLOCK_ALL;
}

static bool in_second_mapping(enum step step)
{
	return step == ONFAULT_SECOND || step == UNLOCK_SECOND;
}

static bool changes_vma(enum step step)
{
	return step != PAGEOUT && step != SWAPOFF;
}

static bool unlocks(enum step step)
{
	return step == UNLOCK || step == UNLOCK_ALL || step == UNLOCK_SECOND;
}

static long run_step(struct ptebatch_space *space, enum step step)
{
	const struct ptebatch_place *place = &space->places[in_second_mapping(step)];
	const struct ptebatch_row *row = &space->row;
	unsigned int from = covers_row(step) ? 0 : row->from;
	unsigned int to = covers_row(step) ? row->nr : row->to;
	ptebatch_syscall_t call = unlocks(step) ? PTEBATCH_SYSCALL(munlock) :
				  step == LOCK ? PTEBATCH_SYSCALL(mlock) :
				  PTEBATCH_SYSCALL(mlock2);
	const struct ptebatch_op *pageout = &ptebatch_advices[PTEBATCH_PAGEOUT];

	if (step == PAGEOUT)
		return pageout->call(pageout, space, false);
	if (step == SWAPOFF)
		return ptebatch_swap_cycle();
	return ptebatch_syscall_in(place->mm, call, place->start + from * PAGE_SIZE,
				   (to - from) * PAGE_SIZE, MLOCK_ONFAULT, 0, 0);
}

/* The argument points to the steps. */
static long run_steps(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const enum step *steps = (const enum step *)op->arg;
	unsigned int i;
	long err = 0;

	for (i = 0; i < STEPS && steps[i] != DONE && !err; i++)
		err = run_step(space, steps[i]);
	/* Small folios are added to a per-CPU batch first. */
	lru_add_drain_all();
	return err;
}

static const struct ptebatch_op mlock_op = {
	.name = "mlock()", .function = "mlock()", .call = run_steps,
	.vma_flags = VM_LOCKED_MASK,
};

/* The entries of the first mapping that the steps leave in a locked VMA. */
static void mark_locked(unsigned long *locked, const struct ptebatch_row *row,
			const enum step *steps)
{
	unsigned int i, from, nr;

	bitmap_zero(locked, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < STEPS && steps[i] != DONE; i++) {
		from = covers_row(steps[i]) ? 0 : row->from;
		nr = covers_row(steps[i]) ? row->nr : row->to - row->from;
		if (in_second_mapping(steps[i]) || !changes_vma(steps[i]))
			continue;
		if (unlocks(steps[i]))
			bitmap_clear(locked, from, nr);
		else
			bitmap_set(locked, from, nr);
	}
}

static void expect_vmas(const struct ptebatch_trial *trial,
			const struct mlock_row *row)
{
	struct mm_struct *mm = trial->place->mm;
	const struct ptebatch_row *drawn = &trial->space->row;
	unsigned int i, wrong = 0, pages;
	unsigned long *locked;

	locked = kunit_kcalloc(trial->test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
			       sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, locked);
	mark_locked(locked, drawn, row->steps);
	pages = bitmap_weight(locked, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < STEPS; i++)
		if (row->steps[i] == ONFAULT_SECOND)
			pages += drawn->to - drawn->from;
		else if (row->steps[i] == UNLOCK_SECOND)
			pages -= drawn->to - drawn->from;

	mmap_read_lock(mm);
	for (i = 0; i < drawn->nr; i++) {
		struct vm_area_struct *vma =
			vma_lookup(mm, ptebatch_addr(trial->space, i));

		wrong += !!(vma->vm_flags & VM_LOCKED) != test_bit(i, locked) ||
			 vma->vm_flags & VM_IO;
	}
	mmap_read_unlock(mm);
	KUNIT_EXPECT_EQ_MSG(trial->test, wrong, 0,
			    "%s leaves %u pages in a VMA with wrong VM_LOCKED or VM_IO",
			    trial->function, wrong);
	KUNIT_EXPECT_EQ_MSG(trial->test, mm->locked_vm, pages,
			    PTEBATCH_RULE_ACCOUNTING
			    ": after %s, locked_vm is %lu pages, expected %u",
			    trial->function, mm->locked_vm, pages);
	kunit_kfree(trial->test, locked);
}

static bool accessible(const struct ptebatch_entry *entry)
{
	return entry->kind != PTEBATCH_PROTNONE;
}

/*
 * Does mlock() of the range, or of @all the row, mlock @folio? The range must
 * map all pages of the folio, in order, within one page table and one VMA, and
 * the entries must agree in the bits that end a batch.
 */
static bool lockable(const struct ptebatch_row *row, s16 folio, bool all)
{
	unsigned int i, nr = 0, pages = 1U << row->folios[folio].order;
	const struct ptebatch_entry *first = NULL;

	for (i = all ? 0 : row->from; i < (all ? row->nr : row->to); i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (entry->folio != folio || !ptebatch_entry_normal(entry))
			continue;
		if (!first)
			first = entry;
		else if ((row->first + i) % PTRS_PER_PTE == 0 ||
			 test_bit(i, row->vma_starts) || entry != first + nr)
			return false;
		if (pages > 1 && entry->page != nr)
			return false;
		if ((entry->flags ^ first->flags) & PTEBATCH_UFFD)
			return false;
		if (accessible(entry) != accessible(first))
			return false;
		nr++;
	}
	return nr == pages;
}

static void expect_folio(const struct ptebatch_trial *trial,
			 const struct mlock_row *row, unsigned int i)
{
	struct folio *folio = trial->space->folios[i];
	unsigned int locks = row->locks[i] - '0';
	struct kunit *test = trial->test;

	KUNIT_EXPECT_EQ_MSG(test, ptebatch_folio_gone(trial->space, i), row->locks[i] == '-',
			    "%s: folio %u is freed", trial->function, i);
	if (ptebatch_folio_gone(trial->space, i) || row->locks[i] == '-')
		return;
	KUNIT_EXPECT_EQ_MSG(test, folio_test_mlocked(folio), locks > 0,
			    "%s: PG_mlocked of folio %u", trial->function, i);
	KUNIT_EXPECT_EQ_MSG(test, folio_test_unevictable(folio), locks > 0,
			    "%s: PG_unevictable of folio %u", trial->function,
			    i);
	KUNIT_EXPECT_EQ_MSG(test, folio_test_lru(folio), !(row->c.setup.folios & COHERENT),
			    "%s: PG_lru of folio %u", trial->function, i);
	if (locks && folio_test_unevictable(folio))
		KUNIT_EXPECT_EQ_MSG(test, folio->mlock_count, locks,
				    "%s: mlock_count of folio %u is %u, expected %u",
				    trial->function, i, folio->mlock_count,
				    locks);
	if (row->steps[1] == DONE && !unlocks(row->steps[0]) && !(row->c.setup.folios & COHERENT))
		KUNIT_EXPECT_EQ_MSG(test,
				    lockable(&trial->before.row, i,
					     covers_row(row->steps[0])),
				    locks,
				    "lockable() disagrees with the row's mlock_count of folio %u",
				    i);
}

static void expect_folios(const struct ptebatch_trial *trial,
			  const struct mlock_row *row)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(trial->test, strlen(row->locks),
			    space->row.nr_folios,
			    "the case needs a character in @locks for each folio");
	for (i = 0; i < space->row.nr_folios; i++)
		expect_folio(trial, row, i);
}

static bool check_row(struct kunit *test, const struct mlock_row *row)
{
	struct ptebatch_case run = row->c;
	long before = ptebatch_nr_mlock();
	struct ptebatch_trial *trial;
	bool passes = true;

	run.op = &mlock_op;
	run.arg = (unsigned long)row->steps;
	if (!(run.setup.folios & COHERENT))
		run.setup.folios |= ON_LRU;
	trial = ptebatch_case_try(test, &run, false, &passes);
	expect_vmas(trial, row);
	if (passes)
		expect_folios(trial, row);

	ptebatch_trial_release(trial);
	KUNIT_EXPECT_EQ_MSG(test, ptebatch_nr_mlock(), before,
			    PTEBATCH_RULE_ACCOUNTING ": NR_MLOCK after teardown, in pages");
	return passes;
}

static const struct mlock_row rows[] = {
	/* The page table disappears before it is locked. */
	{ { "corrupt PMD: cleared and reported, only the folio of the next page table mlocked",
	    { "@-1 Wdyx {Wdyx*16}", .prot = RW }, .with = { BAD_PMD } },
	  { ONFAULT }, "01" },

	/* The PMD changes before the page table is locked. */
	{ { "PMD changes before the lock: looked at again, both folios mlocked",
	    { "Wdyx {Wdyx*16}", .prot = RW }, .with = { TABLE_LOST } },
	  { ONFAULT }, "11" },

	/* Whole folios. */
	{ { "64K folio, mlock(): mlocked", { "{Wdyx*16}", .prot = RW } },
	  { LOCK }, "1" },
	{ { "64K folio, MLOCK_ONFAULT: mlocked", { "{Wdyx*16}", .prot = RW } },
	  { ONFAULT }, "1" },
	{ { "64K folio, all pages shared: mlocked", { "{Rdy*16}", .prot = RO } },
	  { LOCK }, "1" },
	{ { "small folios with a hole between: all mlocked",
	    { "Wdyx*3 -*2 Rdy Wyx", .prot = RW } }, { ONFAULT }, "11111" },
	{ { "40 small folios, more than a per-CPU batch holds: all mlocked",
	    { "Wdyx*40", .prot = RW } },
	  { LOCK }, "1111111111111111111111111111111111111111" },
	{ { "folios of orders 5, 0, 1 and 3: all mlocked",
	    { "{Rdy*32} - Wdyx {Wdyx*2} {Wdyx*8}", .prot = RW } },
	  { ONFAULT }, "1111" },
	{ { "two physically adjacent 64K folios: both mlocked",
	    { "{Wdyx*16} +{Wdyx*16}", .prot = RW } }, { LOCK }, "11" },
	{ { "64K folio at an unaligned address: mlocked",
	    { "@5 {Wdyx*16}", .prot = RW } }, { LOCK }, "1" },
	{ { "64K folio between empty entries: mlocked",
	    { "-*8 {Wdyx*16} -*8", .prot = RW } }, { ONFAULT_ALL }, "1" },
	{ { "64K folio, write, dirty, young and exclusive bits differ: mlocked",
	    { "{Wdyx*4 Rdyx*3 Rdy*3 Rx*6}", .prot = RW } }, { ONFAULT }, "1" },
	{ { "64K folio, PROT_NONE: mlocked", { "{Ndyx*16}", .prot = PROT_NONE } },
	  { ONFAULT }, "1" },

	/* Parts of folios are not mlocked. */
	{ { "zero page and KSM page around a 64K folio: folio and KSM page mlocked",
	    { "Rzy {Wdyx*16} Rz Rdyk", .prot = RW } }, { ONFAULT }, "11" },
	{ { "64K folio, zero page in its middle: not mlocked",
	    { "{Wdyx*4 Rzy*4 Wdyx*8}", .prot = RW } }, { ONFAULT }, "0" },
	{ { "middle 6 pages of a 64K folio: not mlocked",
	    { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW } }, { LOCK }, "0" },
	{ { "all but the first page of a 64K folio: not mlocked",
	    { "{Wdyx | Wdyx*15} |", .prot = RW } }, { LOCK }, "0" },
	{ { "all but the last page of a 64K folio: not mlocked",
	    { "| {Wdyx*15 | Wdyx}", .prot = RW } }, { LOCK }, "0" },
	{ { "64K folio and parts of the folios around it: only the whole one mlocked",
	    { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW } },
	  { LOCK }, "010" },
	{ { "parts of two physically adjacent 64K folios: neither mlocked",
	    { "{Wdyx*12 | Wdyx*4} +{Wdyx*4 | Wdyx*12}", .prot = RW } },
	  { LOCK }, "00" },
	{ { "64K folio without its first 5 pages, small folio: only the small one mlocked",
	    { "{.*5 Wdyx*11} Wdyx", .prot = RW } }, { LOCK }, "01" },
	{ { "first 5 pages of a 64K folio, small folio: only the small one mlocked",
	    { "{Wdyx*5 .*11} Wdyx", .prot = RW } }, { LOCK }, "01" },
	{ { "64K folio with a hole of 4 pages: not mlocked",
	    { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW } }, { ONFAULT }, "0" },
	{ { "64K folio mapped out of order: not mlocked",
	    { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW } },
	  { ONFAULT }, "0" },
	{ { "64K folio, one entry PROT_NONE, small folio: only the small one mlocked",
	    { "{Wdyx*8 Ndyx Wdyx*7} Wdyx", .prot = RW } }, { ONFAULT }, "01" },
	{ { "64K folio half uffd-wp, 64K folio all uffd-wp: only the second mlocked",
	    { "{Rdyux*8 Wdyx*8} {Rdyux*16}", .prot = RW, .uffd = UFFD_WP } },
	  { ONFAULT }, "01" },

	/* Page table boundaries. */
	{ { "64K folio across a page table boundary: not mlocked",
	    { "@-8 {Wdyx*16}", .prot = RW } }, { LOCK }, "0" },
	{ { "64K folios on both sides of a page table boundary: both mlocked",
	    { "@-16 {Wdyx*16} {Wdyx*16}", .prot = RW } }, { LOCK }, "11" },
	{ { "two 64K folios, a missing page table between: both mlocked",
	    { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW } }, { ONFAULT }, "11" },
	{ { "2M folio mapped by PTEs: mlocked", { "{Wdyx*T}", .prot = RW } },
	  { LOCK }, "1" },
	{ { "2M folio across a page table boundary: not mlocked",
	    { "@T/2 {Wdyx*T}", .prot = RW } }, { LOCK }, "0" },

	/* VMA boundaries. */
	{ { "64K folio in two VMAs: not mlocked", { "{Wdyx*8 ; Wdyx*8}", .prot = RW } },
	  { LOCK }, "0" },
	{ { "64K folios in a VMA each: both mlocked",
	    { "{Wdyx*16} ; {Wdyx*16}", .prot = RW } }, { LOCK }, "11" },

	/* Entries that map no page. */
	{ { "64K folio between swap entries: mlocked",
	    { "S*2 {Wdyx*16} Sx", .prot = RW } }, { ONFAULT }, "1" },
	{ { "64K folio half in swap, mapped 64K folio: only the mapped one mlocked",
	    { "{Wdyx*8 Sx*8} {Wdyx*16}", .prot = RW, .folios = WITH_SWAP } },
	  { ONFAULT }, "01" },
	{ { "64K folio with migration entries, mapped 64K folio: only the mapped one mlocked",
	    { "{Mw*4 Mx*4 M*4 Wdyx*4} {Wdyx*16}", .prot = RW } }, { ONFAULT }, "01" },
	{ { "64K folio between guards and poison: mlocked",
	    { "G*2 {Wdyx*16} P", .prot = RW } }, { ONFAULT }, "1" },

	/* Pages in swap become present. */
	{ { "small folio paged out, mlock(): read from swap, mlocked",
	    { "Wdyx", .prot = RW }, "~Wdyx", .filled = true }, { PAGEOUT, LOCK }, "-1" },
	{ { "small folio paged out, read-only VMA, mlock(): read from swap, mlocked",
	    { "Rdyx", .prot = RO }, "~Ryx", .filled = true }, { PAGEOUT, LOCK }, "-1" },
	{ { "small folio paged out, mlock(), munlock(): read from swap, not mlocked",
	    { "Wdyx", .prot = RW }, "~Wdyx", .filled = true }, { PAGEOUT, LOCK, UNLOCK }, "-0" },
	{ { "64K folio paged out, mlock(): read from swap as a 64K folio, mlocked",
	    { "{Wdyx*16}", .prot = RW }, "~{Wdyx*16}", .filled = true,
	    .with = { ANON_ORDERS(BIT(4)) } }, { PAGEOUT, LOCK }, "-1" },
	{ { "small folio paged out, MLOCK_ONFAULT, swapoff(): read from swap, mlocked",
	    { "Wdyx", .prot = RW }, "~Rx", .filled = true }, { PAGEOUT, ONFAULT, SWAPOFF }, "-1" },

	/* Files, and folios mapped twice: each VMA adds 1 to mlock_count. */
	{ { "64K file folio: mlocked", { "{Ry*16}", PTEBATCH_FILE, RO } },
	  { LOCK }, "1" },
	{ { "64K shmem folio: mlocked", { "{Wdy*16}", PTEBATCH_SHMEM, RW } },
	  { LOCK }, "1" },
	{ { "middle 9 pages of a 64K shmem folio: not mlocked",
	    { "{Wdy*3 | Wdy*9 | Wdy*4} {Wdy*16}", PTEBATCH_SHMEM, RW } },
	  { LOCK }, "00" },
	{ { "private file mapping, file folio and anonymous folio: both mlocked",
	    { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW } }, { ONFAULT }, "11" },
	{ { "64K folio after a fork, parent locks: mlock_count 1",
	    { "{Wdyx*16}", .prot = RW, .twice = true } }, { ONFAULT }, "1" },
	{ { "64K shmem folio in two VMAs, one locks: mlock_count 1",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true } }, { ONFAULT }, "1" },
	{ { "shmem folios in two VMAs, both lock: mlock_count 2",
	    { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true } },
	  { ONFAULT, ONFAULT_SECOND }, "22" },
	{ { "shmem folios in two VMAs, both lock, one unlocks: mlock_count 1",
	    { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true } },
	  { ONFAULT, ONFAULT_SECOND, UNLOCK }, "11" },
	{ { "shmem folios in two VMAs, both lock, both unlock: not mlocked",
	    { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true } },
	  { ONFAULT, ONFAULT_SECOND, UNLOCK, UNLOCK_SECOND }, "00" },
	{ { "small file folios in two VMAs, both lock, second unlocks: mlock_count 1",
	    { "Ry*3", PTEBATCH_FILE, RO, .twice = true } },
	  { LOCK, ONFAULT_SECOND, UNLOCK_SECOND }, "111" },

	/* Repeated: a VMA that is locked already adds nothing. */
	{ { "mlock() twice: mlock_count 1", { "{Wdyx*16} Wdyx", .prot = RW } },
	  { LOCK, LOCK }, "11" },
	{ { "MLOCK_ONFAULT, then mlock(): mlock_count 1",
	    { "{Wdyx*16} Wdyx", .prot = RW } }, { ONFAULT, LOCK }, "11" },
	{ { "mlock() of a folio, then of its middle: mlock_count 1",
	    { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW } },
	  { ONFAULT_ALL, LOCK }, "1" },
	{ { "mlock() of half a folio, then of all: not mlocked, small folio mlock_count 1",
	    { "{Wdyx*8 | Wdyx*8} Wdyx |", .prot = RW } },
	  { ONFAULT, ONFAULT_ALL }, "01" },

	/* munlock(): any part of a folio munlocks the folio. */
	{ { "mlock(), munlock(): not mlocked", { "{Wdyx*16} Wdyx", .prot = RW } },
	  { LOCK, UNLOCK }, "00" },
	{ { "mlock(), munlock(), mlock(): mlock_count 1",
	    { "{Wdyx*16} Wdyx", .prot = RW } }, { LOCK, UNLOCK, LOCK }, "11" },
	{ { "munlock() without mlock(): not mlocked",
	    { "{Wdyx*16} Wdyx", .prot = RW } }, { UNLOCK_ALL }, "00" },
	{ { "munlock() of the middle of a folio: not mlocked, next folio stays mlocked",
	    { "{Wdyx*4 | Wdyx*8 | Wdyx*4} {Wdyx*16}", .prot = RW } },
	  { ONFAULT_ALL, UNLOCK }, "01" },
	{ { "munlock() of the first page of a folio: not mlocked, next folio stays mlocked",
	    { "| {Wdyx | Wdyx*15} {Wdyx*16}", .prot = RW } },
	  { ONFAULT_ALL, UNLOCK }, "01" },
	{ { "munlock() of the last page of a folio: not mlocked, previous folio stays mlocked",
	    { "{Wdyx*16} {Wdyx*15 | Wdyx} |", .prot = RW } },
	  { ONFAULT_ALL, UNLOCK }, "10" },
	{ { "munlock() of the second of three folios: the outer two stay mlocked",
	    { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW } },
	  { ONFAULT_ALL, UNLOCK }, "101" },
	{ { "munlock() of 2 of 7 small folios: the outer 5 stay mlocked",
	    { "Wdyx*3 | Wdyx*2 | Wdyx*2", .prot = RW } },
	  { ONFAULT_ALL, UNLOCK }, "1110011" },

	/* Rule 16 (PMD). The fault of mlock() makes the PMD soft-dirty. */
	{ { "PMD-mapped folio, mlock(): mlocked", { "[Wdyx]", .prot = RW }, "[Wdyx]" },
	  { LOCK }, "1" },
	{ { "PMD-mapped folio, MLOCK_ONFAULT: mlocked", { "[Wdyx]", .prot = RW } },
	  { ONFAULT }, "1" },
	{ { "PMD-mapped shmem folio, mlock(): mlocked",
	    { "[Wdy]", PTEBATCH_SHMEM, RW } }, { LOCK }, "1" },
	{ { "PMD-mapped folio, MLOCK_ONFAULT, munlock(): not mlocked",
	    { "[Wdyx]", .prot = RW } }, { ONFAULT, UNLOCK }, "0" },
	{ { "PMD-mapped shmem folio in two VMAs, both lock: mlock_count 2",
	    { "[Wdy]", PTEBATCH_SHMEM, RW, .twice = true } },
	  { ONFAULT, ONFAULT_SECOND }, "2" },
	{ { "middle half of a PMD-mapped folio, mlock(): PMD split, not mlocked",
	    { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW }, "{Wdyx*T}" },
	  { LOCK }, "0" },
	{ { "PMD-mapped folio, munlock() of its middle half: PMD split, not mlocked",
	    { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW }, "{Wdyx*T}" },
	  { ONFAULT_ALL, UNLOCK }, "0" },
	{ { "PMD migration entry and 64K folio, MLOCK_ONFAULT: only the 64K folio mlocked",
	    { "[Mx] {Wdyx*16}", .prot = RW } }, { ONFAULT }, "01" },
	{ { "PMD migration entry and 64K folio, MLOCK_ONFAULT, munlock(): not mlocked",
	    { "[Mw] {Wdyx*16}", .prot = RW } }, { ONFAULT, UNLOCK }, "00" },
	{ { "huge zero page and 64K folio, MLOCK_ONFAULT: only the 64K folio mlocked",
	    { "[Rzy] {Wdyx*16}", .prot = RW } }, { ONFAULT }, "1" },
	/* Device memory is never reclaimed. */
	{ { "64K folio in device-coherent memory, MLOCK_ONFAULT: not mlocked",
	    { "{Wdyx*16}", .prot = RW, .folios = COHERENT } }, { ONFAULT }, "0" },
	{ { "PMD-mapped folio in device-coherent memory, MLOCK_ONFAULT: not mlocked",
	    { "[Wdyx]", .prot = RW, .folios = COHERENT } }, { ONFAULT }, "0" },
	{ { "PMD-mapped folio between two PTE-mapped folios: all mlocked",
	    { "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .prot = RW } }, { ONFAULT }, "111" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

/* The reason to skip a row that pages out, %NULL if the kernel can run it. */
static const char *pageout_missing(const struct mlock_row *row)
{
	if (ptebatch_swap_missing())
		return ptebatch_swap_missing();
	if (ptebatch_swap_used() < 0)
		return "swapoff(): not in the machine's swap space";
	if (strchr(row->c.setup.picture, '{') && !IS_ENABLED(CONFIG_THP_SWAP))
		return "no large folios in swap without CONFIG_THP_SWAP";
	return NULL;
}

static void mlock_row(struct kunit *test)
{
	const struct mlock_row *row = test->param_value;

	if (row->steps[0] == PAGEOUT && pageout_missing(row))
		kunit_skip(test, "%s", pageout_missing(row));
	check_row(test, row);
}

/* Every order, and each range of ptebatch_each_range(). */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *token;
} kinds[] = {
	{ "anonymous folio, whole and parts: mlocked only as a whole",
	  { .prot = RW }, "Wdyx" },
	{ "file folio, whole and parts: mlocked only as a whole",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy" },
	{ "shmem folio, whole and parts: mlocked only as a whole",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

PTEBATCH_ORDER_PARAMS(mlock_order, kinds);

static bool check_range(struct kunit *test, const void *data, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = data;
	struct mlock_row row = {
		.c = { .setup = kind->setup },
		.steps = { LOCK },
		.locks = to - from == nr ? "1" : "0",
	};

	row.c.setup.picture = ptebatch_draw_range(test, nr, from, to, kind->token,
						  kind->token);
	if (!check_row(test, &row))
		return false;
	row.steps[0] = ONFAULT_ALL;
	row.steps[1] = UNLOCK;
	row.locks = "0";
	return check_row(test, &row);
}

static void mlock_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

/* A call that fails mlocks nothing. */

static const struct refusal {
	const char *name;
	ptebatch_syscall_t call;
	long offset;		/* of the range from the row, in bytes */
	unsigned long bytes;
	unsigned long flags;
	bool no_memlock;	/* RLIMIT_MEMLOCK=0, no CAP_IPC_LOCK */
	int err;
} refusals[] = {
	{ "mlock2() of an unmapped range: -ENOMEM",
	  PTEBATCH_SYSCALL(mlock2), -3 * (long)PMD_SIZE,
	  .bytes = PAGE_SIZE, .flags = MLOCK_ONFAULT, .err = -ENOMEM },
	{ "mlock2() with unknown flags: -EINVAL",
	  PTEBATCH_SYSCALL(mlock2), 0, .bytes = PAGE_SIZE, .flags = ~0UL, .err = -EINVAL },
	{ "mlock2(), end of the range overflows: -EINVAL",
	  PTEBATCH_SYSCALL(mlock2), 0,
	  .bytes = -PMD_SIZE, .flags = MLOCK_ONFAULT, .err = -EINVAL },
	{ "mlock() with RLIMIT_MEMLOCK=0 without CAP_IPC_LOCK: -EPERM",
	  PTEBATCH_SYSCALL(mlock), 0, .bytes = PAGE_SIZE,
	  .no_memlock = true, .err = -EPERM },
	{ "munlock() of an unmapped range: -ENOMEM", PTEBATCH_SYSCALL(munlock),
	  -3 * (long)PMD_SIZE, .bytes = PAGE_SIZE, .err = -ENOMEM },
};

KUNIT_ARRAY_PARAM_DESC(refusals, refusals, name);

static void mlock_refusal(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*16}", .prot = RW, .folios = ON_LRU,
	};
	static const struct mlock_row nothing = { .locks = "0" };
	const struct refusal *refusal = test->param_value;
	typeof(ptebatch_syscall_in) *call =
		refusal->no_memlock ? ptebatch_syscall_no_memlock :
				      ptebatch_syscall_in;
	struct ptebatch_trial *trial;
	long ret;

	trial = ptebatch_trial_begin(test, "mlock()", &setup);
	ret = call(trial->place->mm, refusal->call,
		   trial->place->start + refusal->offset, refusal->bytes,
		   refusal->flags, 0, 0);
	KUNIT_EXPECT_EQ_MSG(test, ret, refusal->err,
			    "system call returns %ld, expected %d", ret,
			    refusal->err);
	lru_add_drain_all();
	ptebatch_trial_end(trial);
	ptebatch_trial_untouched(trial);
	expect_vmas(trial, &nothing);
	KUNIT_EXPECT_FALSE(test, folio_test_mlocked(trial->space->folios[0]));
}

static struct kunit_case mlock_cases[] = {
	KUNIT_CASE_PARAM(mlock_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(mlock_order),
	KUNIT_CASE_PARAM(mlock_refusal, refusals_gen_params),
	{}
};

PTEBATCH_SUITE(mlock, mlock_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_COHERENT_DEVICE);
