// SPDX-License-Identifier: GPL-2.0
/*
 * An operation releases each lock that it takes: that of the mm, those of the VMAs, and
 * those by which the rmap finds them.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>

#include "checks.h"
#include "places.h"

/* Daemons hold them for a moment only. */
#define TRIES	100

static bool stays_locked(struct rw_semaphore *lock)
{
	unsigned int i;

	for (i = 0; rwsem_is_locked(lock); i++) {
		if (i == TRIES)
			return true;
		fsleep(100);
	}
	return false;
}

static bool vma_stays_locked(const struct vm_area_struct *vma)
{
#ifdef CONFIG_PER_VMA_LOCK
	unsigned int i;

	for (i = 0; refcount_read(&vma->vm_refcnt) != 1; i++) {
		if (i == TRIES)
			return true;
		fsleep(100);
	}
#endif
	return false;
}

static void check_vma_locks(struct vm_area_struct *vma, void *out)
{
	if (vma_stays_locked(vma))
		seq_buf_puts(out, "a VMA was left locked\n");
	if (vma->anon_vma && stays_locked(&vma->anon_vma->root->rwsem))
		seq_buf_puts(out, "an anon_vma was left locked\n");
	if (vma->vm_file && stays_locked(&vma->vm_file->f_mapping->i_mmap_rwsem))
		seq_buf_puts(out, "i_mmap_rwsem was left locked\n");
}

static void check_locks(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		struct mm_struct *mm = space->places[i].mm;

		if (ptebatch_first_place(space, i) != i)
			continue;
		if (stays_locked(&mm->mmap_lock))
			seq_buf_puts(out, "mmap_lock was left locked\n");
		else
			ptebatch_each_vma(mm, check_vma_locks, out);
	}
}

const struct ptebatch_check ptebatch_check_locks = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "locks", .whole = true, .check = check_locks,
};
