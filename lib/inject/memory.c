// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail. The kernel's fault injection reaches slabs; the result of
 * other functions is changed when they return.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../row/rules.h"
#include "conditions.h"

/*
 * The page table was allocated and stays, as if another thread had allocated it
 * later. The mm frees it.
 */
static void fail_table(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	ptebatch_hook_return(regs, -ENOMEM);
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

static void lose_folios(struct ptebatch_use *use, unsigned int nr)
{
	struct kunit *test = use->trial->test;

	KUNIT_ASSERT_LE(test, nr, FOLIOS);
	use->data = kunit_kcalloc(test, FOLIOS, sizeof(struct folio *), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, use->data);
	use->hook.times = nr ?: FOLIOS;
}

static void folios_begin(struct ptebatch_use *use)
{
	lose_folios(use, use->condition->value);
}

/* The folio that the function returns, or %NULL. */
static struct folio *new_folio(const struct ptebatch_use *use, struct pt_regs *regs)
{
	void *value = (void *)regs_return_value(regs);

	return !value || strcmp(use->condition->function, "get_free_pages_noprof") ?
	       value : virt_to_folio(value);
}

/* A hook must not free the folio: @word is the number of those to free. */
static void fail_folio(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	struct folio *folio = new_folio(use, regs);
	struct folio **lost = use->data;

	if (!folio)
		return;
	lost[use->word++] = folio;
	ptebatch_hook_return(regs, 0);
}

static void put_folios(struct ptebatch_use *use)
{
	struct folio **lost = use->data;

	while (use->word)
		folio_put(lost[--use->word]);
}

static void folios_end(struct ptebatch_use *use)
{
	if (use->condition->value)
		use->met &= use->word == use->condition->value;
	put_folios(use);
}

const struct ptebatch_condition_type ptebatch_condition_no_folio = {
	.name = "no folio can be allocated", .missing = folios_missing,
	.begin = folios_begin, .occur = fail_folio, .end = folios_end, .at_return = true,
};

static bool is_of_order(struct ptebatch_hook *hook, const unsigned long *args,
			struct pt_regs *regs)
{
	const struct ptebatch_use *use = hook->data;

	return args[1] == use->condition->value;
}

static void order_begin(struct ptebatch_use *use)
{
	lose_folios(use, FOLIOS);
	use->hook.counts = is_of_order;
}

const struct ptebatch_condition_type ptebatch_condition_no_folio_of_order = {
	.name = "no folio of the order can be allocated", .begin = order_begin,
	.occur = fail_folio, .end = put_folios, .at_return = true,
};

static void note_folio(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	use->folio = new_folio(use, regs);
}

static void expect_freed(struct ptebatch_use *use)
{
	use->met = use->folio;
	if (use->folio)
		KUNIT_EXPECT_EQ_MSG(use->trial->test, page_ref_count(&use->folio->page), 0,
				    PTEBATCH_RULE_ACCOUNTING
				    ": references to the new folio after %s, not mapped",
				    use->trial->function);
}

const struct ptebatch_condition_type ptebatch_condition_freed = {
	.name = "a new folio is freed again", .missing = folios_missing,
	.occur = note_folio, .end = expect_freed, .at_return = true,
	.always = true,
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
	use->word = true;
}

static void slab_end(struct ptebatch_use *use)
{
#ifdef CONFIG_FAILSLAB
	use->met = use->word && !current->fail_nth;
	current->fail_nth = 0;
#endif
}

const struct ptebatch_condition_type ptebatch_condition_no_slab = {
	.name = "a slab allocation fails", .missing = slab_missing, .occur = fail_slab,
	.end = slab_end, .tells = true,
};
