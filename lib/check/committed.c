// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/meminfo shows how much memory is promised (Committed_AS): the pages of each
 * VMA with VM_ACCOUNT. Each operation must change it as it changes these VMAs.
 */
#include <linux/mm.h>
#include <linux/mman.h>

#include "checks.h"
#include "places.h"

/* The state: the pages before the operation, less those of the row's processes. */
struct committed_before {
	long others;
};

static void subtract_accounted(struct vm_area_struct *vma, void *others)
{
	if (vma->vm_flags & VM_ACCOUNT)
		*(long *)others -= vma_pages(vma);
}

static long count_other_committed(const struct ptebatch_space *space)
{
	long others = vm_memory_committed();
	unsigned int i;

	for (i = 0; i < space->nr_places; i++)
		if (ptebatch_first_place(space, i) == i)
			ptebatch_each_vma(space->places[i].mm, subtract_accounted, &others);
	return others;
}

static void begin_committed(struct ptebatch_trial *trial)
{
	struct committed_before *state = ptebatch_check_state(trial, &ptebatch_check_committed);

	if (ptebatch_counts_alone())
		state->others = count_other_committed(trial->space);
}

static void check_committed(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct committed_before *state =
		ptebatch_check_state(trial, &ptebatch_check_committed);
	long more;

	if (!ptebatch_counts_alone())
		return;
	more = count_other_committed(trial->space) - state->others;
	if (more)
		seq_buf_printf(out, "Committed_AS has changed by %ld pages more than the VMAs\n",
			       more);
}

const struct ptebatch_check ptebatch_check_committed = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "committed", .whole = true,
	.state_size = sizeof(struct committed_before), .begin = begin_committed,
	.check = check_committed,
};
