// SPDX-License-Identifier: GPL-2.0
/*
 * bug: splitting a huge zero PMD clears soft-dirty
 * fix: mm-huge-memory-preserve-soft-dirty-when-splitting-a-h
 *
 * mremap() moves a huge zero PMD and makes it soft-dirty. mprotect() of one page
 * splits the PMD. The split must make all PTEs soft-dirty, so that an incremental
 * dump includes them.
 */
#include "reproduce.h"

int main(void)
{
	char *mem = map_aligned(PMD), *new = map_aligned(PMD);
	unsigned long pages;

	write_file("/sys/kernel/mm/transparent_hugepage/use_zero_page", "1");
	write_file("/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled", "madvise");
	need(!madvise(mem, PMD, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	need(!madvise(mem, PAGE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	errno = 0;
	need(count(mem, PMD, PM_PRESENT) == PMD / PAGE, "huge zero page");
	write_file("/proc/self/clear_refs", "4");
	errno = 0;
	need(!count(mem, PMD, PM_SOFT_DIRTY), "write of 4 to clear_refs clears soft-dirty");
	new = mremap(mem, PMD, PMD, MREMAP_MAYMOVE | MREMAP_FIXED, new);
	need(new != MAP_FAILED, "mremap()");
	errno = 0;
	need(count(new, PMD, PM_SOFT_DIRTY) == PMD / PAGE, "moved pages are soft-dirty");
	need(!mprotect(new, PAGE, PROT_READ), "mprotect(PROT_READ)");
	pages = count(new, PMD, PM_SOFT_DIRTY);
	return verdict(pages == PMD / PAGE ? RIGHT : BUG,
		       "%lu of %lu moved pages soft-dirty after the split", pages, PMD / PAGE);
}
