// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>

#include "internal.h"

#include "../kernel/process.h"
#include "../space/folio.h"
#include "../space/space.h"
#include "region.h"

#define REGION_START	SZ_1G

static void release(void *data)
{
	struct ptebatch_region *region = data;

	mmput(region->mm);
	kfree(region);
}

/**
 * ptebatch_region() - map private, writable memory that is not populated
 * @test: the case; fails and ends if the region cannot be created
 * @bytes: size of the region, in bytes, a multiple of the page size
 *
 * The region is released at the end of the case.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the region.
 */
struct ptebatch_region *ptebatch_region(struct kunit *test,
					unsigned long bytes)
{
	struct ptebatch_region *region = kzalloc_obj(*region);

	KUNIT_ASSERT_NOT_NULL(test, region);
	region->mm = ptebatch_mm_alloc();
	if (!region->mm)
		kfree(region);
	KUNIT_ASSERT_NOT_NULL(test, region->mm);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, release, region));
	region->test = test;
	region->bytes = bytes;
	kthread_use_mm(region->mm);
	region->start = vm_mmap(NULL, REGION_START, bytes,
				PROT_READ | PROT_WRITE, MAP_PRIVATE |
				MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0);
	kthread_unuse_mm(region->mm);
	KUNIT_ASSERT_EQ(test, region->start, REGION_START);
	return region;
}

/* Map a folio as do_anonymous_page() does; the mmap_lock is write-locked. */
static int fill_folio(struct vm_area_struct *vma, unsigned long addr,
		      unsigned int order)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, order);
	struct mm_struct *mm = vma->vm_mm;
	unsigned int i;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep, pte;

	if (!folio)
		return -ENOMEM;
	ptep = get_locked_pte(mm, addr, &ptl);
	if (!ptep) {
		folio_put(folio);
		return -ENOMEM;
	}
	/* Pages of zeroes would not be written to a swap device. */
	memset(folio_address(folio), 0x5a, folio_size(folio));
	folio_mark_uptodate(folio);
	ptebatch_folio_add_anon_rmap(folio, vma, addr, false);
	for (i = 0; i < folio_nr_pages(folio); i++)
		SetPageAnonExclusive(folio_page(folio, i));
	folio_add_lru(folio);
	folio_ref_add(folio, folio_nr_pages(folio) - 1);
	add_mm_counter(mm, MM_ANONPAGES, folio_nr_pages(folio));
	pte = pte_mkwrite(pte_mkdirty(mk_pte(folio_page(folio, 0),
					     vma->vm_page_prot)), vma);
	set_ptes(mm, addr, ptep, pte, folio_nr_pages(folio));
	pte_unmap_unlock(ptep, ptl);
	return 0;
}

/**
 * ptebatch_region_filled() - map private memory, populated as by write faults
 * @test: the case; fails and ends if the region cannot be created
 * @bytes: size of the region, in bytes, a multiple of the page size
 * @order: order of the folios; smaller at the end where @order does not fit
 *
 * The region is released at the end of the case.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the region.
 */
struct ptebatch_region *ptebatch_region_filled(struct kunit *test,
					       unsigned long bytes,
					       unsigned int order)
{
	struct ptebatch_region *region = ptebatch_region(test, bytes);
	unsigned long addr = region->start, end = addr + bytes;
	struct vm_area_struct *vma;
	int err;

	mmap_write_lock(region->mm);
	vma = vma_lookup(region->mm, addr);
	err = anon_vma_prepare(vma);
	while (!err && addr < end) {
		while (end - addr < PAGE_SIZE << order)
			order--;
		err = fill_folio(vma, addr, order);
		addr += PAGE_SIZE << order;
	}
	mmap_write_unlock(region->mm);
	lru_add_drain_all();
	KUNIT_ASSERT_EQ_MSG(test, err, 0, "cannot populate %lu KiB", bytes >> 10);
	return region;
}

/**
 * ptebatch_region_share_odd_pages() - make every second page possibly shared
 * @region: the region, with all pages present
 *
 * As fork() leaves it if the parent writes to the other pages before the child
 * exits: the odd pages are not AnonExclusive and read-only.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_region_share_odd_pages(struct ptebatch_region *region)
{
	unsigned long addr, end = region->start + region->bytes;
	struct mm_struct *mm = region->mm;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	mmap_write_lock(mm);
	for (addr = region->start; addr < end; addr += PAGE_SIZE) {
		if (!(addr / PAGE_SIZE % 2))
			continue;
		ptep = get_locked_pte(mm, addr, &ptl);
		if (WARN_ON(!ptep))
			break;
		ptep_set_wrprotect(mm, addr, ptep);
		ClearPageAnonExclusive(pte_page(ptep_get(ptep)));
		pte_unmap_unlock(ptep, ptl);
	}
	flush_tlb_mm(mm);
	mmap_write_unlock(mm);
}

/**
 * ptebatch_region_clear_refs() - do what writing 4 to /proc/PID/clear_refs does
 * @region: the region, with all pages present
 *
 * Enables soft-dirty tracking and clears the bit in each PTE, so that the next
 * write to each page faults. Same as clear_refs_write() and clear_soft_dirty().
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_region_clear_refs(struct ptebatch_region *region)
{
	unsigned long addr, end = region->start + region->bytes;
	struct mm_struct *mm = region->mm;
	struct vm_area_struct *vma;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep, old, pte;

	vma = ptebatch_vma_lock(mm, region->start);
	vm_flags_clear(vma, VM_SOFTDIRTY);
	vma_set_page_prot(vma);
	inc_tlb_flush_pending(mm);
	for (addr = region->start; addr < end; addr += PAGE_SIZE) {
		ptep = get_locked_pte(mm, addr, &ptl);
		if (WARN_ON(!ptep))
			break;
		old = ptep_modify_prot_start(vma, addr, ptep);
		pte = pte_clear_soft_dirty(pte_wrprotect(old));
		ptep_modify_prot_commit(vma, addr, ptep, old, pte);
		pte_unmap_unlock(ptep, ptl);
	}
	flush_tlb_mm(mm);
	dec_tlb_flush_pending(mm);
	mmap_write_unlock(mm);
}

/**
 * ptebatch_region_release() - release a region before the end of the case
 * @region: the region
 *
 * Context: Process context, may sleep.
 */
void ptebatch_region_release(struct ptebatch_region *region)
{
	kunit_release_action(region->test, release, region);
}
