// SPDX-License-Identifier: GPL-2.0
/*
 * bug: swap-out makes clean pages of large folios soft-dirty (not in 7.3)
 * fix: mm-do-not-set-soft-dirty-when-a-batch-merges-dirty-b
 *
 * The program does not write to the memory after it clears the soft-dirty bits, so
 * the swap entries must not be soft-dirty. Overwrites the RAM disk /dev/ram1.
 */
#include <sys/swap.h>
#include "reproduce.h"

static const char DISK[] = "/dev/ram1";

static void enable_swap(void)
{
	static char header[4096];
	int fd = open(DISK, O_WRONLY);

	*(__u32 *)(header + 1024) = 1;	/* version */
	*(__u32 *)(header + 1028) = 4095;	/* last page */
	memcpy(header + 4086, "SWAPSPACE2", 10);
	need(fd >= 0 && write(fd, header, 4096) == 4096 && !fsync(fd) && !close(fd), DISK);
	need(!swapon(DISK, 0), "swapon()");
}

int main(void)
{
	const size_t size = 1 << 20;
	char *mem = map_folios(size, 64);
	unsigned long pages, swapped;

	enable_swap();
	clear_soft_dirty(mem, size);
	need(!madvise(mem, size, MADV_PAGEOUT), "MADV_PAGEOUT");
	swapped = count(mem, size, PM_SWAP);
	pages = count(mem, size, PM_SOFT_DIRTY);
	swapoff(DISK);
	errno = 0;
	need(swapped == size / PAGE, "MADV_PAGEOUT of all pages");
	return verdict(pages ? BUG : RIGHT, "%lu of %zu swap entries soft-dirty",
		       pages, size / PAGE);
}
