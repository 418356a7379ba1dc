// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_COLLAPSE copies the pages that a page table maps to one folio and maps
 * it by a PMD. It clears the entries of large anonymous folios in batches after
 * the copy, and those of a PMD-sized page cache folio, which is not copied,
 * before it removes the page table.
 *
 * khugepaged calls the same functions. It does not scan our address spaces:
 * only faults and MADV_HUGEPAGE register an mm.
 */
#include <kunit/test.h>
#include <linux/khugepaged.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/check/contents.h"
#include "../lib/check/trial.h"
#include "../lib/kernel/swap.h"
#include "../lib/space/pte.h"
#include "../lib/space/refs.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* State of the last folio, which may prevent the collapse. */
enum obstacle {
	NO_OBSTACLE,
	REFERENCED,		/* extra reference from the start */
	REFERENCED_AT_FLUSH,	/* extra reference once all folios are checked */
	LOCKED,
};

/**
 * struct collapse_row - a case of madvise_collapse()
 * @name: name of the case
 * @setup: address space before the call; @setup.lru is set, unless @off_lru
 * @after: expected row; %NULL: no entry has changed
 * @err: expected return value
 * @obstacle: what prevents the collapse
 * @off_lru: folios are not on the LRU lists
 * @remove: collapse_pte_mapped_thp() is called instead, without installing a PMD
 */
struct collapse_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	int err;
	enum obstacle obstacle;
	bool off_lru;
	bool remove;
};

/**
 * struct collapse_impl - functions of the kernel or of the twin
 * @function: name for messages
 * @collapse: madvise_collapse() or its twin
 * @remove: collapse_pte_mapped_thp() or its twin
 */
struct collapse_impl {
	const char *function;
	int (*collapse)(struct vm_area_struct *vma, unsigned long start,
			unsigned long end, bool *lock_dropped);
	void (*remove)(struct mm_struct *mm, unsigned long addr,
		       bool install_pmd);
};

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static const struct collapse_impl kernel = {
	"madvise_collapse()", madvise_collapse, collapse_pte_mapped_thp
};

static const struct collapse_impl twin = {
	"the twin", ptebatch_twin_madvise_collapse,
	ptebatch_twin_collapse_pte_mapped_thp
};
#else
static const struct collapse_impl kernel, twin;
#endif

static int collapse(struct ptebatch_space *space, bool remove,
		    const struct collapse_impl *impl)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	bool lock_dropped = false;
	int err = 0;

	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	mmap_read_lock(mm);
	if (remove)
		impl->remove(mm, start, false);
	else
		err = impl->collapse(vma_lookup(mm, start), start, end,
				     &lock_dropped);
	mmap_read_unlock(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return err;
}

/*
 * The set-up locks folios with swap space and holds references. A collapse
 * takes the folio locks, and fails if a folio has extra references.
 */
static void unlock_folios(struct ptebatch_space *space, unsigned long *locked)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (!folio_test_locked(space->folios[i]))
			continue;
		set_bit(i, locked);
		folio_unlock(space->folios[i]);
	}
	if (space->setup.lru)
		ptebatch_space_drop_refs(space);
}

static void lock_folios(struct ptebatch_space *space,
			const unsigned long *locked)
{
	unsigned int i;

	for_each_set_bit(i, locked, PTEBATCH_ROW_ENTRIES)
		if (ptebatch_folio_intact(space, i))
			folio_lock(space->folios[i]);
}

/* At a TLB flush, maybe under the page table lock: reference a folio, once. */
static void get_folio_once(void *data)
{
	struct folio **folio = data;

	if (*folio)
		folio_get(*folio);
	*folio = NULL;
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* Is the page table that is deposited for a split of the PMD empty? */
static bool deposited_table_empty(struct mm_struct *mm, unsigned long addr)
{
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	spinlock_t *ptl = pmd_lock(mm, pmd);
	pgtable_t table = pgtable_trans_huge_withdraw(mm, pmd);
	const pte_t *entries = page_address(table);
	bool empty = true;
	unsigned int i;

	for (i = 0; i < PTRS_PER_PTE; i++)
		empty &= pte_none(entries[i]);
	pgtable_trans_huge_deposit(mm, pmd, table);
	spin_unlock(ptl);
	return empty;
}
#else
static bool deposited_table_empty(struct mm_struct *mm, unsigned long addr)
{
	return true;
}
#endif

/* A PMD-mapped anonymous folio has a deposited page table. */
static void expect_tables_empty(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (!test_bit(i, trial->after.huge) ||
		    entry->folio == PTEBATCH_NO_FOLIO || entry->page ||
		    !row->folios[entry->folio].made ||
		    test_bit(entry->folio, space->cached))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      deposited_table_empty(space->places[0].mm,
							    ptebatch_addr(space, i)),
				      "%s leaves entries in the deposited page table",
				      trial->function);
	}
}

static struct ptebatch_trial *
try_collapse(struct kunit *test, const struct collapse_row *row,
	     const struct ptebatch_setup *setup,
	     const struct collapse_impl *impl)
{
	struct ptebatch_snapshot *child, *child_after;
	struct ptebatch_trial *trial;
	struct ptebatch_space *space;
	struct folio *last, *to_reference;
	unsigned long *locked;
	int err;

	locked = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
			       sizeof(long), GFP_KERNEL);
	child = kunit_kzalloc(test, 2 * sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, locked);
	KUNIT_ASSERT_NOT_NULL(test, child);
	child_after = child + 1;

	trial = ptebatch_trial_begin(test, impl->function, setup);
	space = trial->space;
	ptebatch_contents_fill(space);
	if (space->nr_places == 2)
		ptebatch_snapshot(child, space, &space->places[1]);
	unlock_folios(space, locked);
	last = space->row.nr_folios ?
	       space->folios[space->row.nr_folios - 1] : NULL;
	to_reference = last;
	if (row->obstacle == REFERENCED)
		folio_get(last);
	else if (row->obstacle == LOCKED)
		folio_lock(last);
	else if (row->obstacle == REFERENCED_AT_FLUSH)
		trial->flush.on_flush = get_folio_once;
	trial->flush.data = &to_reference;

	err = collapse(space, row->remove, impl);

	trial->flush.on_flush = NULL;
	if (row->obstacle == LOCKED)
		folio_unlock(last);
	if (row->obstacle == REFERENCED || (row->obstacle && !to_reference))
		folio_put(last);
	if (row->obstacle == REFERENCED_AT_FLUSH)
		KUNIT_EXPECT_NULL_MSG(test, to_reference,
				      "%s did not flush the TLB: no reference taken",
				      impl->function);
	ptebatch_trial_end(trial);
	if (!row->off_lru)
		ptebatch_trial_on_lists(trial);
	lock_folios(space, locked);

	KUNIT_EXPECT_EQ_MSG(test, err, row->err, "%s returns %d, expected %d",
			    impl->function, err, row->err);
	if (row->after)
		ptebatch_trial_expect(trial, row->after);
	else
		ptebatch_trial_untouched(trial);
	ptebatch_contents_expect(trial);
	expect_tables_empty(trial);
	if (space->nr_places == 2 && setup->mapping == PTEBATCH_ANON) {
		ptebatch_snapshot(child_after, space, &space->places[1]);
		KUNIT_EXPECT_MEMEQ_MSG(test, child->raw, child_after->raw,
				       child->nr * sizeof(child->raw[0]),
				       "%s changes the child's entries",
				       impl->function);
	}
	kunit_kfree(test, child);
	kunit_kfree(test, locked);
	return trial;
}

static void check_row(struct kunit *test, const struct collapse_row *row)
{
	struct ptebatch_trial *first, *second;
	struct ptebatch_setup *setup;

	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "requires CONFIG_TRANSPARENT_HUGEPAGE");
	if (PMD_SIZE > SZ_64M)
		kunit_skip(test, "requires folios larger than 64 MiB, too much memory for a guest");
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = row->setup;
	setup->lru = !row->off_lru;
	first = try_collapse(test, row, setup, &kernel);
	if (ptebatch_failed(test))
		return;
	second = try_collapse(test, row, setup, &twin);
	ptebatch_trial_same(first, second);
}

static const struct collapse_row rows[] = {
	/* Folio sizes, and attributes of entries and pages. */
	{ "page table of small folios: collapsed",
	  { "Wdyx*T", .prot = RW }, "~[Wdyx]" },
	{ "page table of 64K folios: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "PTE-mapped 2M folio: collapsed into a new folio",
	  { "{Wdyx*T}", .prot = RW }, "~[Wdyx]" },
	{ "folios of several orders: collapsed",
	  { "{Wdyx*T/2} Wdyx*T/8 {Wdyx*T/4} {Wdyx*4}*T/64 {Wdyx*16} Wdyx*T/16-16",
	    .prot = RW }, "~[Wdyx]" },
	{ "read-only VMA, 64K folios: collapsed, PMD read-only",
	  { "{Rdyx*16}*T/16", .prot = RO }, "~[Rdyx]" },
	{ "64K folios, writable, read-only, shared, clean and old pages: collapsed",
	  { "{Wdyx*4 Rdyx*4 Rdy*4 Wyx*2 Rx*2}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "clean, old and read-only 64K folios: collapsed, PMD dirty, young and writable",
	  { "{Rx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of the entries PROT_NONE: collapsed, PMD writable",
	  { "{Wdyx*8 Ndyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "8K folios, one of two pages not AnonExclusive: collapsed, PMD exclusive",
	  { "{Rdyx Rdy}*T/2", .prot = RW }, "~[Wdyx]" },
	{ "lazyfree 64K folios: collapsed, not lazyfree",
	  { "{Wyxl*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of the entries soft-dirty: collapsed, PMD soft-dirty",
	  { "{Wdysx*8 Rdyx*8}*T/16", .prot = RW, .track = true },
	  "~[Wdysx]" },
	{ "mlocked 64K folios: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .mlocked = true }, "~[Wdyx]" },

	/* Where batches end. */
	{ "64K folios with holes: collapsed, holes filled",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "holes between folios: collapsed, holes filled",
	  { "-*8 {Wdyx*T/2} -*T/4 {Wdyx*T/8} Wdyx*T/8-8", .prot = RW },
	  "~[Wdyx]" },
	{ "one small folio in an empty page table: collapsed",
	  { "-*T/2 Wdyx -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "one page of a 64K folio in an empty page table: collapsed",
	  { "-*T/2 {.*5 Wdyx .*10} -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of each mapped: collapsed",
	  { "{.*8 Wdyx*8}*T/16 {Wdyx*8 .*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, pages mapped out of order: collapsed",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "64K folios off their alignment: collapsed",
	  { "Wdyx*5 {Wdyx*16}*T/32 Wdyx*T/2-5", .prot = RW }, "~[Wdyx]" },
	{ "physically adjacent 64K folios: collapsed",
	  { "{Wdyx*16} +{Wdyx*16} +{Wdyx*16} {Wdyx*16} Wdyx*T-64",
	    .prot = RW }, "~[Wdyx]" },
	{ "folio begins in the preceding page table: collapsed, 8 pages stay",
	  { "@-8 {Wdyx*8 | Wdyx*8} {Wdyx*16}*T/32 Wdyx*T/2-8 |", .prot = RW },
	  "@-8 {Wdyx*8 .*8} ~[Wdyx]" },
	{ "folio ends in the following page table: collapsed, 8 pages stay",
	  { "| Wdyx*T/2-8 {Wdyx*16}*T/32 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {.*8 Wdyx*8}" },

	/* Pages shared with a child: its entries do not change. */
	{ "64K folios shared with a child: collapsed in the parent",
	  { "{Wdyx*16}*T/16", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "small folios shared with a child: collapsed in the parent",
	  { "Wdyx*T", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "64K folios with holes, shared with a child: collapsed in the parent",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW, .twice = true },
	  "~[Wdyx]" },

	/* Two page tables. */
	{ "two page tables: two PMD-mapped folios",
	  { "{Wdyx*16}*T/16 {Wdyx*T}", .prot = RW }, "~[Wdyx] ~[Wdyx]" },
	{ "page table, then PMD-mapped folio: page table collapsed, PMD unchanged",
	  { "{Wdyx*16}*T/16 [Wdyx]", .prot = RW }, "~[Wdyx] [Wdyx]" },
	{ "range ends in the second page table: first one collapsed",
	  { "| {Wdyx*16}*T/16 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {Wdyx*16}" },
	{ "second page table missing: first one collapsed, -EINVAL",
	  { "{Wdyx*16}*T/16 -*T", .prot = RW }, "~[Wdyx] -*T", -EINVAL },

	/* Swap. */
	{ "64K folios in the swap cache: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "small folios, half of the entries swap entries: collapsed",
	  { "Wdyx*T/2 {Sx}*T/4 {S}*T/4", .prot = RW, .swap = true },
	  "~[Wdyx]" },
	{ "64K folios, 12 of 16 entries swap entries: collapsed",
	  { "{Wdyx*4 Sx*12}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "64K folios, all entries swap entries: collapsed",
	  { "{Sx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },

	/* No collapse. */
	{ "PMD-mapped folio: unchanged", { "[Wdyx]", .prot = RW } },
	{ "range smaller than a page table: unchanged",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*16}*T/16-1 |", .prot = RW } },
	{ "no page table: -EINVAL", { "-*T", .prot = RW }, .err = -EINVAL },
	{ "uffd-wp on half of the entries: -EINVAL",
	  { "{Wdyx*8 Rdyux*8}*T/16", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "uffd-wp on the last entry: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 Rdyux}", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "userfaultfd registered, no uffd-wp entry, no hole: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd_wp = true }, "~[Wdyx]" },
	{ "userfaultfd registered, one hole: -EBUSY",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 -}", .prot = RW, .uffd_wp = true },
	  .err = -EBUSY },
	{ "poison marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 P", .prot = RW },
	  .err = -EINVAL },
	{ "guard marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 G", .prot = RW },
	  .err = -EINVAL },
	{ "folios not on the LRU lists: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN, .off_lru = true },
	{ "extra reference to the last 64K folio: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
	{ "extra reference to the last small folio: -EAGAIN",
	  { "{Wdyx*16}*T/16-1 Wdyx*16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
	{ "last 64K folio referenced during the TLB flush: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED_AT_FLUSH },
	{ "last small folio referenced during the TLB flush: -EAGAIN",
	  { "-*8 {Wdyx*8} {Wdyx*16}*T/16-2 Wdyx*16", .prot = RW },
	  .err = -EAGAIN, .obstacle = REFERENCED_AT_FLUSH },
	{ "last folio locked: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = LOCKED },

	/* Shmem: a PMD-sized folio is mapped by a PMD, smaller ones are copied. */
	{ "PTE-mapped 2M shmem folio: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, read-only VMA: PMD-mapped read-only",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]" },
	{ "PTE-mapped 2M shmem folio with holes: PMD-mapped",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "2M shmem folio, one page mapped: PMD-mapped",
	  { "{-*T/2 Wdy -*T/2-1}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, extra reference: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]", .obstacle = REFERENCED },
	{ "PTE-mapped 2M shmem folio with a second mapping: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .twice = true }, "[Wy]" },
	{ "PMD-mapped shmem folio: unchanged", { "[Wdy]", PTEBATCH_SHMEM, RW } },
	{ "shmem registered for uffd-wp: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "collapse_pte_mapped_thp(), 2M shmem folio: page table removed",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "-*T", .remove = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio with holes: page table removed",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "-*T",
	  .remove = true },
	{ "collapse_pte_mapped_thp(), 64K shmem folios: unchanged",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .remove = true },
	{ "64K shmem folios: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "small shmem folios: collapsed",
	  { "Wdy*T", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios with holes: collapsed",
	  { "{Wdy*5 -*3 Wdy*8}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios, second half of the page table empty: collapsed",
	  { "{Wdy*16}*T/32 -*T/2", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios with a second mapping: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .twice = true }, "~[Wy]" },
	{ "64K shmem folios, extra reference to the last one: -EAGAIN",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void collapse_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Page tables of anonymous folios of every order. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *first, *second, *after;
} kinds[] = {
	{ "all pages exclusive", { .prot = RW }, "Wdyx", "Wdyx", "~[Wdyx]" },
	{ "half of each read-only and shared", { .prot = RO }, "Rdy", "Rdyx", "~[Rdyx]" },
	{ "half of each mapped", { .prot = RW }, "Wdyx", "-", "~[Wdyx]" },
};

/**
 * struct order_param - folios of one order
 * @order: folio order
 * @kind: index into kinds[]
 */
struct order_param {
	unsigned int order;
	unsigned int kind;
};

static const void *orders_gen_params(struct kunit *test, const void *prev,
				     char *desc)
{
	static struct order_param param;

	if (!prev)
		param = (struct order_param) { .order = 1 };
	else if (++param.kind == ARRAY_SIZE(kinds))
		param = (struct order_param) { .order = param.order + 1 };
	if (BIT(param.order) > PTRS_PER_PTE)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u, %s: collapsed",
		 param.order, kinds[param.kind].name);
	return &param;
}

static void collapse_order(struct kunit *test)
{
	const struct order_param *param = test->param_value;
	const struct kind *kind = &kinds[param->kind];
	unsigned int half = 1U << param->order >> 1;
	struct collapse_row *row;
	char picture[64];

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	snprintf(picture, sizeof(picture), "{%s*%u %s*%u}*%u", kind->first,
		 half, kind->second, half,
		 (unsigned int)(PTRS_PER_PTE >> param->order));
	row->setup = kind->setup;
	row->setup.picture = picture;
	row->after = kind->after;
	check_row(test, row);
}

static struct kunit_case khugepaged_cases[] = {
	KUNIT_CASE_PARAM(collapse_row, rows_gen_params),
	KUNIT_CASE_PARAM(collapse_order, orders_gen_params),
	{}
};

static struct kunit_suite khugepaged_suite = {
	.name = "ptebatch_khugepaged",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = khugepaged_cases,
};

kunit_test_suite(khugepaged_suite);
