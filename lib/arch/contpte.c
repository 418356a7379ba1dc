// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "internal.h"

#include "arch.h"
#include "contpte.h"

static void print_block(pte_t *ptep, unsigned long addr, struct seq_buf *out)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		seq_buf_printf(out, "%#lx: %#018llx%s\n", addr + i * PAGE_SIZE,
			       pte_val(ptebatch_raw_pte(ptep + i)),
			       pte_cont(ptebatch_raw_pte(ptep + i)) ? " cont" : "");
}

/* All bits except PFN, accessed and dirty. */
static pteval_t attributes(pte_t pte)
{
	return pgprot_val(pte_pgprot(pte_mkold(pte_mkclean(pte))));
}

/* The violation of rule 25, %NULL if there is none. */
static const char *violation(pte_t *ptep)
{
	pte_t first = ptebatch_raw_pte(ptep);
	unsigned int i, conts = 0;
	struct folio *folio;

	for (i = 0; i < CONT_PTES; i++) {
		pte_t pte = ptebatch_raw_pte(ptep + i);

		/* In a non-present entry the bit has another meaning. */
		if (!pte_present(pte) || !pte_cont(pte))
			continue;
		if (!pte_valid(pte))
			return "contiguous but not valid";
		conts++;
	}
	if (!conts)
		return NULL;
	if (conts < CONT_PTES)
		return "contiguous in some entries only";
	if (pte_pfn(first) % CONT_PTES)
		return "contiguous but its PFN is not aligned";
	for (i = 0; i < CONT_PTES; i++) {
		pte_t pte = ptebatch_raw_pte(ptep + i);

		if (pte_pfn(pte) != pte_pfn(first) + i)
			return "contiguous but its PFNs are not";
		if (attributes(pte) != attributes(first))
			return "contiguous but its entries differ in attributes";
	}
	folio = page_folio(pte_page(first));
	if (pte_pfn(first) + CONT_PTES > folio_pfn(folio) + folio_nr_pages(folio))
		return "contiguous beyond the end of its folio";
	return NULL;
}

/**
 * ptebatch_contpte_consistent() - rule 25: PTE_CONT is set on all entries of a
 *				   block or on none
 * @ptep: first entry of the block
 * @addr: address that the first entry maps
 * @out: buffer for the violation and the raw entries, one per line
 *
 * Context: The page table lock is held.
 * Return: true if the block is consistent.
 */
bool ptebatch_contpte_consistent(pte_t *ptep, unsigned long addr,
				 struct seq_buf *out)
{
	const char *wrong = violation(ptep);

	if (!wrong)
		return true;
	seq_buf_printf(out, "a contpte block is %s\n", wrong);
	print_block(ptep, addr, out);
	return false;
}
