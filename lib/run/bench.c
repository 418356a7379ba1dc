// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/vmstat.h>

#include "bench.h"
#include "orders.h"
#include "stopwatch.h"

#define LAPS	5

static const unsigned int orders[] = { 0, 2, 4, 6, 9 };

/* The kinds of ptebatch_bench_params(); KUnit makes one array after the other. */
static const struct ptebatch_bench_kind *all;

static bool fill(unsigned int i, void *param)
{
	*(struct ptebatch_bench *)param = (struct ptebatch_bench) {
		.kind = &all[i / 2 / ARRAY_SIZE(orders)],
		.order = orders[i / 2 % ARRAY_SIZE(orders)],
		.twin = i % 2,
	};
	return true;
}

/**
 * ptebatch_bench_describe() - name a case of a bench
 * @test: the parameterized test
 * @param: struct ptebatch_bench
 * @desc: name of the case, KUNIT_PARAM_DESC_SIZE bytes
 */
void ptebatch_bench_describe(struct kunit *test, const void *param, char *desc)
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
 *
 * Return: 0 or -ENOMEM.
 */
int ptebatch_bench_params(struct kunit *test,
			  const struct ptebatch_bench_kind *kinds,
			  unsigned int nr)
{
	all = kinds;
	return ptebatch_params(test, nr * ARRAY_SIZE(orders) * 2,
			       sizeof(struct ptebatch_bench), fill,
			       ptebatch_bench_describe);
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

	setup.picture = ptebatch_draw(test, "{%s*%u}*%u", bench->kind->entry,
				      1U << bench->order, pages >> bench->order);
	return ptebatch_space(test, &setup);
}

/**
 * ptebatch_bench_faults() - count page faults
 *
 * Context: Process context, may sleep.
 * Return: number of page faults since boot.
 */
unsigned long ptebatch_bench_faults(void)
{
	unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[PGFAULT];
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
 * ptebatch_bench_run() - time an operation that unmaps the folios
 * @test: the case, with a parameter from ptebatch_bench_params()
 * @op: the operation
 * @calls: number of calls of the kernel's function in the operation
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_bench_run(struct kunit *test, const struct ptebatch_op *op,
			unsigned int calls)
{
	const struct ptebatch_bench *bench = test->param_value;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_space *space;
	char what[64];
	unsigned int i;

	while (watch.laps < LAPS) {
		space = ptebatch_bench_space(test, PTEBATCH_BENCH_PAGES);
		ptebatch_bench_lock(space);
		ptebatch_stopwatch_start(&watch);
		op->call(op, space, bench->twin);
		ptebatch_stopwatch_stop(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[i]));
		ptebatch_space_release(space);
	}
	snprintf(what, sizeof(what), "table=S2 name=%s kind=%s order=%u way=%s",
		 op->name, bench->kind->name, bench->order,
		 bench->twin ? "twin" : "kernel");
	ptebatch_stopwatch_report(test, &watch, what, PTEBATCH_BENCH_PAGES, calls);
}
