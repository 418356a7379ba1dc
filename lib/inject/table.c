// SPDX-License-Identifier: GPL-2.0
/*
 * The page table of the row, and its PMD. During the operation no condition takes a lock,
 * as the caller may hold it; no other thread exists.
 */
#include <linux/mm.h>

#include "../arch/arch.h"
#include "../space/pte.h"
#include "../space/tables.h"
#include "conditions.h"

/* The PMD of the first page table of the row, or of the second place. */
static pmd_t *first_pmd(const struct ptebatch_use *use)
{
	const struct ptebatch_trial *trial = use->condition->value ? use->trial->second :
					     use->trial;

	return ptebatch_find_pmd(trial->place->mm, trial->place->start);
}

static void take_table(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	pmd_t *pmd = first_pmd(use);

	use->word = pmd_val(*pmd);
	pmd_clear(pmd);
}

/* The PMD of the row's first page table, locked. */
static pmd_t *locked_pmd(const struct ptebatch_use *use, spinlock_t **ptl)
{
	pmd_t *pmd = first_pmd(use);

	*ptl = pmd_lock(use->trial->place->mm, pmd);
	return pmd;
}

/* Restore the PMD, which is the word of the condition; returns that of meanwhile. */
static pmd_t put_pmd(struct ptebatch_use *use)
{
	spinlock_t *ptl;	/* of the PMD */
	pmd_t *pmd = locked_pmd(use, &ptl);
	pmd_t was = *pmd;

	set_pmd(pmd, __pmd(use->word));
	spin_unlock(ptl);
	use->word = 0;
	return was;
}

static void put_table(struct ptebatch_use *use)
{
	pmd_t was;

	if (!use->word)
		return;
	was = put_pmd(use);
	KUNIT_EXPECT_TRUE_MSG(use->trial->test, pmd_none(was),
			      "%s sets a PMD whose page table another thread has taken",
			      use->trial->function);
}

const struct ptebatch_condition_type ptebatch_condition_table_gone = {
	.name = "the page table is gone", .occur = take_table, .end = put_table,
};

/* Calls for the row's PMD, not those of a fault of this task. */
static bool allocs_row(struct ptebatch_hook *hook, const unsigned long *args,
		       struct pt_regs *regs)
{
	const pmd_t *pmd = first_pmd(hook->data);

	return pmd && args[1] == (unsigned long)pmd;
}

static void new_table_begin(struct ptebatch_use *use)
{
	use->hook.counts = allocs_row;
}

const struct ptebatch_condition_type ptebatch_condition_new_table_gone = {
	.name = "the new page table is gone", .begin = new_table_begin, .occur = take_table,
	.end = put_table, .at_return = true,
};

static void take_table_first(struct ptebatch_use *use)
{
	take_table(use, NULL, NULL);
}

static void put_table_at(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	set_pmd(first_pmd(use), __pmd(use->word));
	use->word = 0;
}

const struct ptebatch_condition_type ptebatch_condition_table_appears = {
	.name = "the page table appears", .begin = take_table_first,
	.occur = put_table_at, .end = put_table,
};

/* The condition before this one has taken it. */
static bool is_taken(struct ptebatch_hook *hook, const unsigned long *args, struct pt_regs *regs)
{
	const struct ptebatch_use *use = hook->data;

	return use[-1].word;
}

static void back_begin(struct ptebatch_use *use)
{
	use->hook.counts = is_taken;
}

static void put_taken_table(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	put_table_at(&use[-1], args, regs);
}

const struct ptebatch_condition_type ptebatch_condition_table_back = {
	.name = "the page table is back", .begin = back_begin, .occur = put_taken_table,
};

static void corrupt(struct ptebatch_use *use, const unsigned long *args,
		    struct pt_regs *regs)
{
	/* That of pmd_clear_bad(). */
	static const char * const reports[] = { "*:*: bad pmd ", NULL };
	struct ptebatch_space *space = use->trial->space;
	spinlock_t *ptl;	/* of the PMD */
	pmd_t *pmd = locked_pmd(use, &ptl);

	space->reports = reports;
	space->hides_table = true;
	ptebatch_hide_table(&use->trial->before.row);
	use->word = pmd_val(*pmd);
	set_pmd(pmd, ptebatch_bad_pmd(*pmd));
	spin_unlock(ptl);
}

static const char *bad_pmd_missing(const struct ptebatch_condition *condition)
{
	return PTEBATCH_BAD_PMD_BIT ? NULL :
	       "a corrupt PMD is one that maps a folio in this kernel";
}

/* pte_offset_map_lock() has cleared it. */
static void restore_pmd(struct ptebatch_use *use)
{
	if (use->word)
		put_pmd(use);
}

const struct ptebatch_condition_type ptebatch_condition_bad_pmd = {
	.name = "the PMD is corrupt", .missing = bad_pmd_missing,
	.occur = corrupt, .end = restore_pmd,
};

static void alloc_destination(struct ptebatch_use *use)
{
	struct ptebatch_space *space = use->trial->space;
	struct ptebatch_place *place = &space->places[space->nr_places - 1];

	KUNIT_EXPECT_EQ(use->trial->test, 0, ptebatch_tables_alloc(space, place));
}

const struct ptebatch_condition_type ptebatch_condition_destination_tables = {
	.name = "the page tables of the destination exist", .begin = alloc_destination,
};
