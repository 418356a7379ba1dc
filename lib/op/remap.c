// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/userfaultfd_k.h>

#include "../kernel/process.h"
#include "../kernel/syscall.h"
#include "../kernel/uffd.h"
#include "remap.h"
#include "uffd.h"

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

/* As clear_refs does, if the set-up says so: new VMAs are soft-dirty. */
static void track_again(struct ptebatch_space *space)
{
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, mm, ptebatch_addr(space, 0));

	if (!space->setup.track)
		return;
	mmap_write_lock(mm);
	for_each_vma_range(vmi, vma, ptebatch_addr(space, space->row.nr)) {
		vma_start_write(vma);
		vm_flags_clear(vma, VM_SOFTDIRTY);
		vma_set_page_prot(vma);
	}
	mmap_write_unlock(mm);
}

/* As UFFDIO_REGISTER does, which alone splits a VMA into which mmap() has merged the range. */
static long register_again(struct ptebatch_space *space, const struct watch *watch)
{
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	long ret = -EINVAL;

	if (space->uffd)
		ret = ptebatch_uffd_register_wp.call(&ptebatch_uffd_register_wp, space, false);
	if (ret != -EINVAL)
		return ret;
	/* It refuses files; these, and rows without a userfaultfd, are registered as a whole. */
	mmap_write_lock(mm);
	vma = vma_lookup(mm, ptebatch_addr(space, space->row.from));
	vma_start_write(vma);
	vm_flags_set(vma, watch->flags);
	vma->vm_userfaultfd_ctx = watch->uffd;
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
	return 0;
}

static long map_anew(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_setup *setup = &space->setup;
	const struct ptebatch_row *row = &space->row;
	unsigned long addr = ptebatch_addr(space, row->from);
	struct mm_struct *mm = space->places[0].mm;
	struct watch watch = watch_of(mm, addr);
	unsigned long flags, at;
	long ret = 0;

	flags = MAP_FIXED | (space->file ? 0 : MAP_ANONYMOUS) |
		(ptebatch_shared(setup->mapping) ? MAP_SHARED : MAP_PRIVATE);
	kthread_use_mm(mm);
	at = vm_mmap(space->file, addr, (row->to - row->from) * PAGE_SIZE, setup->prot,
		     flags, space->file ? (space->pgoff + row->from) * PAGE_SIZE : 0);
	kthread_unuse_mm(mm);
	if (at != addr)
		return at;
	if (watch.flags)
		ret = register_again(space, &watch);
	track_again(space);
	return ret;
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

static bool is_registered(const struct ptebatch_space *space)
{
	const struct ptebatch_place *place = &space->places[0];
	unsigned long end = ptebatch_addr(space, space->row.nr);
	struct vm_area_struct *vma;
	bool registered = false;

	VMA_ITERATOR(vmi, place->mm, place->start);

	mmap_read_lock(place->mm);
	for_each_vma_range(vmi, vma, end)
		registered |= userfaultfd_armed(vma);
	mmap_read_unlock(place->mm);
	return registered;
}

/* mremap() refuses several VMAs if one of them is registered: then move each of them. */
static long move_whole(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct ptebatch_place *place = &space->places[0];
	const struct ptebatch_row *row = &space->row;
	unsigned long offset, to = other_address(place);
	bool whole = !is_registered(space);
	unsigned int i, end;
	long ret = 0;

	for (i = 0; i < row->nr && !ret; i = end) {
		end = whole ? row->nr : find_next_bit(row->vma_starts, row->nr, i + 1);
		offset = i * PAGE_SIZE;
		ret = remap(place->mm, place->start + offset, end - i, end - i,
			    MREMAP_FIXED | op->arg, to + offset);
	}
	if (!ret)
		place->start = to;
	track_again(space);
	return ret;
}

/* Entries @i to @end are a VMA. Returns the number of pages that UFFDIO_MOVE moves. */
static long move_vma(struct ptebatch_space *space, struct file *uffd, unsigned int i,
		     unsigned int end)
{
	const struct ptebatch_place *place = &space->places[0];
	struct mm_struct *mm = place->mm;
	struct uffdio_move arg = {
		.src = place->start + i * PAGE_SIZE,
		.dst = other_address(place) + i * PAGE_SIZE,
		.len = (end - i) * PAGE_SIZE,
		.mode = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES,
	};
	unsigned int moved, rest;
	long ret;

	ret = ptebatch_map_anon(mm, arg.dst, arg.len, PROT_READ | PROT_WRITE, MAP_FIXED) ?:
	      ptebatch_uffd_register(uffd, mm, arg.dst, UFFDIO_REGISTER_MODE_MISSING);
	if (ret)
		return ret;
	ptebatch_uffd_ioctl(uffd, mm, UFFDIO_MOVE, &arg, sizeof(arg));
	arg.move = max(arg.move, 0);
	moved = arg.move / PAGE_SIZE;
	rest = end - i - moved;
	if (rest)
		ret = remap(mm, arg.src + arg.move, rest, rest, MREMAP_FIXED,
			    arg.dst + arg.move);
	return ret ?: moved;
}

static long uffd_move(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct ptebatch_place *place = &space->places[0];
	const struct ptebatch_row *row = &space->row;
	struct file *uffd = ptebatch_uffd_open(place->mm, 0);
	unsigned int i, end;
	long ret = 0, moved = 0;

	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	for (i = 0; i < row->nr && ret >= 0; i = end) {
		end = find_next_bit(row->vma_starts, row->nr, i + 1);
		ret = move_vma(space, uffd, i, end);
		moved += ret;
	}
	__fput_sync(uffd);
	if (ret < 0)
		return ret;
	kthread_use_mm(place->mm);
	ret = vm_munmap(place->start, row->nr * PAGE_SIZE);
	kthread_unuse_mm(place->mm);
	place->start = other_address(place);
	track_again(space);
	return ret ?: moved;
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
	track_again(space);
	return IS_ERR_VALUE(ret) ? ret : 0;
}

/* What is mapped anew has any flags. */
const struct ptebatch_op ptebatch_map_anew = {
	.name = "mmap", .function = "mmap()", .call = map_anew, .no_twin = true,
	.vma_flags = ~VM_NONE,
};

/* A move ends the registration with userfaultfd, without UFFD_FEATURE_EVENT_REMAP. */
const struct ptebatch_op ptebatch_move_whole = {
	.name = "move", .function = "mremap()", .call = move_whole, .no_twin = true,
	.vma_flags = PTEBATCH_UFFD_FLAGS,
};

const struct ptebatch_op ptebatch_move_dontunmap = {
	.name = "move dontunmap", .function = "mremap()", .call = move_whole,
	.arg = MREMAP_DONTUNMAP, .no_twin = true,
	.vma_flags = VM_LOCKED_MASK | PTEBATCH_UFFD_FLAGS,
};

const struct ptebatch_op ptebatch_uffd_move = {
	.name = "uffd move", .function = "UFFDIO_MOVE", .call = uffd_move,
	.missing = ptebatch_uffd_missing, .no_twin = true, .vma_flags = ~VM_NONE,
};

const struct ptebatch_op ptebatch_resize = {
	.name = "resize", .function = "mremap()", .call = resize, .no_twin = true,
	.vma_flags = ~VM_NONE,
};
