// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "../service/anon_orders.h"
#include "conditions.h"

/*
 * Leave other bytes than zeroes in free memory: in the pages that the fault gets,
 * most likely.
 */
static void fill_free_folios(unsigned long orders)
{
	struct folio *folio, *next;
	unsigned int order, i;
	LIST_HEAD(folios);

	orders |= BIT(0);
	for_each_set_bit(order, &orders, MAX_PAGE_ORDER + 1) {
		for (i = 0; i < max(1, 64 >> order); i++) {
			folio = folio_alloc(GFP_TRANSHUGE_LIGHT, order);
			if (!folio)
				break;
			memset(folio_address(folio), 0x5a, folio_size(folio));
			list_add(&folio->lru, &folios);
		}
	}
	list_for_each_entry_safe(folio, next, &folios, lru) {
		list_del(&folio->lru);
		folio_put(folio);
	}
}

static const char *orders_missing(const struct ptebatch_condition *condition)
{
	return condition->value ? ptebatch_anon_orders_missing() : NULL;
}

static void permit(struct ptebatch_use *use, const struct ptebatch_anon_orders *orders)
{
	fill_free_folios(use->condition->value);
	ptebatch_anon_orders_begin(use->trial->place->mm, orders);
}

static void permit_always(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	permit(use, &(struct ptebatch_anon_orders) { .always = use->condition->value });
}

static void permit_advised(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	permit(use, &(struct ptebatch_anon_orders) { .advised = use->condition->value });
}

static void restore_orders(struct ptebatch_use *use)
{
	ptebatch_anon_orders_end(use->trial->place->mm);
}

const struct ptebatch_condition_type ptebatch_condition_anon_orders = {
	.name = "faults map folios of some orders", .missing = orders_missing,
	.occur = permit_always, .end = restore_orders,
};

const struct ptebatch_condition_type ptebatch_condition_advised_orders = {
	.name = "faults map folios of some orders in VMAs with VM_HUGEPAGE",
	.missing = orders_missing, .occur = permit_advised, .end = restore_orders,
};
