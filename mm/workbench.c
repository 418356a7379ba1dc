// SPDX-License-Identifier: GPL-2.0
/*
 * The workbench itself: a check that cannot fail checks nothing. So the
 * notation is read and printed back, and what each check shall notice is done
 * to it.
 */
#include "../lib/tlb.h"

#include <kunit/test.h>
#include <linux/debug_locks.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/arch.h"
#include "../lib/books.h"
#include "../lib/bytes.h"
#include "../lib/hold.h"
#include "../lib/trial.h"
#include "../lib/unmap.h"
#include "../lib/warnings.h"

#define RW	(PROT_READ | PROT_WRITE)

/*
 * A picture as people write it, and as the printer does; that may hang on how
 * many entries a page table has.
 */
static const struct notation_row {
	const char *written, *printed;
	unsigned int table;
} notation_rows[] = {
	{ "Wdyx", "Wdyx" },
	{ "Wxyd*3 -*2 N", "Wdyx*3 -*2 N" },
	{ "{Wdyx*16}", "{Wdyx*16}" },
	{ "{Rdyx*8Rdy*8}", "{Rdyx*8 Rdy*8}" },
	{ "{Wdyx*4 | Wdyx*12}|", "{Wdyx*4 | Wdyx*12} |" },
	{ "| {Rsu*2} | -", "| {Rsu*2} | -" },
	{ "@500 {W*8 -*4 W*4}", "@500 {W*8 -*4 W*4}" },
	{ "{R*3 -*2 | - R*2 |}", "{R*3 -*2 | - R*2} |" },
	{ "{Mw M Mx -} S*2 U P G", "{Mw M Mx .} - S*2 U P G" },
	{ "{.*5 R*11}", "{.*5 R*11}" },
	{ "{R*3 .*5}", "{R*3 .*5}" },
	{ "{R*3 .*2 R*3}", "{R*3 R=5*3}" },
	{ "{R=3 R=1*2 R=0}", "{.*3 R R=1*2 R=0 .*3}" },
	{ "{R*2}*2 +{R*2}", "{R*2} {R*2} +{R*2}" },
	{ "R +R*2", "R +R*2" },
	{ "~{R*2} 1{R*2} ~0+R*2 R", "~{R*2} 1{R*2} ~0+R*2 R" },
	{ "(Wdyx*2 Rdl*2) {R*2}", "(Wdyx*2 Rdl*2) {R*2}" },
	{ "[Wdyx]", "[Wdyx]" },
	{ "[W*511 R]", "[W*511 R]", 512 },
	{ "R*T/4-3 -*T-500", "R*125 -*12", 512 },
	{ "@-3 W*3 [R*T/2 W*T/2] -*T", "@509 W*3 [R*256 W*256] -*512", 512 },
};

static void notation_desc(const struct notation_row *row, char *desc)
{
	strscpy(desc, row->written, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(notation, notation_rows, notation_desc);

static struct ptebatch_row *parse(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row;
	const char *error;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_ASSERT_EQ_MSG(test, ptebatch_row_parse(row, picture, &error), 0,
			    "%s: %s", picture, error);
	return row;
}

static void workbench_notation(struct kunit *test)
{
	const struct notation_row *param = test->param_value;
	struct ptebatch_row *row;
	struct seq_buf out;
	char text[64];

	if (param->table && param->table != PTRS_PER_PTE)
		kunit_skip(test, "page tables have %d entries here", (int)PTRS_PER_PTE);
	row = parse(test, param->written);
	seq_buf_init(&out, text, sizeof(text));
	ptebatch_row_print(&out, row, NULL);
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out), param->printed);
	KUNIT_EXPECT_MEMEQ(test, row, parse(test, param->printed),
			   sizeof(*row));
}

/* What the parser refuses, and the character, from 1, that it points at. */
static const struct notation_error {
	const char *picture;
	int at;
	const char *error;
} notation_errors[] = {
	{ "", 1, "no entries" },
	{ "Wq", 2, "not a flag" },
	{ "X", 1, "not an entry" },
	{ "%", 1, "not an entry" },
	{ "-d", 2, "a flag on an empty entry" },
	{ "W*0", 4, "a count of 0" },
	{ "W*", 3, "a number is missing" },
	{ "{W*3}", 6, "not a power of two of pages in braces" },
	{ "{W*4", 5, "a brace is not closed" },
	{ "{.*4}", 6, "a folio without an entry" },
	{ "[W*4]", 6, "not a whole page table in brackets" },
	{ "@1 [W]", 7, "not a whole page table in brackets" },
	{ "W | W", 6, "a second | is missing" },
	{ "|W|W|", 5, "a third |" },
	{ "+W", 3, "no folio before the +" },
	{ "W +-", 5, "no folio behind the mark" },
	{ "~-", 3, "no folio behind the mark" },
	{ "255W", 4, "no such node" },
	{ "W*T/0", 6, "no part of a page table" },
	{ "W*T/2-9999", 11, "more than there is taken away" },
	{ "@T W", 3, "@ is beyond the page table" },
	{ "@-0 W", 4, "@ is beyond the page table" },
	{ "-*T -*T -*T -", 14, "more than three page tables of entries" },
	{ "W*T W*T W*T W", 14, "too many folios" },
};

static void error_desc(const struct notation_error *row, char *desc)
{
	strscpy(desc, *row->picture ? row->picture : "nothing",
		KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(notation_error, notation_errors, error_desc);

static void workbench_notation_error(struct kunit *test)
{
	const struct notation_error *param = test->param_value;
	const char *error = NULL;
	struct ptebatch_row *row;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, ptebatch_row_parse(row, param->picture, &error),
			-param->at);
	KUNIT_ASSERT_NOT_NULL(test, error);
	KUNIT_EXPECT_STREQ(test, error, param->error);
}

/* Rule 1 allows this much and no more. */
static const struct allows_row {
	const char *name, *was, *expected;
	bool allowed;
} allows_rows[] = {
	{ "as expected", "{Wdyx*16}", "{Wdyx*16}", true },
	{ "dirty has spread", "{Wdyx*16}", "{Wdyx*15 Wyx}", true },
	{ "young has spread", "{Wdyx*16}", "{Wdx Wdyx*15}", true },
	{ "dirty has vanished", "{Wyx*16}", "{Wyx*8 Wdyx Wyx*7}", false },
	{ "dirty from nowhere", "Wdyx*2", "Wyx Wdyx", false },
	{ "dirty from outside the range", "{Wdyx | Wdyx | Wdyx*6}",
	  "{Wdyx Wyx Wdyx*6}", false },
	{ "dirty over a change of write permission", "{Rdyx Wdyx Rdyx*6}",
	  "{Rdyx Wyx Rdyx*6}", false },
	{ "dirty from outside the range, in a block",
	  "{Wdyx | Wdyx | Wdyx*14}", "{Wdyx Wyx Wdyx*14}",
	  PTEBATCH_BLOCK_ENTRIES == 16 },
	{ "dirty by way of a batch that reaches into a block",
	  "@8 {.*8 | Rdyx Ryx*8 Wdyx Wyx*14 |}",
	  "@8 {.*8 Rdyx Ryx*8 Wyx*15}", PTEBATCH_BLOCK_ENTRIES == 16 },
	{ "more writable", "{Wdyx*16}", "{Wdyx*15 Rdyx}", false },
	{ "less writable", "{Wdyx*15 Rdyx}", "{Wdyx*16}", false },
	{ "other page", "{Wdyx Wdyx=2 Wdyx=1 Wdyx=3}", "{Wdyx*4}", false },
	{ "other folio", "{Wdyx*2} Wdyx Wdyx", "Wdyx Wdyx {Wdyx*2}", false },
	{ "not mapped", "{Wdyx*3 -}", "{Wdyx*4}", false },
	{ "not exclusive", "{Rdyx*3 Rdy}", "{Rdyx*4}", false },
};

KUNIT_ARRAY_PARAM_DESC(allows, allows_rows, name);

static void workbench_allows(struct kunit *test)
{
	const struct allows_row *param = test->param_value;
	const struct ptebatch_setup setup = { param->was, .prot = RW };
	struct ptebatch_trial *trial;
	unsigned long *differs;

	differs = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, differs);
	trial = ptebatch_trial_begin(test, "nobody", &setup);
	ptebatch_trial_end(trial);
	KUNIT_EXPECT_EQ(test, param->allowed,
			ptebatch_trial_allows(trial,
					      parse(test, param->expected),
					      differs));
}

/* Rule 7: each count that is off by one is noticed. */

static void add_reference(struct ptebatch_space *space, int by)
{
	folio_ref_add(space->folios[0], by);
}

static void add_mapcount(struct ptebatch_space *space, int by)
{
	atomic_add(by, &space->folios[0]->_large_mapcount);
}

static void add_page_mapcount(struct ptebatch_space *space, int by)
{
	atomic_add(by, &folio_page(space->folios[0], 3)->_mapcount);
}

static void add_rss(struct ptebatch_space *space, int by)
{
	add_mm_counter(space->places[0].mm, MM_ANONPAGES, by);
}

static void add_swap(struct ptebatch_space *space, int by)
{
	add_mm_counter(space->places[0].mm, MM_SWAPENTS, by);
}

static void share_exclusive(struct ptebatch_space *space, int by)
{
	if (by > 0)
		SetPageAnonExclusive(folio_page(space->folios[0], 3));
	else
		ClearPageAnonExclusive(folio_page(space->folios[0], 3));
}

static const struct books_row {
	const char *name;
	void (*tamper)(struct ptebatch_space *space, int by);
	const char *noticed;
	bool twice;
} books_rows[] = {
	{ "a reference", add_reference, "the reference count of folio 0" },
	{ "a mapcount", add_mapcount, "the mapcount of folio 0" },
	{ "a page's mapcount", add_page_mapcount,
	  "page 3: the mapcount of folio 0" },
	{ "an RSS counter", add_rss, "MM_ANONPAGES" },
	{ "a swap counter", add_swap, "MM_SWAPENTS" },
	{ "exclusive to two", share_exclusive,
	  "page 3: AnonExclusive of folio 0", .twice = true },
};

KUNIT_ARRAY_PARAM_DESC(books, books_rows, name);

static void workbench_books(struct kunit *test)
{
	const struct books_row *param = test->param_value;
	const struct ptebatch_setup setup = {
		"{Rdy*16}", .prot = PROT_READ, .twice = param->twice,
	};
	struct ptebatch_space *space;
	struct seq_buf out;
	char text[512];

	if (param->tamper == add_page_mapcount &&
	    !IS_ENABLED(CONFIG_PAGE_MAPCOUNT))
		kunit_skip(test, "no mapcounts per page without CONFIG_PAGE_MAPCOUNT");
	space = ptebatch_space(test, &setup);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, ptebatch_books_balance(space, &out), 1);

	param->tamper(space, 1);
	KUNIT_EXPECT_EQ(test, ptebatch_books_balance(space, &out), 0);
	param->tamper(space, -1);
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), param->noticed),
			      "says instead: %s", seq_buf_str(&out));
}

/* Rule 4: one bit outside the range is enough. */
static void workbench_neighbours(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW,
	};
	static const int outside[] = { -1, 0, 3, 12, 15, 16 };
	static const int inside[] = { 4, 11 };
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[256];
	pte_t *raw;
	int i;

	trial = ptebatch_trial_begin(test, "nobody", &setup);
	ptebatch_trial_end(trial);
	raw = trial->after.raw + trial->after.lead;
	for (i = 0; i < ARRAY_SIZE(outside) + ARRAY_SIZE(inside); i++) {
		bool in = i >= ARRAY_SIZE(outside);
		int at = in ? inside[i - ARRAY_SIZE(outside)] : outside[i];
		pte_t was = raw[at];

		raw[at] = pte_none(was) ? raw[0] : pte_wrprotect(was);
		seq_buf_init(&out, text, sizeof(text));
		KUNIT_EXPECT_EQ_MSG(test, in,
				    ptebatch_neighbours_same(&trial->before,
							     &trial->after,
							     &out),
				    "entry %d", at);
		raw[at] = was;
	}
}

/* What is not moved is missed there, and what is not gone is noticed here. */
static void workbench_there(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"@3 {Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW,
	};
	const struct ptebatch_call gone =
		ptebatch_setup_call(&setup, ptebatch_model_gone, RW);
	const struct ptebatch_call moved =
		ptebatch_setup_call(&setup, ptebatch_model_move, RW);
	struct ptebatch_trial *here, *there;
	const struct ptebatch_row *was;
	unsigned long *differs;
	struct seq_buf out;
	char text[256];

	differs = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, differs);
	here = ptebatch_trial_begin(test, "nobody", &setup);
	there = ptebatch_trial_there(here,
				     ptebatch_space_add_place(here->space, 5));
	ptebatch_trial_end(there);
	ptebatch_trial_end(here);
	was = ptebatch_trial_was(there);
	KUNIT_EXPECT_PTR_EQ(test, was, &here->before.row);
	KUNIT_EXPECT_EQ(test, there->after.row.first, 5);

	KUNIT_EXPECT_FALSE(test, ptebatch_model_row(&gone, was,
						    &here->after.row, differs));
	KUNIT_EXPECT_EQ(test, bitmap_weight(differs, PTEBATCH_ROW_ENTRIES), 8);
	KUNIT_EXPECT_FALSE(test, ptebatch_model_row(&moved, was,
						    &there->after.row, differs));
	KUNIT_EXPECT_EQ(test, bitmap_weight(differs, PTEBATCH_ROW_ENTRIES), 8);
	KUNIT_EXPECT_TRUE(test, ptebatch_model_row(&gone, was,
						   &there->after.row, differs));
	KUNIT_EXPECT_TRUE(test, ptebatch_model_row(&moved, was,
						   &here->after.row, differs));

	seq_buf_init(&out, text, sizeof(text));
	there->after.raw[there->after.lead + 12] =
		here->after.raw[here->after.lead + 11];
	KUNIT_EXPECT_FALSE(test, ptebatch_neighbours_same(&there->before,
							  &there->after, &out));
}

/* Rule 8: what was not flushed is noticed, what was is seen. */
static void workbench_flush(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Wdyx*8}", .prot = RW };
	const struct ptebatch_row *after = parse(test, "{Wdyx*2 Rdyx*4 Wdyx*2}");
	struct ptebatch_trial *trial;
	struct vm_area_struct *vma;
	struct seq_buf out;
	unsigned long addr;
	char text[512];

	trial = ptebatch_trial_begin(test, "nobody", &setup);
	addr = ptebatch_addr(trial->space, 0);

	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_flush_covers(&trial->flush,
						      &trial->before.row,
						      &trial->before.row, &out));
	KUNIT_EXPECT_FALSE(test, ptebatch_flush_covers(&trial->flush,
						       &trial->before.row,
						       after, &out));
	KUNIT_EXPECT_STREQ(test, strsep(&(char *){ text }, "\n"),
			   "entry 2 was not flushed: it was Wdyx and is Rdyx");

	mmap_read_lock(trial->space->places[0].mm);
	vma = vma_lookup(trial->space->places[0].mm, addr);
	flush_tlb_range(vma, addr + 3 * PAGE_SIZE, addr + 6 * PAGE_SIZE);
	mmap_read_unlock(trial->space->places[0].mm);
	ptebatch_trial_end(trial);
	seq_buf_clear(&out);
	KUNIT_EXPECT_FALSE(test, ptebatch_flush_covers(&trial->flush,
						       &trial->before.row,
						       after, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "entry 2 was not flushed: it was Wdyx and is Rdyx\n");
}

/* What has vanished from the page tables and is not free is noticed. */
static void workbench_leak(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4} Wdyx*2", .prot = RW, .lru = true,
	};
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct folio *folio = space->folios[0];
	int err;

	folio_get(folio);
	ptebatch_let_go(space);
	ptebatch_zap(space, zap_vma_range);
	err = ptebatch_take_back(space);
	KUNIT_EXPECT_TRUE(test, ptebatch_leaked(space, 0));
	KUNIT_EXPECT_FALSE(test, ptebatch_leaked(space, 1));
	folio_put(folio);
	KUNIT_EXPECT_FALSE(test, ptebatch_leaked(space, 0));
	KUNIT_EXPECT_EQ(test, err, 0);
}

/* One byte is enough. */
static void workbench_bytes(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4} Wdyx", .prot = RW,
	};
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[80];
	u8 *byte;

	trial = ptebatch_trial_begin(test, "nobody", &setup);
	ptebatch_bytes_fill(trial->space);
	ptebatch_trial_end(trial);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_bytes_kept(trial, &out));
	byte = page_address(folio_page(trial->space->folios[0], 2));
	byte[PAGE_SIZE - 1]++;
	KUNIT_EXPECT_FALSE(test, ptebatch_bytes_kept(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "page 2 of folio 0 has not got its bytes\n");
}

/* Rule 7, at the end: what is left behind fails the case that left it. */
static void workbench_teardown(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Wdyx*8}", .prot = RW };
	struct folio *folio;
	struct kunit *inner;

	inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, inner);

	kunit_init_test(inner, "leaves nothing", NULL);
	ptebatch_space(inner, &setup);
	kunit_cleanup(inner);
	KUNIT_EXPECT_EQ(test, inner->status, KUNIT_SUCCESS);

	kunit_init_test(inner, "leaves a reference, to be noticed", NULL);
	folio = ptebatch_space(inner, &setup)->folios[0];
	folio_get(folio);
	kunit_cleanup(inner);
	KUNIT_EXPECT_EQ(test, inner->status, KUNIT_FAILURE);
	folio_put(folio);
}

/*
 * Rule 10: a warning is found, and only one that is new. These are not for the
 * consoles, and pr_debug() need not reach the log.
 */
#define NOT_ONE	" (not one: ptebatch tries whether it is found)\n"

static void workbench_warnings(struct kunit *test)
{
	static const char * const found[] = {
		"WARNING: CPU: 0 PID: 1 at mm/rmap.c:1",
		"BUG: Bad rss-counter state mm",
		"BUG: sleeping function called from invalid context",
		"BUG: KASAN: slab-use-after-free in try_to_unmap_one",
		"BUG kmalloc-64 (Tainted): Poison overwritten",
		"WARNING: possible circular locking dependency detected",
		"INFO: trying to register non-static key.",
		"Disabling lock debugging due to kernel taint",
	};
	struct kmsg_dump_iter log;
	struct seq_buf out;
	char text[256], expected[160];
	int i;

	seq_buf_init(&out, text, sizeof(text));
	_printk(KERN_DEBUG "WARNING: old" NOT_ONE);
	ptebatch_warnings_begin(&log);
	_printk(KERN_DEBUG "a line that says WARNING: further on" NOT_ONE);
	KUNIT_EXPECT_FALSE(test, ptebatch_warnings_found(&log, &out));
	for (i = 0; i < ARRAY_SIZE(found); i++) {
		_printk(KERN_DEBUG "%s" NOT_ONE, found[i]);
		KUNIT_EXPECT_TRUE_MSG(test, ptebatch_warnings_found(&log, &out),
				      "%s", found[i]);
		KUNIT_EXPECT_FALSE(test, ptebatch_warnings_found(&log, &out));
		snprintf(expected, sizeof(expected), "the kernel says: %s" NOT_ONE,
			 found[i]);
		KUNIT_EXPECT_STREQ(test, seq_buf_str(&out), expected);
		seq_buf_clear(&out);
	}
}

#ifdef CONFIG_PROVE_LOCKING
/* Rule 10: once lockdep is off, it reports nothing. */
static void workbench_lockdep(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, debug_locks);
}
#endif

static struct kunit_case workbench_cases[] = {
	KUNIT_CASE_PARAM(workbench_notation, notation_gen_params),
	KUNIT_CASE_PARAM(workbench_notation_error, notation_error_gen_params),
	KUNIT_CASE_PARAM(workbench_allows, allows_gen_params),
	KUNIT_CASE_PARAM(workbench_books, books_gen_params),
	KUNIT_CASE(workbench_neighbours),
	KUNIT_CASE(workbench_there),
	KUNIT_CASE(workbench_flush),
	KUNIT_CASE(workbench_leak),
	KUNIT_CASE(workbench_bytes),
	KUNIT_CASE(workbench_teardown),
	KUNIT_CASE(workbench_warnings),
#ifdef CONFIG_PROVE_LOCKING
	KUNIT_CASE(workbench_lockdep),
#endif
	{}
};

static struct kunit_suite workbench_suite = {
	.name = "ptebatch_workbench",
	.test_cases = workbench_cases,
};

kunit_test_suite(workbench_suite);
