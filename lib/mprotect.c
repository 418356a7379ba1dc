// SPDX-License-Identifier: GPL-2.0
#include "tlb.h"

#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "mprotect.h"

/**
 * ptebatch_mprotect() - as do_mprotect_pkey() does it
 * @mm: where
 * @start: address of the first byte, on a page's edge
 * @end: address behind the last byte, on a page's edge; in the same VMA
 * @prot: PROT_READ and PROT_WRITE
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, or the error of mprotect_fixup().
 */
int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot)
{
	struct vm_area_struct *vma, *prev;
	struct mmu_gather tlb;
	unsigned long flags;
	int err;

	VMA_ITERATOR(vmi, mm, start);

	mmap_write_lock(mm);
	vma = vma_find(&vmi, end);
	prev = vma_prev(&vmi);
	if (start > vma->vm_start)
		prev = vma;
	vma = vma_find(&vmi, end);
	flags = (vma->vm_flags & ~VM_ACCESS_FLAGS) | calc_vm_prot_bits(prot, 0);
	tlb_gather_mmu(&tlb, mm);
	err = mprotect_fixup(&vmi, &tlb, vma, &prev, start, end, flags);
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	return err;
}
