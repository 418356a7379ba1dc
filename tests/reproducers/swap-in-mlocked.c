// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pages that are swapped in to locked memory are not mlocked
 * fix: mm-mlock-folios-that-are-swapped-in-to-VM_LOCKED-VMA
 *
 * Pages in swap become present in memory that is locked: some by the faults of mlock(),
 * some by swapoff(). Mlocked of /proc/meminfo has to count all of them.
 */
#include "reproduce.h"

static const size_t SIZE = 64 << 10;

/* Return: Mlocked of /proc/meminfo, in pages. */
static long mlocked(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	long kilobytes = -1;
	char line[99];

	/* Add the changes that the CPUs have counted. */
	write_file("/proc/sys/vm/stat_refresh", "1");
	need(!!file, "/proc/meminfo");
	while (fgets(line, sizeof(line), file) && kilobytes < 0)
		sscanf(line, "Mlocked: %ld", &kilobytes);
	fclose(file);
	need(kilobytes >= 0, "Mlocked of /proc/meminfo");
	return kilobytes * 1024 / PAGE;
}

int main(void)
{
	char *mem = map_aligned(2 * SIZE);
	long before, faults, all;

	enable_swap();
	memset(mem, 1, 2 * SIZE);
	need(!madvise(mem, 2 * SIZE, MADV_PAGEOUT), "MADV_PAGEOUT");
	errno = 0;
	need(count(mem, 2 * SIZE, PM_SWAP) == 2 * SIZE / PAGE, "swap-out of the pages");
	before = mlocked();
	need(!mlock(mem, SIZE), "mlock()");
	need(count(mem, SIZE, PM_PRESENT) == SIZE / PAGE, "swap-in by mlock()");
	faults = mlocked() - before;
	need(!mlock2(mem + SIZE, SIZE, MLOCK_ONFAULT) && !swapoff(SWAP_DISK),
	     "MLOCK_ONFAULT, swapoff()");
	need(count(mem, 2 * SIZE, PM_PRESENT) == 2 * SIZE / PAGE, "swap-in by swapoff()");
	all = mlocked() - before;
	return verdict(all == (long)(2 * SIZE / PAGE) ? RIGHT : BUG,
		       "%ld pages mlocked by faults, %ld by swapoff(), expected %zu each",
		       faults, all - faults, SIZE / PAGE);
}
