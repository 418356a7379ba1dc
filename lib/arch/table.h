/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of entries in a page table, PTRS_PER_PTE, as a constant: powerpc reads
 * it from a variable, as it chooses between radix and hash page tables at boot. The
 * suites run with radix page tables only.
 */
#ifndef PTEBATCH_ARCH_TABLE_H
#define PTEBATCH_ARCH_TABLE_H

#include <linux/pgtable.h>

#ifdef CONFIG_PPC_BOOK3S_64
#undef PTE_INDEX_SIZE
#define PTE_INDEX_SIZE	RADIX_PTE_INDEX_SIZE
#endif

#endif /* PTEBATCH_ARCH_TABLE_H */
