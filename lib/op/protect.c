// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pkeys.h>
#include <linux/sched/mm.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../kernel/process.h"
#include "../twin/twin.h"
#include "protect.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* The flags of @vma with another protection; @pkey is 0: with the old key. */
static vm_flags_t new_flags(const struct vm_area_struct *vma,
			    unsigned long prot, unsigned int pkey)
{
	vm_flags_t dropped = VM_ACCESS_FLAGS | (pkey ? ARCH_VM_PKEY_FLAGS : 0);

	return (vma->vm_flags & ~dropped) | calc_vm_prot_bits(prot, pkey);
}

/* As do_mprotect_pkey() for the range from @start to @end, see new_flags(). */
static int mprotect_range(struct mm_struct *mm, unsigned long start,
			  unsigned long end, unsigned long prot,
			  unsigned int pkey)
{
	struct vm_area_struct *vma, *prev;
	struct mmu_gather tlb;
	int err = 0;

	VMA_ITERATOR(vmi, mm, start);

	mmap_write_lock(mm);
	vma = vma_find(&vmi, end);
	prev = vma_prev(&vmi);
	if (start > vma->vm_start)
		prev = vma;
	tlb_gather_mmu(&tlb, mm);
	for_each_vma_range(vmi, vma, end) {
		err = mprotect_fixup(&vmi, &tlb, vma, &prev, start,
				     min(end, vma->vm_end),
				     new_flags(vma, prot, pkey));
		if (err)
			break;
		start = vma_iter_end(&vmi);
	}
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	return err;
}

/**
 * ptebatch_mprotect() - change a protection as do_mprotect_pkey() does
 * @mm: the mm
 * @start: address of the first byte, page-aligned
 * @end: address behind the last byte, page-aligned; no gap between VMAs
 * @prot: new PROT_READ, PROT_WRITE and PROT_EXEC
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, or the error of mprotect_fixup().
 */
int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot)
{
	return mprotect_range(mm, start, end, prot, 0);
}

static void protect_vma(struct vm_area_struct *vma, unsigned long prot,
			unsigned int pkey)
{
	vm_flags_t was = vma->vm_flags;

	vma_start_write(vma);
	vm_flags_reset(vma, new_flags(vma, prot, pkey));
	ptebatch_vma_account(vma, was);
	vma_set_page_prot(vma);
}

/**
 * ptebatch_protect_vma() - change the protection of a VMA but not of its entries
 * @mm: the mm
 * @addr: an address in the VMA
 * @prot: new PROT_READ, PROT_WRITE and PROT_EXEC
 *
 * Context: The mmap_lock is held for writing.
 * Return: the VMA.
 */
struct vm_area_struct *ptebatch_protect_vma(struct mm_struct *mm,
					    unsigned long addr,
					    unsigned long prot)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	protect_vma(vma, prot, 0);
	return vma;
}

/**
 * ptebatch_change() - change entries as mprotect_fixup() does
 * @mm: the mm
 * @start: address of the first byte, page-aligned
 * @end: address behind the last byte, page-aligned
 * @op: one of ptebatch_protections; its protection is set for whole VMAs, but
 *      only for the entries from @start to @end
 * @twin: call the twin of change_protection()
 *
 * No VMA is split: the end of the range alone ends the last batch.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: the number of changed pages.
 */
long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end, const struct ptebatch_op *op, bool twin)
{
	struct vm_area_struct *vma;
	struct mmu_gather tlb;
	long pages = 0;

	VMA_ITERATOR(vmi, mm, start);

	/* With one mm user, NUMA hinting skips folios on the local node. */
	mmget(mm);
	mmap_write_lock(mm);
	tlb_gather_mmu(&tlb, mm);
	for_each_vma_range(vmi, vma, end) {
		unsigned long at = max(start, vma->vm_start);

		protect_vma(vma, op->prot, op->pkey);
		pages += (twin ? ptebatch_twin_change_protection :
				 change_protection)
			 (&tlb, vma, at, min(end, vma->vm_end), op->arg);
	}
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	mmput(mm);
	return pages;
}

static long change(const struct ptebatch_op *op, struct ptebatch_space *space,
		   bool twin)
{
	return ptebatch_change(space->places[0].mm,
			       ptebatch_addr(space, space->row.from),
			       ptebatch_addr(space, space->row.to), op, twin);
}

static long fixup(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	return mprotect_range(space->places[0].mm,
			      ptebatch_addr(space, space->row.from),
			      ptebatch_addr(space, space->row.to), op->prot,
			      op->pkey);
}

/* NUMA hinting must accept an unmapped page, which no exception covers. */
static const char *numa_hints_missing(void)
{
	struct vm_area_struct vma = {};
	struct page *page = alloc_page(GFP_KERNEL);
	bool hints;

	if (!page)
		return "out of memory";
	hints = folio_can_map_prot_numa(page_folio(page), &vma, false);
	__free_page(page);
	return hints ? NULL : "no NUMA hints without NUMA balancing between nodes";
}

#define CHANGE(protection)						\
	.function = "change_protection()", .call = change,		\
	.prot = protection, .protects = true, .counts = true

const struct ptebatch_op ptebatch_protections[] = {
	[PTEBATCH_TO_NONE] = {
		CHANGE(PROT_NONE), .name = "to no access",
		.model = ptebatch_model_protect,
	},
	[PTEBATCH_TO_READABLE] = {
		CHANGE(RO), .name = "to read-only",
		.model = ptebatch_model_protect,
	},
	[PTEBATCH_TO_WRITABLE] = {
		CHANGE(RW), .name = "to writable",
		.model = ptebatch_model_protect,
		.arg = MM_CP_TRY_CHANGE_WRITABLE,
	},
	[PTEBATCH_TO_WRITABLE_LATER] = {
		CHANGE(RW), .name = "to writable, with write faults",
		.model = ptebatch_model_protect,
	},
	[PTEBATCH_UFFD_WP] = {
		CHANGE(RW), .name = "uffd-wp protect",
		.model = ptebatch_model_uffd_wp, .arg = MM_CP_UFFD_WP,
		.uffd_wp = true,
	},
	[PTEBATCH_UFFD_WP_RESOLVE] = {
		CHANGE(RW), .name = "uffd-wp resolve",
		.model = ptebatch_model_uffd_resolve,
		.arg = MM_CP_UFFD_WP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE,
		.uffd_wp = true,
	},
	[PTEBATCH_UFFD_RWP] = {
		CHANGE(RW), .name = "uffd-rwp protect",
		.model = ptebatch_model_uffd_rwp, .arg = MM_CP_UFFD_RWP,
		.uffd_rwp = true,
	},
	[PTEBATCH_UFFD_RWP_RESOLVE] = {
		CHANGE(RW), .name = "uffd-rwp resolve",
		.model = ptebatch_model_uffd_resolve,
		.arg = MM_CP_UFFD_RWP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE,
		.uffd_rwp = true,
	},
	[PTEBATCH_NUMA_HINT] = {
		CHANGE(RW), .name = "NUMA hint",
		.model = ptebatch_model_numa_hint, .arg = MM_CP_PROT_NUMA,
		.missing = numa_hints_missing,
	},
};

#define FIXUP(protection)						\
	.function = "mprotect_fixup()", .call = fixup, .no_twin = true,	\
	.prot = protection, .protects = true

const struct ptebatch_op ptebatch_fixups[] = {
	[PTEBATCH_TO_NONE] = { FIXUP(PROT_NONE) },
	[PTEBATCH_TO_READABLE] = { FIXUP(RO) },
	[PTEBATCH_TO_WRITABLE] = { FIXUP(RW) },
};

static long hint(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	struct mmu_gather tlb;

	VMA_ITERATOR(vmi, mm, start);

	/* With one mm user, NUMA hinting skips folios on the local node. */
	mmget(mm);
	mmap_read_lock(mm);
	for_each_vma_range(vmi, vma, end) {
		if (!vma_is_accessible(vma))
			continue;
		tlb_gather_mmu(&tlb, mm);
		change_protection(&tlb, vma, max(start, vma->vm_start), min(end, vma->vm_end),
				  MM_CP_PROT_NUMA);
		tlb_finish_mmu(&tlb);
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return 0;
}

const struct ptebatch_op ptebatch_hint = {
	.name = "NUMA hint", .function = "change_protection()", .call = hint,
	.missing = numa_hints_missing, .no_twin = true,
};
