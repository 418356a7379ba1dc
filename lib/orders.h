/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folios of every order, of every kind that a suite knows, and every kind of
 * range in them: parameters for its cases.
 */
#ifndef PTEBATCH_ORDERS_H
#define PTEBATCH_ORDERS_H

#include <kunit/test.h>

/* 0 to 9: up to 2M with pages of 4K. */
#define PTEBATCH_ORDERS	10

/**
 * struct ptebatch_order - one folio
 * @order: its order
 * @kind: index into the suite's kinds
 */
struct ptebatch_order {
	unsigned int order;
	unsigned int kind;
};

/* Defines @prefix_gen_params() for an array of kinds, each of which has a name. */
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

/* Tries the pages from @from to @to - 1 of a folio. */
typedef void (*ptebatch_range_t)(struct kunit *test,
				 const struct ptebatch_order *param,
				 unsigned int from, unsigned int to);

bool ptebatch_order_next(struct ptebatch_order *param, const void *prev,
			 unsigned int nr_kinds);
void ptebatch_each_range(struct kunit *test, ptebatch_range_t check);

#endif /* PTEBATCH_ORDERS_H */
