// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>

#include "../twin/twin.h"
#include "advise.h"

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
