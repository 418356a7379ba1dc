// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "contpte.h"
#include "pte.h"

static void print_block(pte_t *ptep, unsigned long addr, struct seq_buf *out)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		seq_buf_printf(out, "%#lx: %#018llx%s\n", addr + i * PAGE_SIZE,
			       pte_val(ptebatch_raw_pte(ptep + i)),
			       pte_cont(ptebatch_raw_pte(ptep + i)) ? " cont" : "");
}

/* All but the frame, accessed and dirty. */
static pteval_t attributes(pte_t pte)
{
	return pgprot_val(pte_pgprot(pte_mkold(pte_mkclean(pte))));
}

/* What is wrong with a block, %NULL if nothing is. */
static const char *breach(pte_t *ptep)
{
	pte_t first = ptebatch_raw_pte(ptep);
	unsigned int i, conts = 0;
	struct folio *folio;

	for (i = 0; i < CONT_PTES; i++) {
		pte_t pte = ptebatch_raw_pte(ptep + i);

		/* Entries that are not present use the bit for themselves. */
		if (!pte_present(pte) || !pte_cont(pte))
			continue;
		if (!pte_valid(pte))
			return "contiguous and not valid";
		conts++;
	}
	if (!conts)
		return NULL;
	if (conts < CONT_PTES)
		return "some of its entries are contiguous, some are not";
	if (pte_pfn(first) % CONT_PTES)
		return "contiguous and physically off its alignment";
	for (i = 0; i < CONT_PTES; i++) {
		pte_t pte = ptebatch_raw_pte(ptep + i);

		if (pte_pfn(pte) != pte_pfn(first) + i)
			return "contiguous with frames that are not";
		if (attributes(pte) != attributes(first))
			return "contiguous with entries that differ";
	}
	folio = page_folio(pte_page(first));
	if (pte_pfn(first) + CONT_PTES > folio_pfn(folio) + folio_nr_pages(folio))
		return "contiguous beyond the end of its folio";
	return NULL;
}

/**
 * ptebatch_block_agrees() - rule 25: is a block contiguous as a whole, or not?
 * @ptep: its first entry
 * @addr: the address that this entry maps
 * @out: gets what is wrong, and the raw entries, a line each
 *
 * Context: The page table lock is held.
 * Return: whether nothing is wrong.
 */
bool ptebatch_block_agrees(pte_t *ptep, unsigned long addr, struct seq_buf *out)
{
	const char *wrong = breach(ptep);

	if (!wrong)
		return true;
	seq_buf_printf(out, "a contpte block is %s\n", wrong);
	print_block(ptep, addr, out);
	return false;
}

/**
 * ptebatch_is_contiguous() - is an entry one of a contiguous block?
 * @mm: where
 * @addr: the address that the entry maps
 *
 * Context: Process context; takes the mmap_lock and the page table lock.
 * Return: whether it is.
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

/**
 * ptebatch_blocks_agree() - the same for all blocks of a range
 * @mm: where
 * @start: address of the first page table
 * @end: address behind the last one
 * @out: gets what is wrong with the first block that something is wrong with
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 * Return: whether nothing is wrong.
 */
bool ptebatch_blocks_agree(struct mm_struct *mm, unsigned long start,
			   unsigned long end, struct seq_buf *out)
{
	bool agree = true;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;
	pte_t *ptep;
	pmd_t *pmd;

	mmap_read_lock(mm);
	for (; start < end && agree; start += PMD_SIZE) {
		pmd = ptebatch_find_pmd(mm, start);
		ptep = pmd ? pte_offset_map_lock(mm, pmd, start, &ptl) : NULL;
		if (!ptep)
			continue;
		for (i = 0; i < PTRS_PER_PTE && agree; i += CONT_PTES)
			agree = ptebatch_block_agrees(ptep + i,
						      start + i * PAGE_SIZE, out);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_read_unlock(mm);
	return agree;
}
