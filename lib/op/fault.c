// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "op.h"

/*
 * Fault as GUP does: the entry is not accessed after the fault, so its accessed
 * and dirty bits are those that the fault has set.
 */
static long fault(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	long err;

	mmap_read_lock(mm);
	err = fixup_user_fault(mm, ptebatch_addr(space, op->arg), FAULT_FLAG_REMOTE |
			       (op->prot & PROT_WRITE ? FAULT_FLAG_WRITE : 0), NULL);
	mmap_read_unlock(mm);
	return err;
}

const struct ptebatch_op ptebatch_read_fault = {
	.name = "read fault", .function = "a read fault", .call = fault,
	.prot = PROT_READ, .no_twin = true,
};

const struct ptebatch_op ptebatch_write_fault = {
	.name = "write fault", .function = "a write fault", .call = fault,
	.prot = PROT_WRITE, .no_twin = true,
};
