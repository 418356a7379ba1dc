// SPDX-License-Identifier: GPL-2.0
/*
 * bug: khugepaged clears soft-dirty when it collapses read-only memory below PMD order
 * fix: mm-khugepaged-do-not-lose-soft-dirty-of-read-only-memo
 *
 * The program writes to memory after it clears the soft-dirty bits, and makes it
 * read-only. khugepaged collapses the pages into 64K folios. The pages must stay
 * soft-dirty, so that an incremental dump includes them.
 */
#include "reproduce.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

/* The other programs are run on the same kernel. */
static void restore(void)
{
	write_file(THP "khugepaged/scan_sleep_millisecs", "10000");
	write_file(THP "khugepaged/max_ptes_none", "511");
	write_file(THP "hugepages-64kB/enabled", "never");
	write_file(THP "hugepages-2048kB/enabled", "inherit");
}

int main(void)
{
	char *mem = map_aligned(PMD);
	unsigned long before, pages;
	int i;

	atexit(restore);
	write_file(THP "hugepages-2048kB/enabled", "never");
	memset(mem, 1, PMD);
	write_file("/proc/self/clear_refs", "4");
	memset(mem, 2, PMD);
	before = count(mem, PMD, PM_SOFT_DIRTY);
	need(before == PMD / PAGE, "soft-dirty bit of written pages");
	need(!mprotect(mem, PMD, PROT_READ), "mprotect(PROT_READ)");
	need(count(mem, PMD, PM_SOFT_DIRTY) == PMD / PAGE, "soft-dirty bit after mprotect()");
	write_file(THP "hugepages-64kB/enabled", "madvise");
	write_file(THP "khugepaged/max_ptes_none", "0");
	need(!madvise(mem, PMD, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	for (i = 0; i < 200 && !is_one_folio(mem, 65536); i++) {
		write_file(THP "khugepaged/scan_sleep_millisecs", "10");
		usleep(20000);
	}
	errno = 0;
	need(is_one_folio(mem, 65536), "collapse by khugepaged");
	/* The other ranges. */
	sleep(1);
	pages = count(mem, PMD, PM_SOFT_DIRTY);
	return verdict(pages == PMD / PAGE ? RIGHT : BUG,
		       "%lu of %lu written pages soft-dirty after the collapse", pages, PMD / PAGE);
}
