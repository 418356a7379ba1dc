/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Case parameters: folios of every order and of every kind of a suite, and the
 * ranges to test in each folio.
 */
#ifndef PTEBATCH_ORDERS_H
#define PTEBATCH_ORDERS_H

#include "params.h"

/**
 * struct ptebatch_order - parameter of a case: one folio
 * @order: order of the folio
 * @kind: element of the suite's array of kinds; begins with its name
 */
struct ptebatch_order {
	unsigned int order;
	const void *kind;
};

/* Define name_params() for cases of each order with each element of @kinds. */
#define PTEBATCH_ORDER_PARAMS(name, kinds)				\
static int name##_params(struct kunit *test)				\
{									\
	const __auto_type all = &(kinds);				\
									\
	return ptebatch_orders(test, *all, ARRAY_SIZE(*all),		\
			       sizeof((*all)[0]));			\
}

/* Test the operation on pages @from to @to - 1 of a folio of @nr pages. */
typedef bool (*ptebatch_range_t)(struct kunit *test, const void *kind,
				 unsigned int nr, unsigned int from,
				 unsigned int to);

int ptebatch_orders(struct kunit *test, const void *kinds, unsigned int nr_kinds,
		    size_t size);
bool ptebatch_each_range(struct kunit *test, ptebatch_range_t check);

__printf(2, 3) const char *ptebatch_draw(struct kunit *test, const char *format, ...);
const char *ptebatch_draw_range(struct kunit *test, unsigned int nr,
				unsigned int from, unsigned int to,
				const char *outside, const char *inside);

#endif /* PTEBATCH_ORDERS_H */
