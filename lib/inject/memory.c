// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail. The kernel's fault injection reaches slabs; the result of
 * other functions is changed when they return.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "conditions.h"

/*
 * The page table was allocated and stays, as if another thread had allocated it
 * later. The mm frees it.
 */
static void fail_table(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	regs_set_return_value(regs, -ENOMEM);
}

const struct ptebatch_condition_type ptebatch_condition_no_table = {
	.name = "no page table can be allocated", .occur = fail_table, .at_return = true,
};

/* Maximum number of folios that the operation does not get. */
#define FOLIOS	8

static const char *folios_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_NUMA) ? NULL :
	       "vma_alloc_folio() is inlined without CONFIG_NUMA";
}

static void folios_begin(struct ptebatch_use *use)
{
	struct kunit *test = use->trial->test;

	KUNIT_ASSERT_LE(test, use->condition->value, FOLIOS);
	use->data = kunit_kcalloc(test, FOLIOS, sizeof(struct folio *), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, use->data);
	use->hook.times = use->condition->value;
}

/* A hook must not free the folio: @word is the number of those to free. */
static void fail_folio(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	unsigned long value = regs_return_value(regs);
	struct folio **lost = use->data;

	if (!value)
		return;
	lost[use->word++] = strcmp(use->condition->function, "get_free_pages_noprof") ?
			    (struct folio *)value : virt_to_folio((void *)value);
	regs_set_return_value(regs, 0);
}

static void folios_end(struct ptebatch_use *use)
{
	struct folio **lost = use->data;

	use->met &= use->word == use->condition->value;
	while (use->word)
		folio_put(lost[--use->word]);
}

const struct ptebatch_condition_type ptebatch_condition_no_folio = {
	.name = "no folio can be allocated", .missing = folios_missing,
	.begin = folios_begin, .occur = fail_folio, .end = folios_end, .at_return = true,
};

static const char *slab_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_FAILSLAB) ? NULL :
	       "cannot make slab allocations fail without CONFIG_FAILSLAB";
}

static void fail_slab(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
#ifdef CONFIG_FAILSLAB
	current->fail_nth = 1;
#endif
}

static void slab_end(struct ptebatch_use *use)
{
#ifdef CONFIG_FAILSLAB
	use->met = !current->fail_nth;
	current->fail_nth = 0;
#endif
}

const struct ptebatch_condition_type ptebatch_condition_no_slab = {
	.name = "a slab allocation fails", .missing = slab_missing, .occur = fail_slab,
	.end = slab_end, .tells = true,
};
