// SPDX-License-Identifier: GPL-2.0
/*
 * bug: migrating a PMD-mapped folio makes clean pages soft-dirty
 * fix: mm-huge-memory-preserve-soft-dirty-when-splitting-a
 *
 * The program does not write to the memory after it clears the soft-dirty bits.
 * mbind() moves the folio to node 1. The end of the migration copies the dirty bit
 * to the new PMD by pmd_mkdirty(), which also sets soft-dirty.
 */
#include "reproduce.h"

int main(void)
{
	unsigned long pages;
	__u64 before;
	char *mem;

	need(!syscall(SYS_set_mempolicy, MPOL_BIND, &NODES[0], 64), "set_mempolicy()");
	mem = map_folios(PMD, 2048);
	clear_soft_dirty(mem, PMD);
	before = page_entry(mem) & PM_PFN;
	need(!syscall(SYS_mbind, mem, PMD, MPOL_BIND, &NODES[1], 64, MPOL_MF_MOVE), "mbind()");
	errno = 0;
	need((page_entry(mem) & PM_PFN) != before && is_one_folio(mem, PMD),
	     "migration of the folio as a whole");
	pages = count(mem, PMD, PM_SOFT_DIRTY);
	return verdict(pages ? BUG : RIGHT, "%lu of %lu pages soft-dirty", pages, PMD / PAGE);
}
