// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mprotect() makes clean pages of large folios soft-dirty
 * fix: mm-do-not-set-soft-dirty-when-a-batch-merges-dirty-b
 *
 * The program does not write to the memory after it clears the soft-dirty bits.
 * mprotect() merges the dirty bits of a batch by pte_mkdirty(), which also sets
 * soft-dirty.
 */
#include "reproduce.h"

int main(void)
{
	const size_t size = 1 << 20;
	char *mem = map_folios(size, 64);
	unsigned long pages;

	clear_soft_dirty(mem, size);
	need(!mprotect(mem, size, PROT_READ), "mprotect(PROT_READ)");
	need(!mprotect(mem, size, PROT_READ | PROT_WRITE), "mprotect(PROT_WRITE)");
	pages = count(mem, size, PM_SOFT_DIRTY);
	return verdict(pages ? BUG : RIGHT, "%lu of %zu pages soft-dirty", pages, size / PAGE);
}
