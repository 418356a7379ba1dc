/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes before a source of the kernel's that is compiled once more with
 * batching off. All that it defines stays inside, under its own name, but for
 * what is __visible; the Makefile sees to that.
 *
 * Batches are what folio_pte_batch_flags() says, and here that says one page.
 * No include guard: it is for the twins alone, which include it once.
 */

/* The tracepoints are there already. */
#define NOTRACE

/* Variables that a module built elsewhere has looked up: see stubs.S. */
#ifdef PTEBATCH_LOOKUP
#define init_mm				(*ptebatch_init_mm)
#define mmlist_lock			(*ptebatch_mmlist_lock)
#define sme_active_cpus			(*ptebatch_sme_active_cpus)
#define swap_migration_ad_supported	(*ptebatch_swap_migration_ad_supported)
#define vm_committed_as			(*ptebatch_vm_committed_as)
#ifdef CONFIG_SMP
#define vm_committed_as_batch		(*ptebatch_vm_committed_as_batch)
#endif
#endif

#include "tlb.h"

#include <linux/export.h>
#include <linux/init.h>
#include <linux/rmap.h>
#include <linux/syscalls.h>

#include "internal.h"

#include "twin.h"

/* What is exported, run at boot or listed is so already, too. */
#undef EXPORT_SYMBOL
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)

#undef __setup
#undef subsys_initcall
#undef late_initcall
#define __setup(text, function)		static_assert(sizeof(function))
#define subsys_initcall(function)	static_assert(sizeof(function))
#define late_initcall(function)		static_assert(sizeof(function))

#undef SYSCALL_METADATA
#undef ALLOW_ERROR_INJECTION
#define SYSCALL_METADATA(name, nr, ...)
#define ALLOW_ERROR_INJECTION(function, type)

/* Statistics of its own. */
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
DEFINE_PER_CPU(struct mthp_stat, mthp_stats);
#endif

/* Zero pages, which our address spaces do not have. */
#ifdef PTEBATCH_LOOKUP
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
unsigned long huge_zero_pfn = ~0UL;
#endif
#ifdef CONFIG_KSM
atomic_long_t ksm_zero_pages;
#endif
#endif

#define folio_pte_batch_flags(folio, vma, ptep, pte, max_nr, flags) \
	((void)(pte), (void)(max_nr), 1)
#define folio_pte_batch(folio, ptep, pte, max_nr) \
	((void)(pte), (void)(max_nr), 1)
