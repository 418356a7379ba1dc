/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 25 (contpte blocks) in page tables.
 */
#ifndef PTEBATCH_BLOCKS_H
#define PTEBATCH_BLOCKS_H

#include "types.h"

#ifdef CONFIG_ARM64_CONTPTE
bool ptebatch_is_contiguous(struct mm_struct *mm, unsigned long addr);
#endif
bool ptebatch_blocks_consistent(struct mm_struct *mm, unsigned long start,
				unsigned long end, struct seq_buf *out);

#endif /* PTEBATCH_BLOCKS_H */
