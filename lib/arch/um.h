/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_UM_H
#define PTEBATCH_ARCH_UM_H

#define PTEBATCH_SYSCALL(name)		__se_sys_##name
#define PTEBATCH_PROT_SETS_YOUNG	true
#define PTEBATCH_NOTIFIES		0
#define PTEBATCH_WARNS_ONCE		true
#define PTEBATCH_NATIVE			1
/* maybe_map() does not test whether a present PTE permits a read. */
#define PTEBATCH_READS_PROT_NONE	true
/* Without it, a PMD is not that of a page table. */
#define PTEBATCH_BAD_PMD_BIT		_PAGE_DIRTY

/*
 * It advanced the PFN by the number of entries left, not by one, which breaks
 * fork(). The suite ptebatch_pgtable reports the bug.
 */
#define ptebatch_set_ptes_works ptebatch_set_ptes_works
static inline bool ptebatch_set_ptes_works(void)
{
	pte_t ptes[3];

	set_ptes(&init_mm, 0, ptes, pfn_pte(0, PAGE_KERNEL), ARRAY_SIZE(ptes));
	return pte_pfn(ptes[1]) == 1;
}

#endif /* PTEBATCH_ARCH_UM_H */
