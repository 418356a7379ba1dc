// SPDX-License-Identifier: GPL-2.0
/*
 * The multi-generational LRU clears accessed bits in batches: around a young
 * PTE (lru_gen_look_around()), and in walks of whole page tables.
 *
 * In an mm with an MMU notifier, as KVM registers, it does not skip old PTEs,
 * so that batches begin at other entries. Each row runs without and with one.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rmap.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/reference.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/service/lru_gen.h"
#include "../lib/space/pte.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* The generation that a second access found by a look-around leads to. */
#define SECOND_YOUNGEST	1

static void set_referenced(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		folio_set_referenced(space->folios[i]);
}

static const struct ptebatch_condition_type pg_referenced = {
	.name = "the folios have PG_referenced", .occur = set_referenced,
};

/* The first condition of a row; without it, no folio has PG_referenced. */
#define PG_REFERENCED	{ .type = &pg_referenced }

static bool was_referenced(const struct ptebatch_case *row)
{
	return row->with[0].type == &pg_referenced;
}

/*
 * In how many VMAs and page tables did PTEs of the folio lose young? MGLRU finds it
 * young as often. @flags gets the flags of such PTEs.
 */
static unsigned int times_young(const struct ptebatch_trial *trial, s16 folio, u16 *flags)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i, times = 0;
	bool counted = false;

	*flags = 0;
	for (i = 0; i < was->nr; i++) {
		if (test_bit(i, was->vma_starts) || !((was->first + i) % PTRS_PER_PTE))
			counted = false;
		if (was->entries[i].folio != folio ||
		    !(was->entries[i].flags & ~is->entries[i].flags & PTEBATCH_YOUNG))
			continue;
		times += !counted;
		counted = true;
		*flags |= was->entries[i].flags;
	}
	return times;
}

/* Is a PTE that must lose young in the contpte block of entry @i? */
static bool shares_young(const struct ptebatch_row *was,
			 const struct ptebatch_row *expected, unsigned int i)
{
	unsigned int first = was->first + i;
	unsigned int at;

	first = round_down(first, PTEBATCH_BLOCK_ENTRIES);
	for (at = 0; at < PTEBATCH_BLOCK_ENTRIES; at++) {
		unsigned int other = first + at - was->first;

		if (other < was->nr && was->entries[other].flags &
		    ~expected->entries[other].flags & PTEBATCH_YOUNG)
			return true;
	}
	return false;
}

/*
 * Young must not spread here: clearing it is under test. A look-around skips
 * folios on other nodes than @target.
 */
static void expect_exactly(struct ptebatch_trial *trial, const char *picture,
			   const struct folio *target)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct kunit *test = trial->test;
	struct ptebatch_row *expected = ptebatch_picture(test, picture);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, expected->nr, was->nr);
	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < was->nr; i++) {
		struct ptebatch_entry exp = expected->entries[i];
		struct ptebatch_entry got = trial->after.row.entries[i];

		if (target && exp.folio != PTEBATCH_NO_FOLIO &&
		    folio_nid(trial->space->folios[exp.folio]) !=
		    folio_nid(target))
			exp = was->entries[i];
		if (PTEBATCH_BLOCK_ENTRIES > 1) {
			u16 block = ptebatch_model_block(&trial->space->row, i);

			got.flags &= ~(block & PTEBATCH_DIRTY) | exp.flags;
			if (shares_young(was, expected, i)) {
				got.flags &= ~PTEBATCH_YOUNG;
				exp.flags &= ~PTEBATCH_YOUNG;
			}
		}
		if (memcmp(&exp, &got, sizeof(exp)))
			set_bit(i, trial->differs);
	}
	if (bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES))
		return;
	ptebatch_trial_print(trial, "leaves other entries than expected");
	ptebatch_print_row(test, "expected", expected, trial->differs);
}

/* Rule 17: young and dirty of the PTEs must reach folio @nr. */
static void expect_used_folio(const struct ptebatch_trial *trial, s16 nr,
			      const struct ptebatch_case *row, unsigned int age)
{
	struct folio *folio = trial->space->folios[nr];
	bool referenced = was_referenced(row);
	struct kunit *test = trial->test;
	unsigned int times;
	u16 flags;

	times = times_young(trial, nr, &flags);
	if (!times) {
		KUNIT_EXPECT_EQ_MSG(test, folio_test_referenced(folio), referenced,
				    "%s: PG_referenced of folio %d, no PTE became old",
				    trial->function, nr);
		return;
	}
	if (!folio_test_anon(folio))
		KUNIT_EXPECT_EQ_MSG(test, folio_test_dirty(folio),
				    !!(flags & PTEBATCH_DIRTY), PTEBATCH_RULE_FILE
				    ": %s: PG_dirty of folio %d, as its PTEs that were young",
				    trial->function, nr);
	if (referenced)
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_lru_gen_of(folio),
				    ptebatch_lru_gen_at_age(folio, age),
				    "%s: generation of folio %d",
				    trial->function, nr);
	else
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_lru_gen_refs(folio) +
				    2 * folio_test_workingset(folio), times,
				    "%s: folio %d was young in %u VMAs or page tables: accesses, 2 * PG_workingset",
				    trial->function, nr, times);
}

/* All folios are on the LRU lists. Any entry of the row may change. */
static struct ptebatch_trial *run(struct kunit *test, const struct ptebatch_op *op,
				  const struct ptebatch_case *row, bool notifier)
{
	struct ptebatch_setup setup = row->setup;
	struct ptebatch_trial *trial;
	struct ptebatch_use *uses;
	unsigned int i;

	if (ptebatch_op_missing(op))
		kunit_skip(test, "%s", ptebatch_op_missing(op));
	ptebatch_conditions_need(test, row->with);
	setup.folios |= ON_LRU;
	trial = ptebatch_op_begin(test, op, &setup, false);
	/* Flushes and announced ranges are recorded by MMU notifiers. */
	if (notifier)
		strlcat(trial->function, " with an MMU notifier", sizeof(trial->function));
	else
		ptebatch_secondary_end(&trial->secondary);
	for (i = 0; i < trial->space->row.nr_folios; i++) {
		struct folio *folio = trial->space->folios[i];

		folio_clear_referenced(folio);
		folio_clear_workingset(folio);
		KUNIT_ASSERT_GE_MSG(test, ptebatch_lru_gen_of(folio), 0,
				    "folio %u is on no LRU list", i);
	}
	uses = ptebatch_conditions_begin(trial, row->with);
	trial->returned = op->call(op, trial->space, false);
	ptebatch_conditions_end(uses);
	/* Rule 4 is for entries outside of the row. */
	trial->before.row.from = 0;
	trial->before.row.to = trial->before.row.nr;
	ptebatch_trial_end(trial);
	/* A secondary MMU has accessed bits of its own. */
	if (notifier && PTEBATCH_NOTIFIES)
		ptebatch_trial_expect_old_in(trial, trial->secondary.old,
					     "for MMU notifiers: " PTEBATCH_RULE_NOTIFIERS);
	return trial;
}

static void look_around(struct kunit *test, bool notifier)
{
	const struct ptebatch_case *row = test->param_value;
	const struct ptebatch_row *drawn;
	struct ptebatch_trial *trial;
	bool young = false;
	unsigned int from;
	s16 i, nr;

	if (PTRS_PER_PTE < 2 * BITS_PER_LONG)
		kunit_skip(test, "the look-around is as large as a page table");
	trial = run(test, &ptebatch_referenced, row, notifier);
	drawn = &trial->space->row;
	from = drawn->from;
	nr = drawn->entries[from].folio;
	for (; from < drawn->to; from++)
		young |= drawn->entries[from].flags & PTEBATCH_YOUNG;
	KUNIT_EXPECT_EQ_MSG(test, trial->returned, young,
			    "%s returns %ld references, expected %d", trial->function,
			    trial->returned, young);
	expect_exactly(trial, row->after, trial->space->folios[nr]);
	for (i = 0; i < drawn->nr_folios; i++)
		if (i != nr)
			expect_used_folio(trial, i, row, SECOND_YOUNGEST);
}

static void walk(struct kunit *test, bool notifier)
{
	const struct ptebatch_case *row = test->param_value;
	struct ptebatch_trial *trial = run(test, &ptebatch_walk, row, notifier);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, trial->returned, 0);
	expect_exactly(trial, row->after, NULL);
	/* The walk adds a generation: the old youngest is one older. */
	for (i = 0; i < trial->space->row.nr_folios; i++)
		expect_used_folio(trial, i, row, 1);
}

/* A look-around covers 64 PTEs of a page table, where possible 32 each side. */
static const struct ptebatch_case around_rows[] = {
	{ "64K folio in a row of 8 young ones: 64 PTEs around its first PTE become old",
	  { "{Wdyx*16}*3 | {Wdyx*16} | {Wdyx*16}*4", .prot = RW },
	  "{Wdyx*16} {Wdx*16}*4 {Wdyx*16}*3" },
	{ "64K folio first in its page table: first 64 PTEs become old",
	  { "| {Wdyx*16} | {Wdyx*16}*5", .prot = RW }, "{Wdx*16}*4 {Wdyx*16}*2" },
	{ "64K folio last in its page table: last 64 PTEs become old",
	  { "@-96 {Wdyx*16}*5 | {Wdyx*16} |", .prot = RW },
	  "@-96 {Wdyx*16}*2 {Wdx*16}*4" },
	{ "64K folio, old, between young ones: no look-around, neighbours stay young",
	  { "{Wdyx*16} | {Wdx*16} | {Wdyx*16}", .prot = RW },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}" },
	{ "64K folio, last PTE young, between young ones: all PTEs become old",
	  { "{Wdyx*16} | {Wdx*15 Wdyx} | {Wdyx*16}", .prot = RW }, "{Wdx*16}*3" },
	{ "64K folio between 256K folios: their nearest PTEs become old, 64 PTEs in all",
	  { "{Wdyx*64} | {Wdyx*16} | {Wdyx*64}", .prot = RW },
	  "{Wdyx*32 Wdx*32} {Wdx*16} {Wdx*16 Wdyx*48}" },
	{ "512K folio between young folios: all its PTEs and the 32 before become old",
	  { "{Wdyx*64} | {Wdyx*128} | {Wdyx*16}", .prot = RW },
	  "{Wdyx*32 Wdx*32} {Wdx*128} {Wdyx*16}" },
	{ "small folio among 80 small folios: 64 PTEs around it become old",
	  { "Wdyx*40 | Wdyx | Wdyx*40", .prot = RW }, "Wdyx*8 Wdx*64 Wdyx*9" },
	{ "64K folio between folios of orders 0 to 3: all PTEs become old",
	  { "{Wdyx*4} Wdyx*4 {Wdyx*8} | {Wdyx*16} | Wdyx {Wdyx*2} {Wdyx*4}",
	    .prot = RW }, "{Wdx*4} Wdx*4 {Wdx*8} {Wdx*16} Wdx {Wdx*2} {Wdx*4}" },
	{ "32K folio 24 PTEs after its page table's first: first 64 PTEs become old",
	  { "{Wdyx*8}*3 | {Wdyx*8} | {Wdyx*8}*8", .prot = RW },
	  "{Wdx*8}*8 {Wdyx*8}*4" },
	{ "32K folio 24 PTEs before its page table's end: last 64 PTEs become old",
	  { "@-96 {Wdyx*8}*9 | {Wdyx*8} | {Wdyx*8}*2", .prot = RW },
	  "@-96 {Wdyx*8}*4 {Wdx*8}*8" },
	{ "64K folio 48 PTEs before its page table's end: 64 PTEs around its first PTE",
	  { "@-96 {Wdyx*16}*3 | {Wdyx*16} | {Wdyx*16}*2", .prot = RW },
	  "@-96 {Wdyx*16} {Wdx*16}*4 {Wdyx*16}" },

	/* A look-around ends with its VMA. */
	{ "64K folio between young folios of other VMAs: these stay young",
	  { "{Wdyx*16} ; | {Wdyx*16} | ; {Wdyx*16}", .prot = RW },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}" },
	{ "64K folio at the end of a VMA of 96 PTEs: last 64 PTEs of the VMA become old",
	  { "- ; {Wdyx*16}*5 | {Wdyx*16} | ; {Wdyx*16}", .prot = RW },
	  "- {Wdyx*16}*2 {Wdx*16}*4 {Wdyx*16}" },
	{ "small folio in a VMA of one page: PTEs of other VMAs stay young",
	  { "Wdyx*2 ; | Wdyx | ; Wdyx*2", .prot = RW }, "Wdyx*2 Wdx Wdyx*2" },
	{ "64K folio in a VM_MIXEDMAP VMA: no look-around, neighbours stay young",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .vma = VM_MIXEDMAP },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}" },

	/* Neighbours that MGLRU leaves alone. */
	{ "64K folio beside the zero page: zero page stays young, other PTEs become old",
	  { "Wdyx*2 Rzy*2 | {Wdyx*16} | Rzy {Wdyx*4}", .prot = RW },
	  "Wdx*2 Rzy*2 {Wdx*16} Rzy {Wdx*4}" },
	{ "64K folio before a folio isolated from the LRU lists: that one stays young",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	  "{Wdx*16} {Wdx*16} {Wdyx*16}", .with = { ISOLATED(LAST_FOLIO) } },

	/* Rule 1: any young PTE of a batch counts. */
	{ "64K folio between two with only the first PTE young: all PTEs become old",
	  { "{Wdyx Wdx*15} | {Wdyx*16} | {Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}*3" },
	{ "64K folio between two with only the last PTE young: all PTEs become old",
	  { "{Wdx*15 Wdyx} | {Wdyx*16} | {Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}*3" },
	{ "16K folio between two with every other PTE young: all PTEs become old",
	  { "{Wdx Wdyx Wdx Wdyx} | {Wdyx*4} | {Wdyx Wdx Wdyx Wdx}", .prot = RW },
	  "{Wdx*4}*3" },
	{ "64K folio, young, between two old ones: all PTEs old afterwards",
	  { "{Wdx*16} | {Wdyx*16} | {Wdx*16}", .prot = RW }, "{Wdx*16}*3" },
	{ "32K folio between partly mapped folios and empty PTEs: present PTEs become old",
	  { "{Wdyx*3 -*2 Wdyx*3} - | {Wdyx*8} | -*3 {.*5 Wdyx*3}", .prot = RW },
	  "{Wdx*3 -*2 Wdx*3} - {Wdx*8} -*3 {.*5 Wdx*3}" },

	/* All other bits stay. */
	{ "32K folio beside writable, read-only, dirty, clean, PROT_NONE PTEs: only young cleared",
	  { "{Wdyx*2 Wyx*2 Rdyx*2 Ry*2} | {Wdyx*8} | {Ndyx*4 Wyx*4}", .prot = RW },
	  "{Wdx*2 Wx*2 Rdx*2 R*2} {Wdx*8} {Ndx*4 Wx*4}" },
	{ "32K folio beside soft-dirty PTEs: only young cleared",
	  { "{Wdysx*4 Wdyx*4} | {Wdyx*8} | {Wysx*4 Wyx*4}", .prot = RW, .track = true },
	  "{Wdsx*4 Wdx*4} {Wdx*8} {Wsx*4 Wx*4}" },
	{ "32K folio beside uffd-wp PTEs: only young cleared",
	  { "{Rdyux*4 Wdyx*4} | {Wdyx*8} | {Rdyux*8}", .prot = RW, .uffd = UFFD_WP },
	  "{Rdux*4 Wdx*4} {Wdx*8} {Rdux*8}" },
	{ "32K folio beside poison and guard markers: markers stay, PTEs become old",
	  { "{Wdyx*4} P G | {Wdyx*8} | G {Wdyx*2 Wdyx*2}", .prot = RW },
	  "{Wdx*4} P G {Wdx*8} G {Wdx*2 Wdx*2}" },

	/* Rules 3 and 16: where batches and the look-around end. */
	{ "four physically contiguous 64K folios, one of them old: all PTEs become old",
	  { "{Wdyx*16} | +{Wdyx*16} | +{Wdx*16} +{Wdyx*16}", .prot = RW },
	  "{Wdx*16} {Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "64K folio last in its page table: folio in the next page table stays young",
	  { "@-24 {Wdyx*8} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	  "@-24 {Wdx*8} {Wdx*16} {Wdyx*16}" },
	{ "64K folio across a page table boundary: neighbours in both page tables become old",
	  { "@-24 {Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	  "@-24 {Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "64K folio beside a PMD-mapped folio: PMD stays young",
	  { "@-16 | {Wdyx*16} | [Wdyx]", .prot = RW }, "@-16 {Wdx*16} [Wdyx]" },
	{ "PMD-mapped folio beside a 64K folio: PMD becomes old, PTEs stay young",
	  { "@-16 {Wdyx*16} | [Wdyx] |", .prot = RW }, "@-16 {Wdyx*16} [Wdx]" },

	/* Rule 17: dirty and accessed reach the folio. */
	{ "64K shmem folios, clean: all PTEs become old",
	  { "{Wy*16} | {Wy*16} | {Ry*16}", PTEBATCH_SHMEM, RW },
	  "{W*16} {W*16} {R*16}" },
	{ "64K shmem folios, last PTE of the neighbours dirty: neighbours dirty",
	  { "{Wy*15 Wdy} | {Wy*16} | {Wy*15 Wdy}", PTEBATCH_SHMEM, RW },
	  "{W*15 Wd} {W*16} {W*15 Wd}" },
	{ "64K shmem folios, first PTE of the neighbours dirty: neighbours dirty",
	  { "{Wdy Wy*15} | {Wy*16} | {Wdy W*15}", PTEBATCH_SHMEM, RW },
	  "{Wd W*15} {W*16} {Wd W*15}" },
	{ "small shmem folios, every other neighbour dirty: these dirty, the rest clean",
	  { "Wdy Wy Wdy | Wy | Wy Wdy Wy", PTEBATCH_SHMEM, RW }, "Wd W Wd W W Wd W" },
	{ "64K file folios, PTE 7 of a neighbour dirty: that neighbour dirty",
	  { "{Ry*7 Wdy Ry*8} | {Ry*16} | {Ry*16}", PTEBATCH_FILE, RW },
	  "{R*7 Wd R*8} {R*16} {R*16}" },
	{ "64K file folios, PG_referenced: neighbours move to the second youngest generation",
	  { "{Ry*16} | {Ry*16} | {Ry*16}", PTEBATCH_FILE, RO }, "{R*16}*3",
	  .with = { PG_REFERENCED } },
	{ "64K anonymous folios, PG_referenced: neighbours move to the second youngest generation",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW }, "{Wdx*16}*3",
	  .with = { PG_REFERENCED } },
};

KUNIT_ARRAY_PARAM_DESC(around, around_rows, name);

static void vmscan_look_around(struct kunit *test)
{
	look_around(test, false);
	look_around(test, true);
}

static const struct ptebatch_case walk_rows[] = {
	/* The page table disappears before it is locked. */
	{ "corrupt PMD: cleared and reported, only PTEs of the next page table become old",
	  { "@-4 Wdyx*4 {Wdyx*16}", .prot = RW }, "@-4 Wdyx*4 {Wdx*16}",
	  .with = { BAD_PMD } },

	{ "64K folio, young: all PTEs become old",
	  { "{Wdyx*16}", .prot = RW }, "{Wdx*16}" },
	{ "64K folio, old: unchanged", { "{Wdx*16}", .prot = RW }, "{Wdx*16}" },
	{ "small folios and an empty PTE: all PTEs become old",
	  { "Wdyx*3 Wdx - Ryx", .prot = RW }, "Wdx*4 - Rx" },
	{ "folios of orders 0, 1, 2, 3 and 5: all PTEs become old",
	  { "Wdyx {Wdyx*2} {Wdx*4} {Wdyx*32} {Wdyx*8}", .prot = RW },
	  "Wdx {Wdx*2} {Wdx*4} {Wdx*32} {Wdx*8}" },
	{ "page table full of 64K folios: all PTEs become old",
	  { "{Wdyx*16}*32", .prot = RW }, "{Wdx*16}*32" },
	{ "three page tables, the middle one missing: all PTEs become old",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW },
	  "@-16 {Wdx*16} -*T {Wdx*16}" },
	{ "64K folio across a page table boundary: all PTEs become old",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdx*16}" },
	{ "64K folio, first PTE young: all PTEs become old",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}" },
	{ "64K folio, last PTE young: all PTEs become old",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}" },
	{ "32K folio, every other PTE young: all PTEs become old",
	  { "{Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx}", .prot = RW }, "{Wdx*8}" },
	{ "partly mapped folios and empty PTEs: present PTEs become old",
	  { "{Wdyx*3 -*2 Wdyx*3} - {.*5 Wdyx*3} {Wdyx*2 .*2}", .prot = RW },
	  "{Wdx*3 -*2 Wdx*3} - {.*5 Wdx*3} {Wdx*2 .*2}" },
	{ "three physically contiguous 64K folios, one of them old: all PTEs become old",
	  { "{Wdyx*16} +{Wdx*16} +{Wdyx*16}", .prot = RW },
	  "{Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "64K folio, writable, read-only, dirty, clean and PROT_NONE PTEs: only young cleared",
	  { "{Wdyx*4 Wyx*4 Rdyx*4 Ry*2 Ny*2}", .prot = RW },
	  "{Wdx*4 Wx*4 Rdx*4 R*2 N*2}" },
	{ "64K folio, first 4 PTEs soft-dirty: only young cleared",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true }, "{Wdsx*4 Wdx*12}" },
	{ "64K folio, first 4 PTEs uffd-wp: only young cleared",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_WP }, "{Rdux*4 Wdx*12}" },
	{ "64K folio in two VMAs: all PTEs become old",
	  { "@5 {Wdyx*8 ; Wdyx*8}", .prot = RW }, "@5 {Wdx*16}" },
	{ "64K shmem folio in two VMAs, PTEs of the first dirty: all PTEs become old",
	  { "@5 {Wdy*8 ; Wy*8}", PTEBATCH_SHMEM, RW }, "@5 {Wd*8 W*8}" },
	{ "64K folio, PTE 8 missing, other PTEs young: found young once",
	  { "{Wdyx*8 - Wdyx*7}", .prot = RW }, "{Wdx*8 - Wdx*7}" },
	{ "young folio, and an old one in the next VMA: found young once",
	  { "@5 {Wdyx*8} ; {Wdx*8}", .prot = RW }, "@5 {Wdx*8} {Wdx*8}" },
	{ "64K folio in three VMAs, middle one mlocked: skipped, its PTEs stay young",
	  { "@5 {Wdyx*5 ; Wdyx*4 ; Wdyx*7}", .prot = RW, .next_vma = VM_LOCKED },
	  "@5 {Wdx*5 Wdyx*4 Wdx*7}" },
	{ "64K folio in two VMAs, each in a page table of its own: all PTEs become old",
	  { "@-8 {Wdyx*8 ; Wdyx*8}", .prot = RW }, "@-8 {Wdx*16}" },
	{ "small folios in five VMAs, every other one mlocked: skipped",
	  { "Wdyx*2 ; Wdyx ; Wdyx*2 ; Wdyx*3 ; Wdyx", .prot = RW,
	    .next_vma = VM_LOCKED }, "Wdx*2 Wdyx Wdx*2 Wdyx*3 Wdx" },
	{ "zero page between 64K folios: stays young, other PTEs become old",
	  { "{Wdyx*16} Rzy*2 {Wdyx*16}", .prot = RW }, "{Wdx*16} Rzy*2 {Wdx*16}" },
	{ "64K folio isolated from the LRU lists: stays young, other PTEs become old",
	  { "{Wdyx*16} {Wdyx*4} {Wdyx*16}", .prot = RW }, "{Wdx*16} {Wdx*4} {Wdyx*16}",
	  .with = { ISOLATED(LAST_FOLIO) } },
	{ "VM_MIXEDMAP VMA: skipped, PTEs stay young",
	  { "{Wdyx*16}", .prot = RW, .vma = VM_MIXEDMAP }, "{Wdyx*16}" },
	{ "PROT_NONE VMA: skipped, PTEs stay young",
	  { "{Ndyx*16}", .prot = NONE }, "{Ndyx*16}" },
	{ "mlocked VMA: skipped, PTEs stay young",
	  { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED }, "{Wdyx*16}" },
	{ "64K shmem folios, last PTE or all PTEs dirty: PTEs become old, folios dirty",
	  { "{Wy*15 Wdy} {Wdy*16}", PTEBATCH_SHMEM, RW }, "{W*15 Wd} {Wd*16}" },
	{ "64K shmem folios, first PTE of one dirty: PTEs become old, that folio dirty",
	  { "{Wdy Wy*15} {Wy*16}", PTEBATCH_SHMEM, RW }, "{Wd W*15} {W*16}" },
	{ "small shmem folios, every other one dirty: PTEs become old, these dirty",
	  { "Wdy Wy Wdy Wy", PTEBATCH_SHMEM, RW }, "Wd W Wd W" },
	{ "file without read_folio(): skipped, PTEs stay young",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, "{Ry*16}" },
	{ "PMD-mapped folio, young: PMD becomes old",
	  { "[Wdyx]", .prot = RW }, "[Wdx]" },
	{ "PMD-mapped shmem folio, dirty: PMD becomes old, folio dirty",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Wd]" },
	{ "PMD-mapped folio between page tables: PMD and PTEs become old",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW }, "@-4 {Wdx*4} [Wdx] {Wdx*4}" },
	{ "2M folio mapped by PTEs, PTE 300 young: all PTEs become old",
	  { "{Wdx*300 Wdyx Wdx*211}", .prot = RW }, "{Wdx*512}" },
	{ "anonymous folios, PG_referenced: move to the formerly youngest generation",
	  { "{Wdyx*16} {Wdx*15 Wdyx} Wdyx", .prot = RW }, "{Wdx*16} {Wdx*16} Wdx",
	  .with = { PG_REFERENCED } },
	{ "shmem folios, PG_referenced: move to the formerly youngest generation",
	  { "{Wy*16} {Wdy*16}", PTEBATCH_SHMEM, RW }, "{W*16} {Wd*16}",
	  .with = { PG_REFERENCED } },
	{ "PMD-mapped folio, PG_referenced: moves to the formerly youngest generation",
	  { "[Wdyx]", .prot = RW }, "[Wdx]", .with = { PG_REFERENCED } },
};

KUNIT_ARRAY_PARAM_DESC(walks, walk_rows, name);

static void vmscan_walk(struct kunit *test)
{
	walk(test, false);
	walk(test, true);
}

/*
 * A walk, and a look-around, put a page table into a Bloom filter if at least
 * one of 8 PTEs was young. Later walks skip page tables that are not in it.
 */

/**
 * struct hot_row - a walk, and whether the next walk skips the page table
 * @c: the case
 * @total: expected entries that the walk reads. The row's last VMA extends over the
 *         next page table, which is missing: one entry more.
 * @young: expected entries in young batches
 * @hot: the page table is expected in the filter
 */
struct hot_row {
	struct ptebatch_case c;
	unsigned long total;
	unsigned long young;
	bool hot;
};

static const struct hot_row hot_walks[] = {
	{ { "64 young PTEs of a page table of 512: walked again",
	    { "{Wdyx*64}", .prot = RW } }, 513, 64, .hot = true },
	{ { "63 young PTEs of a page table of 512: not walked again",
	    { "{Wdyx*63 .}", .prot = RW } }, 513, 63, .hot = false },
	{ { "64 PTEs of a folio, first one young: all count, walked again",
	    { "{Wdyx Wdx*63}", .prot = RW } }, 513, 64, .hot = true },
	{ { "64 PTEs of a folio in two parts, 32 and 31 young: not walked again",
	    { "{Wdyx*32 - Wdyx*31}", .prot = RW } }, 513, 63, .hot = false },
	{ { "page table lost once, 64 young PTEs: not walked again",
	    { "0{Wdyx*64}", .prot = RW },
	    .with = { LOST_AT("pte_offset_map_rw_nolock", 0) } }, 513, 0, .hot = false },
	{ { "64 old PTEs: not walked again",
	    { "{Wdx*64}", .prot = RW } }, 513, 0, .hot = false },
	{ { "1 young PTE in a VMA of 8 before an mlocked VMA: walked again",
	    { "Wdyx -*7 ; -", .prot = RW, .next_vma = VM_LOCKED } }, 8, 1, .hot = true },
	{ { "1 young PTE in a VMA of 9 before an mlocked VMA: not walked again",
	    { "Wdyx -*8 ; -", .prot = RW, .next_vma = VM_LOCKED } }, 9, 1, .hot = false },
	{ { "2 young PTEs of a folio in a VMA of 17 before an mlocked VMA: not walked again",
	    { "0{Wdyx*2} -*15 ; -", .prot = RW, .next_vma = VM_LOCKED } }, 17, 2,
	    .hot = false },
	{ { "5 and 3 young PTEs in VMAs of 40 and 24, an mlocked one between: walked again",
	    { "0{Wdyx*5 .*3} -*35 ; -*4 ; 0{Wdyx*3 .} -*21 ; -", .prot = RW,
	      .next_vma = VM_LOCKED } }, 64, 8, .hot = true },
	{ { "5 and 2 young PTEs in VMAs of 40 and 24, an mlocked one between: not walked again",
	    { "0{Wdyx*5 .*3} -*35 ; -*4 ; 0{Wdyx*2} -*22 ; -", .prot = RW,
	      .next_vma = VM_LOCKED } }, 64, 7, .hot = false },
};

KUNIT_ARRAY_PARAM_DESC(hot_walks, hot_walks, c.name);

/* The statistics are those of the walks of all mms. */
static struct ptebatch_trial *run_counted(struct kunit *test, const struct ptebatch_op *op,
					  const struct ptebatch_case *row)
{
	struct ptebatch_trial *trial;

	if (ptebatch_lru_gen_stats_missing())
		kunit_skip(test, "%s", ptebatch_lru_gen_stats_missing());
	trial = run(test, op, row, false);
	if (!ptebatch_lru_gen_is_only(trial->place->mm))
		kunit_skip(test, "MGLRU walks the page tables of other processes, too");
	return trial;
}

static void vmscan_walk_again(struct kunit *test)
{
	const struct hot_row *row = test->param_value;
	struct ptebatch_lru_gen_stats before, after;
	struct ptebatch_trial *trial;
	unsigned long lost;

	ptebatch_lru_gen_stats(&before);
	trial = run_counted(test, &ptebatch_walk, &row->c);
	ptebatch_lru_gen_stats(&after);
	KUNIT_EXPECT_EQ(test, trial->returned, 0);

	/* The first walk loses the page table. */
	lost = row->c.with[0].type ? PTRS_PER_PTE : 0;
	KUNIT_EXPECT_EQ_MSG(test, after.total - before.total,
			    row->total * after.nodes - lost,
			    "entries read by %lu walks", after.nodes);
	KUNIT_EXPECT_EQ_MSG(test, after.young - before.young, row->young,
			    "entries in young batches");
	KUNIT_EXPECT_EQ_MSG(test, after.found - before.found, after.nodes,
			    "page tables read by %lu walks", after.nodes);
	KUNIT_EXPECT_EQ_MSG(test, after.added - before.added, row->hot,
			    "page tables added to a Bloom filter");

	before = after;
	KUNIT_ASSERT_EQ(test, 0, ptebatch_lru_gen_walk_hot(trial->place->mm));
	ptebatch_lru_gen_stats(&after);
	KUNIT_EXPECT_EQ_MSG(test, after.found - before.found, row->hot,
			    "page tables walked again");
}

/* A look-around reads 64 entries, or the whole VMA if that is smaller. */
static const struct ptebatch_case hot_arounds[] = {
	{ "8 young PTEs of 64: page table walked",
	  { "| {Wdyx*8} |", .prot = RW }, .ret = 1 },
	{ "7 young PTEs of 64: page table not walked",
	  { "| {Wdyx*7 .} |", .prot = RW } },
	{ "4 young PTEs and 4 of a neighbour of 64: page table walked",
	  { "0{Wdyx*4} | 0{Wdyx*4} |", .prot = RW }, .ret = 1 },
	{ "4 young PTEs and 3 of a neighbour of 64: page table not walked",
	  { "0{Wdyx*3 .} | 0{Wdyx*4} |", .prot = RW } },
	{ "4 young PTEs and 1 in a neighbour's batch of 4, of 64: page table walked",
	  { "0{Wdyx Wdx*3} | 0{Wdyx*4} |", .prot = RW }, .ret = 1 },
	{ "1 young PTE in a VMA of 8: page table walked",
	  { "- ; | Wdyx | -*7 ; -", .prot = RW }, .ret = 1 },
	{ "1 young PTE in a VMA of 9: page table not walked",
	  { "- ; | Wdyx | -*8 ; -", .prot = RW } },
	{ "1 young PTE in a VMA of 1: no look-around, page table not walked",
	  { "- ; | Wdyx | ; -", .prot = RW } },
	{ "8 old PTEs of 64: no look-around, page table not walked",
	  { "| {Wdx*8} |", .prot = RW } },
};

KUNIT_ARRAY_PARAM_DESC(hot_arounds, hot_arounds, name);

/* Returns the number of page tables walked after the look-around. */
static long look_and_walk(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	struct ptebatch_lru_gen_stats before, after;
	struct mm_struct *mm = space->places[0].mm;
	long ret;

	ret = ptebatch_lru_gen_add(mm);
	if (!ret)
		ret = min(0, ptebatch_referenced.call(&ptebatch_referenced, space, false));
	if (ret)
		return ret;
	ptebatch_lru_gen_stats(&before);
	ret = ptebatch_lru_gen_walk_hot(mm);
	ptebatch_lru_gen_stats(&after);
	return ret ?: after.found - before.found;
}

static void vmscan_walk_around(struct kunit *test)
{
	static const struct ptebatch_op op = {
		.function = "folio_referenced()", .call = look_and_walk, .no_twin = true,
	};
	const struct ptebatch_case *row = test->param_value;
	struct ptebatch_trial *trial = run_counted(test, &op, row);

	KUNIT_EXPECT_EQ_MSG(test, trial->returned, row->ret,
			    "page tables walked after the look-around");
}

/*
 * Between the first read of the PMD and the lock of the page table, another thread
 * may remove the table: MADV_DONTNEED of an empty one, or khugepaged. The table is not
 * the mm's any more: its entries stay as they are. The walk then ends.
 */
#define TABLE_REMOVED	TABLE_GONE_AT("pte_offset_map_rw_nolock", 0)
#define ONE_TRY		CALLS("pte_offset_map_rw_nolock", 1)

static const struct ptebatch_case removed_rows[] = {
	{ "young 64K folio, page table removed before its lock: stays young",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}",
	  .with = { TABLE_REMOVED, ONE_TRY } },
	{ "young shmem folio, page table removed before its lock: stays young",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}",
	  .with = { TABLE_REMOVED, ONE_TRY } },
};

KUNIT_ARRAY_PARAM_DESC(removed, removed_rows, name);

static void vmscan_walk_removed(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;
	struct ptebatch_trial *trial = run(test, &ptebatch_walk, row, false);

	KUNIT_EXPECT_EQ(test, trial->returned, 0);
	expect_exactly(trial, row->after, NULL);
}

static struct kunit_case vmscan_cases[] = {
	KUNIT_CASE_PARAM(vmscan_look_around, around_gen_params),
	KUNIT_CASE_PARAM(vmscan_walk, walks_gen_params),
	KUNIT_CASE_PARAM(vmscan_walk_again, hot_walks_gen_params),
	KUNIT_CASE_PARAM(vmscan_walk_around, hot_arounds_gen_params),
	KUNIT_CASE_PARAM(vmscan_walk_removed, removed_gen_params),
	{}
};

PTEBATCH_SUITE(vmscan, vmscan_cases, PTEBATCH_LRU_GEN);
