// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "../kernel/process.h"
#include "conditions.h"

/*
 * At a call, without the mmap_lock, which the caller may hold or be about to take: no
 * other thread exists. The word of the condition has the flags that change.
 */
static void change_flags(struct ptebatch_use *use, bool set)
{
	const struct ptebatch_place *place = use->trial->place;
	vm_flags_t was, flags = use->condition->value;
	struct vm_area_struct *vma;

	rcu_read_lock();
	vma = mtree_load(&place->mm->mm_mt, place->start);
	was = vma->vm_flags;
	use->word = set ? flags & ~vma->vm_flags : flags & vma->vm_flags;
	if (set)
		vma_flags_set_word(&vma->flags, use->word);
	else
		vma_flags_clear_word(&vma->flags, use->word);
	ptebatch_vma_account(vma, was);
	use->trial->call.vma_flags |= use->word;
	rcu_read_unlock();
}

static void set_flags(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	change_flags(use, true);
}

static void clear_flags(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	change_flags(use, false);
}

static const char *flags_missing(const struct ptebatch_condition *condition)
{
	return condition->value ? NULL : "the flags of the VMA do not exist in this kernel";
}

static void clear_flags_again(struct ptebatch_use *use)
{
	const struct ptebatch_place *place = use->trial->place;

	ptebatch_vma_flags(place->mm, place->start, VM_NONE, use->word);
}

static void set_flags_again(struct ptebatch_use *use)
{
	const struct ptebatch_place *place = use->trial->place;

	ptebatch_vma_flags(place->mm, place->start, use->word, VM_NONE);
}

const struct ptebatch_condition_type ptebatch_condition_vma_flags = {
	.name = "the VMA has other flags", .missing = flags_missing, .occur = set_flags,
	.end = clear_flags_again,
};

const struct ptebatch_condition_type ptebatch_condition_no_vma_flags = {
	.name = "the VMA loses flags", .occur = clear_flags, .end = set_flags_again,
};

static void unmap_part(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	unsigned long addr = ptebatch_addr(use->trial->space, PART_FROM(use->condition->value));
	struct mm_struct *mm = use->trial->place->mm;
	int err;

	kthread_use_mm(mm);
	err = vm_munmap(addr, PART_NR(use->condition->value) * PAGE_SIZE);
	kthread_unuse_mm(mm);
	KUNIT_ASSERT_EQ(use->trial->test, 0, err);
}

const struct ptebatch_condition_type ptebatch_condition_hole = {
	.name = "a part of the row is not mapped", .occur = unmap_part,
};
