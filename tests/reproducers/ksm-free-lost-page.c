// SPDX-License-Identifier: GPL-2.0
/*
 * bug: MADV_FREE of a KSM page frees pages that are merged with it later
 * fix: mm-madvise-do-not-free-KSM-pages-lazily
 *
 * ksmd merges two equal pages; one is unmapped, the other freed by MADV_FREE. ksmd then
 * merges a third page with it, which was never freed. That page must be as it was after
 * MADV_PAGEOUT.
 */
#include "reproduce.h"

static void advise(char *page, int advice, const char *what)
{
	need(!madvise(page, PAGE, advice), what);
}

int main(void)
{
	char *freed = map_aligned(3 * PAGE), *equal = freed + PAGE, *kept = equal + PAGE;

	enable_swap();
	need(!madvise(freed, 3 * PAGE, MADV_MERGEABLE), "MADV_MERGEABLE");

	memset(freed, 1, 2 * PAGE);
	merge_pages(freed, equal);
	advise(equal, MADV_DONTNEED, "MADV_DONTNEED");
	advise(freed, MADV_FREE, "MADV_FREE");

	memset(kept, 1, PAGE);
	merge_pages(freed, kept);
	advise(freed, MADV_DONTNEED, "MADV_DONTNEED");
	advise(kept, MADV_PAGEOUT, "MADV_PAGEOUT");
	errno = 0;
	need(!(page_entry(kept) & PM_PRESENT), "reclaim of the page");
	return verdict(kept[0] == 1 ? RIGHT : BUG,
		       "a page of ones, never freed, reads as %d after reclaim", kept[0]);
}
