// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mmap_lock.h>
#include <linux/pagemap.h>

#include "internal.h"

#include "unmap.h"

/**
 * ptebatch_unmap() - unmap the folios of a row's range, as reclaim does
 * @space: the address space of the row; the range contains whole folios only
 * @flags: TTU_* flags for @unmap
 * @unmap: try_to_unmap() or its twin
 *
 * Context: Process context, may sleep; takes the folio locks.
 */
void ptebatch_unmap(struct ptebatch_space *space, enum ttu_flags flags,
		    ptebatch_unmap_t unmap)
{
	const struct ptebatch_row *row = &space->row;
	s16 done = PTEBATCH_NO_FOLIO;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		s16 nr = row->entries[i].folio;
		struct folio *folio;
		bool locked;

		if (nr == PTEBATCH_NO_FOLIO || nr == done)
			continue;
		done = nr;
		folio = space->folios[nr];
		/* A folio with swap space is locked already. */
		locked = folio_test_locked(folio);
		if (!locked)
			folio_lock(folio);
		unmap(folio, flags);
		if (!locked)
			folio_unlock(folio);
	}
	if (flags & TTU_BATCH_FLUSH)
		try_to_unmap_flush();
}

/**
 * ptebatch_zap() - zap a row's range, as madvise(MADV_DONTNEED) does
 * @space: the address space of the row
 * @zap: zap_vma_range(), its twin or ptebatch_zap_batched()
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_zap(struct ptebatch_space *space, ptebatch_zap_t zap)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;
	unsigned long start = ptebatch_addr(space, row->from);

	mmap_read_lock(mm);
	zap(vma_lookup(mm, start), start, (row->to - row->from) * PAGE_SIZE);
	mmap_read_unlock(mm);
}

/**
 * ptebatch_zap_batched() - call zap_vma_range_batched() with its own mmu_gather
 * @vma: the VMA
 * @start: address of the first byte, page-aligned
 * @bytes: size of the range, in bytes, a multiple of the page size
 *
 * Context: Process context, may sleep; the mmap_lock is held.
 */
void ptebatch_zap_batched(struct vm_area_struct *vma, unsigned long start,
			  unsigned long bytes)
{
	struct mmu_gather tlb;

	tlb_gather_mmu(&tlb, vma->vm_mm);
	zap_vma_range_batched(&tlb, vma, start, bytes, NULL);
	tlb_finish_mmu(&tlb);
}
