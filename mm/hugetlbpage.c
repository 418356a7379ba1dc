// SPDX-License-Identifier: GPL-2.0
/*
 * A hugetlb page is mapped by a PMD, on arm64 and riscv (Svnapot) also by contiguous
 * PTEs, 16 for 64K, and on arm64 by 16 contiguous PMDs for 32M. arch/<arch>/mm/hugetlbpage.c
 * handles contiguous entries as one: reading and clearing gathers the accessed and dirty
 * bits of all, and a change first clears all and invalidates the TLB (break before make).
 *
 * Each function is applied to entries of which the hardware has set the accessed
 * and dirty bits of some, and the raw entries are checked. DAMON is the one caller
 * that does not know the beginning of the page: it samples any address.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/page_idle.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/syscalls.h>

#include "../lib/arch/arch.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/uffd.h"
#include "../lib/op/scan.h"
#include "../lib/record/secondary.h"
#include "../lib/row/rules.h"
#include "../lib/service/damon.h"
#include "../lib/service/proc.h"
#include "../lib/service/service.h"

#if defined(CONFIG_HUGETLB_PAGE) && defined(CONFIG_CONTIG_ALLOC)
#define RW	(PROT_READ | PROT_WRITE)

static const struct size {
	const char *name;
	unsigned long bytes;
	/* Bytes that an entry maps. */
	unsigned long step;
	unsigned int nr;
} sizes[] = {
#if PTEBATCH_HUGE_PTES > 1
	{ "contiguous PTEs", PTEBATCH_HUGE_PTES * PAGE_SIZE, PAGE_SIZE, .nr = PTEBATCH_HUGE_PTES },
#endif
	{ "one PMD", PMD_SIZE, PMD_SIZE, .nr = 1 },
#if PTEBATCH_HUGE_PMDS > 1
	{ "contiguous PMDs", PTEBATCH_HUGE_PMDS * PMD_SIZE, PMD_SIZE, .nr = PTEBATCH_HUGE_PMDS },
#endif
};

/* The largest of these sizes with pages of 4K. */
#define LARGEST	SZ_32M

#define MOST	MAX(PTEBATCH_HUGE_PTES, PTEBATCH_HUGE_PMDS)

static struct page *pages;

#define NO_ENTRY	-1
#define LAST		INT_MAX
#define EACH		(INT_MAX - 1)

/* Which entry the hardware has made young, and which dirty. */
static const struct state {
	const char *name;
	int young, dirty;
} states[] = {
	{ "old and clean", NO_ENTRY, NO_ENTRY },
	{ "first entry accessed", 0, NO_ENTRY },
	{ "last entry accessed", LAST, NO_ENTRY },
	{ "second entry accessed, last entry dirty", 1, LAST },
	{ "third entry dirty", NO_ENTRY, 2 },
	{ "first entry accessed and dirty", 0, 0 },
	{ "all entries accessed and dirty", EACH, EACH },
};

/**
 * struct huge - a hugetlb page without its folio: entries in a hugetlb VMA
 * @size: how it is mapped
 * @mm: an mm of its own
 * @vma: the VMA, of three pages of this size; the entries are those of the second
 * @addr: address that the first entry maps, in bytes
 * @ptep: pointer to the first entry
 * @base: first entry as set, old and clean
 * @given: entry that set_huge_pte_at() gets, if it sets another
 * @secondary: a secondary MMU of @mm
 * @unbroken: a TLB invalidation found a valid entry
 * @invalidated: the function invalidated all addresses
 * @returned: return value of the function
 */
struct huge {
	const struct size *size;
	struct mm_struct *mm;
	struct vm_area_struct *vma;
	unsigned long addr;
	pte_t *ptep;
	pte_t base;
	pte_t given;
	struct ptebatch_secondary secondary;
	bool unbroken;
	bool invalidated;
	pte_t returned;
};

static void get(struct huge *huge)
{
	huge->returned = huge_ptep_get(huge->mm, huge->addr, huge->ptep);
}

static void get_and_clear(struct huge *huge)
{
	huge->returned = huge_ptep_get_and_clear(huge->mm, huge->addr, huge->ptep,
						 huge->size->bytes);
}

static void clear_and_flush(struct huge *huge)
{
	huge->returned = huge_ptep_clear_flush(huge->vma, huge->addr, huge->ptep);
}

static void wrprotect(struct huge *huge)
{
	huge_ptep_set_wrprotect(huge->mm, huge->addr, huge->ptep);
}

static pte_t accessed(pte_t pte)
{
	return pte_mkyoung(pte_mkdirty(pte));
}

static void set_access_flags(struct huge *huge)
{
	huge->returned = __pte(huge_ptep_set_access_flags(huge->vma, huge->addr, huge->ptep,
							  accessed(huge->base), 1));
}

/* As by a fault that lost a race: the bits of all stay. */
static void set_no_access_flags(struct huge *huge)
{
	huge_ptep_set_access_flags(huge->vma, huge->addr, huge->ptep, huge->base, 0);
}

/* Of contiguous entries: a single one must not change while it is valid. */
static void set_over(struct huge *huge)
{
	if (huge->size->nr == 1)
		huge_ptep_get_and_clear(huge->mm, huge->addr, huge->ptep, huge->size->bytes);
	set_huge_pte_at(huge->mm, huge->addr, huge->ptep, accessed(huge->base),
			huge->size->bytes);
}

static void set_migration(struct huge *huge)
{
	swp_entry_t entry = make_readable_migration_entry(page_to_pfn(pages));

	huge_ptep_get_and_clear(huge->mm, huge->addr, huge->ptep, huge->size->bytes);
	huge->given = swp_entry_to_pte(entry);
	set_huge_pte_at(huge->mm, huge->addr, huge->ptep, huge->given, huge->size->bytes);
}

/* huge_pte_clear() leaves the page table check to its caller. */
static void clear_migration(struct huge *huge)
{
	set_migration(huge);
	huge_pte_clear(huge->mm, huge->addr, huge->ptep, huge->size->bytes);
}

static void get_and_clear_migration(struct huge *huge)
{
	set_migration(huge);
	get_and_clear(huge);
}

static void modify_prot(struct huge *huge)
{
	huge->returned = huge_ptep_modify_prot_start(huge->vma, huge->addr, huge->ptep);
	huge_ptep_modify_prot_commit(huge->vma, huge->addr, huge->ptep, huge->returned,
				     pte_wrprotect(huge->returned));
}

static pte_t unchanged(pte_t pte)
{
	return pte;
}

/* What the entries become. */
enum after { KEPT, GATHERED, ALL_BITS, CLEARED, MIGRATION };

/* Return value: none, the entry with the bits of all, @given, or whether any entry changed. */
enum returned { NOTHING, ENTRY, GIVEN, CHANGED };

static const struct op {
	const char *name;
	void (*call)(struct huge *huge);
	pte_t (*expected)(pte_t pte);
	enum after after;
	enum returned returned;
	/* Contiguous entries are broken before they are made. */
	bool breaks;
} ops[] = {
	{ "huge_ptep_get(): bits of all entries", get, unchanged, .after = KEPT,
	  .returned = ENTRY },
	{ "huge_ptep_get_and_clear(): bits of all entries", get_and_clear,
	  unchanged, .after = CLEARED, .returned = ENTRY },
	{ "huge_ptep_clear_flush(): bits of all entries", clear_and_flush,
	  unchanged, .after = CLEARED, .returned = ENTRY, .breaks = true },
	{ "huge_ptep_set_wrprotect(): all entries read-only", wrprotect,
	  pte_wrprotect, .after = GATHERED, .breaks = true },
	{ "huge_ptep_set_access_flags(): all entries young and dirty",
	  set_access_flags, unchanged, .after = ALL_BITS, .returned = CHANGED, .breaks = true },
	{ "huge_ptep_set_access_flags() of an old and clean entry: bits of all entries",
	  set_no_access_flags, unchanged, .after = GATHERED },
	{ "set_huge_pte_at() over present entries: all young and dirty", set_over,
	  unchanged, .after = ALL_BITS, .breaks = true },
	{ "set_huge_pte_at() of a migration entry: in all entries", set_migration,
	  unchanged, .after = MIGRATION },
	{ "huge_pte_clear(): all entries none", clear_migration, unchanged,
	  .after = CLEARED },
	{ "huge_ptep_get_and_clear() of a migration entry: all entries none",
	  get_and_clear_migration, unchanged, .after = CLEARED, .returned = GIVEN },
	{ "huge_ptep_modify_prot_start(), _commit(): all entries read-only",
	  modify_prot, pte_wrprotect, .after = GATHERED, .returned = ENTRY },
};

/* A case: a function and how the entries are mapped. */
struct param {
	const struct size *size;
	const struct op *op;
};

static struct param params[ARRAY_SIZE(sizes) * ARRAY_SIZE(ops)];

static void param_desc(struct param *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, %s", param->size->name, param->op->name);
}

KUNIT_ARRAY_PARAM(hugetlb, params, param_desc);

#define YOUNG	BIT(0)
#define DIRTY	BIT(1)

static unsigned int bits(pte_t pte)
{
	return (pte_young(pte) ? YOUNG : 0) | (pte_dirty(pte) ? DIRTY : 0);
}

/* An entry without accessed and dirty; pte_mkdirty() also sets soft-dirty. */
static unsigned long plain(pte_t pte)
{
	return pte_val(pte_mkold(pte_mkclean(pte_clear_soft_dirty(pte))));
}

/* A single PMD is each of the entries. */
static bool has(const struct huge *huge, int at, unsigned int i)
{
	if (at == EACH)
		return true;
	if (at == LAST)
		return i == huge->size->nr - 1;
	return at != NO_ENTRY && i == at % huge->size->nr;
}

static void mark(struct huge *huge, const struct state *state)
{
	unsigned int i;
	pte_t pte;

	for (i = 0; i < huge->size->nr; i++) {
		pte = ptebatch_raw_pte(huge->ptep + i);
		if (has(huge, state->young, i))
			pte = pte_mkyoung(pte);
		if (has(huge, state->dirty, i))
			pte = pte_mkdirty(pte);
		ptebatch_set_raw_pte(huge->ptep + i, pte);
	}
}

/* The TLB is invalidated while no entry is valid. */
static void look_for_valid(void *data, enum ptebatch_point point)
{
	struct huge *huge = data;
	unsigned int i;

	if (point != PTEBATCH_FLUSH)
		return;
	for (i = 0; i < huge->size->nr; i++)
		if (pte_present(ptebatch_raw_pte(huge->ptep + i)))
			huge->unbroken = true;
}

/* An entry for the neighbours, which no function may touch. */
static pte_t neighbour(void)
{
	return swp_entry_to_pte(make_pte_marker_entry(PTE_MARKER_POISONED));
}

/* Entries before and after a function, by their raw values. */
struct entries {
	pte_t before[MOST];
	pte_t after[MOST];
	pte_t in_front, behind;
	unsigned int all_bits;
	bool all_young_and_dirty;
};

static void expect_entry(struct kunit *test, const struct huge *huge, const struct op *op,
			 const struct entries *entries, unsigned int i)
{
	pte_t is = entries->after[i], expected = entries->before[i];
	unsigned int nr = huge->size->nr;

	if (op->after == GATHERED || op->after == ALL_BITS) {
		expected = huge->base;
		if (!PTEBATCH_HUGE_PTES_EQUAL)
			expected = pte_advance_pfn(expected, i * (huge->size->step / PAGE_SIZE));
		KUNIT_EXPECT_EQ_MSG(test, plain(is), plain(op->expected(expected)),
				    PTEBATCH_RULE_TWIN
				    ": entry %u of %u, accessed and dirty aside", i, nr);
		KUNIT_EXPECT_EQ_MSG(test, bits(is),
				    op->after == ALL_BITS ? YOUNG | DIRTY : entries->all_bits,
				    PTEBATCH_RULE_GATHERED
				    ": accessed (1) and dirty (2) of entry %u of %u", i, nr);
		return;
	}
	if (op->after == CLEARED)
		expected = __pte(0);
	if (op->after == MIGRATION)
		expected = huge->given;
	KUNIT_EXPECT_EQ_MSG(test, pte_val(is), pte_val(expected),
			    "%s, entry %u of %u", op->name, i, nr);
}

static void expect_returned(struct kunit *test, const struct huge *huge, const struct op *op,
			    const struct entries *entries)
{
	if (op->returned == ENTRY) {
		KUNIT_EXPECT_EQ_MSG(test, plain(huge->returned), plain(huge->base),
				    "%s returns another entry", op->name);
		KUNIT_EXPECT_EQ_MSG(test, bits(huge->returned), entries->all_bits,
				    PTEBATCH_RULE_GATHERED
				    ": accessed (1) and dirty (2) of the returned entry");
	}
	if (op->returned == GIVEN)
		KUNIT_EXPECT_EQ_MSG(test, pte_val(huge->returned), pte_val(huge->given),
				    "%s returns another entry", op->name);
	if (op->returned == CHANGED)
		KUNIT_EXPECT_EQ_MSG(test, pte_val(huge->returned),
				    PTEBATCH_ALWAYS_CHANGED || !entries->all_young_and_dirty,
				    "%s returns whether an entry changed", op->name);
}

static void expect_flush(struct kunit *test, const struct huge *huge, const struct op *op,
			 const struct entries *entries)
{
	KUNIT_EXPECT_FALSE_MSG(test, huge->unbroken,
			       "%s invalidates the TLB while an entry is valid", op->name);
	if (!op->breaks || huge->size->nr == 1 ||
	    (op->returned == CHANGED && entries->all_young_and_dirty))
		return;
	KUNIT_EXPECT_TRUE_MSG(test, huge->invalidated,
			      PTEBATCH_RULE_TLB ": %s does not invalidate all addresses", op->name);
}

static void destroy(void *data)
{
	struct huge *huge = data;

	ptebatch_secondary_end(&huge->secondary);
	if (huge->mm)
		mmput(huge->mm);
}

static void skip_without(struct kunit *test, const struct size *size)
{
	if (size->bytes > LARGEST)
		kunit_skip(test, "page is larger than 32 MiB, the limit of this suite");
	if (!size_to_hstate(size->bytes))
		kunit_skip(test, "this CPU has no hugetlb pages of %lu KiB", size->bytes / SZ_1K);
}

static struct huge *map(struct kunit *test, const struct size *size)
{
	unsigned long bytes = size->bytes;
	struct huge *huge;
	unsigned long at;

	skip_without(test, size);
	huge = kunit_kzalloc(test, sizeof(*huge), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, huge);
	huge->size = size;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, huge));
	huge->mm = ptebatch_mm_alloc();
	KUNIT_ASSERT_NOT_NULL(test, huge->mm);
	/* Neighbours in the same page table: not at its beginning or end. */
	at = SZ_4G + bytes;
	kthread_use_mm(huge->mm);
	at = ksys_mmap_pgoff(at, 3 * bytes, RW,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED |
			     MAP_HUGETLB | ilog2(bytes) << MAP_HUGE_SHIFT, -1, 0);
	kthread_unuse_mm(huge->mm);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR_VALUE(at), "mmap() of hugetlb pages: %ld", (long)at);
	huge->addr = at + bytes;

	mmap_write_lock(huge->mm);
	huge->vma = vma_lookup(huge->mm, at);
	huge->ptep = huge_pte_alloc(huge->mm, huge->vma, huge->addr, bytes);
	mmap_write_unlock(huge->mm);
	KUNIT_ASSERT_NOT_NULL(test, huge->ptep);
	huge->base = pte_mkold(pte_mkclean(mk_pte(pages, huge->vma->vm_page_prot)));
	huge->base = arch_make_huge_pte(pte_mkwrite_novma(huge->base), ilog2(bytes),
					huge->vma->vm_flags);
	huge->base = pte_mkold(pte_mkclean(huge->base));
	return huge;
}

static void read_before(const struct huge *huge, struct entries *entries)
{
	unsigned int i;

	entries->all_bits = 0;
	entries->all_young_and_dirty = true;
	for (i = 0; i < huge->size->nr; i++) {
		entries->before[i] = ptebatch_raw_pte(huge->ptep + i);
		entries->all_bits |= bits(entries->before[i]);
		entries->all_young_and_dirty &= bits(entries->before[i]) == (YOUNG | DIRTY);
	}
}

/* Read what the function leaves, and clear it. */
static void read_after(const struct huge *huge, struct entries *entries)
{
	unsigned int i;

	/* Without MOST, gcc ends the function where nr exceeds it, and objtool warns. */
	for (i = 0; i < MIN(huge->size->nr, MOST); i++)
		entries->after[i] = ptebatch_raw_pte(huge->ptep + i);
	entries->in_front = ptebatch_raw_pte(huge->ptep - 1);
	entries->behind = ptebatch_raw_pte(huge->ptep + huge->size->nr);
	huge_ptep_get_and_clear(huge->mm, huge->addr, huge->ptep, huge->size->bytes);
	/* Also the neighbours, and what that leaves. */
	for (i = 0; i < huge->size->nr + 2; i++)
		ptebatch_set_raw_pte(huge->ptep - 1 + i, __pte(0));
}

static void run(struct kunit *test, struct huge *huge, const struct op *op,
		const struct state *state)
{
	unsigned int nr_pages = min(huge->size->bytes / PAGE_SIZE, PTEBATCH_ROW_ENTRIES);
	const struct ptebatch_place place = { huge->mm, huge->addr };
	struct entries entries;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, ptebatch_secondary_begin(&huge->secondary, &place));
	mmap_read_lock(huge->mm);
	ptl = huge_pte_lock(hstate_vma(huge->vma), huge->mm, huge->ptep);
	set_huge_pte_at(huge->mm, huge->addr, huge->ptep, huge->base, huge->size->bytes);
	ptebatch_set_raw_pte(huge->ptep - 1, neighbour());
	ptebatch_set_raw_pte(huge->ptep + huge->size->nr, neighbour());
	mark(huge, state);
	read_before(huge, &entries);

	huge->unbroken = false;
	huge->secondary.data = huge;
	huge->secondary.on_call = huge->size->nr > 1 ? look_for_valid : NULL;
	bitmap_zero(huge->secondary.flushed, PTEBATCH_ROW_ENTRIES);
	op->call(huge);
	/* What follows invalidates addresses, too. */
	huge->secondary.on_call = NULL;
	huge->invalidated = bitmap_full(huge->secondary.flushed, nr_pages);

	read_after(huge, &entries);
	spin_unlock(ptl);
	flush_tlb_mm(huge->mm);
	mmap_read_unlock(huge->mm);
	ptebatch_secondary_end(&huge->secondary);

	for (i = 0; i < huge->size->nr; i++)
		expect_entry(test, huge, op, &entries, i);
	expect_returned(test, huge, op, &entries);
	expect_flush(test, huge, op, &entries);
	KUNIT_EXPECT_EQ_MSG(test, pte_val(entries.in_front), pte_val(neighbour()),
			    PTEBATCH_RULE_NEIGHBOURS ": entry in front of the first one");
	KUNIT_EXPECT_EQ_MSG(test, pte_val(entries.behind), pte_val(neighbour()),
			    PTEBATCH_RULE_NEIGHBOURS ": entry behind the last one");
}

static void hugetlb(struct kunit *test)
{
	const struct param *param = test->param_value;
	struct huge *huge;
	unsigned int i;

	huge = map(test, param->size);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		run(test, huge, param->op, &states[i]);
}

static void set_entries(struct huge *huge, const struct state *state)
{
	spinlock_t *ptl;	/* of the page table */

	mmap_read_lock(huge->mm);
	ptl = huge_pte_lock(hstate_vma(huge->vma), huge->mm, huge->ptep);
	set_huge_pte_at(huge->mm, huge->addr, huge->ptep, huge->base, huge->size->bytes);
	ptebatch_set_raw_pte(huge->ptep - 1, neighbour());
	ptebatch_set_raw_pte(huge->ptep + huge->size->nr, neighbour());
	mark(huge, state);
	spin_unlock(ptl);
	mmap_read_unlock(huge->mm);
}

static void clear_entries(struct huge *huge, struct entries *entries)
{
	spinlock_t *ptl;	/* of the page table */

	mmap_read_lock(huge->mm);
	ptl = huge_pte_lock(hstate_vma(huge->vma), huge->mm, huge->ptep);
	read_after(huge, entries);
	spin_unlock(ptl);
	flush_tlb_mm(huge->mm);
	mmap_read_unlock(huge->mm);
}

/*
 * The page is sampled at an address in its middle. As for PTEs, the TLB may keep
 * entries that are young.
 */
static void prepare_sample(struct kunit *test, struct huge *huge)
{
	const struct ptebatch_place place = { huge->mm, huge->addr };
	unsigned long address = huge->addr + huge->size->bytes / 2 + 8;

	KUNIT_ASSERT_EQ(test, 0, ptebatch_secondary_begin(&huge->secondary, &place));
	KUNIT_EXPECT_EQ(test, 0, ptebatch_damon_prepare(huge->mm, &address, 1));
	ptebatch_secondary_end(&huge->secondary);
}

static void expect_sampled(struct kunit *test, const struct huge *huge,
			   const struct entries *entries)
{
	bool young = entries->all_bits & YOUNG;
	unsigned int i;

	for (i = 0; i < huge->size->nr; i++) {
		unsigned int was = young ? entries->all_bits : bits(entries->before[i]);

		KUNIT_EXPECT_EQ_MSG(test, plain(entries->after[i]), plain(entries->before[i]),
				    "entry %u, accessed and dirty aside", i);
		KUNIT_EXPECT_EQ_MSG(test, bits(entries->after[i]), was & ~YOUNG,
				    PTEBATCH_RULE_GATHERED
				    ": accessed (1) and dirty (2) of entry %u", i);
	}
	KUNIT_EXPECT_EQ_MSG(test, huge->secondary.old_calls, 1,
			    "calls of clear_young() of a secondary MMU");
	KUNIT_EXPECT_EQ_MSG(test, huge->secondary.old_start, huge->addr,
			    "beginning of clear_young() in a secondary MMU");
	KUNIT_EXPECT_EQ_MSG(test, huge->secondary.old_end, huge->addr + huge->size->bytes,
			    "end of clear_young() in a secondary MMU");
	KUNIT_EXPECT_TRUE_MSG(test, folio_test_idle(page_folio(pages)), "PG_idle");
	KUNIT_EXPECT_EQ_MSG(test, folio_test_young(page_folio(pages)), young, "PG_young");
	KUNIT_EXPECT_EQ_MSG(test, pte_val(entries->in_front), pte_val(neighbour()),
			    PTEBATCH_RULE_NEIGHBOURS ": entry in front of the first one");
	KUNIT_EXPECT_EQ_MSG(test, pte_val(entries->behind), pte_val(neighbour()),
			    PTEBATCH_RULE_NEIGHBOURS ": entry behind the last one");
}

static void damon_desc(const struct size *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s, DAMON prepares an address in the middle: the whole page is old", size->name);
}

KUNIT_ARRAY_PARAM(damon, sizes, damon_desc);

static void damon(struct kunit *test)
{
	struct entries entries;
	struct huge *huge;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_DAMON_VADDR))
		kunit_skip(test, "no DAMON without CONFIG_DAMON_VADDR");
	huge = map(test, test->param_value);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		set_entries(huge, &states[i]);
		read_before(huge, &entries);
		prepare_sample(test, huge);
		clear_entries(huge, &entries);
		expect_sampled(test, huge, &entries);
		folio_clear_idle(page_folio(pages));
		folio_test_clear_young(page_folio(pages));
	}
}

/* Pages of the VMA. */
#define VMA_PAGES	3

static void set_writable(struct huge *huge, pte_t *pteps[VMA_PAGES])
{
	unsigned long bytes = huge->size->bytes;
	unsigned int i;

	mmap_write_lock(huge->mm);
	for (i = 0; i < VMA_PAGES; i++) {
		unsigned long addr = huge->vma->vm_start + i * bytes;

		pteps[i] = huge_pte_alloc(huge->mm, huge->vma, addr, bytes);
		set_huge_pte_at(huge->mm, addr, pteps[i], accessed(huge->base), bytes);
	}
	mmap_write_unlock(huge->mm);
}

/* Clear the entries. Return: which of them were uffd-wp, as bits. */
static unsigned int clear_uffd_wp(struct huge *huge, pte_t *pteps[VMA_PAGES])
{
	unsigned long bytes = huge->size->bytes;
	unsigned int i, found = 0;

	mmap_write_lock(huge->mm);
	for (i = 0; i < VMA_PAGES; i++) {
		unsigned long addr = huge->vma->vm_start + i * bytes;

		if (pte_uffd(huge_ptep_get_and_clear(huge->mm, addr, pteps[i], bytes)))
			found |= BIT(i);
	}
	flush_tlb_mm(huge->mm);
	mmap_write_unlock(huge->mm);
	return found;
}

/**
 * struct limit - PAGEMAP_SCAN of three pages that were written, in quarters of a page
 * @from: where it begins
 * @most: maximum number of pages that it finds
 * @end: where it has to end
 * @found: pages that it returns and write-protects, as bits: one region, or none
 */
struct limit {
	unsigned int from, most, end, found;
};

static const struct limit limits[] = {
	/* The second page does not fit. */
	{ .from = 0, .most = 6, .end = 4, .found = BIT(0) },
	/* No page ever fits. */
	{ .from = 0, .most = 1, .end = 12 },
	{ .from = 2, .most = 1, .end = 12 },
	/* Half of the first page cannot be write-protected. */
	{ .from = 2, .most = 8, .end = 12, .found = BIT(1) | BIT(2) },
};

static void scan_limited(struct kunit *test, struct huge *huge, const struct limit *limit)
{
	/* Too large for the stack. */
	static struct ptebatch_scan scan;
	unsigned long quarter = huge->size->bytes / 4;
	pte_t *pteps[VMA_PAGES];

	set_writable(huge, pteps);
	memset(&scan, 0, sizeof(scan));
	scan.arg = (struct pm_scan_arg) {
		.size = sizeof(scan.arg),
		.flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
		.start = huge->vma->vm_start + limit->from * quarter, .end = huge->vma->vm_end,
		.vec_len = VMA_PAGES, .max_pages = limit->most * quarter / PAGE_SIZE,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};
	KUNIT_EXPECT_EQ_MSG(test, ptebatch_scan(huge->mm, &scan), !!limit->found,
			    "regions that PAGEMAP_SCAN returns, limit %td", limit - limits);
	KUNIT_EXPECT_EQ_MSG(test, clear_uffd_wp(huge, pteps), limit->found,
			    "huge pages that are uffd-wp, as bits, limit %td", limit - limits);
	KUNIT_EXPECT_EQ_MSG(test, (scan.regions[0].end - scan.regions[0].start) / (4 * quarter),
			    hweight32(limit->found), "huge pages of the region, limit %td",
			    limit - limits);
	KUNIT_EXPECT_EQ_MSG(test, (scan.arg.walk_end - huge->vma->vm_start) / quarter,
			    limit->end, "quarter at which PAGEMAP_SCAN ends, limit %td",
			    limit - limits);
}

static void limit_desc(const struct size *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s, PAGEMAP_SCAN with a limit: ends at a page that does not fit", size->name);
}

KUNIT_ARRAY_PARAM(limit, sizes, limit_desc);

static void limit(struct kunit *test)
{
	struct file *uffd;
	struct huge *huge;
	unsigned int i;
	long ret;

	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	huge = map(test, test->param_value);
	uffd = ptebatch_uffd_open(huge->mm, UFFD_FEATURE_WP_ASYNC |
					    UFFD_FEATURE_WP_HUGETLBFS_SHMEM);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(uffd), "userfaultfd: %ld", PTR_ERR(uffd));
	ret = ptebatch_uffd_register(uffd, huge->mm, huge->addr, UFFDIO_REGISTER_MODE_WP);
	KUNIT_EXPECT_EQ_MSG(test, ret, 0, "UFFDIO_REGISTER");
	for (i = 0; !ret && i < ARRAY_SIZE(limits); i++)
		scan_limited(test, huge, &limits[i]);
	__fput_sync(uffd);
}

static struct kunit_case hugetlbpage_cases[] = {
	KUNIT_CASE_PARAM(hugetlb, hugetlb_gen_params),
	KUNIT_CASE_PARAM(damon, damon_gen_params),
	KUNIT_CASE_PARAM(limit, limit_gen_params),
	{}
};

static int hugetlbpage_init(struct kunit_suite *suite)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		params[i].size = &sizes[i / ARRAY_SIZE(ops)];
		params[i].op = &ops[i % ARRAY_SIZE(ops)];
	}
	pages = alloc_contig_pages(LARGEST / PAGE_SIZE, GFP_KERNEL, numa_node_id(), NULL);
	return pages ? 0 : -ENOMEM;
}

static void hugetlbpage_exit(struct kunit_suite *suite)
{
	if (pages)
		free_contig_range(page_to_pfn(pages), LARGEST / PAGE_SIZE);
}

PTEBATCH_SUITE(hugetlbpage, hugetlbpage_cases, { hugetlbpage_init, hugetlbpage_exit },
	       PTEBATCH_PROC);
#endif
