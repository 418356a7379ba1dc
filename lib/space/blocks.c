// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../arch/contpte.h"
#include "blocks.h"
#include "pte.h"

#ifdef CONFIG_ARM64_CONTPTE
/**
 * ptebatch_is_contiguous() - test whether an entry is valid and has PTE_CONT
 * @mm: the mm
 * @addr: address that the entry maps, in bytes
 *
 * Context: Process context; takes the mmap_lock and the page table lock.
 * Return: true if the entry is valid and has PTE_CONT.
 */
bool ptebatch_is_contiguous(struct mm_struct *mm, unsigned long addr)
{
	bool contiguous = false;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;
	pmd_t *pmd;

	mmap_read_lock(mm);
	pmd = ptebatch_find_pmd(mm, addr);
	ptep = pmd ? pte_offset_map_lock(mm, pmd, addr, &ptl) : NULL;
	if (ptep) {
		contiguous = pte_valid_cont(ptebatch_raw_pte(ptep));
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_read_unlock(mm);
	return contiguous;
}
#endif

/**
 * ptebatch_blocks_consistent() - check rule 25 (contpte blocks)
 * @mm: the mm
 * @start: address of the first byte
 * @end: address behind the last byte
 * @out: receives the violation by the first inconsistent block
 *
 * Checks each block that contains an entry for @start to @end.
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 * Return: true if all contpte blocks are consistent.
 */
bool ptebatch_blocks_consistent(struct mm_struct *mm, unsigned long start,
				unsigned long end, struct seq_buf *out)
{
	bool consistent = true;
	unsigned long next;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;
	pmd_t *pmd;

	if (PTEBATCH_BLOCK_ENTRIES == 1)
		return true;
	mmap_read_lock(mm);
	start = ALIGN_DOWN(start, PTEBATCH_BLOCK_ENTRIES * PAGE_SIZE);
	for (; start < end && consistent; start = next) {
		next = min(ALIGN_DOWN(start, PMD_SIZE) + PMD_SIZE, end);
		pmd = ptebatch_find_pmd(mm, start);
		ptep = pmd ? pte_offset_map_lock(mm, pmd, start, &ptl) : NULL;
		if (!ptep)
			continue;
		for (; start < next && consistent;
		     start += PTEBATCH_BLOCK_ENTRIES * PAGE_SIZE) {
			consistent = ptebatch_contpte_consistent(ptep, start, out);
			ptep += PTEBATCH_BLOCK_ENTRIES;
		}
		pte_unmap_unlock(ptep - 1, ptl);
	}
	mmap_read_unlock(mm);
	return consistent;
}
