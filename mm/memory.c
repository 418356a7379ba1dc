// SPDX-License-Identifier: GPL-2.0
/*
 * zap_vma_range() and zap_vma_range_batched() clear the entries of a large
 * folio in batches. Page by page, zap_vma_range() has no batches: that is the
 * twin here.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"
#include "../lib/unmap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct zap_row - a case of zap_vma_range()
 * @name: of the case
 * @setup: the address space before
 * @after: the row as it shall be then
 */
struct zap_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
};

static unsigned int count_young(const struct ptebatch_row *row, s16 folio)
{
	unsigned int i, nr = 0;

	for (i = row->from; i < row->to; i++)
		nr += row->entries[i].folio == folio &&
		      row->entries[i].flags & PTEBATCH_YOUNG;
	return nr;
}

/* Rule 17: what a file's entry knew that is gone, the folio must know now. */
static void expect_known(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_entry *entry = &was->entries[i];
	struct folio *folio = trial->space->folios[entry->folio];

	if (entry->flags & PTEBATCH_DIRTY)
		KUNIT_EXPECT_TRUE_MSG(trial->test, folio_test_dirty(folio),
				      "rule 17: %s has lost that entry %u was dirty",
				      trial->who, i);
	/* From the second time on, folio_mark_accessed() says more than that. */
	if (entry->flags & PTEBATCH_YOUNG &&
	    count_young(was, entry->folio) == 1)
		KUNIT_EXPECT_TRUE_MSG(trial->test, folio_test_referenced(folio),
				      "rule 17: %s has lost that entry %u was young",
				      trial->who, i);
}

static void expect_used_folios(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	for (i = was->from; i < was->to; i++)
		if (ptebatch_entry_present(&was->entries[i]) &&
		    test_bit(was->entries[i].folio, trial->space->cached))
			expect_known(trial, i);
}

static struct ptebatch_trial *zap(struct kunit *test, const char *who,
				  const struct zap_row *row, ptebatch_zap_t how)
{
	const struct ptebatch_call call =
		ptebatch_setup_call(&row->setup, ptebatch_model_zap,
				    row->setup.prot);
	struct ptebatch_trial *trial;

	trial = ptebatch_trial_begin(test, who, &row->setup);
	ptebatch_zap(trial->space, how);
	ptebatch_trial_end(trial);
	ptebatch_trial_expect(trial, row->after);
	ptebatch_trial_model(trial, &call);
	expect_used_folios(trial);
	return trial;
}

static void check_row(struct kunit *test, const struct zap_row *row)
{
	struct ptebatch_trial *whole, *batched, *twin;

	whole = zap(test, "zap_vma_range()", row, zap_vma_range);
	if (ptebatch_failed(test))
		return;
	batched = zap(test, "zap_vma_range_batched()", row,
		      ptebatch_zap_batched);
	if (ptebatch_failed(test))
		return;
	twin = zap(test, "the twin's zap_vma_range()", row,
		   ptebatch_twin_zap_vma_range);
	ptebatch_trial_same(whole, twin);
	ptebatch_trial_same(batched, twin);
}

static const struct zap_row rows[] = {
	{ "64K folio", { "{Wdyx*16}", .prot = RW }, "-*16" },
	{ "shared 64K folio", { "{Rdy*16}", .prot = RO }, "-*16" },
	{ "part of a folio",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}" },
	{ "first page of a folio",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "{- Wdyx*15}" },
	{ "last page of a folio",
	  { "{Wdyx*15 | Wdyx} |", .prot = RW }, "{Wdyx*15 -}" },
	{ "end of one folio and beginning of the next",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "folios physically side by side",
	  { "{Wdyx*12 | Wdyx*4} +{Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "pages of all kinds in one folio",
	  { "{Wdyx*4 Rdyx*3 Rdy*3 Ndyx*3 Rx*3}", .prot = RW }, "-*16" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, "-*44" },
	{ "folio off its alignment", { "@5 {Wdyx*16}", .prot = RW }, "@5 -*16" },
	{ "pages of a folio out of order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, "-*16" },
	{ "over the edge of a page table",
	  { "@-8 | {Wdyx*12 | Wdyx*4}", .prot = RW }, "@-8 {-*12 Wdyx*4}" },
	{ "three page tables, the middle one missing",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16" },
	{ "after a fork",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}" },
	{ "soft-dirty pages",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "-*16" },
	{ "locked into memory",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .mlocked = true },
	  "{Wdyx*4 -*8 Wdyx*4}" },

	/* Rule 17. */
	{ "file", { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "file, one page dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_FILE, RW }, "-*16" },
	{ "file, one page young",
	  { "{R*9 Ry R*6}", PTEBATCH_FILE, RO }, "-*16" },
	{ "file, the last page dirty and young",
	  { "{R*15 Rdy}", PTEBATCH_FILE, RO }, "-*16" },
	{ "shmem, part of a folio",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}" },
	{ "shmem mapped twice",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "-*16" },
	{ "private file, its own pages beside copies",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16" },
	{ "uffd-wp leaves a marker for each page of a file",
	  { "{Rdyu*4 Wdy*4 Rdyu*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*4 -*4 U*8" },
	{ "uffd-wp leaves no marker in anonymous memory",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .uffd_wp = true }, "-*16" },
	{ "uffd-wp leaves markers in part of a folio",
	  { "{Rdyu*4 | Rdyu*8 | Rdyu*4}", PTEBATCH_SHMEM, RW,
	    .uffd_wp = true }, "{Rdyu*4 U*8 Rdyu*4}" },

	/* What maps no page. */
	{ "swap entries",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .swap = true }, "-*16" },
	{ "part of a folio's swap entries",
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .swap = true },
	  "{Sx*4 -*8 Sx*4}" },
	{ "swap entries of two folios",
	  { "{Sx*16} {Sx*16}", .prot = RW, .swap = true }, "-*32" },
	{ "migration entries",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "-*16" },
	{ "migration entries with uffd-wp",
	  { "{Mu*8 M*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "U*8 -*8" },
	{ "guards stay, poison goes",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "-*2 G*2 -*4 G" },
	{ "userfaultfd's markers stay in a file",
	  { "U*4 {Wdy*4} U", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*4 -*4 U" },

	/* Rule 16. */
	{ "PMD", { "[Wdyx]", .prot = RW }, "-*T" },
	{ "PMD of shmem", { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "part of a PMD",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4}", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void zap_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Every order, every kind of range. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before;
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
	char before[64], after[64];
	struct zap_row *row;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	row->setup = kind->setup;
	row->setup.picture = ptebatch_row_of_folio(before, sizeof(before), nr,
						   from, to, kind->before,
						   kind->before);
	row->after = ptebatch_row_of_folio(after, sizeof(after), nr, from, to,
					   kind->before, "-");
	check_row(test, row);
}

static void zap_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE_PARAM(zap_row, rows_gen_params),
	KUNIT_CASE_PARAM(zap_order, orders_gen_params),
	{}
};

static struct kunit_suite memory_suite = {
	.name = "ptebatch_memory",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
