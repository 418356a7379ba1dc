/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disables tracepoints and exports in a twin, and renames variables that modules
 * cannot link to. Include it before all kernel headers and sources.
 */
#ifndef PTEBATCH_TWIN_NAMES_H
#define PTEBATCH_TWIN_NAMES_H

/* The kernel's own copy defines the tracepoints and exports. */
#define NOTRACE
#define __DISABLE_EXPORTS

/* A module looks up the addresses of variables: see lib/link/stubs.S. */
#ifdef MODULE
#define efi_mm				(*ptebatch_efi_mm)
#define huge_anon_orders_always		(*ptebatch_huge_anon_orders_always)
#define huge_anon_orders_inherit	(*ptebatch_huge_anon_orders_inherit)
#define huge_anon_orders_madvise	(*ptebatch_huge_anon_orders_madvise)
#define huge_zero_pfn			(*ptebatch_huge_zero_pfn)
#define init_mm				(*ptebatch_init_mm)
#define lru_disable_count		(*ptebatch_lru_disable_count)
#define mmlist_lock			(*ptebatch_mmlist_lock)
#define node_reclaim_distance		(*ptebatch_node_reclaim_distance)
#define node_reclaim_mode		(*ptebatch_node_reclaim_mode)
#define shadow_nodes			(*ptebatch_shadow_nodes)
#define sme_active_cpus			(*ptebatch_sme_active_cpus)
#define swap_migration_ad_supported	(*ptebatch_swap_migration_ad_supported)
#define sysctl_max_map_count		(*ptebatch_sysctl_max_map_count)
#define total_swap_pages		(*ptebatch_total_swap_pages)
#define transparent_hugepage_flags	(*ptebatch_transparent_hugepage_flags)
#define vm_committed_as			(*ptebatch_vm_committed_as)
#ifdef CONFIG_SMP
#define vm_committed_as_batch		(*ptebatch_vm_committed_as_batch)
#endif
#endif

#endif /* PTEBATCH_TWIN_NAMES_H */
