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
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/advise.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define COLD		(&ptebatch_advices[PTEBATCH_COLD])
#define PAGEOUT		(&ptebatch_advices[PTEBATCH_PAGEOUT])
#define FREE		(&ptebatch_advices[PTEBATCH_FREE])
#define DONTNEED	(&ptebatch_advices[PTEBATCH_DONTNEED])
#define GUARD_INSTALL	(&ptebatch_advices[PTEBATCH_GUARD_INSTALL])
#define GUARD_REMOVE	(&ptebatch_advices[PTEBATCH_GUARD_REMOVE])

/* Conditions of this suite. */

/* The folios that were active before MADV_COLD. */
static DECLARE_BITMAP(active, PTEBATCH_ROW_ENTRIES);

/*
 * MADV_COLD must clear PG_referenced and PG_active, and set PG_workingset where
 * it clears PG_active. Every other folio is active. MGLRU has no PG_active.
 */
static void mark_referenced(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	struct ptebatch_space *space = use->trial->space;
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

static const struct ptebatch_condition_type folios_referenced = {
	.name = "all folios are referenced, some active", .occur = mark_referenced,
};

/* The first folio is one of 32K. */
#define FIRST_SHARED	CHILD_LACKS(8, U16_MAX)

static void dup_swap(struct ptebatch_use *use, const unsigned long *args,
		     struct pt_regs *regs)
{
	struct folio *folio = use->trial->space->folios[0];

	KUNIT_ASSERT_EQ(use->trial->test, ptebatch_swap_dup(folio, 0, 1), 0);
	use->folio = folio;
}

static void put_swap(struct ptebatch_use *use)
{
	if (use->folio)
		ptebatch_swap_put(use->folio, 0, 1);
}

static const struct ptebatch_condition_type swap_shared = {
	.name = "another mm has the first page in swap", .occur = dup_swap, .end = put_swap,
};

#define SWAP_SHARED	{ .type = &swap_shared }

static void clean_and_unlock(struct ptebatch_use *use, const unsigned long *args,
			     struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		folio_clear_dirty(space->folios[i]);
		folio_unlock(space->folios[i]);
	}
}

static void lock_again(struct ptebatch_use *use)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_lock(space->folios[i]);
}

static const struct ptebatch_condition_type swap_cache = {
	.name = "the folios in the swap cache are clean and unlocked",
	.occur = clean_and_unlock, .end = lock_again,
};

#define SWAP_CACHE	{ .type = &swap_cache }

static void set_dirty(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_set_dirty(space->folios[i]);
}

static const struct ptebatch_condition_type folios_dirty = {
	.name = "the folios have PG_dirty", .occur = set_dirty,
};

#define FOLIOS_DIRTY	{ .type = &folios_dirty }

/* Move the folios to the LRU lists that they belong to. */
static void move_folios(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (folio_isolate_lru(space->folios[i]))
			folio_putback_lru(space->folios[i]);
	lru_add_drain();
}

static void set_unevictable(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	mapping_set_unevictable(use->trial->space->file->f_mapping);
	move_folios(use->trial->space);
}

static void clear_unevictable(struct ptebatch_use *use)
{
	mapping_clear_unevictable(use->trial->space->file->f_mapping);
	move_folios(use->trial->space);
}

static const struct ptebatch_condition_type unevictable = {
	.name = "the file is unevictable, as after SHM_LOCK",
	.occur = set_unevictable, .end = clear_unevictable,
};

#define UNEVICTABLE	{ .type = &unevictable }

/* Neither the owner of the file nor anyone with access to it. */
static void drop_privileges(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(use->trial->test, cred);
	cred->fsuid = KUIDT_INIT(1000);
	cred->fsgid = KGIDT_INIT(1000);
	cap_clear(cred->cap_effective);
	use->data = cred;
	override_creds(cred);
}

static void restore_privileges(struct ptebatch_use *use)
{
	if (use->data)
		put_cred(revert_creds(current_real_cred()));
}

static const struct ptebatch_condition_type unprivileged = {
	.name = "the caller may not write to the file",
	.occur = drop_privileges, .end = restore_privileges,
};

#define UNPRIVILEGED	{ .type = &unprivileged }

/* Of any page. The picture has an empty entry: no folio of the row is there. */
static void set_hwpoison_entry(struct ptebatch_use *use, const unsigned long *args,
			       struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	struct folio *folio = use->trial->space->folios[0];
	pmd_t *pmdp = ptebatch_find_pmd(place->mm, place->start);
	unsigned long addr = ptebatch_addr(use->trial->space, 1);

	folio_lock(folio);
	ptebatch_exchange_pte(place->mm, addr, pte_offset_kernel(pmdp, addr),
			      softleaf_to_pte(make_hwpoison_entry(&folio->page)));
	folio_unlock(folio);
}

static const char *no_hwpoison(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_MEMORY_FAILURE) ? NULL :
	       "no hwpoison entries without CONFIG_MEMORY_FAILURE";
}

static const struct ptebatch_condition_type hwpoison_entry = {
	.name = "the second entry is a hwpoison entry", .missing = no_hwpoison,
	.occur = set_hwpoison_entry,
};

#define HWPOISON_ENTRY	{ .type = &hwpoison_entry }

/* What the advices do besides changing entries. */

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
		    !(was->flags & ~is->flags & cleared) || !PTEBATCH_FLUSHES_SEEN)
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test, test_bit(i, trial->secondary.flushed),
				      PTEBATCH_RULE_TLB ": %s does not flush entry %u",
				      trial->function, i);
	}
	/* The twin splits folios. */
	if (!changed && !trial->one_by_one)
		KUNIT_EXPECT_EQ_MSG(trial->test, trial->secondary.flushes, 0,
				    PTEBATCH_RULE_COST ": %s flushes, but changes no entry",
				    trial->function);
}

static void check(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	bool cold = row->op->arg == MADV_COLD;

	if (cold && row->after)
		expect_deactivated(trial);
	/* Of small folios and by the twin, others may be skipped. */
	if (cold && row->after && !trial->space->setup.small && !trial->one_by_one)
		ptebatch_trial_expect_old(trial, row->after);
	if (row->op->arg == MADV_FREE)
		expect_clean(trial);
	if (cold || row->op->arg == MADV_FREE)
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

/* A file folio that is split is unmapped: its entries cannot be compared. */
static bool unmaps(const struct ptebatch_case *row)
{
	return row->setup.mapping == PTEBATCH_FILE && row->after && strchr(row->after, '(');
}

/* With batches of one, no large folio is fully mapped: the twin splits each of them. */
static bool twin_comparable(const struct ptebatch_case *row)
{
	if (row->no_twin || !row->op->splits)
		return !row->no_twin;
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	       row->setup.mapping == PTEBATCH_ANON;
}

/*
 * With @no_twin, madvise() may skip a folio that is locked, referenced or mapped
 * twice. The model takes all folios of a file mapping for file folios.
 */
static bool check_row(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_case run = *row;
	struct ptebatch_trial *kernel, *twin, *pages;
	bool passes = true;

	if (!(run.setup.folios & COHERENT))
		run.setup.folios |= ON_LRU;
	run.no_model = !row->after || row->no_twin || unmaps(row) ||
		       (row->op == PAGEOUT && row->setup.mapping == PTEBATCH_PRIVATE_FILE);
	run.check = check;
	if (row->op == COLD) {
		memmove(&run.with[1], &run.with[0], sizeof(run.with) - sizeof(run.with[0]));
		run.with[0] = (struct ptebatch_condition) { .type = &folios_referenced };
	}
	kernel = ptebatch_case_try(test, &run, false, &passes);
	if (passes && twin_comparable(row)) {
		/* The twin splits other folios than the picture shows. */
		twin = ptebatch_case_call(test, &run, true, &passes);
		check(twin, &run);
		passes = ptebatch_trial_same(kernel, twin);
	}
	/* The device has no memory for a PMD range of small folios. */
	if (!passes || unmaps(row) || run.setup.folios & COHERENT)
		return passes;
	run.setup.small = true;
	pages = ptebatch_case_call(test, &run, false, &passes);
	check(pages, &run);
	expect_like_pages(kernel, pages, row->no_twin);
	return true;
}

static const struct ptebatch_case rows[] = {
	/* The page table disappears before it is locked. */
	{ "MADV_FREE, corrupt PMD: cleared and reported, only the next page table lazyfree",
	  { "@-4 Wdyx*4 {Wdyx*16}", .prot = RW }, "@-4 Wdyx*4 {Wxl*16}", .op = FREE,
	  .with = { BAD_PMD } },
	{ "MADV_COLD, corrupt PMD: cleared and reported, only the next page table old",
	  { "@-4 Wdyx*4 {Wdyx*16}", .prot = RW }, "@-4 Wdyx*4 {Wdx*16}", .op = COLD,
	  .with = { BAD_PMD } },

	/* A folio of a device is left alone. */
	{ "MADV_FREE, 64K folio in device-coherent memory: unchanged",
	  { "{Wdyx*16}", .prot = RW, .folios = COHERENT }, .op = FREE },
	{ "MADV_COLD, 64K folio in device-coherent memory: unchanged",
	  { "{Wdyx*16}", .prot = RW, .folios = COHERENT }, .op = COLD },
	{ "half of a 64K folio in device-coherent memory: unmapped, not in the queue",
	  { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .folios = COHERENT }, "{Wdyx*8 .*8} -*8",
	  .op = DONTNEED },
	{ "MADV_COLD, PMD-mapped folio in device-coherent memory: unchanged",
	  { "[Wdyx]", .prot = RW, .folios = COHERENT }, .op = COLD },

	/* MADV_FREE. */
	{ "64K folio, dirty and young: becomes clean, old and lazyfree",
	  { "{Wdyx*16}", .prot = RW }, "{Wxl*16}", .op = FREE },
	{ "small folios, dirty, young or neither: all become clean, old and lazyfree",
	  { "Wdyx Rdx Wyx Wx", .prot = RW }, "Wxl Rxl Wxl*2", .op = FREE },
	{ "64K folio, pages dirty, young, both or neither: all become clean, old and lazyfree",
	  { "{Wdx*4 Wyx*4 Wdyx*4 Wx*4}", .prot = RW }, "{Wxl*16}", .op = FREE },
	{ "64K folio, only the last page dirty: becomes clean and lazyfree",
	  { "{Rx*15 Rdx}", .prot = RO }, "{Rxl*16}", .op = FREE },
	{ "64K folio, only the last page young: becomes old and lazyfree",
	  { "{Rx*15 Ryx}", .prot = RO }, "{Rxl*16}", .op = FREE },
	{ "64K folio, second half read-only: becomes lazyfree, write bits stay",
	  { "{Wdyx*8 Rdyx*8}", .prot = RW }, "{Wxl*8 Rxl*8}", .op = FREE },
	{ "64K folio, clean, old and lazyfree: unchanged", { "{Wxl*16}", .prot = RW },
	  "{Wxl*16}", .op = FREE },
	{ "64K folio, first half soft-dirty: becomes lazyfree, soft-dirty bits stay",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "{Wsxl*8 Rxl*8}",
	  .op = FREE },
	{ "64K folio, uffd-wp: becomes lazyfree, uffd-wp bits stay",
	  { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP }, "{Ruxl*16}", .op = FREE },
	{ "64K folio, small folio, 32K folio: all become lazyfree",
	  { "{Wdyx*16} Wdyx {Wdyx*8}", .prot = RW }, "{Wxl*16} Wxl {Wxl*8}",
	  .op = FREE },
	{ "two physically adjacent 64K folios: both become lazyfree",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Wxl*16} {Wxl*16}", .op = FREE },
	{ "last two of three folios in the range: only these become lazyfree",
	  { "{Wdyx*16} | {Wdyx*16} {Wdyx*4} |", .prot = RW },
	  "{Wdyx*16} {Wxl*16} {Wxl*4}", .op = FREE },
	{ "64K folio at an unaligned address: becomes lazyfree",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wxl*16}", .op = FREE },
	{ "middle 6 pages of a 64K folio: split, these pages become lazyfree",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "(Wdyx*5 Wxl*6 Wdyx*5)",
	  .op = FREE },
	{ "first page of a 64K folio: split, this page becomes lazyfree",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "(Wxl Wdyx*15)", .op = FREE },
	{ "all but the first page of a 64K folio: split, these pages become lazyfree",
	  { "{Wdyx | Wdyx*15} |", .prot = RW }, "(Wdyx Wxl*15)", .op = FREE },
	{ "all but the last page of a 64K folio: split, these pages become lazyfree",
	  { "| {Wdyx*15 | Wdyx}", .prot = RW }, "(Wxl*15 Wdyx)", .op = FREE },
	{ "end of a folio, whole folio, start of a folio: outer two split, range lazyfree",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wxl*4) {Wxl*16} (Wxl*4 Wdyx*12)", .op = FREE },
	{ "middle of a 64K folio, first half read-only and soft-dirty: split, these bits stay",
	  { "{Rdysx*4 | Rdysx*4 Wdyx*4 | Wdyx*4}", .prot = RW, .track = true },
	  "(Rdysx*4 Rsxl*4 Wxl*4 Wdyx*4)", .op = FREE },
	{ "64K folio without its first 3 pages: split, mapped pages become lazyfree",
	  { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wxl*13)", .op = FREE },
	{ "64K folio with a hole of 2 pages: split, mapped pages become lazyfree",
	  { "{Wdyx*5 -*2 Wdyx*9}", .prot = RW }, "(Wxl*5 -*2 Wxl*9)", .op = FREE },
	{ "64K folio across a page table boundary: split, all pages become lazyfree",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wxl*16)", .op = FREE },
	{ "64K folio in two VMAs: split, all pages become lazyfree",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "(Wxl*16)", .op = FREE },
	{ "64K folio after a fork: becomes lazyfree",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rl*16}", .op = FREE,
	  .no_twin = true },
	{ "middle of a 64K folio after a fork: unchanged",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true }, .op = FREE,
	  .no_twin = true },
	{ "small folio after a fork: becomes lazyfree",
	  { "Wdyx", .prot = RW, .twice = true }, "Rl", .op = FREE },
	{ "PMD-mapped folio: becomes clean, old and lazyfree", { "[Wdyx]", .prot = RW },
	  "[Wxl]", .op = FREE },
	{ "middle half of a PMD-mapped folio: split, these pages become lazyfree",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wxl*T/2 Wdyx*T/4)", .op = FREE },
	{ "2M folio mapped by PTEs: becomes lazyfree", { "{Wdyx*T}", .prot = RW },
	  "{Wxl*T}", .op = FREE },
	{ "two 64K folios, a missing page table between: both become lazyfree",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 {Wxl*16} -*T {Wxl*16}",
	  .op = FREE },
	{ "64K folio, 10 of its pages in swap: swap entries freed, mapped pages unchanged",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .folios = WITH_SWAP },
	  "{Wdyx*4 -*10 Wdyx*2}", .op = FREE, .no_twin = true },
	{ "middle 8 of 16 swap entries: freed",
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .folios = WITH_SWAP }, "{Sx*4 -*8 Sx*4}",
	  .op = FREE },
	{ "swap entries, soft-dirty and exclusive change: freed",
	  { "{Ssx*4 Sx*2 S*2 Ss*2 S*6}", .prot = RW, .track = true, .folios = WITH_SWAP },
	  "-*16", .op = FREE },
	{ "swap entries, some uffd-wp: freed",
	  { "{Sx*4 | Sux*4 Sx*4 | Sux*4}", .prot = RW, .uffd = UFFD_WP, .folios = WITH_SWAP },
	  "{Sx*4 -*8 Sux*4}", .op = FREE },
	{ "swap entries after a fork: freed",
	  { "{S*16}", .prot = RW, .folios = WITH_SWAP, .twice = true }, "-*16", .op = FREE },
	{ "swap entries across the end of a swap cluster: freed",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*T} |", .prot = RW, .folios = WITH_SWAP | SWAP_FOLLOWS },
	  "@T/2 {Sx*T-4 -*4} -*T", .op = FREE },
	{ "swap entries of two devices, with slots that follow one another: freed",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*T} |", .prot = RW,
	    .folios = WITH_SWAP | SWAP_FOLLOWS | SWAP_ALTERNATES },
	  "@T/2 {Sx*T-4 -*4} -*T", .op = FREE },
	{ "migration entries: unchanged", { "{Mw*4 Mx*4 M*8}", .prot = RW },
	  "{Mw*4 Mx*4 M*8}", .op = FREE },
	{ "huge zero page: unchanged", { "[Rzy]", .prot = RW }, "[Rzy]", .op = FREE },
	{ "PMD migration entry: unchanged", { "[Mw]", .prot = RW }, "[Mw]",
	  .op = FREE },
	{ "guards, poison, order-1 folios: guards stay, poison is cleared",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "{Wxl*2} G*2 -*2 {Wxl*2} G",
	  .op = FREE },
	{ "zero page between folios: unchanged, folios become lazyfree",
	  { "Rzy {Wdyx*16} Rz*2 {Wdyx*4} Rzy", .prot = RW },
	  "Rzy {Wxl*16} Rz*2 {Wxl*4} Rzy", .op = FREE },
	{ "zero page in a 64K folio: split, mapped pages become lazyfree",
	  { "{Wdyx*5 Rzy*2 Wdyx*9}", .prot = RW }, "(Wxl*5 Rzy*2 Wxl*9)", .op = FREE },
	{ "PMD-mapped folio, then small folios: all become lazyfree",
	  { "[Wdyx] Wdyx*4", .prot = RW }, "[Wxl] Wxl*4", .op = FREE },
	{ "hwpoison entry and poison between small folios: cleared",
	  { "Wdyx - P Wdyx", .prot = RW }, "Wxl -*2 Wxl", .op = FREE,
	  .with = { HWPOISON_ENTRY } },
	{ "half of a referenced 64K folio, a second folio: only the second lazyfree",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW }, "{Wdyx*16} {Wxl*8}",
	  .op = FREE, .with = { REFERENCED(0) }, .no_twin = true },
	{ "half of a locked 64K folio, a second folio: only the second lazyfree",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW }, "{Wdyx*16} {Wxl*8}",
	  .op = FREE, .with = { LOCKED(0) }, .no_twin = true },
	{ "half of a shared 32K folio, an exclusive folio: only the second lazyfree",
	  { "{Wdyx*4 | Wdyx*4} {Wdyx*8} |", .prot = RW, .twice = true },
	  "{Rdy*8} {Rl*8}", .op = FREE, .with = { FIRST_SHARED }, .no_twin = true },
	{ "64K folio, PG_dirty: becomes lazyfree and clean",
	  { "{Wdyx*16}", .prot = RW }, "{Wxl*16}", .op = FREE,
	  .with = { FOLIOS_DIRTY } },
	{ "locked 32K folio, PG_dirty, a second folio: only the second lazyfree",
	  { "{Wdyx*8} {Wdyx*8}", .prot = RW }, "{Wdyx*8} {Wxl*8}", .op = FREE,
	  .with = { FOLIOS_DIRTY, LOCKED(0) }, .no_twin = true },
	{ "shared 32K folio, PG_dirty, an exclusive folio: only the second lazyfree",
	  { "{Wdyx*8} {Wdyx*8}", .prot = RW, .twice = true }, "{Rdy*8} {Rl*8}",
	  .op = FREE, .with = { FOLIOS_DIRTY, FIRST_SHARED }, .no_twin = true },
	{ "64K folio in the swap cache: lazyfree, no longer in the swap cache",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Wxl*16}", .op = FREE,
	  .with = { SWAP_CACHE }, .no_twin = true },
	{ "two folios in the swap cache, one shared in swap: only the other lazyfree",
	  { "{Wdyx*8} {Wdyx*8}", .prot = RW, .folios = WITH_SWAP }, "{Wdyx*8} {Wxl*8}",
	  .op = FREE, .with = { SWAP_SHARED, SWAP_CACHE }, .no_twin = true },
	{ "locked 64K folio in the swap cache: unchanged",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, .op = FREE },
	{ "VM_LOCKED VMA: -EINVAL", { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED },
	  .op = FREE, .ret = -EINVAL },
	{ "shared shmem mapping: -EINVAL", { "{Wdy*16}", PTEBATCH_SHMEM, RW },
	  .op = FREE, .ret = -EINVAL },
	{ "anonymous folio in a private file mapping: -EINVAL",
	  { "{Wdyx*16}", PTEBATCH_PRIVATE_FILE, RW }, .op = FREE, .ret = -EINVAL },

	/* MADV_COLD. */
	{ "64K folio, young: becomes old", { "{Wdyx*16}", .prot = RW }, "{Wdx*16}",
	  .op = COLD },
	{ "small folios, some young: all become old",
	  { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Wdx Rdx Rx Wdx", .op = COLD },
	{ "64K folio, only the first page young: becomes old",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}", .op = COLD },
	{ "64K folio, only the last page young: becomes old",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}", .op = COLD },
	{ "128K folio, second half dirty: becomes old, dirty bits stay",
	  { "{Ryx*16 Rdyx*16}", .prot = RO }, "{Rx*16 Rdx*16}", .op = COLD },
	{ "64K folio, middle 6 pages read-only: becomes old, write bits stay",
	  { "{Wdyx*5 Rdyx*6 Wdyx*5}", .prot = RW }, "{Wdx*5 Rdx*6 Wdx*5}", .op = COLD },
	{ "soft-dirty 64K folio, uffd-wp 64K folio: both old, bits stay",
	  { "{Wdysx*16} {Rdyux*16}", .prot = RW, .track = true, .uffd = UFFD_WP },
	  "{Wdsx*16} {Rdux*16}", .op = COLD },
	{ "lazyfree 64K folio, young: becomes old, stays lazyfree",
	  { "{Wyxl*16}", .prot = RW }, "{Wxl*16}", .op = COLD },
	{ "middle 6 pages of a 64K folio: split, these pages become old",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "(Wdyx*5 Wdx*6 Wdyx*5)",
	  .op = COLD },
	{ "end of a folio, whole folio, start of a folio: outer two split, range old",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wdx*4) {Wdx*16} (Wdx*4 Wdyx*12)", .op = COLD },
	{ "64K folio without its first 3 pages: split, mapped pages become old",
	  { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wdx*13)", .op = COLD },
	{ "64K folio across a page table boundary: split, all pages become old",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wdx*16)", .op = COLD },
	{ "64K folio in two VMAs: split, all pages become old",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "(Wdx*16)", .op = COLD },
	{ "64K folio at an unaligned address: becomes old",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wdx*16}", .op = COLD },
	{ "64K folio after a fork: unchanged",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .op = COLD, .no_twin = true },
	{ "middle of a 64K folio after a fork: unchanged",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true }, .op = COLD,
	  .no_twin = true },
	{ "64K file folio: becomes old", { "{Ry*16}", PTEBATCH_FILE, RO }, "{R*16}",
	  .op = COLD },
	{ "64K shmem folio, one page dirty: becomes old, page stays dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_SHMEM, RW }, "{R*9 Wd R*6}", .op = COLD },
	{ "64K shmem folio mapped twice: unchanged",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, .op = COLD,
	  .no_twin = true },
	{ "private file mapping, anonymous folio and file folio: both become old",
	  { "{Wdyx*8} {Ry*8}", PTEBATCH_PRIVATE_FILE, RW }, "{Wdx*8} {R*8}",
	  .op = COLD },
	{ "PMD-mapped folio: becomes old", { "[Wdyx]", .prot = RW }, "[Wdx]",
	  .op = COLD },
	{ "middle half of a PMD-mapped folio: split, these pages become old",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wdx*T/2 Wdyx*T/4)", .op = COLD },
	{ "2M folio mapped by PTEs: becomes old", { "{Wdyx*T}", .prot = RW }, "{Wdx*T}",
	  .op = COLD },
	{ "huge zero page: stays young", { "[Rzy]", .prot = RW }, "[Rzy]", .op = COLD },
	{ "PMD migration entry: unchanged", { "[Mw]", .prot = RW }, "[Mw]",
	  .op = COLD },
	{ "guards, poison, empty and migration entries: unchanged",
	  { "{Wdyx*2} G*2 P*2 -*2 {Mw Mx M M}", .prot = RW },
	  "{Wdx*2} G*2 P*2 -*2 {Mw Mx M M}", .op = COLD },
	{ "zero page between folios: stays young, folios become old",
	  { "Rzy {Wdyx*16} Rzy*2 {Wdyx*4} Rzy", .prot = RW },
	  "Rzy {Wdx*16} Rzy*2 {Wdx*4} Rzy", .op = COLD },
	{ "KSM pages between exclusive pages: all become old",
	  { "Rdyk*2 Wdyx Rdyk", .prot = RW }, "Rdk*2 Wdx Rdk", .op = COLD },
	{ "64K folio, old: unchanged, no TLB flush", { "{Wdx*16}", .prot = RW },
	  "{Wdx*16}", .op = COLD },
	{ "PMD-mapped folio, old: unchanged, no TLB flush", { "[Wdx]", .prot = RW },
	  "[Wdx]", .op = COLD },
	{ "PMD-mapped folio, then small folios: all become old",
	  { "[Wdyx] Wdyx*4", .prot = RW }, "[Wdx] Wdx*4", .op = COLD },
	{ "two PMD-mapped folios, the second inactive: both become old",
	  { "[Wdyx] [Wdyx]", .prot = RW }, "[Wdx] [Wdx]", .op = COLD },
	{ "PMD-mapped file folio: becomes old", { "[Ry]", PTEBATCH_FILE, RO }, "[R]",
	  .op = COLD },
	{ "PMD-mapped folio after a fork: unchanged",
	  { "[Wdyx]", .prot = RW, .twice = true }, .op = COLD, .no_twin = true },
	{ "half of a PMD-mapped folio after a fork: unchanged",
	  { "[Wdyx*T/2 | Wdyx*T/2] |", .prot = RW, .twice = true }, .op = COLD,
	  .no_twin = true },
	{ "half of a locked, PMD-mapped folio, small folios: only these become old",
	  { "[Wdyx*T/2 | Wdyx*T/2] Wdyx*4 |", .prot = RW }, "[Wdyx] Wdx*4", .op = COLD,
	  .with = { LOCKED(0) }, .no_twin = true },
	{ "half of a referenced, PMD-mapped folio, small folios: only these become old",
	  { "[Wdyx*T/2 | Wdyx*T/2] Wdyx*4 |", .prot = RW }, "[Wdyx] Wdx*4", .op = COLD,
	  .with = { REFERENCED(0) }, .no_twin = true },
	{ "half of a locked 64K folio, a second folio: only the second becomes old",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW }, "{Wdyx*16} {Wdx*8}",
	  .op = COLD, .with = { LOCKED(0) }, .no_twin = true },
	{ "half of a referenced 64K folio, a second folio: only the second becomes old",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*8} |", .prot = RW }, "{Wdyx*16} {Wdx*8}",
	  .op = COLD, .with = { REFERENCED(0) }, .no_twin = true },
	{ "64K folio isolated from the LRU, small folio: only the small one becomes old",
	  { "{Wdyx*16} Wdyx", .prot = RW }, "{Wdyx*16} Wdx", .op = COLD,
	  .with = { ISOLATED(0) }, .no_twin = true },
	{ "half of a shared 32K folio, an exclusive folio: only the second becomes old",
	  { "{Wdyx*4 | Wdyx*4} {Wdyx*8} |", .prot = RW, .twice = true },
	  "{Rdy*8} {Rd*8}", .op = COLD, .with = { FIRST_SHARED }, .no_twin = true },
	{ "shared 32K folio, exclusive 32K folio: only the second becomes old",
	  { "{Wdyx*8} {Wdyx*8}", .prot = RW, .twice = true }, "{Rdy*8} {Rd*8}",
	  .op = COLD, .with = { FIRST_SHARED }, .no_twin = true },
	{ "64K file folio, second half not mapped: split, which unmaps it",
	  { "{Ry*8 .*8}", PTEBATCH_FILE, RO }, "(-*8 .*8)", .op = COLD },
	{ "private file mapping, file not writable: both folios become old",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "{R*8} {Wdx*8}", .op = COLD,
	  .with = { UNPRIVILEGED } },
	{ "pending SIGKILL: unchanged", { "{Wdyx*16}", .prot = RW }, .op = COLD,
	  .with = { KILLED } },
	{ "VM_LOCKED VMA: -EINVAL", { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED },
	  .op = COLD, .ret = -EINVAL },

	/* MADV_PAGEOUT. */
	{ "64K folio: swapped out", { "{Wdyx*16}", .prot = RW }, "Sx*16",
	  .op = PAGEOUT },
	{ "small folios: swapped out", { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Sx*4",
	  .op = PAGEOUT },
	{ "64K droppable folio, dirty: dropped",
	  { "{Wdyxl*16}", .prot = RW, .vma = VM_DROPPABLE }, "-*16", .op = PAGEOUT },
	{ "64K folio, first 4 pages soft-dirty: their 4 swap entries soft-dirty",
	  { "{Wdysx*4 Rdyx*12}", .prot = RW, .track = true }, "Ssx*4 Sx*12",
	  .op = PAGEOUT },
	{ "64K folio, first 4 pages uffd-wp: their 4 swap entries uffd-wp",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_WP }, "Sxu*4 Sx*12",
	  .op = PAGEOUT },
	{ "64K folio, second half shared: only the first 8 swap entries exclusive",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, "Sx*8 S*8", .op = PAGEOUT },
	{ "middle 6 pages of a 64K folio: split, these pages are swapped out",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "(Wdyx*5 Sx*6 Wdyx*5)",
	  .op = PAGEOUT },
	{ "end of a folio, whole folio, start of a folio: outer two split, range swapped out",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Sx*4) Sx*16 (Sx*4 Wdyx*12)", .op = PAGEOUT },
	{ "64K folio without its first 3 pages: mapped pages are swapped out",
	  { "{.*3 Wdyx*13}", .prot = RW }, "Sx*13", .op = PAGEOUT },
	{ "64K folio across a page table boundary: swapped out",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 Sx*16", .op = PAGEOUT },
	{ "64K folio after a fork: unchanged",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .op = PAGEOUT, .no_twin = true },
	{ "middle of a 64K folio after a fork: unchanged",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true }, .op = PAGEOUT,
	  .no_twin = true },
	{ "clean 64K file folio: unmapped", { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16",
	  .op = PAGEOUT },
	{ "PMD-mapped folio: swapped out", { "[Wdyx]", .prot = RW }, "Sx*T",
	  .op = PAGEOUT },
	{ "middle half of a PMD-mapped folio: split, these pages are swapped out",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Sx*T/2 Wdyx*T/4)", .op = PAGEOUT },
	{ "guards, poison, empty and migration entries: unchanged",
	  { "G*2 P*2 -*2 {Mw Mx M M}", .prot = RW }, "G*2 P*2 -*2 {Mw Mx M M}",
	  .op = PAGEOUT },
	{ "PMD-mapped folio after a fork: unchanged",
	  { "[Wdyx]", .prot = RW, .twice = true }, .op = PAGEOUT, .no_twin = true },
	{ "referenced, PMD-mapped folio: unchanged", { "[Wdyx]", .prot = RW },
	  .op = PAGEOUT, .with = { REFERENCED(0) }, .no_twin = true },
	{ "private file mapping: anonymous folio swapped out, file folio unmapped",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*8 Sx*8", .op = PAGEOUT },
	{ "private file mapping, file not writable: only the anonymous folio swapped out",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*8} Sx*8",
	  .op = PAGEOUT, .with = { UNPRIVILEGED }, .no_twin = true },
	{ "parts of folios, file not writable: only the anonymous folio is split",
	  { "{Ry*4 | Ry*4} {Wdyx*4 | Wdyx*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*8} (Sx*4 Wdyx*4)", .op = PAGEOUT, .with = { UNPRIVILEGED },
	  .no_twin = true },
	{ "PMD-mapped file folio, file not writable: only the anonymous folio swapped out",
	  { "[Ry] {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "[Ry] Sx*8", .op = PAGEOUT,
	  .with = { UNPRIVILEGED }, .no_twin = true },
	{ "unevictable 64K shmem folio: unchanged", { "{Wdy*16}", PTEBATCH_SHMEM, RW },
	  .op = PAGEOUT, .with = { UNEVICTABLE } },
	{ "unevictable, PMD-mapped shmem folio: unchanged",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, .op = PAGEOUT, .with = { UNEVICTABLE } },
	{ "PMD-mapped shmem folio: swapped out",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "{-*T}", .op = PAGEOUT,
	  .no_twin = true },
	{ "VM_LOCKED VMA: -EINVAL", { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED },
	  .op = PAGEOUT, .ret = -EINVAL },

	/* MADV_DONTNEED; ptebatch_memory has more cases of zapping. */
	{ "64K folio: unmapped", { "{Wdyx*16}", .prot = RW }, "-*16", .op = DONTNEED },
	{ "middle 6 pages of a 64K folio: unmapped, folio not split",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  .op = DONTNEED },
	{ "end of a folio, whole folio, start of a folio: unmapped, none split",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} -*16 {-*4 Wdyx*12}", .op = DONTNEED },
	{ "middle 8 pages of a 64K folio after a fork: unmapped",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}", .op = DONTNEED },
	{ "middle half of a PMD-mapped folio: unmapped, folio not split",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}", .op = DONTNEED },
	{ "2M folio that fills a page table: unmapped", { "{Wdyx*T}", .prot = RW },
	  "-*T", .op = DONTNEED },
	{ "full page table, a guard in its last entry: only the guard stays",
	  { "{Wdyx*T/2} -*T/2-1 G", .prot = RW }, "-*T-1 G", .op = DONTNEED },
	{ "full page table, a guard in its first entry: only the guard stays",
	  { "G -*T/2-1 {Wdyx*T/2}", .prot = RW }, "G -*T-1", .op = DONTNEED },
	{ "full page table, shmem folio and uffd-wp markers: the markers stay",
	  { "U*8 -*T/2-8 {Wdy*T/2}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "U*8 -*T-8",
	  .op = DONTNEED },
	{ "full page table, shmem folio with one uffd-wp PTE: it leaves a marker",
	  { "-*T/2 {Wdy*T/2-1 Rdyu}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*T-1 U",
	  .op = DONTNEED },
	{ "middle 9 pages of a 64K shmem folio: unmapped",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*3 -*9 Wdy*4}",
	  .op = DONTNEED },
	{ "guards, poison, order-1 folio: only the guards stay",
	  { "G*2 P*2 {Wdyx*2} G", .prot = RW }, "G*2 -*4 G", .op = DONTNEED },
	{ "zero page, KSM pages, in and between folios: all unmapped",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rdyk*2", .prot = RW }, "-*19", .op = DONTNEED },
	{ "swap entries, soft-dirty and exclusive change: middle 8 freed",
	  { "{Ssx*4 | Sx*2 S*2 Ss*2 S*2 | S*4}", .prot = RW, .track = true,
	    .folios = WITH_SWAP },
	  "{Ssx*4 -*8 S*4}", .op = DONTNEED },
	{ "swap entries across the end of a swap cluster: freed",
	  { "@T/2 {Sx*4 | Sx*T-4} {Sx*T} |", .prot = RW, .folios = WITH_SWAP | SWAP_FOLLOWS },
	  "@T/2 {Sx*4 -*T-4} -*T", .op = DONTNEED },
	{ "VM_LOCKED VMA: -EINVAL", { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED },
	  .op = DONTNEED, .ret = -EINVAL },

	/* MADV_GUARD_INSTALL and MADV_GUARD_REMOVE. */
	{ "empty entries: become guards", { "-*3 | -*10 | -*3", .prot = RW },
	  "-*3 G*10 -*3", .op = GUARD_INSTALL },
	{ "64K folio: replaced by guards", { "{Wdyx*16}", .prot = RW }, "G*16",
	  .op = GUARD_INSTALL },
	{ "middle 6 pages of a 64K folio: replaced by guards",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 G*6 Wdyx*5}",
	  .op = GUARD_INSTALL },
	{ "end of a folio, whole folio, start of a folio: replaced by guards",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 G*4} G*16 {G*4 Wdyx*12}", .op = GUARD_INSTALL },
	{ "guards, empty, poison, present and migration entries: all become guards",
	  { "G*2 -*2 P*2 {Wdyx*2} {Mw Mx M M}", .prot = RW }, "G*12",
	  .op = GUARD_INSTALL },
	{ "middle 8 pages of a 64K folio after a fork: replaced by guards",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 G*8 Rdy*4}", .op = GUARD_INSTALL },
	{ "64K folio across a page table boundary: replaced by guards",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 G*16", .op = GUARD_INSTALL },
	{ "two 64K folios, a missing page table between: all entries become guards",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 G*16 G*T G*16",
	  .op = GUARD_INSTALL },
	{ "PMD-mapped folio: replaced by guards", { "[Wdyx]", .prot = RW }, "G*T",
	  .op = GUARD_INSTALL },
	{ "middle half of a PMD-mapped folio: replaced by guards",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 G*T/2 Wdyx*T/4}", .op = GUARD_INSTALL },
	{ "middle 9 pages of a 64K shmem folio: replaced by guards",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*3 G*9 Wdy*4}",
	  .op = GUARD_INSTALL },
	{ "32K shmem folio, first half uffd-wp: replaced by guards",
	  { "{Rdyu*4 Wdy*4}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "G*8",
	  .op = GUARD_INSTALL },
	{ "uffd-wp markers: replaced by guards",
	  { "U*2 - U", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "G*4",
	  .op = GUARD_INSTALL },
	{ "zero page, KSM pages, in and between folios: replaced by guards",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rdyk*2", .prot = RW }, "G*19",
	  .op = GUARD_INSTALL },
	{ "VM_LOCKED VMA: -EINVAL", { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED },
	  .op = GUARD_INSTALL, .ret = -EINVAL },
	{ "middle 10 of 16 guards: cleared", { "G*3 | G*10 | G*3", .prot = RW },
	  "G*3 -*10 G*3", .op = GUARD_REMOVE },
	{ "6 guards among the pages of a 64K folio: cleared",
	  { "{Wdyx*5 G*6 Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  .op = GUARD_REMOVE },
	{ "present, migration, poison and guard entries: only the guard is cleared",
	  { "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 G -", .prot = RW },
	  "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 -*2", .op = GUARD_REMOVE },
	{ "guards across a page table boundary: cleared", { "@-3 G*8", .prot = RW },
	  "@-3 -*8", .op = GUARD_REMOVE },
	{ "PMD-mapped folio, guard: only the guard is cleared",
	  { "[Wdyx] G", .prot = RW }, "[Wdyx] -", .op = GUARD_REMOVE },
	{ "VM_LOCKED VMA: guards cleared",
	  { "{Wdyx*2} G*2", .prot = RW, .vma = VM_LOCKED }, "{Wdyx*2} -*2",
	  .op = GUARD_REMOVE },
};

static const char *split_missing(const struct ptebatch_case *row)
{
	bool splits = row->with[0].type == &ptebatch_condition_referenced ||
		      (row->after && strchr(row->after, '('));

	return splits && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ?
	       "without CONFIG_TRANSPARENT_HUGEPAGE, folios cannot be split" : NULL;
}

static void row_desc(const struct ptebatch_case *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", row->op->name, row->name);
}

KUNIT_ARRAY_PARAM(rows, rows, row_desc);

static void madvise_row(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;

	if (split_missing(row))
		kunit_skip(test, "%s", split_missing(row));
	check_row(test, row);
}

/* Every order, and each range of ptebatch_each_range(). */

static const struct kind {
	const char *name;
	const struct ptebatch_op *op;
	const char *after;	/* expected token of an entry in the range */
	bool frees;		/* unmaps a folio that is fully in the range */
} kinds[] = {
	{ "MADV_FREE, whole and parts: become clean, old and lazyfree", FREE, "Wxl" },
	{ "MADV_COLD, whole and parts: become old", COLD, "Wdx" },
	{ "MADV_PAGEOUT, whole and parts: swapped out", PAGEOUT, "Sx", .frees = true },
	{ "MADV_DONTNEED, whole and parts: unmapped", DONTNEED, "-", .frees = true },
	{ "MADV_GUARD_INSTALL, whole and parts: replaced by guards", GUARD_INSTALL, "G",
	  .frees = true },
};

PTEBATCH_ORDER_PARAMS(madvise_order, kinds);

static bool check_range(struct kunit *test, const void *data, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = data;
	bool whole = from == 0 && to == nr;
	struct ptebatch_case row = { .setup = { .prot = RW }, .op = kind->op };
	bool split = !whole && kind->op->splits;

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
	const struct ptebatch_op *op = PAGEOUT;
	const struct ptebatch_setup setup = {
		row->picture, .prot = RW, .folios = ON_LRU,
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
	KUNIT_CASE_PARAM(madvise_poisoned, poisoned_gen_params),
	{}
};

PTEBATCH_SUITE(madvise, madvise_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_COHERENT_DEVICE);
