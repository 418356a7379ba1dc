// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_unmap() clears the entries of a large folio in batches: those of files
 * and of lazyfree memory, and with our series those of swap-backed memory.
 *
 * Each row is done twice, in two address spaces that are alike: by
 * try_to_unmap() and by its twin, which does one entry at a time.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"
#include <swap_table.h>

#include "../lib/books.h"
#include "../lib/folio.h"
#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"
#include "../lib/unmap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct unmap_row - a case of try_to_unmap()
 * @name: of the case
 * @setup: the address space before
 * @after: the row as it shall be then
 * @flags: TTU_*
 * @hwpoison: the folios' memory is found broken
 */
struct unmap_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	enum ttu_flags flags;
	bool hwpoison;
};

/* Rule 17: what an entry knew that is gone, the folio must know now. */
static void expect_dirty_folios(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	for (i = 0; i < was->nr; i++) {
		if (!ptebatch_entry_present(&was->entries[i]) ||
		    ptebatch_entry_present(&is->entries[i]) ||
		    !(was->entries[i].flags & PTEBATCH_DIRTY))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      folio_test_dirty(trial->space->folios[was->entries[i].folio]),
				      "rule 17: %s has lost that entry %u was dirty",
				      trial->who, i);
	}
}

static void set_hwpoison(struct ptebatch_space *space, bool broken)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (broken)
			SetPageHWPoison(folio_page(space->folios[i], 0));
		else
			ClearPageHWPoison(folio_page(space->folios[i], 0));
	}
}

/* What stays for a reason that the model does not know is left to pictures. */
static bool stays(const struct unmap_row *row, const struct ptebatch_row *was)
{
	unsigned int i;

	if (row->hwpoison ||
	    (row->setup.mlocked && !(row->flags & TTU_IGNORE_MLOCK)))
		return true;
	for (i = was->from; row->setup.lazyfree && i < was->to; i++)
		if (was->entries[i].flags & PTEBATCH_DIRTY)
			return true;
	return false;
}

static struct ptebatch_trial *unmap(struct kunit *test, const char *who,
				    const struct unmap_row *row,
				    ptebatch_unmap_t how)
{
	const struct ptebatch_call call =
		ptebatch_setup_call(&row->setup, ptebatch_model_unmap,
				    row->setup.prot);
	struct ptebatch_trial *trial;

	trial = ptebatch_trial_begin(test, who, &row->setup);
	if (row->hwpoison)
		set_hwpoison(trial->space, true);
	ptebatch_unmap(trial->space, row->flags, how);
	if (row->hwpoison)
		set_hwpoison(trial->space, false);
	ptebatch_trial_end(trial);
	ptebatch_trial_expect(trial, row->after);
	if (!stays(row, &trial->before.row))
		ptebatch_trial_model(trial, &call);
	expect_dirty_folios(trial);
	return trial;
}

static void check_row(struct kunit *test, const struct unmap_row *row)
{
	struct ptebatch_trial *kernel, *twin;

	kernel = unmap(test, "try_to_unmap()", row, try_to_unmap);
	if (ptebatch_failed(test))
		return;
	twin = unmap(test, "the twin", row, ptebatch_twin_try_to_unmap);
	ptebatch_trial_same(kernel, twin);
}

static const struct unmap_row rows[] = {
	/* Rule 17: what a file has. */
	{ "64K folio of a file",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K folio of a file, one page dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_FILE, RW }, "-*16" },
	{ "64K folio of a file, the last page dirty",
	  { "{Ry*15 Rdy}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K folio of shmem",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "shmem without access",
	  { "{Ndy*8 Ny*8}", PTEBATCH_SHMEM }, "-*16" },
	{ "part of a folio of shmem",
	  { "{Wdy*5 -*3 Ry*8}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "shmem over the edge of a page table",
	  { "@-8 {Wdy*16}", PTEBATCH_SHMEM, RW }, "@-8 -*16" },
	{ "one of two folios of shmem",
	  { "{Wdy*16} | {Wdy*16} |", PTEBATCH_SHMEM, RW }, "{Wdy*16} -*16" },
	{ "shmem physically side by side",
	  { "{Wdy*16} | +{Wdy*16} |", PTEBATCH_SHMEM, RW }, "{Wdy*16} -*16" },
	{ "shmem mapped twice",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "-*16" },
	{ "uffd-wp leaves a marker for each of its pages",
	  { "{Rdyu*4 Wdy*4 Ryu*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "U*4 -*4 U*8" },
	{ "uffd-wp leaves a marker for the last page",
	  { "{Ry*15 Ryu}", PTEBATCH_FILE, RO, .uffd_wp = true }, "-*15 U" },
	{ "private file, its own pages",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, "-*16" },

	/* Rule 18: lazyfree. */
	{ "64K folio, lazyfree",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true }, "-*16" },
	{ "64K folio, lazyfree, writable in part",
	  { "{Wyx*4 Ryx*4 Wyx*8}", .prot = RW, .lazyfree = true }, "-*16" },
	{ "lazyfree and written since stays",
	  { "{Wdyx Wyx*15}", .prot = RW, .lazyfree = true },
	  "{Wdyx Wyx*15}" },
	{ "lazyfree, a shadow-stack PTE is dirty: clean ones stay read-only",
	  { "{Cdyx Ryx*15}", .prot = RW, .lazyfree = true }, "{Cdyx Ryx*15}" },
	{ "lazyfree over the edge of a page table",
	  { "@-5 {Wyx*16}", .prot = RW, .lazyfree = true }, "@-5 -*16" },
	{ "part of a lazyfree folio",
	  { "{.*3 Wyx*13}", .prot = RW, .lazyfree = true }, "-*13" },

	/* Rule 19: each page its own place in swap. */
	{ "64K folio to swap",
	  { "{Wdyx*16}", .prot = RW, .swap = true }, "{Sx*16}" },
	{ "64K folio to swap, shared",
	  { "{Rdy*16}", .prot = RO, .swap = true }, "{S*16}" },
	{ "second half shared",
	  { "{Rdyx*8 Rdy*8}", .prot = RO, .swap = true }, "{Sx*8 S*8}" },
	{ "first page shared",
	  { "{Rdy Rdyx*15}", .prot = RO, .swap = true }, "{S Sx*15}" },
	{ "last page shared",
	  { "{Rdyx*15 Rdy}", .prot = RO, .swap = true }, "{Sx*15 S}" },
	{ "every other page shared",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RO,
	    .swap = true }, "{Sx S Sx S Sx S Sx S}" },
	{ "shared in runs of one, two and three",
	  { "{Rdyx Rdy Rdyx*2 Rdy*2 Rdyx*3 Rdy*3 Rdyx*4}", .prot = RO,
	    .swap = true }, "{Sx S Sx*2 S*2 Sx*3 S*3 Sx*4}" },
	{ "writable, read-only and without access",
	  { "{Wdyx*4 Rdyx*4 Ndyx*4 Wdyx*4}", .prot = RW, .swap = true },
	  "{Sx*16}" },
	{ "young and old, clean and dirty",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW, .swap = true },
	  "{Sx*16}" },
	{ "soft-dirty goes to swap, page by page",
	  { "{Wdysx*4 Rdyx*4 Wdysx Rdyx*7}", .prot = RW, .track = true,
	    .swap = true }, "{Ssx*4 Sx*4 Ssx Sx*7}" },
	{ "soft-dirty does not come with dirty",
	  { "{Ryx*15 Rdyx}", .prot = RO, .track = true, .swap = true },
	  "{Sx*16}" },
	{ "uffd-wp goes to swap, page by page",
	  { "{Rdyux*4 Wdyx*4 Rdyux Rdyu*7}", .prot = RW, .uffd_wp = true,
	    .swap = true }, "{Sxu*4 Sx*4 Sxu Su*7}" },
	{ "uffd-rwp goes to swap, page by page",
	  { "{Ndyux*4 Wdyx*12}", .prot = RW, .uffd_rwp = true,
	    .swap = true }, "{Sxu*4 Sx*12}" },
	{ "part of a folio to swap",
	  { "{.*5 Wdyx*6 .*5}", .prot = RW, .swap = true },
	  "{.*5 Sx*6 .*5}" },
	{ "a folio with a hole to swap",
	  { "{Wdyx*5 - - Wdyx*9}", .prot = RW, .swap = true },
	  "{Sx*5 - - Sx*9}" },
	{ "a folio that is in swap in part",
	  { "{Wdyx*5 Sx S Wdyx*9}", .prot = RW, .swap = true },
	  "{Sx*6 S Sx*9}" },
	{ "a folio that is being migrated in part stays so",
	  { "{Wdyx*5 Mx M Wdyx*9}", .prot = RW, .swap = true },
	  "{Sx*5 Mx M Sx*9}" },
	{ "to swap over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW, .swap = true }, "@-8 {Sx*16}" },
	{ "to swap off its alignment",
	  { "@5 {Wdyx*16}", .prot = RW, .swap = true }, "@5 {Sx*16}" },
	{ "one of three folios to swap",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .swap = true },
	  "{Wdyx*16} {Sx*16} {Wdyx*16}" },
	{ "to swap where the next frame follows",
	  { "| {Wdyx*16} | +{Wdyx*16}", .prot = RW, .swap = true },
	  "{Sx*16} {Wdyx*16}" },
	{ "to swap, flushed later",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW, .swap = true },
	  "{Sx*16} {Sx*16}", TTU_BATCH_FLUSH },
	{ "folios of mixed orders to swap",
	  { "{Wdyx} {Wdyx*2} {Wdyx*8} {Rdy*32}", .prot = RW, .swap = true },
	  "{Sx} {Sx*2} {Sx*8} {S*32}" },

	/* Rules 16 and 21. */
	{ "to swap, after a fork",
	  { "{Wdyx*16}", .prot = RW, .swap = true, .twice = true }, "{S*16}" },
	{ "small folio to swap, after a fork",
	  { "{Wdyx}", .prot = RW, .swap = true, .twice = true }, "{S}" },
	{ "lazyfree, after a fork",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true, .twice = true },
	  "-*16" },
	{ "locked into memory stays",
	  { "{Wdyx*16}", .prot = RW, .swap = true, .mlocked = true },
	  "{Wdyx*16}" },
	{ "locked into memory to swap all the same",
	  { "{Wdyx*16}", .prot = RW, .swap = true, .mlocked = true },
	  "{Sx*16}", TTU_IGNORE_MLOCK },
	{ "PMD to swap",
	  { "[Wdyx]", .prot = RW, .swap = true }, "{Sx*T}",
	  TTU_SPLIT_HUGE_PMD },
	{ "shared PMD to swap",
	  { "[Rdy]", .prot = RO, .swap = true }, "{S*T}",
	  TTU_SPLIT_HUGE_PMD },
	{ "2M folio mapped by page table entries to swap",
	  { "{Wdyx*255 Rdy*2 Wdyx*255}", .prot = RW, .swap = true },
	  "{Sx*255 S*2 Sx*255}" },
	{ "PMD of shmem",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T", TTU_SPLIT_HUGE_PMD },

	/* Rule 22. */
	{ "broken memory",
	  { "{Wdyx}", .prot = RW }, "{H}", TTU_HWPOISON, .hwpoison = true },
	{ "broken memory of shmem",
	  { "{Wdy}", PTEBATCH_SHMEM, RW }, "{H}", TTU_HWPOISON,
	  .hwpoison = true },
	{ "no batch where memory is broken",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16", TTU_HWPOISON },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void unmap_row(struct kunit *test)
{
	const struct unmap_row *row = test->param_value;

	if (row->hwpoison && !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "no broken memory without CONFIG_MEMORY_FAILURE");
	check_row(test, row);
}

/* Every order of every kind. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before, *after;
} kinds[] = {
	{ "to swap", { .prot = RW, .swap = true }, "Wdyx", "Sx" },
	{ "shared to swap", { .prot = RO, .swap = true }, "Rdy", "S" },
	{ "lazyfree", { .prot = RW, .lazyfree = true }, "Wyx", "-" },
	{ "of a file",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", "-" },
	{ "of shmem",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", "-" },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

static void unmap_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = &kinds[param->kind];
	unsigned int nr = 1U << param->order;
	char before[24], after[24];
	struct unmap_row *row;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	snprintf(before, sizeof(before), "{%s*%u}", kind->before, nr);
	snprintf(after, sizeof(after), "{%s*%u}", kind->after, nr);
	row->setup = kind->setup;
	row->setup.picture = before;
	row->after = after;
	check_row(test, row);
}

/*
 * Rule 20: it fails half way. Where that is, is page number @at; whatever is
 * before it may be unmapped, if it is all accounted for, and the rest must be
 * as it was.
 */

enum trouble {
	PINNED,			/* by a device */
	REFERENCED,		/* by who knows whom */
	DIRTIED,		/* the folio, by who had it pinned */
	NO_SWAP_COUNT,		/* page @at has as many swap entries as there can be */
};

static const struct trouble_row {
	const char *name;
	struct ptebatch_setup setup;
	enum trouble trouble;
	bool meanwhile;		/* the entries are cleared already */
	/* The pages before @at, that page, and those behind it. */
	const char *first, *at, *rest;
	/* The same when there is no trouble any more. */
	const char *done_first, *done_at, *done_rest;
} troubles[] = {
	{ "pinned, the first exclusive page",
	  { .prot = RO, .swap = true }, PINNED, false,
	  "Rdy", "Rdyx", "Rdyx", "S", "Sx", "Sx" },
	{ "pinned, the first writable page",
	  { .prot = RW, .swap = true }, PINNED, false,
	  "Rdy", "Wdyx", "Wdyx", "S", "Sx", "Sx" },
	{ "pinned meanwhile",
	  { .prot = RO, .swap = true }, PINNED, true,
	  "Rdy", "Rdyx", "Rdyx", "S", "Sx", "Sx" },
	{ "pinned, soft-dirty",
	  { .prot = RW, .swap = true, .track = true }, PINNED, false,
	  "Rdys", "Wdysx", "Rdyx", "Ss", "Ssx", "Sx" },
	{ "pinned, shadow-stack PTEs first: read-only ones are restored read-only",
	  { .prot = RW, .swap = true }, PINNED, false,
	  "Cdyx", "Ryx", "Ryx", "Sx", "Sx", "Sx" },
	{ "no more swap entries",
	  { .prot = RW, .swap = true }, NO_SWAP_COUNT, false,
	  "Wdyx", "Wdyx", "Wdyx", "Sx", "Sx", "Sx" },
	{ "no more swap entries for shared pages",
	  { .prot = RW, .swap = true }, NO_SWAP_COUNT, false,
	  "Rdyx", "Rdy", "Rdyx", "Sx", "S", "Sx" },
	{ "lazyfree, one page written since",
	  { .prot = RW, .lazyfree = true }, DIRTIED, true,
	  "Wyx", "Wyx", "Wyx", NULL },
	{ "lazyfree and referenced",
	  { .prot = RW, .lazyfree = true }, REFERENCED, false,
	  "Wyx", "Ryx", "Wyx", "-", "-", "-" },
	{ "lazyfree and referenced meanwhile",
	  { .prot = RW, .lazyfree = true }, REFERENCED, true,
	  "Wyx", "Ryx", "Wyx", "-", "-", "-" },
	{ "lazyfree and referenced, soft-dirty",
	  { .prot = RW, .lazyfree = true, .track = true }, REFERENCED, false,
	  "Wysx", "Ryx", "Rysx", "-", "-", "-" },
};

/* A folio in trouble. */
struct victim {
	const struct trouble_row *row;
	struct folio *folio;
	unsigned int at;
	bool troubled;
};

/* Called with the page table lock held, too. */
static void trouble(void *data)
{
	struct victim *victim = data;

	if (victim->troubled)
		return;
	victim->troubled = true;
	switch (victim->row->trouble) {
	case PINNED:
		ptebatch_folio_pin(victim->folio, 1);
		break;
	case REFERENCED:
		folio_get(victim->folio);
		break;
	case DIRTIED:
		folio_set_dirty(victim->folio);
		break;
	case NO_SWAP_COUNT:
#ifdef CONFIG_FAILSLAB
		/* A larger count needs a table. */
		current->fail_nth = 1;
#endif
		break;
	}
}

static void no_trouble(struct victim *victim)
{
	if (!victim->troubled)
		return;
	victim->troubled = false;
	switch (victim->row->trouble) {
	case PINNED:
		ptebatch_folio_pin(victim->folio, -1);
		break;
	case REFERENCED:
		folio_put(victim->folio);
		break;
	case DIRTIED:
		break;
	case NO_SWAP_COUNT:
#ifdef CONFIG_FAILSLAB
		current->fail_nth = 0;
#endif
		break;
	}
}

/* Swap counts up to where the next one needs a table. */
#define MANY	(SWP_TB_COUNT_MAX - 1)

/* Whether all before entry @done is done and the rest as it was. */
static void expect_done(const struct ptebatch_trial *trial,
			const char *done_picture, unsigned int at)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct ptebatch_row *expected;
	unsigned long *differs;
	unsigned int done = 0;
	const char *error;

	expected = kunit_kzalloc(trial->test, sizeof(*expected), GFP_KERNEL);
	differs = kunit_kcalloc(trial->test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, expected);
	KUNIT_ASSERT_NOT_NULL(trial->test, differs);
	if (done_picture)
		KUNIT_ASSERT_EQ(trial->test, 0,
				ptebatch_row_parse(expected, done_picture,
						   &error));
	while (done < was->nr &&
	       !ptebatch_entry_present(&trial->after.row.entries[done]))
		done++;
	memcpy(expected->entries + done, was->entries + done,
	       (was->nr - done) * sizeof(was->entries[0]));
	if (!ptebatch_trial_allows(trial, expected, differs))
		ptebatch_trial_print(trial, "rule 20: neither done nor as it was",
				     differs);
	KUNIT_EXPECT_LE_MSG(trial->test, done, at,
			    "rule 20: %s goes on behind what fails", trial->who);
}

static void in_trouble(struct kunit *test, const struct trouble_row *row,
		       const struct ptebatch_setup *setup, const char *done,
		       unsigned int at, const char *who, ptebatch_unmap_t how)
{
	struct ptebatch_trial *trial;
	struct victim *victim;
	bool counted = row->trouble == NO_SWAP_COUNT;

	victim = kunit_kzalloc(test, sizeof(*victim), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, victim);
	trial = ptebatch_trial_begin(test, who, setup);
	*victim = (struct victim) { row, trial->space->folios[0], at };
	if (counted)
		KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_dup(victim->folio, at, MANY));
	if (row->meanwhile) {
		trial->flush.data = victim;
		trial->flush.meanwhile = trouble;
	} else {
		trouble(victim);
	}
	ptebatch_unmap(trial->space, 0, how);
	trial->flush.meanwhile = NULL;
	KUNIT_EXPECT_TRUE_MSG(test, victim->troubled, "there was no trouble");
	no_trouble(victim);
	if (counted)
		ptebatch_swap_put(victim->folio, at, MANY);
	ptebatch_trial_end(trial);
	expect_done(trial, done, at);
	if (row->trouble == DIRTIED)
		KUNIT_EXPECT_TRUE_MSG(test, folio_test_swapbacked(victim->folio),
				      "rule 18: dirty and still lazyfree");
	/* Reclaim comes again, when the trouble is over. */
	if (done && !ptebatch_failed(test)) {
		struct seq_buf complaints;
		char text[128];

		ptebatch_unmap(trial->space, 0, how);
		ptebatch_snapshot(&trial->after, trial->space,
				  &trial->space->places[0]);
		ptebatch_trial_expect(trial, done);
		seq_buf_init(&complaints, text, sizeof(text));
		KUNIT_EXPECT_EQ_MSG(test, 1,
				    ptebatch_books_balance(trial->space, &complaints),
				    "%s", seq_buf_str(&complaints));
	}
	ptebatch_trial_release(trial);
}

static const char *picture(char *text, size_t size, unsigned int at,
			   const char *first, const char *this, const char *rest)
{
	struct seq_buf out;

	seq_buf_init(&out, text, size);
	seq_buf_puts(&out, "{");
	if (at)
		seq_buf_printf(&out, "%s*%u ", first, at);
	seq_buf_printf(&out, "%s ", this);
	if (at < 15)
		seq_buf_printf(&out, "%s*%u", rest, 15 - at);
	seq_buf_puts(&out, "}");
	return seq_buf_str(&out);
}

KUNIT_ARRAY_PARAM_DESC(troubles, troubles, name);

static void unmap_fails(struct kunit *test)
{
	const struct trouble_row *row = test->param_value;
	struct ptebatch_setup *setup;
	char before[64], after[64];
	const char *done = NULL;
	unsigned int at;

	if (row->meanwhile && IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "nothing tells of flushes here");
	if (row->trouble == NO_SWAP_COUNT && !IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "no allocation fails without CONFIG_FAILSLAB");
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = row->setup;
	for (at = 0; at < 16; at++) {
		setup->picture = picture(before, sizeof(before), at, row->first,
					 row->at, row->rest);
		if (row->done_at)
			done = picture(after, sizeof(after), at, row->done_first,
				       row->done_at, row->done_rest);
		in_trouble(test, row, setup, done, at, "try_to_unmap()",
			   try_to_unmap);
		in_trouble(test, row, setup, done, at, "the twin",
			   ptebatch_twin_try_to_unmap);
		if (ptebatch_failed(test))
			return;
	}
}

/*
 * Swapped out to the disk and in again by faults: each page must come back with
 * its own bytes, and its entry as exclusive, soft-dirty and write-protected as
 * it was.
 */

static const struct swap_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after, *back;
} swap_rows[] = {
	{ "exclusive", { "{Wdyx*16}", .prot = RW, .swap = true },
	  "{Sx*16}", "{Wyx*16}" },
	{ "shared", { "{Rdy*16}", .prot = RW, .swap = true },
	  "{S*16}", "{Ry*16}" },
	{ "exclusive and shared", { "{Wdyx*5 Rdy*6 Wdyx*5}", .prot = RW,
				    .swap = true },
	  "{Sx*5 S*6 Sx*5}", "{Wyx*5 Ry*6 Wyx*5}" },
	{ "read-only memory", { "{Rdyx*16}", .prot = RO, .swap = true },
	  "{Sx*16}", "{Ryx*16}" },
	{ "soft-dirty tracked",
	  { "{Wdysx*4 Rdyx*12}", .prot = RW, .swap = true, .track = true },
	  "{Ssx*4 Sx*12}", "{Wysx*4 Ryx*12}" },
	{ "uffd-wp",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .swap = true, .uffd_wp = true },
	  "{Sxu*4 Sx*12}", "{Ryux*4 Wyx*12}" },
	{ "part of a folio", { "{.*3 Wdyx*13}", .prot = RW, .swap = true },
	  "{.*3 Sx*13}", "{.*3 Wyx*13}" },
	{ "over the edge of a page table",
	  { "@-5 {Wdyx*16}", .prot = RW, .swap = true },
	  "@-5 {Sx*16}", "@-5 {Wyx*16}" },
	{ "small folios", { "{Wdyx} {Rdy} {Wdyx}", .prot = RW, .swap = true },
	  "{Sx} {S} {Sx}", "{Wyx} {Ry} {Wyx}" },
	{ "2M folio", { "{Wdyx*T}", .prot = RW, .swap = true },
	  "{Sx*T}", "{Wyx*T}" },
};

KUNIT_ARRAY_PARAM_DESC(swap_rows, swap_rows, name);

/* The bytes of a page, different for each. */
static u8 byte_of(const struct ptebatch_entry *entry)
{
	return 1 + (entry->folio * 37 + entry->page) % 251;
}

static void fill_pages(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		const struct ptebatch_entry *entry = &space->row.entries[i];

		memset(page_address(folio_page(space->folios[entry->folio],
					       entry->page)),
		       byte_of(entry), PAGE_SIZE);
	}
}

static void read_pages(struct kunit *test, struct ptebatch_space *space)
{
	unsigned int i;
	u8 got;

	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < space->row.nr; i++) {
		u8 __user *where = (u8 __user *)ptebatch_addr(space, i);

		KUNIT_EXPECT_EQ(test, 0, get_user(got, where + i % PAGE_SIZE));
		KUNIT_EXPECT_EQ_MSG(test, got, byte_of(&space->row.entries[i]),
				    "entry %u has not got its own page back", i);
	}
	kthread_unuse_mm(space->places[0].mm);
}

static void swap_and_read(struct kunit *test, const struct swap_row *row,
			  const char *who, ptebatch_unmap_t how)
{
	struct ptebatch_trial *trial;
	unsigned int i;

	trial = ptebatch_trial_begin(test, who, &row->setup);
	fill_pages(trial->space);
	ptebatch_unmap(trial->space, 0, how);
	ptebatch_trial_end(trial);
	ptebatch_trial_expect(trial, row->after);
	for (i = 0; i < trial->space->row.nr_folios; i++) {
		struct folio *folio = trial->space->folios[i];

		KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_there_and_back(folio));
		/* Who faults wants its lock. */
		folio_unlock(folio);
	}
	read_pages(test, trial->space);
	for (i = 0; i < trial->space->row.nr_folios; i++)
		folio_lock(trial->space->folios[i]);
	ptebatch_snapshot(&trial->after, trial->space, &trial->space->places[0]);
	ptebatch_trial_expect(trial, row->back);
	ptebatch_trial_release(trial);
}

static void swap_in(struct kunit *test)
{
	swap_and_read(test, test->param_value, "try_to_unmap()", try_to_unmap);
	swap_and_read(test, test->param_value, "the twin",
		      ptebatch_twin_try_to_unmap);
}

static struct kunit_case rmap_cases[] = {
	KUNIT_CASE_PARAM(unmap_row, rows_gen_params),
	KUNIT_CASE_PARAM(unmap_order, orders_gen_params),
	KUNIT_CASE_PARAM(unmap_fails, troubles_gen_params),
	KUNIT_CASE_PARAM(swap_in, swap_rows_gen_params),
	{}
};

static struct kunit_suite rmap_suite = {
	.name = "ptebatch_rmap",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = rmap_cases,
};

kunit_test_suite(rmap_suite);
