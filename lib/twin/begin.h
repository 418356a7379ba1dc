/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each twin includes this header before the kernel source that it compiles with
 * batching off. The Makefile makes all symbols of the twin local, except those
 * that are __visible.
 *
 * folio_pte_batch_flags() and swap_pte_batch() return the batch size, and here
 * they return 1, except while a twin counts, see counts.h.
 * No include guard: each twin includes this header once.
 */

#include "names.h"

#include "../arch/tlb.h"

#include <linux/init.h>
#include <linux/rmap.h>
#include <linux/slab.h>
#include <linux/syscalls.h>

#ifndef CONFIG_PTEBATCH_BENCH
#include "count.h"
#else
#include "counts.h"
#endif

#include "internal.h"

#include "twin.h"

/* Boot parameters and initcalls are registered by the kernel's copy only. */
#undef __setup
#undef subsys_initcall
#undef late_initcall
#define __setup(text, function)		static_assert(sizeof(text) && sizeof(function))
#define subsys_initcall(function)	static_assert(sizeof(function))
#define late_initcall(function)		static_assert(sizeof(function))

#undef SYSCALL_METADATA
#undef ALLOW_ERROR_INJECTION
#define SYSCALL_METADATA(name, nr, ...)
#define ALLOW_ERROR_INJECTION(function, type)

/*
 * A twin has a copy of each variable of the kernel source, and no initcall
 * initializes it: its slab caches are NULL. kfree() determines the cache from
 * the object. tests/trees/twins.py reports all such variables that a twin uses.
 */
#define kmem_cache_free(cache, object)	((void)(cache), kfree(object))

/* The twin does not count in the kernel's statistics. */
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
DEFINE_PER_CPU(struct mthp_stat, mthp_stats);
#endif

/* A member of struct mm_struct has this name, too: names.h cannot rename it. */
#if defined(MODULE) && defined(CONFIG_KSM)
atomic_long_t ksm_zero_pages;
#endif

static __always_inline unsigned int
twin_pte_batch_flags(struct folio *folio, struct vm_area_struct *vma,
		     pte_t *ptep, pte_t *ptentp, unsigned int max_nr,
		     fpb_t flags)
{
	if (PTEBATCH_COUNTS && ptebatch_counts.on) {
		ptebatch_counts.searches++;
		return folio_pte_batch_flags(folio, vma, ptep, ptentp, max_nr,
					     flags);
	}
	return 1;
}

static __always_inline unsigned int
twin_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte,
	       unsigned int max_nr)
{
	return twin_pte_batch_flags(folio, NULL, ptep, &pte, max_nr, 0);
}

static __always_inline int
twin_swap_pte_batch(pte_t *start_ptep, int max_nr, pte_t pte)
{
	if (PTEBATCH_COUNTS && ptebatch_counts.on) {
		ptebatch_counts.searches++;
		return swap_pte_batch(start_ptep, max_nr, pte);
	}
	return 1;
}

#define folio_pte_batch_flags	twin_pte_batch_flags
#define folio_pte_batch		twin_pte_batch
#define swap_pte_batch		twin_swap_pte_batch
