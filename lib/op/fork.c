// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../kernel/ksm.h"
#include "../kernel/process.h"
#include "../twin/twin.h"
#include "op.h"

/* Add the child as the space's second place, without a VMA yet. */
static int make_child(struct ptebatch_space *space)
{
	struct ptebatch_place *child = &space->places[1];

	child->mm = ptebatch_mm_alloc();
	if (!child->mm)
		return -ENOMEM;
	child->start = space->places[0].start;
	ptebatch_ksm_inherit(child->mm, space->places[0].mm);
	space->nr_places = 2;
	return 0;
}

static int copy_entries(struct vm_area_struct *child,
			struct vm_area_struct *parent,
			const struct ptebatch_setup *setup, bool twin)
{
	int err;

	vma_start_write(parent);
	vma_start_write(child);
	vm_flags_clear(parent, VM_WIPEONFORK);
	vm_flags_clear(child, VM_WIPEONFORK);
	if (setup->uffd & NOT_INHERITED)
		vm_flags_clear(child, VM_UFFD_WP | VM_UFFD_RWP);
	/* dup_mmap() calls anon_vma_fork() before it attaches the VMA. */
	vma_mark_detached(child);
	err = anon_vma_fork(child, parent);
	vma_mark_attached(child);
	if (err)
		return err;
	return twin ? ptebatch_twin_copy_page_range(child, parent) :
		      copy_page_range(child, parent);
}

/* Set flags of all VMAs of the row. */
static void set_flags(struct ptebatch_space *space, vm_flags_t flags)
{
	struct mm_struct *mm = space->places[0].mm;
	unsigned long start = space->places[0].start;
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, mm, start);

	mmap_write_lock(mm);
	for_each_vma_range(vmi, vma, ptebatch_addr(space, space->row.nr)) {
		vma_start_write(vma);
		vm_flags_set(vma, flags);
	}
	mmap_write_unlock(mm);
}

/*
 * With VM_WIPEONFORK dup_mmap() copies the VMA but no entries; then call
 * copy_page_range() as dup_mmap() would have called it.
 */
static long copy_vma_entries(const struct ptebatch_op *op,
			     struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_setup *setup = &space->setup;
	struct mm_struct *parent = space->places[0].mm;
	unsigned long start = space->places[0].start;
	struct vm_area_struct *vma;
	struct mm_struct *child;
	int err = make_child(space);

	VMA_ITERATOR(vmi, parent, start);

	if (err)
		return err;
	child = space->places[1].mm;
	set_flags(space, VM_WIPEONFORK);
	err = dup_mmap(child, parent);
	if (err)
		return err;

	mmap_write_lock(parent);
	mmap_write_lock_nested(child, SINGLE_DEPTH_NESTING);
	for_each_vma_range(vmi, vma, ptebatch_addr(space, space->row.nr)) {
		err = copy_entries(vma_lookup(child, vma->vm_start), vma, setup,
				   twin);
		if (err)
			break;
	}
	mmap_write_unlock(child);
	flush_tlb_mm(parent);
	mmap_write_unlock(parent);
	return err;
}

/* All of the mm; not with NOT_INHERITED. */
static long copy_mm(const struct ptebatch_op *op, struct ptebatch_space *space,
		    bool twin)
{
	int err = make_child(space);

	if (err)
		return err;
	return dup_mmap(space->places[1].mm, space->places[0].mm);
}

const struct ptebatch_op ptebatch_copy = {
	.name = "fork", .function = "copy_page_range()",
	.call = copy_vma_entries, .forks = true,
	.model = ptebatch_model_fork_parent,
	.second_model = ptebatch_model_fork_child,
};

const struct ptebatch_op ptebatch_dup_mmap = {
	.name = "fork", .function = "dup_mmap()", .call = copy_mm, .forks = true,
	.model = ptebatch_model_fork_parent,
	.second_model = ptebatch_model_fork_child, .no_twin = true,
};
