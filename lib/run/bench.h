/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time an operation on a page table of folios, by kind and order, for the
 * kernel and its twin.
 */
#ifndef PTEBATCH_BENCH_H
#define PTEBATCH_BENCH_H

#include <linux/bits.h>

#include "../op/op.h"
#include "params.h"
#include "stopwatch.h"

/* Pages in a timed operation: one page table of 4K pages. */
#define PTEBATCH_BENCH_PAGES	512

/* Repetitions of a timed operation. */
#define PTEBATCH_BENCH_LAPS	5

/* Orders of the folios, one bit for each. */
#define PTEBATCH_BENCH_ORDERS	(BIT(0) | BIT(2) | BIT(4) | BIT(6) | BIT(9))

/**
 * struct ptebatch_bench_kind - a kind of folio
 * @name: name of the kind, without blanks
 * @setup: address space of the folios
 * @entry: token of all entries, if the set-up has no picture
 */
struct ptebatch_bench_kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *entry;
};

/**
 * struct ptebatch_bench - parameter of a case
 * @kind: kind of the folios
 * @order: order of the folios
 * @twin: the twin is timed
 */
struct ptebatch_bench {
	const struct ptebatch_bench_kind *kind;
	unsigned int order;
	bool twin;
};

/**
 * struct ptebatch_timed - what a bench times in each space
 * @table: the table of its figures, named by what it times
 * @name: name of its figures, beside the kind of folios; %NULL: that of the kind
 * @op: the operation
 * @time: start and stop the stopwatch around what is timed, instead of @op; returns 0
 *        or another number if it failed. %NULL: call @op, which returns 0.
 * @prepare: before the stopwatch is started; may be %NULL
 * @check: after it is stopped, fails the case if the operation was not done
 * @pages: number of pages of the space, 0: %PTEBATCH_BENCH_PAGES
 * @calls: number of calls of the kernel in @time or @op, 0: 1
 */
struct ptebatch_timed {
	const char *table;
	const char *name;
	const struct ptebatch_op *op;
	long (*time)(struct ptebatch_space *space, struct ptebatch_stopwatch *watch);
	void (*prepare)(struct ptebatch_space *space);
	void (*check)(struct ptebatch_space *space);
	unsigned int pages;
	unsigned int calls;
};

/*
 * Define the parameters of @bench: all of @kinds, an array, in some orders, by the
 * kernel (@ways is 1) or by the kernel and the twin (@ways is 2).
 */
#define PTEBATCH_BENCH_PARAMS_OF(bench, kinds, orders, ways)			\
static int bench##_params(struct kunit *test)					\
{										\
	const __auto_type all = &(kinds);					\
										\
	return ptebatch_bench_params(test, *all, ARRAY_SIZE(*all), orders, ways); \
}

#define PTEBATCH_BENCH_PARAMS(bench, kinds) \
	PTEBATCH_BENCH_PARAMS_OF(bench, kinds, PTEBATCH_BENCH_ORDERS, 2)

int ptebatch_bench_params(struct kunit *test, const struct ptebatch_bench_kind *kinds,
			  unsigned int nr, unsigned long orders, unsigned int ways);
struct ptebatch_space *ptebatch_bench_space(struct kunit *test, unsigned int pages);
void ptebatch_bench_lock(struct ptebatch_space *space);
void ptebatch_bench_expect_unmapped(struct ptebatch_space *space);
void ptebatch_bench_run(struct kunit *test, const struct ptebatch_timed *timed);
__printf(5, 6)
void ptebatch_bench_report(struct kunit *test, struct ptebatch_stopwatch *watch,
			   unsigned long pages, unsigned long calls, const char *what, ...);

#endif /* PTEBATCH_BENCH_H */
