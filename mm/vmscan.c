// SPDX-License-Identifier: GPL-2.0
/*
 * The multi-generational LRU clears accessed bits in batches, where it looks
 * around a page that was found young, and where it walks whole page tables.
 *
 * With somebody else's page tables to ask, as KVM's, it looks at old entries,
 * too, and batches begin elsewhere. So each row is done twice, without and with
 * them.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rmap.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/arch.h"
#include "../lib/lru_gen.h"
#include "../lib/trial.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Less young than the youngest is what is used for the second time. */
#define SECOND_YOUNGEST	1

/**
 * struct young_row - a case of a look around or a walk
 * @name: of the case
 * @setup: the address space before; all folios are on the LRU lists
 * @after: the row as it shall be then
 * @again: the folios were in use before
 */
struct young_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	bool again;
};

/* Was a folio found young? Gets the flags of the entries that were. */
static bool was_young(const struct ptebatch_trial *trial, s16 folio, u8 *flags)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	bool young = false;
	unsigned int i;

	*flags = 0;
	for (i = 0; i < was->nr; i++) {
		if (was->entries[i].folio != folio)
			continue;
		if (!(was->entries[i].flags & ~is->entries[i].flags &
		      PTEBATCH_YOUNG))
			continue;
		young = true;
		*flags |= was->entries[i].flags;
	}
	return young;
}

/* Does entry @i share its accessed bit with one that was to lose it? */
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
 * Young is what all this is about, so it is not allowed to spread. Folios of
 * other nodes are not looked at.
 */
static void expect_exactly(const struct ptebatch_trial *trial,
			   const char *picture, const struct folio *target)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct kunit *test = trial->test;
	struct ptebatch_row *expected;
	unsigned long *differs;
	const char *error;
	unsigned int i;

	expected = kunit_kzalloc(test, sizeof(*expected), GFP_KERNEL);
	differs = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, expected);
	KUNIT_ASSERT_NOT_NULL(test, differs);
	KUNIT_ASSERT_EQ_MSG(test, 0,
			    ptebatch_row_parse(expected, picture, &error),
			    "%s in \"%s\"", error, picture);
	KUNIT_ASSERT_EQ(test, expected->nr, was->nr);
	for (i = 0; i < was->nr; i++) {
		struct ptebatch_entry want = expected->entries[i];
		struct ptebatch_entry got = trial->after.row.entries[i];

		if (target && want.folio != PTEBATCH_NO_FOLIO &&
		    folio_nid(trial->space->folios[want.folio]) !=
		    folio_nid(target))
			want = was->entries[i];
		if (PTEBATCH_BLOCK_ENTRIES > 1) {
			u8 block = ptebatch_model_block(&trial->space->row, i);

			got.flags &= ~(block & PTEBATCH_DIRTY) | want.flags;
			if (shares_young(was, expected, i)) {
				got.flags &= ~PTEBATCH_YOUNG;
				want.flags &= ~PTEBATCH_YOUNG;
			}
		}
		if (memcmp(&want, &got, sizeof(want)))
			set_bit(i, differs);
	}
	if (!bitmap_empty(differs, PTEBATCH_ROW_ENTRIES)) {
		char wanted[160];

		snprintf(wanted, sizeof(wanted), "expected %s", picture);
		ptebatch_trial_print(trial, wanted, differs);
	}
	kunit_kfree(test, differs);
	kunit_kfree(test, expected);
}

/* What the entries knew of their use the folios must know now. */
static void expect_known(const struct ptebatch_trial *trial, s16 nr, bool again,
			 unsigned int ago)
{
	struct folio *folio = trial->space->folios[nr];
	struct kunit *test = trial->test;
	u8 flags;

	if (!was_young(trial, nr, &flags)) {
		KUNIT_EXPECT_EQ_MSG(test, folio_test_referenced(folio), again,
				    "%s: folio %d was not in use", trial->who, nr);
		return;
	}
	if (!folio_test_anon(folio) && flags & PTEBATCH_DIRTY)
		KUNIT_EXPECT_TRUE_MSG(test, folio_test_dirty(folio),
				      "rule 17: %s has lost that folio %d was dirty",
				      trial->who, nr);
	if (again)
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_lru_gen_of(folio),
				    ptebatch_lru_gen_ago(folio, ago),
				    "%s: the generation of folio %d",
				    trial->who, nr);
	else
		/* In two page tables it is found twice. */
		KUNIT_EXPECT_TRUE_MSG(test, folio_test_referenced(folio) ||
				      folio_test_workingset(folio),
				      "%s: folio %d is not known to be in use",
				      trial->who, nr);
}

static struct ptebatch_trial *begin(struct kunit *test, const char *who,
				    const struct young_row *row, bool asked)
{
	struct ptebatch_trial *trial;
	unsigned int i;

	trial = ptebatch_trial_begin(test, who, &row->setup);
	/* That is what it sees as somebody else. */
	if (!asked)
		ptebatch_flush_end(&trial->flush);
	for (i = 0; i < trial->space->row.nr_folios; i++) {
		struct folio *folio = trial->space->folios[i];

		folio_clear_referenced(folio);
		folio_clear_workingset(folio);
		if (row->again)
			folio_set_referenced(folio);
		KUNIT_ASSERT_GE_MSG(test, ptebatch_lru_gen_of(folio), 0,
				    "folio %u is on no list", i);
	}
	return trial;
}

/* The folio that was drawn as the range is the one that reclaim looks at. */
static void look_around(struct kunit *test, const struct young_row *row,
			const char *who, bool asked)
{
	struct ptebatch_trial *trial = begin(test, who, row, asked);
	struct ptebatch_row *drawn = &trial->space->row;
	s16 nr = drawn->entries[drawn->from].folio;
	struct folio *folio = trial->space->folios[nr];
	unsigned int from = drawn->from;
	vma_flags_t flags;
	bool young = false;
	int references;
	s16 i;

	for (; from < drawn->to; from++)
		young |= drawn->entries[from].flags & PTEBATCH_YOUNG;
	KUNIT_ASSERT_TRUE(test, folio_isolate_lru(folio));
	references = folio_referenced(folio, false, NULL, &flags);
	folio_putback_lru(folio);
	/* Rule 4 is for what is looked at. */
	trial->before.row.from = 0;
	trial->before.row.to = trial->before.row.nr;
	ptebatch_trial_end(trial);

	KUNIT_EXPECT_EQ_MSG(test, references, young, "%s returns %d", who,
			    references);
	expect_exactly(trial, row->after, folio);
	for (i = 0; i < drawn->nr_folios; i++)
		if (i != nr)
			expect_known(trial, i, row->again, SECOND_YOUNGEST);
}

static void walk(struct kunit *test, const struct young_row *row,
		 const char *who, bool asked)
{
	struct ptebatch_trial *trial = begin(test, who, row, asked);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_lru_gen_walk(trial->space->places[0].mm));
	ptebatch_trial_end(trial);
	expect_exactly(trial, row->after, NULL);
	/* The walk has made the generation that was the youngest older. */
	for (i = 0; i < trial->space->row.nr_folios; i++)
		expect_known(trial, i, row->again, 1);
}

/* The window is of 64 entries, 32 on each side, in the page table. */
static const struct young_row around_rows[] = {
	{ "folios around",
	  { "{Wdyx*16}*3 | {Wdyx*16} | {Wdyx*16}*4", .prot = RW, .lru = true },
	  "{Wdyx*16} {Wdx*16}*4 {Wdyx*16}*3" },
	{ "folios behind the first one of a page table",
	  { "| {Wdyx*16} | {Wdyx*16}*5", .prot = RW, .lru = true },
	  "{Wdx*16}*4 {Wdyx*16}*2" },
	{ "folios before the last one of a page table",
	  { "@-96 {Wdyx*16}*5 | {Wdyx*16} |", .prot = RW, .lru = true },
	  "@-96 {Wdyx*16}*2 {Wdx*16}*4" },
	{ "an old folio is not looked around",
	  { "{Wdyx*16} | {Wdx*16} | {Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}" },
	{ "one page young, the last",
	  { "{Wdyx*16} | {Wdx*15 Wdyx} | {Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdx*16}*3" },
	{ "folios that the window cuts",
	  { "{Wdyx*64} | {Wdyx*16} | {Wdyx*64}", .prot = RW, .lru = true },
	  "{Wdyx*32 Wdx*32} {Wdx*16} {Wdx*16 Wdyx*48}" },
	{ "a folio larger than the window",
	  { "{Wdyx*64} | {Wdyx*128} | {Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdyx*32 Wdx*32} {Wdx*128} {Wdyx*16}" },
	{ "small folios around",
	  { "Wdyx*40 | Wdyx | Wdyx*40", .prot = RW, .lru = true },
	  "Wdyx*8 Wdx*64 Wdyx*9" },
	{ "folios of mixed orders around",
	  { "{Wdyx*4} Wdyx*4 {Wdyx*8} | {Wdyx*16} | Wdyx {Wdyx*2} {Wdyx*4}",
	    .prot = RW, .lru = true },
	  "{Wdx*4} Wdx*4 {Wdx*8} {Wdx*16} Wdx {Wdx*2} {Wdx*4}" },

	/* Which page of a batch is young. */
	{ "the first page young of each",
	  { "{Wdyx Wdx*15} | {Wdyx*16} | {Wdyx Wdx*15}", .prot = RW,
	    .lru = true }, "{Wdx*16}*3" },
	{ "the last page young of each",
	  { "{Wdx*15 Wdyx} | {Wdyx*16} | {Wdx*15 Wdyx}", .prot = RW,
	    .lru = true }, "{Wdx*16}*3" },
	{ "every other page young",
	  { "{Wdx Wdyx Wdx Wdyx} | {Wdyx*4} | {Wdyx Wdx Wdyx Wdx}", .prot = RW,
	    .lru = true }, "{Wdx*4}*3" },
	{ "old folios around",
	  { "{Wdx*16} | {Wdyx*16} | {Wdx*16}", .prot = RW, .lru = true },
	  "{Wdx*16}*3" },
	{ "holes and missing pages",
	  { "{Wdyx*3 -*2 Wdyx*3} - | {Wdyx*8} | -*3 {.*5 Wdyx*3}", .prot = RW,
	    .lru = true },
	  "{Wdx*3 -*2 Wdx*3} - {Wdx*8} -*3 {.*5 Wdx*3}" },

	/* All other bits stay. */
	{ "writable and read-only, clean and dirty, and no access",
	  { "{Wdyx*2 Wyx*2 Rdyx*2 Ry*2} | {Wdyx*8} | {Ndyx*4 Wyx*4}",
	    .prot = RW, .lru = true },
	  "{Wdx*2 Wx*2 Rdx*2 R*2} {Wdx*8} {Ndx*4 Wx*4}" },
	{ "soft-dirty pages while tracking",
	  { "{Wdysx*4 Wdyx*4} | {Wdyx*8} | {Wysx*4 Wyx*4}", .prot = RW,
	    .track = true, .lru = true },
	  "{Wdsx*4 Wdx*4} {Wdx*8} {Wsx*4 Wx*4}" },
	{ "pages with uffd-wp",
	  { "{Rdyux*4 Wdyx*4} | {Wdyx*8} | {Rdyux*8}", .prot = RW,
	    .uffd_wp = true, .lru = true },
	  "{Rdux*4 Wdx*4} {Wdx*8} {Rdux*8}" },
	{ "migration entries and markers",
	  { "{Wdyx*4} P G | {Wdyx*8} | G {Wdyx*2 Wdyx*2}", .prot = RW,
	    .lru = true },
	  "{Wdx*4} P G {Wdx*8} G {Wdx*2 Wdx*2}" },

	/* Rule 3. */
	{ "folios physically side by side",
	  { "{Wdyx*16} | +{Wdyx*16} | +{Wdx*16} +{Wdyx*16}", .prot = RW,
	    .lru = true }, "{Wdx*16} {Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "the window ends at the page table",
	  { "@-24 {Wdyx*8} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .lru = true },
	  "@-24 {Wdx*8} {Wdx*16} {Wdyx*16}" },
	{ "a folio over the edge of a page table has two windows",
	  { "@-24 {Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .lru = true },
	  "@-24 {Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "beside a PMD",
	  { "@-16 | {Wdyx*16} | [Wdyx]", .prot = RW, .lru = true },
	  "@-16 {Wdx*16} [Wdyx]" },
	{ "a PMD is not looked around",
	  { "@-16 {Wdyx*16} | [Wdyx] |", .prot = RW, .lru = true },
	  "@-16 {Wdyx*16} [Wdx]" },

	/* Rule 17. */
	{ "shmem, clean",
	  { "{Wy*16} | {Wy*16} | {Ry*16}", PTEBATCH_SHMEM, RW, .lru = true },
	  "{W*16} {W*16} {R*16}" },
	{ "shmem, the last page dirty",
	  { "{Wy*15 Wdy} | {Wy*16} | {Wy*15 Wdy}", PTEBATCH_SHMEM, RW,
	    .lru = true }, "{W*15 Wd} {W*16} {W*15 Wd}" },
	{ "shmem, the first page dirty",
	  { "{Wdy Wy*15} | {Wy*16} | {Wdy W*15}", PTEBATCH_SHMEM, RW,
	    .lru = true }, "{Wd W*15} {W*16} {Wd W*15}" },
	{ "file, a page in the middle dirty",
	  { "{Ry*7 Wdy Ry*8} | {Ry*16} | {Ry*16}", PTEBATCH_FILE, RW,
	    .lru = true }, "{R*7 Wd R*8} {R*16} {R*16}" },
	{ "file, used again",
	  { "{Ry*16} | {Ry*16} | {Ry*16}", PTEBATCH_FILE, RO, .lru = true },
	  "{R*16}*3", true },
	{ "anonymous, used again",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdx*16}*3", true },
};

KUNIT_ARRAY_PARAM_DESC(around, around_rows, name);

static void vmscan_look_around(struct kunit *test)
{
	if (ptebatch_lru_gen_missing())
		kunit_skip(test, "%s", ptebatch_lru_gen_missing());
	look_around(test, test->param_value, "folio_referenced()", false);
	look_around(test, test->param_value,
		    "folio_referenced() with others to ask", true);
}

static const struct young_row walk_rows[] = {
	{ "64K folio", { "{Wdyx*16}", .prot = RW, .lru = true }, "{Wdx*16}" },
	{ "64K folio, old", { "{Wdx*16}", .prot = RW, .lru = true }, "{Wdx*16}" },
	{ "small folios",
	  { "Wdyx*3 Wdx - Ryx", .prot = RW, .lru = true }, "Wdx*4 - Rx" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdx*4} {Wdyx*32} {Wdyx*8}", .prot = RW, .lru = true },
	  "Wdx {Wdx*2} {Wdx*4} {Wdx*32} {Wdx*8}" },
	{ "a page table full of 64K folios",
	  { "{Wdyx*16}*32", .prot = RW, .lru = true }, "{Wdx*16}*32" },
	{ "three page tables, the middle one missing",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW, .lru = true },
	  "@-16 {Wdx*16} -*T {Wdx*16}" },
	{ "over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW, .lru = true }, "@-8 {Wdx*16}" },
	{ "the first page young",
	  { "{Wdyx Wdx*15}", .prot = RW, .lru = true }, "{Wdx*16}" },
	{ "the last page young",
	  { "{Wdx*15 Wdyx}", .prot = RW, .lru = true }, "{Wdx*16}" },
	{ "every other page young",
	  { "{Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx}", .prot = RW, .lru = true },
	  "{Wdx*8}" },
	{ "holes and missing pages",
	  { "{Wdyx*3 -*2 Wdyx*3} - {.*5 Wdyx*3} {Wdyx*2 .*2}", .prot = RW,
	    .lru = true },
	  "{Wdx*3 -*2 Wdx*3} - {.*5 Wdx*3} {Wdx*2 .*2}" },
	{ "folios physically side by side",
	  { "{Wdyx*16} +{Wdx*16} +{Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdx*16} {Wdx*16} {Wdx*16}" },
	{ "writable and read-only, clean and dirty, and no access",
	  { "{Wdyx*4 Wyx*4 Rdyx*4 Ry*2 Ny*2}", .prot = RW, .lru = true },
	  "{Wdx*4 Wx*4 Rdx*4 R*2 N*2}" },
	{ "soft-dirty pages while tracking",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true, .lru = true },
	  "{Wdsx*4 Wdx*12}" },
	{ "pages with uffd-wp",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true, .lru = true },
	  "{Rdux*4 Wdx*12}" },
	{ "no access to the VMA",
	  { "{Ndyx*16}", .prot = NONE, .lru = true }, "{Ndyx*16}" },
	{ "locked into memory",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true, .lru = true },
	  "{Wdyx*16}" },
	{ "shmem, the last page dirty",
	  { "{Wy*15 Wdy} {Wdy*16}", PTEBATCH_SHMEM, RW, .lru = true },
	  "{W*15 Wd} {Wd*16}" },
	{ "shmem, the first page dirty",
	  { "{Wdy Wy*15} {Wy*16}", PTEBATCH_SHMEM, RW, .lru = true },
	  "{Wd W*15} {W*16}" },
	{ "a file that nobody reads by folios is left",
	  { "{Ry*16}", PTEBATCH_FILE, RW, .lru = true }, "{Ry*16}" },
	{ "PMD", { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]" },
	{ "PMD of shmem, dirty",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .lru = true }, "[Wd]" },
	{ "PMD between page tables",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW, .lru = true },
	  "@-4 {Wdx*4} [Wdx] {Wdx*4}" },
	{ "2M folio mapped by page table entries",
	  { "{Wdx*300 Wdyx Wdx*211}", .prot = RW, .lru = true },
	  "{Wdx*512}" },
	{ "anonymous, used again",
	  { "{Wdyx*16} {Wdx*15 Wdyx} Wdyx", .prot = RW, .lru = true },
	  "{Wdx*16} {Wdx*16} Wdx", true },
	{ "shmem, used again",
	  { "{Wy*16} {Wdy*16}", PTEBATCH_SHMEM, RW, .lru = true },
	  "{W*16} {Wd*16}", true },
	{ "PMD, used again",
	  { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]", true },
};

KUNIT_ARRAY_PARAM_DESC(walks, walk_rows, name);

static void vmscan_walk(struct kunit *test)
{
	if (ptebatch_lru_gen_walk_missing())
		kunit_skip(test, "%s", ptebatch_lru_gen_walk_missing());
	walk(test, test->param_value, "the walk", false);
	walk(test, test->param_value, "the walk with others to ask", true);
}

static struct kunit_case vmscan_cases[] = {
	KUNIT_CASE_PARAM(vmscan_look_around, around_gen_params),
	KUNIT_CASE_PARAM(vmscan_walk, walks_gen_params),
	{}
};

static struct kunit_suite vmscan_suite = {
	.name = "ptebatch_vmscan",
	.suite_init = ptebatch_lru_gen_on,
	.suite_exit = ptebatch_lru_gen_as_before,
	.test_cases = vmscan_cases,
};

kunit_test_suite(vmscan_suite);
