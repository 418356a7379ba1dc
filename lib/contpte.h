/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64's contiguous blocks, as they are in the page table and not as the
 * kernel's accessors, which gather and hide, show them. Elsewhere there are
 * none, and all is well with them.
 */
#ifndef PTEBATCH_CONTPTE_H
#define PTEBATCH_CONTPTE_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/seq_buf.h>

#ifdef CONFIG_ARM64_CONTPTE

static inline pte_t ptebatch_raw_pte(pte_t *ptep)
{
	return __ptep_get(ptep);
}

/* What the MMU does to an entry, and what the kernel must not do. */
static inline void ptebatch_set_raw_pte(pte_t *ptep, pte_t pte)
{
	WRITE_ONCE(*ptep, pte);
}

bool ptebatch_is_contiguous(struct mm_struct *mm, unsigned long addr);
bool ptebatch_block_agrees(pte_t *ptep, unsigned long addr, struct seq_buf *out);
bool ptebatch_blocks_agree(struct mm_struct *mm, unsigned long start,
			   unsigned long end, struct seq_buf *out);

#else

static inline bool ptebatch_block_agrees(pte_t *ptep, unsigned long addr,
					 struct seq_buf *out)
{
	return true;
}

static inline bool ptebatch_blocks_agree(struct mm_struct *mm,
					 unsigned long start, unsigned long end,
					 struct seq_buf *out)
{
	return true;
}

#endif

#endif /* PTEBATCH_CONTPTE_H */
