// SPDX-License-Identifier: GPL-2.0
/*
 * bug: MADV_WILLNEED reads one page of a large folio of shmem in swap
 * fix: mm-madvise-read-each-page-of-a-large-shmem-swap-entr
 *
 * A file in memory has one folio of 2M, which is swapped out. After MADV_WILLNEED of
 * the file, no access waits for a page: there are no major faults.
 */
#include <sys/resource.h>
#include "reproduce.h"

static long major_faults(void)
{
	struct rusage usage;

	need(!getrusage(RUSAGE_SELF, &usage), "getrusage()");
	return usage.ru_majflt;
}

int main(void)
{
	unsigned long offset;
	long before, faults;
	char *mem;

	swap_out_file(&mem);
	need(!madvise(mem, PMD, MADV_WILLNEED), "MADV_WILLNEED");
	before = major_faults();
	for (offset = 0; offset < PMD; offset += PAGE)
		need(mem[offset] == 1, "contents");
	faults = major_faults() - before;
	return verdict(faults ? BUG : RIGHT, "after MADV_WILLNEED, %ld major faults for %lu pages",
		       faults, PMD / PAGE);
}
