// SPDX-License-Identifier: GPL-2.0
/*
 * The split of a large anonymous folio replaces its entries by migration entries,
 * in all mms, and maps the small folios afterwards. Pages of zeroes are replaced
 * by the shared zero page, with the soft-dirty and uffd-wp bits of the entry.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>

#include "internal.h"

#include "../lib/check/compare.h"
#include "../lib/kernel/swap.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Leaves the folios locked, as migration entries require. */
static long migrate_all(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (!folio_test_locked(space->folios[i]))
			folio_lock(space->folios[i]);
		try_to_migrate(space->folios[i], op->arg);
	}
	return 0;
}

static const struct ptebatch_op migrate_op = {
	.function = "try_to_migrate()", .call = migrate_all, .no_twin = true,
	.arg = TTU_SPLIT_HUGE_PMD,
};

/**
 * struct migrate_row - a case of try_to_migrate()
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row, also of a child
 * @pinned: the first folio is pinned
 */
struct migrate_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	bool pinned;
};

static const struct migrate_row migrate_rows[] = {
	{ "64K folio, writable, read-only and shared pages: migration entries of each kind",
	  { "{Wdyx*8 Rdyx*4 Rdy*4}", .prot = RW }, "{Mw*8 Mx*4 M*4}" },
	{ "64K folio in parent and child: migration entries in both",
	  { "{Rdy*16}", .prot = RW, .twice = true }, "{M*16}" },
	{ "64K folio, half of it uffd-wp: half of the migration entries uffd-wp",
	  { "{Wdyx*8 Rdyux*8}", .prot = RW, .uffd_wp = true }, "{Mw*8 Mxu*8}" },
	{ "PMD-mapped folio, exclusive: writable migration entries",
	  { "[Wdyx]", .prot = RW }, "{Mw*T}" },
	{ "PMD-mapped folio, shared: read-only migration entries",
	  { "[Rdy]", .prot = RW }, "{M*T}" },
	{ "PMD-mapped folio in parent and child: migration entries in both",
	  { "[Rdy]", .prot = RW, .twice = true }, "{M*T}" },
	{ "PMD-mapped folio, pinned: mapped by PTEs",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", .pinned = true },
};

KUNIT_ARRAY_PARAM_DESC(migrate_rows, migrate_rows, name);

static void prepare_migrate(struct ptebatch_trial *trial, const void *data)
{
	const struct migrate_row *row = data;
	struct ptebatch_space *space = trial->space;

	if (space->setup.twice)
		ptebatch_trial_second(trial, &space->places[1]);
	if (row->pinned)
		ptebatch_folio_pin(space->folios[0], 1);
}

static void undo_migrate(struct ptebatch_trial *trial, const void *data)
{
	const struct migrate_row *row = data;

	if (row->pinned)
		ptebatch_folio_pin(trial->space->folios[0], -1);
}

static void check_child(struct ptebatch_trial *trial, const void *data)
{
	const struct migrate_row *row = data;

	if (trial->second)
		ptebatch_trial_expect(trial->second, row->after);
}

static void migrate_row(struct kunit *test)
{
	const struct migrate_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = &migrate_op, .setup = &row->setup, .after = row->after,
		.prepare = prepare_migrate, .undo = undo_migrate,
		.check = check_child, .data = row,
	};

	if (!IS_ENABLED(CONFIG_MIGRATION))
		kunit_skip(test, "no migration without CONFIG_MIGRATION");
	ptebatch_row_run(test, &run);
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

/**
 * struct split_row - a case of split_folio_to_order()
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row
 * @order: order of the new folios
 * @zero_from: first page of zeroes of the first folio
 * @zero_to: first page behind them
 * @hwpoison: the first page of zeroes has PG_hwpoison
 */
struct split_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	unsigned int order;
	unsigned int zero_from, zero_to;
	bool hwpoison;
};

static const struct split_row split_rows[] = {
	{ "64K folio: small folios with the bits of each entry",
	  { "{Wdyx*4 Rdyx*4 Rdy*4 Wyx*4}", .prot = RW, .lru = true },
	  "(Wdyx*4 Rdyx*4 Rdy*4 Wyx*4)" },
	{ "64K folio to 16K folios: the bits of each entry stay",
	  { "{Wdyx*4 Rdyx*6 Wyx*6}", .prot = RW, .lru = true },
	  "(Wdyx*4 Rdyx*6 Wyx*6)", .order = 2 },
	{ "PMD-mapped folio: small folios, writable",
	  { "[Wdyx]", .prot = RW, .lru = true }, "(Wdyx*T)" },
	{ "64K folio, pages 4 to 7 zero: replaced by the zero page",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "(Wdyx*4 Ryz*4 Wdyx*8)",
	  .zero_from = 4, .zero_to = 8 },
	{ "64K folio, pages 6 to 9 zero, first half soft-dirty: entries of the zero page too",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .lru = true, .track = true },
	  "(Wdysx*6 Rysz*2 Ryz*2 Rdyx*6)", .zero_from = 6, .zero_to = 10 },
	{ "64K folio, pages 6 to 9 zero, first half uffd-wp: entries of the zero page too",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .lru = true, .uffd_wp = true },
	  "(Rdyux*6 Ryuz*2 Ryz*2 Wdyx*6)", .zero_from = 6, .zero_to = 10 },
	{ "64K folio to 16K folios, pages 4 to 7 zero: not replaced",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "(Wdyx*16)", .order = 2,
	  .zero_from = 4, .zero_to = 8 },
	{ "64K folio, mlocked, pages 4 to 7 zero: not replaced",
	  { "{Wdyx*16}", .prot = RW, .lru = true, .mlocked = true }, "(Wdyx*16)",
	  .zero_from = 4, .zero_to = 8 },
	{ "64K folio, page 4 zero and PG_hwpoison: hwpoison entry",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "(Wdyx*4 H Wdyx*11)",
	  .zero_from = 4, .zero_to = 5, .hwpoison = true },
	{ "PMD-mapped folio, page 4 zero and PG_hwpoison: not read, so not replaced",
	  { "[Wdyx]", .prot = RW, .lru = true }, "(Wdyx*T)",
	  .zero_from = 4, .zero_to = 5, .hwpoison = true },
};

KUNIT_ARRAY_PARAM_DESC(split_rows, split_rows, name);

static void prepare_split(struct ptebatch_trial *trial, const void *data)
{
	struct folio *folio = trial->space->folios[0];
	const struct split_row *row = data;
	unsigned int i;

	for (i = row->zero_from; i < row->zero_to; i++)
		clear_page(page_address(folio_page(folio, i)));
	if (row->hwpoison)
		SetPageHWPoison(folio_page(folio, row->zero_from));
}

/* The page is mapped, so it is not free; its folio was split. */
static void undo_split(struct ptebatch_trial *trial, const void *data)
{
	const struct split_row *row = data;

	if (row->hwpoison)
		ClearPageHWPoison(&trial->space->folios[0]->page + row->zero_from);
}

static void split_row(struct kunit *test)
{
	const struct split_row *row = test->param_value;
	const struct ptebatch_op op = {
		.function = "split_folio_to_order()", .call = split_all, .no_twin = true,
		.arg = row->order,
	};
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .after = row->after,
		.prepare = prepare_split, .undo = undo_split, .data = row,
	};

	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no splits without CONFIG_TRANSPARENT_HUGEPAGE");
	if (row->hwpoison && !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "no PG_hwpoison without CONFIG_MEMORY_FAILURE");
	ptebatch_row_run(test, &run);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* A folio in the swap cache must not be split into large folios. */
static void split_swap_cache(struct kunit *test)
{
	const struct ptebatch_setup setup = { "{Wdyx*16}", .prot = RW, .swap = true };
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
	KUNIT_CASE_PARAM(split_row, split_rows_gen_params),
	KUNIT_CASE(split_swap_cache),
	{}
};

static struct kunit_suite huge_memory_suite = {
	.name = "ptebatch_huge_memory",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = huge_memory_cases,
};

kunit_test_suite(huge_memory_suite);
