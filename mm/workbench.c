// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of the notation and of the checks. The notation is parsed and
 * printed again; each check must report a violation of its rule.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/debug_locks.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/accounting.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/fail_nth.h"
#include "../lib/kernel/log.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/op.h"
#include "../lib/run/rows.h"
#include "../lib/space/pte.h"
#include "../lib/space/reacquire.h"
#include "../lib/space/refs.h"
#include "../lib/space/tables.h"

ptebatch_check_t ptebatch_check_announced, ptebatch_check_lazy_mmu,
	ptebatch_check_model, ptebatch_check_neighbours,
	ptebatch_check_flush, ptebatch_check_protection, ptebatch_check_contents,
	ptebatch_check_tables, ptebatch_check_slots, ptebatch_check_mlocked,
	ptebatch_check_deferred, ptebatch_check_mm_ids, ptebatch_check_dirty_folio,
	ptebatch_check_reverse_map, ptebatch_check_watermark,
	ptebatch_check_dirty, ptebatch_check_mapped;

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
	{ "@500 {W*8 -*4 W*4}", "@500 {W*8 -*4 W*4}" },
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
	{ "+W", 3, "no folio before the +" },
	{ "W +-", 5, "mark without a folio" },
	{ "~-", 3, "mark without a folio" },
	{ "255W", 4, "no such node" },
	{ "W*T/0", 6, "division of T by 0" },
	{ "W*T/2-9999", 11, "T/n-m is negative" },
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

/* Rule 7: the check reports each count that is off by one. */

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

static void set_exclusive(struct ptebatch_space *space, int by)
{
	if (by > 0)
		SetPageAnonExclusive(folio_page(space->folios[0], 3));
	else
		ClearPageAnonExclusive(folio_page(space->folios[0], 3));
}

static const struct accounting_row {
	const char *name;
	void (*tamper)(struct ptebatch_space *space, int by);
	const char *report;
	bool twice;
} accounting_rows[] = {
	{ "reference count too high: reported", add_reference,
	  "the reference count of folio 0" },
	{ "large mapcount too high: reported", add_mapcount,
	  "the mapcount of folio 0" },
	{ "page mapcount too high: reported", add_page_mapcount,
	  "page 3: the mapcount of folio 0" },
	{ "MM_ANONPAGES too high: reported", add_rss, "MM_ANONPAGES" },
	{ "MM_SWAPENTS too high: reported", add_swap, "MM_SWAPENTS" },
	{ "AnonExclusive page mapped twice: reported", set_exclusive,
	  "page 3: AnonExclusive of folio 0", .twice = true },
};

KUNIT_ARRAY_PARAM_DESC(accounting, accounting_rows, name);

static void workbench_books(struct kunit *test)
{
	const struct accounting_row *param = test->param_value;
	const struct ptebatch_setup setup = {
		"{Rdy*16}", .prot = PROT_READ, .twice = param->twice,
	};
	const struct ptebatch_snapshot *taken[PTEBATCH_PLACES] = {};
	struct ptebatch_space *space;
	struct seq_buf out;
	char text[512];

	if (param->tamper == add_page_mapcount &&
	    !IS_ENABLED(CONFIG_PAGE_MAPCOUNT))
		kunit_skip(test, "CONFIG_PAGE_MAPCOUNT is not set: no mapcount per page");
	space = ptebatch_space(test, &setup);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_accounting_consistent(space, taken, &out));

	param->tamper(space, 1);
	KUNIT_EXPECT_FALSE(test, ptebatch_accounting_consistent(space, taken, &out));
	param->tamper(space, -1);
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), param->report),
			      PTEBATCH_RULE_ACCOUNTING ": expected a report on %s, got: %s",
			      param->report, seq_buf_str(&out));
}

/*
 * Rules 7 and 17: the checks of swap slots, mlocked folios, the deferred split
 * queue, the mapcounts by mm and dirty_folio() report each wrong state.
 */

static void add_swap_count(struct ptebatch_trial *trial, int by)
{
	if (by < 0)
		ptebatch_swap_put(trial->space->folios[0], 3, 1);
	else
		KUNIT_EXPECT_EQ(trial->test, 0,
				ptebatch_swap_dup(trial->space->folios[0], 3, 1));
}

/* As if fewer slots had been in use before the operation. */
static void add_slot(struct ptebatch_trial *trial, int by)
{
	trial->other_slots -= by;
}

static void set_dirty(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_set_dirty(trial->space->folios[0]);
	else
		folio_clear_dirty(trial->space->folios[0]);
}

static void add_mlocked_pages(struct ptebatch_trial *trial, int by)
{
	zone_stat_mod_folio(trial->space->folios[0], NR_MLOCK, 16 * by);
}

static void add_mapped_pages(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_ANON_MAPPED, by);
}

/* As if the RSS had been higher before the operation. */
static void raise_rss_before(struct ptebatch_trial *trial, int by)
{
	trial->rss += by * SZ_1M;
}

static void set_mlocked(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_set_mlocked(trial->space->folios[0]);
	else
		folio_clear_mlocked(trial->space->folios[0]);
	add_mlocked_pages(trial, by);
}

static void clear_mlocked(struct ptebatch_trial *trial, int by)
{
	set_mlocked(trial, -by);
}

/* As if the operation had mapped it, and set the wrong index. */
static void move_first_page(struct ptebatch_trial *trial, int by)
{
	trial->space->folios[0]->index += by;
	trial->before.row.entries[0].page += by;
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static void set_partially_mapped(struct ptebatch_trial *trial, int by)
{
	struct folio *folio = trial->space->folios[0];

	/* An entry that is not the list's own end is not an empty list. */
	folio->_deferred_list.next = by > 0 ? &trial->space->folios[1]->_deferred_list :
					      &folio->_deferred_list;
	if (by > 0)
		folio_set_partially_mapped(folio);
	else
		folio_clear_partially_mapped(folio);
}

/* As a new folio of PMD order, which may have pages of zeroes. */
static void set_queued(struct ptebatch_trial *trial, int by)
{
	struct list_head *list = &trial->space->folios[0]->_deferred_list;

	list->next = by > 0 ? &trial->space->folios[1]->_deferred_list : list;
}

#ifndef MODULE
static void add_marked(struct ptebatch_trial *trial, int by)
{
	mod_mthp_stat(4, MTHP_STAT_NR_ANON_PARTIALLY_MAPPED, by);
}

static void add_deferred(struct ptebatch_trial *trial, int by)
{
	mod_mthp_stat(4, MTHP_STAT_SPLIT_DEFERRED, by);
}

static void add_event(struct ptebatch_trial *trial, int by)
{
	count_vm_events(THP_DEFERRED_SPLIT_PAGE, by);
}
#endif

static void clear_partially_mapped(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_clear_partially_mapped(trial->space->folios[0]);
	else
		folio_set_partially_mapped(trial->space->folios[0]);
}

static void add_mm_id_mapcount(struct ptebatch_trial *trial, int by)
{
	trial->space->folios[0]->_mm_id_mapcount[0] += by;
}

static void flip_shared(struct ptebatch_trial *trial, int by)
{
	change_bit(FOLIO_MM_IDS_SHARED_BITNUM, &trial->space->folios[0]->_mm_ids);
}
#endif

static const struct state_row {
	const char *name;
	struct ptebatch_setup setup;
	void (*tamper)(struct ptebatch_trial *trial, int by);
	ptebatch_check_t *check;
	const char *report;
} state_rows[] = {
	{ "swap count of a slot too high: reported",
	  { "{S*16}", .prot = RW, .swap = true }, add_swap_count,
	  ptebatch_check_slots, "the swap count of slot " },
	{ "swap slot in use without an entry: reported",
	  { "{S*3 Rdy S*12}", .prot = RW, .swap = true }, add_slot,
	  ptebatch_check_slots, "17 swap slots are in use, expected 16" },
	{ "file folio dirty by folio_set_dirty(): reported",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, set_dirty, ptebatch_check_dirty_folio,
	  "folio 0 is dirty, dirty_folio() was not called" },
	{ "clean file folio becomes dirty, no entry of it is: reported",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, set_dirty, ptebatch_check_dirty,
	  "folio 0 became dirty, none of its entries is" },
	{ "NR_MLOCK too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_mlocked_pages, ptebatch_check_mlocked,
	  "NR_MLOCK has 16 pages of the row, 0 are mlocked" },
	{ "NR_ANON_MAPPED too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_mapped_pages, ptebatch_check_mapped,
	  "NR_ANON_MAPPED has 17 pages of the row, 16 are mapped" },
	{ "high watermark lower than the RSS was: reported",
	  { "{Wdyx*16}", .prot = RW }, raise_rss_before, ptebatch_check_watermark,
	  "the RSS was 1048592 pages, its high watermark is 16" },
	{ "mlocked folio without VM_LOCKED: reported",
	  { "{Wdyx*16}", .prot = RW }, set_mlocked, ptebatch_check_mlocked,
	  "folio 0 is mlocked, but no VM_LOCKED VMA maps it" },
	{ "folio in a VM_LOCKED VMA not mlocked any more: reported",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true,
	    .mlocked_folios = true }, clear_mlocked,
	  ptebatch_check_mlocked, "folio 0 in VM_LOCKED VMAs is not mlocked any more" },
	{ "page at another address than its index says: reported",
	  { "{Wdyx*16}", .prot = RW }, move_first_page, ptebatch_check_reverse_map,
	  "the rmap does not find entry 0" },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	{ "partially mapped folio not in the deferred split queue: reported",
	  { "{Wdyx*8 .*8}", .prot = RW }, clear_partially_mapped,
	  ptebatch_check_deferred,
	  "folio 0, 8 of 16 pages mapped, is not in the queue" },
	{ "completely mapped folio in the deferred split queue: reported",
	  { "{Wdyx*16} {Wdyx*4}", .prot = RW }, set_partially_mapped, ptebatch_check_deferred,
	  "folio 0, all pages mapped, has entered the queue" },
	{ "completely mapped folio in the queue, not partially mapped: reported",
	  { "{Wdyx*16} {Wdyx*4}", .prot = RW }, set_queued, ptebatch_check_deferred,
	  "folio 0, all pages mapped, has entered the queue" },
#ifndef MODULE
	{ "nr_anon_partially_mapped too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_marked, ptebatch_check_deferred,
	  "nr_anon_partially_mapped of order 4: 1, expected 0" },
	{ "split_deferred too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_deferred, ptebatch_check_deferred,
	  "split_deferred of order 4: 1 more, expected 0" },
	{ "thp_deferred_split_page too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_event, ptebatch_check_deferred,
	  "thp_deferred_split_page: 1 more, expected 0" },
#endif
	{ "mapcount by mm too high: reported",
	  { "{Wdyx*16}", .prot = RW }, add_mm_id_mapcount, ptebatch_check_mm_ids,
	  "folio 0 has 17 mappings by mm 0, expected 16" },
	{ "folio of one mm flagged as shared: reported",
	  { "{Wdyx*16}", .prot = RW }, flip_shared, ptebatch_check_mm_ids,
	  "folio 0 is flagged as shared, but mapped by 1 mms" },
	{ "folio of two mms not flagged as shared: reported",
	  { "{Rdy*16}", .prot = RW, .twice = true }, flip_shared, ptebatch_check_mm_ids,
	  "folio 0 is not flagged as shared, but mapped by 2 mms" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(states, state_rows, name);

static void workbench_states(struct kunit *test)
{
	const struct state_row *param = test->param_value;
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[256];

	trial = ptebatch_trial_begin(test, "no operation", &param->setup);
	KUNIT_EXPECT_TRUE(test, ptebatch_trial_end(trial));
	if (param->tamper == add_slot && ptebatch_swap_used() < 0)
		kunit_skip(test, "the swap space is the machine's: its slots are not counted");
	if (param->tamper == add_mapped_pages &&
	    (!IS_ENABLED(CONFIG_PAGE_MAPCOUNT) || system_state >= SYSTEM_RUNNING))
		kunit_skip(test, "mapped pages are counted only during boot");

	param->tamper(trial, 1);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_FALSE(test, param->check(trial, &out));
	param->tamper(trial, -1);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(seq_buf_str(&out), param->report),
			      "expected a report on %s, got: %s", param->report,
			      seq_buf_str(&out));
	seq_buf_clear(&out);
	KUNIT_EXPECT_TRUE(test, param->check(trial, &out));
}

/* Rule 4: the check reports one changed bit outside the range. */
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

	trial = ptebatch_trial_begin(test, "no operation", &setup);
	ptebatch_trial_end(trial);
	raw = trial->after.raw + trial->after.lead;
	for (i = 0; i < ARRAY_SIZE(outside) + ARRAY_SIZE(inside); i++) {
		bool in = i >= ARRAY_SIZE(outside);
		int at = in ? inside[i - ARRAY_SIZE(outside)] : outside[i];
		pte_t saved = raw[at];

		raw[at] = pte_none(saved) ? raw[0] : pte_wrprotect(saved);
		seq_buf_init(&out, text, sizeof(text));
		KUNIT_EXPECT_EQ_MSG(test, in,
				    ptebatch_check_neighbours(trial, &out),
				    PTEBATCH_RULE_NEIGHBOURS ": entry %d changed", at);
		raw[at] = saved;
	}
}

/* Rule 3: the check reports an entry behind the end, or before the start, of a table. */
static void workbench_tables(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "@-4 {Wdyx*8}", .prot = RW };
	unsigned long addr;
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[256];
	pte_t *table, *copy, saved;

	trial = ptebatch_trial_begin(test, "no operation", &setup);
	ptebatch_trial_end(trial);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_tables(trial, &out));
	/* The copy continues the page table, physically and virtually. */
	addr = ptebatch_addr(trial->space, 0);
	table = pte_offset_kernel(ptebatch_find_pmd(trial->place->mm, addr), addr);
	copy = table + 4;
	KUNIT_ASSERT_PTR_EQ(test, copy, ptebatch_tables_behind(trial->space, 0));
	KUNIT_EXPECT_EQ(test, pte_pfn(*copy), pte_pfn(copy[-1]) + 1);
	KUNIT_EXPECT_TRUE(test, pte_none(copy[4]));

	saved = *copy;
	*copy = __pte(0);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_FALSE(test, ptebatch_check_tables(trial, &out));
	KUNIT_EXPECT_TRUE(test, strstarts(seq_buf_str(&out),
					  "entry 0 behind page table 0"));
	*copy = saved;

	addr = ptebatch_addr(trial->space, 4);
	table = pte_offset_kernel(ptebatch_find_pmd(trial->place->mm, addr), addr);
	copy = table - 1;
	KUNIT_EXPECT_EQ(test, pte_pfn(*copy), pte_pfn(*table) - 1);
	KUNIT_EXPECT_TRUE(test, pte_none(copy[-4]));
	saved = *copy;
	*copy = __pte(0);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_FALSE(test, ptebatch_check_tables(trial, &out));
	KUNIT_EXPECT_TRUE(test, strstarts(seq_buf_str(&out), "entry "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq_buf_str(&out), " before page table 1"));
	*copy = saved;
	KUNIT_EXPECT_TRUE(test, ptebatch_check_tables(trial, &out));
}

/* The model reports an unmoved entry at its source and at its destination. */
static void workbench_there(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"@3 {Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW,
	};
	const struct ptebatch_place *place;
	struct ptebatch_trial *source, *destination;
	struct seq_buf out;

	source = ptebatch_op_begin(test, &ptebatch_move, &setup, false);
	place = ptebatch_space_add_place(source->space, 5);
	destination = ptebatch_op_second(source, &ptebatch_move, place);
	source->quiet = true;
	destination->quiet = true;
	KUNIT_EXPECT_FALSE(test, ptebatch_trial_end(source));
	KUNIT_EXPECT_EQ(test, destination->after.row.first, 5);

	seq_buf_init(&out, source->text, sizeof(source->text));
	bitmap_zero(source->differs, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(destination->differs, PTEBATCH_ROW_ENTRIES);
	KUNIT_EXPECT_FALSE(test, ptebatch_check_model(source, &out));
	KUNIT_EXPECT_EQ(test, bitmap_weight(source->differs, PTEBATCH_ROW_ENTRIES), 8);
	KUNIT_EXPECT_FALSE(test, ptebatch_check_model(destination, &out));
	KUNIT_EXPECT_EQ(test, bitmap_weight(destination->differs, PTEBATCH_ROW_ENTRIES), 8);
	/* Each is what the other should be. */
	swap(source->call, destination->call);
	bitmap_zero(source->differs, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(destination->differs, PTEBATCH_ROW_ENTRIES);
	KUNIT_EXPECT_TRUE(test, ptebatch_check_model(source, &out));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_model(destination, &out));

	destination->after.raw[destination->after.lead + 12] =
		source->after.raw[source->after.lead + 11];
	KUNIT_EXPECT_FALSE(test, ptebatch_check_neighbours(destination, &out));
}

/* Rule 8: the check reports exactly the entries that were not flushed. */
static void workbench_flush(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Wdyx*8}", .prot = RW };
	struct ptebatch_trial *trial;
	struct vm_area_struct *vma;
	struct seq_buf out;
	unsigned long addr;
	char text[512];

	trial = ptebatch_trial_begin(test, "no operation", &setup);
	addr = ptebatch_addr(trial->space, 0);
	mmap_read_lock(trial->space->places[0].mm);
	vma = vma_lookup(trial->space->places[0].mm, addr);
	flush_tlb_range(vma, addr + 3 * PAGE_SIZE, addr + 6 * PAGE_SIZE);
	mmap_read_unlock(trial->space->places[0].mm);
	ptebatch_trial_end(trial);

	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_flush(trial, &out));
	trial->after.row = *ptebatch_picture(test, "{Wdyx*2 Rdyx*4 Wdyx*2}");
	KUNIT_EXPECT_FALSE(test, ptebatch_check_flush(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "entry 2 was not flushed: it was Wdyx and is Rdyx\n");
	bitmap_zero(trial->flush.flushed, PTEBATCH_ROW_ENTRIES);
	seq_buf_clear(&out);
	KUNIT_EXPECT_FALSE(test, ptebatch_check_flush(trial, &out));
	KUNIT_EXPECT_EQ(test, bitmap_weight(trial->differs, PTEBATCH_ROW_ENTRIES), 4);
}

/* Rule 31: the check reports a task that has not left lazy MMU mode. */
static void workbench_lazy_mmu(struct kunit *test)
{
	struct ptebatch_trial *trial = ptebatch_trial_alloc(test, "nothing");
	struct seq_buf out;

	if (!IS_ENABLED(CONFIG_ARCH_HAS_LAZY_MMU_MODE))
		kunit_skip(test, "there is no lazy MMU mode");
	seq_buf_init(&out, trial->text, sizeof(trial->text));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_lazy_mmu(trial, &out));
	lazy_mmu_mode_enable();
	lazy_mmu_mode_enable();
	KUNIT_EXPECT_FALSE(test, ptebatch_check_lazy_mmu(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "lazy MMU mode was enabled and not disabled 2 times\n");
	KUNIT_EXPECT_TRUE(test, ptebatch_check_lazy_mmu(trial, &out));
}

/* Rule 30: the check reports the entries that were not announced, and wrong ranges. */
static void workbench_announced(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Wdyx*8}", .prot = RW };
	struct mmu_notifier_range range;
	struct ptebatch_trial *trial;
	unsigned long addr;
	struct seq_buf out;
	char text[256];

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "nothing is announced on UML");
	trial = ptebatch_trial_begin(test, "mmu_notifier_invalidate_range_start()", &setup);
	addr = ptebatch_addr(trial->space, 0);
	mmu_notifier_range_init(&range, MMU_NOTIFY_CLEAR, 0, trial->space->places[0].mm,
				addr + 3 * PAGE_SIZE, addr + 6 * PAGE_SIZE);
	mmu_notifier_invalidate_range_start(&range);
	mmu_notifier_invalidate_range_end(&range);
	ptebatch_trial_end(trial);

	seq_buf_init(&out, text, sizeof(text));
	trial->after.row = *ptebatch_picture(test, "{Wdyx*3 Rdyx*3 Wdyx*2}");
	KUNIT_EXPECT_TRUE(test, ptebatch_check_announced(trial, &out));
	trial->after.row = *ptebatch_picture(test, "{Wdyx*2 Rdyx*4 Wdyx*2}");
	KUNIT_EXPECT_FALSE(test, ptebatch_check_announced(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "entry 2 changed without an announcement: it was Wdyx and is Rdyx\n");
	seq_buf_clear(&out);
	trial->after.row = trial->before.row;
	trial->announced.sum = 1;
	KUNIT_EXPECT_FALSE(test, ptebatch_check_announced(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "0 announced ranges have no end, or another end\n");
	seq_buf_clear(&out);
	trial->announced.sum = 0;
	trial->announced.empty = 1;
	KUNIT_EXPECT_FALSE(test, ptebatch_check_announced(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out), "1 announced ranges are empty\n");
}

/* Rules 8 and 29: the checks report an entry that is no longer executable. */
static void workbench_protection(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Rdyx*8}", .prot = PROT_READ | PROT_EXEC,
	};
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[512];
	pte_t *raw;

	if (!PTEBATCH_PROT_BITS)
		kunit_skip(test, "no execute permission in page table entries");
	trial = ptebatch_trial_begin(test, "no operation", &setup);
	ptebatch_trial_end(trial);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_protection(trial, &out));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_flush(trial, &out));

	raw = &trial->after.raw[trial->after.lead + 3];
	*raw = __pte(pte_val(*raw) | PTEBATCH_PROT_NOEXEC);
	KUNIT_EXPECT_FALSE(test, ptebatch_check_protection(trial, &out));
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), "entry 3 "),
			      "%s", seq_buf_str(&out));
	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	seq_buf_clear(&out);
	KUNIT_EXPECT_FALSE(test, ptebatch_check_flush(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "entry 3 was not flushed: it was Rdyx and is Rdyx\n");
}

/* A ";" begins another VMA. */
static void workbench_vmas(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*2 ; Wdyx*3 ; Wdyx*3}", .prot = RW, .next_mlocked = true,
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
		"{Wdyx*4} Wdyx*2", .prot = RW, .lru = true,
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

/* The check reports one changed byte in the last 64 of a page. */
static void workbench_bytes(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4} Wdyx", .prot = RW,
	};
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[80];
	u8 *byte;

	trial = ptebatch_trial_begin(test, "no operation", &setup);
	ptebatch_contents_fill(trial);
	ptebatch_trial_end(trial);
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE(test, ptebatch_check_contents(trial, &out));
	byte = page_address(folio_page(trial->space->folios[0], 2));
	byte[PAGE_SIZE - 64]++;
	KUNIT_EXPECT_FALSE(test, ptebatch_check_contents(trial, &out));
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out),
			   "page 2 of folio 0 has wrong contents\n");
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
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW, .swap = true, .swap_follows = true,
	    .swap_alternates = true } },
	{ "mlocked folios, out of memory: nothing left",
	  { "{Wdyx*16} Wdyx", .prot = RW, .mlocked = true, .mlocked_folios = true } },
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
	struct shortage *shortage = data;

	ptebatch_fail_nth(shortage->nth);
	ptebatch_space(shortage->inner, shortage->setup);
	shortage->enough = !ptebatch_fail_nth_end();
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
	struct ptebatch_setup setup = { "Wdyx", .prot = RW, .reports = reports };

	kunit_init_test(inner, name, NULL);
	ptebatch_space(inner, &setup);
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
	KUNIT_CASE_PARAM(workbench_books, accounting_gen_params),
	KUNIT_CASE_PARAM(workbench_states, states_gen_params),
	KUNIT_CASE(workbench_neighbours),
	KUNIT_CASE(workbench_tables),
	KUNIT_CASE(workbench_there),
	KUNIT_CASE(workbench_flush),
	KUNIT_CASE(workbench_announced),
	KUNIT_CASE(workbench_lazy_mmu),
	KUNIT_CASE(workbench_protection),
	KUNIT_CASE(workbench_vmas),
	KUNIT_CASE(workbench_leak),
	KUNIT_CASE(workbench_bytes),
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
