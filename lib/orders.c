// SPDX-License-Identifier: GPL-2.0
#include "orders.h"
#include "trial.h"

/**
 * ptebatch_order_next() - the next order and kind
 * @param: gets it
 * @prev: @param, or %NULL for the first one
 * @nr_kinds: how many kinds there are
 *
 * Return: whether there is one.
 */
bool ptebatch_order_next(struct ptebatch_order *param, const void *prev,
			 unsigned int nr_kinds)
{
	if (!prev)
		*param = (struct ptebatch_order) {};
	else if (++param->kind == nr_kinds)
		*param = (struct ptebatch_order) { .order = param->order + 1 };
	return param->order < PTEBATCH_ORDERS;
}

/**
 * ptebatch_each_range() - try every kind of range in a folio
 * @test: a case with a parameter from PTEBATCH_ORDER_PARAM()
 * @check: tries one; after one that fails there is no other
 *
 * Whole, its halves, all but its ends, and a few pages over its middle.
 */
void ptebatch_each_range(struct kunit *test, ptebatch_range_t check)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;
	const struct { unsigned int from, to; } ranges[] = {
		{ 0, nr }, { 0, nr / 2 }, { nr / 2, nr }, { 1, nr - 1 },
		{ nr / 2 - 1, nr / 2 + 1 },
	};
	unsigned int i;

	/* Of less than four pages, these are the ones before. */
	for (i = 0; i < (nr < 4 ? 3 : ARRAY_SIZE(ranges)); i++)
		if (ranges[i].from < ranges[i].to && !ptebatch_failed(test))
			check(test, param, ranges[i].from, ranges[i].to);
}
