// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mremap() of whole page tables does not set soft-dirty
 * fix: mm-mremap-set-soft-dirty-when-moving-whole-page-tabl
 *
 * mremap() must make moved pages soft-dirty, so that an incremental dump includes
 * them. Source and destination are aligned to 2M, so whole page tables move.
 */
#include "reproduce.h"

int main(void)
{
	const size_t size = 4 * PMD;
	char *mem = map_aligned(size), *new = map_aligned(size);
	unsigned long pages;

	need(!madvise(mem, size, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	memset(mem, 1, size);
	clear_soft_dirty(mem, size);
	new = mremap(mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, new);
	need(new != MAP_FAILED, "mremap()");
	pages = count(new, size, PM_SOFT_DIRTY);
	return verdict(pages == size / PAGE ? RIGHT : BUG,
		       "%lu of %zu moved pages soft-dirty", pages, size / PAGE);
}
