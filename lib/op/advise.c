// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../check/model.h"
#include "advise.h"

const struct ptebatch_advice ptebatch_advices[] = {
	[PTEBATCH_COLD] = {
		"MADV_COLD", MADV_COLD, ptebatch_model_cold, .splits = true,
	},
	[PTEBATCH_PAGEOUT] = {
		"MADV_PAGEOUT", MADV_PAGEOUT, ptebatch_model_unmap,
		.swaps = true, .splits = true,
	},
	[PTEBATCH_FREE] = {
		"MADV_FREE", MADV_FREE, ptebatch_model_free, .splits = true,
	},
	[PTEBATCH_DONTNEED] = {
		"MADV_DONTNEED", MADV_DONTNEED, ptebatch_model_zap,
	},
	[PTEBATCH_GUARD_INSTALL] = {
		"MADV_GUARD_INSTALL", MADV_GUARD_INSTALL,
		ptebatch_model_guard_install,
	},
	[PTEBATCH_GUARD_REMOVE] = {
		"MADV_GUARD_REMOVE", MADV_GUARD_REMOVE,
		ptebatch_model_guard_remove,
	},
};

/**
 * ptebatch_advise() - call madvise() on a row's range
 * @space: the address space of the row
 * @advice: the advice
 * @madvise: do_madvise() or its twin
 *
 * Context: Process context of a kernel thread without an mm, may sleep; takes
 * the mmap_lock.
 * Return: return value of @madvise.
 */
int ptebatch_advise(struct ptebatch_space *space,
		    const struct ptebatch_advice *advice,
		    ptebatch_madvise_t madvise)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;
	int err;

	kthread_use_mm(mm);
	err = madvise(mm, ptebatch_addr(space, row->from),
		      (row->to - row->from) * PAGE_SIZE, advice->behavior);
	kthread_unuse_mm(mm);
	return err;
}

/**
 * ptebatch_advice_call() - describe a call of madvise() for the model
 * @advice: the advice
 * @setup: set-up of the address space
 *
 * Return: the call.
 */
struct ptebatch_call ptebatch_advice_call(const struct ptebatch_advice *advice,
					  const struct ptebatch_setup *setup)
{
	struct ptebatch_call call =
		ptebatch_setup_call(setup, advice->model, setup->prot);

	if (advice->swaps) {
		call.swap = true;
		call.freed = setup->lru;
	}
	return call;
}
