// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>

#include "../kernel/syscall.h"
#include "../twin/twin.h"
#include "op.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

static long move(const struct ptebatch_op *op, struct ptebatch_space *space,
		 bool twin)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	const struct ptebatch_row *row = &space->row;
	unsigned long bytes = (row->to - row->from) * PAGE_SIZE;
	unsigned long addr = to->start + row->from * PAGE_SIZE;
	long ret;

	ret = ptebatch_syscall_in(to->mm,
				  twin ? ptebatch_twin_mremap :
					 PTEBATCH_SYSCALL(mremap),
				  ptebatch_addr(space, row->from), bytes,
				  op->new_pages ? op->new_pages * PAGE_SIZE : bytes,
				  MREMAP_MAYMOVE | MREMAP_FIXED | op->arg, addr);
	return ret == addr ? 0 : ret;
}

const struct ptebatch_op ptebatch_move = {
	.name = "move", .function = "mremap()", .call = move, .moves = true,
	/* MREMAP_DONTUNMAP unlocks the source. */
	.vma_flags = VM_LOCKED_MASK, .model = ptebatch_model_move_source,
	.second_model = ptebatch_model_move,
};
