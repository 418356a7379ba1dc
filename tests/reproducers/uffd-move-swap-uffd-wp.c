// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_MOVE keeps uffd-wp of swap entries
 * fix: userfaultfd-do-not-keep-uffd-wp-of-swap-entries-that-
 *
 * Two pages are write-protected by userfaultfd, one is swapped out, and both are moved
 * to a range that is not registered for write protection. Neither may be uffd-wp there.
 */
#include "reproduce.h"

int main(void)
{
	char *from = map_aligned(2 * PAGE), *to = map_aligned(2 * PAGE);
	int uffd = register_mode(to, 2 * PAGE, 0, UFFDIO_REGISTER_MODE_MISSING);

	enable_swap();
	memset(from, 1, 2 * PAGE);
	protect(register_wp(from, 2 * PAGE, 0), from, 2 * PAGE);
	need(!madvise(from + PAGE, PAGE, MADV_PAGEOUT), "MADV_PAGEOUT");
	need(count(from, 2 * PAGE, PM_SWAP) == 1, "swap-out of the page");
	move(uffd, to, from, 2 * PAGE);
	need(!(page_entry(to) & PM_UFFD_WP) && page_entry(to + PAGE) & PM_SWAP,
	     "UFFDIO_MOVE: a page in memory that is not uffd-wp, and a swap entry");
	/* The read swaps in. */
	need(to[0] == 1 && to[PAGE] == 1, "UFFDIO_MOVE: contents");
	return verdict(page_entry(to + PAGE) & PM_UFFD_WP ? BUG : RIGHT,
		       "moved out of a write-protected range, a page in memory is not uffd-wp, one in swap %s",
		       page_entry(to + PAGE) & PM_UFFD_WP ? "is" : "is not, either");
}
