// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "../kernel/syscall.h"
#include "lock.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mlock));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(munlock));

static long call_with_range(struct ptebatch_space *space, ptebatch_syscall_t call)
{
	const struct ptebatch_row *row = &space->row;

	return ptebatch_syscall_in(space->places[0].mm, call, ptebatch_addr(space, row->from),
				   (row->to - row->from) * PAGE_SIZE, 0, 0, 0);
}

static long lock_range(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return call_with_range(space, PTEBATCH_SYSCALL(mlock));
}

static long unlock_range(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return call_with_range(space, PTEBATCH_SYSCALL(munlock));
}

const struct ptebatch_op ptebatch_mlock = {
	.name = "mlock", .function = "mlock()", .call = lock_range, .no_twin = true,
	.vma_flags = VM_LOCKED_MASK,
};

const struct ptebatch_op ptebatch_munlock = {
	.name = "munlock", .function = "munlock()", .call = unlock_range, .no_twin = true,
	.vma_flags = VM_LOCKED_MASK,
};
