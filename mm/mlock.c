// SPDX-License-Identifier: GPL-2.0
/*
 * mlock_pte_range() steps over the entries of a large folio in one go: once
 * for the folio, not for each page. It mlocks a large folio only if all of it
 * is mapped in the range, within a page table, and munlocks it by any part.
 *
 * There is no twin here. Batches of one page are never the whole of a large
 * folio, so one at a time mlock() would not mlock any, and munlock() would
 * take back for each page what was given for the folio. What counts is what
 * the rows say of each folio, and an entry at a time the rule itself.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "internal.h"

#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/syscall.h"
#include "../lib/trial.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mlock));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mlock2));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(munlock));

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * enum step - a system call
 * @DONE: none any more
 * @LOCK: mlock() of the range, which touches all of it
 * @ONFAULT: mlock2(MLOCK_ONFAULT) of the range, which touches nothing
 * @ONFAULT_ALL: the same of the row
 * @ONFAULT_SECOND: the same of the range where it is mapped a second time
 * @UNLOCK: munlock() of the range
 * @UNLOCK_ALL: the same of the row
 * @UNLOCK_SECOND: the same of the range where it is mapped a second time
 */
enum step {
	DONE,
	LOCK,
	ONFAULT,
	ONFAULT_ALL,
	ONFAULT_SECOND,
	UNLOCK,
	UNLOCK_ALL,
	UNLOCK_SECOND,
};

#define STEPS	4

/**
 * struct mlock_row - a case of mlock()
 * @name: of the case
 * @setup: the address space
 * @steps: what is done, in this order
 * @locks: a digit for each folio: how many VMAs it is mlocked for then
 * @after: the row then, where it does not stay the same to the bit
 */
struct mlock_row {
	const char *name;
	struct ptebatch_setup setup;
	enum step steps[STEPS];
	const char *locks;
	const char *after;
};

/* Zones of a row's folios, each by the first folio in it. */
static bool new_zone(const struct ptebatch_space *space, unsigned int i)
{
	struct zone *zone = folio_zone(space->folios[i]);
	unsigned int first = 0;

	while (folio_zone(space->folios[first]) != zone)
		first++;
	return first == i;
}

#define ZONES	8

/**
 * struct mlocked - what the zones of a row's folios count as mlocked
 * @zone: these zones
 * @nr: how many there are
 * @pages: what they count together
 */
struct mlocked {
	struct zone *zone[ZONES];
	unsigned int nr;
	unsigned long pages;
};

static unsigned long count_mlocked(const struct mlocked *mlocked)
{
	unsigned long pages = 0;
	unsigned int i;

	for (i = 0; i < mlocked->nr; i++)
		pages += zone_page_state_snapshot(mlocked->zone[i], NR_MLOCK);
	return pages;
}

static void read_mlocked(struct mlocked *mlocked,
			 const struct ptebatch_space *space)
{
	unsigned int i;

	mlocked->nr = 0;
	for (i = 0; i < space->row.nr_folios; i++) {
		if (!new_zone(space, i))
			continue;
		KUNIT_ASSERT_LT(space->test, mlocked->nr, ZONES);
		mlocked->zone[mlocked->nr++] = folio_zone(space->folios[i]);
	}
	mlocked->pages = count_mlocked(mlocked);
}

static bool of_all(enum step step)
{
	return step == ONFAULT_ALL || step == UNLOCK_ALL;
}

static bool of_second(enum step step)
{
	return step == ONFAULT_SECOND || step == UNLOCK_SECOND;
}

static bool unlocks(enum step step)
{
	return step == UNLOCK || step == UNLOCK_ALL || step == UNLOCK_SECOND;
}

static void take_step(struct ptebatch_trial *trial, enum step step)
{
	const struct ptebatch_place *place =
		&trial->space->places[of_second(step)];
	const struct ptebatch_row *row = &trial->space->row;
	unsigned int from = of_all(step) ? 0 : row->from;
	unsigned int to = of_all(step) ? row->nr : row->to;
	ptebatch_syscall_t call = unlocks(step) ? PTEBATCH_SYSCALL(munlock) :
				  step == LOCK ? PTEBATCH_SYSCALL(mlock) :
				  PTEBATCH_SYSCALL(mlock2);
	long ret;

	ret = ptebatch_syscall_in(place->mm, call,
				  place->start + from * PAGE_SIZE,
				  (to - from) * PAGE_SIZE, MLOCK_ONFAULT, 0, 0);
	KUNIT_EXPECT_EQ_MSG(trial->test, ret, 0, "%s failed", trial->who);
}

/* What the row's first place has of locked address space. */
static void mark_locked(unsigned long *locked, const struct ptebatch_row *row,
			const enum step *steps)
{
	unsigned int i, from, nr;

	bitmap_zero(locked, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < STEPS && steps[i] != DONE; i++) {
		from = of_all(steps[i]) ? 0 : row->from;
		nr = of_all(steps[i]) ? row->nr : row->to - row->from;
		if (of_second(steps[i]))
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
			    "%s leaves %u pages in the wrong VMA", trial->who,
			    wrong);
	KUNIT_EXPECT_EQ_MSG(trial->test, mm->locked_vm, pages,
			    "rule 7: %s does not count what is locked",
			    trial->who);
	kunit_kfree(trial->test, locked);
}

static bool accessible(const struct ptebatch_entry *entry)
{
	return entry->kind != PTEBATCH_PROTNONE;
}

/*
 * The rule, for a folio that nobody has mlocked yet: are all of its pages in
 * the range, in a row, in one page table and alike but for what a batch does
 * not care for?
 */
static bool lockable(const struct ptebatch_row *row, s16 folio, bool all)
{
	unsigned int i, nr = 0, pages = 1U << row->folios[folio].order;
	const struct ptebatch_entry *first = NULL;

	for (i = all ? 0 : row->from; i < (all ? row->nr : row->to); i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (entry->folio != folio || !ptebatch_entry_present(entry))
			continue;
		if (!first)
			first = entry;
		else if ((row->first + i) % PTRS_PER_PTE == 0 ||
			 entry != first + nr)
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

	KUNIT_EXPECT_EQ_MSG(test, folio_test_mlocked(folio), locks > 0,
			    "%s: folio %u", trial->who, i);
	KUNIT_EXPECT_EQ_MSG(test, folio_test_unevictable(folio), locks > 0,
			    "%s: folio %u", trial->who, i);
	KUNIT_EXPECT_TRUE_MSG(test, folio_test_lru(folio),
			      "%s takes folio %u from the LRU list",
			      trial->who, i);
	if (locks && folio_test_unevictable(folio))
		KUNIT_EXPECT_EQ_MSG(test, folio->mlock_count, locks,
				    "%s: folio %u", trial->who, i);
	if (row->steps[1] == DONE && !unlocks(row->steps[0]))
		KUNIT_EXPECT_EQ_MSG(test,
				    lockable(&trial->before.row, i,
					     of_all(row->steps[0])),
				    locks,
				    "the rule says something else of folio %u",
				    i);
}

static void expect_folios(const struct ptebatch_trial *trial,
			  const struct mlock_row *row,
			  const struct mlocked *before)
{
	const struct ptebatch_space *space = trial->space;
	unsigned long pages = 0;
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(trial->test, strlen(row->locks),
			    space->row.nr_folios,
			    "a digit for each folio is needed");
	for (i = 0; i < space->row.nr_folios; i++) {
		if (!ptebatch_failed(trial->test))
			expect_folio(trial, row, i);
		pages += folio_test_mlocked(space->folios[i]) ?
			 folio_nr_pages(space->folios[i]) : 0;
	}
	KUNIT_EXPECT_EQ_MSG(trial->test, count_mlocked(before) - before->pages,
			    pages, "rule 7: NR_MLOCK");
}

/* Nothing that mlock() does is done to an entry. */
static void expect_same_entries(const struct ptebatch_trial *trial)
{
	unsigned int i, differ = 0;

	for (i = 0; i < trial->before.nr; i++)
		differ += !pte_same(trial->before.raw[i], trial->after.raw[i]);
	KUNIT_EXPECT_EQ_MSG(trial->test, differ, 0, "%s changes %u entries",
			    trial->who, differ);
}

static void check_row(struct kunit *test, const struct mlock_row *row)
{
	struct ptebatch_setup *setup;
	struct ptebatch_trial *trial;
	struct mlocked before;
	unsigned int i;

	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = row->setup;
	setup->lru = true;
	trial = ptebatch_trial_begin(test, "mlock()", setup);
	read_mlocked(&before, trial->space);
	for (i = 0; i < STEPS && row->steps[i] != DONE; i++)
		take_step(trial, row->steps[i]);
	/* Small folios are collected before they are looked at. */
	lru_add_drain_all();

	ptebatch_trial_end(trial);
	if (row->after)
		ptebatch_trial_expect(trial, row->after);
	else
		expect_same_entries(trial);
	expect_vmas(trial, row);
	expect_folios(trial, row, &before);

	ptebatch_trial_release(trial);
	KUNIT_EXPECT_EQ_MSG(test, count_mlocked(&before), before.pages,
			    "rule 7: NR_MLOCK after teardown");
}

static const struct mlock_row rows[] = {
	/* Whole folios. */
	{ "64K folio", { "{Wdyx*16}", .prot = RW }, { LOCK }, "1" },
	{ "64K folio, on fault", { "{Wdyx*16}", .prot = RW }, { ONFAULT }, "1" },
	{ "shared 64K folio", { "{Rdy*16}", .prot = RO }, { LOCK }, "1" },
	{ "small folios",
	  { "Wdyx*3 -*2 Rdy Wyx", .prot = RW }, { ONFAULT }, "11111" },
	{ "more small folios than are collected",
	  { "Wdyx*40", .prot = RW }, { LOCK },
	  "1111111111111111111111111111111111111111" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, { ONFAULT },
	  "1111" },
	{ "folios physically side by side",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, { LOCK }, "11" },
	{ "folio off its alignment",
	  { "@5 {Wdyx*16}", .prot = RW }, { LOCK }, "1" },
	{ "folio in a larger VMA",
	  { "-*8 {Wdyx*16} -*8", .prot = RW }, { ONFAULT_ALL }, "1" },
	{ "pages of all kinds in one folio",
	  { "{Wdyx*4 Rdyx*3 Rdy*3 Rx*6}", .prot = RW }, { ONFAULT }, "1" },
	{ "pages of a folio without access",
	  { "{Ndyx*16}", .prot = PROT_NONE }, { ONFAULT }, "1" },

	/* Parts. */
	{ "part of a folio",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, { LOCK }, "0" },
	{ "all but the first page",
	  { "{Wdyx | Wdyx*15} |", .prot = RW }, { LOCK }, "0" },
	{ "all but the last page",
	  { "| {Wdyx*15 | Wdyx}", .prot = RW }, { LOCK }, "0" },
	{ "a folio and parts of its neighbours",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  { LOCK }, "010" },
	{ "parts of folios physically side by side",
	  { "{Wdyx*12 | Wdyx*4} +{Wdyx*4 | Wdyx*12}", .prot = RW }, { LOCK },
	  "00" },
	{ "folio mapped from its middle on",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW }, { LOCK }, "01" },
	{ "folio mapped up to its middle",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW }, { LOCK }, "01" },
	{ "hole in a folio",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, { ONFAULT }, "0" },
	{ "pages of a folio out of order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, { ONFAULT },
	  "0" },
	{ "a page without access",
	  { "{Wdyx*8 Ndyx Wdyx*7} Wdyx", .prot = RW }, { ONFAULT }, "01" },
	{ "pages protected by uffd-wp",
	  { "{Rdyux*8 Wdyx*8} {Rdyux*16}", .prot = RW, .uffd_wp = true },
	  { ONFAULT }, "01" },

	/* Page tables. */
	{ "over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW }, { LOCK }, "0" },
	{ "up to the edge of a page table",
	  { "@-16 {Wdyx*16} {Wdyx*16}", .prot = RW }, { LOCK }, "11" },
	{ "three page tables, the middle one missing",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, { ONFAULT }, "11" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*T}", .prot = RW }, { LOCK }, "1" },
	{ "2M folio over the edge of a page table",
	  { "@T/2 {Wdyx*T}", .prot = RW }, { LOCK }, "0" },

	/* What maps no page. */
	{ "swap entries of nobody's",
	  { "S*2 {Wdyx*16} Sx", .prot = RW }, { ONFAULT }, "1" },
	{ "part of a folio in swap",
	  { "{Wdyx*8 Sx*8} {Wdyx*16}", .prot = RW, .swap = true },
	  { ONFAULT }, "01" },
	{ "migration entries",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4} {Wdyx*16}", .prot = RW }, { ONFAULT },
	  "01" },
	{ "guards and poison",
	  { "G*2 {Wdyx*16} P", .prot = RW }, { ONFAULT }, "1" },

	/* Other mappings, and mapped twice. */
	{ "file", { "{Ry*16}", PTEBATCH_FILE, RO }, { LOCK }, "1" },
	{ "shmem", { "{Wdy*16}", PTEBATCH_SHMEM, RW }, { LOCK }, "1" },
	{ "shmem, part of a folio",
	  { "{Wdy*3 | Wdy*9 | Wdy*4} {Wdy*16}", PTEBATCH_SHMEM, RW },
	  { LOCK }, "00" },
	{ "private file, its own pages beside copies",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, { ONFAULT }, "11" },
	{ "after a fork",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, { ONFAULT }, "1" },
	{ "mapped twice",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, { ONFAULT }, "1" },
	{ "mapped twice and locked twice",
	  { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true },
	  { ONFAULT, ONFAULT_SECOND }, "22" },
	{ "locked twice, unlocked once",
	  { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true },
	  { ONFAULT, ONFAULT_SECOND, UNLOCK }, "11" },
	{ "locked twice, unlocked twice",
	  { "{Wdy*16} Wdy", PTEBATCH_SHMEM, RW, .twice = true },
	  { ONFAULT, ONFAULT_SECOND, UNLOCK, UNLOCK_SECOND }, "00" },
	{ "a file's small folios locked twice",
	  { "Ry*3", PTEBATCH_FILE, RO, .twice = true },
	  { LOCK, ONFAULT_SECOND, UNLOCK_SECOND }, "111" },

	/* Again. */
	{ "once is enough",
	  { "{Wdyx*16} Wdyx", .prot = RW }, { LOCK, LOCK }, "11" },
	{ "on fault, then at once",
	  { "{Wdyx*16} Wdyx", .prot = RW }, { ONFAULT, LOCK }, "11" },
	{ "all, then part",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, { ONFAULT_ALL, LOCK },
	  "1" },
	{ "part, then all",
	  { "{Wdyx*8 | Wdyx*8} Wdyx |", .prot = RW }, { ONFAULT, ONFAULT_ALL },
	  "01" },

	/* Unlocked. */
	{ "unlocked",
	  { "{Wdyx*16} Wdyx", .prot = RW }, { LOCK, UNLOCK }, "00" },
	{ "unlocked and locked again",
	  { "{Wdyx*16} Wdyx", .prot = RW }, { LOCK, UNLOCK, LOCK }, "11" },
	{ "never locked",
	  { "{Wdyx*16} Wdyx", .prot = RW }, { UNLOCK_ALL }, "00" },
	{ "unlocked in part",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4} {Wdyx*16}", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "01" },
	{ "first page unlocked",
	  { "| {Wdyx | Wdyx*15} {Wdyx*16}", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "01" },
	{ "last page unlocked",
	  { "{Wdyx*16} {Wdyx*15 | Wdyx} |", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "10" },
	{ "one folio of three unlocked",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "101" },
	{ "small folios unlocked",
	  { "Wdyx*3 | Wdyx*2 | Wdyx*2", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "1110011" },

	/* Rule 16. */
	/* A PMD that is touched becomes soft-dirty. */
	{ "PMD", { "[Wdyx]", .prot = RW }, { LOCK }, "1", "[Wdyx]" },
	{ "PMD on fault", { "[Wdyx]", .prot = RW }, { ONFAULT }, "1" },
	{ "PMD of shmem", { "[Wdy]", PTEBATCH_SHMEM, RW }, { LOCK }, "1" },
	{ "PMD unlocked",
	  { "[Wdyx]", .prot = RW }, { ONFAULT, UNLOCK }, "0" },
	{ "PMD locked twice",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .twice = true },
	  { ONFAULT, ONFAULT_SECOND }, "2" },
	{ "part of a PMD",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW }, { LOCK }, "0",
	  "{Wdyx*T}" },
	{ "PMD unlocked in part",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  { ONFAULT_ALL, UNLOCK }, "0", "{Wdyx*T}" },
	{ "PMD between page tables",
	  { "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .prot = RW }, { ONFAULT }, "111" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void mlock_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Every order, every kind of range. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *token;
} kinds[] = {
	{ "anonymous", { .prot = RW }, "Wdyx" },
	{ "of a file", { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy" },
	{ "of shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

static void check_range(struct kunit *test, const struct ptebatch_order *param,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = &kinds[param->kind];
	unsigned int nr = 1U << param->order;
	struct mlock_row row = {
		.setup = kind->setup,
		.steps = { LOCK },
		.locks = to - from == nr ? "1" : "0",
	};
	char picture[64];

	row.setup.picture = ptebatch_row_of_folio(picture, sizeof(picture), nr,
						  from, to, kind->token,
						  kind->token);
	check_row(test, &row);
	row.steps[0] = ONFAULT_ALL;
	row.steps[1] = UNLOCK;
	row.locks = "0";
	if (!ptebatch_failed(test))
		check_row(test, &row);
}

static void mlock_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

/* What is refused locks nothing. */

static const struct refusal {
	const char *name;
	ptebatch_syscall_t call;
	long from;		/* added to the range's first byte */
	unsigned long bytes;
	unsigned long flags;
	bool capped;
	int err;
} refusals[] = {
	{ "nothing there", PTEBATCH_SYSCALL(mlock2), -3 * (long)PMD_SIZE,
	  PAGE_SIZE, MLOCK_ONFAULT, .err = -ENOMEM },
	{ "no such flag", PTEBATCH_SYSCALL(mlock2), 0, PAGE_SIZE, ~0UL,
	  .err = -EINVAL },
	{ "beyond the end of all", PTEBATCH_SYSCALL(mlock2), 0,
	  -PMD_SIZE, MLOCK_ONFAULT, .err = -EINVAL },
	{ "nobody's right", PTEBATCH_SYSCALL(mlock), 0, PAGE_SIZE,
	  .capped = true, .err = -EPERM },
	{ "unlocks nothing there", PTEBATCH_SYSCALL(munlock),
	  -3 * (long)PMD_SIZE, PAGE_SIZE, .err = -ENOMEM },
};

KUNIT_ARRAY_PARAM_DESC(refusals, refusals, name);

static void mlock_refusal(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*16}", .prot = RW, .lru = true,
	};
	static const struct mlock_row nothing = { .locks = "0" };
	const struct refusal *refusal = test->param_value;
	typeof(ptebatch_syscall_in) *call =
		refusal->capped ? ptebatch_syscall_capped : ptebatch_syscall_in;
	struct ptebatch_trial *trial;
	struct mlocked before;
	long ret;

	trial = ptebatch_trial_begin(test, "mlock()", &setup);
	read_mlocked(&before, trial->space);
	ret = call(trial->place->mm, refusal->call,
		   trial->place->start + refusal->from, refusal->bytes,
		   refusal->flags, 0, 0);
	KUNIT_EXPECT_EQ(test, ret, refusal->err);
	lru_add_drain_all();
	ptebatch_trial_end(trial);
	expect_same_entries(trial);
	expect_vmas(trial, &nothing);
	KUNIT_EXPECT_FALSE(test, folio_test_mlocked(trial->space->folios[0]));
	KUNIT_EXPECT_EQ(test, count_mlocked(&before), before.pages);
}

static struct kunit_case mlock_cases[] = {
	KUNIT_CASE_PARAM(mlock_row, rows_gen_params),
	KUNIT_CASE_PARAM(mlock_order, orders_gen_params),
	KUNIT_CASE_PARAM(mlock_refusal, refusals_gen_params),
	{}
};

static struct kunit_suite mlock_suite = {
	.name = "ptebatch_mlock",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = mlock_cases,
};

kunit_test_suite(mlock_suite);
