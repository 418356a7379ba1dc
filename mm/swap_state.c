// SPDX-License-Identifier: GPL-2.0
/*
 * swap_cache_alloc_folio() allocates a large folio for swap entries only if it
 * can be read as a whole: all of its pages are pages of zeroes, which are not in
 * the swap space, or none is. Otherwise it allocates a smaller folio:
 *
 *	pages 4 to 7 of a 64K folio are zero: swap-in of page 0 allocates 16K
 */
#include <kunit/test.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/swap.h>

#include "internal.h"
#include <swap.h>

#include "../lib/check/checks.h"
#include "../lib/check/contents.h"
#include "../lib/op/op.h"
#include "../lib/service/swap.h"

#ifdef CONFIG_SWAP
/**
 * struct swap_in_row - a case of swap_cache_alloc_folio()
 * @name: name of the case
 * @zero_from: first page of the 64K folio that was swapped out as zeroes
 * @zero_to: first page behind them
 * @at: page that is swapped in
 * @order: expected order of the new folio; 4, 2 and 0 are permitted
 */
struct swap_in_row {
	const char *name;
	unsigned int zero_from, zero_to, at, order;
};

static const struct swap_in_row rows[] = {
	{ "no page zero: 64K folio", 0, 0, .at = 5, .order = 4 },
	{ "all pages zero: 64K folio", 0, 16, .at = 5, .order = 4 },
	{ "pages 4 to 7 zero, swap-in of page 0: 16K folio", 4, 8, .at = 0, .order = 2 },
	{ "pages 4 to 7 zero, swap-in of page 5: 16K folio of zeroes", 4, 8, .at = 5, .order = 2 },
	{ "first page zero, swap-in of page 0: small folio of zeroes", 0, 1, .at = 0, .order = 0 },
	{ "first page zero, swap-in of page 15: 16K folio", 0, 1, .at = 15, .order = 2 },
	{ "last page zero, swap-in of page 14: small folio", 15, 16, .at = 14, .order = 0 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

#ifdef CONFIG_NUMA
static struct mempolicy local_node = {
	.refcnt = ATOMIC_INIT(1),
	.mode = MPOL_LOCAL,
};

static struct mempolicy *policy = &local_node;
#else
static struct mempolicy *policy;
#endif

static swp_entry_t entry_of(swp_entry_t first, unsigned int page)
{
	return swp_entry(swp_type(first), swp_offset(first) + page);
}

static struct folio *alloc_folio(swp_entry_t entry, unsigned long orders)
{
	return swap_cache_alloc_folio(entry, GFP_KERNEL, orders, NULL, policy, 0);
}

static void free_folio(struct folio *folio)
{
	ptebatch_swap_free(folio);
	folio_unlock(folio);
	folio_put(folio);
}

/* Swap a small folio of zeroes out to @entry, as after its swap-in. */
static int write_zeroes(swp_entry_t entry)
{
	struct folio *folio = alloc_folio(entry, BIT(0));
	int err;

	if (IS_ERR(folio))
		return PTR_ERR(folio);
	clear_page(folio_address(folio));
	folio_mark_uptodate(folio);
	err = ptebatch_swap_write(folio);
	folio_lock(folio);
	free_folio(folio);
	return err;
}

static bool is_zero(struct page *page)
{
	return !memchr_inv(page_address(page), 0, PAGE_SIZE);
}

static void check_contents(const struct ptebatch_trial *trial, struct folio *folio,
			   unsigned int first)
{
	const struct swap_in_row *row = trial->test->param_value;
	unsigned int i;

	KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_swap_read(folio),
			      "swap_read_folio() does not read the folio");
	for (i = first; i < first + folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i - first);
		bool zero = i >= row->zero_from && i < row->zero_to;

		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      zero ? is_zero(page) :
					     ptebatch_contents_copied(trial->space,
								      &trial->space->row.entries[i],
								      page),
				      "wrong contents of page %u after swap-in", i);
	}
}

static void swap_in(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*16}", .prot = PROT_READ | PROT_WRITE, .folios = WITH_SWAP,
	};
	const struct swap_in_row *row = test->param_value;
	struct ptebatch_trial *trial;
	struct folio *folio;
	swp_entry_t first;
	unsigned int i;

	trial = ptebatch_trial_begin(test, "swap_cache_alloc_folio()", &setup);
	ptebatch_contents_fill(trial);
	folio = trial->space->folios[0];
	first = folio->swap;
	ptebatch_unmap.call(&ptebatch_unmap, trial->space, false);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_round_trip(folio));
	ptebatch_swap_free(folio);
	for (i = row->zero_from; i < row->zero_to; i++)
		KUNIT_ASSERT_EQ(test, 0, write_zeroes(entry_of(first, i)));

	folio = alloc_folio(entry_of(first, row->at), BIT(4) | BIT(2) | BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	KUNIT_EXPECT_EQ_MSG(test, folio_order(folio), row->order,
			    "order of the new folio");
	if (folio_order(folio) == row->order)
		check_contents(trial, folio, round_down(row->at, 1U << row->order));
	free_folio(folio);
}

static struct kunit_case swap_state_cases[] = {
	KUNIT_CASE_PARAM(swap_in, rows_gen_params),
	{}
};

PTEBATCH_SUITE(swap_state, swap_state_cases, PTEBATCH_SWAP_SPACE);
#endif
