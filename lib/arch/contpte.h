/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check of arm64 contpte blocks in the raw page table. Without contpte every
 * block is consistent.
 */
#ifndef PTEBATCH_CONTPTE_H
#define PTEBATCH_CONTPTE_H

#include <linux/seq_buf.h>

#include "arch.h"

#ifdef CONFIG_ARM64_CONTPTE

bool ptebatch_contpte_consistent(pte_t *ptep, unsigned long addr,
				 struct seq_buf *out);

#else

static inline bool ptebatch_contpte_consistent(pte_t *ptep, unsigned long addr,
					       struct seq_buf *out)
{
	return true;
}

#endif

#endif /* PTEBATCH_CONTPTE_H */
