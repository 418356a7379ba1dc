// SPDX-License-Identifier: GPL-2.0
/*
 * Between its look at a PMD and its lock of the page table, a function may lose
 * the page table: another thread collapses it. pte_offset_map_lock() then
 * returns NULL. Without a second thread, the same happens if the PMD is corrupt:
 * pte_offset_map_lock() also reports that and clears the PMD (pmd_clear_bad()).
 */
#include <linux/mm.h>

#include "../arch/arch.h"
#include "bad_pmd.h"
#include "pte.h"

/* The PMD of the row's first page table, locked. */
static pmd_t *locked_pmd(const struct ptebatch_space *space, spinlock_t **ptl)
{
	const struct ptebatch_place *place = &space->places[0];
	pmd_t *pmd = ptebatch_find_pmd(place->mm, place->start);

	*ptl = pmd_lock(place->mm, pmd);
	return pmd;
}

/**
 * ptebatch_bad_pmd_begin() - corrupt the PMD of the row's first page table
 * @space: the address space, set up; without effect if its set-up does not say so
 *
 * Context: Process context; takes the lock of the PMD.
 */
void ptebatch_bad_pmd_begin(struct ptebatch_space *space)
{
	spinlock_t *ptl;	/* of the PMD */
	pmd_t *pmd;

	if (!space->setup.bad_pmd)
		return;
	pmd = locked_pmd(space, &ptl);
	space->pmd = *pmd;
	set_pmd(pmd, ptebatch_bad_pmd(*pmd));
	spin_unlock(ptl);
}

/**
 * ptebatch_bad_pmd_end() - restore the PMD
 * @space: the address space; without effect if its PMD is not corrupt
 *
 * Context: Process context; takes the lock of the PMD.
 */
void ptebatch_bad_pmd_end(struct ptebatch_space *space)
{
	spinlock_t *ptl;	/* of the PMD */
	pmd_t *pmd;

	if (pmd_none(space->pmd))
		return;
	pmd = locked_pmd(space, &ptl);
	set_pmd(pmd, space->pmd);
	spin_unlock(ptl);
	space->pmd = __pmd(0);
}
