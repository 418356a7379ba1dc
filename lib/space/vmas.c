// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../kernel/process.h"
#include "vmas.h"

/* Set @flags from @start to @end, at most to the end of the VMA. */
static int set_flags(struct mm_struct *mm, unsigned long start,
		     unsigned long end, vm_flags_t flags)
{
	struct vm_area_struct *vma;
	vm_flags_t was;
	vma_flags_t new;

	VMA_ITERATOR(vmi, mm, start);

	vma = vma_find(&vmi, end);
	new = legacy_to_vma_flags(vma->vm_flags | flags);
	/* The row's first VMA has at least one entry, so @vma precedes @start. */
	vma = vma_modify_flags(&vmi, vma, vma, start, min(end, vma->vm_end), &new);
	if (IS_ERR(vma))
		return PTR_ERR(vma);
	vma_start_write(vma);
	was = vma->vm_flags;
	vma->flags = new;
	ptebatch_vma_account(vma, was);
	return 0;
}

/**
 * ptebatch_vmas_split() - split the VMA of a place where the picture has a ";"
 * @space: the address space
 * @place: the place, with one VMA and all of its entries
 *
 * Every other VMA gets VM_DONTDUMP, which has no effect on page tables but
 * prevents a merge, and the flags that the set-up requests. As with mprotect()
 * or mlock() of a part, the VMAs share the anon_vma of the VMA that was split.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, or an error of vma_modify_flags().
 */
int ptebatch_vmas_split(const struct ptebatch_space *space,
			const struct ptebatch_place *place)
{
	const struct ptebatch_row *row = &space->row;
	vm_flags_t flags = VM_DONTDUMP | space->setup.next_vma;
	unsigned long start, end;
	int err = 0;

	mmap_write_lock(place->mm);
	for (start = find_first_bit(row->vma_starts, row->nr);
	     start < row->nr && !err;
	     start = find_next_bit(row->vma_starts, row->nr, end + 1)) {
		end = find_next_bit(row->vma_starts, row->nr, start + 1);
		err = set_flags(place->mm, place->start + start * PAGE_SIZE,
				end < row->nr ? place->start + end * PAGE_SIZE :
						ULONG_MAX, flags);
	}
	mmap_write_unlock(place->mm);
	return err;
}
