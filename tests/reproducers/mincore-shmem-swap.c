// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mincore() reports all pages of a large folio of shmem in swap as the first one
 * fix: mm-mincore-look-up-each-page-of-a-large-shmem-swap-e
 *
 * A file in memory has one folio of 2M, which is swapped out. Its first page is read.
 */
#include "reproduce.h"

/* Return: number of pages of the 2M at @mem that are in memory. */
static unsigned long in_memory(char *mem)
{
	static unsigned char pages[512];
	unsigned long i, nr = 0;

	need(!mincore(mem, PMD, pages), "mincore()");
	for (i = 0; i < PMD / PAGE; i++)
		nr += pages[i] & 1;
	return nr;
}

int main(void)
{
	unsigned long nr;
	char *mem;

	swap_out_file(&mem);
	errno = 0;
	need(!in_memory(mem), "no page in memory after the swap-out");
	need(!madvise(mem, PAGE, MADV_WILLNEED), "MADV_WILLNEED");
	nr = in_memory(mem);
	errno = 0;
	need(nr, "the first page in memory after MADV_WILLNEED");
	return verdict(nr == 1 ? RIGHT : BUG,
		       "one page was read from swap, mincore() reports %lu in memory", nr);
}
