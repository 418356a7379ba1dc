/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Convert between struct ptebatch_entry and pte_t.
 */
#ifndef PTEBATCH_PTE_H
#define PTEBATCH_PTE_H

#include <linux/mm_types.h>

#include "../row/row.h"

pgprot_t ptebatch_pte_prot(const struct vm_area_struct *vma);
pte_t ptebatch_pte_make(struct vm_area_struct *vma, struct page *page,
			const struct ptebatch_entry *entry);
swp_entry_t ptebatch_migration_entry(struct page *page, u16 flags);
unsigned long ptebatch_pte_read(pte_t pte, struct ptebatch_entry *entry);
pmd_t *ptebatch_find_pmd(struct mm_struct *mm, unsigned long addr);
spinlock_t *ptebatch_entry_lock(struct mm_struct *mm, unsigned long addr);

#endif /* PTEBATCH_PTE_H */
