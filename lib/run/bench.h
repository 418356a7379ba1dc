/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time an operation on a page table of folios, by kind and order, for the
 * kernel and its twin.
 */
#ifndef PTEBATCH_BENCH_H
#define PTEBATCH_BENCH_H

#include "../op/op.h"
#include "params.h"

/* Pages in a timed operation: one page table of 4K pages. */
#define PTEBATCH_BENCH_PAGES	512

/**
 * struct ptebatch_bench_kind - a kind of folio
 * @name: name of the kind, without blanks
 * @setup: address space of the folios, without a picture
 * @entry: token of all entries
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

void ptebatch_bench_describe(struct kunit *test, const void *param, char *desc);
int ptebatch_bench_params(struct kunit *test,
			  const struct ptebatch_bench_kind *kinds,
			  unsigned int nr);
struct ptebatch_space *ptebatch_bench_space(struct kunit *test, unsigned int pages);
unsigned long ptebatch_bench_faults(void);
void ptebatch_bench_lock(struct ptebatch_space *space);
void ptebatch_bench_run(struct kunit *test, const struct ptebatch_op *op,
			unsigned int calls);

#endif /* PTEBATCH_BENCH_H */
