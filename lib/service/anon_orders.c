// SPDX-License-Identifier: GPL-2.0
#include "../twin/names.h"

#include <linux/mm.h>

#include "anon_orders.h"

/**
 * ptebatch_anon_orders_missing() - get the reason why faults map small folios only
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_anon_orders_missing(void)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? NULL :
	       "faults map no large folios without CONFIG_TRANSPARENT_HUGEPAGE";
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE

/* The orders that were permitted before; and those that the global setting decides. */
static struct ptebatch_anon_orders before;
static unsigned long inherited_before;

static void set_orders(const struct ptebatch_anon_orders *orders, unsigned long inherited)
{
	WRITE_ONCE(huge_anon_orders_always, orders->always);
	WRITE_ONCE(huge_anon_orders_madvise, orders->advised);
	WRITE_ONCE(huge_anon_orders_inherit, inherited);
}

/**
 * ptebatch_anon_orders_begin() - permit these orders and no others
 * @mm: the mm that faults; from ptebatch_mm_alloc(), which permits no order
 * @orders: the orders
 *
 * The orders are those of all processes. The caller calls
 * ptebatch_anon_orders_end() after the fault, and fails no assertion in between.
 *
 * Context: Any.
 */
void ptebatch_anon_orders_begin(struct mm_struct *mm,
				const struct ptebatch_anon_orders *orders)
{
	before.always = READ_ONCE(huge_anon_orders_always);
	before.advised = READ_ONCE(huge_anon_orders_madvise);
	inherited_before = READ_ONCE(huge_anon_orders_inherit);
	set_orders(orders, 0);
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
}

/**
 * ptebatch_anon_orders_end() - restore the orders
 * @mm: the mm
 *
 * Context: Any.
 */
void ptebatch_anon_orders_end(struct mm_struct *mm)
{
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	set_orders(&before, inherited_before);
}

#else

void ptebatch_anon_orders_begin(struct mm_struct *mm,
				const struct ptebatch_anon_orders *orders)
{
}

void ptebatch_anon_orders_end(struct mm_struct *mm)
{
}

#endif
