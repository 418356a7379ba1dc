// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../arch/contpte.h"
#include "../kernel/log.h"
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

/* Check all blocks of the page tables that map @start to @end. */
static bool tables_consistent(struct mm_struct *mm, unsigned long start,
			      unsigned long end, struct seq_buf *out)
{
	bool consistent = true;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;
	pte_t *ptep;
	pmd_t *pmd;

	mmap_read_lock(mm);
	for (; start < end && consistent; start += PMD_SIZE) {
		pmd = ptebatch_find_pmd(mm, start);
		ptep = pmd ? pte_offset_map_lock(mm, pmd, start, &ptl) : NULL;
		if (!ptep)
			continue;
		for (i = 0; i < PTRS_PER_PTE && consistent;
		     i += PTEBATCH_BLOCK_ENTRIES)
			consistent = ptebatch_contpte_consistent(ptep + i,
								 start + i * PAGE_SIZE,
								 out);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_read_unlock(mm);
	return consistent;
}

/* Space for one line per entry of the largest block. */
#define BLOCK_TEXT	SZ_8K

/**
 * ptebatch_blocks_consistent() - check rule 25 (contpte blocks)
 * @space: the address space, with a page table on each side of each row
 * @function: the function under test, for the failure message
 *
 * Fails the case if a block is inconsistent.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: true if all contpte blocks are consistent.
 */
bool ptebatch_blocks_consistent(const struct ptebatch_space *space,
				const char *function)
{
	struct seq_buf out;
	bool consistent = true;
	unsigned int i;
	char *text;

	if (PTEBATCH_BLOCK_ENTRIES == 1)
		return true;
	text = kvmalloc(BLOCK_TEXT, GFP_KERNEL);
	if (!text) {
		KUNIT_FAIL(space->test, "rule 25 (contpte blocks) not checked: out of memory");
		return false;
	}
	for (i = 0; i < space->nr_places && consistent; i++) {
		const struct ptebatch_place *place = &space->places[i];
		unsigned long end = place->start + space->row.nr * PAGE_SIZE;

		seq_buf_init(&out, text, BLOCK_TEXT);
		consistent = tables_consistent(place->mm,
					       ALIGN_DOWN(place->start, PMD_SIZE) -
					       PMD_SIZE,
					       ALIGN(end, PMD_SIZE) + PMD_SIZE,
					       &out);
	}
	if (!consistent) {
		KUNIT_FAIL(space->test, "%s violates rule 25 (contpte blocks)",
			   function);
		ptebatch_print_lines(space->test, &out);
	}
	kvfree(text);
	return consistent;
}
