// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/swap.h>

#include "internal.h"

#include "../space/folio.h"
#include "../space/refs.h"
#include "conditions.h"

static unsigned long index_of(const struct ptebatch_use *use)
{
	unsigned long i = use->condition->value;

	return i == LAST_FOLIO ? use->trial->space->row.nr_folios - 1 : i;
}

static struct folio *folio_of(const struct ptebatch_use *use)
{
	return use->trial->space->folios[index_of(use)];
}

static void reference(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	use->folio = folio_of(use);
	folio_get(use->folio);
}

static void put(struct ptebatch_use *use)
{
	if (use->folio)
		folio_put(use->folio);
}

const struct ptebatch_condition_type ptebatch_condition_referenced = {
	.name = "a folio gets another reference", .occur = reference, .end = put,
};

static void reference_result(struct ptebatch_use *use, const unsigned long *args,
			     struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_return_value(regs);

	if (IS_ERR_OR_NULL(folio))
		return;
	folio_get(folio);
	use->folio = folio;
}

const struct ptebatch_condition_type ptebatch_condition_result_referenced = {
	.name = "the folio that a function returns gets another reference",
	.occur = reference_result, .end = put, .at_return = true,
};

static void pin(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	use->folio = folio_of(use);
	ptebatch_folio_pin(use->folio, 1);
	mm_flags_set(MMF_HAS_PINNED, use->trial->place->mm);
}

static void unpin(struct ptebatch_use *use)
{
	if (use->folio)
		ptebatch_folio_pin(use->folio, -1);
}

const struct ptebatch_condition_type ptebatch_condition_pinned = {
	.name = "a folio is pinned", .occur = pin, .end = unpin,
};

static void lock(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	use->folio = folio_trylock(folio_of(use)) ? folio_of(use) : NULL;
}

static void unlock(struct ptebatch_use *use)
{
	if (use->folio)
		folio_unlock(use->folio);
	else if (use->met)
		KUNIT_FAIL(use->trial->test, "the folio to lock was locked already");
}

const struct ptebatch_condition_type ptebatch_condition_locked = {
	.name = "a folio is locked", .occur = lock, .end = unlock,
};

/* Set-up locks folios with swap space, so the space has kept its references to them. */
static void unlock_all(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	struct ptebatch_trial *trial = use->trial;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for_each_set_bit(i, trial->locked, space->row.nr_folios)
		folio_unlock(space->folios[i]);
	bitmap_zero(trial->locked, PTEBATCH_ROW_ENTRIES);
	if (space->setup.folios & ON_LRU)
		ptebatch_space_drop_refs(space);
}

const struct ptebatch_condition_type ptebatch_condition_unlocked = {
	.name = "no folio is locked", .occur = unlock_all,
};

static void isolate(struct ptebatch_use *use, const unsigned long *args,
		    struct pt_regs *regs)
{
	KUNIT_ASSERT_TRUE(use->trial->test, folio_isolate_lru(folio_of(use)));
	use->folio = folio_of(use);
}

static void put_back(struct ptebatch_use *use)
{
	if (use->folio)
		folio_putback_lru(use->folio);
}

const struct ptebatch_condition_type ptebatch_condition_isolated = {
	.name = "a folio is isolated from the LRU lists", .occur = isolate, .end = put_back,
};

/* The folio stays dirty. */
static void mark_dirty(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	folio_mark_dirty(folio_of(use));
	set_bit(index_of(use), use->trial->dirty);
}

const struct ptebatch_condition_type ptebatch_condition_dirty = {
	.name = "a folio is dirty", .occur = mark_dirty,
};

static void poison(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	const struct ptebatch_shape *shape = space->row.folios;
	unsigned long page = use->condition->value;

	while (page >= shape->first + (1UL << shape->order))
		shape++;
	use->folio = space->folios[shape - space->row.folios];
	use->word = page - shape->first;
	ptebatch_folio_poison(use->folio, use->word);
}

static void unpoison(struct ptebatch_use *use)
{
	if (use->folio)
		ptebatch_folio_unpoison(use->folio, use->word);
}

static const char *poison_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_MEMORY_FAILURE) ? NULL :
	       "no PG_hwpoison without CONFIG_MEMORY_FAILURE";
}

const struct ptebatch_condition_type ptebatch_condition_hwpoison = {
	.name = "a page has PG_hwpoison", .missing = poison_missing, .occur = poison,
	.end = unpoison,
};

static void clear_lru(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	use->folio = folio_of(use);
	folio_clear_lru(use->folio);
}

static void set_lru(struct ptebatch_use *use)
{
	if (use->folio)
		folio_set_lru(use->folio);
}

const struct ptebatch_condition_type ptebatch_condition_off_lru = {
	.name = "a folio is on no LRU list", .occur = clear_lru, .end = set_lru,
};

static const char *splits_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? NULL :
	       "no folio is split without CONFIG_TRANSPARENT_HUGEPAGE";
}

const struct ptebatch_condition_type ptebatch_condition_splits = {
	.name = "folios can be split", .missing = splits_missing,
};
