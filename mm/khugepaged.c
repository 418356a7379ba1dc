// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_COLLAPSE copies the pages that a page table maps to one folio and maps
 * it by a PMD. It clears the entries of large anonymous folios in batches after
 * the copy, and those of a PMD-sized page cache folio, which is not copied,
 * before it removes the page table. A page table that still has a marker stays.
 *
 * khugepaged calls the same functions. It may also collapse a part of a page
 * table into a smaller folio, whose entries are installed as one batch. It scans
 * our address spaces only if a case says so: only faults and MADV_HUGEPAGE
 * register an mm.
 */
#include <kunit/test.h>
#include <linux/khugepaged.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/collapse.h"
#include "../lib/record/stat.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/khugepaged.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)
#define T	PTRS_PER_PTE

static void set_limit(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	KUNIT_EXPECT_EQ(use->trial->test, 0,
			ptebatch_khugepaged_limit(use->condition->picture,
						  use->condition->value));
}

static void reset_limit(struct ptebatch_use *use)
{
	ptebatch_khugepaged_limit(use->condition->picture, -1);
}

static const struct ptebatch_condition_type limit = {
	.name = "khugepaged has another limit", .occur = set_limit, .end = reset_limit,
};

/* Counters of the nodes; the last two also count the pages of the file. */
static const struct counter {
	const char *name;
	enum node_stat_item item;
} counters[] = {
	{ "NR_ISOLATED_ANON", NR_ISOLATED_ANON },
	{ "NR_ISOLATED_FILE", NR_ISOLATED_FILE },
	{ "NR_FILE_PAGES", NR_FILE_PAGES },
	{ "NR_SHMEM", NR_SHMEM },
};

/* The number of pages of the file that are in the page cache of a node. */
static long cached_pages(const struct ptebatch_space *space, int nid)
{
	XA_STATE(xas, &space->file->f_mapping->i_pages, 0);
	struct folio *folio;
	long pages = 0;

	rcu_read_lock();
	xas_for_each(&xas, folio, ULONG_MAX)
		if (!xa_is_value(folio) && folio_nid(folio) == nid)
			pages += folio_nr_pages(folio);
	rcu_read_unlock();
	return pages;
}

static long other_pages(const struct ptebatch_space *space, int nid, unsigned int counter)
{
	long pages = ptebatch_node_stat(nid, counters[counter].item);

	return counter < 2 ? pages : pages - cached_pages(space, nid);
}

/* Other files do not change; anonymous pages are counted while in the swap cache. */
static unsigned int nr_counters(const struct ptebatch_space *space)
{
	return space->setup.mapping == PTEBATCH_SHMEM ? ARRAY_SIZE(counters) : 2;
}

static void read_counters(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	long (*before)[ARRAY_SIZE(counters)];
	unsigned int i;
	int nid;

	before = kunit_kcalloc(space->test, nr_node_ids, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(space->test, before);
	for_each_node_state(nid, N_MEMORY)
		for (i = 0; i < nr_counters(space); i++)
			before[nid][i] = other_pages(space, nid, i);
	use->data = before;
}

static void expect_counters(struct ptebatch_use *use)
{
	const long (*before)[ARRAY_SIZE(counters)] = use->data;
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		for (i = 0; before && i < nr_counters(space); i++)
			KUNIT_EXPECT_EQ_MSG(space->test, other_pages(space, nid, i),
					    before[nid][i],
					    PTEBATCH_RULE_ACCOUNTING ": %s of node %d after %s",
					    counters[i].name, nid, use->trial->function);
}

/* Rule 7: the counters of each node change with the file's pages on the node. */
static const struct ptebatch_condition_type same_counters = {
	.name = "the counters of the nodes are compared", .occur = read_counters,
	.end = expect_counters,
};

/* What another thread does; hooks take time, and the twin takes no other branches. */
#define MEANWHILE(...)		.with = { __VA_ARGS__ }, .no_twin = true

/* When the range of the MMU notifier begins, the TLB is flushed, a folio is allocated. */
#define RANGE_START	"__mmu_notifier_invalidate_range_start"
#define FLUSH		PTEBATCH_FLUSH_HOOK
#define ALLOC		"__folio_alloc_noprof"

/* When the page table of a PMD-sized shmem folio is looked up for the second time. */
#define SECOND_LOOKUP	"pte_offset_map_rw_nolock"

#define PTES_AT_START(row)	PTES_BECOME_AT(RANGE_START, 0, row)
#define REFERENCED_AT_FLUSH	REFERENCED_AT(FLUSH, 0, LAST_FOLIO)

/* The VMA of the file is private, or registered with userfaultfd for missing pages. */
#define PRIVATE		NO_VMA_FLAGS(VM_SHARED | VM_MAYSHARE)
#define ARMED		VMA_FLAGS(VM_UFFD_MISSING)

/* Number of empty, non-present and shared entries that a page table may have. */
#define LIMIT(file, ptes)	{ .type = &limit, .picture = (file), .value = (ptes) }
#define MAX_PTES_NONE(ptes)	LIMIT("max_ptes_none", ptes)
#define MAX_PTES_SWAP(ptes)	LIMIT("max_ptes_swap", ptes)
#define MAX_PTES_SHARED(ptes)	LIMIT("max_ptes_shared", ptes)
#define NO_HOLES		MAX_PTES_NONE(0)

/* khugepaged with the limits that it has after boot, or without holes. */
#define ORDERS(orders, ...) \
	.op = &ptebatch_khugepaged, .arg = (orders), .with = { __VA_ARGS__ }
#define FULL(orders, ...)	ORDERS(orders, NO_HOLES, __VA_ARGS__)

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* The page table of the row's first entry. */
static struct page *first_table(const struct ptebatch_space *space)
{
	pmd_t pmd = *ptebatch_find_pmd(space->places[0].mm, space->places[0].start);

	return pmd_none(pmd) || pmd_leaf(pmd) ? NULL : pmd_page(pmd);
}

static unsigned int used_entries(const pte_t *entries)
{
	unsigned int i, nr = 0;

	for (i = 0; i < PTRS_PER_PTE; i++)
		nr += !pte_none(entries[i]);
	return nr;
}

/*
 * Rule 7: a page table is freed if it was removed. It is empty, as a truncation
 * that has found it before would unmap its pages once more.
 */
static void expect_freed_table(const struct ptebatch_space *space, struct page *table)
{
	bool removed = first_table(space) != table;

	if (!PTEBATCH_TABLES_ARE_PAGES)
		return;
	if (removed)
		rcu_barrier();
	KUNIT_EXPECT_EQ_MSG(space->test, page_ref_count(table), removed ? 1 : 2,
			    PTEBATCH_RULE_ACCOUNTING ": reference count of a page table that is %s",
			    removed ? "removed" : "kept");
	if (removed)
		KUNIT_EXPECT_EQ_MSG(space->test, used_entries(page_address(table)), 0,
				    "entries left in a page table that is removed");
}

/*
 * collapse_pte_mapped_thp() without a PMD. Like uprobes, it gives any address of the
 * page table; @op->arg: an address without a VMA.
 */
static long remove_table(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	unsigned long addr = op->arg ? 0 : ptebatch_addr(space, space->row.from + HPAGE_PMD_NR / 2);
	struct mm_struct *mm = space->places[0].mm;
	struct page *table = first_table(space);

	get_page(table);
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	mmap_read_lock(mm);
	(twin ? ptebatch_twin_collapse_pte_mapped_thp :
		collapse_pte_mapped_thp)(mm, addr, false);
	mmap_read_unlock(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	expect_freed_table(space, table);
	put_page(table);
	return 0;
}

/* Number of entries of the page table that is deposited for a split of the PMD. */
static unsigned int deposited_entries(struct mm_struct *mm, unsigned long addr)
{
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	spinlock_t *ptl = pmd_lock(mm, pmd);
	pgtable_t table = pgtable_trans_huge_withdraw(mm, pmd);
	unsigned int nr = used_entries(ptebatch_table_entries(table));

	pgtable_trans_huge_deposit(mm, pmd, table);
	spin_unlock(ptl);
	return nr;
}
#else
static long remove_table(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	return -EOPNOTSUPP;
}

static unsigned int deposited_entries(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

static const struct ptebatch_op remove_op = {
	.function = "collapse_pte_mapped_thp()", .call = remove_table,
};

/*
 * A new anonymous folio that a PMD maps has a deposited page table. rmap walks find
 * the entries of the folio by its index.
 */
static void expect_new_folio(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_entry *entry = &trial->after.row.entries[i];
	const struct ptebatch_space *space = trial->space;
	struct mm_struct *mm = trial->place->mm;
	unsigned long addr = ptebatch_addr(space, i);

	if (!ptebatch_entry_normal(entry) || !trial->after.row.folios[entry->folio].made ||
	    test_bit(entry->folio, space->cached))
		return;
	if (test_bit(i, trial->after.huge) && !entry->page)
		KUNIT_EXPECT_EQ_MSG(trial->test, deposited_entries(mm, addr), 0,
				    "%s leaves entries in the deposited page table",
				    trial->function);
	mmap_read_lock(mm);
	KUNIT_EXPECT_EQ_MSG(trial->test, space->folios[entry->folio]->index + entry->page,
			    linear_page_index(vma_lookup(mm, addr), addr),
			    "%s: index of the page of entry %u", trial->function, i);
	mmap_read_unlock(mm);
}

static void check(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	unsigned int i;

	for (i = 0; i < trial->after.row.nr; i++)
		expect_new_folio(trial, i);
	KUNIT_EXPECT_EQ_MSG(trial->test,
			    trial->secondary.events & ~BIT(MMU_NOTIFY_CLEAR), 0,
			    PTEBATCH_RULE_NOTIFIERS ": events that %s announces",
			    trial->function);
}

static void add(struct ptebatch_case *row, struct ptebatch_condition condition)
{
	unsigned int nr = 0;

	while (row->with[nr].type)
		nr++;
	row->with[nr] = condition;
}

/* A collapse takes the folio locks, and fails if a folio has extra references. */
static void check_row(struct kunit *test, const struct ptebatch_case *drawn)
{
	struct ptebatch_case row = *drawn;

	if (ptebatch_op_missing(&ptebatch_collapse))
		kunit_skip(test, "%s", ptebatch_op_missing(&ptebatch_collapse));
	if (PMD_SIZE > SZ_64M)
		kunit_skip(test, "requires folios larger than 64 MiB, too much memory for a guest");
	row.op = row.op ?: &ptebatch_collapse;
	row.setup.folios |= ON_LRU;
	row.filled = true;
	row.check = check;
	/* The number of page tables in which khugepaged collapses folios. */
	if (row.op == &ptebatch_khugepaged && row.after)
		row.ret = row.ret ?: 1;
	/* The entries of a child do not change. */
	if (row.setup.twice && row.setup.mapping == PTEBATCH_ANON)
		row.second = PTEBATCH_UNCHANGED;
	/* Each way to fail late; a PMD-sized folio of a file is not copied. */
	if (row.op == &ptebatch_collapse && !row.after && row.with[0].function &&
	    row.setup.mapping == PTEBATCH_ANON)
		add(&row, (struct ptebatch_condition)NEW_FOLIO_FREED_OF(ALLOC));
	if (row.setup.folios & WITH_SWAP)
		add(&row, (struct ptebatch_condition)UNLOCKED);
	add(&row, (struct ptebatch_condition){ &same_counters });
	ptebatch_case_run(test, &row);
}

static const struct ptebatch_case rows[] = {
	/* Folio sizes, and attributes of entries and pages. */
	{ "page table of small folios: collapsed",
	  { "Wdyx*T", .prot = RW }, "~[Wdyx]" },
	{ "page table of 64K folios: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "page table of 64K folios, executable, protection key 3: PMD gets both",
	  { "{Rdyx*16}*T/16", .prot = PROT_READ | PROT_EXEC, .pkey = 3 },
	  "~[Rdyx]" },
	{ "page table of 64K folios, memory tags: collapsed with the tags of each page",
	  { "{Wdyx*16}*T/16", .prot = RW | PTEBATCH_PROT_MTE }, "~[Wdyx]" },
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
	  { "{Wdyx*16}*T/16", .prot = RW, .vma = VM_LOCKED }, "~[Wdyx]" },

	/* Where batches end. */
	{ "64K folios with holes: collapsed, holes filled",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "holes between folios: collapsed, holes filled",
	  { "-*8 {Wdyx*T/2} -*T/4 {Wdyx*T/8} Wdyx*T/8-8", .prot = RW },
	  "~[Wdyx]" },
	{ "zero page in and between folios: collapsed, filled with zeroes",
	  { "Rzy*8 {Wdyx*T/2} Rz*T/4 {Wdyx*8 Rzy*8} Wdyx*T/4-24",
	    .prot = RW }, "~[Wdyx]" },
	{ "zero pages of KSM in and between folios: collapsed, filled with zeroes",
	  { "Rdzy*8 {Wdyx*T/2} Rzy*T/4 {Wdyx*8 Rdzy*8} Wdyx*T/4-24", .prot = RW },
	  "~[Wdyx]" },
	{ "huge zero page, then a page table: page table collapsed",
	  { "[Rzy] {Wdyx*16}*T/16", .prot = RW },
	  "[Rzy] ~[Wdyx]" },
	{ "KSM pages between exclusive pages: collapsed",
	  { "Wdyx*8 Rdyk*T/2 Wdyx*T/2-8", .prot = RW }, "~[Wdyx]" },
	{ "VM_MIXEDMAP: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW, .vma = VM_MIXEDMAP }, .ret = -EINVAL },
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
	  { "{Wdyx*16}*T/16 -*T", .prot = RW }, "~[Wdyx] -*T", .ret = -EINVAL },

	/* Swap. */
	{ "64K folios in the swap cache: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .folios = WITH_SWAP }, "~[Wdyx]" },
	{ "small folios, half of the entries swap entries: collapsed",
	  { "Wdyx*T/2 {Sx}*T/4 {S}*T/4", .prot = RW, .folios = WITH_SWAP },
	  "~[Wdyx]" },
	{ "64K folios, 12 of 16 entries swap entries: collapsed",
	  { "{Wdyx*4 Sx*12}*T/16", .prot = RW, .folios = WITH_SWAP }, "~[Wdyx]" },
	{ "64K folios, all entries swap entries: collapsed",
	  { "{Sx*16}*T/16", .prot = RW, .folios = WITH_SWAP }, "~[Wdyx]" },

	/* No collapse. */
	{ "PMD-mapped folio: unchanged", { "[Wdyx]", .prot = RW } },
	{ "range smaller than a page table: unchanged",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*16}*T/16-1 |", .prot = RW } },
	{ "no page table: -EINVAL", { "-*T", .prot = RW }, .ret = -EINVAL },
	{ "uffd-wp on half of the entries: -EINVAL",
	  { "{Wdyx*8 Rdyux*8}*T/16", .prot = RW, .uffd = UFFD_WP },
	  .ret = -EINVAL },
	{ "uffd-wp on the last entry: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 Rdyux}", .prot = RW, .uffd = UFFD_WP },
	  .ret = -EINVAL },
	{ "userfaultfd registered, no uffd-wp entry, no hole: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd = UFFD_WP }, "~[Wdyx]" },
	{ "userfaultfd registered, one hole: -EBUSY",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 -}", .prot = RW, .uffd = UFFD_WP },
	  .ret = -EBUSY },
	{ "poison marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 P", .prot = RW }, .ret = -EINVAL },
	{ "guard marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 G", .prot = RW }, .ret = -EINVAL },
	{ "folios not on the LRU lists: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  .with = { OFF_LRU(0) } },
	{ "extra reference to the last 64K folio: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  .with = { REFERENCED(LAST_FOLIO) } },
	{ "extra reference to the last small folio: -EAGAIN",
	  { "{Wdyx*16}*T/16-1 Wdyx*16", .prot = RW }, .ret = -EAGAIN,
	  .with = { REFERENCED(LAST_FOLIO) } },
	{ "last 64K folio referenced during the TLB flush: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  .with = { REFERENCED_AT_FLUSH } },
	{ "last small folio referenced during the TLB flush: -EAGAIN",
	  { "-*8 {Wdyx*8} {Wdyx*16}*T/16-2 Wdyx*16", .prot = RW }, .ret = -EAGAIN,
	  .with = { REFERENCED_AT_FLUSH } },
	{ "last folio locked: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  .with = { LOCKED(LAST_FOLIO) } },

	/* Another thread changes folios, entries or the VMA after the scan. */
	{ "last folio locked after the scan: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  MEANWHILE(LOCKED_AT(RANGE_START, 0, LAST_FOLIO)) },
	{ "last folio taken off its LRU list after the scan: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EAGAIN,
	  MEANWHILE(OFF_LRU_AT(RANGE_START, 0, LAST_FOLIO)) },
	{ "first page uffd-wp after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd = UFFD_WP },
	  .with = { PTES_AT_START("{Rdyux Wdyx*15} {Wdyx*16}*T/16-1") },
	  .ret = -EINVAL },
	/* A part of an order-1 folio is unmapped without a lock that a kprobe must not take. */
	{ "userfaultfd registered, first page unmapped after the scan: -EBUSY",
	  { "{Wdyx*2} Wdyx*14 {Wdyx*16}*T/16-1", .prot = RW, .uffd = UFFD_WP },
	  "{- Wdyx} Wdyx*14 {Wdyx*16}*T/16-1", .ret = -EBUSY,
	  .with = { PTES_AT_START("{- Wdyx} Wdyx*14 {Wdyx*16}*T/16-1") } },
	{ "zero page replaced by a poison marker after the scan: -EINVAL",
	  { "Rzy*16 {Wdyx*16}*T/16-1", .prot = RW },
	  .with = { PTES_AT_START("Rzy*15 P {Wdyx*16}*T/16-1") }, .ret = -EINVAL },
	{ "page table gone after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EINVAL,
	  MEANWHILE(TABLE_GONE_AT(ALLOC, 0)) },
	{ "page table gone before the mmap_lock is taken for writing: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EINVAL,
	  MEANWHILE(TABLE_GONE_AT("down_write", 0)) },
	{ "page table gone before its lock: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EINVAL,
	  .with = { LOST_AT("pte_offset_map_lock", 1) } },
	{ "VM_NOHUGEPAGE after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EINVAL,
	  MEANWHILE(VMA_FLAGS_AT(ALLOC, 0, VM_NOHUGEPAGE)) },
	{ "VM_NOHUGEPAGE after the scan, swap entries: -EINVAL, not swapped in",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .folios = WITH_SWAP }, .ret = -EINVAL,
	  MEANWHILE(VMA_FLAGS_AT(ALLOC, 0, VM_NOHUGEPAGE)) },
	{ "page table gone after the scan, swap entries: -EINVAL, not swapped in",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .folios = WITH_SWAP }, .ret = -EINVAL,
	  MEANWHILE(TABLE_GONE_AT(ALLOC, 0)) },
	{ "VM_NOHUGEPAGE before the mmap_lock is taken for writing: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .ret = -EINVAL,
	  MEANWHILE(VMA_FLAGS_AT("down_write", 0, VM_NOHUGEPAGE)) },

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
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]",
	  .with = { REFERENCED(LAST_FOLIO) } },
	{ "PTE-mapped 2M shmem folio with a second mapping: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .twice = true }, "[Wy]" },
	{ "PMD-mapped shmem folio: unchanged", { "[Wdy]", PTEBATCH_SHMEM, RW } },
	{ "2M shmem folio, not mapped, no page table: PMD-mapped",
	  { "{-*T}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, then one without a page table: PMD-mapped",
	  { "{Wdy*T} {-*T}", PTEBATCH_SHMEM, RW }, "[Wy] [Wy]" },
	{ "PTE-mapped 2M shmem folio, the VMA ends behind it: PMD-mapped",
	  { "| {Wdy*T} | ; {Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy] ; {Wdy*T}" },
	{ "shmem registered for uffd-wp: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, .ret = -EINVAL },
	{ "shmem registered for uffd-wp, 2M folio, 64K folios: -EINVAL, second copied",
	  { "{Wdy*T} {Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "{Wdy*T} -*T", .ret = -EINVAL },
	{ "shmem registered for uffd-wp, PMD-mapped: unchanged",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP } },
	{ "PTE-mapped 2M shmem folio, zero page at entry T/2: -EINVAL",
	  { "{Wdy*5 - Wdy*T/2-6 Rzy Wdy*T/2-1}", PTEBATCH_SHMEM, RW },
	  .ret = -EINVAL },
	{ "PTE-mapped 2M shmem folio, zero page at the last entry: -EINVAL",
	  { "{Wdy*T-1 Rzy}", PTEBATCH_SHMEM, RW }, .ret = -EINVAL },
	{ "PTE-mapped 2M shmem folios, poison marker in the first: -EINVAL, second PMD-mapped",
	  { "{Wdy*5 - Wdy*T/2-6 P Wdy*T/2-1} {Wdy*T}", PTEBATCH_SHMEM, RW },
	  "{Wdy*5 - Wdy*T/2-6 P Wdy*T/2-1} [Wy]", .ret = -EINVAL },

	/* Another thread changes the page table before it is locked again. */
	{ "PTE-mapped 2M shmem folio, entry T/2 unmapped meanwhile: -EINVAL, half cleared",
	  { "{-*5 Wdy*T-5}", PTEBATCH_SHMEM, RW }, "{-*T/2 Rzy Wdy*T/2-1}",
	  .ret = -EINVAL,
	  MEANWHILE(PTES_AT_START("{-*5 Wdy*T/2-5 Rzy Wdy*T/2-1}")) },
	{ "2M shmem folio, one page mapped, and unmapped meanwhile: PMD-mapped",
	  { "{-*T/2 Wdy -*T/2-1}", PTEBATCH_SHMEM, RW }, "[Wy]",
	  MEANWHILE(PTES_AT_START("{-*T}")) },
	{ "PTE-mapped 2M shmem folios, poison marker meanwhile: -EINVAL, second PMD-mapped",
	  { "{Wdy*T} {Wdy*T}", PTEBATCH_SHMEM, RW }, "{-*T/2 P Wdy*T/2-1} [Wy]",
	  .ret = -EINVAL,
	  MEANWHILE(PTES_AT_START("{Wdy*T/2 P Wdy*T/2-1} {Wdy*T}")) },
	{ "PTE-mapped 2M shmem folio, page table gone at the MMU notifier: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .ret = -EINVAL,
	  MEANWHILE(TABLE_GONE_AT(RANGE_START, 0)) },
	{ "PTE-mapped 2M shmem folio, page table gone before the lock: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .ret = -EINVAL,
	  MEANWHILE(TABLE_GONE_AT("pte_offset_map_lock", 0)) },
	{ "PTE-mapped 2M shmem folio, VM_NOHUGEPAGE after the scan of the file: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .ret = -EINVAL,
	  MEANWHILE(VMA_FLAGS_AT("mm_find_pmd", 0, VM_NOHUGEPAGE)) },
	{ "PTE-mapped 2M shmem folio, VMA gone after the scan of the file: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .ret = -EINVAL,
	  MEANWHILE(LOST_AT("mtree_load", 1)) },
	{ "PTE-mapped 2M shmem folios, the first no longer in the file: -EINVAL, second PMD-mapped",
	  { "{Wdy*T} {Wdy*T}", PTEBATCH_SHMEM, RW }, "{Wdy*T} [Wy]", .ret = -EINVAL,
	  MEANWHILE(LOST_AT("__filemap_get_folio_mpol", 0)) },
	{ "PTE-mapped 2M shmem folio, page table not there at first: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]",
	  MEANWHILE(TABLE_APPEARS_AT("mm_find_pmd", 1)) },

	/* Guard pages, and userfaultfd, change page tables without the folio lock. */
	{ "PTE-mapped 2M shmem folio: PMD locked before entries are cleared",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]",
	  MEANWHILE(PMD_LOCKED_AT(SECOND_LOOKUP, 0)) },
	{ "collapse_pte_mapped_thp(), 2M shmem folio: PMD locked before entries are cleared",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "-*T", .op = &remove_op,
	  MEANWHILE(PMD_LOCKED_AT(SECOND_LOOKUP, 0)) },
	{ "PTE-mapped 2M shmem folio, private, userfaultfd: PMD locked, too",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]",
	  MEANWHILE(PRIVATE, ARMED, PMD_LOCKED_AT(SECOND_LOOKUP, 0)) },
	{ "PTE-mapped 2M shmem folio, private, userfaultfd, entry T/2 unmapped: -EINVAL",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "{-*T/2 Rzy Ry*T/2-1}", .ret = -EINVAL,
	  MEANWHILE(PRIVATE, ARMED, PTES_AT_START("{Ry*T/2 Rzy Ry*T/2-1}")) },
	{ "collapse_pte_mapped_thp(), 2M shmem folio: page table removed",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "-*T", .op = &remove_op },
	{ "collapse_pte_mapped_thp(), 2M shmem folio with holes: page table removed",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "-*T",
	  .op = &remove_op },
	{ "collapse_pte_mapped_thp(), the VMA ends behind the folio: page table removed",
	  { "| {Wdy*T} | ; -*8", PTEBATCH_SHMEM, RW }, "-*T ; -*8",
	  .op = &remove_op },
	{ "collapse_pte_mapped_thp(), 64K shmem folios: unchanged",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .op = &remove_op },
	{ "collapse_pte_mapped_thp(), one 64K shmem folio: unchanged",
	  { "{Wdy*16} -*T-16", PTEBATCH_SHMEM, RW }, .op = &remove_op },
	{ "collapse_pte_mapped_thp(), no folio at the start of the page table: unchanged",
	  { "-*T/2 {Wdy*16} -*T/2-16", PTEBATCH_SHMEM, RW }, .op = &remove_op },
	{ "collapse_pte_mapped_thp(), anonymous 2M folio: unchanged",
	  { "{Wdyx*T}", .prot = RW }, .op = &remove_op },
	{ "collapse_pte_mapped_thp(), no VMA at the address: unchanged",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .op = &remove_op, .arg = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio in two VMAs: unchanged",
	  { "{Wdy*T/2 ; Wdy*T/2}", PTEBATCH_SHMEM, RW }, .op = &remove_op },
	{ "collapse_pte_mapped_thp(), 2M shmem folio, VM_MIXEDMAP: unchanged",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .vma = VM_MIXEDMAP }, .op = &remove_op },
	{ "file collapsed in another mm, first page poisoned: page table stays",
	  { "P -*T-1", PTEBATCH_SHMEM, RW }, .op = &ptebatch_collapse_elsewhere },
	{ "file collapsed in another mm, last page poisoned: page table stays",
	  { "-*T-1 P", PTEBATCH_SHMEM, RW }, .op = &ptebatch_collapse_elsewhere },
	{ "file collapsed in another mm, guard page: page table stays",
	  { "-*T/2 G -*T/2-1", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD },
	  .op = &ptebatch_collapse_elsewhere },
	{ "64K shmem folios: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "small shmem folios: collapsed",
	  { "Wdy*T", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios with holes: collapsed",
	  { "{Wdy*5 -*3 Wdy*8}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios, second half of the page table empty: collapsed",
	  { "{Wdy*16}*T/32 -*T/2", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios, a quarter of them on node 1: collapsed on node 0",
	  { "0{Wdy*16}*T/32 1{Wdy*16}*T/64 0{Wdy*16}*T/64", PTEBATCH_SHMEM, RW },
	  "~0[Wy]" },
	{ "64K shmem folios with a second mapping: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .twice = true }, "~[Wy]" },
	{ "64K shmem folios, extra reference to the last one: -EAGAIN",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .ret = -EAGAIN,
	  .with = { REFERENCED(LAST_FOLIO) } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void collapse_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/*
 * khugepaged: each page table of an anonymous VMA is divided into ranges of the
 * highest order first. A range is collapsed if it has few holes, and otherwise its
 * halves are tried. With holes allowed, one present entry suffices; without holes
 * (FULL), only ranges without empty entries are collapsed.
 */
static const struct ptebatch_case daemon_rows[] = {
	/* Folio sizes, and attributes of entries and pages. */
	{ "16 small folios, order 4: 64K folio",
	  { "Wdyx*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "page table of 8K folios, order 4: 64K folios",
	  { "{Wdyx*2}*T/2", .prot = RW }, "~{Wdyx*16}*T/16", FULL(BIT(4)) },
	{ "small, 8K, 16K and 32K folios, order 4: 64K folio",
	  { "Wdyx*2 {Wdyx*8} {Wdyx*4} {Wdyx*2} -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "16K folios, writable, read-only, shared, clean, old and PROT_NONE pages: 64K folio",
	  { "{Wdyx*2 Rdyx*2} {Rdy*3 Wyx} {Wx Rx Ndyx*2} {Wdx*4} -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "read-only VMA, 16K folios: 64K folio, dirty, read-only",
	  { "{Rdyx*4}*4 -*T-16", .prot = RO }, "~{Rdyx*16} -*T-16", FULL(BIT(4)) },
	{ "read-only VMA, soft-dirty 16K folios: 64K folio, soft-dirty",
	  { "{Rdysx*4}*4 -*T-16", .prot = RO, .track = true }, "~{Rdysx*16} -*T-16",
	  FULL(BIT(4)) },
	{ "16K folios, executable, protection key 3: 64K folio with both",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW | PROT_EXEC, .pkey = 3 },
	  "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "16K folios, memory tags: 64K folio with the tags of each page",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW | PTEBATCH_PROT_MTE },
	  "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "16K folios, one page soft-dirty: 64K folio, soft-dirty",
	  { "{Wdyx*4}*3 {Wdyx*3 Wdysx} -*T-16", .prot = RW, .track = true },
	  "~{Wdysx*16} -*T-16", FULL(BIT(4)) },
	{ "mlocked 16K folios: 64K folio",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW, .vma = VM_LOCKED }, "~{Wdyx*16} -*T-16",
	  FULL(BIT(4)) },
	{ "KSM pages between small folios: 64K folio",
	  { "Wdyx*4 Rdyk*8 Wdyx*4 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  FULL(BIT(4)) },
	{ "16K folios, three of four on node 1: 64K folio on node 1",
	  { "0{Wdyx*4} 1{Wdyx*4}*3 -*T-16", .prot = RW }, "~1{Wdyx*16} -*T-16",
	  FULL(BIT(4)) },
	{ "16K folios in the swap cache: 64K folio",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW, .folios = WITH_SWAP }, "~{Wdyx*16} -*T-16",
	  FULL(BIT(4)) },

	/* Holes. */
	{ "one small folio between holes, order 4: 64K folio, rest zeroes",
	  { "-*5 Wdyx -*T-6", .prot = RW }, "~{Wdyx*16} -*T-16", ORDERS(BIT(4)) },
	{ "16K folios with holes, order 4: 64K folios",
	  { "{Wdyx -*2 Wdyx}*8 -*T-32", .prot = RW }, "~{Wdyx*16}*2 -*T-32",
	  ORDERS(BIT(4)) },
	{ "zero page in and between folios: 64K folio, filled with zeroes",
	  { "Rzy*3 {Wdyx*2 Rzy Wdyx} Rdzy*5 Wdyx*4 -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", ORDERS(BIT(4)) },
	{ "64K of the zero page only: unchanged, next 64K collapsed",
	  { "Rzy*16 Rzy*15 Wdyx -*T-32", .prot = RW }, "Rzy*16 ~{Wdyx*16} -*T-32",
	  ORDERS(BIT(4)) },
	{ "max_ptes_none=0, one hole: unchanged",
	  { "Wdyx*15 -*T-15", .prot = RW }, FULL(BIT(4)) },
	{ "max_ptes_none=0, zero page: unchanged",
	  { "Wdyx*15 Rzy -*T-16", .prot = RW }, FULL(BIT(4)) },
	{ "max_ptes_none=5, one hole: as 0, unchanged",
	  { "Wdyx*15 -*T-15", .prot = RW }, ORDERS(BIT(4), MAX_PTES_NONE(5)) },
	{ "userfaultfd registered: 64K without holes collapsed, with a hole unchanged",
	  { "{Wdyx*8} Wdyx*8 {Wdyx*8} Wdyx*7 -*T-31", .prot = RW, .uffd = UFFD_WP },
	  "~{Wdyx*16} {Wdyx*8} Wdyx*7 -*T-31", ORDERS(BIT(4)) },

	/* Where batches end, and neighbours. */
	{ "64K in the middle of a page table: neighbours in the table unchanged",
	  { "Wdyx*15 - | {Wdyx*4}*4 | - Rdx*3 Rzy*4 Ndyx*8 {.*5 Rdyx*11} -*T-59",
	    .prot = RW },
	  "Wdyx*15 - ~{Wdyx*16} - Rdx*3 Rzy*4 Ndyx*8 {.*5 Rdyx*11} -*T-59",
	  FULL(BIT(4)) },
	{ "last 64K of a page table: collapsed, neighbours unchanged",
	  { "-*T-32 Wdyx*15 - | {Wdyx*4}*4 |", .prot = RW },
	  "-*T-32 Wdyx*15 - ~{Wdyx*16}", FULL(BIT(4)) },
	{ "16K folio across the end of 32K: 8K of it stay",
	  { "| Wdyx*6 {Wdyx*2 | Wdyx*2} Wdyx*5 -*T-15", .prot = RW },
	  "~{Wdyx*8} {.*2 Wdyx*2} Wdyx*5 -*T-15", FULL(BIT(3)) },
	{ "16K folio across the beginning of 32K: 8K of it stay",
	  { "Wdyx*5 - {Wdyx*2 | Wdyx*2} Wdyx*6 | -*T-16", .prot = RW },
	  "Wdyx*5 - {Wdyx*2 .*2} ~{Wdyx*8} -*T-16", FULL(BIT(3)) },
	{ "16K folio across the middle of 64K: two 32K folios",
	  { "Wdyx*6 {Wdyx*4} Wdyx*6 -*T-16", .prot = RW }, "~{Wdyx*8}*2 -*T-16",
	  FULL(BIT(3)) },
	{ "two page tables, 32K folio across both: 64K folio in each",
	  { "@-16 Wdyx*12 {Wdyx*8} Wdyx*12 -*T-16", .prot = RW },
	  "@-16 ~{Wdyx*16}*2 -*T-16", FULL(BIT(4)), .ret = 2 },
	{ "two VMAs in a page table: unchanged",
	  { "Wdyx*T/2 ; Wdyx*16 -*T/2-16", .prot = RW }, FULL(BIT(4)) },
	{ "VM_MIXEDMAP: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW, .vma = VM_MIXEDMAP }, FULL(BIT(4)) },

	/* Folios of the order or above, and several orders. */
	{ "64K and 128K folios, order 4: unchanged, 16 small folios collapsed",
	  { "{Wdyx*16} Wdyx*16 {Wdyx*32} {.*16 Wdyx*16} -*T-80", .prot = RW },
	  "{Wdyx*16} ~{Wdyx*16} {Wdyx*32} {.*16 Wdyx*16} -*T-80", FULL(BIT(4)) },
	/* Below the order of a PMD. */
	{ "64K folios, orders 4 and 5: 128K folio",
	  { "{Wdyx*16}*2 -*32 -*T-64", .prot = RW }, "~{Wdyx*32} -*32 -*T-64",
	  FULL(BIT(4) | BIT(5)) },
	{ "128K folio, orders 2 and 5: unchanged, 32 small folios collapsed",
	  { "{Wdyx*32} Wdyx*32 -*T-64", .prot = RW }, "{Wdyx*32} ~{Wdyx*32} -*T-64",
	  FULL(BIT(2) | BIT(5)) },
	{ "small folios and one hole, orders 3 and 4: folios of 32K and 64K",
	  { "Wdyx*8 - Wdyx*23 -*T-32", .prot = RW },
	  "~{Wdyx*8} - Wdyx*7 ~{Wdyx*16} -*T-32", FULL(BIT(3) | BIT(4)) },
	{ "small folios and one hole, orders 2 and 9: no PMD, 16K folios",
	  { "Wdyx*T-1 -", .prot = RW }, "~{Wdyx*4}*T/4-1 Wdyx*3 -",
	  FULL(BIT(2) | BIT(PMD_ORDER)) },
	{ "16 small folios and holes, orders 4 and 9: PMD",
	  { "Wdyx*16 -*T-16", .prot = RW }, "~[Wdyx]",
	  ORDERS(BIT(4) | BIT(PMD_ORDER)) },
	{ "no folio of order 4, orders 2 and 4: 16K folios",
	  { "{Wdyx*8} Wdyx*8 Wdyx*16 -*T-32", .prot = RW },
	  "{Wdyx*8} ~{Wdyx*4}*6 -*T-32",
	  FULL(BIT(2) | BIT(4), NO_FOLIO_OF_ORDER(4)) },
	{ "no folio of order 4: unchanged",
	  { "{Wdyx*8} Wdyx*8 -*T-16", .prot = RW },
	  FULL(BIT(4), NO_FOLIO_OF_ORDER(4)) },

	/* Entries and pages that are not collapsed. */
	{ "swap entries, orders 2 and 4: 64K and 16K folios without them",
	  { "Wdyx*T/2 Wdyx*12 {Sx*4} -*T/2-16", .prot = RW, .folios = WITH_SWAP },
	  "~{Wdyx*16}*T/32 ~{Wdyx*4}*3 {Sx*4} -*T/2-16", ORDERS(BIT(2) | BIT(4)) },
	{ "guard and poison marker, orders 3 and 4: folios without them",
	  { "Wdyx*T/2 Wdyx*7 G Wdyx*8 Wdyx*8 P -*T/2-25", .prot = RW, .vma = VM_MAYBE_GUARD },
	  "~{Wdyx*16}*T/32 Wdyx*7 G ~{Wdyx*8}*2 P -*T/2-25",
	  ORDERS(BIT(3) | BIT(4)) },
	{ "one uffd-wp entry: unchanged",
	  { "Wdyx*16 Rdyux -*T-17", .prot = RW, .uffd = UFFD_WP }, FULL(BIT(4)) },
	{ "one swap entry with uffd-wp: unchanged",
	  { "Wdyx*T/2 {Sx Sux} -*T/2-2", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP },
	  FULL(BIT(4)) },
	{ "pages shared with a child: unchanged",
	  { "{Wdyx*4}*2 Wdyx*8 -*T-16", .prot = RW, .twice = true }, FULL(BIT(4)) },
	{ "first 64K shared by two processes, the next not: only the next collapsed",
	  { "Wdyx*32 -*T-32", .prot = RW, .twice = true }, "Rdy*16 ~{Wdyx*16} -*T-32",
	  FULL(BIT(4), CHILD_LACKS(16, 16)) },
	{ "small folios: anon_vma locked until the entries map the 64K folio",
	  { "Wdyx*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  FULL(BIT(4), ANON_VMA_LOCKED_AT("folio_add_new_anon_rmap", 0)) },
	{ "no young page: unchanged",
	  { "Wdx*16 -*T-16", .prot = RW }, FULL(BIT(4)) },
	{ "no young page, one accessed by a secondary MMU: 64K folio",
	  { "Wdx*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  FULL(BIT(4), SECONDARY_YOUNG(5)) },
	{ "one young page: its 64K collapsed",
	  { "Wdx*16 Wdx*15 Wdyx -*T-32", .prot = RW }, "Wdx*16 ~{Wdyx*16} -*T-32",
	  FULL(BIT(4)) },
	{ "lazyfree, clean: unchanged",
	  { "Wdyxl*15 Wyxl -*T-16", .prot = RW }, FULL(BIT(4)) },
	{ "lazyfree, one page clean after the scan: unchanged, next 64K collapsed",
	  { "Wdyxl*16 Wdyx*16 -*T-32", .prot = RW },
	  "Wdyxl*15 Wyxl ~{Wdyx*16} -*T-32",
	  FULL(BIT(4), PTES_AT_START("Wdyxl*15 Wyxl Wdyx*16 -*T-32")) },
	{ "one page uffd-wp after the scan: unchanged, next 64K collapsed",
	  { "Wdyx*32 -*T-32", .prot = RW, .uffd = UFFD_WP },
	  "Wdyx*15 Rdyux ~{Wdyx*16} -*T-32",
	  FULL(BIT(4), PTES_AT_START("Wdyx*15 Rdyux Wdyx*16 -*T-32")) },
	{ "zero page replaced by a poison marker after the scan: next 64K collapsed",
	  { "Wdyx*15 Rzy Wdyx*16 -*T-32", .prot = RW },
	  "Wdyx*15 P ~{Wdyx*16} -*T-32",
	  ORDERS(BIT(4), PTES_AT_START("Wdyx*15 P Wdyx*16 -*T-32")) },
	{ "lazyfree, dirty again: 64K folio, not lazyfree",
	  { "Wdyxl*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16", FULL(BIT(4)) },
	{ "lazyfree in a droppable VMA: 64K folio, lazyfree",
	  { "Wdyxl*15 Wyxl -*T-16", .prot = RW, .vma = VM_DROPPABLE },
	  "~{Wdyxl*16} -*T-16", FULL(BIT(4)) },
	{ "folios not on the LRU lists: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW }, FULL(BIT(4), OFF_LRU(0)) },
	{ "last folio locked: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW }, FULL(BIT(4), LOCKED(LAST_FOLIO)) },
	{ "extra reference to the last folio: unchanged",
	  { "Wdyx*16 Wdyx -*T-17", .prot = RW },
	  FULL(BIT(4), REFERENCED(LAST_FOLIO)) },
	{ "last small folio referenced during the TLB flush: its 64K unchanged",
	  { "Wdyx*16 Rdy Wx Rzy {Wdyx*8} Wdyx*5 -*T-32", .prot = RW },
	  "~{Wdyx*16} Rdy Wx Rzy {Wdyx*8} Wdyx*5 -*T-32",
	  ORDERS(BIT(4), REFERENCED_AT_FLUSH) },
	/* Not with small folios: the per-CPU LRU batch holds a reference. */
	{ "last 8K folio referenced during the TLB flush: 16K folios without it",
	  { "Wdyx*16 {Wdyx*2}*8 -*T-32", .prot = RW },
	  "~{Wdyx*16} ~{Wdyx*4}*3 {Wdyx*2}*2 -*T-32",
	  FULL(BIT(2) | BIT(4), REFERENCED_AT_FLUSH) },
	{ "last 32K folio referenced during the TLB flush: its 64K unchanged",
	  { "{Wdyx*8}*2 {Rdyx*8} {Wdyx*8} -*T-32", .prot = RW },
	  "~{Wdyx*16} {Rdyx*8} {Wdyx*8} -*T-32",
	  FULL(BIT(4), REFERENCED_AT_FLUSH) },
	{ "machine check in the second 64K: first one collapsed, second unchanged",
	  { "Wdyx*16 {Wdyx*8} Rdy Wx Wdyx*5 Wdyxh -*T-32", .prot = RW },
	  "~{Wdyx*16} {Wdyx*8} Rdy Wx Wdyx*5 Wdyxh -*T-32",
	  FULL(BIT(2) | BIT(4), MACHINE_CHECK) },

	/* PMD order: the limits of khugepaged, which MADV_COLLAPSE does not have. */
	{ "order 9, holes up to max_ptes_none: PMD",
	  { "Wdyx*T/2 -*T/2", .prot = RW }, "~[Wdyx]",
	  ORDERS(BIT(PMD_ORDER), MAX_PTES_NONE(T / 2)) },
	{ "order 9, one hole more than max_ptes_none: unchanged",
	  { "Wdyx*T/2 -*T/2", .prot = RW },
	  ORDERS(BIT(PMD_ORDER), MAX_PTES_NONE(T / 2 - 1)) },
	{ "order 9, swap entries up to max_ptes_swap: PMD",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .folios = WITH_SWAP }, "~[Wdyx]",
	  FULL(BIT(PMD_ORDER), MAX_PTES_SWAP(16)) },
	{ "order 9, one swap entry more than max_ptes_swap: unchanged",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .folios = WITH_SWAP },
	  FULL(BIT(PMD_ORDER), MAX_PTES_SWAP(15)) },
	{ "order 9, swap entry, half of the pages young: PMD",
	  { "Wdx*T/2-2 Wdyx*T/2 {Sx*2}", .prot = RW, .folios = WITH_SWAP }, "~[Wdyx]",
	  FULL(BIT(PMD_ORDER), MAX_PTES_SWAP(16)) },
	{ "order 9, swap entry, fewer than half of the pages young: unchanged",
	  { "Wdx*T/2-1 Wdyx*T/2-1 {Sx*2}", .prot = RW, .folios = WITH_SWAP },
	  FULL(BIT(PMD_ORDER), MAX_PTES_SWAP(16)) },
	{ "order 9, shared pages up to max_ptes_shared: PMD in the parent",
	  { "{Wdyx*16} -*T-16", .prot = RW, .twice = true }, "~[Wdyx]",
	  ORDERS(BIT(PMD_ORDER), MAX_PTES_SHARED(16)) },
	{ "order 9, one shared page more than max_ptes_shared: unchanged",
	  { "{Wdyx*16} -*T-16", .prot = RW, .twice = true },
	  ORDERS(BIT(PMD_ORDER), MAX_PTES_SHARED(15)) },
	{ "order 9, no young page: unchanged",
	  { "{Wdx*16}*T/16", .prot = RW }, FULL(BIT(PMD_ORDER)) },
	{ "order 9, machine check: unchanged",
	  { "{Wdyx*16} Rdy Wx Wdyx*T/2 Wdyxh Wdyx*T/2-19", .prot = RW },
	  FULL(BIT(PMD_ORDER), MACHINE_CHECK) },
};

KUNIT_ARRAY_PARAM_DESC(daemon_rows, daemon_rows, name);

static void khugepaged_row(struct kunit *test)
{
	collapse_row(test);
}

/* Page tables of anonymous folios of every order. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *first, *second, *after;
} kinds[] = {
	{ "folios, all pages exclusive: collapsed", { .prot = RW },
	  "Wdyx", .second = "Wdyx", .after = "~[Wdyx]" },
	{ "folios, half of each read-only and shared: collapsed", { .prot = RO },
	  "Rdy", .second = "Rdyx", .after = "~[Rdyx]" },
	{ "folios, half of each mapped: collapsed", { .prot = RW },
	  "Wdyx", .second = "-", .after = "~[Wdyx]" },
};

PTEBATCH_ORDER_PARAMS(collapse_order, kinds);

static void collapse_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;
	struct ptebatch_case row = { .setup = kind->setup, .after = kind->after };

	row.setup.picture =
		ptebatch_draw(test, "{%s*%u %s*%u}*T/%u", kind->first, nr - nr / 2,
			      kind->second, nr / 2, nr);
	check_row(test, &row);
}

/* A range of every order; khugepaged allocates folios of order 2 and more. */

static const struct range_kind {
	const char *name;
	const char *format;	/* one of the two halves of the range */
	struct ptebatch_condition limit;
} range_kinds[] = {
	{ "for khugepaged, range of small folios: collapsed from order 2 on",
	  "Wdyx*%u", NO_HOLES },
	{ "for khugepaged, range of two folios: collapsed from order 2 on",
	  "{Wdyx*%u}", NO_HOLES },
	{ "for khugepaged, holes and two pages: collapsed from order 2 on",
	  "-*%u Rdyx" },
};

PTEBATCH_ORDER_PARAMS(khugepaged_order, range_kinds);

/* The second range of the page table; of PMD order, the page table. */
static void khugepaged_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct range_kind *kind = param->kind;
	unsigned int nr = max(1U << param->order, 2U), before = nr < T ? nr : 0;
	unsigned int rest = T - before - nr;
	struct ptebatch_case row = {
		.setup.prot = RW, ORDERS(BIT(param->order), kind->limit),
	};
	const char *half;

	half = ptebatch_draw(test, kind->format,
			     nr / 2 - (kind->format[0] == '-'));
	row.setup.picture = ptebatch_draw(test, "-*%u | %s %s | -*%u", before, half,
					  half, rest);
	if (!before)
		row.after = "~[Wdyx]";
	else if (BIT(param->order) & THP_ORDERS_ALL_ANON)
		row.after = ptebatch_draw(test, "-*%u ~{Wdyx*%u} -*%u", before, nr, rest);
	check_row(test, &row);
}

static struct kunit_case khugepaged_cases[] = {
	KUNIT_CASE_PARAM(collapse_row, rows_gen_params),
	KUNIT_CASE_PARAM(khugepaged_row, daemon_rows_gen_params),
	PTEBATCH_CASE_PARAMS(collapse_order),
	PTEBATCH_CASE_PARAMS(khugepaged_order),
	{}
};

PTEBATCH_SUITE(khugepaged, khugepaged_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_KHUGEPAGED);
