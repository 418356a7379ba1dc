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
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/swapops.h>

#include "../lib/check/compare.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/advise.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/pte.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct advise_row - a case of madvise()
 * @name: name of the case
 * @advice: index into ptebatch_advices
 * @setup: the address space before; the folios are on the LRU lists
 * @after: the expected row after; %NULL if it must not change
 * @error: expected return value of madvise(), 0 or a negative errno
 * @may_skip: madvise() may skip a folio that is locked or mapped twice
 */
struct advise_row {
	const char *name;
	enum ptebatch_advice advice;
	struct ptebatch_setup setup;
	const char *after;
	int error;
	bool may_skip;
};

/* MADV_COLD must clear PG_referenced and PG_active. */
static void mark_referenced(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_set_referenced(space->folios[i]);
}

static void expect_deactivated(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct folio *folio;

		if (!ptebatch_entry_normal(entry))
			continue;
		folio = ptebatch_page_folio(trial->space, entry->folio, entry->page);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_referenced(folio),
				       "%s leaves the folio of entry %u referenced",
				       trial->function, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_active(folio),
				       "%s leaves the folio of entry %u active",
				       trial->function, i);
	}
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	const struct advise_row *row = data;

	if (row->advice == PTEBATCH_COLD)
		mark_referenced(trial->space);
	if (!row->after || row->may_skip)
		trial->call.model = NULL;
}

static void check(struct ptebatch_trial *trial, const void *data)
{
	const struct advise_row *row = data;

	if (row->advice == PTEBATCH_COLD && row->after)
		expect_deactivated(trial);
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
		.ret = row->error, .prepare = prepare, .check = check,
		.data = row,
	};
	struct ptebatch_trial *kernel, *twin, *pages;
	bool passes = true;

	if (missing)
		kunit_skip(test, "%s", missing);
	setup.lru = true;
	kernel = ptebatch_row_try(test, &run, false, &passes);
	if (passes && !row->may_skip && twin_comparable(row)) {
		/* The twin splits other folios than the picture shows. */
		twin = ptebatch_row_call(test, &run, true, &passes);
		check(twin, row);
		passes = ptebatch_trial_same(kernel, twin);
	}
	if (!passes)
		return false;
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
	return row->after && strchr(row->after, '(') &&
	       !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ?
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
	KUNIT_CASE_PARAM(madvise_poisoned, poisoned_gen_params),
	{}
};

static struct kunit_suite madvise_suite = {
	.name = "ptebatch_madvise",
	.suite_init = ptebatch_swap_on_two,
	.suite_exit = ptebatch_swap_off,
	.test_cases = madvise_cases,
};

kunit_test_suite(madvise_suite);
