// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>

#include "../service/ksmd.h"
#include "advise.h"
#include "merge.h"

static long merge(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;

	return ptebatch_do_madvise(mm, ptebatch_addr(space, 0), space->row.nr * PAGE_SIZE,
				   MADV_MERGEABLE) ?: ptebatch_ksmd_merge();
}

const struct ptebatch_op ptebatch_merge = {
	.name = "ksm", .function = "ksmd", .call = merge, .missing = ptebatch_ksmd_missing,
	.no_twin = true, .vma_flags = VM_MERGEABLE,
};
