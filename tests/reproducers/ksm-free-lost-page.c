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

#define KSM "/sys/kernel/mm/ksm/"

/* The other programs are run on the same kernel. */
static void restore(void)
{
	write_file(KSM "run", "0");
	write_file(KSM "sleep_millisecs", "20");
}

/* Let ksmd merge the pages at @a and @b. */
static void let_merge(const char *a, const char *b)
{
	int i;

	write_file(KSM "run", "1");
	for (i = 0; i < 500 && page_entry(a) != page_entry(b); i++)
		usleep(10000);
	write_file(KSM "run", "0");
	errno = 0;
	need((page_entry(a) & PM_PFN) == (page_entry(b) & PM_PFN), "pages merged by ksmd");
}

static void advise(char *page, int advice, const char *what)
{
	need(!madvise(page, PAGE, advice), what);
}

int main(void)
{
	char *freed = map_aligned(3 * PAGE), *equal = freed + PAGE, *kept = equal + PAGE;

	enable_swap();
	atexit(restore);
	write_file(KSM "sleep_millisecs", "0");
	need(!madvise(freed, 3 * PAGE, MADV_MERGEABLE), "MADV_MERGEABLE");

	memset(freed, 1, 2 * PAGE);
	let_merge(freed, equal);
	advise(equal, MADV_DONTNEED, "MADV_DONTNEED");
	advise(freed, MADV_FREE, "MADV_FREE");

	memset(kept, 1, PAGE);
	let_merge(freed, kept);
	advise(freed, MADV_DONTNEED, "MADV_DONTNEED");
	advise(kept, MADV_PAGEOUT, "MADV_PAGEOUT");
	errno = 0;
	need(!(page_entry(kept) & PM_PRESENT), "reclaim of the page");
	return verdict(kept[0] == 1 ? RIGHT : BUG,
		       "a page of ones, never freed, reads as %d after reclaim", kept[0]);
}
