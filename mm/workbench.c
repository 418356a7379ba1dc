// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of the notation, of set-up and teardown, and of the check of the kernel
 * log. The other checks are in workbench_checks.c.
 */
#include <kunit/test.h>
#include <linux/debug_locks.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/kernel/log.h"
#include "../lib/op/op.h"
#include "../lib/service/swap.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"

#define RW	(PROT_READ | PROT_WRITE)

/*
 * A picture as written and as printed. With @table set, the row runs only where
 * a page table has @table entries.
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
	{ "@500 {W*8 -*4 W*4}", "@500 {W*8 -*4 W*4}", 512 },
	{ "{R*3 -*2 | - R*2 |}", "{R*3 -*2 | - R*2} |" },
	{ "{Cdyx Rdy}", "{Cdyx Rdy}" },
	{ "{Mw M Mx -} S*2 U P G", "{Mw M Mx .} - S*2 U P G" },
	{ "Rzy*2 {W*4 Nz*4 W*8} Rdk*2", "Ryz*2 {W*4 Nz*4 W*8} Rdk*2" },
	{ "Wpd {Rp*2 R*2}", "Wdp {Rp*2 R*2}" },
	{ "{Rdyxh R*3}", "{Rdyxh R*3}" },
	{ "Dwx {Du*2 Dx*2} {Exs W}", "Dxw {Du*2 Dx*2} {Esx W}" },
	{ "{.*5 R*11}", "{.*5 R*11}" },
	{ "{R*3 .*5}", "{R*3 .*5}" },
	{ "{W*0 | R*4 | .*0} -*0", "{R*4}" },
	{ "{R*3 .*2 R*3}", "{R*3 R=5*3}" },
	{ "{R=3 R=1*2 R=0}", "{.*3 R R=1*2 R=0 .*3}" },
	{ "{R*2}*2 +{R*2}", "{R*2} {R*2} +{R*2}" },
	{ "R +R*2", "R +R*2" },
	{ "{R*2 ;R*6};R*2", "{R*2 ; R*6} ; R*2" },
	{ "R {W*2 | ; W*2}*2 |", "R {W*2 ; | W*2} {W*2 ; W*2} |" },
	{ "~{R*2} 1{R*2} ~0+R*2 R", "~{R*2} 1{R*2} ~0+R*2 R" },
	{ "(Wdyx*2 Rdl*2) {R*2}", "(Wdyx*2 Rdl*2) {R*2}" },
	{ "[Wdyx]", "[Wdyx]" },
	{ "[Mw]", "[Mw]" },
	{ "[Rzy] [Rzys]", "[Ryz] [Rysz]" },
	{ "[Rzy]*2 Rzy", "[Ryz] [Ryz] Ryz" },
	{ "[Rz*T/2 | Rz*T/2] R|", "[Rz*256 | Rz*256] R |", 512 },
	{ "[W*511 R]", "[W*511 R]", 512 },
	{ "R*T/4-3 -*T-500", "R*125 -*12", 512 },
	{ "@-3 W*3 [R*T/2 W*T/2] -*T", "@509 W*3 [R*256 W*256] -*512", 512 },
};

static void notation_desc(const struct notation_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: printed as %s", row->written,
		 row->printed);
}

KUNIT_ARRAY_PARAM(notation, notation_rows, notation_desc);

static void workbench_notation(struct kunit *test)
{
	const struct notation_row *param = test->param_value;
	struct ptebatch_row *row;
	struct seq_buf out;
	char text[64];

	if (param->table && param->table != PTRS_PER_PTE)
		kunit_skip(test, "page tables have %d entries, not %u",
			   (int)PTRS_PER_PTE, param->table);
	row = ptebatch_picture(test, param->written);
	seq_buf_init(&out, text, sizeof(text));
	ptebatch_row_print(&out, row, NULL);
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out), param->printed);
	KUNIT_EXPECT_MEMEQ(test, row, ptebatch_picture(test, param->printed),
			   sizeof(*row));
}

/* Pictures that the parser rejects, and the character, from 1, of the error. */
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
	{ "W*0", 4, "no entries" },
	{ "{W*2}*0", 8, "0 folios" },
	{ "{Rk*2}", 6, "a KSM page in a large folio" },
	{ "W*", 3, "a number is missing" },
	{ "{W*3}", 6, "not a power of two of pages in braces" },
	{ "{W*4", 5, "a brace is not closed" },
	{ "{.*4}", 6, "a folio without an entry" },
	{ "[W*4]", 6, "not a whole page table in brackets" },
	{ "@1 [W]", 7, "not a whole page table in brackets" },
	{ "W | W", 6, "a second | is missing" },
	{ "|W|W|", 5, "a third |" },
	{ "[Rz*T/2 R*T/2]", 15, "zero page and folio in one PMD" },
	{ "+W", 3, "no folio before the +" },
	{ "W +-", 5, "mark without a folio" },
	{ "~-", 3, "mark without a folio" },
	{ "255W", 4, "no such node" },
	{ "W*T/0", 6, "division of T by 0" },
	{ "W*T/900-10", 11, "T/n-m is negative" },
	{ "@T W", 3, "@ is beyond the page table" },
	{ "@-0 W", 4, "@ is beyond the page table" },
	{ "; W", 1, "a VMA without an entry before the ;" },
	{ "W ;", 4, "a VMA without an entry after the ;" },
	{ "[W*T/2 ; W*T/2]", 8, "a PMD maps one VMA" },
	{ "-*T -*T -*T -", 14, "more than three page tables of entries" },
	{ "W*T W*T W*T W", 14, "too many folios" },
};

static void error_desc(const struct notation_error *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s, at character %d",
		 *row->picture ? row->picture : "empty picture", row->error,
		 row->at);
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

/* Rule 1: accessed and dirty may spread in a batch; nothing else may differ. */
static const struct allows_row {
	const char *name, *was, *expected;
	bool allowed;
} allows_rows[] = {
	{ "row as expected: allowed",
	  "{Wdyx*16}", "{Wdyx*16}", true },
	{ "dirty spreads inside a folio: allowed",
	  "{Wdyx*16}", "{Wdyx*15 Wyx}", true },
	{ "young spreads inside a folio: allowed",
	  "{Wdyx*16}", "{Wdx Wdyx*15}", true },
	{ "dirty expected, entry is clean: not allowed",
	  "{Wyx*16}", "{Wyx*8 Wdyx Wyx*7}", false },
	{ "dirty spreads between small folios: not allowed",
	  "Wdyx*2", "Wyx Wdyx", false },
	{ "dirty spreads from outside the range: not allowed",
	  "{Wdyx | Wdyx | Wdyx*6}", "{Wdyx Wyx Wdyx*6}", false },
	{ "dirty spreads across a VMA boundary: not allowed",
	  "{Wdyx ; Wdyx*7}", "{Wyx Wdyx*7}", false },
	{ "dirty spreads across a change of write permission: not allowed",
	  "{Rdyx Wdyx Rdyx*6}", "{Rdyx Wyx Rdyx*6}", false },
	{ "dirty spreads from outside the range in a contpte block: allowed with contpte",
	  "{Wdyx | Wdyx | Wdyx*14}", "{Wdyx Wyx Wdyx*14}",
	  PTEBATCH_BLOCK_ENTRIES == 16 },
	{ "dirty spreads through a batch into a contpte block: allowed with contpte",
	  "@8 {.*8 | Rdyx Ryx*8 Wdyx Wyx*14 |}",
	  "@8 {.*8 Rdyx Ryx*8 Wyx*15}", PTEBATCH_BLOCK_ENTRIES == 16 },
	{ "read-only expected, entry is writable: not allowed",
	  "{Wdyx*16}", "{Wdyx*15 Rdyx}", false },
	{ "writable expected, entry is read-only: not allowed",
	  "{Wdyx*15 Rdyx}", "{Wdyx*16}", false },
	{ "entries 1 and 2 map each other's pages: not allowed",
	  "{Wdyx Wdyx=2 Wdyx=1 Wdyx=3}", "{Wdyx*4}", false },
	{ "entries map another folio: not allowed",
	  "{Wdyx*2} Wdyx Wdyx", "Wdyx Wdyx {Wdyx*2}", false },
	{ "present entry expected, entry is none: not allowed",
	  "{Wdyx*3 -}", "{Wdyx*4}", false },
	{ "AnonExclusive expected, page is not: not allowed",
	  "{Rdyx*3 Rdy}", "{Rdyx*4}", false },
};

KUNIT_ARRAY_PARAM_DESC(allows, allows_rows, name);

static void workbench_allows(struct kunit *test)
{
	const struct allows_row *param = test->param_value;
	const struct ptebatch_setup setup = { param->was, .prot = RW };
	struct ptebatch_trial *trial;

	trial = ptebatch_trial_begin(test, "no operation", &setup);
	ptebatch_trial_end(trial);
	KUNIT_EXPECT_EQ(test, param->allowed,
			ptebatch_trial_allows(trial,
					      ptebatch_picture(test, param->expected)));
}

/* A ";" begins another VMA. */
static void workbench_vmas(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*2 ; Wdyx*3 ; Wdyx*3}", .prot = RW, .next_vma = VM_LOCKED,
	};
	static const unsigned int starts[] = { 0, 0, 2, 2, 2, 5, 5, 5 };
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct mm_struct *mm = space->places[0].mm;
	unsigned int i, start;
	bool locked;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct vm_area_struct *vma;

		mmap_read_lock(mm);
		vma = vma_lookup(mm, ptebatch_addr(space, i));
		start = max(vma->vm_start, space->places[0].start) >> PAGE_SHIFT;
		locked = vma->vm_flags & VM_LOCKED;
		mmap_read_unlock(mm);
		start -= space->places[0].start >> PAGE_SHIFT;
		KUNIT_EXPECT_EQ_MSG(test, start, starts[i],
				    "start of the VMA of entry %u", i);
		KUNIT_EXPECT_EQ_MSG(test, locked, starts[i] == 2,
				    "VM_LOCKED at entry %u", i);
	}
}

/* Rule 7: the check reports an unmapped folio that is not freed. */
static void workbench_leak(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4} Wdyx*2", .prot = RW, .folios = ON_LRU,
	};
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct folio *folio = space->folios[0];
	int err;

	folio_get(folio);
	ptebatch_space_drop_refs(space);
	ptebatch_zap.call(&ptebatch_zap, space, false);
	err = ptebatch_space_reacquire_refs(space);
	KUNIT_EXPECT_TRUE(test, ptebatch_folio_leaked(space, 0));
	KUNIT_EXPECT_FALSE(test, ptebatch_folio_leaked(space, 1));
	folio_put(folio);
	KUNIT_EXPECT_FALSE(test, ptebatch_folio_leaked(space, 0));
	KUNIT_EXPECT_EQ(test, err, 0);
}

/* Rule 7: a reference left after teardown fails the case that left it. */
static void workbench_teardown(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Wdyx*8}", .prot = RW };
	struct folio *folio;
	struct kunit *inner;

	inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, inner);

	kunit_init_test(inner, "no reference left: passes", NULL);
	ptebatch_space(inner, &setup);
	kunit_cleanup(inner);
	KUNIT_EXPECT_EQ(test, inner->status, KUNIT_SUCCESS);

	kunit_init_test(inner, "self-test, reference left: fails", NULL);
	folio = ptebatch_space(inner, &setup)->folios[0];
	folio_get(folio);
	kunit_cleanup(inner);
	KUNIT_EXPECT_EQ(test, inner->status, KUNIT_FAILURE);
	folio_put(folio);
}

/*
 * Rule 7: a set-up that runs out of memory fails, and leaves nothing: its teardown
 * checks mappings, references, swap slots and the kernel log.
 */
static const struct shortage_row {
	const char *name;
	struct ptebatch_setup setup;
} shortage_rows[] = {
	{ "swap entries of two devices, out of memory: nothing left",
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW,
	    .folios = WITH_SWAP | SWAP_FOLLOWS | SWAP_ALTERNATES } },
	{ "mlocked folios, out of memory: nothing left",
	  { "{Wdyx*16} Wdyx", .prot = RW, .vma = VM_LOCKED, .folios = FOLIOS_MLOCKED } },
	{ "file folio in two VMAs, out of memory: nothing left",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .twice = true } },
};

KUNIT_ARRAY_PARAM_DESC(shortages, shortage_rows, name);

/**
 * struct shortage - a set-up that runs out of memory
 * @inner: the case that makes the space
 * @setup: the set-up
 * @nth: number of the allocation that fails
 * @enough: the set-up makes fewer allocations
 */
struct shortage {
	struct kunit *inner;
	const struct ptebatch_setup *setup;
	unsigned int nth;
	bool enough;
};

static void try_set_up(void *data)
{
#ifdef CONFIG_FAILSLAB
	struct shortage *shortage = data;

	current->fail_nth = shortage->nth;
	ptebatch_space(shortage->inner, shortage->setup);
	shortage->enough = current->fail_nth;
	current->fail_nth = 0;
#endif
}

static void end_set_up(void *data)
{
}

static void workbench_shortage(struct kunit *test)
{
	const struct shortage_row *param = test->param_value;
	struct shortage shortage = { .setup = &param->setup, .nth = 1 };
	struct kunit *inner;

	if (!IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "CONFIG_FAILSLAB is not set: no allocation fails");
	inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, inner);
	shortage.inner = inner;
	/* A sample: each failure prints its stack. */
	for (; !shortage.enough; shortage.nth += 1 + shortage.nth / 4) {
		kunit_init_test(inner, "self-test, out of memory: fails", NULL);
		inner->try_catch.test = inner;
		inner->try_catch.try = try_set_up;
		inner->try_catch.catch = end_set_up;
		inner->try_catch.timeout = MAX_SCHEDULE_TIMEOUT;
		kunit_try_catch_run(&inner->try_catch, &shortage);
		if (inner->status == KUNIT_SKIPPED) {
			kunit_cleanup(inner);
			kunit_skip(test, "%s", inner->status_comment);
		}
		inner->status = KUNIT_SUCCESS;
		kunit_cleanup(inner);
		KUNIT_ASSERT_EQ_MSG(test, inner->status, KUNIT_SUCCESS,
				    "failure of allocation %u", shortage.nth);
	}
}

/*
 * Rule 10: the check finds each report of the table, once. KERN_DEBUG keeps the
 * lines off the consoles; pr_debug() may be compiled out.
 */
#define SELF_TEST	" (not one: ptebatch tries whether it is found)\n"

static const struct report_row {
	const char *pattern, *file;
} report_rows[] = {
#define REPORT(pattern, file) { pattern, file }
#include "../lib/kernel/reports.h"
#include "../lib/row/rules.h"
#undef REPORT
};

static void report_desc(const struct report_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, as %s prints it: reported",
		 row->pattern, row->file);
	/* KTAP takes it for the beginning of a directive. */
	strreplace(desc, '#', '.');
}

KUNIT_ARRAY_PARAM(report, report_rows, report_desc);

/* The line, with the text of a conversion for each "*". */
static void print_report(const char *pattern, const char *before)
{
	struct seq_buf line;
	char text[128];

	seq_buf_init(&line, text, sizeof(text));
	for (; *pattern; pattern++) {
		if (*pattern == '*')
			seq_buf_puts(&line, "0x2a");
		else
			seq_buf_putc(&line, *pattern);
	}
	_printk(KERN_DEBUG "%s%s" SELF_TEST, before, seq_buf_str(&line));
}

static void workbench_report(struct kunit *test)
{
	const struct report_row *param = test->param_value;
	struct kmsg_dump_iter log;
	struct seq_buf out;
	char text[256];

	seq_buf_init(&out, text, sizeof(text));
	print_report(param->pattern, "");
	ptebatch_warnings_begin(&log);
	print_report(param->pattern, "two words that are not part of it, ");
	KUNIT_EXPECT_FALSE(test, ptebatch_warnings_found(&log, NULL, &out));
	print_report(param->pattern, "");
	KUNIT_EXPECT_TRUE(test, ptebatch_warnings_found(&log, NULL, &out));
	KUNIT_EXPECT_FALSE(test, ptebatch_warnings_found(&log, NULL, &out));
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), "kernel log: ") &&
			      strstr(seq_buf_str(&out), SELF_TEST),
			      PTEBATCH_RULE_LOG ": got \"%s\"", seq_buf_str(&out));
}

static void dump_the_page(struct page *page)
{
	dump_page(page, "ptebatch provokes this report");
}

static void get_bad_swap_device(struct page *page)
{
	/* No swap device has the last type. */
	struct swap_info_struct *si =
		get_swap_device(swp_entry(MAX_SWAPFILES - 1, 42));

	if (si)
		put_swap_device(si);
}

/*
 * Rule 10: the kernel's own reports, which this test provokes, fail a case that
 * does not expect them; a case that expects them fails without them.
 */
static const struct provoked_row {
	const char *name;
	void (*provoke)(struct page *page);
	const char *reports[3];
} provoked_rows[] = {
	{ "dump_page(): reported unless expected", dump_the_page,
	  { "page: refcount:", "page dumped because: " } },
	{ "get_swap_device() of an unused swap type: reported unless expected",
	  get_bad_swap_device, { "*: Bad swap file entry " } },
};

KUNIT_ARRAY_PARAM_DESC(provoked, provoked_rows, name);

static enum kunit_status run_inner(struct kunit *inner, const char *name,
				   const char * const *reports,
				   void (*provoke)(struct page *page),
				   struct page *page)
{
	static const struct ptebatch_setup setup = { "Wdyx", .prot = RW };

	kunit_init_test(inner, name, NULL);
	ptebatch_space(inner, &setup)->reports = reports;
	if (provoke)
		provoke(page);
	kunit_cleanup(inner);
	return inner->status;
}

static void free_the_page(void *page)
{
	__free_page(page);
}

static void workbench_provoked(struct kunit *test)
{
	const struct provoked_row *param = test->param_value;
	struct kunit *inner;
	struct page *page;

	if (param->provoke == get_bad_swap_device && !IS_ENABLED(CONFIG_SWAP))
		kunit_skip(test, "CONFIG_SWAP is not set");
	inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, inner);
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_the_page, page));

	KUNIT_EXPECT_EQ(test, KUNIT_SUCCESS,
			run_inner(inner, "report expected: passes", param->reports,
				  param->provoke, page));
	KUNIT_EXPECT_EQ(test, KUNIT_FAILURE,
			run_inner(inner, "self-test, report not expected: fails", NULL,
				  param->provoke, page));
	KUNIT_EXPECT_EQ(test, KUNIT_FAILURE,
			run_inner(inner, "self-test, expected report missing: fails",
				  param->reports, NULL, page));
}

#ifdef CONFIG_PROVE_LOCKING
/* Rule 10: lockdep reports nothing after its first report turned it off. */
static void workbench_lockdep(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, debug_locks);
}
#endif

static struct kunit_case workbench_cases[] = {
	KUNIT_CASE_PARAM(workbench_notation, notation_gen_params),
	KUNIT_CASE_PARAM(workbench_notation_error, notation_error_gen_params),
	KUNIT_CASE_PARAM(workbench_allows, allows_gen_params),
	KUNIT_CASE(workbench_vmas),
	KUNIT_CASE(workbench_leak),
	KUNIT_CASE(workbench_teardown),
	KUNIT_CASE_PARAM(workbench_shortage, shortages_gen_params),
	KUNIT_CASE_PARAM(workbench_report, report_gen_params),
	KUNIT_CASE_PARAM(workbench_provoked, provoked_gen_params),
#ifdef CONFIG_PROVE_LOCKING
	KUNIT_CASE(workbench_lockdep),
#endif
	{}
};

PTEBATCH_SUITE(workbench, workbench_cases, PTEBATCH_TWO_SWAP_SPACES);
