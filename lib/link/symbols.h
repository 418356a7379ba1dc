/* SPDX-License-Identifier: GPL-2.0 */
/*
 * List of the kernel symbols that the module needs and the kernel does not
 * export, for stubs.S. No include guard: the including file
 * defines PTEBATCH_SYMBOL(name) for functions and PTEBATCH_DATA(name) for
 * variables.
 */

/* Functions under test. */
PTEBATCH_SYMBOL(change_protection)
PTEBATCH_SYMBOL(copy_page_range)
PTEBATCH_SYMBOL(folio_referenced)
#ifdef CONFIG_NUMA
PTEBATCH_SYMBOL(do_migrate_pages)
#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(__x64_sys_mbind)
#endif
#ifdef CONFIG_ARM64
PTEBATCH_SYMBOL(__arm64_sys_mbind)
#endif
#endif
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_SYMBOL(collapse_pte_mapped_thp)
PTEBATCH_SYMBOL(madvise_collapse)
#endif
PTEBATCH_SYMBOL(mprotect_fixup)
PTEBATCH_SYMBOL(try_to_unmap)
PTEBATCH_SYMBOL(try_to_unmap_flush)
PTEBATCH_SYMBOL(zap_vma_range_batched)
#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(__x64_sys_mlock)
PTEBATCH_SYMBOL(__x64_sys_mlock2)
PTEBATCH_SYMBOL(__x64_sys_mremap)
PTEBATCH_SYMBOL(__x64_sys_munlock)
#endif
#ifdef CONFIG_ARM64
PTEBATCH_SYMBOL(__arm64_sys_mlock)
PTEBATCH_SYMBOL(__arm64_sys_mlock2)
PTEBATCH_SYMBOL(__arm64_sys_mremap)
PTEBATCH_SYMBOL(__arm64_sys_munlock)
#endif

/* Functions and variables that the twins use. */
PTEBATCH_DATA(init_mm)
PTEBATCH_DATA(mmlist_lock)
PTEBATCH_SYMBOL(anon_rmap_tree_insert)
PTEBATCH_SYMBOL(anon_rmap_tree_iter_first)
PTEBATCH_SYMBOL(anon_rmap_tree_iter_next)
PTEBATCH_SYMBOL(anon_rmap_tree_remove)
PTEBATCH_SYMBOL(cond_install_uffd_wp_ptes)
PTEBATCH_SYMBOL(can_change_pte_writable)
PTEBATCH_SYMBOL(faultin_page_range)
PTEBATCH_SYMBOL(find_mergeable_anon_vma)
PTEBATCH_SYMBOL(find_vma_prev)
PTEBATCH_SYMBOL(flush_tlb_batched_pending)
PTEBATCH_SYMBOL(folio_add_lru_vma)
PTEBATCH_SYMBOL(folio_anon_vma)
PTEBATCH_SYMBOL(folio_deactivate)
PTEBATCH_SYMBOL(folio_isolate_lru)
PTEBATCH_SYMBOL(folio_mark_lazyfree)
PTEBATCH_SYMBOL(folio_pte_batch)
PTEBATCH_SYMBOL(folio_putback_lru)
PTEBATCH_SYMBOL(mapping_rmap_tree_iter_first)
PTEBATCH_SYMBOL(mapping_rmap_tree_iter_next)
PTEBATCH_SYMBOL(mlock_drain_local)
PTEBATCH_SYMBOL(mlock_folio)
PTEBATCH_SYMBOL(munlock_folio)
PTEBATCH_SYMBOL(reclaim_pages)
PTEBATCH_SYMBOL(page_vma_mapped_walk)
PTEBATCH_SYMBOL(pmd_clear_bad)
PTEBATCH_SYMBOL(pte_offset_map_rw_nolock)
PTEBATCH_SYMBOL(ptep_clear_flush)
PTEBATCH_SYMBOL(vm_normal_folio)
PTEBATCH_SYMBOL(vm_normal_page)
PTEBATCH_SYMBOL(vma_wants_writenotify)
PTEBATCH_DATA(sysctl_max_map_count)
PTEBATCH_DATA(vm_committed_as)
PTEBATCH_SYMBOL(__get_unmapped_area)
PTEBATCH_SYMBOL(__mm_populate)
PTEBATCH_SYMBOL(copy_vma)
PTEBATCH_SYMBOL(do_munmap)
PTEBATCH_SYMBOL(do_vmi_munmap)
PTEBATCH_SYMBOL(mlock_future_ok)
PTEBATCH_SYMBOL(split_vma)
PTEBATCH_SYMBOL(unlink_anon_vmas)
PTEBATCH_SYMBOL(vma_is_anon_shmem)
PTEBATCH_SYMBOL(vma_is_shmem)
PTEBATCH_SYMBOL(vma_merge_extend)
PTEBATCH_SYMBOL(__tlb_remove_folio_pages)
PTEBATCH_SYMBOL(__vm_enough_memory)
PTEBATCH_SYMBOL(may_expand_vm)
PTEBATCH_SYMBOL(populate_vma_page_range)
PTEBATCH_SYMBOL(pud_clear_bad)
PTEBATCH_SYMBOL(tlb_flush_mmu)
PTEBATCH_SYMBOL(tlb_flush_rmaps)
PTEBATCH_SYMBOL(vm_stat_account)
PTEBATCH_SYMBOL(vma_modify_flags)
PTEBATCH_SYMBOL(vma_modify_name)
PTEBATCH_SYMBOL(walk_page_range_mm_unsafe)
PTEBATCH_SYMBOL(walk_page_range_vma)
PTEBATCH_SYMBOL(walk_page_range_vma_unsafe)
PTEBATCH_SYMBOL(__mmu_notifier_arch_invalidate_secondary_tlbs)
PTEBATCH_SYMBOL(__mmu_notifier_clear_flush_young)
PTEBATCH_SYMBOL(__mmu_notifier_invalidate_range_end)
PTEBATCH_SYMBOL(__mmu_notifier_invalidate_range_start)
#ifdef CONFIG_NUMA_BALANCING
PTEBATCH_SYMBOL(folio_can_map_prot_numa)
#endif
#ifdef CONFIG_MEMORY_FAILURE
PTEBATCH_SYMBOL(soft_offline_page)
#endif
#ifdef CONFIG_USERFAULTFD
PTEBATCH_SYMBOL(mremap_userfaultfd_complete)
PTEBATCH_SYMBOL(mremap_userfaultfd_fail)
PTEBATCH_SYMBOL(mremap_userfaultfd_prep)
PTEBATCH_SYMBOL(userfaultfd_remove)
PTEBATCH_SYMBOL(userfaultfd_unmap_complete)
PTEBATCH_SYMBOL(userfaultfd_wp_unpopulated)
#endif
#ifdef CONFIG_KSM
PTEBATCH_DATA(ksm_zero_pages)
PTEBATCH_SYMBOL(rmap_walk_ksm)
#endif
#ifdef CONFIG_PERF_EVENTS
PTEBATCH_SYMBOL(perf_event_mmap)
#endif
#ifdef CONFIG_SECURITY
PTEBATCH_SYMBOL(security_file_mprotect)
PTEBATCH_SYMBOL(security_vm_enough_memory_mm)
#else
PTEBATCH_SYMBOL(cap_vm_enough_memory)
#endif
#ifdef CONFIG_SMP
PTEBATCH_DATA(vm_committed_as_batch)
#endif
#ifdef CONFIG_SWAP
PTEBATCH_SYMBOL(swap_dup_entry_direct)
PTEBATCH_SYMBOL(folio_free_swap)
PTEBATCH_SYMBOL(read_swap_cache_async)
PTEBATCH_SYMBOL(swap_put_entries_direct)
PTEBATCH_SYMBOL(swap_retry_table_alloc)
#endif
#ifdef CONFIG_MIGRATION
PTEBATCH_DATA(swap_migration_ad_supported)
#endif
#ifdef CONFIG_ARCH_HAS_PMD_SOFTLEAVES
PTEBATCH_SYMBOL(set_pmd_migration_entry)
#endif
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_DATA(huge_zero_pfn)
PTEBATCH_SYMBOL(deferred_split_folio)
PTEBATCH_SYMBOL(pmdp_clear_flush_young)
PTEBATCH_SYMBOL(pmdp_invalidate)
PTEBATCH_SYMBOL(split_huge_pmd_locked)
PTEBATCH_SYMBOL(__split_huge_pmd)
PTEBATCH_SYMBOL(__split_huge_pud)
PTEBATCH_SYMBOL(change_huge_pmd)
PTEBATCH_SYMBOL(hugepage_madvise)
PTEBATCH_SYMBOL(khugepaged_enter_vma)
PTEBATCH_SYMBOL(madvise_free_huge_pmd)
PTEBATCH_SYMBOL(move_huge_pmd)
PTEBATCH_SYMBOL(copy_huge_pmd)
PTEBATCH_SYMBOL(split_folio_to_list)
PTEBATCH_SYMBOL(zap_huge_pmd)
PTEBATCH_DATA(huge_anon_orders_always)
PTEBATCH_DATA(huge_anon_orders_inherit)
PTEBATCH_DATA(huge_anon_orders_madvise)
PTEBATCH_DATA(shadow_nodes)
PTEBATCH_DATA(transparent_hugepage_flags)
PTEBATCH_SYMBOL(__mmu_notifier_test_young)
PTEBATCH_SYMBOL(__pmd_trans_huge_lock)
PTEBATCH_SYMBOL(__thp_vma_allowable_orders)
PTEBATCH_SYMBOL(do_set_pmd)
PTEBATCH_SYMBOL(do_swap_page)
PTEBATCH_SYMBOL(folio_memcg_alloc_deferred)
PTEBATCH_SYMBOL(lru_add_drain)
PTEBATCH_SYMBOL(map_anon_folio_pmd_nopf)
PTEBATCH_SYMBOL(map_anon_folio_pte_nopf)
PTEBATCH_SYMBOL(mm_find_pmd)
PTEBATCH_SYMBOL(pmdp_collapse_flush)
PTEBATCH_SYMBOL(pte_free_defer)
PTEBATCH_SYMBOL(pte_offset_map_ro_nolock)
PTEBATCH_SYMBOL(workingset_update_node)
#ifdef CONFIG_MMU_GATHER_RCU_TABLE_FREE
PTEBATCH_SYMBOL(tlb_remove_table_sync_one)
#endif
#ifdef CONFIG_SHMEM
PTEBATCH_SYMBOL(shmem_charge)
PTEBATCH_SYMBOL(shmem_uncharge)
#endif
#ifdef CONFIG_SWAP
PTEBATCH_SYMBOL(free_swap_cache)
#endif
#endif
#ifdef CONFIG_NUMA
PTEBATCH_DATA(lru_disable_count)
PTEBATCH_DATA(node_reclaim_distance)
PTEBATCH_DATA(node_reclaim_mode)
PTEBATCH_SYMBOL(lru_cache_disable)
PTEBATCH_SYMBOL(vm_normal_folio_pmd)
PTEBATCH_SYMBOL(walk_page_range)
#ifdef CONFIG_MIGRATION
PTEBATCH_SYMBOL(alloc_migration_target)
PTEBATCH_SYMBOL(migrate_pages)
PTEBATCH_SYMBOL(putback_movable_pages)
#endif
#endif
#ifdef CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE_PUD
PTEBATCH_SYMBOL(change_huge_pud)
PTEBATCH_SYMBOL(copy_huge_pud)
PTEBATCH_SYMBOL(zap_huge_pud)
#endif

/* Address spaces. */
#ifdef CONFIG_PER_VMA_LOCK
PTEBATCH_SYMBOL(__vma_exclude_readers_for_detach)
#endif
PTEBATCH_SYMBOL(anon_vma_fork)
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
/* ALLOC_SPLIT_PTLOCKS, without its C header, for assembly. */
#if defined(CONFIG_SPLIT_PTE_PTLOCKS) && SPINLOCK_SIZE > __SIZEOF_LONG__
PTEBATCH_SYMBOL(ptlock_alloc)
PTEBATCH_SYMBOL(ptlock_free)
#endif
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_SYMBOL(pgtable_trans_huge_deposit)
PTEBATCH_SYMBOL(pgtable_trans_huge_withdraw)
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

#ifdef CONFIG_LRU_GEN_WALKS_MMU
PTEBATCH_SYMBOL(lru_gen_add_mm)
#endif

/* Swap space. */
#if defined(CONFIG_SWAP) && defined(CONFIG_BLK_DEV_RAM)
PTEBATCH_SYMBOL(folio_alloc_swap)
PTEBATCH_SYMBOL(folio_dup_swap)
PTEBATCH_SYMBOL(folio_put_swap)
PTEBATCH_SYMBOL(get_swap_device)
PTEBATCH_SYMBOL(swap_cache_get_folio)
PTEBATCH_SYMBOL(swap_cache_del_folio)
PTEBATCH_SYMBOL(swap_read_folio)
PTEBATCH_SYMBOL(swap_read_submit)
PTEBATCH_SYMBOL(swap_write_submit)
PTEBATCH_SYMBOL(swap_writeout)
PTEBATCH_SYMBOL(swp_swapcount)
#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(__x64_sys_mknodat)
PTEBATCH_SYMBOL(__x64_sys_swapoff)
PTEBATCH_SYMBOL(__x64_sys_swapon)
PTEBATCH_SYMBOL(__x64_sys_unlinkat)
#endif
#ifdef CONFIG_ARM64
PTEBATCH_SYMBOL(__arm64_sys_mknodat)
PTEBATCH_SYMBOL(__arm64_sys_swapoff)
PTEBATCH_SYMBOL(__arm64_sys_swapon)
PTEBATCH_SYMBOL(__arm64_sys_unlinkat)
#endif
#endif

/* Processes, and system calls that the benches time. */
PTEBATCH_SYMBOL(do_madvise)
PTEBATCH_SYMBOL(kernel_wait)
PTEBATCH_SYMBOL(lru_add_drain_all)
PTEBATCH_SYMBOL(user_mode_thread)
#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(__x64_sys_madvise)
PTEBATCH_SYMBOL(__x64_sys_pidfd_open)
PTEBATCH_SYMBOL(__x64_sys_mprotect)
PTEBATCH_SYMBOL(__x64_sys_process_madvise)
#endif
#ifdef CONFIG_ARM64
PTEBATCH_SYMBOL(__arm64_sys_madvise)
PTEBATCH_SYMBOL(__arm64_sys_pidfd_open)
PTEBATCH_SYMBOL(__arm64_sys_mprotect)
PTEBATCH_SYMBOL(__arm64_sys_process_madvise)
#endif

#ifdef CONFIG_X86_64
PTEBATCH_SYMBOL(__arch_override_mprotect_pkey)
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
PTEBATCH_SYMBOL(pmdp_test_and_clear_young)
#endif
PTEBATCH_SYMBOL(arch_check_zapped_pte)
PTEBATCH_SYMBOL(arch_tlbbatch_flush)
PTEBATCH_SYMBOL(pfn_modify_allowed)
PTEBATCH_SYMBOL(flush_tlb_mm_range)
PTEBATCH_SYMBOL(pmd_mkwrite)
PTEBATCH_SYMBOL(pte_alloc_one)
PTEBATCH_SYMBOL(pte_mkwrite)
PTEBATCH_SYMBOL(ptep_clear_flush_young)
PTEBATCH_SYMBOL(ptep_test_and_clear_young)
#endif

#ifdef CONFIG_ARM64
#ifdef CONFIG_EFI
PTEBATCH_DATA(efi_mm)
#endif
PTEBATCH_DATA(swapper_pg_dir)
PTEBATCH_SYMBOL(set_swapper_pgd)
PTEBATCH_SYMBOL(__ptep_set_access_flags_anysz)
PTEBATCH_SYMBOL(modify_prot_commit_ptes)
PTEBATCH_SYMBOL(modify_prot_start_ptes)
PTEBATCH_SYMBOL(ptep_modify_prot_commit)
PTEBATCH_SYMBOL(ptep_modify_prot_start)
#ifdef CONFIG_ARM64_ERRATUM_4193714
PTEBATCH_DATA(sme_active_cpus)
PTEBATCH_SYMBOL(sme_do_dvmsync)
#endif
#ifdef CONFIG_ARM64_MTE
PTEBATCH_SYMBOL(mte_sync_tags)
#endif
#ifdef CONFIG_DEBUG_VM
PTEBATCH_SYMBOL(pgattr_change_is_safe)
#endif
#endif
