// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../check/model.h"
#include "protect.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

const struct ptebatch_protection ptebatch_protections[] = {
	[PTEBATCH_TO_NONE] = {
		"to no access", ptebatch_model_protect, PROT_NONE,
	},
	[PTEBATCH_TO_READABLE] = {
		"to read-only", ptebatch_model_protect, RO,
	},
	[PTEBATCH_TO_WRITABLE] = {
		"to writable", ptebatch_model_protect, RW,
		MM_CP_TRY_CHANGE_WRITABLE,
	},
	[PTEBATCH_TO_WRITABLE_LATER] = {
		"to writable, with write faults", ptebatch_model_protect, RW,
	},
	[PTEBATCH_UFFD_WP] = {
		"uffd-wp protect", ptebatch_model_uffd_wp, RW, MM_CP_UFFD_WP,
		.uffd_wp = true,
	},
	[PTEBATCH_UFFD_WP_RESOLVE] = {
		"uffd-wp resolve", ptebatch_model_uffd_resolve, RW,
		MM_CP_UFFD_WP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE,
		.uffd_wp = true,
	},
	[PTEBATCH_UFFD_RWP] = {
		"uffd-rwp protect", ptebatch_model_uffd_rwp, RW,
		MM_CP_UFFD_RWP, .uffd_rwp = true,
	},
	[PTEBATCH_UFFD_RWP_RESOLVE] = {
		"uffd-rwp resolve", ptebatch_model_uffd_resolve, RW,
		MM_CP_UFFD_RWP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE,
		.uffd_rwp = true,
	},
	[PTEBATCH_NUMA_HINT] = {
		"NUMA hint", ptebatch_model_numa_hint, RW, MM_CP_PROT_NUMA,
	},
};

/**
 * ptebatch_mprotect() - change a protection as do_mprotect_pkey() does
 * @mm: the mm
 * @start: address of the first byte, page-aligned
 * @end: address behind the last byte, page-aligned; in the same VMA
 * @prot: new PROT_READ and PROT_WRITE
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
 * ptebatch_protect_vma() - change the protection of a VMA but not of its entries
 * @mm: the mm
 * @addr: an address in the VMA
 * @prot: new PROT_READ and PROT_WRITE
 *
 * Context: The mmap_lock is held for writing.
 * Return: the VMA.
 */
struct vm_area_struct *ptebatch_protect_vma(struct mm_struct *mm,
					    unsigned long addr,
					    unsigned long prot)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	vma_start_write(vma);
	vm_flags_reset(vma, (vma->vm_flags & ~VM_ACCESS_FLAGS) |
			    calc_vm_prot_bits(prot, 0));
	vma_set_page_prot(vma);
	return vma;
}

/**
 * ptebatch_change() - change entries as mprotect_fixup() does, within a VMA
 * @mm: the mm
 * @start: address of the first byte, page-aligned
 * @end: address behind the last byte, page-aligned; in the same VMA
 * @protection: the change; its protection is set for the whole VMA, but only
 *              for the entries from @start to @end
 * @change: change_protection() or its twin
 *
 * The VMA is not split: the end of the range alone ends the last batch.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: return value of @change: the number of changed pages.
 */
long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end,
		     const struct ptebatch_protection *protection,
		     ptebatch_change_t change)
{
	struct vm_area_struct *vma;
	struct mmu_gather tlb;
	long pages;

	/* With one mm user, NUMA hinting skips folios on the local node. */
	mmget(mm);
	mmap_write_lock(mm);
	vma = ptebatch_protect_vma(mm, start, protection->prot);
	tlb_gather_mmu(&tlb, mm);
	pages = change(&tlb, vma, start, end, protection->cp_flags);
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	mmput(mm);
	return pages;
}

/* Does NUMA hinting accept an unmapped page, which no exception covers? */
static bool numa_hints(void)
{
	struct vm_area_struct vma = {};
	struct page *page = alloc_page(GFP_KERNEL);
	bool hints;

	if (!page)
		return false;
	hints = folio_can_map_prot_numa(page_folio(page), &vma, false);
	__free_page(page);
	return hints;
}

/**
 * ptebatch_protection_missing() - check that the kernel supports a change
 * @protection: the change
 *
 * Return: what the kernel lacks, %NULL if it supports the change.
 */
const char *
ptebatch_protection_missing(const struct ptebatch_protection *protection)
{
	if ((protection->uffd_wp || protection->uffd_rwp) &&
	    !pgtable_supports_uffd())
		return "no uffd bit in page table entries";
	if (protection->uffd_rwp && VM_UFFD_RWP == VM_NONE)
		return "no userfaultfd read-write protection";
	if (protection->cp_flags & MM_CP_PROT_NUMA && !numa_hints())
		return "no NUMA hints without NUMA balancing between nodes";
	return NULL;
}

/**
 * ptebatch_protection_call() - describe a change for the model
 * @protection: the change
 * @setup: set-up of the address space; its file pages are page cache, not copies
 *
 * Return: the call.
 */
struct ptebatch_call
ptebatch_protection_call(const struct ptebatch_protection *protection,
			 const struct ptebatch_setup *setup)
{
	struct ptebatch_call call =
		ptebatch_setup_call(setup, protection->model, protection->prot);

	call.try_writable = protection->cp_flags & MM_CP_TRY_CHANGE_WRITABLE;
	/* NUMA hinting skips COW folios that several mms map. */
	call.hints = call.shared || !setup->twice;
	return call;
}
