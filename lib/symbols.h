/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's functions that the suites call and that modules may not: the
 * one list of them, for exports.S and lookup.c. No include guard: whoever
 * includes it says what PTEBATCH_SYMBOL(name) shall make of each.
 */

/* What is tested. */
PTEBATCH_SYMBOL(change_protection)
PTEBATCH_SYMBOL(mprotect_fixup)

/* What the twins of that call. */
PTEBATCH_SYMBOL(flush_tlb_batched_pending)
PTEBATCH_SYMBOL(vm_normal_page)
PTEBATCH_SYMBOL(vma_wants_writenotify)
PTEBATCH_SYMBOL(__mmu_notifier_invalidate_range_end)
PTEBATCH_SYMBOL(__mmu_notifier_invalidate_range_start)
#ifdef CONFIG_NUMA_BALANCING
PTEBATCH_SYMBOL(folio_can_map_prot_numa)
#endif
#ifdef CONFIG_USERFAULTFD
PTEBATCH_SYMBOL(userfaultfd_wp_unpopulated)
#endif
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_SYMBOL(__split_huge_pmd)
PTEBATCH_SYMBOL(__split_huge_pud)
PTEBATCH_SYMBOL(change_huge_pmd)
#endif
#ifdef CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE_PUD
PTEBATCH_SYMBOL(change_huge_pud)
#endif

/* The address space. */
PTEBATCH_SYMBOL(dup_mmap)
PTEBATCH_SYMBOL(mm_trace_rss_stat)
PTEBATCH_SYMBOL(tlb_finish_mmu)
PTEBATCH_SYMBOL(tlb_gather_mmu)
PTEBATCH_SYMBOL(vma_set_page_prot)

/* Page tables. */
PTEBATCH_SYMBOL(__p4d_alloc)
PTEBATCH_SYMBOL(__pmd_alloc)
PTEBATCH_SYMBOL(__pte_alloc)
PTEBATCH_SYMBOL(__pud_alloc)
PTEBATCH_SYMBOL(get_locked_pte)
PTEBATCH_SYMBOL(p4d_clear_bad)
PTEBATCH_SYMBOL(pgd_clear_bad)
PTEBATCH_SYMBOL(pte_offset_map_lock)
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_SYMBOL(pgtable_trans_huge_deposit)
#endif

/* Folios, their reverse mapping and the page cache. */
PTEBATCH_SYMBOL(__anon_vma_prepare)
PTEBATCH_SYMBOL(__filemap_add_folio)
PTEBATCH_SYMBOL(folio_add_anon_rmap_ptes)
PTEBATCH_SYMBOL(folio_add_file_rmap_pmd)
PTEBATCH_SYMBOL(folio_add_file_rmap_ptes)
PTEBATCH_SYMBOL(folio_add_new_anon_rmap)
PTEBATCH_SYMBOL(folio_remove_rmap_pmd)
PTEBATCH_SYMBOL(folio_remove_rmap_ptes)
PTEBATCH_SYMBOL(prep_compound_page)
PTEBATCH_SYMBOL(shmem_add_to_page_cache)
PTEBATCH_SYMBOL(shmem_inode_acct_blocks)
PTEBATCH_SYMBOL(shmem_recalc_inode)

#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(flush_tlb_mm_range)
PTEBATCH_SYMBOL(pmd_mkwrite)
PTEBATCH_SYMBOL(pte_alloc_one)
PTEBATCH_SYMBOL(pte_mkwrite)
#endif

#ifdef CONFIG_ARM64
PTEBATCH_SYMBOL(__mmu_notifier_arch_invalidate_secondary_tlbs)
PTEBATCH_SYMBOL(modify_prot_commit_ptes)
PTEBATCH_SYMBOL(modify_prot_start_ptes)
#ifdef CONFIG_ARM64_ERRATUM_4193714
PTEBATCH_SYMBOL(sme_do_dvmsync)
#endif
#ifdef CONFIG_ARM64_MTE
PTEBATCH_SYMBOL(mte_sync_tags)
#endif
#ifdef CONFIG_DEBUG_VM
PTEBATCH_SYMBOL(pgattr_change_is_safe)
#endif
#endif
