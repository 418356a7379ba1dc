// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../kernel/process.h"
#include "fork.h"

/* Add the child as the space's second place, without a VMA yet. */
static int make_child(struct ptebatch_space *space)
{
	struct ptebatch_place *child = &space->places[1];

	child->mm = ptebatch_mm_alloc();
	if (!child->mm)
		return -ENOMEM;
	child->start = space->places[0].start;
	space->nr_places = 2;
	return 0;
}

/**
 * ptebatch_fork_whole() - fork() an address space
 * @space: the address space; its first place is the parent, and the child
 *         becomes its second place
 * @fork: conditions; neither uffd_not_inherited nor no_memory_node
 *
 * Context: Process context, may sleep; takes the mmap_locks.
 * Return: 0, or the error of dup_mmap().
 */
int ptebatch_fork_whole(struct ptebatch_space *space,
			const struct ptebatch_fork *fork)
{
	struct ptebatch_place *parent = &space->places[0];
	int err = make_child(space);

	if (err)
		return err;
	if (fork->guarded)
		ptebatch_vma_flags(parent->mm, parent->start, VM_MAYBE_GUARD, 0);
	return dup_mmap(space->places[1].mm, parent->mm);
}

#ifdef CONFIG_NUMA
/* Has no node: with this policy all allocations fail. */
static struct mempolicy no_memory_node = {
	.refcnt = ATOMIC_INIT(1),
	.mode = MPOL_BIND,
};

static void forbid_memory(struct vm_area_struct *vma, bool forbid)
{
	if (forbid)
		vma->vm_policy = &no_memory_node;
	else if (vma->vm_policy == &no_memory_node)
		vma->vm_policy = NULL;
}
#else
static void forbid_memory(struct vm_area_struct *vma, bool forbid)
{
}
#endif

static int copy_entries(struct vm_area_struct *child,
			struct vm_area_struct *parent,
			const struct ptebatch_fork *fork, ptebatch_copy_t copy)
{
	int err;

	vma_start_write(parent);
	vma_start_write(child);
	vm_flags_clear(parent, VM_WIPEONFORK);
	vm_flags_clear(child, VM_WIPEONFORK);
	if (fork->uffd_not_inherited)
		vm_flags_clear(child, VM_UFFD_WP | VM_UFFD_RWP);
	/* dup_mmap() calls anon_vma_fork() before it attaches the VMA. */
	vma_mark_detached(child);
	err = anon_vma_fork(child, parent);
	vma_mark_attached(child);
	if (err)
		return err;
	forbid_memory(parent, fork->no_memory_node);
	err = copy(child, parent);
	forbid_memory(parent, false);
	return err;
}

/**
 * ptebatch_fork_vma() - copy the entries of a VMA as fork() does
 * @space: the address space; its first place is the parent, and the child
 *         becomes its second place
 * @fork: conditions
 * @copy: copy_page_range() or its twin
 *
 * With VM_WIPEONFORK dup_mmap() copies the VMA but no entries; @copy is then
 * called as dup_mmap() would have called it.
 *
 * Context: Process context, may sleep; takes the mmap_locks.
 * Return: 0, or the error of the function that failed.
 */
int ptebatch_fork_vma(struct ptebatch_space *space,
		      const struct ptebatch_fork *fork, ptebatch_copy_t copy)
{
	struct mm_struct *parent = space->places[0].mm;
	unsigned long addr = space->places[0].start;
	struct mm_struct *child;
	int err = make_child(space);

	if (err)
		return err;
	child = space->places[1].mm;
	ptebatch_vma_flags(parent, addr, VM_WIPEONFORK |
			   (fork->guarded ? VM_MAYBE_GUARD : 0), 0);
	err = dup_mmap(child, parent);
	if (err)
		return err;

	mmap_write_lock(parent);
	mmap_write_lock_nested(child, SINGLE_DEPTH_NESTING);
	err = copy_entries(vma_lookup(child, addr), vma_lookup(parent, addr),
			   fork, copy);
	mmap_write_unlock(child);
	flush_tlb_mm(parent);
	mmap_write_unlock(parent);
	return err;
}
