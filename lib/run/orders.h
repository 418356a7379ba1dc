/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Case parameters: folios of every order and of every kind of a suite, and the
 * ranges to test in each folio.
 */
#ifndef PTEBATCH_ORDERS_H
#define PTEBATCH_ORDERS_H

#include <kunit/test.h>

/* Orders 0 to 9: folios up to 2M with 4K pages. */
#define PTEBATCH_ORDERS	10

/**
 * struct ptebatch_order - one folio
 * @order: order of the folio
 * @kind: index into the suite's array of kinds
 */
struct ptebatch_order {
	unsigned int order;
	unsigned int kind;
};

/* Define @prefix_gen_params() for @kinds, an array of structs with a name. */
#define PTEBATCH_ORDER_PARAM(prefix, kinds)				\
static const void *prefix##_gen_params(struct kunit *test,		\
				     const void *prev, char *desc)	\
{									\
	static struct ptebatch_order param;				\
	const __auto_type all = &(kinds);				\
									\
	if (!ptebatch_order_next(&param, prev, ARRAY_SIZE(*all)))	\
		return NULL;						\
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u %s",		\
		 param.order, (*all)[param.kind].name);			\
	return &param;							\
}

/* Test the operation on pages @from to @to - 1 of a folio. */
typedef void (*ptebatch_range_t)(struct kunit *test,
				 const struct ptebatch_order *param,
				 unsigned int from, unsigned int to);

bool ptebatch_order_next(struct ptebatch_order *param, const void *prev,
			 unsigned int nr_kinds);
void ptebatch_each_range(struct kunit *test, ptebatch_range_t check);

#endif /* PTEBATCH_ORDERS_H */
