// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mremap() that moves whole page tables does not make pages soft-dirty
 * fix: mm-mremap-set-soft-dirty-when-moving-whole-page-tabl
 *
 * A page that moves to another address is soft-dirty there, for an incremental
 * dump to take it along. Old and new address are aligned to 2M.
 */
#include "reproduce.h"

int main(void)
{
	const size_t size = 4 * PMD;
	char *mem = map_aligned(size), *to = map_aligned(size);
	unsigned long pages;

	need(!madvise(mem, size, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	memset(mem, 1, size);
	clear_soft_dirty(mem, size);
	to = mremap(mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	need(to != MAP_FAILED, "mremap()");
	pages = count(to, size, PM_SOFT_DIRTY);
	return verdict(pages == size / PAGE ? RIGHT : BUG,
		       "%lu of %zu moved pages soft-dirty", pages, size / PAGE);
}
