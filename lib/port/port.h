/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites are written for the newest kernel. This header gives an older one the
 * same names; the Makefile includes it before each source. What the tree has is in
 * has.h, which the Makefile generates from the list "probes".
 */
#ifndef PTEBATCH_PORT_H
#define PTEBATCH_PORT_H

#include "has.h"

/* leafops.h does not include what it needs. A twin has its own headers, and their order. */
#if !defined(PTEBATCH_HAS_SOFTLEAF_TO_PMD) && !defined(PTEBATCH_TWIN)
#include <linux/mm.h>
#include <linux/swap.h>
#endif

#ifndef PTEBATCH_HAS_UFFD_RWP

/* No write and read protection: only uffd-wp uses the bit. */
#define VM_UFFD_RWP			VM_NONE
#define MM_CP_UFFD_RWP			0
#define MM_CP_UFFD_RWP_RESOLVE		0
#define UFFDIO_REGISTER_MODE_RWP	0
#define UFFD_FEATURE_RWP		0

#define pgtable_supports_uffd()		pgtable_supports_uffd_wp()
#define pte_uffd(pte)			pte_uffd_wp(pte)
#define pte_mkuffd(pte)			pte_mkuffd_wp(pte)
#define pte_clear_uffd(pte)		pte_clear_uffd_wp(pte)
#define pte_swp_uffd(pte)		pte_swp_uffd_wp(pte)
#define pte_swp_mkuffd(pte)		pte_swp_mkuffd_wp(pte)
#define pte_swp_clear_uffd(pte)		pte_swp_clear_uffd_wp(pte)
#define pmd_uffd(pmd)			pmd_uffd_wp(pmd)
#define pmd_mkuffd(pmd)			pmd_mkuffd_wp(pmd)
#define pmd_clear_uffd(pmd)		pmd_clear_uffd_wp(pmd)
#define pmd_swp_uffd(pmd)		pmd_swp_uffd_wp(pmd)
#define pmd_swp_mkuffd(pmd)		pmd_swp_mkuffd_wp(pmd)

#endif

#ifndef PTEBATCH_HAS_CLEAR_NONPRESENT_PTES
#define clear_nonpresent_ptes(mm, addr, ptep, nr)	\
	clear_not_present_full_ptes(mm, addr, ptep, nr, 0)
#endif

#ifndef PTEBATCH_HAS_SOFTLEAF_TO_PMD
#define softleaf_to_pmd(entry)		swp_entry_to_pmd(entry)
#endif

/* The level was called BBML2_NOABORT. */
#ifndef PTEBATCH_HAS_BBML3
#define system_supports_bbml3()		system_supports_bbml2_noabort()
#endif

/* Kernel threads have the root folder of the first process. */
#ifndef PTEBATCH_HAS_SCOPED_WITH_INIT_FS
#define scoped_with_init_fs()
#endif

/* The trees had the names of their roots, and anonymous pages the offsets of the file. */
#ifndef PTEBATCH_HAS_RMAP_TREES
#define vma_start_pgoff(vma)		((vma)->vm_pgoff)
#define vma_start_anon_pgoff(vma)	((vma)->vm_pgoff)
#define vma_last_anon_pgoff(vma)	vma_last_pgoff(vma)
#define mapping_rmap_tree_foreach(vma, mapping, first, last)	\
	vma_interval_tree_foreach(vma, &(mapping)->i_mmap, first, last)
#define mapping_rmap_tree_insert(vma, mapping)	\
	vma_interval_tree_insert(vma, &(mapping)->i_mmap)
#define mapping_rmap_tree_remove(vma, mapping)	\
	vma_interval_tree_remove(vma, &(mapping)->i_mmap)
#define anon_rmap_tree_foreach(avc, anon_vma, first, last)	\
	anon_vma_interval_tree_foreach(avc, &(anon_vma)->rb_root, first, last)
#define anon_rmap_tree_insert(avc, anon_vma)	\
	anon_vma_interval_tree_insert(avc, &(anon_vma)->rb_root)
#define anon_rmap_tree_remove(avc, anon_vma)	\
	anon_vma_interval_tree_remove(avc, &(anon_vma)->rb_root)
#endif

/* Each caller had the lines of the function. */
#ifndef PTEBATCH_HAS_PREPARE_FOR_SWAP
#define mm_prepare_for_swap_entries(mm) do {				\
	struct mm_struct *__mm = (mm);					\
	spin_lock(&mmlist_lock);					\
	if (list_empty(&__mm->mmlist))					\
		list_add(&__mm->mmlist, &init_mm.mmlist);		\
	spin_unlock(&mmlist_lock);					\
} while (0)
#endif

#endif /* PTEBATCH_PORT_H */
