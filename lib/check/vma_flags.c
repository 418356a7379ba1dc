// SPDX-License-Identifier: GPL-2.0
/*
 * An operation changes only those flags of a VMA that it is about: @vma_flags of the
 * operation. A flag that gets lost with a merge or a split changes what later
 * operations do. A merge may spread VMA_STICKY_FLAGS: what holds for a part of the VMA.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "checks.h"

#define STICKY	(VM_SOFTDIRTY | VM_MAYBE_GUARD)

/* The state: the flags of the VMA at each entry of the row, 0 where there is none. */
struct flags_before {
	vm_flags_t flags[PTEBATCH_ROW_ENTRIES];
};

static vm_flags_t flags_at(const struct ptebatch_place *place, unsigned int i,
			   struct vm_area_struct **vma)
{
	unsigned long addr = place->start + i * PAGE_SIZE;

	if (!*vma || addr >= (*vma)->vm_end || addr < (*vma)->vm_start)
		*vma = vma_lookup(place->mm, addr);
	return *vma ? (*vma)->vm_flags : 0;
}

static void begin_vma_flags(struct ptebatch_trial *trial)
{
	struct flags_before *state = ptebatch_check_state(trial, &ptebatch_check_vma_flags);
	struct vm_area_struct *vma = NULL;
	unsigned int i;

	mmap_read_lock(trial->place->mm);
	for (i = 0; i < trial->before.row.nr; i++)
		state->flags[i] = flags_at(trial->place, i, &vma);
	mmap_read_unlock(trial->place->mm);
}

static void check_vma_flags(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct flags_before *state =
		ptebatch_check_state(trial, &ptebatch_check_vma_flags);
	struct vm_area_struct *vma = NULL;
	vm_flags_t last = 0;
	unsigned int i;

	mmap_read_lock(trial->place->mm);
	for (i = 0; i < trial->after.row.nr; i++) {
		vm_flags_t now = flags_at(trial->place, i, &vma);
		vm_flags_t was = state->flags[i];
		vm_flags_t may = trial->call.vma_flags | (now & ~was & STICKY);
		vm_flags_t changed = was && now ? (was ^ now) & ~may : 0;

		if (changed && changed != last)
			seq_buf_printf(out, "the VMA of entry %u: flags %#llx changed\n", i,
				       (u64)changed);
		last = changed;
	}
	mmap_read_unlock(trial->place->mm);
}

const struct ptebatch_check ptebatch_check_vma_flags = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "vma_flags", .whole = true,
	.state_size = sizeof(struct flags_before), .begin = begin_vma_flags,
	.check = check_vma_flags,
};
