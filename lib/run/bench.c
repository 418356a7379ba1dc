// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/find.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "bench.h"
#include "orders.h"

/* Those of ptebatch_bench_params(); KUnit makes one array after the other. */
static const struct ptebatch_bench_kind *all_kinds;
static unsigned long all_orders;
static unsigned int all_ways;

static bool fill(unsigned int i, void *param)
{
	unsigned int nr = hweight_long(all_orders);

	*(struct ptebatch_bench *)param = (struct ptebatch_bench) {
		.kind = &all_kinds[i / all_ways / nr],
		.order = find_nth_bit(&all_orders, BITS_PER_LONG, i / all_ways % nr),
		.twin = i % all_ways,
	};
	return true;
}

static void describe(struct kunit *test, const void *param, char *desc)
{
	const struct ptebatch_bench *bench = param;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, order %u, %s",
		 bench->kind->name, bench->order, bench->twin ? "twin" : "kernel");
}

/**
 * ptebatch_bench_params() - make the parameters of a bench
 * @test: the parameterized test
 * @kinds: array of the kinds of folios
 * @nr: number of kinds
 * @orders: the orders, one bit for each
 * @ways: 1: the kernel, 2: and the twin
 *
 * Return: 0 or -ENOMEM.
 */
int ptebatch_bench_params(struct kunit *test, const struct ptebatch_bench_kind *kinds,
			  unsigned int nr, unsigned long orders, unsigned int ways)
{
	all_ways = ways;
	all_kinds = kinds;
	all_orders = orders;
	return ptebatch_params(test, nr * hweight_long(orders) * ways,
			       sizeof(struct ptebatch_bench), fill, describe);
}

/**
 * ptebatch_bench_space() - make the address space of a bench
 * @test: the case, with a parameter from ptebatch_bench_params()
 * @pages: number of pages, a multiple of the folio size
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the space.
 */
struct ptebatch_space *ptebatch_bench_space(struct kunit *test, unsigned int pages)
{
	const struct ptebatch_bench *bench = test->param_value;
	struct ptebatch_setup setup = bench->kind->setup;

	if (!setup.picture)
		setup.picture = ptebatch_draw(test, "{%s*%u}*%u", bench->kind->entry,
					      1U << bench->order, pages >> bench->order);
	return ptebatch_space(test, &setup);
}

/**
 * ptebatch_bench_lock() - lock the folios of a bench, as reclaim does
 * @space: the space
 *
 * Context: Process context, may sleep.
 */
void ptebatch_bench_lock(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (!folio_test_locked(space->folios[i]))
			folio_lock(space->folios[i]);
}

/**
 * ptebatch_bench_expect_unmapped() - fail the case if a folio of a bench is mapped
 * @space: the space
 */
void ptebatch_bench_expect_unmapped(struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		KUNIT_EXPECT_FALSE(space->test, folio_mapped(space->folios[i]));
}

/**
 * ptebatch_bench_report() - print the times of an operation
 * @test: the case
 * @watch: the stopwatch, with at least one lap
 * @pages: number of pages in each lap
 * @calls: number of calls in each lap
 * @what: format of its name: words of "name=value" for the host's tools
 */
void ptebatch_bench_report(struct kunit *test, struct ptebatch_stopwatch *watch,
			   unsigned long pages, unsigned long calls, const char *what, ...)
{
	char text[96];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	ptebatch_stopwatch_report(test, watch, text, pages, calls);
}

/**
 * ptebatch_bench_run() - time an operation on a space for the case's parameter
 * @test: the case, with a parameter from ptebatch_bench_params()
 * @timed: what is timed
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_bench_run(struct kunit *test, const struct ptebatch_timed *timed)
{
	const struct ptebatch_bench *bench = test->param_value;
	unsigned int pages = timed->pages ?: PTEBATCH_BENCH_PAGES;
	const struct ptebatch_op *op = timed->op;
	const char *kind = bench->kind->name;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	long err = 0;

	if (op && ptebatch_op_missing(op))
		kunit_skip(test, "%s", ptebatch_op_missing(op));
	while (watch.laps < PTEBATCH_BENCH_LAPS) {
		space = ptebatch_bench_space(test, pages);
		if (timed->prepare)
			timed->prepare(space);
		if (timed->time) {
			err |= timed->time(space, &watch);
		} else {
			ptebatch_stopwatch_start(&watch);
			err |= op->call(op, space, bench->twin);
			ptebatch_stopwatch_stop(&watch);
		}
		timed->check(space);
		ptebatch_space_release(space);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	ptebatch_bench_report(test, &watch, pages, timed->calls ?: 1,
			      "table=%s name=%s%s%s order=%u way=%s", timed->table,
			      timed->name ?: kind, timed->name ? " kind=" : "",
			      timed->name ? kind : "", bench->order,
			      bench->twin ? "twin" : "kernel");
}
