/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations on runs of page table entries, see pte_ops.h.
 */
#ifndef PTEBATCH_PTES_H
#define PTEBATCH_PTES_H

#include <linux/mm_types.h>

enum ptebatch_pte_op {
	PTEBATCH_GET,
	PTEBATCH_GET_LOCKLESS,
	PTEBATCH_SET,
	PTEBATCH_SET_PRESENT,
	PTEBATCH_GET_AND_CLEAR,
	PTEBATCH_GET_AND_CLEAR_FULL,
	PTEBATCH_CLEAR,
	PTEBATCH_CLEAR_FULL,
	PTEBATCH_WRPROTECT,
	PTEBATCH_MODIFY_PROT,
	PTEBATCH_MODIFY_PROT_ONE,
	PTEBATCH_TEST_AND_CLEAR_YOUNG,
	PTEBATCH_CLEAR_FLUSH_YOUNG,
	PTEBATCH_CLEAR_YOUNG_DIRTY,
	PTEBATCH_SET_ACCESS_FLAGS,
	PTEBATCH_SET_WRITABLE,
	PTEBATCH_NR_PTE_OPS,
};

/**
 * struct ptebatch_ptes - range of page table entries for an operation
 * @vma: VMA of the entries
 * @addr: address that the first entry maps
 * @ptep: pointer to the first entry; the page table lock is held
 * @nr: number of entries, consecutive and of one folio
 * @entry: initial value of the first entry, for operations that set entries
 * @returned: return value of the operation
 */
struct ptebatch_ptes {
	struct vm_area_struct *vma;
	unsigned long addr;
	pte_t *ptep;
	unsigned int nr;
	pte_t entry;
	pte_t returned;
};

typedef void (*ptebatch_pte_op_t)(struct ptebatch_ptes *ptes);

/**
 * struct ptebatch_pte_cost - cost of an operation
 * @reads: number of reads of page table entries, without atomic exchanges
 * @exchanges: number of atomic exchanges of page table entries
 * @broadcasts: number of TLB invalidations on all CPUs
 * @other_levels: number of TLB invalidations with a hint at another level than
 *                that of PTEs
 * @barriers: number of data synchronisation barriers (DSB)
 */
struct ptebatch_pte_cost {
	unsigned long reads;
	unsigned long exchanges;
	unsigned long broadcasts;
	unsigned long other_levels;
	unsigned long barriers;
};

#endif /* PTEBATCH_PTES_H */
