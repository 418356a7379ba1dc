// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_COLLAPSE makes one folio of what a page table maps, and maps that by a
 * PMD. The entries of large folios are cleared in batches: those of anonymous
 * folios when their pages have been copied, those of a file's folio of the
 * right size, which needs no copying, before the page table is dropped.
 *
 * khugepaged calls the same functions. The daemon does not see our address
 * spaces: it gets to know of an mm by faults and by MADV_HUGEPAGE.
 */
#include <kunit/test.h>
#include <linux/khugepaged.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/bytes.h"
#include "../lib/hold.h"
#include "../lib/pte.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

enum trouble {
	NO_TROUBLE,
	REFERENCED,		/* the last folio, by who knows whom */
	REFERENCED_MEANWHILE,	/* when all folios were looked at already */
	LOCKED,			/* the last folio */
};

/**
 * struct collapse_row - a case of madvise_collapse()
 * @name: of the case
 * @setup: the address space before; the folios are on the LRU lists, if not @off
 * @after: the row as it shall be then; %NULL: to the bit as it was
 * @err: what is returned
 * @trouble: what is in the way
 * @off: the folios are not on the LRU lists
 * @drop: collapse_pte_mapped_thp() is called, to map nothing
 */
struct collapse_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	int err;
	enum trouble trouble;
	bool off;
	bool drop;
};

/**
 * struct collapser - who collapses
 * @who: its name
 * @collapse: madvise_collapse() or its twin
 * @drop: collapse_pte_mapped_thp() or its twin
 */
struct collapser {
	const char *who;
	int (*collapse)(struct vm_area_struct *vma, unsigned long start,
			unsigned long end, bool *lock_dropped);
	void (*drop)(struct mm_struct *mm, unsigned long addr,
		     bool install_pmd);
};

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static const struct collapser kernel = {
	"madvise_collapse()", madvise_collapse, collapse_pte_mapped_thp
};

static const struct collapser twin = {
	"the twin", ptebatch_twin_madvise_collapse,
	ptebatch_twin_collapse_pte_mapped_thp
};
#else
static const struct collapser kernel, twin;
#endif

static int collapse(struct ptebatch_space *space, bool drop,
		    const struct collapser *collapser)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	bool lock_dropped = false;
	int err = 0;

	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	mmap_read_lock(mm);
	if (drop)
		collapser->drop(mm, start, false);
	else
		err = collapser->collapse(vma_lookup(mm, start), start, end,
					  &lock_dropped);
	mmap_read_unlock(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return err;
}

/*
 * The folios with swap space were locked for the set-up. Who collapses waits for
 * their locks, and wants no references but those of the mappings.
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
		ptebatch_let_go(space);
}

static void lock_folios(struct ptebatch_space *space,
			const unsigned long *locked)
{
	unsigned int i;

	for_each_set_bit(i, locked, PTEBATCH_ROW_ENTRIES)
		if (ptebatch_held_whole(space, i))
			folio_lock(space->folios[i]);
}

/* Also called with the page table lock held. */
static void refer(void *data)
{
	struct folio **folio = data;

	if (*folio)
		folio_get(*folio);
	*folio = NULL;
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* Is the page table that is put by for a PMD, to be used when that is split? */
static bool spare_table_empty(struct mm_struct *mm, unsigned long addr)
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
static bool spare_table_empty(struct mm_struct *mm, unsigned long addr)
{
	return true;
}
#endif

/* Anonymous memory keeps the page table. */
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
				      spare_table_empty(space->places[0].mm,
							ptebatch_addr(space, i)),
				      "%s leaves entries in the page table behind the PMD",
				      trial->who);
	}
}

static struct ptebatch_trial *
try_collapse(struct kunit *test, const struct collapse_row *row,
	     const struct ptebatch_setup *setup,
	     const struct collapser *collapser)
{
	struct ptebatch_snapshot *child, *child_after;
	struct ptebatch_trial *trial;
	struct ptebatch_space *space;
	struct folio *last, *victim;
	unsigned long *locked;
	int err;

	locked = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
			       sizeof(long), GFP_KERNEL);
	child = kunit_kzalloc(test, 2 * sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, locked);
	KUNIT_ASSERT_NOT_NULL(test, child);
	child_after = child + 1;

	trial = ptebatch_trial_begin(test, collapser->who, setup);
	space = trial->space;
	ptebatch_bytes_fill(space);
	if (space->nr_places == 2)
		ptebatch_snapshot(child, space, &space->places[1]);
	unlock_folios(space, locked);
	last = space->row.nr_folios ?
	       space->folios[space->row.nr_folios - 1] : NULL;
	victim = last;
	if (row->trouble == REFERENCED)
		folio_get(last);
	else if (row->trouble == LOCKED)
		folio_lock(last);
	else if (row->trouble == REFERENCED_MEANWHILE)
		trial->flush.meanwhile = refer;
	trial->flush.data = &victim;

	err = collapse(space, row->drop, collapser);

	trial->flush.meanwhile = NULL;
	if (row->trouble == LOCKED)
		folio_unlock(last);
	if (row->trouble == REFERENCED || (row->trouble && !victim))
		folio_put(last);
	if (row->trouble == REFERENCED_MEANWHILE)
		KUNIT_EXPECT_NULL_MSG(test, victim, "there was no trouble");
	ptebatch_trial_end(trial);
	if (!row->off)
		ptebatch_trial_on_lists(trial);
	lock_folios(space, locked);

	KUNIT_EXPECT_EQ(test, err, row->err);
	if (row->after)
		ptebatch_trial_expect(trial, row->after);
	else
		ptebatch_trial_untouched(trial);
	ptebatch_bytes_expect(trial);
	expect_tables_empty(trial);
	if (space->nr_places == 2 && setup->mapping == PTEBATCH_ANON) {
		ptebatch_snapshot(child_after, space, &space->places[1]);
		KUNIT_EXPECT_MEMEQ_MSG(test, child->raw, child_after->raw,
				       child->nr * sizeof(child->raw[0]),
				       "%s has changed the child's entries",
				       collapser->who);
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
		kunit_skip(test, "nothing to collapse into without CONFIG_TRANSPARENT_HUGEPAGE");
	if (PMD_SIZE > SZ_64M)
		kunit_skip(test, "no folios of more than 64 MiB, for want of memory");
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = row->setup;
	setup->lru = !row->off;
	first = try_collapse(test, row, setup, &kernel);
	if (ptebatch_failed(test))
		return;
	second = try_collapse(test, row, setup, &twin);
	ptebatch_trial_same(first, second);
}

static const struct collapse_row rows[] = {
	/* What is collapsed, and how it was mapped. */
	{ "small folios", { "Wdyx*T", .prot = RW }, "~[Wdyx]" },
	{ "64K folios", { "{Wdyx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*T}", .prot = RW }, "~[Wdyx]" },
	{ "folios of mixed orders",
	  { "{Wdyx*T/2} Wdyx*T/8 {Wdyx*T/4} {Wdyx*4}*T/64 {Wdyx*16} Wdyx*T/16-16",
	    .prot = RW }, "~[Wdyx]" },
	{ "read-only memory", { "{Rdyx*16}*T/16", .prot = RO }, "~[Rdyx]" },
	{ "pages of all kinds in one folio",
	  { "{Wdyx*4 Rdyx*4 Rdy*4 Wyx*2 Rx*2}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "clean and old", { "{Rx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "entries without access",
	  { "{Wdyx*8 Ndyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "every other page shared",
	  { "{Rdyx Rdy}*T/2", .prot = RW }, "~[Wdyx]" },
	{ "lazyfree", { "{Wyxl*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "soft-dirty in part",
	  { "{Wdysx*8 Rdyx*8}*T/16", .prot = RW, .track = true },
	  "~[Wdysx]" },
	{ "locked into memory",
	  { "{Wdyx*16}*T/16", .prot = RW, .mlocked = true }, "~[Wdyx]" },

	/* Where batches end. */
	{ "holes in folios",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "holes between folios",
	  { "-*8 {Wdyx*T/2} -*T/4 {Wdyx*T/8} Wdyx*T/8-8", .prot = RW },
	  "~[Wdyx]" },
	{ "one small page", { "-*T/2 Wdyx -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "one page of a folio",
	  { "-*T/2 {.*5 Wdyx .*10} -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "parts of folios",
	  { "{.*8 Wdyx*8}*T/16 {Wdyx*8 .*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "pages of a folio out of order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "folios off their alignment",
	  { "Wdyx*5 {Wdyx*16}*T/32 Wdyx*T/2-5", .prot = RW }, "~[Wdyx]" },
	{ "folios physically side by side",
	  { "{Wdyx*16} +{Wdyx*16} +{Wdyx*16} {Wdyx*16} Wdyx*T-64",
	    .prot = RW }, "~[Wdyx]" },
	{ "from the table before",
	  { "@-8 {Wdyx*8 | Wdyx*8} {Wdyx*16}*T/32 Wdyx*T/2-8 |", .prot = RW },
	  "@-8 {Wdyx*8 .*8} ~[Wdyx]" },
	{ "into the table behind",
	  { "| Wdyx*T/2-8 {Wdyx*16}*T/32 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {.*8 Wdyx*8}" },

	/* Others that map the pages. */
	{ "after a fork",
	  { "{Wdyx*16}*T/16", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "small folios after a fork",
	  { "Wdyx*T", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "parts of folios after a fork",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW, .twice = true },
	  "~[Wdyx]" },

	/* More page tables than one. */
	{ "two page tables",
	  { "{Wdyx*16}*T/16 {Wdyx*T}", .prot = RW }, "~[Wdyx] ~[Wdyx]" },
	{ "the second one by a PMD already",
	  { "{Wdyx*16}*T/16 [Wdyx]", .prot = RW }, "~[Wdyx] [Wdyx]" },
	{ "part of the second page table",
	  { "| {Wdyx*16}*T/16 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {Wdyx*16}" },
	{ "the second one of two is missing",
	  { "{Wdyx*16}*T/16 -*T", .prot = RW }, "~[Wdyx] -*T", -EINVAL },

	/* Swap. */
	{ "in the swap cache",
	  { "{Wdyx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "small folios in swap",
	  { "Wdyx*T/2 {Sx}*T/4 {S}*T/4", .prot = RW, .swap = true },
	  "~[Wdyx]" },
	{ "folios in swap in part",
	  { "{Wdyx*4 Sx*12}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "large folios in swap",
	  { "{Sx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },

	/* Nothing to do, or nothing to be done. */
	{ "a PMD already", { "[Wdyx]", .prot = RW } },
	{ "part of a page table",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*16}*T/16-1 |", .prot = RW } },
	{ "no page table", { "-*T", .prot = RW }, .err = -EINVAL },
	{ "uffd-wp",
	  { "{Wdyx*8 Rdyux*8}*T/16", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "uffd-wp of the last page",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 Rdyux}", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "registered with userfaultfd, no hole",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd_wp = true }, "~[Wdyx]" },
	{ "registered with userfaultfd, a hole",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 -}", .prot = RW, .uffd_wp = true },
	  .err = -EBUSY },
	{ "a marker of poison",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 P", .prot = RW },
	  .err = -EINVAL },
	{ "a guard",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 G", .prot = RW },
	  .err = -EINVAL },
	{ "not on the LRU lists",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN, .off = true },
	{ "referenced",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .trouble = REFERENCED },
	{ "referenced, a small folio",
	  { "{Wdyx*16}*T/16-1 Wdyx*16", .prot = RW }, .err = -EAGAIN,
	  .trouble = REFERENCED },
	{ "referenced meanwhile",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .trouble = REFERENCED_MEANWHILE },
	{ "referenced meanwhile, a small folio",
	  { "-*8 {Wdyx*8} {Wdyx*16}*T/16-2 Wdyx*16", .prot = RW },
	  .err = -EAGAIN, .trouble = REFERENCED_MEANWHILE },
	{ "locked by someone",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .trouble = LOCKED },

	/* Files: the folio is there, or is made. */
	{ "2M folio of shmem", { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "2M folio of shmem, read-only",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]" },
	{ "2M folio of shmem, mapped in part",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "2M folio of shmem, one page mapped",
	  { "{-*T/2 Wdy -*T/2-1}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "2M folio of shmem, referenced",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]", .trouble = REFERENCED },
	{ "2M folio of shmem, mapped twice",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .twice = true }, "[Wy]" },
	{ "PMD of shmem", { "[Wdy]", PTEBATCH_SHMEM, RW } },
	{ "shmem registered for uffd-wp",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "page table of shmem dropped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "-*T", .drop = true },
	{ "page table of shmem with holes dropped",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "-*T",
	  .drop = true },
	{ "page table with small folios not dropped",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .drop = true },
	{ "64K folios of shmem",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "small folios of shmem",
	  { "Wdy*T", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "folios of shmem mapped in part",
	  { "{Wdy*5 -*3 Wdy*8}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "holes in shmem",
	  { "{Wdy*16}*T/32 -*T/2", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K folios of shmem, mapped twice",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .twice = true }, "~[Wy]" },
	{ "64K folios of shmem, one referenced",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .err = -EAGAIN,
	  .trouble = REFERENCED },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void collapse_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Every order of every kind. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *first, *second, *after;
} kinds[] = {
	{ "exclusive", { .prot = RW }, "Wdyx", "Wdyx", "~[Wdyx]" },
	{ "shared", { .prot = RO }, "Rdy", "Rdyx", "~[Rdyx]" },
	{ "mapped in part", { .prot = RW }, "Wdyx", "-", "~[Wdyx]" },
};

/**
 * struct order_param - folios of one order
 * @order: that
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
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u %s", param.order,
		 kinds[param.kind].name);
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
