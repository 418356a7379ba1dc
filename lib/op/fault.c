// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>

#include "internal.h"

#include "../space/pte.h"
#include "../twin/twin.h"
#include "op.h"

/*
 * As the fault handlers of the architectures: under the lock of the VMA, with
 * VM_FAULT_RETRY if that does not suffice.
 */
static vm_fault_t fault_under_vma_lock(struct mm_struct *mm, unsigned long addr,
				       unsigned int flags)
{
	vm_flags_t needed = flags & FAULT_FLAG_WRITE ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma = lock_vma_under_rcu(mm, addr);
	vm_fault_t ret = VM_FAULT_RETRY;

	if (!vma)
		return ret;
	if (!(vma->vm_flags & needed)) {
		vma_end_read(vma);
		return ret;
	}
	ret = handle_mm_fault(vma, addr, flags | FAULT_FLAG_VMA_LOCK, NULL);
	if (!(ret & (VM_FAULT_RETRY | VM_FAULT_COMPLETED)))
		vma_end_read(vma);
	return ret;
}

/**
 * ptebatch_fault() - fault as GUP does
 * @space: the address space
 * @i: index of the entry
 * @flags: FAULT_FLAG_*; with %FAULT_FLAG_ALLOW_RETRY, the fault may wait for userfaultfd
 *
 * The entry is not accessed after the fault, so its accessed and dirty bits are those
 * that the fault has set.
 *
 * Context: Process context, may sleep; takes the lock of the VMA or the mmap_lock.
 * Return: 0 or a negative errno.
 */
long ptebatch_fault(struct ptebatch_space *space, unsigned int i, unsigned int flags)
{
	unsigned long addr = ptebatch_addr(space, i);
	struct mm_struct *mm = space->places[0].mm;
	bool unlocked;
	vm_fault_t ret;
	long err;

	flags |= FAULT_FLAG_REMOTE;
	ret = fault_under_vma_lock(mm, addr, flags);
	if (!(ret & VM_FAULT_RETRY))
		return ret & VM_FAULT_ERROR ? vm_fault_to_errno(ret, 0) : 0;
	mmap_read_lock(mm);
	err = fixup_user_fault(mm, addr, flags,
			       flags & FAULT_FLAG_ALLOW_RETRY ? &unlocked : NULL);
	mmap_read_unlock(mm);
	return err;
}

static long fault(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	return ptebatch_fault(space, op->arg,
			      op->prot & PROT_WRITE ? FAULT_FLAG_WRITE : 0);
}

const struct ptebatch_op ptebatch_read_fault = {
	.name = "read fault", .function = "a read fault", .call = fault,
	.prot = PROT_READ, .no_twin = true,
};

const struct ptebatch_op ptebatch_write_fault = {
	.name = "write fault", .function = "a write fault", .call = fault,
	.prot = PROT_WRITE, .no_twin = true,
};

/* As __collapse_huge_page_swapin() calls do_swap_page(). */
static vm_fault_t call_do_swap_page(struct vm_area_struct *vma, unsigned long addr,
				    unsigned int flags, bool twin)
{
	struct vm_fault vmf = {
		.vma = vma,
		.address = addr,
		.real_address = addr,
		.pgoff = linear_page_index(vma, addr),
		.flags = FAULT_FLAG_REMOTE | flags,
		.pmd = ptebatch_find_pmd(vma->vm_mm, addr),
	};

	vmf.pte = pte_offset_map_ro_nolock(vma->vm_mm, vmf.pmd, addr, &vmf.ptl);
	if (!vmf.pte)
		return VM_FAULT_OOM;
	vmf.orig_pte = ptep_get_lockless(vmf.pte);
	return twin ? ptebatch_twin_do_swap_page(&vmf) : do_swap_page(&vmf);
}

/**
 * ptebatch_swap_in() - swap an entry in, as the handler of a fault does
 * @space: the address space
 * @i: index of the entry, a swap entry
 * @flags: %FAULT_FLAG_WRITE or 0
 * @twin: call the twin of do_swap_page()
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0 or a negative errno.
 */
long ptebatch_swap_in(struct ptebatch_space *space, unsigned int i,
		      unsigned int flags, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, i);
	vm_fault_t ret;

	mmap_read_lock(mm);
	ret = call_do_swap_page(vma_lookup(mm, addr), addr, flags, twin);
	mmap_read_unlock(mm);
	return ret & VM_FAULT_ERROR ? vm_fault_to_errno(ret, 0) : 0;
}

/*
 * One by one, all entries of the range fault: those that the kernel maps in the
 * batch of entry @arg are read first.
 */
static long swap_in(const struct ptebatch_op *op, struct ptebatch_space *space,
		    bool twin)
{
	unsigned int flags = op->prot & PROT_WRITE ? FAULT_FLAG_WRITE : 0;
	unsigned int i;
	long err = 0;

	if (!twin)
		return fault(op, space, false);
	for (i = space->row.from; i < space->row.to && !err; i++)
		if (i != op->arg)
			err = ptebatch_swap_in(space, i, 0, true);
	return err ?: ptebatch_swap_in(space, op->arg, flags, true);
}

const struct ptebatch_op ptebatch_swap_in_read = {
	.name = "swap-in, read", .function = "a read fault of a swap entry",
	.call = swap_in, .prot = PROT_READ,
};

const struct ptebatch_op ptebatch_swap_in_write = {
	.name = "swap-in, write", .function = "a write fault of a swap entry",
	.call = swap_in, .prot = PROT_WRITE,
};
