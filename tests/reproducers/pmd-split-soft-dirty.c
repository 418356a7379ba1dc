// SPDX-License-Identifier: GPL-2.0
/*
 * bug: splitting a PMD makes clean pages soft-dirty
 * fix: mm-huge-memory-preserve-soft-dirty-when-splitting-a
 *
 * The program does not write to the memory after it clears the soft-dirty bits.
 * mprotect() of one page splits the PMD. The split copies the dirty bit to each
 * PTE by pte_mkdirty(), which also sets soft-dirty.
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
