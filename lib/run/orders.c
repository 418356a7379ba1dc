// SPDX-License-Identifier: GPL-2.0
#include "../check/trial.h"
#include "orders.h"

/**
 * ptebatch_order_next() - get the next combination of order and kind
 * @param: set to the next combination
 * @prev: @param, or %NULL to get the first combination
 * @nr_kinds: number of kinds
 *
 * Return: true if @param was set, false after the last combination.
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
 * ptebatch_each_range() - test every kind of range in a folio
 * @test: the case, with a parameter from PTEBATCH_ORDER_PARAM()
 * @check: tests one range; not called again after a failure
 *
 * The ranges are the whole folio, each half, all pages but the first and the
 * last, and the two pages in the middle.
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

	/* Below four pages, the last two ranges repeat earlier ones. */
	for (i = 0; i < (nr < 4 ? 3 : ARRAY_SIZE(ranges)); i++)
		if (ranges[i].from < ranges[i].to && !ptebatch_failed(test))
			check(test, param, ranges[i].from, ranges[i].to);
}
