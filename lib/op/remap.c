// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "../kernel/syscall.h"
#include "remap.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

/**
 * struct watch - what mmap() ends, and what is then requested again
 * @flags: VM_UFFD_WP, if the VMA is registered with userfaultfd
 * @uffd: the userfaultfd
 */
struct watch {
	vm_flags_t flags;
	struct vm_userfaultfd_ctx uffd;
};

static struct watch watch_of(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	struct watch watch;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	watch.flags = vma->vm_flags & VM_UFFD_WP;
	watch.uffd = vma->vm_userfaultfd_ctx;
	mmap_read_unlock(mm);
	return watch;
}

/* As clear_refs, if @track, and UFFDIO_REGISTER do. */
static void set_watch(struct mm_struct *mm, unsigned long addr, bool track,
		      const struct watch *watch)
{
	struct vm_area_struct *vma;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, addr);
	vma_start_write(vma);
	if (track)
		vm_flags_clear(vma, VM_SOFTDIRTY);
	vm_flags_set(vma, watch->flags);
	vma->vm_userfaultfd_ctx = watch->uffd;
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
}

static long map_anew(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_setup *setup = &space->setup;
	const struct ptebatch_row *row = &space->row;
	unsigned long addr = ptebatch_addr(space, row->from);
	struct mm_struct *mm = space->places[0].mm;
	struct watch watch = watch_of(mm, addr);
	unsigned long flags, at;

	flags = MAP_FIXED | (space->file ? 0 : MAP_ANONYMOUS) |
		(ptebatch_shared(setup->mapping) ? MAP_SHARED : MAP_PRIVATE);
	kthread_use_mm(mm);
	at = vm_mmap(space->file, addr, (row->to - row->from) * PAGE_SIZE, setup->prot,
		     flags, space->file ? (space->pgoff + row->from) * PAGE_SIZE : 0);
	kthread_unuse_mm(mm);
	if (at != addr)
		return at;
	set_watch(mm, addr, setup->track, &watch);
	return 0;
}

/* Returns 0 or an error; @from and @to are addresses, @old and @new numbers of pages. */
static long remap(struct mm_struct *mm, unsigned long from, unsigned long old,
		  unsigned long new, unsigned long flags, unsigned long to)
{
	long ret = ptebatch_syscall_in(mm, PTEBATCH_SYSCALL(mremap), from, old * PAGE_SIZE,
				       new * PAGE_SIZE, MREMAP_MAYMOVE | flags, to);

	return ret == to ? 0 : ret;
}

static unsigned long other_address(const struct ptebatch_place *place)
{
	return place->start ^ (64 * PMD_SIZE);
}

static long move_whole(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct ptebatch_place *place = &space->places[0];
	unsigned long to = other_address(place);
	unsigned int nr = space->row.nr;
	long ret;

	ret = remap(place->mm, place->start, nr, nr, MREMAP_FIXED | op->arg, to);
	if (!ret)
		place->start = to;
	return ret;
}

/* The VMA may grow only elsewhere, as its neighbour at the first address is mapped. */
static long resize(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	struct ptebatch_place *place = &space->places[0];
	struct mm_struct *mm = place->mm;
	unsigned long to = other_address(place);
	long ret;

	ret = remap(mm, place->start, row->nr, row->from, MREMAP_FIXED, to);
	if (ret)
		return ret;
	ret = remap(mm, to, row->from, row->nr, 0, 0);
	if (ret != to && !IS_ERR_VALUE(ret))
		ret = remap(mm, ret, row->nr, row->nr, MREMAP_FIXED, to);
	if (!IS_ERR_VALUE(ret))
		place->start = to;
	return IS_ERR_VALUE(ret) ? ret : 0;
}

const struct ptebatch_op ptebatch_map_anew = {
	.name = "mmap", .function = "mmap()", .call = map_anew, .no_twin = true,
};

const struct ptebatch_op ptebatch_move_whole = {
	.name = "move", .function = "mremap()", .call = move_whole, .no_twin = true,
};

const struct ptebatch_op ptebatch_move_dontunmap = {
	.name = "move dontunmap", .function = "mremap()", .call = move_whole,
	.arg = MREMAP_DONTUNMAP, .no_twin = true,
};

const struct ptebatch_op ptebatch_resize = {
	.name = "resize", .function = "mremap()", .call = resize, .no_twin = true,
};
