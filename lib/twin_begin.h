/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes before a source of the kernel's that is compiled once more with
 * batching off. All that it defines stays inside, under its own name, but for
 * what is __visible; the Makefile sees to that.
 *
 * Batches are what folio_pte_batch_flags() says, and here that says one page.
 * No include guard: it is for the twins alone, which include it once.
 */

#include "twin_names.h"

#include "tlb.h"

#include <linux/init.h>
#include <linux/rmap.h>
#include <linux/slab.h>
#include <linux/syscalls.h>

#include "internal.h"

#include "twin.h"

/* What is run at boot or listed is so already, too. */
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
 * A twin has a copy of each variable of the kernel's source, and no initcall
 * sets it up: its slab caches are NULL. kfree() finds the cache of an object by
 * itself. tests/twins.py reports all such variables that a twin reaches.
 */
#define kmem_cache_free(cache, object)	((void)(cache), kfree(object))

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

static __always_inline unsigned int
twin_pte_batch_flags(struct folio *folio, struct vm_area_struct *vma,
		     pte_t *ptep, pte_t *ptentp, unsigned int max_nr,
		     fpb_t flags)
{
	return 1;
}

static __always_inline unsigned int
twin_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte,
	       unsigned int max_nr)
{
	return 1;
}

#define folio_pte_batch_flags	twin_pte_batch_flags
#define folio_pte_batch		twin_pte_batch
