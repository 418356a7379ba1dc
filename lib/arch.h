/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the architectures' page table entries.
 */
#ifndef PTEBATCH_ARCH_H
#define PTEBATCH_ARCH_H

#include <linux/pgtable.h>

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

#endif /* PTEBATCH_ARCH_H */
