// SPDX-License-Identifier: GPL-2.0
/*
 * zap_vma_range() and zap_vma_range_batched() clear the PTEs of a large folio
 * in batches. The twin of both is zap_vma_range() with batches of one.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/check/rules.h"
#include "../lib/kernel/device.h"
#include "../lib/op/op.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct zap_row - a case of zap_vma_range()
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row after the call
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

/* Rule 17: young of a cleared file PTE must reach the folio. */
static void expect_accessed_folios(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	for (i = was->from; i < was->to; i++) {
		const struct ptebatch_entry *entry = &was->entries[i];

		/* A second folio_mark_accessed() changes more than PG_referenced. */
		if (!ptebatch_entry_normal(entry) ||
		    !test_bit(entry->folio, trial->space->cached) ||
		    !(entry->flags & PTEBATCH_YOUNG) ||
		    count_young(was, entry->folio) > 1)
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      folio_test_referenced(trial->space->folios[entry->folio]),
				      PTEBATCH_RULE_FILE
				      ": %s cleared young entry %u, its folio has no PG_referenced",
				      trial->function, i);
	}
}

static bool check_row(struct kunit *test, const struct ptebatch_setup *setup,
		      const char *after)
{
	struct ptebatch_run run = {
		.op = &ptebatch_zap, .setup = setup, .after = after,
		.check = expect_accessed_folios,
	};

	if (!ptebatch_row_run(test, &run))
		return false;
	run.op = &ptebatch_zap_batched;
	return ptebatch_row_run(test, &run);
}

static const struct zap_row rows[] = {
	{ "64K folio, exclusive: all PTEs cleared",
	  { "{Wdyx*16}", .prot = RW }, "-*16" },
	{ "64K folio, shared: all PTEs cleared",
	  { "{Rdy*16}", .prot = RO }, "-*16" },
	{ "PTEs 5 to 10 of a 64K folio: cleared, the rest unchanged",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}" },
	{ "first PTE of a 64K folio: cleared, the rest unchanged",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "{- Wdyx*15}" },
	{ "last PTE of a 64K folio: cleared, the rest unchanged",
	  { "{Wdyx*15 | Wdyx} |", .prot = RW }, "{Wdyx*15 -}" },
	{ "last 4 PTEs of a 64K folio, first 4 of the next one: 8 PTEs cleared",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "last 4 PTEs of a 64K folio, first 4 of one physically next to it: 8 PTEs cleared",
	  { "{Wdyx*12 | Wdyx*4} +{Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "64K folio, writable, read-only, shared, PROT_NONE and old PTEs: all cleared",
	  { "{Wdyx*4 Rdyx*3 Rdy*3 Ndyx*3 Rx*3}", .prot = RW }, "-*16" },
	{ "folios of orders 0, 1, 3 and 5 and an empty PTE: all PTEs cleared",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, "-*44" },
	{ "64K folio, virtual address not 64K-aligned: all PTEs cleared",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 -*16" },
	{ "64K folio, second and third quarters exchanged: all PTEs cleared",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, "-*16" },
	{ "first 12 PTEs of a 64K folio across a page table boundary: cleared, 4 unchanged",
	  { "@-8 | {Wdyx*12 | Wdyx*4}", .prot = RW }, "@-8 {-*12 Wdyx*4}" },
	{ "three page tables, the middle one missing: all PTEs cleared",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16" },
	{ "middle half of a 64K folio mapped by parent and child: cleared in the parent",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}" },
	{ "64K folio, first half soft-dirty: all PTEs cleared",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "-*16" },
	{ "middle half of a 64K folio in an mlocked VMA: cleared, the rest unchanged",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .mlocked = true,
	    .mlocked_folios = true },
	  "{Wdyx*4 -*8 Wdyx*4}" },
	{ "64K folio in two VMAs: all PTEs cleared",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "-*16" },
	{ "PTEs 5 to 10 of a 64K folio in two VMAs: cleared, the rest unchanged",
	  { "{Wdyx*5 | Wdyx*3 ; Wdyx*3 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 -*6 Wdyx*5}" },
	{ "64K shmem folio, first of two VMAs in the range: cleared, the rest unchanged",
	  { "| {Wdy*8 | ; Wdy*8}", PTEBATCH_SHMEM, RW }, "{-*8 Wdy*8}" },
	{ "64K folio, page 3 PG_hwpoison: all PTEs cleared",
	  { "{Wdyx*3 Wdyxh Wdyx*12}", .prot = RW }, "-*16" },
	{ "64K folio and small folios in an mlocked VMA: cleared, folios not mlocked",
	  { "{Wdyx*16} Wdyx Rdyx", .prot = RW, .mlocked = true,
	    .mlocked_folios = true }, "-*18" },
	{ "64K file folio in an mlocked VMA: cleared, folio not mlocked",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .mlocked = true,
	    .mlocked_folios = true }, "-*16" },

	/* Rule 17: dirty and young reach the folio, uffd-wp leaves markers. */
	{ "64K file folio, clean: all PTEs cleared",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, PTE 9 dirty: all PTEs cleared, folio dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_FILE, RW }, "-*16" },
	{ "64K file folio, PTE 9 young: all PTEs cleared, folio PG_referenced",
	  { "{R*9 Ry R*6}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, last PTE dirty and young: folio dirty and PG_referenced",
	  { "{R*15 Rdy}", PTEBATCH_FILE, RO }, "-*16" },
	{ "PTEs 3 to 11 of a 64K shmem folio: cleared, folio dirty, the rest unchanged",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}" },
	{ "64K shmem folio mapped by two VMAs: all PTEs of the first VMA cleared",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "-*16" },
	{ "private file mapping, page cache folio and copy: all PTEs cleared",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16" },
	{ "64K shmem folio, uffd-wp on 12 PTEs: 12 uffd-wp markers, 4 empty PTEs",
	  { "{Rdyu*4 Wdy*4 Rdyu*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*4 -*4 U*8" },
	{ "64K anonymous folio, uffd-wp on 8 PTEs: all PTEs cleared, no marker",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .uffd_wp = true }, "-*16" },
	{ "middle half of a 64K shmem folio, uffd-wp: 8 uffd-wp markers, the rest unchanged",
	  { "{Rdyu*4 | Rdyu*8 | Rdyu*4}", PTEBATCH_SHMEM, RW,
	    .uffd_wp = true }, "{Rdyu*4 U*8 Rdyu*4}" },

	/* Non-present entries. */
	{ "64K folio, 10 swap entries and 6 PTEs: all cleared",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .swap = true }, "-*16" },
	{ "middle 8 of 16 swap entries of a folio: cleared, the rest unchanged",
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .swap = true },
	  "{Sx*4 -*8 Sx*4}" },
	{ "swap entries of two 64K folios: all cleared",
	  { "{Sx*16} {Sx*16}", .prot = RW, .swap = true }, "-*32" },
	{ "swap entries of a 64K folio, exclusive alternates: all cleared",
	  { "{Sx S Sx S Sx*6 S*6}", .prot = RW, .swap = true }, "-*16" },
	{ "middle 8 of 16 swap entries, soft-dirty and exclusive change: cleared",
	  { "{Ssx*3 S | Ss*2 Ssx*2 Sx*3 S | Ss*4}", .prot = RW, .track = true,
	    .swap = true }, "{Ssx*3 S -*8 Ss*4}" },
	{ "swap entries, an empty PTE and a guard between: guard stays, the rest cleared",
	  { "{Sx*4 -*2 Sx*2} G {Sx*4}", .prot = RW, .swap = true }, "-*8 G -*4" },
	{ "swap entries of a 64K folio, pages in the order 8 to 15, 0 to 7: all cleared",
	  { "{Sx=8*8 Sx=0*8}", .prot = RW, .swap = true }, "-*16" },
	{ "swap entries of a 64K folio mapped by parent and child: cleared in the parent",
	  { "{S*8 | S*4 | S*4}", .prot = RW, .swap = true, .twice = true },
	  "{S*8 -*4 S*4}" },
	{ "private file mapping, 8 of 16 swap entries uffd-wp: 8 uffd-wp markers",
	  { "{Sux*4 Sx*8 Sux*4}", PTEBATCH_PRIVATE_FILE, RW, .uffd_wp = true,
	    .swap = true }, "U*4 -*8 U*4" },
	{ "swap entries across a page table boundary: middle 12 cleared, the rest unchanged",
	  { "@-8 {Sx*2 | Sx*12 | Sx*2}", .prot = RW, .swap = true },
	  "@-8 {Sx*2 -*12 Sx*2}" },
	{ "swap entries across the end of a swap cluster: all cleared",
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW, .swap = true, .swap_follows = true },
	  "@T/2 -*T -*T" },
	{ "8 swap entries across the end of a swap cluster: cleared, the rest unchanged",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*4 | Sx*T-4}", .prot = RW, .swap = true,
	    .swap_follows = true },
	  "@T/2 {Sx*T-4 -*4} {-*4 Sx*T-4}" },
	{ "swap entries of two devices, with slots that follow one another: all cleared",
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW, .swap = true, .swap_follows = true,
	    .swap_alternates = true }, "@T/2 -*T -*T" },
	{ "64K folio, 12 migration entries and 4 PTEs: all cleared",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "-*16" },
	{ "64K shmem folio, 8 of 16 migration entries uffd-wp: 8 uffd-wp markers",
	  { "{Mu*8 M*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "U*8 -*8" },
	{ "guard and poison markers between 8K folios: guards stay, poison and PTEs cleared",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "-*2 G*2 -*4 G" },
	{ "uffd-wp markers around a 16K shmem folio: markers stay, PTEs cleared",
	  { "U*4 {Wdy*4} U", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*4 -*4 U" },

	/* PTEs without a folio, which are in no RSS counter; KSM pages. */
	{ "zero page before, in and after folios: all cleared",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Nz*2 {Wdyx*4}", .prot = RW }, "-*23" },
	{ "zero page in a private file mapping, 2 of 4 PTEs uffd-wp: 2 uffd-wp markers",
	  { "Rzyu*2 Rzy*2 {Ryu Ry*3}", PTEBATCH_PRIVATE_FILE, RW, .uffd_wp = true },
	  "U*2 -*2 U -*3" },
	{ "zero page, middle 2 of 4 PTEs: cleared, the rest unchanged",
	  { "Rzy | Rzy*2 | Rzy", .prot = RW }, "Rzy -*2 Rzy" },
	{ "KSM pages between exclusive pages: all cleared",
	  { "Rdyk*2 Wdyx Rdyk {Wdyx*4}", .prot = RW }, "-*8" },
	{ "special PTEs of an anonymous folio: cleared like its other PTEs",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .prot = RW, .mixedmap = true }, "-*16" },
	{ "special PTEs of a 64K folio: cleared, folio unchanged",
	  { "{Wdpy*16}", PTEBATCH_SHMEM, RW, .mixedmap = true }, "-*16" },
	{ "special PTEs of shmem, uffd-wp on 4 of 16: 4 uffd-wp markers",
	  { "{Rdpyu*4 Wdpy*12}", PTEBATCH_SHMEM, RW, .uffd_wp = true,
	    .mixedmap = true }, "U*4 -*12" },

	/* Device entries: like PTEs in RSS, mapcount and references. */
	{ "device-private entries of folios of orders 0, 2 and 4: all cleared",
	  { "Dwx {Dwx*2 Dx D} {Dwx*16}", .prot = RW }, "-*21" },
	{ "middle 8 of 16 device-private entries: cleared, the rest unchanged",
	  { "{Dwx*4 | Dwx*8 | Dwx*4}", .prot = RW }, "{Dwx*4 -*8 Dwx*4}" },
	{ "device-exclusive entries between PTEs of a 64K folio: all cleared",
	  { "{Wdyx*4 Ex*4 Wdyx*8} Ex", .prot = RW }, "-*17" },
	{ "middle 8 of 16 device-exclusive entries: cleared, the rest unchanged",
	  { "{Ex*4 | Ex*8 | Ex*4}", .prot = RW }, "{Ex*4 -*8 Ex*4}" },
	{ "device-private entries of a folio shared with a child: cleared in the parent",
	  { "{Dwx*4}", .prot = RW, .twice = true }, "-*4" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD-mapped folio: PMD cleared", { "[Wdyx]", .prot = RW }, "-*T" },
	{ "PMD-mapped shmem folio: PMD cleared, folio dirty",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "middle half of a PMD-mapped folio: PMD split, these PTEs cleared, the rest unchanged",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
	{ "huge zero page: PMD cleared",
	  { "Rzy*T {Wdyx*4}", .prot = RW, .huge_zero = true }, "-*T -*4" },
	{ "middle half of a huge zero page: split, these PTEs cleared",
	  { "Rzy*T/4 | Rzy*T/2 | Rzy*T/4", .prot = RW, .huge_zero = true },
	  "Rzy*T/4 -*T/2 Rzy*T/4" },
	{ "PMD migration entry: cleared",
	  { "[Mw]", .prot = RW }, "-*T" },
	{ "middle half of a PMD migration entry: split, these entries cleared",
	  { "[Mw*T/4 | Mw*T/2 | Mw*T/4]", .prot = RW },
	  "{Mw*T/4 -*T/2 Mw*T/4}" },
	{ "middle half of a 2M folio mapped by PTEs: cleared, the rest unchanged",
	  { "{Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4}", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void zap_row(struct kunit *test)
{
	const struct zap_row *row = test->param_value;

	check_row(test, &row->setup, row->after);
}

/* Each kind of folio in each order, whole and in part. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before;
} kinds[] = {
	{ "anonymous folio, whole and in part: only the range cleared",
	  { .prot = RW }, "Wdyx" },
	{ "file folio, whole and in part: only the range cleared",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy" },
	{ "shmem folio, whole and in part: only the range cleared",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

PTEBATCH_ORDER_PARAMS(zap_order, kinds);

static bool check_range(struct kunit *test, const void *data, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct kind *kind = data;
	struct ptebatch_setup setup = kind->setup;

	setup.picture = ptebatch_draw_range(test, nr, from, to, kind->before,
					    kind->before);
	return check_row(test, &setup,
			 ptebatch_draw_range(test, nr, from, to, kind->before, "-"));
}

static void zap_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE_PARAM(zap_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(zap_order),
	{}
};

static struct kunit_suite memory_suite = {
	.name = "ptebatch_memory",
	.suite_init = ptebatch_swap_device_on,
	.suite_exit = ptebatch_swap_device_off,
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
