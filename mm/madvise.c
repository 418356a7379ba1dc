// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise() does to entries. MADV_FREE, MADV_COLD and MADV_PAGEOUT take a
 * large folio as a whole where all of it is mapped in the range, and split it
 * where not; MADV_DONTNEED and guards leave folios as they are.
 *
 * Each row is done three times, in address spaces that are alike: by the
 * kernel, by its twin, and by the kernel where each page is a folio of its own.
 * A large folio has to come out as its pages would (rule 24).
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/advise.h"
#include "../lib/hold.h"
#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct advise_row - a case
 * @name: of the case
 * @advice: index into ptebatch_advices[]
 * @setup: the address space before; the folios are on the LRU lists
 * @after: the row as it shall be then; %NULL: as it was
 * @error: what madvise() shall return
 * @hint: folios may be left alone, where they are locked or others map them
 */
struct advise_row {
	const char *name;
	enum ptebatch_advice_id advice;
	struct ptebatch_setup setup;
	const char *after;
	int error;
	bool hint;
};

/* Who was used must count as unused now. */
static void use_folios(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_set_referenced(space->folios[i]);
}

static void expect_unused(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct folio *folio;

		if (!ptebatch_entry_present(entry))
			continue;
		folio = ptebatch_held(trial->space, entry->folio, entry->page);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_referenced(folio),
				       "%s leaves the folio of entry %u referenced",
				       trial->who, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_active(folio),
				       "%s leaves the folio of entry %u active",
				       trial->who, i);
	}
}

static struct ptebatch_trial *advise(struct kunit *test, const char *who,
				     const struct advise_row *row,
				     const struct ptebatch_setup *setup,
				     ptebatch_madvise_t how)
{
	const struct ptebatch_advice *advice = &ptebatch_advices[row->advice];
	const struct ptebatch_call call = ptebatch_advice_call(advice, setup);
	struct ptebatch_trial *trial;
	int err;

	trial = ptebatch_trial_begin(test, who, setup);
	if (row->advice == PTEBATCH_COLD)
		use_folios(trial->space);
	err = ptebatch_advise(trial->space, advice, how);
	ptebatch_trial_end(trial);
	KUNIT_EXPECT_EQ_MSG(test, err, row->error, "%s returns %pe", who,
			    ERR_PTR(err));
	if (!row->after)
		return trial;
	if (!row->hint)
		ptebatch_trial_model(trial, &call);
	if (row->advice == PTEBATCH_COLD)
		expect_unused(trial);
	return trial;
}

/* By kinds and flags: folios are what they differ in. */
static void expect_as_pages(const struct ptebatch_trial *trial,
			    const struct ptebatch_trial *pages, bool hint)
{
	const struct ptebatch_row *got = &trial->after.row;
	unsigned long *differs;
	unsigned int i;

	differs = kunit_kcalloc(trial->test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, differs);
	for (i = 0; i < got->nr; i++) {
		const struct ptebatch_entry *is = &got->entries[i];
		const struct ptebatch_entry *was = &trial->before.row.entries[i];
		const struct ptebatch_entry *want = &pages->after.row.entries[i];

		if (is->kind == want->kind && is->flags == want->flags)
			continue;
		if (!hint || is->kind != was->kind || is->flags != was->flags)
			set_bit(i, differs);
	}
	if (!bitmap_empty(differs, PTEBATCH_ROW_ENTRIES))
		ptebatch_trial_print(trial,
				     "rule 24: not what its pages would be, each by itself",
				     differs);
	kunit_kfree(trial->test, differs);
}

/*
 * The twin takes each large folio for one that is advised in part, and splits
 * it. Folios of files lose all their entries by that.
 */
static bool twin_can(const struct advise_row *row)
{
	if (!ptebatch_advices[row->advice].splits)
		return true;
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	       row->setup.mapping == PTEBATCH_ANON;
}

static void check_row(struct kunit *test, const struct advise_row *row)
{
	struct ptebatch_trial *kernel, *twin, *pages;
	struct ptebatch_setup *setup, *small;

	if (ptebatch_advices[row->advice].swaps && ptebatch_swap_missing())
		kunit_skip(test, "%s", ptebatch_swap_missing());
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	small = kunit_kzalloc(test, sizeof(*small), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	KUNIT_ASSERT_NOT_NULL(test, small);
	*setup = row->setup;
	setup->lru = true;
	*small = *setup;
	small->small = true;

	kernel = advise(test, "do_madvise()", row, setup, do_madvise);
	if (row->after)
		ptebatch_trial_expect(kernel, row->after);
	else
		ptebatch_trial_untouched(kernel);
	if (ptebatch_failed(test))
		return;
	if (!row->hint && twin_can(row)) {
		twin = advise(test, "the twin", row, setup,
			      ptebatch_twin_do_madvise);
		ptebatch_trial_same(kernel, twin);
		if (ptebatch_failed(test))
			return;
	}
	pages = advise(test, "do_madvise() on small folios", row, small,
		       do_madvise);
	expect_as_pages(kernel, pages, row->hint);
}

static const struct advise_row rows[] = {
	/* MADV_FREE. */
	{ "64K folio", PTEBATCH_FREE, { "{Wdyx*16}", .prot = RW }, "{Wxl*16}" },
	{ "small folios", PTEBATCH_FREE,
	  { "Wdyx Rdx Wyx Wx", .prot = RW }, "Wxl Rxl Wxl*2" },
	{ "dirty, young, both and none", PTEBATCH_FREE,
	  { "{Wdx*4 Wyx*4 Wdyx*4 Wx*4}", .prot = RW }, "{Wxl*16}" },
	{ "only the last page dirty", PTEBATCH_FREE,
	  { "{Rx*15 Rdx}", .prot = RO }, "{Rxl*16}" },
	{ "only the last page young", PTEBATCH_FREE,
	  { "{Rx*15 Ryx}", .prot = RO }, "{Rxl*16}" },
	{ "writable and read-only", PTEBATCH_FREE,
	  { "{Wdyx*8 Rdyx*8}", .prot = RW }, "{Wxl*8 Rxl*8}" },
	{ "clean already", PTEBATCH_FREE,
	  { "{Wxl*16}", .prot = RW }, "{Wxl*16}" },
	{ "soft-dirty stays", PTEBATCH_FREE,
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true },
	  "{Wsxl*8 Rxl*8}" },
	{ "uffd-wp stays", PTEBATCH_FREE,
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, "{Ruxl*16}" },
	{ "three folios", PTEBATCH_FREE,
	  { "{Wdyx*16} Wdyx {Wdyx*8}", .prot = RW }, "{Wxl*16} Wxl {Wxl*8}" },
	{ "physically side by side", PTEBATCH_FREE,
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Wxl*16} {Wxl*16}" },
	{ "two of three folios", PTEBATCH_FREE,
	  { "{Wdyx*16} | {Wdyx*16} {Wdyx*4} |", .prot = RW },
	  "{Wdyx*16} {Wxl*16} {Wxl*4}" },
	{ "off its alignment", PTEBATCH_FREE,
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wxl*16}" },
	{ "part of a folio", PTEBATCH_FREE,
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Wxl*6 Wdyx*5)" },
	{ "first page of a folio", PTEBATCH_FREE,
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "(Wxl Wdyx*15)" },
	{ "all but the first page", PTEBATCH_FREE,
	  { "{Wdyx | Wdyx*15} |", .prot = RW }, "(Wdyx Wxl*15)" },
	{ "all but the last page", PTEBATCH_FREE,
	  { "| {Wdyx*15 | Wdyx}", .prot = RW }, "(Wxl*15 Wdyx)" },
	{ "end of one folio, a whole one, beginning of the next", PTEBATCH_FREE,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wxl*4) {Wxl*16} (Wxl*4 Wdyx*12)" },
	{ "part of what was read-only and soft-dirty", PTEBATCH_FREE,
	  { "{Rdysx*4 | Rdysx*4 Wdyx*4 | Wdyx*4}", .prot = RW, .track = true },
	  "(Rdysx*4 Rsxl*4 Wxl*4 Wdyx*4)" },
	{ "mapped in part", PTEBATCH_FREE,
	  { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wxl*13)" },
	{ "mapped with a hole", PTEBATCH_FREE,
	  { "{Wdyx*5 -*2 Wdyx*9}", .prot = RW }, "(Wxl*5 -*2 Wxl*9)" },
	{ "over the edge of a page table", PTEBATCH_FREE,
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wxl*16)" },
	{ "after a fork", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rl*16}", .hint = true },
	{ "part of a folio after a fork", PTEBATCH_FREE,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .hint = true },
	{ "small folio after a fork", PTEBATCH_FREE,
	  { "Wdyx", .prot = RW, .twice = true }, "Rl" },
	{ "PMD", PTEBATCH_FREE, { "[Wdyx]", .prot = RW }, "[Wxl]" },
	{ "part of a PMD", PTEBATCH_FREE,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wxl*T/2 Wdyx*T/4)" },
	{ "2M folio mapped by page table entries", PTEBATCH_FREE,
	  { "{Wdyx*T}", .prot = RW }, "{Wxl*T}" },
	{ "three page tables, the middle one missing", PTEBATCH_FREE,
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW },
	  "@-16 {Wxl*16} -*T {Wxl*16}" },
	{ "swap entries go, the folio's other pages wait", PTEBATCH_FREE,
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .swap = true },
	  "{Wdyx*4 -*10 Wdyx*2}", .hint = true },
	{ "part of a folio's swap entries", PTEBATCH_FREE,
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .swap = true },
	  "{Sx*4 -*8 Sx*4}" },
	{ "being migrated", PTEBATCH_FREE,
	  { "{Mw*4 Mx*4 M*8}", .prot = RW }, "{Mw*4 Mx*4 M*8}" },
	{ "guards stay, poison goes", PTEBATCH_FREE,
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW },
	  "{Wxl*2} G*2 -*2 {Wxl*2} G" },
	{ "locked into memory", PTEBATCH_FREE,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },
	{ "shmem", PTEBATCH_FREE,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, .error = -EINVAL },
	{ "copies of a file's pages", PTEBATCH_FREE,
	  { "{Wdyx*16}", PTEBATCH_PRIVATE_FILE, RW }, .error = -EINVAL },

	/* MADV_COLD. */
	{ "64K folio", PTEBATCH_COLD, { "{Wdyx*16}", .prot = RW }, "{Wdx*16}" },
	{ "small folios", PTEBATCH_COLD,
	  { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Wdx Rdx Rx Wdx" },
	{ "only the first page young", PTEBATCH_COLD,
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}" },
	{ "only the last page young", PTEBATCH_COLD,
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}" },
	{ "clean and dirty", PTEBATCH_COLD,
	  { "{Ryx*16 Rdyx*16}", .prot = RO }, "{Rx*16 Rdx*16}" },
	{ "writable and read-only", PTEBATCH_COLD,
	  { "{Wdyx*5 Rdyx*6 Wdyx*5}", .prot = RW }, "{Wdx*5 Rdx*6 Wdx*5}" },
	{ "soft-dirty and uffd-wp stay", PTEBATCH_COLD,
	  { "{Wdysx*16} {Rdyux*16}", .prot = RW, .track = true,
	    .uffd_wp = true }, "{Wdsx*16} {Rdux*16}" },
	{ "lazyfree", PTEBATCH_COLD,
	  { "{Wyxl*16}", .prot = RW }, "{Wxl*16}" },
	{ "part of a folio", PTEBATCH_COLD,
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Wdx*6 Wdyx*5)" },
	{ "end of one folio, a whole one, beginning of the next", PTEBATCH_COLD,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Wdx*4) {Wdx*16} (Wdx*4 Wdyx*12)" },
	{ "mapped in part", PTEBATCH_COLD,
	  { "{.*3 Wdyx*13}", .prot = RW }, "(.*3 Wdx*13)" },
	{ "over the edge of a page table", PTEBATCH_COLD,
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 (Wdx*16)" },
	{ "off its alignment", PTEBATCH_COLD,
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wdx*16}" },
	{ "after a fork", PTEBATCH_COLD,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .hint = true },
	{ "part of a folio after a fork", PTEBATCH_COLD,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .hint = true },
	{ "file", PTEBATCH_COLD, { "{Ry*16}", PTEBATCH_FILE, RO }, "{R*16}" },
	{ "shmem, one page dirty", PTEBATCH_COLD,
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_SHMEM, RW }, "{R*9 Wd R*6}" },
	{ "shmem mapped twice", PTEBATCH_COLD,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, .hint = true },
	{ "copies of a file's pages, and its own", PTEBATCH_COLD,
	  { "{Wdyx*8} {Ry*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Wdx*8} {R*8}" },
	{ "PMD", PTEBATCH_COLD, { "[Wdyx]", .prot = RW }, "[Wdx]" },
	{ "part of a PMD", PTEBATCH_COLD,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Wdx*T/2 Wdyx*T/4)" },
	{ "2M folio mapped by page table entries", PTEBATCH_COLD,
	  { "{Wdyx*T}", .prot = RW }, "{Wdx*T}" },
	{ "what maps no page", PTEBATCH_COLD,
	  { "{Wdyx*2} G*2 P*2 -*2 {Mw Mx M M}", .prot = RW },
	  "{Wdx*2} G*2 P*2 -*2 {Mw Mx M M}" },
	{ "locked into memory", PTEBATCH_COLD,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* MADV_PAGEOUT. */
	{ "64K folio", PTEBATCH_PAGEOUT, { "{Wdyx*16}", .prot = RW }, "Sx*16" },
	{ "small folios", PTEBATCH_PAGEOUT,
	  { "Wdyx Rdyx Ryx Wdx", .prot = RW }, "Sx*4" },
	{ "soft-dirty goes to swap, page by page", PTEBATCH_PAGEOUT,
	  { "{Wdysx*4 Rdyx*12}", .prot = RW, .track = true }, "Ssx*4 Sx*12" },
	{ "uffd-wp goes to swap, page by page", PTEBATCH_PAGEOUT,
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true },
	  "Sxu*4 Sx*12" },
	{ "second half shared", PTEBATCH_PAGEOUT,
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, "Sx*8 S*8" },
	{ "part of a folio", PTEBATCH_PAGEOUT,
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "(Wdyx*5 Sx*6 Wdyx*5)" },
	{ "end of one folio, a whole one, beginning of the next",
	  PTEBATCH_PAGEOUT,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "(Wdyx*12 Sx*4) Sx*16 (Sx*4 Wdyx*12)" },
	{ "mapped in part", PTEBATCH_PAGEOUT,
	  { "{.*3 Wdyx*13}", .prot = RW }, "Sx*13" },
	{ "over the edge of a page table", PTEBATCH_PAGEOUT,
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 Sx*16" },
	{ "after a fork", PTEBATCH_PAGEOUT,
	  { "{Wdyx*16}", .prot = RW, .twice = true }, .hint = true },
	{ "part of a folio after a fork", PTEBATCH_PAGEOUT,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  .hint = true },
	{ "clean pages of a file", PTEBATCH_PAGEOUT,
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "PMD", PTEBATCH_PAGEOUT, { "[Wdyx]", .prot = RW }, "Sx*T" },
	{ "part of a PMD", PTEBATCH_PAGEOUT,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "(Wdyx*T/4 Sx*T/2 Wdyx*T/4)" },
	{ "what maps no page", PTEBATCH_PAGEOUT,
	  { "G*2 P*2 -*2 {Mw Mx M M}", .prot = RW },
	  "G*2 P*2 -*2 {Mw Mx M M}" },
	{ "locked into memory", PTEBATCH_PAGEOUT,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* MADV_DONTNEED: ptebatch_memory has more of what zaps. */
	{ "64K folio", PTEBATCH_DONTNEED, { "{Wdyx*16}", .prot = RW }, "-*16" },
	{ "part of a folio", PTEBATCH_DONTNEED,
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 -*6 Wdyx*5}" },
	{ "end of one folio, a whole one, beginning of the next",
	  PTEBATCH_DONTNEED,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} -*16 {-*4 Wdyx*12}" },
	{ "part of a folio after a fork", PTEBATCH_DONTNEED,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}" },
	{ "part of a PMD", PTEBATCH_DONTNEED,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
	{ "a whole page table", PTEBATCH_DONTNEED,
	  { "{Wdyx*T}", .prot = RW }, "-*T" },
	{ "shmem, part of a folio", PTEBATCH_DONTNEED,
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}" },
	{ "guards stay, poison goes", PTEBATCH_DONTNEED,
	  { "G*2 P*2 {Wdyx*2} G", .prot = RW }, "G*2 -*4 G" },
	{ "locked into memory", PTEBATCH_DONTNEED,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },

	/* Guards. */
	{ "nothing there", PTEBATCH_GUARD_INSTALL,
	  { "-*3 | -*10 | -*3", .prot = RW }, "-*3 G*10 -*3" },
	{ "64K folio", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*16}", .prot = RW }, "G*16" },
	{ "part of a folio", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 G*6 Wdyx*5}" },
	{ "end of one folio, a whole one, beginning of the next",
	  PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*16} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 G*4} G*16 {G*4 Wdyx*12}" },
	{ "among guards, poison and nothing", PTEBATCH_GUARD_INSTALL,
	  { "G*2 -*2 P*2 {Wdyx*2} {Mw Mx M M}", .prot = RW }, "G*12" },
	{ "after a fork", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 G*8 Rdy*4}" },
	{ "over the edge of a page table", PTEBATCH_GUARD_INSTALL,
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 G*16" },
	{ "three page tables, the middle one missing", PTEBATCH_GUARD_INSTALL,
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 G*16 G*T G*16" },
	{ "PMD", PTEBATCH_GUARD_INSTALL, { "[Wdyx]", .prot = RW }, "G*T" },
	{ "part of a PMD", PTEBATCH_GUARD_INSTALL,
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 G*T/2 Wdyx*T/4}" },
	{ "shmem", PTEBATCH_GUARD_INSTALL,
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 G*9 Wdy*4}" },
	{ "shmem with uffd-wp", PTEBATCH_GUARD_INSTALL,
	  { "{Rdyu*4 Wdy*4}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "G*8" },
	{ "userfaultfd's markers", PTEBATCH_GUARD_INSTALL,
	  { "U*2 - U", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "G*4" },
	{ "locked into memory", PTEBATCH_GUARD_INSTALL,
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, .error = -EINVAL },
	{ "guards", PTEBATCH_GUARD_REMOVE,
	  { "G*3 | G*10 | G*3", .prot = RW }, "G*3 -*10 G*3" },
	{ "guards within a folio", PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*5 G*6 Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}" },
	{ "everything else stays", PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 G -", .prot = RW },
	  "{Wdyx*4 Mw Mx Rdy Ndyx} P*2 -*2" },
	{ "over the edge of a page table", PTEBATCH_GUARD_REMOVE,
	  { "@-3 G*8", .prot = RW }, "@-3 -*8" },
	{ "PMD", PTEBATCH_GUARD_REMOVE, { "[Wdyx] G", .prot = RW }, "[Wdyx] -" },
	{ "locked into memory", PTEBATCH_GUARD_REMOVE,
	  { "{Wdyx*2} G*2", .prot = RW, .mlocked = true }, "{Wdyx*2} -*2" },
};

static const char *part_missing(const struct advise_row *row)
{
	return row->after && strchr(row->after, '(') &&
	       !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ?
	       "no folio is split without CONFIG_TRANSPARENT_HUGEPAGE" : NULL;
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

	if (part_missing(row))
		kunit_skip(test, "%s", part_missing(row));
	check_row(test, row);
}

/* Every order, every kind of range. */

static const struct kind {
	const char *name;
	enum ptebatch_advice_id advice;
	const char *after;	/* of each entry in the range */
	bool frees;		/* those that are in it as a whole */
} kinds[] = {
	{ "MADV_FREE", PTEBATCH_FREE, "Wxl" },
	{ "MADV_COLD", PTEBATCH_COLD, "Wdx" },
	{ "MADV_PAGEOUT", PTEBATCH_PAGEOUT, "Sx", .frees = true },
	{ "MADV_DONTNEED", PTEBATCH_DONTNEED, "-", .frees = true },
	{ "MADV_GUARD_INSTALL", PTEBATCH_GUARD_INSTALL, "G", .frees = true },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

static void check_range(struct kunit *test, const struct ptebatch_order *param,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = &kinds[param->kind];
	unsigned int nr = 1U << param->order;
	bool whole = from == 0 && to == nr;
	char before[64], after[64];
	struct advise_row *row;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	*row = (struct advise_row) {
		.advice = kind->advice,
		.setup = { .prot = RW },
		.after = after,
	};
	row->setup.picture = ptebatch_row_of_folio(before, sizeof(before), nr,
						   from, to, "Wdyx", "Wdyx");
	ptebatch_row_of_folio(after, sizeof(after), nr, from, to, "Wdyx",
			      kind->after);
	if (whole ? kind->frees : ptebatch_advices[kind->advice].splits) {
		after[strlen(after) - 1] = whole ? ' ' : ')';
		after[0] = whole ? ' ' : '(';
	}
	if (!part_missing(row))
		check_row(test, row);
}

static void madvise_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

static struct kunit_case madvise_cases[] = {
	KUNIT_CASE_PARAM(madvise_row, rows_gen_params),
	KUNIT_CASE_PARAM(madvise_order, orders_gen_params),
	{}
};

static struct kunit_suite madvise_suite = {
	.name = "ptebatch_madvise",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = madvise_cases,
};

kunit_test_suite(madvise_suite);
