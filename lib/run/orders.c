// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "../arch/table.h"
#include "orders.h"

/* Orders 0 to 9, folios up to 2M with 4K pages, at most what a PMD maps. */
#define ORDERS	min(10, PMD_ORDER + 1)

/* The arguments of ptebatch_orders(); KUnit makes one array after the other. */
static struct {
	const void *kinds;
	unsigned int nr;
	size_t size;
} all;

static bool fill(unsigned int i, void *param)
{
	*(struct ptebatch_order *)param = (struct ptebatch_order) {
		.order = i / all.nr,
		.kind = all.kinds + i % all.nr * all.size,
	};
	return true;
}

static void describe(struct kunit *test, const void *param, char *desc)
{
	const struct ptebatch_order *order = param;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u %s", order->order,
		 *(const char * const *)order->kind);
}

/**
 * ptebatch_orders() - make the parameters of cases of each order and kind
 * @test: the parameterized test
 * @kinds: the suite's array of kinds; each begins with its name
 * @nr_kinds: number of kinds
 * @size: size of a kind, in bytes
 *
 * Return: 0 or -ENOMEM.
 */
int ptebatch_orders(struct kunit *test, const void *kinds, unsigned int nr_kinds,
		    size_t size)
{
	all.kinds = kinds;
	all.nr = nr_kinds;
	all.size = size;
	return ptebatch_params(test, ORDERS * nr_kinds,
			       sizeof(struct ptebatch_order), fill, describe);
}

/**
 * ptebatch_each_range() - test every kind of range in a folio
 * @test: the case, with a parameter from PTEBATCH_ORDER_PARAMS()
 * @check: tests one range; not called again after it returns false
 *
 * The ranges are the whole folio, each half, all pages but the first and the
 * last, and the two pages in the middle.
 *
 * Return: true if @check returned true for all ranges.
 */
bool ptebatch_each_range(struct kunit *test, ptebatch_range_t check)
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
		if (ranges[i].from < ranges[i].to &&
		    !check(test, param->kind, nr, ranges[i].from, ranges[i].to))
			return false;
	return true;
}

/**
 * ptebatch_draw() - print a picture
 * @test: the case
 * @format: format of the picture
 *
 * Context: Process context, may sleep.
 * Return: the picture, freed at the end of the case.
 */
const char *ptebatch_draw(struct kunit *test, const char *format, ...)
{
	char *text = kunit_kzalloc(test, KUNIT_PARAM_DESC_SIZE, GFP_KERNEL);
	va_list args;
	int len;

	KUNIT_ASSERT_NOT_NULL(test, text);
	va_start(args, format);
	len = vsnprintf(text, KUNIT_PARAM_DESC_SIZE, format, args);
	va_end(args);
	KUNIT_ASSERT_LT(test, len, KUNIT_PARAM_DESC_SIZE);
	return text;
}

/**
 * ptebatch_draw_range() - print a picture of one folio with a range
 * @test: the case
 * @nr: number of pages in the folio
 * @from: index of the first page in the range
 * @to: index of the first page after the range
 * @outside: token of the pages outside of the range
 * @inside: token of the pages in the range
 *
 * Context: Process context, may sleep.
 * Return: the picture, for example "{Wdyx*4 | Wdyx*8 | Wdyx*4}".
 */
const char *ptebatch_draw_range(struct kunit *test, unsigned int nr,
				unsigned int from, unsigned int to,
				const char *outside, const char *inside)
{
	return ptebatch_draw(test, "{%s*%u | %s*%u | %s*%u}", outside, from,
			     inside, to - from, outside, nr - to);
}
