// SPDX-License-Identifier: GPL-2.0
#include "tlb.h"

#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "protect.h"

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

/**
 * ptebatch_change() - what mprotect_fixup() does to a VMA's entries, to some
 * @mm: where
 * @start: address of the first byte, on a page's edge
 * @end: address behind the last byte, on a page's edge; in the same VMA
 * @prot: PROT_READ and PROT_WRITE; all of the VMA gets that protection, though
 *        only the entries from @start to @end
 * @cp_flags: MM_CP_* for @change
 * @change: change_protection() or its twin
 *
 * The VMA stays whole: the end of the range alone ends the last batch.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: what @change returns: how many pages it has changed.
 */
long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end, unsigned long prot,
		     unsigned long cp_flags, ptebatch_change_t change)
{
	struct vm_area_struct *vma;
	struct mmu_gather tlb;
	long pages;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, start);
	vma_start_write(vma);
	vm_flags_reset(vma, (vma->vm_flags & ~VM_ACCESS_FLAGS) |
			    calc_vm_prot_bits(prot, 0));
	vma_set_page_prot(vma);
	tlb_gather_mmu(&tlb, mm);
	pages = change(&tlb, vma, start, end, cp_flags);
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	return pages;
}
