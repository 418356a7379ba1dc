// SPDX-License-Identifier: GPL-2.0
/*
 * mm/rmap.c with batching off: its batches are what folio_pte_batch_flags()
 * says, and here that says one page.
 */
/* The tracepoints are there already. */
#define NOTRACE

/* What it gives to others gets a name of its own. */
#define __anon_vma_prepare		twin___anon_vma_prepare
#define __put_anon_vma			twin___put_anon_vma
#define anon_vma_clone			twin_anon_vma_clone
#define anon_vma_fork			twin_anon_vma_fork
#define anon_vma_init			twin_anon_vma_init
#define flush_tlb_batched_pending	twin_flush_tlb_batched_pending
#define folio_add_anon_rmap_pmd		twin_folio_add_anon_rmap_pmd
#define folio_add_anon_rmap_ptes	twin_folio_add_anon_rmap_ptes
#define folio_add_file_rmap_pmd		twin_folio_add_file_rmap_pmd
#define folio_add_file_rmap_ptes	twin_folio_add_file_rmap_ptes
#define folio_add_file_rmap_pud		twin_folio_add_file_rmap_pud
#define folio_add_new_anon_rmap		twin_folio_add_new_anon_rmap
#define folio_get_anon_vma		twin_folio_get_anon_vma
#define folio_lock_anon_vma_read	twin_folio_lock_anon_vma_read
#define folio_mkclean			twin_folio_mkclean
#define folio_move_anon_rmap		twin_folio_move_anon_rmap
#define folio_referenced		twin_folio_referenced
#define folio_remove_rmap_pmd		twin_folio_remove_rmap_pmd
#define folio_remove_rmap_ptes		twin_folio_remove_rmap_ptes
#define folio_remove_rmap_pud		twin_folio_remove_rmap_pud
#define hugetlb_add_anon_rmap		twin_hugetlb_add_anon_rmap
#define hugetlb_add_new_anon_rmap	twin_hugetlb_add_new_anon_rmap
#define make_device_exclusive		twin_make_device_exclusive
#define mapping_wrprotect_range		twin_mapping_wrprotect_range
#define mm_find_pmd			twin_mm_find_pmd
#define page_address_in_vma		twin_page_address_in_vma
#define pfn_mkclean_range		twin_pfn_mkclean_range
#define rmap_walk			twin_rmap_walk
#define rmap_walk_locked		twin_rmap_walk_locked
#define try_to_migrate			twin_try_to_migrate
#define try_to_unmap			ptebatch_twin_try_to_unmap
#define try_to_unmap_flush		twin_try_to_unmap_flush
#define try_to_unmap_flush_dirty	twin_try_to_unmap_flush_dirty
#define unlink_anon_vmas		twin_unlink_anon_vmas

/* Statistics of its own. */
#define mthp_stats			twin_mthp_stats

/* Variables that a module built elsewhere has looked up: see stubs.S. */
#ifdef PTEBATCH_LOOKUP
#define init_mm				(*ptebatch_init_mm)
#define mmlist_lock			(*ptebatch_mmlist_lock)
#define sme_active_cpus			(*ptebatch_sme_active_cpus)
#define swap_migration_ad_supported	(*ptebatch_swap_migration_ad_supported)
#endif

#include "tlb.h"

#include <linux/export.h>
#include <linux/rmap.h>

#include "internal.h"

#include "twin.h"

#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(name)

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
DEFINE_PER_CPU(struct mthp_stat, mthp_stats);
#endif

#define folio_pte_batch_flags(...)	1

/* The kernel's, wherever this is. */
#include <rmap.c>
