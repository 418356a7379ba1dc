// SPDX-License-Identifier: GPL-2.0
/*
 * madvise() and page table entries. MADV_FREE, MADV_COLD and MADV_PAGEOUT batch
 * a large folio that the range maps completely, and split it otherwise;
 * MADV_DONTNEED and the guard operations never split a folio.
 *
 * Each row runs three times, in identical address spaces: with the kernel, with
 * its twin, and with the kernel on small folios only. The entries of a large
 * folio must end up like those of small folios (rule 24).
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "internal.h"

#include "../lib/check/compare.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/advise.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/pte.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* State of the folios and of the caller during madvise(). */
#define FIRST_REFERENCED	BIT(0)	/* the first folio has another reference */
#define FIRST_LOCKED	BIT(1)	/* the first folio is locked */
#define FIRST_ISOLATED	BIT(2)	/* the first folio is isolated from the LRU */
#define FIRST_SHARED	BIT(3)	/* of a child's folios only the first is left */
#define SWAP_SHARED	BIT(4)	/* another mm has the first page in swap */
#define SWAP_CACHE	BIT(5)	/* the folios of .swap are clean and unlocked */
#define FOLIOS_DIRTY	BIT(6)	/* the folios have PG_dirty */
#define UNEVICTABLE	BIT(7)	/* the file is unevictable, as after SHM_LOCK */
#define UNPRIVILEGED	BIT(8)	/* the caller may not write to the file */
#define KILLED		BIT(9)	/* the caller has a pending SIGKILL */
#define HWPOISON_ENTRY	BIT(10)	/* the second entry is a hwpoison entry */

/**
 * struct advise_row - a case of madvise()
 * @name: name of the case
 * @advice: index into ptebatch_advices
 * @setup: the address space before; the folios are on the LRU lists
 * @after: the expected row after; %NULL if it must not change
 * @error: expected return value of madvise(), 0 or a negative errno
 * @may_skip: madvise() may skip a folio that is locked, referenced or mapped twice
 * @unmaps: madvise() splits a file folio, which unmaps it
 * @state: state of the folios and of the caller: FIRST_REFERENCED and so on
 */
struct advise_row {
	const char *name;
	enum ptebatch_advice advice;
	struct ptebatch_setup setup;
	const char *after;
	int error;
	bool may_skip;
	bool unmaps;
	unsigned int state;
};

/* The folios that were active before MADV_COLD. */
static DECLARE_BITMAP(active, PTEBATCH_ROW_ENTRIES);

/*
 * MADV_COLD must clear PG_referenced and PG_active, and set PG_workingset where
 * it clears PG_active. Every other folio is active. MGLRU has no PG_active.
 */
static void mark_referenced(struct ptebatch_space *space)
{
	unsigned int i;

	bitmap_zero(active, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < space->row.nr_folios; i++) {
		folio_set_referenced(space->folios[i]);
		if (!(i % 2))
			folio_mark_accessed(space->folios[i]);
	}
	lru_add_drain();
	for (i = 0; i < space->row.nr_folios; i++) {
		folio_set_referenced(space->folios[i]);
		folio_clear_workingset(space->folios[i]);
		if (folio_test_active(space->folios[i]))
			set_bit(i, active);
	}
}

static void expect_deactivated(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct folio *folio;

		/* Skipped. */
		if (!ptebatch_entry_normal(entry) || entry->flags & PTEBATCH_YOUNG)
			continue;
		folio = ptebatch_page_folio(trial->space, entry->folio, entry->page);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_referenced(folio),
				       "%s leaves the folio of entry %u referenced",
				       trial->function, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_active(folio),
				       "%s leaves the folio of entry %u active",
				       trial->function, i);
		KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_workingset(folio),
				    test_bit(entry->folio, active),
				    "%s: wrong PG_workingset of the folio of entry %u",
				    trial->function, i);
	}
}

/* As accessed may spread, the comparison with @after accepts entries that stay young. */
static void expect_old(const struct ptebatch_trial *trial, const char *after)
{
	struct ptebatch_row *expected = ptebatch_picture(trial->test, after);
	const struct ptebatch_row *got = &trial->after.row;
	unsigned int i;

	for (i = got->from; i < got->to; i++) {
		if (!ptebatch_entry_normal(&got->entries[i]) ||
		    expected->entries[i].flags & PTEBATCH_YOUNG)
			continue;
		KUNIT_EXPECT_FALSE_MSG(trial->test,
				       got->entries[i].flags & PTEBATCH_YOUNG,
				       "%s leaves entry %u young", trial->function, i);
	}
	kunit_kfree(trial->test, expected);
}

/* A lazyfree folio that is dirty or in the swap cache is not dropped. */
static void expect_clean(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct folio *folio;

		if (!ptebatch_entry_normal(entry) ||
		    !(entry->flags & PTEBATCH_LAZYFREE))
			continue;
		folio = ptebatch_page_folio(trial->space, entry->folio, entry->page);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_dirty(folio),
				       "%s leaves the folio of entry %u dirty",
				       trial->function, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_swapcache(folio),
				       "%s leaves the folio of entry %u in the swap cache",
				       trial->function, i);
	}
}

/*
 * MADV_COLD and MADV_FREE flush the TLB for each entry that becomes old or clean,
 * and do not flush it if no entry changes.
 */
static void expect_flushed(const struct ptebatch_trial *trial)
{
	const u16 cleared = PTEBATCH_YOUNG | PTEBATCH_DIRTY;
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	bool changed = false;
	unsigned int i;

	for (i = before->from; i < before->to; i++) {
		const struct ptebatch_entry *was = &before->entries[i];
		const struct ptebatch_entry *is = &after->entries[i];

		changed |= is->kind != was->kind || is->flags != was->flags ||
			   (is->folio != PTEBATCH_NO_FOLIO &&
			    after->folios[is->folio].split);
		if (!ptebatch_entry_normal(was) || is->kind != was->kind ||
		    !(was->flags & ~is->flags & cleared))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test, test_bit(i, trial->flush.flushed),
				      PTEBATCH_RULE_TLB ": %s does not flush entry %u",
				      trial->function, i);
	}
	/* The twin splits folios. */
	if (!changed && !trial->one_by_one)
		KUNIT_EXPECT_EQ_MSG(trial->test, trial->flush.calls, 0,
				    PTEBATCH_RULE_COST ": %s flushes, but changes no entry",
				    trial->function);
}

/* After fork(), unmap all folios but the first from the child. */
static void unmap_others(struct ptebatch_trial *trial)
{
	const struct ptebatch_space *space = trial->space;
	const struct ptebatch_place *child = &space->places[1];
	unsigned int nr = ptebatch_nr_pages(space, 0);
	long err;

	kthread_use_mm(child->mm);
	err = do_madvise(child->mm, child->start + nr * PAGE_SIZE,
			 (space->row.nr - nr) * PAGE_SIZE, MADV_DONTNEED);
	kthread_unuse_mm(child->mm);
	KUNIT_EXPECT_EQ(trial->test, err, 0);
}

/* Move the folios to the LRU lists that they belong to. */
static void set_unevictable(const struct ptebatch_space *space, bool unevictable)
{
	unsigned int i;

	if (unevictable)
		mapping_set_unevictable(space->file->f_mapping);
	else
		mapping_clear_unevictable(space->file->f_mapping);
	for (i = 0; i < space->row.nr_folios; i++)
		if (folio_isolate_lru(space->folios[i]))
			folio_putback_lru(space->folios[i]);
	lru_add_drain();
}

/* Neither the owner of the file nor anyone with access to it. */
static void drop_privileges(struct kunit *test)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->fsuid = KUIDT_INIT(1000);
	cred->fsgid = KGIDT_INIT(1000);
	cap_clear(cred->cap_effective);
	override_creds(cred);
}

/* Of any page. The picture has an empty entry: no folio of the row is there. */
static void set_hwpoison_entry(const struct ptebatch_trial *trial)
{
	const struct ptebatch_place *place = trial->place;
	struct folio *folio = trial->space->folios[0];
	pmd_t *pmdp = ptebatch_find_pmd(place->mm, place->start);

	folio_lock(folio);
	set_pte(pte_offset_kernel(pmdp, ptebatch_addr(trial->space, 1)),
		softleaf_to_pte(make_hwpoison_entry(&folio->page)));
	folio_unlock(folio);
}

static void set_clean(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		folio_clear_dirty(space->folios[i]);
		folio_unlock(space->folios[i]);
	}
}

static void lock_again(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_lock(space->folios[i]);
}

static void begin_state(struct ptebatch_trial *trial, unsigned int state)
{
	struct ptebatch_space *space = trial->space;
	struct folio *first = space->folios[0];
	unsigned int i;

	if (state & FIRST_SHARED)
		unmap_others(trial);
	if (state & SWAP_SHARED)
		KUNIT_EXPECT_EQ(trial->test, ptebatch_swap_dup(first, 0, 1), 0);
	if (state & SWAP_CACHE)
		set_clean(space);
	for (i = 0; state & FOLIOS_DIRTY && i < space->row.nr_folios; i++)
		folio_set_dirty(space->folios[i]);
	if (state & HWPOISON_ENTRY)
		set_hwpoison_entry(trial);
	if (state & FIRST_REFERENCED)
		folio_get(first);
	if (state & FIRST_LOCKED)
		folio_lock(first);
	if (state & FIRST_ISOLATED)
		KUNIT_EXPECT_TRUE(trial->test, folio_isolate_lru(first));
	if (state & UNEVICTABLE)
		set_unevictable(space, true);
	if (state & UNPRIVILEGED)
		drop_privileges(trial->test);
	if (state & KILLED)
		ptebatch_sigkill_set();
}

static void end_state(const struct ptebatch_trial *trial, unsigned int state)
{
	struct ptebatch_space *space = trial->space;
	struct folio *first = space->folios[0];

	if (state & KILLED)
		ptebatch_sigkill_clear();
	if (state & UNPRIVILEGED)
		put_cred(revert_creds(current_real_cred()));
	if (state & UNEVICTABLE)
		set_unevictable(space, false);
	if (state & FIRST_ISOLATED)
		folio_putback_lru(first);
	if (state & FIRST_LOCKED)
		folio_unlock(first);
	if (state & FIRST_REFERENCED)
		folio_put(first);
	if (state & SWAP_CACHE)
		lock_again(space);
	if (state & SWAP_SHARED)
		ptebatch_swap_put(first, 0, 1);
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	const struct advise_row *row = data;

	if (row->advice == PTEBATCH_COLD)
		mark_referenced(trial->space);
	/* The model takes all folios of a file mapping for file folios. */
	if (!row->after || row->may_skip || row->unmaps ||
	    (row->advice == PTEBATCH_PAGEOUT &&
	     row->setup.mapping == PTEBATCH_PRIVATE_FILE))
		trial->call.model = NULL;
	begin_state(trial, row->state);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	const struct advise_row *row = data;

	end_state(trial, row->state);
}

static void check(struct ptebatch_trial *trial, const void *data)
{
	const struct advise_row *row = data;

	if (row->advice == PTEBATCH_COLD && row->after)
		expect_deactivated(trial);
	/* Of small folios and by the twin, others may be skipped. */
	if (row->advice == PTEBATCH_COLD && row->after &&
	    !trial->space->setup.small && !trial->one_by_one)
		expect_old(trial, row->after);
	if (row->advice == PTEBATCH_FREE)
		expect_clean(trial);
	if (row->advice == PTEBATCH_COLD || row->advice == PTEBATCH_FREE)
		expect_flushed(trial);
}

/* Compare kinds and flags only: the folios differ by design. */
static void expect_like_pages(struct ptebatch_trial *trial,
			      const struct ptebatch_trial *pages, bool may_skip)
{
	const struct ptebatch_row *got = &trial->after.row;
	unsigned int i;

	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < got->nr; i++) {
		const struct ptebatch_entry *after = &got->entries[i];
		const struct ptebatch_entry *before = &trial->before.row.entries[i];
		const struct ptebatch_entry *expected = &pages->after.row.entries[i];

		if (after->kind == expected->kind &&
		    after->flags == expected->flags)
			continue;
		if (!may_skip || after->kind != before->kind ||
		    after->flags != before->flags)
			set_bit(i, trial->differs);
	}
	if (!bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES))
		ptebatch_trial_print(trial, "leaves other entries than on small folios: "
				     PTEBATCH_RULE_PARTIAL);
}

/*
 * With batches of one, no large folio is fully mapped: the twin splits each of
 * them. Splitting a file folio unmaps it, so its entries cannot be compared.
 */
static bool twin_comparable(const struct advise_row *row)
{
	if (!ptebatch_advices[row->advice].splits)
		return true;
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	       row->setup.mapping == PTEBATCH_ANON;
}

static bool check_row(struct kunit *test, const struct advise_row *row)
{
	struct ptebatch_op op = ptebatch_advices[row->advice];
	const char *missing = ptebatch_op_missing(&op);
	struct ptebatch_setup setup = row->setup;
	const struct ptebatch_run run = {
		.op = &op, .setup = &setup, .after = row->after,
		.ret = row->error, .prepare = prepare, .undo = undo,
		.check = check, .data = row,
	};
	struct ptebatch_trial *kernel, *twin, *pages;
	bool passes = true;

	if (missing)
		kunit_skip(test, "%s", missing);
	setup.lru = !setup.coherent;
	kernel = ptebatch_row_try(test, &run, false, &passes);
	if (passes && !row->may_skip && twin_comparable(row)) {
		/* The twin splits other folios than the picture shows. */
		twin = ptebatch_row_call(test, &run, true, &passes);
		check(twin, row);
		passes = ptebatch_trial_same(kernel, twin);
	}
	/* The device has no memory for a PMD range of small folios. */
	if (!passes || row->unmaps || setup.coherent)
		return passes;
	setup.small = true;
	pages = ptebatch_row_call(test, &run, false, &passes);
	check(pages, row);
	expect_like_pages(kernel, pages, row->may_skip);
	return true;
}

static const struct advise_row rows[] = {
	/* The page table disappears before it is locked. */
	{ "MADV_FREE, corrupt PMD: cleared and reported, only the next page table lazyfree",
	  PTEBATCH_FREE, { "@-4 Wdyx*4 {Wdyx*16}", .prot = RW, .bad_pmd = true },
	  "@-4 Wdyx*4 {Wxl*16}" },
	{ "MADV_COLD, corrupt PMD: cleared and reported, only the next page table old",
	  PTEBATCH_COLD, { "@-4 Wdyx*4 {Wdyx*16}", .prot = RW, .bad_pmd = true },
	  "@-4 Wdyx*4 {Wdx*16}" },

	/* A folio of a device is left alone. */
	{ "MADV_FREE, 64K folio in device-coherent memory: unchanged",
	  PTEBATCH_FREE, { "{Wdyx*16}", .prot = RW, .coherent = true } },
	{ "MADV_COLD, 64K folio in device-coherent memory: unchanged",
	  PTEBATCH_COLD, { "{Wdyx*16}", .prot = RW, .coherent = true } },
	{ "half of a 64K folio in device-coherent memory: unmapped, not in the queue",
	  PTEBATCH_DONTNEED, { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .coherent = true },
	  "{Wdyx*8 .*8} -*8" },
	{ "MADV_COLD, PMD-mapped folio in device-coherent memory: unchanged",
	  PTEBATCH_COLD, { "[Wdyx]", .prot = RW, .coherent = true } },

	/* MADV_FREE. */
	{ "64K folio, dirty and young: becomes clean, old and lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*16}", .prot = RW }, "{Wxl*16}" },
	{ "small folios, dirty, young or neither: all become clean, old and lazyfree",
	  PTEBATCH_FREE, { "Wdyx Rdx Wyx Wx", .prot = RW }, "Wxl Rxl Wxl*2" },
	{ "64K folio, pages dirty, young, both or neither: all become clean, old and lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdx*4 Wyx*4 Wdyx*4 Wx*4}", .prot = RW }, "{Wxl*16}" },
	{ "64K folio, only the last page dirty: becomes clean and lazyfree",
	  PTEBATCH_FREE, { "{Rx*15 Rdx}", .prot = RO }, "{Rxl*16}" },
	{ "64K folio, only the last page young: becomes old and lazyfree",
	  PTEBATCH_FREE, { "{Rx*15 Ryx}", .prot = RO }, "{Rxl*16}" },
	{ "64K folio, second half read-only: becomes lazyfree, write bits stay",
	  PTEBATCH_FREE, { "{Wdyx*8 Rdyx*8}", .prot = RW }, "{Wxl*8 Rxl*8}" },
	{ "64K folio, clean, old and lazyfree: unchanged", PTEBATCH_FREE,
	  { "{Wxl*16}", .prot = RW }, "{Wxl*16}" },
	{ "64K folio, first half soft-dirty: becomes lazyfree, soft-dirty bits stay",
	  PTEBATCH_FREE, { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true },
	  "{Wsxl*8 Rxl*8}" },
	{ "64K folio, uffd-wp: becomes lazyfree, uffd-wp bits stay",
	  PTEBATCH_FREE,
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, "{Ruxl*16}" },
	{ "64K folio, small folio, 32K folio: all become lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx*16} Wdyx {Wdyx*8}", .prot = RW }, "{Wxl*16} Wxl {Wxl*8}" },
	{ "two physically adjacent 64K folios: both become lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Wxl*16} {Wxl*16}" },
	{ "last two of three folios in the range: only these become lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*16} | {Wdyx*16} {Wdyx*4} |", .prot = RW },
	  "{Wdyx*16} {Wxl*16} {Wxl*4}" },
	{ "64K folio at an unaligned address: becomes lazyfree", PTEBATCH_FREE,
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wxl*16}" },
	{ "middle 6 pages of a 64K folio: split, these pages become lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Wxl*6 Wdyx*5)" },
	{ "first page of a 64K folio: split, this page becomes lazyfree",
	  PTEBATCH_FREE,
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "(Wxl Wdyx*15)" },
	{ "all but the first page of a 64K folio: split, these pages become lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx | Wdyx*15} |", .prot = RW }, "(Wdyx Wxl*15)" },
	{ "all but the last page of a 64K folio: split, these pages become lazyfree",
	  PTEBATCH_FREE,
	  { "| {Wdyx*15 | Wdyx}", .prot = RW }, "(Wxl*15 Wdyx)" },
	{ "end of a folio, whole folio, start of a folio: outer two split, range lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wxl*4) {Wxl*16} (Wxl*4 Wdyx*12)" },
	{ "middle of a 64K folio, first half read-only and soft-dirty: split, these bits stay",
	  PTEBATCH_FREE,
	  { "{Rdysx*4 | Rdysx*4 Wdyx*4 | Wdyx*4}", .prot = RW, .track = true },
	  "(Rdysx*4 Rsxl*4 Wxl*4 Wdyx*4)" },
	{ "64K folio without its first 3 pages: split, mapped pages become lazyfree",
	  PTEBATCH_FREE, { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wxl*13)" },
	{ "64K folio with a hole of 2 pages: split, mapped pages become lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx*5 -*2 Wdyx*9}", .prot = RW }, "(Wxl*5 -*2 Wxl*9)" },
	{ "64K folio across a page table boundary: split, all pages become lazyfree",
	  PTEBATCH_FREE, { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wxl*16)" },
	{ "64K folio in two VMAs: split, all pages become lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "(Wxl*16)" },
	{ "64K folio after a fork: becomes lazyfree", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rl*16}", .may_skip = true },
	{ "middle of a 64K folio after a fork: unchanged", PTEBATCH_FREE,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .may_skip = true },
	{ "small folio after a fork: becomes lazyfree", PTEBATCH_FREE,
	  { "Wdyx", .prot = RW, .twice = true }, "Rl" },
	{ "PMD-mapped folio: becomes clean, old and lazyfree",
	  PTEBATCH_FREE, { "[Wdyx]", .prot = RW }, "[Wxl]" },
	{ "middle half of a PMD-mapped folio: split, these pages become lazyfree",
	  PTEBATCH_FREE, { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wxl*T/2 Wdyx*T/4)" },
	{ "2M folio mapped by PTEs: becomes lazyfree", PTEBATCH_FREE,
	  { "{Wdyx*T}", .prot = RW }, "{Wxl*T}" },
	{ "two 64K folios, a missing page table between: both become lazyfree",
	  PTEBATCH_FREE, { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW },
	  "@-16 {Wxl*16} -*T {Wxl*16}" },
	{ "64K folio, 10 of its pages in swap: swap entries freed, mapped pages unchanged",
	  PTEBATCH_FREE,
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .swap = true },
	  "{Wdyx*4 -*10 Wdyx*2}", .may_skip = true },
	{ "middle 8 of 16 swap entries: freed", PTEBATCH_FREE,
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .swap = true },
	  "{Sx*4 -*8 Sx*4}" },
	{ "swap entries, soft-dirty and exclusive change: freed", PTEBATCH_FREE,
	  { "{Ssx*4 Sx*2 S*2 Ss*2 S*6}", .prot = RW, .track = true, .swap = true },
	  "-*16" },
	{ "swap entries, some uffd-wp: freed", PTEBATCH_FREE,
	  { "{Sx*4 | Sux*4 Sx*4 | Sux*4}", .prot = RW, .uffd_wp = true, .swap = true },
	  "{Sx*4 -*8 Sux*4}" },
	{ "swap entries after a fork: freed", PTEBATCH_FREE,
	  { "{S*16}", .prot = RW, .swap = true, .twice = true }, "-*16" },
	{ "swap entries across the end of a swap cluster: freed", PTEBATCH_FREE,
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*T} |", .prot = RW, .swap = true,
	    .swap_follows = true }, "@T/2 {Sx*T-4 -*4} -*T" },
	{ "swap entries of two devices, with slots that follow one another: freed",
	  PTEBATCH_FREE,
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*T} |", .prot = RW, .swap = true,
	    .swap_follows = true, .swap_alternates = true },
	  "@T/2 {Sx*T-4 -*4} -*T" },
	{ "migration entries: unchanged", PTEBATCH_FREE,
	  { "{Mw*4 Mx*4 M*8}", .prot = RW }, "{Mw*4 Mx*4 M*8}" },
	{ "huge zero page: unchanged", PTEBATCH_FREE,
	  { "Rzy*T", .prot = RW, .huge_zero = true }, "Rzy*T" },
	{ "PMD migration entry: unchanged", PTEBATCH_FREE,
	  { "[Mw]", .prot = RW }, "[Mw]" },
	{ "guards, poison, order-1 folios: guards stay, poison is cleared",
	  PTEBATCH_FREE, { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW },
	  "{Wxl*2} G*2 -*2 {Wxl*2} G" },
	{ "zero page between folios: unchanged, folios become lazyfree",
	  PTEBATCH_FREE, { "Rzy {Wdyx*16} Rz*2 {Wdyx*4} Rzy", .prot = RW },
	  "Rzy {Wxl*16} Rz*2 {Wxl*4} Rzy" },
	{ "zero page in a 64K folio: split, mapped pages become lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*5 Rzy*2 Wdyx*9}", .prot = RW },
	  "(Wxl*5 Rzy*2 Wxl*9)" },
	{ "PMD-mapped folio, then small folios: all become lazyfree", PTEBATCH_FREE,
	  { "[Wdyx] Wdyx*4", .prot = RW }, "[Wxl] Wxl*4" },
	{ "hwpoison entry and poison between small folios: cleared", PTEBATCH_FREE,
	  { "Wdyx - P Wdyx", .prot = RW }, "Wxl -*2 Wxl",
	  .state = HWPOISON_ENTRY },
	{ "half of a referenced 64K folio, a second folio: only the second lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW },
	  "{Wdyx*16} {Wxl*8}", .may_skip = true, .state = FIRST_REFERENCED },
	{ "half of a locked 64K folio, a second folio: only the second lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW },
	  "{Wdyx*16} {Wxl*8}", .may_skip = true, .state = FIRST_LOCKED },
	{ "half of a shared 32K folio, an exclusive folio: only the second lazyfree",
	  PTEBATCH_FREE,
	  { "{Wdyx*4 | Wdyx*4} {Wdyx*8} |", .prot = RW, .twice = true },
	  "{Rdy*8} {Rl*8}", .may_skip = true, .state = FIRST_SHARED },
	{ "64K folio, PG_dirty: becomes lazyfree and clean", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW }, "{Wxl*16}", .state = FOLIOS_DIRTY },
	{ "locked 32K folio, PG_dirty, a second folio: only the second lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8} {Wdyx*8}", .prot = RW }, "{Wdyx*8} {Wxl*8}",
	  .may_skip = true, .state = FOLIOS_DIRTY | FIRST_LOCKED },
	{ "shared 32K folio, PG_dirty, an exclusive folio: only the second lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8} {Wdyx*8}", .prot = RW, .twice = true },
	  "{Rdy*8} {Rl*8}", .may_skip = true,
	  .state = FOLIOS_DIRTY | FIRST_SHARED },
	{ "64K folio in the swap cache: lazyfree, no longer in the swap cache",
	  PTEBATCH_FREE, { "{Wdyx*16}", .prot = RW, .swap = true }, "{Wxl*16}",
	  .may_skip = true, .state = SWAP_CACHE },
	{ "two folios in the swap cache, one shared in swap: only the other lazyfree",
	  PTEBATCH_FREE, { "{Wdyx*8} {Wdyx*8}", .prot = RW, .swap = true },
	  "{Wdyx*8} {Wxl*8}", .may_skip = true,
	  .state = SWAP_CACHE | SWAP_SHARED },
	{ "locked 64K folio in the swap cache: unchanged", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW, .swap = true } },
	{ "VM_LOCKED VMA: -EINVAL", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },
	{ "shared shmem mapping: -EINVAL", PTEBATCH_FREE,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, .error = -EINVAL },
	{ "anonymous folio in a private file mapping: -EINVAL", PTEBATCH_FREE,
	  { "{Wdyx*16}", PTEBATCH_PRIVATE_FILE, RW }, .error = -EINVAL },

	/* MADV_COLD. */
	{ "64K folio, young: becomes old",
	  PTEBATCH_COLD, { "{Wdyx*16}", .prot = RW }, "{Wdx*16}" },
	{ "small folios, some young: all become old", PTEBATCH_COLD,
	  { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Wdx Rdx Rx Wdx" },
	{ "64K folio, only the first page young: becomes old", PTEBATCH_COLD,
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}" },
	{ "64K folio, only the last page young: becomes old", PTEBATCH_COLD,
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}" },
	{ "128K folio, second half dirty: becomes old, dirty bits stay", PTEBATCH_COLD,
	  { "{Ryx*16 Rdyx*16}", .prot = RO }, "{Rx*16 Rdx*16}" },
	{ "64K folio, middle 6 pages read-only: becomes old, write bits stay",
	  PTEBATCH_COLD,
	  { "{Wdyx*5 Rdyx*6 Wdyx*5}", .prot = RW }, "{Wdx*5 Rdx*6 Wdx*5}" },
	{ "soft-dirty 64K folio, uffd-wp 64K folio: both old, bits stay",
	  PTEBATCH_COLD, { "{Wdysx*16} {Rdyux*16}", .prot = RW, .track = true,
	    .uffd_wp = true }, "{Wdsx*16} {Rdux*16}" },
	{ "lazyfree 64K folio, young: becomes old, stays lazyfree",
	  PTEBATCH_COLD, { "{Wyxl*16}", .prot = RW }, "{Wxl*16}" },
	{ "middle 6 pages of a 64K folio: split, these pages become old",
	  PTEBATCH_COLD, { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Wdx*6 Wdyx*5)" },
	{ "end of a folio, whole folio, start of a folio: outer two split, range old",
	  PTEBATCH_COLD,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wdx*4) {Wdx*16} (Wdx*4 Wdyx*12)" },
	{ "64K folio without its first 3 pages: split, mapped pages become old",
	  PTEBATCH_COLD, { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wdx*13)" },
	{ "64K folio across a page table boundary: split, all pages become old",
	  PTEBATCH_COLD, { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wdx*16)" },
	{ "64K folio in two VMAs: split, all pages become old",
	  PTEBATCH_COLD, { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "(Wdx*16)" },
	{ "64K folio at an unaligned address: becomes old", PTEBATCH_COLD,
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wdx*16}" },
	{ "64K folio after a fork: unchanged", PTEBATCH_COLD,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .may_skip = true },
	{ "middle of a 64K folio after a fork: unchanged", PTEBATCH_COLD,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .may_skip = true },
	{ "64K file folio: becomes old",
	  PTEBATCH_COLD, { "{Ry*16}", PTEBATCH_FILE, RO }, "{R*16}" },
	{ "64K shmem folio, one page dirty: becomes old, page stays dirty",
	  PTEBATCH_COLD,
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_SHMEM, RW }, "{R*9 Wd R*6}" },
	{ "64K shmem folio mapped twice: unchanged", PTEBATCH_COLD,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, .may_skip = true },
	{ "private file mapping, anonymous folio and file folio: both become old",
	  PTEBATCH_COLD, { "{Wdyx*8} {Ry*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Wdx*8} {R*8}" },
	{ "PMD-mapped folio: becomes old",
	  PTEBATCH_COLD, { "[Wdyx]", .prot = RW }, "[Wdx]" },
	{ "middle half of a PMD-mapped folio: split, these pages become old",
	  PTEBATCH_COLD, { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wdx*T/2 Wdyx*T/4)" },
	{ "2M folio mapped by PTEs: becomes old", PTEBATCH_COLD,
	  { "{Wdyx*T}", .prot = RW }, "{Wdx*T}" },
	{ "huge zero page: stays young", PTEBATCH_COLD,
	  { "Rzy*T", .prot = RW, .huge_zero = true }, "Rzy*T" },
	{ "PMD migration entry: unchanged", PTEBATCH_COLD,
	  { "[Mw]", .prot = RW }, "[Mw]" },
	{ "guards, poison, empty and migration entries: unchanged",
	  PTEBATCH_COLD, { "{Wdyx*2} G*2 P*2 -*2 {Mw Mx M M}", .prot = RW },
	  "{Wdx*2} G*2 P*2 -*2 {Mw Mx M M}" },
	{ "zero page between folios: stays young, folios become old",
	  PTEBATCH_COLD, { "Rzy {Wdyx*16} Rzy*2 {Wdyx*4} Rzy", .prot = RW },
	  "Rzy {Wdx*16} Rzy*2 {Wdx*4} Rzy" },
	{ "KSM pages between exclusive pages: all become old",
	  PTEBATCH_COLD, { "Rdyk*2 Wdyx Rdyk", .prot = RW },
	  "Rdk*2 Wdx Rdk" },
	{ "64K folio, old: unchanged, no TLB flush", PTEBATCH_COLD,
	  { "{Wdx*16}", .prot = RW }, "{Wdx*16}" },
	{ "PMD-mapped folio, old: unchanged, no TLB flush", PTEBATCH_COLD,
	  { "[Wdx]", .prot = RW }, "[Wdx]" },
	{ "PMD-mapped folio, then small folios: all become old", PTEBATCH_COLD,
	  { "[Wdyx] Wdyx*4", .prot = RW }, "[Wdx] Wdx*4" },
	{ "two PMD-mapped folios, the second inactive: both become old",
	  PTEBATCH_COLD, { "[Wdyx] [Wdyx]", .prot = RW }, "[Wdx] [Wdx]" },
	{ "PMD-mapped file folio: becomes old", PTEBATCH_COLD,
	  { "[Ry]", PTEBATCH_FILE, RO }, "[R]" },
	{ "PMD-mapped folio after a fork: unchanged", PTEBATCH_COLD,
	  { "[Wdyx]", .prot = RW, .twice = true }, .may_skip = true },
	{ "half of a PMD-mapped folio after a fork: unchanged", PTEBATCH_COLD,
	  { "[Wdyx*T/2 | Wdyx*T/2] |", .prot = RW, .twice = true },
	  .may_skip = true },
	{ "half of a locked, PMD-mapped folio, small folios: only these become old",
	  PTEBATCH_COLD, { "[Wdyx*T/2 | Wdyx*T/2] Wdyx*4 |", .prot = RW },
	  "[Wdyx] Wdx*4", .may_skip = true, .state = FIRST_LOCKED },
	{ "half of a referenced, PMD-mapped folio, small folios: only these become old",
	  PTEBATCH_COLD, { "[Wdyx*T/2 | Wdyx*T/2] Wdyx*4 |", .prot = RW },
	  "[Wdyx] Wdx*4", .may_skip = true, .state = FIRST_REFERENCED },
	{ "half of a locked 64K folio, a second folio: only the second becomes old",
	  PTEBATCH_COLD, { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW },
	  "{Wdyx*16} {Wdx*8}", .may_skip = true, .state = FIRST_LOCKED },
	{ "half of a referenced 64K folio, a second folio: only the second becomes old",
	  PTEBATCH_COLD, { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW },
	  "{Wdyx*16} {Wdx*8}", .may_skip = true, .state = FIRST_REFERENCED },
	{ "64K folio isolated from the LRU, small folio: only the small one becomes old",
	  PTEBATCH_COLD, { "{Wdyx*16} Wdyx", .prot = RW }, "{Wdyx*16} Wdx",
	  .may_skip = true, .state = FIRST_ISOLATED },
	{ "half of a shared 32K folio, an exclusive folio: only the second becomes old",
	  PTEBATCH_COLD,
	  { "{Wdyx*4 | Wdyx*4} {Wdyx*8} |", .prot = RW, .twice = true },
	  "{Rdy*8} {Rd*8}", .may_skip = true, .state = FIRST_SHARED },
	{ "shared 32K folio, exclusive 32K folio: only the second becomes old",
	  PTEBATCH_COLD, { "{Wdyx*8} {Wdyx*8}", .prot = RW, .twice = true },
	  "{Rdy*8} {Rd*8}", .may_skip = true, .state = FIRST_SHARED },
	{ "64K file folio, second half not mapped: split, which unmaps it",
	  PTEBATCH_COLD, { "{Ry*8 .*8}", PTEBATCH_FILE, RO }, "(-*8 .*8)",
	  .unmaps = true },
	{ "private file mapping, file not writable: both folios become old",
	  PTEBATCH_COLD, { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{R*8} {Wdx*8}", .state = UNPRIVILEGED },
	{ "pending SIGKILL: unchanged", PTEBATCH_COLD,
	  { "{Wdyx*16}", .prot = RW }, .state = KILLED },
	{ "VM_LOCKED VMA: -EINVAL", PTEBATCH_COLD,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* MADV_PAGEOUT. */
	{ "64K folio: swapped out",
	  PTEBATCH_PAGEOUT, { "{Wdyx*16}", .prot = RW }, "Sx*16" },
	{ "small folios: swapped out", PTEBATCH_PAGEOUT,
	  { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Sx*4" },
	{ "64K droppable folio, dirty: dropped", PTEBATCH_PAGEOUT,
	  { "{Wdyxl*16}", .prot = RW, .droppable = true }, "-*16" },
	{ "64K folio, first 4 pages soft-dirty: their 4 swap entries soft-dirty",
	  PTEBATCH_PAGEOUT,
	  { "{Wdysx*4 Rdyx*12}", .prot = RW, .track = true }, "Ssx*4 Sx*12" },
	{ "64K folio, first 4 pages uffd-wp: their 4 swap entries uffd-wp",
	  PTEBATCH_PAGEOUT,
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true },
	  "Sxu*4 Sx*12" },
	{ "64K folio, second half shared: only the first 8 swap entries exclusive",
	  PTEBATCH_PAGEOUT, { "{Rdyx*8 Rdy*8}", .prot = RO }, "Sx*8 S*8" },
	{ "middle 6 pages of a 64K folio: split, these pages are swapped out",
	  PTEBATCH_PAGEOUT, { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Sx*6 Wdyx*5)" },
	{ "end of a folio, whole folio, start of a folio: outer two split, range swapped out",
	  PTEBATCH_PAGEOUT,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Sx*4) Sx*16 (Sx*4 Wdyx*12)" },
	{ "64K folio without its first 3 pages: mapped pages are swapped out",
	  PTEBATCH_PAGEOUT, { "{.*3 Wdyx*13}", .prot = RW }, "Sx*13" },
	{ "64K folio across a page table boundary: swapped out",
	  PTEBATCH_PAGEOUT, { "@-8 {Wdyx*16}", .prot = RW }, "@-8 Sx*16" },
	{ "64K folio after a fork: unchanged", PTEBATCH_PAGEOUT,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .may_skip = true },
	{ "middle of a 64K folio after a fork: unchanged", PTEBATCH_PAGEOUT,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .may_skip = true },
	{ "clean 64K file folio: unmapped", PTEBATCH_PAGEOUT,
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "PMD-mapped folio: swapped out",
	  PTEBATCH_PAGEOUT, { "[Wdyx]", .prot = RW }, "Sx*T" },
	{ "middle half of a PMD-mapped folio: split, these pages are swapped out",
	  PTEBATCH_PAGEOUT, { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Sx*T/2 Wdyx*T/4)" },
	{ "guards, poison, empty and migration entries: unchanged",
	  PTEBATCH_PAGEOUT, { "G*2 P*2 -*2 {Mw Mx M M}", .prot = RW },
	  "G*2 P*2 -*2 {Mw Mx M M}" },
	{ "PMD-mapped folio after a fork: unchanged", PTEBATCH_PAGEOUT,
	  { "[Wdyx]", .prot = RW, .twice = true }, .may_skip = true },
	{ "referenced, PMD-mapped folio: unchanged", PTEBATCH_PAGEOUT,
	  { "[Wdyx]", .prot = RW }, .may_skip = true, .state = FIRST_REFERENCED },
	{ "private file mapping: anonymous folio swapped out, file folio unmapped",
	  PTEBATCH_PAGEOUT, { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "-*8 Sx*8" },
	{ "private file mapping, file not writable: only the anonymous folio swapped out",
	  PTEBATCH_PAGEOUT, { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*8} Sx*8", .may_skip = true, .state = UNPRIVILEGED },
	{ "parts of folios, file not writable: only the anonymous folio is split",
	  PTEBATCH_PAGEOUT,
	  { "{Ry*4 | Ry*4} {Wdyx*4 | Wdyx*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*8} (Sx*4 Wdyx*4)", .may_skip = true, .state = UNPRIVILEGED },
	{ "PMD-mapped file folio, file not writable: only the anonymous folio swapped out",
	  PTEBATCH_PAGEOUT, { "[Ry] {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "[Ry] Sx*8", .may_skip = true, .state = UNPRIVILEGED },
	{ "unevictable 64K shmem folio: unchanged", PTEBATCH_PAGEOUT,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, .state = UNEVICTABLE },
	{ "unevictable, PMD-mapped shmem folio: unchanged", PTEBATCH_PAGEOUT,
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, .state = UNEVICTABLE },
	{ "VM_LOCKED VMA: -EINVAL", PTEBATCH_PAGEOUT,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* MADV_DONTNEED; ptebatch_memory has more cases of zapping. */
	{ "64K folio: unmapped",
	  PTEBATCH_DONTNEED, { "{Wdyx*16}", .prot = RW }, "-*16" },
	{ "middle 6 pages of a 64K folio: unmapped, folio not split",
	  PTEBATCH_DONTNEED, { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 -*6 Wdyx*5}" },
	{ "end of a folio, whole folio, start of a folio: unmapped, none split",
	  PTEBATCH_DONTNEED,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} -*16 {-*4 Wdyx*12}" },
	{ "middle 8 pages of a 64K folio after a fork: unmapped",
	  PTEBATCH_DONTNEED,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}" },
	{ "middle half of a PMD-mapped folio: unmapped, folio not split",
	  PTEBATCH_DONTNEED, { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
	{ "2M folio that fills a page table: unmapped", PTEBATCH_DONTNEED,
	  { "{Wdyx*T}", .prot = RW }, "-*T" },
	{ "full page table, a guard in its last entry: only the guard stays",
	  PTEBATCH_DONTNEED, { "{Wdyx*T/2} -*T/2-1 G", .prot = RW }, "-*T-1 G" },
	{ "full page table, a guard in its first entry: only the guard stays",
	  PTEBATCH_DONTNEED, { "G -*T/2-1 {Wdyx*T/2}", .prot = RW }, "G -*T-1" },
	{ "full page table, shmem folio and uffd-wp markers: the markers stay",
	  PTEBATCH_DONTNEED,
	  { "U*8 -*T/2-8 {Wdy*T/2}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*8 -*T-8" },
	{ "full page table, shmem folio with one uffd-wp PTE: it leaves a marker",
	  PTEBATCH_DONTNEED,
	  { "-*T/2 {Wdy*T/2-1 Rdyu}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "-*T-1 U" },
	{ "middle 9 pages of a 64K shmem folio: unmapped", PTEBATCH_DONTNEED,
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}" },
	{ "guards, poison, order-1 folio: only the guards stay",
	  PTEBATCH_DONTNEED,
	  { "G*2 P*2 {Wdyx*2} G", .prot = RW }, "G*2 -*4 G" },
	{ "zero page, KSM pages, in and between folios: all unmapped",
	  PTEBATCH_DONTNEED,
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rdyk*2", .prot = RW }, "-*19" },
	{ "swap entries, soft-dirty and exclusive change: middle 8 freed",
	  PTEBATCH_DONTNEED,
	  { "{Ssx*4 | Sx*2 S*2 Ss*2 S*2 | S*4}", .prot = RW, .track = true,
	    .swap = true }, "{Ssx*4 -*8 S*4}" },
	{ "swap entries across the end of a swap cluster: freed", PTEBATCH_DONTNEED,
	  { "@T/2 {Sx*4 | Sx*T-4} {Sx*T} |", .prot = RW, .swap = true,
	    .swap_follows = true }, "@T/2 {Sx*4 -*T-4} -*T" },
	{ "VM_LOCKED VMA: -EINVAL", PTEBATCH_DONTNEED,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* MADV_GUARD_INSTALL and MADV_GUARD_REMOVE. */
	{ "empty entries: become guards", PTEBATCH_GUARD_INSTALL,
	  { "-*3 | -*10 | -*3", .prot = RW }, "-*3 G*10 -*3" },
	{ "64K folio: replaced by guards", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*16}", .prot = RW }, "G*16" },
	{ "middle 6 pages of a 64K folio: replaced by guards",
	  PTEBATCH_GUARD_INSTALL, { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 G*6 Wdyx*5}" },
	{ "end of a folio, whole folio, start of a folio: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 G*4} G*16 {G*4 Wdyx*12}" },
	{ "guards, empty, poison, present and migration entries: all become guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "G*2 -*2 P*2 {Wdyx*2} {Mw Mx M M}", .prot = RW }, "G*12" },
	{ "middle 8 pages of a 64K folio after a fork: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 G*8 Rdy*4}" },
	{ "64K folio across a page table boundary: replaced by guards",
	  PTEBATCH_GUARD_INSTALL, { "@-8 {Wdyx*16}", .prot = RW }, "@-8 G*16" },
	{ "two 64K folios, a missing page table between: all entries become guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 G*16 G*T G*16" },
	{ "PMD-mapped folio: replaced by guards",
	  PTEBATCH_GUARD_INSTALL, { "[Wdyx]", .prot = RW }, "G*T" },
	{ "middle half of a PMD-mapped folio: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 G*T/2 Wdyx*T/4}" },
	{ "middle 9 pages of a 64K shmem folio: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 G*9 Wdy*4}" },
	{ "32K shmem folio, first half uffd-wp: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "{Rdyu*4 Wdy*4}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "G*8" },
	{ "uffd-wp markers: replaced by guards", PTEBATCH_GUARD_INSTALL,
	  { "U*2 - U", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "G*4" },
	{ "zero page, KSM pages, in and between folios: replaced by guards",
	  PTEBATCH_GUARD_INSTALL,
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rdyk*2", .prot = RW }, "G*19" },
	{ "VM_LOCKED VMA: -EINVAL", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },
	{ "middle 10 of 16 guards: cleared", PTEBATCH_GUARD_REMOVE,
	  { "G*3 | G*10 | G*3", .prot = RW }, "G*3 -*10 G*3" },
	{ "6 guards among the pages of a 64K folio: cleared",
	  PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*5 G*6 Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}" },
	{ "present, migration, poison and guard entries: only the guard is cleared",
	  PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 G -", .prot = RW },
	  "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 -*2" },
	{ "guards across a page table boundary: cleared", PTEBATCH_GUARD_REMOVE,
	  { "@-3 G*8", .prot = RW }, "@-3 -*8" },
	{ "PMD-mapped folio, guard: only the guard is cleared",
	  PTEBATCH_GUARD_REMOVE, { "[Wdyx] G", .prot = RW }, "[Wdyx] -" },
	{ "VM_LOCKED VMA: guards cleared", PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*2} G*2", .prot = RW, .mlocked = true }, "{Wdyx*2} -*2" },
};

static const char *split_missing(const struct advise_row *row)
{
	bool splits = row->state & FIRST_REFERENCED ||
		      (row->after && strchr(row->after, '('));

	return splits && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ?
	       "without CONFIG_TRANSPARENT_HUGEPAGE, folios cannot be split" : NULL;
}

static void row_desc(const struct advise_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s",
		 ptebatch_advices[row->advice].name, row->name);
}

KUNIT_ARRAY_PARAM(rows, rows, row_desc);

static void madvise_row(struct kunit *test)
{
	const struct advise_row *row = test->param_value;

	if (split_missing(row))
		kunit_skip(test, "%s", split_missing(row));
	check_row(test, row);
}

/* Every order, and each range of ptebatch_each_range(). */

static const struct kind {
	const char *name;
	enum ptebatch_advice advice;
	const char *after;	/* expected token of an entry in the range */
	bool frees;		/* unmaps a folio that is fully in the range */
} kinds[] = {
	{ "MADV_FREE, whole and parts: become clean, old and lazyfree", PTEBATCH_FREE,
	  "Wxl" },
	{ "MADV_COLD, whole and parts: become old", PTEBATCH_COLD, "Wdx" },
	{ "MADV_PAGEOUT, whole and parts: swapped out", PTEBATCH_PAGEOUT, "Sx",
	  .frees = true },
	{ "MADV_DONTNEED, whole and parts: unmapped", PTEBATCH_DONTNEED, "-",
	  .frees = true },
	{ "MADV_GUARD_INSTALL, whole and parts: replaced by guards",
	  PTEBATCH_GUARD_INSTALL, "G", .frees = true },
};

PTEBATCH_ORDER_PARAMS(madvise_order, kinds);

static bool check_range(struct kunit *test, const void *data, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = data;
	bool whole = from == 0 && to == nr;
	struct advise_row row = {
		.advice = kind->advice,
		.setup = { .prot = RW },
	};
	bool split = !whole && ptebatch_advices[kind->advice].splits;

	row.setup.picture = ptebatch_draw_range(test, nr, from, to, "Wdyx", "Wdyx");
	if (whole && kind->frees)
		row.after = ptebatch_draw(test, "%s*%u", kind->after, nr);
	else
		row.after = ptebatch_draw(test, "%cWdyx*%u %s*%u Wdyx*%u%c",
					  split ? '(' : '{', from, kind->after,
					  to - from, nr - to, split ? ')' : '}');
	return split_missing(&row) || check_row(test, &row);
}

static void madvise_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

/*
 * MADV_DONTNEED frees a page table that it has emptied. While it is halfway and
 * gives way to another task, without the page table lock, another thread
 * installs a guard in an entry that is already cleared: the page table stays.
 */

/**
 * struct refill - another thread, played by kprobes
 * @yields: counts folio_remove_rmap_ptes() of the first folio
 * @relocks: counts pte_offset_map_lock() of the mm
 * @ptep: entry that the other thread fills
 * @filled: the entry was filled
 */
struct refill {
	struct ptebatch_counter yields, relocks;
	pte_t *ptep;
	bool filled;
};

static void request_resched(void *data)
{
	set_tsk_need_resched(current);
}

static void fill_entry(void *data)
{
	struct refill *refill = data;

	if (!refill->yields.hits || refill->filled)
		return;
	refill->filled = true;
	set_pte(refill->ptep, make_pte_marker(PTE_MARKER_GUARD));
}

static void refill_begin(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_place *place = trial->place;
	struct refill *refill = *(struct refill * const *)data;

	trial->call.model = NULL;
	refill->ptep = pte_offset_kernel(ptebatch_find_pmd(place->mm, place->start),
					 place->start);
	refill->yields = (struct ptebatch_counter) {
		.function = "folio_remove_rmap_ptes",
		.match = trial->space->folios[0],
		.on_call = request_resched,
	};
	refill->relocks = (struct ptebatch_counter) {
		.function = "pte_offset_map_lock", .match = place->mm,
		.on_call = fill_entry, .data = refill,
	};
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&refill->yields, 1));
	KUNIT_EXPECT_EQ(trial->test, 0, ptebatch_counters_begin(&refill->relocks, 1));
}

static void refill_end(struct ptebatch_trial *trial, const void *data)
{
	struct refill *refill = *(struct refill * const *)data;

	ptebatch_counters_end(&refill->relocks, 1);
	ptebatch_counters_end(&refill->yields, 1);
	KUNIT_EXPECT_TRUE_MSG(trial->test, refill->filled,
			      "%s does not drop the page table lock halfway",
			      trial->function);
}

static void madvise_refill(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*T/2} {Wdyx*T/2}", .prot = RW, .lru = true,
	};
	struct refill *refill;
	const struct ptebatch_run run = {
		.op = &ptebatch_advices[PTEBATCH_DONTNEED], .setup = &setup,
		.after = "G -*T-1", .prepare = refill_begin, .undo = refill_end,
		.data = &refill,
	};
	bool passes = true;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "cannot play another thread without CONFIG_KPROBES");
	refill = kunit_kzalloc(test, sizeof(*refill), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, refill);
	ptebatch_row_try(test, &run, false, &passes);
}

/*
 * Another thread, played by a kprobe, changes a PMD: before madvise() locks the
 * PMD, or before it locks the page table again after a split. The entries stay as
 * they are, and those of the next page table are advised.
 */

/**
 * struct vanish_row - a PMD that changes
 * @name: name of the case
 * @advice: index into ptebatch_advices
 * @setup: the address space before
 * @after: the expected row after
 * @migrates: the PMD becomes a migration entry; otherwise it is cleared
 */
struct vanish_row {
	const char *name;
	enum ptebatch_advice advice;
	struct ptebatch_setup setup;
	const char *after;
	bool migrates;
};

static const struct vanish_row vanish_rows[] = {
	{ "MADV_COLD, PMD cleared before its lock: only the next page table old",
	  PTEBATCH_COLD, { "[Wdyx] Wdyx*4", .prot = RW, .lru = true },
	  "[Wdyx] Wdx*4" },
	{ "MADV_COLD, folio in migration before its lock: only the next page table old",
	  PTEBATCH_COLD, { "[Wdyx] Wdyx*4", .prot = RW, .lru = true },
	  "[Wdyx] Wdx*4", .migrates = true },
	{ "MADV_COLD, page table gone after a split: only the next page table old",
	  PTEBATCH_COLD,
	  { "@-20 {Wdyx*8 | Wdyx*8} Wdyx*8 |", .prot = RW, .lru = true },
	  "@-20 (Wdyx*16) Wdyx*4 Wdx*4" },
	{ "MADV_FREE, page table gone after a split: only the next page table lazyfree",
	  PTEBATCH_FREE,
	  { "@-20 {Wdyx*8 | Wdyx*8} Wdyx*8 |", .prot = RW, .lru = true },
	  "@-20 (Wdyx*16) Wdyx*4 Wxl*4" },
};

KUNIT_ARRAY_PARAM_DESC(vanish, vanish_rows, name);

/**
 * struct vanish - the other thread
 * @row: the case
 * @point: counts __pmd_trans_huge_lock() of the PMD, or folio_unlock() of the
 *         folio that was split
 * @pmdp: the PMD
 * @before: its value before
 * @changed: its value after
 */
struct vanish {
	const struct vanish_row *row;
	struct ptebatch_counter point;
	pmd_t *pmdp;
	pmd_t before, changed;
};

static void change_pmd(void *data)
{
	struct vanish *vanish = data;

	if (vanish->point.hits == 1)
		set_pmd(vanish->pmdp, vanish->changed);
}

static void vanish_begin(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_place *place = trial->place;
	struct vanish *vanish = *(struct vanish * const *)data;
	struct folio *folio = trial->space->folios[0];
	bool huge = trial->before.row.folios[0].pmd;

	trial->call.model = NULL;
	vanish->pmdp = ptebatch_find_pmd(place->mm, place->start);
	vanish->before = pmdp_get(vanish->pmdp);
	vanish->changed = __pmd(0);
	if (vanish->row->migrates)
		vanish->changed = softleaf_to_pmd(ptebatch_migration_entry(&folio->page, 0));
	vanish->point = (struct ptebatch_counter) {
		.function = huge ? "__pmd_trans_huge_lock" : "folio_unlock",
		.match = huge ? (void *)vanish->pmdp : folio,
		.on_call = change_pmd, .data = vanish,
	};
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&vanish->point, 1));
}

static void vanish_end(struct ptebatch_trial *trial, const void *data)
{
	struct vanish *vanish = *(struct vanish * const *)data;
	spinlock_t *ptl;	/* of the PMD */

	ptebatch_counters_end(&vanish->point, 1);
	KUNIT_EXPECT_EQ_MSG(trial->test, vanish->point.hits, 1,
			    "%s: calls of %s()", trial->function,
			    vanish->point.function);
	if (!vanish->point.hits)
		return;
	ptl = pmd_lock(trial->place->mm, vanish->pmdp);
	set_pmd(vanish->pmdp, vanish->before);
	spin_unlock(ptl);
}

static void madvise_vanish(struct kunit *test)
{
	const struct vanish_row *row = test->param_value;
	struct vanish *vanish;
	const struct ptebatch_run run = {
		.op = &ptebatch_advices[row->advice], .setup = &row->setup,
		.after = row->after, .prepare = vanish_begin, .undo = vanish_end,
		.data = &vanish,
	};
	bool passes = true;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "cannot play another thread without CONFIG_KPROBES");
	vanish = kunit_kzalloc(test, sizeof(*vanish), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vanish);
	vanish->row = row;
	ptebatch_row_try(test, &run, false, &passes);
}

/*
 * How often the page table lock is taken: again after each split; in MADV_COLD
 * also at each 32nd entry (SWAP_CLUSTER_MAX) if another task is to run, and that
 * entry counts again. Each time, TLB flushes that reclaim has deferred are
 * completed. A split takes the lock, too, so count only these flushes.
 */

/**
 * struct locks_row - how often the page table lock is taken
 * @name: name of the case
 * @advice: index into ptebatch_advices
 * @setup: the address space before
 * @after: the expected row after
 * @locks: number of times that the lock is taken
 * @resched: another task is to run, from the first folio on
 */
struct locks_row {
	const char *name;
	enum ptebatch_advice advice;
	struct ptebatch_setup setup;
	const char *after;
	unsigned int locks;
	bool resched;
};

static const struct locks_row locks_rows[] = {
	{ "MADV_COLD of 62 small folios, another task is to run: 2 times locked",
	  PTEBATCH_COLD, { "Wdyx*62", .prot = RW, .lru = true }, "Wdx*62", 2, true },
	{ "MADV_COLD of 63 small folios, another task is to run: 3 times locked",
	  PTEBATCH_COLD, { "Wdyx*63", .prot = RW, .lru = true }, "Wdx*63", 3, true },
	{ "MADV_COLD of half a 64K folio: 2 times locked", PTEBATCH_COLD,
	  { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .lru = true },
	  "(Wdyx*8 Wdx*8)", 2 },
	{ "MADV_FREE of half a 64K folio: 2 times locked", PTEBATCH_FREE,
	  { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .lru = true },
	  "(Wdyx*8 Wxl*8)", 2 },
};

KUNIT_ARRAY_PARAM_DESC(locks, locks_rows, name);

/**
 * struct locks - what locks_begin() counts
 * @row: the case
 * @flushes: counts flush_tlb_batched_pending() of the mm
 * @deactivated: requests another task at each folio_deactivate(), if @row->resched
 */
struct locks {
	const struct locks_row *row;
	struct ptebatch_counter flushes, deactivated;
};

static void locks_begin(struct ptebatch_trial *trial, const void *data)
{
	struct locks *locks = *(struct locks * const *)data;

	locks->flushes = (struct ptebatch_counter) {
		.function = "flush_tlb_batched_pending", .match = trial->place->mm,
	};
	locks->deactivated = (struct ptebatch_counter) {
		.function = "folio_deactivate", .on_call = request_resched,
	};
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&locks->flushes, 1));
	KUNIT_EXPECT_EQ(trial->test, 0,
			ptebatch_counters_begin(&locks->deactivated,
						locks->row->resched));
}

static void locks_end(struct ptebatch_trial *trial, const void *data)
{
	struct locks *locks = *(struct locks * const *)data;

	ptebatch_counters_end(&locks->deactivated, locks->row->resched);
	ptebatch_counters_end(&locks->flushes, 1);
	KUNIT_EXPECT_EQ_MSG(trial->test, locks->flushes.hits, locks->row->locks,
			    PTEBATCH_RULE_COST ": %s: calls of flush_tlb_batched_pending()",
			    trial->function);
}

static void madvise_locks(struct kunit *test)
{
	const struct locks_row *row = test->param_value;
	struct locks *locks;
	const struct ptebatch_run run = {
		.op = &ptebatch_advices[row->advice], .setup = &row->setup,
		.after = row->after, .prepare = locks_begin, .undo = locks_end,
		.data = &locks,
	};
	bool passes = true;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "cannot count calls without CONFIG_KPROBES");
	if (!IS_ENABLED(CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH))
		kunit_skip(test, "no deferred TLB flushes in this kernel");
	locks = kunit_kzalloc(test, sizeof(*locks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, locks);
	locks->row = row;
	ptebatch_row_try(test, &run, false, &passes);
}

/* Reclaim of a folio with a poisoned page: MADV_PAGEOUT does not swap it out. */

static const struct poisoned_row {
	const char *name, *picture, *after;
} poisoned_rows[] = {
	{ "MADV_PAGEOUT: small folio, PG_hwpoison: hwpoison entry", "Wdyxh", "H" },
	{ "MADV_PAGEOUT: 64K folio, PG_has_hwpoisoned: stays mapped",
	  "{Wdyxh Wdyx*15}", "{Wdyxh Wdyx*15}" },
	{ "MADV_PAGEOUT: 64K folio, page 3 PG_hwpoison: stays mapped",
	  "{Wdyx*3 Wdyxh Wdyx*12}", "{Wdyx*3 Wdyxh Wdyx*12}" },
};

KUNIT_ARRAY_PARAM_DESC(poisoned, poisoned_rows, name);

static void madvise_poisoned(struct kunit *test)
{
	const struct poisoned_row *row = test->param_value;
	const struct ptebatch_op *op = &ptebatch_advices[PTEBATCH_PAGEOUT];
	const struct ptebatch_setup setup = {
		row->picture, .prot = RW, .lru = true,
	};
	struct ptebatch_trial *trial;

	if (ptebatch_op_missing(op))
		kunit_skip(test, "%s", ptebatch_op_missing(op));
	trial = ptebatch_trial_alloc(test, op->name);
	trial->space = ptebatch_space(test, &setup);
	trial->place = &trial->space->places[0];
	ptebatch_snapshot(&trial->before, trial->space, trial->place);
	/*
	 * Reclaim skips a large folio with another reference. A small one keeps
	 * it: the page must not be freed with PG_hwpoison.
	 */
	if (folio_test_large(trial->space->folios[0]))
		ptebatch_space_drop_refs(trial->space);
	KUNIT_EXPECT_EQ(test, 0, op->call(op, trial->space, false));
	KUNIT_ASSERT_EQ(test, 0, ptebatch_space_reacquire_refs(trial->space));
	ptebatch_snapshot(&trial->after, trial->space, trial->place);
	ptebatch_trial_expect(trial, row->after);
}

static struct kunit_case madvise_cases[] = {
	KUNIT_CASE_PARAM(madvise_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(madvise_order),
	KUNIT_CASE(madvise_refill),
	KUNIT_CASE_PARAM(madvise_vanish, vanish_gen_params),
	KUNIT_CASE_PARAM(madvise_locks, locks_gen_params),
	KUNIT_CASE_PARAM(madvise_poisoned, poisoned_gen_params),
	{}
};

PTEBATCH_SUITE(madvise, madvise_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_COHERENT_DEVICE);
