// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of swap-in per page, by order of folio: do_swap_page() for one page of
 * each folio, beside its twin, which swaps each page in by a fault of its own. The
 * folios are in the swap cache, or are read from a RAM disk; these are new folios
 * of their order, up to half a PMD, and small folios in the twin.
 *
 * The cost of the exception and of the way to do_swap_page() is not included.
 */
#include <kunit/test.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/pgtable.h>

#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/service/anon_orders.h"
#include "../lib/service/swap.h"

enum { CACHED, DEVICE };

static const struct ptebatch_bench_kind kinds[] = {
	[CACHED] = { "cached", { .prot = PROT_READ | PROT_WRITE, .folios = WITH_SWAP }, "Sx" },
	[DEVICE] = { "device", { .prot = PROT_READ | PROT_WRITE, .folios = WITH_SWAP }, "Sx" },
};

PTEBATCH_BENCH_PARAMS(swap_in_bench, kinds);

/* Number of pages that one fault swaps in. */
static unsigned int pages_per_fault(const struct ptebatch_bench *bench)
{
	unsigned int most = bench->kind == &kinds[DEVICE] ? PTRS_PER_PTE / 2 :
							    PTRS_PER_PTE;

	return bench->twin ? 1 : min(1U << bench->order, most);
}

static void release_folios(struct ptebatch_space *space)
{
	const struct ptebatch_bench *bench = space->test->param_value;
	const struct ptebatch_anon_orders orders = {
		.always = BIT(ilog2(pages_per_fault(bench))),
	};
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (bench->kind == &kinds[DEVICE])
			KUNIT_ASSERT_EQ(space->test, 0,
					ptebatch_swap_out(space->folios[i]));
		else
			folio_unlock(space->folios[i]);
	ptebatch_anon_orders_begin(space->places[0].mm, &orders);
}

static long swap_in(struct ptebatch_space *space, struct ptebatch_stopwatch *watch)
{
	const struct ptebatch_bench *bench = space->test->param_value;
	unsigned int i, step = pages_per_fault(bench);
	long err = 0;

	ptebatch_stopwatch_start(watch);
	for (i = 0; i < PTEBATCH_BENCH_PAGES; i += step)
		err |= ptebatch_swap_in(space, i, 0, bench->twin);
	ptebatch_stopwatch_stop(watch);
	ptebatch_anon_orders_end(space->places[0].mm);
	return err;
}

static void expect_swapped_in(struct ptebatch_space *space)
{
	KUNIT_EXPECT_EQ_MSG(space->test, get_mm_counter_sum(space->places[0].mm, MM_SWAPENTS),
			    0, "MM_SWAPENTS after swap-in, in pages");
}

static void swap_in_bench(struct kunit *test)
{
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"faults", "swap-in", .prepare = release_folios, .time = swap_in,
		.check = expect_swapped_in,
		.calls = PTEBATCH_BENCH_PAGES / pages_per_fault(test->param_value),
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(swap_in_bench),
	{}
};

PTEBATCH_SUITE(memory_swap_bench, bench_cases, PTEBATCH_SWAP_SPACE);
