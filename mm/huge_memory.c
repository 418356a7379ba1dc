// SPDX-License-Identifier: GPL-2.0
/*
 * The split of a large anonymous folio replaces its entries by migration entries,
 * in all mms, and maps the small folios afterwards. Pages of zeroes are replaced
 * by the shared zero page, with the soft-dirty and uffd-wp bits of the entry.
 *
 * The split of a PMD replaces it by a page table whose entries have the bits of
 * the PMD, or by one of migration entries if the folio is to be split.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/collapse.h"
#include "../lib/op/migrate.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* try_to_migrate() with TTU_SPLIT_HUGE_PMD, also in a child. */
static const struct ptebatch_case migrate_rows[] = {
	{ "PMD-mapped folio, exclusive: writable migration entries",
	  { "[Wdyx]", .prot = RW }, "{Mw*T}" },
	{ "PMD-mapped folio, shared: read-only migration entries",
	  { "[Rdy]", .prot = RW }, "{M*T}" },
	{ "PMD-mapped folio in parent and child: migration entries in both",
	  { "[Rdy]", .prot = RW, .twice = true }, "{M*T}", .second = "{M*T}" },
	{ "PMD-mapped folio, half of it mapped by PTEs of a child: migration entries in both",
	  { "[Rdy]", .prot = RW, .twice = true }, "{M*T}",
	  .second = "{M*T/2 -*T/2}",
	  .with = { CHILD_LACKS(PTRS_PER_PTE / 2, PTRS_PER_PTE / 2) } },
	{ "PMD-mapped folio, pinned: mapped by PTEs",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", .with = { PINNED(0) } },
	{ "PMD-mapped folio, read-only, exclusive: migration entries of exclusive pages",
	  { "[Rdyx]", .prot = RO }, "{Mx*T}" },
	{ "PMD-mapped folio, NUMA hint: migration entries of exclusive pages",
	  { "[Ndyx]", .prot = RW }, "{Mx*T}" },
	{ "PMD-mapped folio, soft-dirty: soft-dirty migration entries",
	  { "[Wdysx]", .prot = RW, .track = true }, "{Mws*T}" },
	{ "PMD-mapped folio, dirty, not soft-dirty: migration entries not soft-dirty",
	  { "[Wdyx]", .prot = RW, .track = true }, "{Mw*T}" },
	{ "PMD-mapped folio, uffd-wp: migration entries with uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "{Mxu*T}" },
	{ "PMD-mapped folio, uffd-rwp: migration entries with uffd-rwp",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "{Mxu*T}" },
	{ "device-private folio, writable PMD: writable migration entries",
	  { "[Dwx]", .prot = RW }, "{Mw*T}" },
	{ "device-private folio, read-only soft-dirty PMD: soft-dirty migration entries",
	  { "[Dsx]", .prot = RW, .track = true }, "{Mxs*T}" },
};

KUNIT_ARRAY_PARAM_DESC(migrate_rows, migrate_rows, name);

static void migrate_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.op = &ptebatch_migrate_all;
	row.arg = TTU_SPLIT_HUGE_PMD;
	ptebatch_case_run(test, &row);
}

/* __split_huge_pmd(); a child does not change. */
static const struct ptebatch_case pmd_rows[] = {
	{ "PMD: writable, dirty and young PTEs",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}" },
	{ "old PMD: old PTEs", { "[Wdx]", .prot = RW }, "{Wdx*T}" },
	{ "clean PMD: clean PTEs", { "[Wyx]", .prot = RW }, "{Wyx*T}" },
	{ "read-only, exclusive PMD: read-only PTEs of exclusive pages",
	  { "[Rdyx]", .prot = RW }, "{Rdyx*T}" },
	{ "read-only, shared PMD: read-only PTEs of shared pages",
	  { "[Rdy]", .prot = RW }, "{Rdy*T}" },
	{ "read-only VMA, clean and old PMD: PTEs likewise",
	  { "[Rx]", .prot = RO }, "{Rx*T}" },
	{ "executable VMA, protection key 3: PTEs with both",
	  { "[Rdyx]", .prot = PROT_READ | PROT_EXEC, .pkey = 3 }, "{Rdyx*T}" },
	{ "PROT_NONE VMA: PROT_NONE PTEs",
	  { "[Ndyx]", .prot = PROT_NONE }, "{Nd" PTEBATCH_NONE_YOUNG "x*T}" },
	{ "NUMA hint: accessible PTEs", { "[Ndyx]", .prot = RW }, "{Rdyx*T}" },
	{ "soft-dirty, clean PMD: soft-dirty, clean PTEs",
	  { "[Rysx]", .prot = RW, .track = true }, "{Rysx*T}" },
	{ "dirty PMD, not soft-dirty: PTEs not soft-dirty",
	  { "[Rdyx]", .prot = RW, .track = true }, "{Rdyx*T}" },
	{ "uffd-wp PMD: uffd-wp PTEs",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "{Rdyux*T}" },
	{ "uffd-rwp PMD: uffd-rwp PTEs, PROT_NONE",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "{Ndyux*T}" },
	{ "NUMA hint in a VMA with uffd-rwp: accessible PTEs",
	  { "[Ndyx]", .prot = RW, .uffd = UFFD_RWP }, "{Rdyx*T}" },
	{ "lazyfree folio: clean PTEs, lazyfree",
	  { "[Wyxl]", .prot = RW, .folios = ON_LRU }, "{Wyxl*T}" },
	{ "PG_hwpoison: PTEs, also of the poisoned page",
	  { "[Wdyxh]", .prot = RW }, "{Wdyxh*T}" },
	{ "parent and child: PTEs in the parent",
	  { "[Rdy]", .prot = RW, .twice = true }, "{Rdy*T}",
	  .second = PTEBATCH_UNCHANGED },
	{ "PMD between page tables: both unchanged",
	  { "@-4 {Wdyx*4} | [Rdyx] | {Wdyx*4}", .prot = RW },
	  "@-4 {Wdyx*4} {Rdyx*T} {Wdyx*4}" },
	{ "huge zero page, soft-dirty: PTEs of the zero page, soft-dirty",
	  { "[Rzys]", .prot = RW, .track = true }, "Rzys*T" },
	{ "huge zero page, uffd-wp: PTEs of the zero page, uffd-wp",
	  { "[Rzyu]", .prot = RW, .uffd = UFFD_WP }, "Rzyu*T" },

	/* Migration and device-private entries. */
	{ "writable migration entry: writable migration entries",
	  { "[Mw]", .prot = RW }, "{Mw*T}" },
	{ "migration entry of exclusive pages, soft-dirty: PTEs likewise",
	  { "[Mxs]", .prot = RW, .track = true }, "{Mxs*T}" },
	{ "migration entry of shared pages, not soft-dirty: PTEs likewise",
	  { "[M]", .prot = RW, .track = true }, "{M*T}" },
	{ "migration entry with uffd-wp: PTEs likewise",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP }, "{Mxu*T}" },
	{ "writable device-private entry: writable device-private entries",
	  { "[Dwx]", .prot = RW }, "{Dwx*T}" },
	{ "device-private entry of exclusive pages, soft-dirty: PTEs likewise",
	  { "[Dsx]", .prot = RW, .track = true }, "{Dsx*T}" },
	{ "device-private entry, not soft-dirty: PTEs likewise",
	  { "[Dwx]", .prot = RW, .track = true }, "{Dwx*T}" },
	{ "device-private entry of shared pages, uffd-wp: PTEs likewise",
	  { "[Du]", .prot = RW, .uffd = UFFD_WP }, "{Du*T}" },

	/* A file can be mapped again. */
	{ "shmem folio, dirty and young: no PTEs, folio dirty and referenced",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "shmem folio, old: no PTEs, folio not referenced",
	  { "[Wd]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "shmem folio, clean: no PTEs, folio stays clean",
	  { "[Wy]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "migration entry of a shmem folio: no PTEs",
	  { "[Mw]", PTEBATCH_SHMEM, RW }, "-*T" },
};

KUNIT_ARRAY_PARAM_DESC(pmd_rows, pmd_rows, name);

/* Rules 1 and 17: the folio is dirty if the PMD was; that of a file, referenced. */
static void check_pmd(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[trial->before.row.from];
	struct folio *folio;

	if (!ptebatch_entry_normal(was))
		return;
	folio = trial->space->folios[was->folio];
	if (was->flags & PTEBATCH_DIRTY)
		KUNIT_EXPECT_TRUE_MSG(trial->test, folio_test_dirty(folio),
				      "%s drops the dirty bit of the PMD", trial->function);
	if (trial->space->setup.mapping == PTEBATCH_SHMEM)
		KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_referenced(folio),
				    !!(was->flags & PTEBATCH_YOUNG),
				    PTEBATCH_RULE_FILE ": PG_referenced after %s",
				    trial->function);
}

static void pmd_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.op = &ptebatch_split_pmds;
	row.check = check_pmd;
	ptebatch_case_run(test, &row);
}

/* Split each large folio into folios of order @op->arg. */
static long split_all(const struct ptebatch_op *op, struct ptebatch_space *space,
		      bool twin)
{
	unsigned int i;
	long err = 0;

	for (i = 0; i < space->row.nr_folios && !err; i++) {
		struct folio *folio = space->folios[i];

		folio_get(folio);
		folio_lock(folio);
		err = split_folio_to_order(folio, op->arg);
		folio_unlock(folio);
		folio_put(folio);
	}
	return err;
}

static const char *split_missing(void)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? NULL :
	       "no splits without CONFIG_TRANSPARENT_HUGEPAGE";
}

static const struct ptebatch_op split_op = {
	.function = "split_folio_to_order()", .call = split_all, .no_twin = true,
	.missing = split_missing,
};

static void clear_each(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	const unsigned long pages = use->condition->value;
	unsigned int i;

	for_each_set_bit(i, &pages, BITS_PER_LONG)
		clear_page(page_address(folio_page(use->trial->space->folios[0], i)));
}

static const struct ptebatch_condition_type zero_pages = {
	.name = "pages contain zeroes", .occur = clear_each,
};

/* Pages @from to @to of the first folio contain zeroes. */
#define ZERO_PAGES(from, to)	{ .type = &zero_pages, .value = GENMASK(to, from) }

/* At the end of unmap_folio(), before the references are compared. */
#define REFERENCED_MEANWHILE	REFERENCED_AT("try_to_unmap_flush", 0, 0)
#define ONE_FLUSH		CALLS("try_to_unmap_flush", 1)

/* split_folio_to_order(), to order @arg. */
static const struct ptebatch_case split_rows[] = {
	{ "64K folio: small folios with the bits of each entry",
	  { "{Wdyx*4 Rdyx*4 Rdy*4 Wyx*4}", .prot = RW, .folios = ON_LRU },
	  "(Wdyx*4 Rdyx*4 Rdy*4 Wyx*4)" },
	{ "64K folio to 16K folios: the bits of each entry stay",
	  { "{Wdyx*4 Rdyx*6 Wyx*6}", .prot = RW, .folios = ON_LRU },
	  "(Wdyx*4 Rdyx*6 Wyx*6)", .arg = 2 },
	{ "PMD-mapped folio: small folios, writable",
	  { "[Wdyx]", .prot = RW, .folios = ON_LRU }, "(Wdyx*T)" },
	{ "PMD-mapped folio, old: small folios, old",
	  { "[Wdx]", .prot = RW, .folios = ON_LRU }, "(Wdx*T)" },
	{ "PMD-mapped folio, clean: small folios, clean",
	  { "[Wyx]", .prot = RW, .folios = ON_LRU }, "(Wyx*T)" },
	{ "64K folio, pages 4 to 7 zero: replaced by the zero page",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*4 Ryz*4 Wdyx*8)",
	  .with = { ZERO_PAGES(4, 7) } },
	{ "64K folio, pages 6 to 9 zero, first half soft-dirty: entries of the zero page too",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .folios = ON_LRU, .track = true },
	  "(Wdysx*6 Rysz*2 Ryz*2 Rdyx*6)", .with = { ZERO_PAGES(6, 9) } },
	{ "64K folio, pages 6 to 9 zero, first half uffd-wp: entries of the zero page too",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .folios = ON_LRU, .uffd = UFFD_WP },
	  "(Rdyux*6 Ryuz*2 Ryz*2 Wdyx*6)", .with = { ZERO_PAGES(6, 9) } },
	{ "64K folio to 16K folios, pages 4 to 7 zero: not replaced",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*16)", .arg = 2,
	  .with = { ZERO_PAGES(4, 7) } },
	{ "64K folio, mlocked, pages 4 to 7 zero: not replaced",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU, .vma = VM_LOCKED }, "(Wdyx*16)",
	  .with = { ZERO_PAGES(4, 7) } },
	{ "64K folio, page 4 zero and PG_hwpoison: hwpoison entry",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*4 H Wdyx*11)",
	  .with = { ZERO_PAGES(4, 4), HWPOISON(4) } },
	{ "PMD-mapped folio, page 4 zero and PG_hwpoison: not read, so not replaced",
	  { "[Wdyx]", .prot = RW, .folios = ON_LRU }, "(Wdyx*T)",
	  .with = { ZERO_PAGES(4, 4), HWPOISON(4) } },
	{ "64K folio to 16K folios, 6 pages mapped: second folio partially mapped",
	  { "{Wdyx*6 .*10}", .prot = RW, .folios = ON_LRU }, "(Wdyx*6 .*10)", .arg = 2 },

	/* An extra reference: each entry comes back. */
	{ "64K folio, referenced meanwhile: not split, not partially mapped",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "{Wdyx*16}", .ret = -EAGAIN,
	  .with = { REFERENCED_MEANWHILE, ONE_FLUSH } },
	{ "PMD-mapped folio, referenced meanwhile: mapped by PTEs, not partially mapped",
	  { "[Wdyx]", .prot = RW, .folios = ON_LRU }, "{Wdyx*T}", .ret = -EAGAIN,
	  .with = { REFERENCED_MEANWHILE, ONE_FLUSH } },
	{ "64K folio, 8 pages mapped, referenced meanwhile: stays partially mapped",
	  { "{Wdyx*8 .*8}", .prot = RW, .folios = ON_LRU }, "{Wdyx*8 .*8}", .ret = -EAGAIN,
	  .with = { REFERENCED_MEANWHILE, ONE_FLUSH } },
};

KUNIT_ARRAY_PARAM_DESC(split_rows, split_rows, name);

static void split_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.op = &split_op;
	ptebatch_case_run(test, &row);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* A folio in the swap cache must not be split into large folios. */
static void split_swap_cache(struct kunit *test)
{
	const struct ptebatch_setup setup = { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP };
	struct ptebatch_space *space;
	struct folio *folio;

	space = ptebatch_space(test, &setup);
	folio = space->folios[0];
	KUNIT_EXPECT_EQ(test, folio_check_splittable(folio, 0, SPLIT_TYPE_UNIFORM), 0);
	KUNIT_EXPECT_EQ(test, folio_check_splittable(folio, 2, SPLIT_TYPE_UNIFORM), -EINVAL);
	KUNIT_EXPECT_EQ(test, folio_check_splittable(folio, 2, SPLIT_TYPE_NON_UNIFORM), -EINVAL);
}
#else
static void split_swap_cache(struct kunit *test)
{
	kunit_skip(test, "no splits without CONFIG_TRANSPARENT_HUGEPAGE");
}
#endif

static struct kunit_case huge_memory_cases[] = {
	KUNIT_CASE_PARAM(migrate_row, migrate_rows_gen_params),
	KUNIT_CASE_PARAM(pmd_row, pmd_rows_gen_params),
	KUNIT_CASE_PARAM(split_row, split_rows_gen_params),
	KUNIT_CASE(split_swap_cache),
	{}
};

PTEBATCH_SUITE(huge_memory, huge_memory_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
