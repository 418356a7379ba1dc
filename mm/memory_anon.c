// SPDX-License-Identifier: GPL-2.0
/*
 * A write fault in anonymous memory maps a large folio in a batch
 * (do_anonymous_page()): of the permitted orders, the highest whose naturally
 * aligned range around the fault lies in the VMA and has no entry yet.
 *
 *	64K and 32K permitted, write fault of page 9
 *	Wdyx -*15  ->  Wdyx -*7 ~{Wdyx*8}
 *
 * A read fault maps the zero page at its own entry only.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>

#include "../lib/arch/arch.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/anon_orders.h"
#include "../lib/kernel/fail_folio.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/swap.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* No fault maps folios of order 1. */
#define UP_TO(order)	(BIT((order) + 1) - BIT(2))

/**
 * struct fault_row - a fault in anonymous memory
 * @name: name of the case
 * @setup: address space before the fault; @setup.lru is set
 * @orders: orders that are permitted, one bit per order
 * @at: entry that faults
 * @after: expected row; %NULL: no entry has changed
 * @err: expected return value
 * @read: a read faults, not a write
 * @advised: @orders are permitted in VMAs with VM_HUGEPAGE
 * @disabled: no order is permitted in the mm, as after PR_SET_THP_DISABLE
 * @unstable: the OOM killer has reaped the mm
 * @discards: the fault allocates a folio and frees it again
 * @flags: VM_* flags of the VMA, in addition
 * @fails: number of allocations of folios that fail
 */
struct fault_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned long orders;
	unsigned int at;
	const char *after;
	long err;
	bool read;
	bool advised;
	bool disabled;
	bool unstable;
	bool discards;
	vm_flags_t flags;
	unsigned int fails;
};

static const struct fault_row rows[] = {
	/* Which order. */
	{ "64K permitted, write fault of page 5: 64K folio mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, "~{Wdyx*16}" },
	{ "no size permitted, write fault: one page mapped",
	  { "-*16", .prot = RW }, 0, 5, "-*5 ~{Wdyx} -*10" },
	{ "16K permitted, write fault of page 5: 16K folio mapped around it",
	  { "-*16", .prot = RW }, BIT(2), 5, "-*4 ~{Wdyx*4} -*8" },
	{ "16K to 64K permitted, write fault: 64K folio mapped",
	  { "-*16", .prot = RW }, UP_TO(4), 5, "~{Wdyx*16}" },
	{ "16K and 64K permitted, write fault of the last page: 64K folio mapped",
	  { "-*16", .prot = RW }, BIT(4) | BIT(2), 15, "~{Wdyx*16}" },
	{ "8K permitted, which no fault maps: one page mapped",
	  { "-*16", .prot = RW }, BIT(1), 5, "-*5 ~{Wdyx} -*10" },
	{ "64K permitted, write fault 4 pages behind a 64K boundary: mapped from there",
	  { "@8 -*40", .prot = RW }, BIT(4), 12, "@8 -*8 ~{Wdyx*16} -*16" },
	{ "64K permitted in VMAs with VM_HUGEPAGE, VMA with it: 64K folio mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, "~{Wdyx*16}", .advised = true,
	  .flags = VM_HUGEPAGE },
	{ "64K permitted in VMAs with VM_HUGEPAGE, VMA without it: one page mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, "-*5 ~{Wdyx} -*10", .advised = true },
	{ "64K permitted, VM_NOHUGEPAGE: one page mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, "-*5 ~{Wdyx} -*10",
	  .flags = VM_NOHUGEPAGE },
	{ "64K permitted, PR_SET_THP_DISABLE: one page mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, "-*5 ~{Wdyx} -*10",
	  .disabled = true },

	/* The range is not empty. */
	{ "small folio in the first entry, write fault of page 9: 32K folio mapped",
	  { "Wdyx -*15", .prot = RW }, UP_TO(4), 9, "Wdyx -*7 ~{Wdyx*8}" },
	{ "small folio in the last entry, write fault of page 1: 32K folio mapped",
	  { "-*15 Wdyx", .prot = RW }, UP_TO(4), 1, "~{Wdyx*8} -*7 Wdyx" },
	{ "small folio 4 pages behind the fault: 16K folio mapped",
	  { "-*8 Wdyx -*7", .prot = RW }, UP_TO(4), 12,
	  "-*8 Wdyx -*3 ~{Wdyx*4}" },
	{ "small folio beside the fault: one page mapped",
	  { "-*4 Wdyx -*11", .prot = RW }, UP_TO(4), 5,
	  "-*4 Wdyx ~{Wdyx} -*10" },
	{ "only 64K permitted, small folio in the last entry: one page mapped",
	  { "-*15 Wdyx", .prot = RW }, BIT(4), 1, "- ~{Wdyx} -*13 Wdyx" },
	{ "64K folios before and behind an empty range: 64K folio mapped between",
	  { "{Wdyx*16} -*16 {Wdyx*16}", .prot = RW }, UP_TO(5), 20,
	  "{Wdyx*16} ~{Wdyx*16} {Wdyx*16}" },
	{ "last 4 pages of a 32K folio in the range: 32K folio mapped behind it",
	  { "@12 {Wdyx*8} -*12", .prot = RW }, UP_TO(4), 15,
	  "@12 {Wdyx*8} -*4 ~{Wdyx*8}" },
	{ "zero page in the range: 32K folio mapped, zero page unchanged",
	  { "-*4 Rzy -*11", .prot = RW }, UP_TO(4), 12, "-*4 Rzy -*3 ~{Wdyx*8}" },
	{ "guard marker in the range: 32K folio mapped, marker unchanged",
	  { "-*4 G -*11", .prot = RW }, UP_TO(4), 12, "-*4 G -*3 ~{Wdyx*8}" },
	{ "poison marker in the range: 32K folio mapped, marker unchanged",
	  { "-*7 P -*8", .prot = RW }, UP_TO(4), 12, "-*7 P ~{Wdyx*8}" },
	{ "uffd-wp marker that is left over in the range: 32K folio mapped, marker unchanged",
	  { "U -*15", .prot = RW }, UP_TO(4), 12, "U -*7 ~{Wdyx*8}" },
	{ "swap entry in the range: 32K folio mapped, swap entry unchanged",
	  { "-*3 Sx -*12", .prot = RW, .swap = true }, UP_TO(4), 12,
	  "-*3 Sx -*4 ~{Wdyx*8}" },
	{ "migration entry in the range: 32K folio mapped, migration entry unchanged",
	  { "-*3 Mw -*12", .prot = RW }, UP_TO(4), 12, "-*3 Mw -*4 ~{Wdyx*8}" },
	{ "PROT_NONE entry of a NUMA hint in the range: 32K folio mapped, hint unchanged",
	  { "Ndyx -*15", .prot = RW }, UP_TO(4), 12, "Ndyx -*7 ~{Wdyx*8}" },

	/* Ends of the VMA and of the page table. */
	{ "VMA ends 12 pages behind a 64K boundary, fault before its end: 16K folio mapped",
	  { "-*12 ; -*20", .prot = RW }, UP_TO(5), 9, "-*8 ~{Wdyx*4} ; -*20" },
	{ "VMA begins 4 pages behind a 64K boundary, fault at its beginning: 16K folio mapped",
	  { "-*4 ; -*28", .prot = RW }, UP_TO(5), 5, "-*4 ; ~{Wdyx*4} -*24" },
	{ "VMA of 64K, aligned: 64K folio mapped, adjacent VMAs empty",
	  { "-*16 ; -*16 ; -*16", .prot = RW }, UP_TO(8), 20,
	  "-*16 ; ~{Wdyx*16} ; -*16" },
	{ "VMA of 60K, one page short at its end: 32K folio mapped",
	  { "-*16 ; -*15 ; -*17", .prot = RW }, UP_TO(8), 20,
	  "-*16 ; ~{Wdyx*8} -*7 ; -*17" },
	{ "VMA of 60K, one page short at its beginning: 32K folio mapped",
	  { "-*17 ; -*15 ; -*16", .prot = RW }, UP_TO(8), 28,
	  "-*17 ; -*7 ~{Wdyx*8} ; -*16" },
	{ "VMA of 60K, only 64K permitted: one page mapped",
	  { "-*16 ; -*15 ; -*17", .prot = RW }, BIT(4), 20,
	  "-*16 ; -*4 ~{Wdyx} -*10 ; -*17" },
	{ "VMA of one page: one page mapped",
	  { "-*5 ; - ; -*10", .prot = RW }, UP_TO(4), 5,
	  "-*5 ; ~{Wdyx} ; -*10" },
	{ "last 64K of a page table: 64K folio mapped",
	  { "@-16 -*32", .prot = RW }, BIT(4), 13, "@-16 ~{Wdyx*16} -*16" },
	{ "first 64K of a page table: 64K folio mapped",
	  { "@-16 -*32", .prot = RW }, BIT(4), 16, "@-16 -*16 ~{Wdyx*16}" },
	{ "page table empty, half of it permitted, fault in its last page: second half mapped",
	  { "-*T", .prot = RW }, BIT(PMD_ORDER - 1), PTRS_PER_PTE - 1,
	  "-*T/2 ~{Wdyx*T/2}" },

	/* A folio mapped by a PMD, if there is no page table. */
	{ "2M permitted, no page table: folio mapped by a PMD",
	  { "-*T", .prot = RW }, BIT(PMD_ORDER), 7, "~[Wdyx]" },
	{ "2M permitted, page table present: largest other folio mapped",
	  { "-*T-1 Rzy", .prot = RW }, UP_TO(PMD_ORDER), 7,
	  "~{Wdyx*T/2} -*T/2-1 Rzy" },
	{ "2M permitted, VMA begins in the page table: 64K folio mapped",
	  { "-*16 ; -*T-16", .prot = RW }, BIT(PMD_ORDER) | BIT(4), 20,
	  "-*16 ; ~{Wdyx*16} -*T-32" },
	{ "2M permitted, allocation of 2M fails: 64K folio mapped",
	  { "-*T", .prot = RW }, BIT(PMD_ORDER) | BIT(4), 20,
	  "-*16 ~{Wdyx*16} -*T-32", .fails = 1 },

	/* Kinds of VMA. */
	{ "executable, protection key 3: 64K folio with both",
	  { "-*16", .prot = RW | PROT_EXEC, .pkey = 3 }, BIT(4), 5, "~{Wdyx*16}" },
	{ "memory tags: 64K folio with tags of 0",
	  { "-*16", .prot = RW | PTEBATCH_PROT_MTE }, BIT(4), 5, "~{Wdyx*16}" },
	{ "soft-dirty tracked: all pages soft-dirty",
	  { "-*16", .prot = RW, .track = true }, BIT(4), 5, "~{Wdysx*16}" },
	{ "VM_LOCKED: 64K folio mlocked",
	  { "-*16", .prot = RW, .mlocked = true }, BIT(4), 5, "~{Wdyx*16}" },
	{ "MAP_DROPPABLE: 64K folio lazyfree",
	  { "-*16", .prot = RW, .droppable = true }, BIT(4), 5, "~{Wdyxl*16}" },
	{ "parent of a child: 64K folio mapped in the parent only",
	  { "{Wdyx*4} -*28", .prot = RW, .twice = true }, BIT(4), 20,
	  "{Rdy*4} -*12 ~{Wdyx*16}" },
	{ "shared mapping without file: -EFAULT",
	  { "-*16", .prot = RW }, BIT(4), 5, .err = -EFAULT, .flags = VM_SHARED },

	/* userfaultfd handles each page by itself. */
	{ "userfaultfd write protection, empty range: one page mapped, writable",
	  { "-*16", .prot = RW, .uffd_wp = true }, BIT(4), 5, "-*5 ~{Wdyx} -*10" },
	{ "userfaultfd read-write protection, empty range: one page mapped, writable",
	  { "-*16", .prot = RW, .uffd_rwp = true }, BIT(4), 5,
	  "-*5 ~{Wdyx} -*10" },
	{ "uffd-wp markers: one page mapped, read-only with uffd-wp",
	  { "U*16", .prot = RW, .uffd_wp = true }, BIT(4), 5,
	  "U*5 ~{Rdyux} U*10" },
	{ "uffd-wp markers, VMA without userfaultfd: marker of the page cleared",
	  { "U*16", .prot = RW }, BIT(4), 5, "U*5 - U*10" },
	{ "uffd-wp markers, read fault: zero page mapped with uffd-wp",
	  { "U*16", .prot = RW, .uffd_wp = true }, BIT(4), 5, "U*5 Rzyu U*10",
	  .read = true },
	{ "userfaultfd for missing pages, without a reader: -EFAULT",
	  { "-*16", .prot = RW }, BIT(4), 5, .err = -EFAULT, .discards = true,
	  .flags = VM_UFFD_MISSING },
	{ "userfaultfd for missing pages, without a reader, read fault: -EFAULT",
	  { "-*16", .prot = RW }, BIT(4), 5, .err = -EFAULT, .read = true,
	  .flags = VM_UFFD_MISSING },

	/* The zero page. */
	{ "64K permitted, read fault: zero page mapped at its entry only",
	  { "-*16", .prot = RW }, BIT(4), 5, "-*5 Rzy -*10", .read = true },
	{ "soft-dirty tracked, read fault: zero page not soft-dirty",
	  { "-*16", .prot = RW, .track = true }, BIT(4), 5, "-*5 Rzy -*10",
	  .read = true },
	{ "64K permitted, read fault beside a small folio: zero page mapped",
	  { "-*4 Wdyx -*11", .prot = RW }, BIT(4), 5, "-*4 Wdyx Rzy -*10",
	  .read = true },
	{ "64K permitted, write fault over the zero page: one page mapped",
	  { "-*5 Rzy -*10", .prot = RW }, UP_TO(4), 5, "-*5 ~{Wdyx} -*10" },
	{ "64K of zero pages, write fault over one: the rest unchanged",
	  { "Rzy*16", .prot = RW }, UP_TO(4), 5, "Rzy*5 ~{Wdyx} Rzy*10" },

	/* Failures, and other threads. */
	{ "16K to 64K permitted, allocation of 64K fails: 32K folio mapped",
	  { "-*16", .prot = RW }, UP_TO(4), 13, "-*8 ~{Wdyx*8}", .fails = 1 },
	{ "16K to 64K permitted, all large allocations fail: one page mapped",
	  { "-*16", .prot = RW }, UP_TO(4), 13, "-*13 ~{Wdyx} -*2", .fails = 3 },
	{ "16K and 64K permitted, allocation of 64K fails: 16K folio mapped",
	  { "-*16", .prot = RW }, BIT(4) | BIT(2), 5, "-*4 ~{Wdyx*4} -*8",
	  .fails = 1 },
	{ "16K to 64K permitted, all allocations fail: -ENOMEM",
	  { "-*16", .prot = RW }, UP_TO(4), 13, .err = -ENOMEM, .fails = 4 },
	{ "zero page appears in the range before the lock: nothing mapped",
	  { "-*16", .prot = RW, .meanwhile = PTEBATCH_AT_LOCK("-*15 Rzy") }, BIT(4), 5, "-*15 Rzy",
	  .discards = true },
	{ "no size permitted, zero page appears at the fault before the lock: nothing mapped",
	  { "-*16", .prot = RW, .meanwhile = PTEBATCH_AT_LOCK("-*5 Rzy -*10") }, 0, 5,
	  "-*5 Rzy -*10", .discards = true },
	{ "16K permitted, zero page appears behind the 16K before the lock: 16K mapped",
	  { "-*16", .prot = RW, .meanwhile = PTEBATCH_AT_LOCK("-*8 Rzy -*7") }, BIT(2), 5,
	  "-*4 ~{Wdyx*4} Rzy -*7" },
	{ "read fault, guard marker appears before the lock: unchanged",
	  { "-*16", .prot = RW, .meanwhile = PTEBATCH_AT_LOCK("-*5 G -*10") }, BIT(4), 5,
	  "-*5 G -*10", .read = true },
	{ "read fault, page table gone before the lock: nothing mapped",
	  { "-*16", .prot = RW, .lost_in = "pte_offset_map_lock" }, BIT(4), 5,
	  .read = true },
	{ "page table gone before the lock: nothing mapped",
	  { "-*16", .prot = RW, .lost_in = "pte_offset_map_lock" }, BIT(4), 5,
	  .discards = true },
	{ "OOM killer has reaped the mm: -EFAULT, nothing mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, .err = -EFAULT, .unstable = true,
	  .discards = true },
	{ "OOM killer has reaped the mm, read fault: -EFAULT, nothing mapped",
	  { "-*16", .prot = RW }, BIT(4), 5, .err = -EFAULT, .read = true,
	  .unstable = true },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/**
 * struct attempt - a fault, and what it needs besides the trial
 * @row: the case
 * @watching: allocations are watched
 */
struct attempt {
	const struct fault_row *row;
	bool watching;
};

/*
 * Leave other bytes than zeroes in free memory: in the pages that the fault gets,
 * most likely.
 */
static void fill_free_folios(unsigned long orders)
{
	struct folio *folio, *next;
	unsigned int order, i;
	LIST_HEAD(folios);

	orders |= BIT(0);
	for_each_set_bit(order, &orders, MAX_PAGE_ORDER + 1) {
		for (i = 0; i < max(1, 64 >> order); i++) {
			folio = folio_alloc(GFP_TRANSHUGE_LIGHT, order);
			if (!folio)
				break;
			memset(folio_address(folio), 0x5a, folio_size(folio));
			list_add(&folio->lru, &folios);
		}
	}
	list_for_each_entry_safe(folio, next, &folios, lru) {
		list_del(&folio->lru);
		folio_put(folio);
	}
}

/* Does the case watch allocations? */
static bool watches(const struct fault_row *row)
{
	return row->discards || row->fails;
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	const struct fault_row *row = attempt->row;
	struct ptebatch_space *space = trial->space;
	struct mm_struct *mm = trial->place->mm;
	const struct ptebatch_anon_orders orders = {
		.always = row->advised ? 0 : row->orders,
		.advised = row->advised ? row->orders : 0,
	};

	ptebatch_contents_fill(trial);
	if (space->nr_places == 2)
		ptebatch_trial_second(trial, &space->places[1]);
	fill_free_folios(row->orders);
	/* From here on, no assertion may end the case before undo(). */
	if (row->flags)
		ptebatch_vma_flags(mm, ptebatch_addr(space, row->at), row->flags, 0);
	attempt->watching = watches(row) &&
			    !ptebatch_fail_folio(PTEBATCH_FAIL_VMA, row->fails);
	KUNIT_EXPECT_EQ(trial->test, attempt->watching, watches(row));
	if (row->unstable)
		mm_flags_set(MMF_UNSTABLE, mm);
	ptebatch_anon_orders_begin(mm, &orders);
	if (row->disabled)
		mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
}

/* Rule 7: a folio that the fault does not map is freed. */
static void expect_discarded(const struct ptebatch_trial *trial,
			     const struct folio *folio)
{
	KUNIT_EXPECT_NOT_NULL_MSG(trial->test, folio, "%s allocates no folio",
				  trial->function);
	if (folio)
		KUNIT_EXPECT_EQ_MSG(trial->test, page_ref_count(&folio->page), 0,
				    PTEBATCH_RULE_ACCOUNTING ": references after %s, not mapped",
				    trial->function);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	const struct fault_row *row = attempt->row;
	struct mm_struct *mm = trial->place->mm;
	struct folio *folio;

	ptebatch_anon_orders_end(mm);
	if (row->unstable)
		mm_flags_clear(MMF_UNSTABLE, mm);
	if (attempt->watching) {
		KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_fail_folio_end(&folio),
				      "%s allocates too few folios", trial->function);
		if (row->discards)
			expect_discarded(trial, folio);
	}
	if (row->flags)
		ptebatch_vma_flags(mm, ptebatch_addr(trial->space, row->at), 0,
				   row->flags);
}

/* No fault changes an entry of another mm. */
static void expect_child_untouched(struct ptebatch_trial *trial, const void *data)
{
	if (trial->second)
		ptebatch_trial_untouched(trial->second);
}

/* What the kernel lacks for a case, for kunit_skip(), or %NULL. */
static const char *missing(const struct fault_row *row)
{
	if (row->orders && ptebatch_anon_orders_missing())
		return ptebatch_anon_orders_missing();
	if (watches(row) && ptebatch_fail_folio_missing())
		return ptebatch_fail_folio_missing();
	if (row->flags & VM_UFFD_MISSING && !IS_ENABLED(CONFIG_USERFAULTFD))
		return "no userfaultfd without CONFIG_USERFAULTFD";
	if (row->orders >> (PMD_ORDER - 1) && PMD_SIZE > SZ_64M)
		return "a page table maps more than 64 MiB, the limit of the suites";
	return NULL;
}

static bool check_row(struct kunit *test, const struct fault_row *row)
{
	struct ptebatch_op op = row->read ? ptebatch_read_fault : ptebatch_write_fault;
	struct ptebatch_setup setup = row->setup;
	struct ptebatch_trial *trial;
	struct attempt *attempt;
	bool passes = true;
	struct ptebatch_run run = {
		.op = &op, .setup = &setup, .after = row->after,
		.ret = row->err, .prepare = prepare, .undo = undo,
		.check = expect_child_untouched, .data = &attempt,
	};

	if (missing(row))
		kunit_skip(test, "%s", missing(row));
	attempt = kunit_kzalloc(test, sizeof(*attempt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt);
	attempt->row = row;
	op.arg = row->at;
	setup.lru = true;
	trial = ptebatch_row_try(test, &run, false, &passes);
	/* Some cases have many trials. */
	ptebatch_trial_release(trial);
	kunit_kfree(test, attempt);
	return passes;
}

static void fault_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Each order alone, and the next smaller one where the range is not empty. */

static const struct kind {
	const char *name;
	bool occupied;
} kinds[] = {
	{ "permitted, write faults of the first, middle and last page: folio mapped" },
	{ "and smaller permitted, last entry occupied: half of the size mapped", true },
};

PTEBATCH_ORDER_PARAMS(fault_order, kinds);

/* The token of a folio of @order that a fault maps, none of order 1. */
static const char *draw_folio(struct kunit *test, unsigned int order)
{
	return order == PMD_ORDER ? "~[Wdyx]" :
	       ptebatch_draw(test, "~{Wdyx*%u}", 1U << order);
}

static bool check_empty(struct kunit *test, unsigned int order, unsigned int at)
{
	unsigned int nr = 1U << order, maps = order == 1 ? 0 : order;
	unsigned int before = round_down(at, 1U << maps);
	/* Behind an equal range that stays empty. */
	unsigned int first = order < PMD_ORDER ? nr : 0;
	struct fault_row row = { .orders = BIT(order), .at = at };

	row.setup = (struct ptebatch_setup) {
		ptebatch_draw(test, "@%u -*%u", first, nr), .prot = RW,
	};
	row.after = ptebatch_draw(test, "@%u -*%u %s -*%u", first, before,
				  draw_folio(test, maps),
				  nr - before - (1U << maps));
	return check_row(test, &row);
}

static bool check_occupied(struct kunit *test, unsigned int order)
{
	unsigned int nr = 1U << order, maps = order > 2 ? order - 1 : 0;
	struct fault_row row = { .orders = UP_TO(order) };

	row.setup = (struct ptebatch_setup) {
		ptebatch_draw(test, "-*%u Rzy", nr - 1), .prot = RW,
	};
	row.after = ptebatch_draw(test, "%s -*%u Rzy", draw_folio(test, maps),
				  nr - 1 - (1U << maps));
	return check_row(test, &row);
}

static void fault_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;

	if (!kind->occupied)
		(void)(check_empty(test, param->order, 0) &&
		       check_empty(test, param->order, nr / 2) &&
		       check_empty(test, param->order, nr - 1));
	else if (param->order)
		check_occupied(test, param->order);
	else
		kunit_skip(test, "a page has no half");
}

/* The pages of a folio are cleared in another order for each address of a fault. */
static void fault_of_each_page(struct kunit *test)
{
	static const struct fault_row each = {
		.setup = { "-*16", .prot = RW }, .orders = BIT(4),
		.after = "~{Wdyx*16}",
	};
	struct fault_row row = each;

	for (row.at = 0; row.at < 16; row.at++)
		if (!check_row(test, &row))
			return;
}

/*
 * Faults in a 32K range with up to two of its entries occupied, in VMAs that begin
 * and end in it, compared with a reference that tries one order after the other.
 */

/* Entries of the range, and of the row: some are behind the range. */
#define RANGE		8
#define WINDOW		12

/* Without EXHAUSTIVE=1, one combination in SAMPLE is tested. */
#define SAMPLE		61

/**
 * struct window - a combination
 * @occupied: bitmap of the entries of the range that are occupied
 * @orders: permitted orders: 16K, 32K or both
 * @at: entry that faults
 * @start: first entry of its VMA
 * @end: first entry behind its VMA
 */
struct window {
	unsigned int occupied;
	unsigned long orders;
	unsigned int at;
	unsigned int start, end;
};

static const unsigned int starts[] = { 0, 1, 4 };
static const unsigned int ends[] = { WINDOW, RANGE - 1, 4 };
static const unsigned long permitted[] = { BIT(2), BIT(3), BIT(2) | BIT(3) };

/* Returns false if the combination with this number has no fault that maps. */
static bool number_window(struct window *window, unsigned int i)
{
	*window = (struct window) { .occupied = i % BIT(RANGE) };
	i /= BIT(RANGE);
	window->at = i % RANGE;
	i /= RANGE;
	window->orders = permitted[i % ARRAY_SIZE(permitted)];
	i /= ARRAY_SIZE(permitted);
	window->start = starts[i % ARRAY_SIZE(starts)];
	window->end = ends[i / ARRAY_SIZE(starts)];
	return window->at >= window->start && window->at < window->end &&
	       !(window->occupied & BIT(window->at)) &&
	       hweight8(window->occupied) <= 2;
}

static unsigned int nr_windows(void)
{
	return BIT(RANGE) * RANGE * ARRAY_SIZE(permitted) * ARRAY_SIZE(starts) *
	       ARRAY_SIZE(ends);
}

/* The reference: the first entry that the fault maps, and the order. */
static unsigned int expect_from(const struct window *window, unsigned int *order)
{
	unsigned int from, i;

	for (*order = 3; *order > 1; (*order)--) {
		bool fits = window->orders & BIT(*order);

		from = round_down(window->at, 1U << *order);
		for (i = from; i < from + (1U << *order); i++)
			fits &= i >= window->start && i < window->end &&
				!(window->occupied & BIT(i));
		if (fits)
			return from;
	}
	*order = 0;
	return window->at;
}

/* Draw the row, and the folio of @order that the fault maps from @from; WINDOW: none. */
static void draw_window(char *picture, size_t size, const struct window *window,
			unsigned int from, unsigned int order)
{
	unsigned int i, at = 0;

	for (i = 0; i < WINDOW; i++) {
		if (i && (i == window->start || i == window->end))
			at += scnprintf(picture + at, size - at, "; ");
		if (i == from) {
			at += scnprintf(picture + at, size - at, "~{Wdyx*%u} ", 1U << order);
			i += (1U << order) - 1;
		} else {
			at += scnprintf(picture + at, size - at, "%s ",
					!(window->occupied & BIT(i)) ? "-" :
					i % 2 ? "Rzy" : "Wdyx");
		}
	}
}

static void fault_in_each_window(struct kunit *test)
{
	unsigned int i, from, order, left = 0;
	char before[96], after[96];
	struct window window;

	for (i = 0; i < nr_windows(); i++) {
		struct fault_row row = {
			.setup = { before, .prot = RW }, .after = after,
		};

		if (!number_window(&window, i) || left--)
			continue;
		left = ptebatch_exhaustive ? 0 : SAMPLE - 1;
		row.orders = window.orders;
		row.at = window.at;
		from = expect_from(&window, &order);
		draw_window(before, sizeof(before), &window, WINDOW, 0);
		draw_window(after, sizeof(after), &window, from, order);
		if (!check_row(test, &row))
			return;
	}
}

static struct kunit_case memory_anon_cases[] = {
	KUNIT_CASE_PARAM(fault_row, rows_gen_params),
	KUNIT_CASE(fault_of_each_page),
	KUNIT_CASE_SLOW(fault_in_each_window),
	PTEBATCH_CASE_PARAMS(fault_order),
	{}
};

PTEBATCH_SUITE(memory_anon, memory_anon_cases, PTEBATCH_SWAP_SPACE);
