// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../service/ksmd.h"
#include "merge.h"

static long merge(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	long err;

	kthread_use_mm(mm);
	err = do_madvise(mm, ptebatch_addr(space, 0), space->row.nr * PAGE_SIZE, MADV_MERGEABLE);
	kthread_unuse_mm(mm);
	return err ?: ptebatch_ksmd_merge();
}

const struct ptebatch_op ptebatch_merge = {
	.name = "ksm", .function = "ksmd", .call = merge, .missing = ptebatch_ksmd_missing,
	.no_twin = true,
};
