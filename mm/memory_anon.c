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
#include <linux/pgtable.h>
#include <linux/sizes.h>

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/khugepaged.h"
#include "../lib/service/part.h"
#include "../lib/service/swap.h"

/* No fault maps folios of order 1. */
#define UP_TO(order)	(BIT((order) + 1) - BIT(2))

/* @arg is the entry of a write fault. The VMA is readable and writable. */
static const struct ptebatch_case rows[] = {
	/* Which order. */
	{ "64K permitted, write fault of page 5: 64K folio mapped",
	  { "-*16" }, "~{Wdyx*16}", .arg = 5, .with = { ANON_ORDERS(BIT(4)) } },
	{ "no size permitted, write fault: one page mapped",
	  { "-*16" }, "-*5 ~{Wdyx} -*10", .arg = 5, .with = { ANON_ORDERS(0) } },
	{ "16K permitted, write fault of page 5: 16K folio mapped around it",
	  { "-*16" }, "-*4 ~{Wdyx*4} -*8", .arg = 5, .with = { ANON_ORDERS(BIT(2)) } },
	{ "16K to 64K permitted, write fault: 64K folio mapped",
	  { "-*16" }, "~{Wdyx*16}", .arg = 5, .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "16K and 64K permitted, write fault of the last page: 64K folio mapped",
	  { "-*16" }, "~{Wdyx*16}", .arg = 15,
	  .with = { ANON_ORDERS(BIT(4) | BIT(2)) } },
	{ "8K permitted, which no fault maps: one page mapped",
	  { "-*16" }, "-*5 ~{Wdyx} -*10", .arg = 5, .with = { ANON_ORDERS(BIT(1)) } },
	{ "64K permitted, write fault 4 pages behind a 64K boundary: mapped from there",
	  { "@8 -*40" }, "@8 -*8 ~{Wdyx*16} -*16", .arg = 12,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "64K permitted in VMAs with VM_HUGEPAGE, VMA with it: 64K folio mapped",
	  { "-*16" }, "~{Wdyx*16}", .arg = 5,
	  .with = { ADVISED_ANON_ORDERS(BIT(4)), VMA_FLAGS(VM_HUGEPAGE) } },
	{ "64K permitted in VMAs with VM_HUGEPAGE, VMA without it: one page mapped",
	  { "-*16" }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ADVISED_ANON_ORDERS(BIT(4)) } },
	{ "64K permitted, VM_NOHUGEPAGE: one page mapped",
	  { "-*16" }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), VMA_FLAGS(VM_NOHUGEPAGE) } },
	{ "64K permitted, PR_SET_THP_DISABLE: one page mapped",
	  { "-*16" }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), MM_FLAG(MMF_DISABLE_THP_COMPLETELY) } },

	/* The range is not empty. */
	{ "small folio in the first entry, write fault of page 9: 32K folio mapped",
	  { "Wdyx -*15" }, "Wdyx -*7 ~{Wdyx*8}", .arg = 9,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "small folio in the last entry, write fault of page 1: 32K folio mapped",
	  { "-*15 Wdyx" }, "~{Wdyx*8} -*7 Wdyx", .arg = 1,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "small folio 4 pages behind the fault: 16K folio mapped",
	  { "-*8 Wdyx -*7" }, "-*8 Wdyx -*3 ~{Wdyx*4}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "small folio beside the fault: one page mapped",
	  { "-*4 Wdyx -*11" }, "-*4 Wdyx ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "only 64K permitted, small folio in the last entry: one page mapped",
	  { "-*15 Wdyx" }, "- ~{Wdyx} -*13 Wdyx", .arg = 1,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "64K folios before and behind an empty range: 64K folio mapped between",
	  { "{Wdyx*16} -*16 {Wdyx*16}" }, "{Wdyx*16} ~{Wdyx*16} {Wdyx*16}", .arg = 20,
	  .with = { ANON_ORDERS(UP_TO(5)) } },
	{ "last 4 pages of a 32K folio in the range: 32K folio mapped behind it",
	  { "@12 {Wdyx*8} -*12" }, "@12 {Wdyx*8} -*4 ~{Wdyx*8}", .arg = 15,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "zero page in the range: 32K folio mapped, zero page unchanged",
	  { "-*4 Rzy -*11" }, "-*4 Rzy -*3 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "guard marker in the range: 32K folio mapped, marker unchanged",
	  { "-*4 G -*11" }, "-*4 G -*3 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "poison marker in the range: 32K folio mapped, marker unchanged",
	  { "-*7 P -*8" }, "-*7 P ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "uffd-wp marker that is left over in the range: 32K folio mapped, marker unchanged",
	  { "U -*15" }, "U -*7 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "swap entry in the range: 32K folio mapped, swap entry unchanged",
	  { "-*3 Sx -*12", .folios = WITH_SWAP }, "-*3 Sx -*4 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "migration entry in the range: 32K folio mapped, migration entry unchanged",
	  { "-*3 Mw -*12" }, "-*3 Mw -*4 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "PROT_NONE entry of a NUMA hint in the range: 32K folio mapped, hint unchanged",
	  { "Ndyx -*15" }, "Ndyx -*7 ~{Wdyx*8}", .arg = 12,
	  .with = { ANON_ORDERS(UP_TO(4)) } },

	/* Ends of the VMA and of the page table. */
	{ "VMA ends 12 pages behind a 64K boundary, fault before its end: 16K folio mapped",
	  { "-*12 ; -*20" }, "-*8 ~{Wdyx*4} ; -*20", .arg = 9,
	  .with = { ANON_ORDERS(UP_TO(5)) } },
	{ "VMA begins 4 pages behind a 64K boundary, fault at its beginning: 16K folio mapped",
	  { "-*4 ; -*28" }, "-*4 ; ~{Wdyx*4} -*24", .arg = 5,
	  .with = { ANON_ORDERS(UP_TO(5)) } },
	{ "VMA of 64K, aligned: 64K folio mapped, adjacent VMAs empty",
	  { "-*16 ; -*16 ; -*16" }, "-*16 ; ~{Wdyx*16} ; -*16", .arg = 20,
	  .with = { ANON_ORDERS(UP_TO(8)) } },
	{ "VMA of 60K, one page short at its end: 32K folio mapped",
	  { "-*16 ; -*15 ; -*17" }, "-*16 ; ~{Wdyx*8} -*7 ; -*17", .arg = 20,
	  .with = { ANON_ORDERS(UP_TO(8)) } },
	{ "VMA of 60K, one page short at its beginning: 32K folio mapped",
	  { "-*17 ; -*15 ; -*16" }, "-*17 ; -*7 ~{Wdyx*8} ; -*16", .arg = 28,
	  .with = { ANON_ORDERS(UP_TO(8)) } },
	{ "VMA of 60K, only 64K permitted: one page mapped",
	  { "-*16 ; -*15 ; -*17" }, "-*16 ; -*4 ~{Wdyx} -*10 ; -*17", .arg = 20,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "VMA of one page: one page mapped",
	  { "-*5 ; - ; -*10" }, "-*5 ; ~{Wdyx} ; -*10", .arg = 5,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "last 64K of a page table: 64K folio mapped",
	  { "@-16 -*32" }, "@-16 ~{Wdyx*16} -*16", .arg = 13,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "first 64K of a page table: 64K folio mapped",
	  { "@-16 -*32" }, "@-16 -*16 ~{Wdyx*16}", .arg = 16,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "VMA begins in the middle of 64K, interleaved, fault in the first 64K: its node",
	  { "-*8 ; -*24" }, "-*8 ; -*8 ~{Wdyx*16}", .arg = 31,
	  .with = { ANON_ORDERS(BIT(4)), INTERLEAVES(31) } },
	{ "VMA begins in the middle of 64K, interleaved, fault in the next 64K: its node",
	  { "-*8 ; -*40" }, "-*8 ; -*24 ~{Wdyx*16}", .arg = 47,
	  .with = { ANON_ORDERS(BIT(4)), INTERLEAVES(47) } },
	{ "page table empty, half of it permitted, fault in its last page: second half mapped",
	  { "-*T" }, "-*T/2 ~{Wdyx*T/2}", .arg = PTRS_PER_PTE - 1,
	  .with = { ANON_ORDERS(BIT(PMD_ORDER - 1)) } },

	/* A folio mapped by a PMD, if there is no page table. */
	{ "2M permitted, no page table: folio mapped by a PMD",
	  { "-*T" }, "~[Wdyx]", .arg = 7, .with = { ANON_ORDERS(BIT(PMD_ORDER)) } },
	{ "2M permitted, page table present: largest other folio mapped",
	  { "-*T-1 Rzy" }, "~{Wdyx*T/2} -*T/2-1 Rzy", .arg = 7,
	  .with = { ANON_ORDERS(UP_TO(PMD_ORDER)) } },
	{ "2M permitted, VMA begins in the page table: 64K folio mapped",
	  { "-*16 ; -*T-16" }, "-*16 ; ~{Wdyx*16} -*T-32", .arg = 20,
	  .with = { ANON_ORDERS(BIT(PMD_ORDER) | BIT(4)) } },
	{ "2M permitted, allocation of 2M fails: 64K folio mapped",
	  { "-*T" }, "-*16 ~{Wdyx*16} -*T-32", .arg = 20,
	  .with = { ANON_ORDERS(BIT(PMD_ORDER) | BIT(4)), NO_FOLIO(1) } },

	/* Kinds of VMA. */
	{ "executable, protection key 3: 64K folio with both",
	  { "-*16", .prot = PROT_EXEC, .pkey = 3 }, "~{Wdyx*16}", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "memory tags: 64K folio with tags of 0",
	  { "-*16", .prot = PTEBATCH_PROT_MTE }, "~{Wdyx*16}", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "soft-dirty tracked: all pages soft-dirty",
	  { "-*16", .track = true }, "~{Wdysx*16}", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "VM_LOCKED: 64K folio mlocked",
	  { "-*16", .vma = VM_LOCKED }, "~{Wdyx*16}", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "MAP_DROPPABLE: 64K folio lazyfree",
	  { "-*16", .vma = VM_DROPPABLE }, "~{Wdyxl*16}", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "parent of a child: 64K folio mapped in the parent only",
	  { "{Wdyx*4} -*28", .twice = true }, "{Rdy*4} -*12 ~{Wdyx*16}",
	  .second = PTEBATCH_UNCHANGED, .arg = 20, .with = { ANON_ORDERS(BIT(4)) } },
	{ "shared mapping without file: -EFAULT",
	  { "-*16" }, .arg = 5, .ret = -EFAULT,
	  .with = { ANON_ORDERS(BIT(4)), VMA_FLAGS(VM_SHARED) } },

	/* userfaultfd handles each page by itself. */
	{ "userfaultfd write protection, empty range: one page mapped, writable",
	  { "-*16", .uffd = UFFD_WP }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "userfaultfd read-write protection, empty range: one page mapped, writable",
	  { "-*16", .uffd = UFFD_RWP }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "uffd-wp markers: one page mapped, read-only with uffd-wp",
	  { "U*16", .uffd = UFFD_WP }, "U*5 ~{Rdyux} U*10", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "uffd-wp markers, VMA without userfaultfd: marker of the page cleared",
	  { "U*16" }, "U*5 - U*10", .arg = 5, .with = { ANON_ORDERS(BIT(4)) } },
	{ "uffd-wp markers, read fault: zero page mapped with uffd-wp",
	  { "U*16", .uffd = UFFD_WP }, "U*5 Rzyu U*10", .op = &ptebatch_read_fault,
	  .arg = 5, .with = { ANON_ORDERS(BIT(4)) } },
	{ "userfaultfd for missing pages, without a reader: -EFAULT",
	  { "-*16" }, .arg = 5, .ret = -EFAULT,
	  .with = { ANON_ORDERS(BIT(4)), VMA_FLAGS(VM_UFFD_MISSING), NEW_FOLIO_FREED } },
	{ "userfaultfd for missing pages, without a reader, read fault: -EFAULT",
	  { "-*16" }, .op = &ptebatch_read_fault, .arg = 5, .ret = -EFAULT,
	  .with = { ANON_ORDERS(BIT(4)), VMA_FLAGS(VM_UFFD_MISSING) } },

	/* The zero page. */
	{ "64K permitted, read fault: zero page mapped at its entry only",
	  { "-*16" }, "-*5 Rzy -*10", .op = &ptebatch_read_fault, .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)) } },
	{ "soft-dirty tracked, read fault: zero page not soft-dirty",
	  { "-*16", .track = true }, "-*5 Rzy -*10", .op = &ptebatch_read_fault,
	  .arg = 5, .with = { ANON_ORDERS(BIT(4)) } },
	{ "64K permitted, read fault beside a small folio: zero page mapped",
	  { "-*4 Wdyx -*11" }, "-*4 Wdyx Rzy -*10", .op = &ptebatch_read_fault,
	  .arg = 5, .with = { ANON_ORDERS(BIT(4)) } },
	{ "64K permitted, write fault over the zero page: one page mapped",
	  { "-*5 Rzy -*10" }, "-*5 ~{Wdyx} -*10", .arg = 5,
	  .with = { ANON_ORDERS(UP_TO(4)) } },
	{ "64K of zero pages, write fault over one: the rest unchanged",
	  { "Rzy*16" }, "Rzy*5 ~{Wdyx} Rzy*10", .arg = 5,
	  .with = { ANON_ORDERS(UP_TO(4)) } },

	/* Failures, and other threads. */
	{ "16K to 64K permitted, allocation of 64K fails: 32K folio mapped",
	  { "-*16" }, "-*8 ~{Wdyx*8}", .arg = 13,
	  .with = { ANON_ORDERS(UP_TO(4)), NO_FOLIO(1) } },
	{ "16K to 64K permitted, all large allocations fail: one page mapped",
	  { "-*16" }, "-*13 ~{Wdyx} -*2", .arg = 13,
	  .with = { ANON_ORDERS(UP_TO(4)), NO_FOLIO(3) } },
	{ "16K and 64K permitted, allocation of 64K fails: 16K folio mapped",
	  { "-*16" }, "-*4 ~{Wdyx*4} -*8", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4) | BIT(2)), NO_FOLIO(1) } },
	{ "16K to 64K permitted, all allocations fail: -ENOMEM",
	  { "-*16" }, .arg = 13, .ret = -ENOMEM,
	  .with = { ANON_ORDERS(UP_TO(4)), NO_FOLIO(4) } },
	{ "zero page appears in the range before the lock: nothing mapped",
	  { "-*16" }, "-*15 Rzy", .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), PTES_BECOME("-*15 Rzy"), NEW_FOLIO_FREED } },
	{ "no size permitted, zero page appears at the fault before the lock: nothing mapped",
	  { "-*16" }, "-*5 Rzy -*10", .arg = 5,
	  .with = { ANON_ORDERS(0), PTES_BECOME("-*5 Rzy -*10"), NEW_FOLIO_FREED } },
	{ "16K permitted, zero page appears behind the 16K before the lock: 16K mapped",
	  { "-*16" }, "-*4 ~{Wdyx*4} Rzy -*7", .arg = 5,
	  .with = { ANON_ORDERS(BIT(2)), PTES_BECOME("-*8 Rzy -*7") } },
	{ "read fault, guard marker appears before the lock: unchanged",
	  { "-*16" }, "-*5 G -*10", .op = &ptebatch_read_fault, .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), PTES_BECOME("-*5 G -*10") } },
	{ "read fault, page table gone before the lock: nothing mapped",
	  { "-*16" }, .op = &ptebatch_read_fault, .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), TABLE_LOST } },
	{ "page table gone before the lock: nothing mapped",
	  { "-*16" }, .arg = 5,
	  .with = { ANON_ORDERS(BIT(4)), TABLE_LOST, NEW_FOLIO_FREED } },
	{ "OOM killer has reaped the mm: -EFAULT, nothing mapped",
	  { "-*16" }, .arg = 5, .ret = -EFAULT,
	  .with = { ANON_ORDERS(BIT(4)), MM_FLAG(MMF_UNSTABLE), NEW_FOLIO_FREED } },
	{ "OOM killer has reaped the mm, read fault: -EFAULT, nothing mapped",
	  { "-*16" }, .op = &ptebatch_read_fault, .arg = 5, .ret = -EFAULT,
	  .with = { ANON_ORDERS(BIT(4)), MM_FLAG(MMF_UNSTABLE) } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static bool check_row(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_case fault = *row;
	bool passes = true;

	if (strchr(row->setup.picture, 'T') && PMD_SIZE > SZ_64M)
		kunit_skip(test, "a page table maps more than 64 MiB, the limit of the suites");
	fault.op = row->op ?: &ptebatch_write_fault;
	fault.setup.prot |= PROT_READ | PROT_WRITE;
	fault.setup.folios |= ON_LRU;
	fault.filled = true;
	/* Some cases have many trials. */
	ptebatch_trial_release(ptebatch_case_try(test, &fault, false, &passes));
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
	const struct ptebatch_case row = {
		.setup.picture = ptebatch_draw(test, "@%u -*%u", first, nr),
		.after = ptebatch_draw(test, "@%u -*%u %s -*%u", first, before,
				       draw_folio(test, maps),
				       nr - before - (1U << maps)),
		.arg = at, .with = { ANON_ORDERS(BIT(order)) },
	};

	return check_row(test, &row);
}

static bool check_occupied(struct kunit *test, unsigned int order)
{
	unsigned int nr = 1U << order, maps = order > 2 ? order - 1 : 0;
	const struct ptebatch_case row = {
		.setup.picture = ptebatch_draw(test, "-*%u Rzy", nr - 1),
		.after = ptebatch_draw(test, "%s -*%u Rzy", draw_folio(test, maps),
				       nr - 1 - (1U << maps)),
		.with = { ANON_ORDERS(UP_TO(order)) },
	};

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
	struct ptebatch_case row = {
		.setup.picture = "-*16", .after = "~{Wdyx*16}",
		.with = { ANON_ORDERS(BIT(4)) },
	};

	for (row.arg = 0; row.arg < 16; row.arg++)
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
	unsigned int i, from, order, left = 0, nr = 0;
	char before[96], after[96];
	struct ptebatch_case row = {
		.setup.picture = before, .after = after, .with = { ANON_ORDERS(0) },
	};
	struct window window;

	for (i = 0; i < nr_windows(); i++) {
		if (!number_window(&window, i) || left--)
			continue;
		left = ptebatch_exhaustive ? 0 : SAMPLE - 1;
		if (!ptebatch_in_part(nr++))
			continue;
		row.with[0].value = window.orders;
		row.arg = window.at;
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

PTEBATCH_SUITE(memory_anon, memory_anon_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_KHUGEPAGED);
