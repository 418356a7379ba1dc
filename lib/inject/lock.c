// SPDX-License-Identifier: GPL-2.0
/*
 * At a call, the operation holds a lock. The conditions look at it without another lock: no
 * other thread exists.
 */
#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/rwsem.h>

#include "../space/pte.h"
#include "conditions.h"

static const char *locks_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_SMP) ? NULL :
	       "no spinlock is ever locked without CONFIG_SMP";
}

static void try_pmd_lock(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	spinlock_t *lock = pmd_lockptr(place->mm, ptebatch_find_pmd(place->mm, place->start));

	use->word = !spin_trylock(lock);
	if (!use->word)
		spin_unlock(lock);
}

static void look_at_anon_vma(struct ptebatch_use *use, const unsigned long *args,
			     struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	const struct vm_area_struct *vma;

	rcu_read_lock();
	vma = mtree_load(&place->mm->mm_mt, place->start);
	use->word = rwsem_is_locked(&vma->anon_vma->root->rwsem);
	rcu_read_unlock();
}

static void expect_locked(struct ptebatch_use *use)
{
	KUNIT_EXPECT_TRUE_MSG(use->trial->test, use->word, "%s, at %s(), expected: %s",
			      use->trial->function, use->condition->function,
			      use->condition->type->name);
}

const struct ptebatch_condition_type ptebatch_condition_pmd_locked = {
	.name = "the PMD is locked", .missing = locks_missing,
	.occur = try_pmd_lock, .end = expect_locked,
};

const struct ptebatch_condition_type ptebatch_condition_anon_vma_locked = {
	.name = "the anon_vma is locked", .occur = look_at_anon_vma, .end = expect_locked,
};
