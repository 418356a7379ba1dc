// SPDX-License-Identifier: GPL-2.0
/*
 * bug: the split of a PMD makes clean pages soft-dirty
 * fix: mm-huge-memory-preserve-soft-dirty-when-splitting-a
 *
 * Nothing writes to the memory after the soft-dirty bits are cleared. mprotect()
 * of one page splits the PMD, and each PTE gets the PMD's dirty bit by
 * pte_mkdirty(), which sets soft-dirty, too.
 */
#include "reproduce.h"

int main(void)
{
	char *mem = map_folios(PMD, 2048);
	unsigned long pages;

	clear_soft_dirty(mem, PMD);
	need(!mprotect(mem, PAGE, PROT_READ), "mprotect(PROT_READ)");
	pages = count(mem, PMD, PM_SOFT_DIRTY);
	return verdict(pages ? BUG : RIGHT, "%lu of %lu pages soft-dirty", pages, PMD / PAGE);
}
