// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>

#include "../kernel/syscall.h"
#include "../twin/twin.h"
#include "advise.h"

/**
 * ptebatch_do_madvise() - call do_madvise() as a task of an mm
 * @mm: the mm
 * @start: the first address
 * @bytes: length of the range
 * @behavior: MADV_*
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of do_madvise().
 */
long ptebatch_do_madvise(struct mm_struct *mm, unsigned long start, size_t bytes, int behavior)
{
	long err;

	kthread_use_mm(mm);
	err = do_madvise(mm, start, bytes, behavior);
	kthread_unuse_mm(mm);
	return err;
}

static long advise(const struct ptebatch_op *op, struct ptebatch_space *space,
		   bool twin)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;
	long err;

	kthread_use_mm(mm);
	err = (twin ? ptebatch_twin_do_madvise : do_madvise)
		(mm, ptebatch_addr(space, row->from),
		 (row->to - row->from) * PAGE_SIZE, op->arg);
	kthread_unuse_mm(mm);
	/* This task does not return to user space, which would restart the call. */
	if (err == -ERESTARTNOINTR)
		recalc_sigpending();
	return err;
}

#define ADVICE(behavior)						\
	.name = #behavior, .function = "do_madvise()", .call = advise,	\
	.arg = behavior

const struct ptebatch_op ptebatch_advices[] = {
	[PTEBATCH_COLD] = {
		ADVICE(MADV_COLD), .model = ptebatch_model_cold, .splits = true,
	},
	[PTEBATCH_PAGEOUT] = {
		ADVICE(MADV_PAGEOUT), .model = ptebatch_model_unmap,
		.swaps = true, .splits = true,
	},
	[PTEBATCH_FREE] = {
		ADVICE(MADV_FREE), .model = ptebatch_model_free, .splits = true,
	},
	[PTEBATCH_DONTNEED] = {
		ADVICE(MADV_DONTNEED), .model = ptebatch_model_zap,
	},
	[PTEBATCH_GUARD_INSTALL] = {
		ADVICE(MADV_GUARD_INSTALL), .model = ptebatch_model_guard_install,
		.vma_flags = VM_MAYBE_GUARD,
	},
	[PTEBATCH_GUARD_REMOVE] = {
		ADVICE(MADV_GUARD_REMOVE), .model = ptebatch_model_guard_remove,
	},
};

/* The mms of the suites have no THPs otherwise. */
static long advise_collapse(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	long err;

	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	err = advise(op, space, twin);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return err;
}

const struct ptebatch_op ptebatch_advise_collapse = {
	.name = "MADV_COLLAPSE", .function = "do_madvise()", .call = advise_collapse,
	.arg = MADV_COLLAPSE, .no_twin = true,
};

/* @op has the name, or 0. */
static long set_name(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	const char *name = (const char *)op->arg;
	unsigned long at = 0;
	long err;

	kthread_use_mm(space->places[0].mm);
	if (name)
		at = ptebatch_to_user(name, strlen(name) + 1);
	err = IS_ERR_VALUE(at) ? at :
	      set_anon_vma_name(ptebatch_addr(space, row->from), (row->to - row->from) * PAGE_SIZE,
				(const char __user *)at);
	if (name && !IS_ERR_VALUE(at))
		vm_munmap(at, PAGE_SIZE);
	kthread_unuse_mm(space->places[0].mm);
	return err;
}

static const char *name_missing(void)
{
	return IS_ENABLED(CONFIG_ANON_VMA_NAME) ? NULL : "no CONFIG_ANON_VMA_NAME";
}

const struct ptebatch_op ptebatch_name = {
	.name = "name", .function = "set_anon_vma_name()", .call = set_name,
	.arg = (unsigned long)"ptebatch", .missing = name_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_unname = {
	.name = "unname", .function = "set_anon_vma_name()", .call = set_name,
	.missing = name_missing, .no_twin = true,
};
