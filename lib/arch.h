/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the architectures' page table entries.
 */
#ifndef PTEBATCH_ARCH_H
#define PTEBATCH_ARCH_H

#include <linux/kconfig.h>
#include <linux/pgtable.h>

#include "row.h"

#ifdef CONFIG_ARM64_CONTPTE

/* Entries in aligned blocks of this many share their accessed and dirty bits. */
#define PTEBATCH_BLOCK_ENTRIES	CONT_PTES

/* An entry without what the architecture adds and removes as it likes. */
static inline pte_t ptebatch_bare_pte(pte_t pte)
{
	return pte_present(pte) ? pte_mknoncont(pte) : pte;
}

#else

#define PTEBATCH_BLOCK_ENTRIES	1

static inline pte_t ptebatch_bare_pte(pte_t pte)
{
	return pte;
}

#endif

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)

/* Does the CPU have shadow stacks, or was the kernel told so by setcpuid=? */
static inline bool ptebatch_has_shadow_stack(void)
{
	return cpu_feature_enabled(X86_FEATURE_SHSTK);
}

static inline bool ptebatch_pte_shadow_stack(pte_t pte)
{
	return pte_shstk(pte);
}

static inline pte_t ptebatch_pte_mkshadow_stack(pte_t pte)
{
	return pte_mkwrite_shstk(pte);
}

#else

static inline bool ptebatch_has_shadow_stack(void)
{
	return false;
}

static inline bool ptebatch_pte_shadow_stack(pte_t pte)
{
	return false;
}

static inline pte_t ptebatch_pte_mkshadow_stack(pte_t pte)
{
	return pte;
}

#endif

/*
 * UML's protections all contain the accessed bit, so a change of protection
 * always sets it.
 */
#define PTEBATCH_COMES_YOUNG	(IS_ENABLED(CONFIG_UML) ? PTEBATCH_YOUNG : 0)

#endif /* PTEBATCH_ARCH_H */
