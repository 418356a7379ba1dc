// SPDX-License-Identifier: GPL-2.0
/*
 * bug: swap-out makes clean pages of large folios soft-dirty (not in 7.3)
 * fix: mm-do-not-set-soft-dirty-when-a-batch-merges-dirty-b
 *
 * The program does not write to the memory after it clears the soft-dirty bits, so
 * the swap entries must not be soft-dirty. Overwrites the RAM disk SWAP_DISK.
 */
#include "reproduce.h"

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
	errno = 0;
	need(swapped == size / PAGE, "MADV_PAGEOUT of all pages");
	return verdict(pages ? BUG : RIGHT, "%lu of %zu swap entries soft-dirty",
		       pages, size / PAGE);
}
