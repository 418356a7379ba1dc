// SPDX-License-Identifier: GPL-2.0
/*
 * bug: ksmd clears soft-dirty and uffd-wp of pages that it merges
 * fix: mm-ksm-preserve-soft-dirty-and-uffd-wp-when-merging-
 *
 * The program clears the soft-dirty bits, writes the same contents to all pages, and
 * write-protects them by userfaultfd. ksmd merges them into one. They must stay
 * soft-dirty, so that an incremental dump includes them, and write-protected, or else
 * writes are not reported.
 */
#include "reproduce.h"

static const size_t SIZE = 64 * 4096;

/* The other programs are run on the same kernel. */
static void restore(void)
{
	write_file(KSM "run", "0");
	write_file(KSM "sleep_millisecs", "20");
}

/* Return: 1 if all pages of @mem map the same page. */
static int merged(const char *mem)
{
	__u64 pfn = page_entry(mem) & PM_PFN;
	size_t offset;

	for (offset = 0; offset < SIZE; offset += PAGE)
		if ((page_entry(mem + offset) & PM_PFN) != pfn)
			return 0;
	return 1;
}

int main(void)
{
	char *mem = map_aligned(SIZE);
	unsigned long dirty, wp;
	int i;

	atexit(restore);
	memset(mem, 1, SIZE);
	clear_soft_dirty(mem, SIZE);
	memset(mem, 2, SIZE);
	need(count(mem, SIZE, PM_SOFT_DIRTY) == SIZE / PAGE, "soft-dirty bit of written pages");
	protect(register_wp(mem, SIZE, 0), mem, SIZE);
	need(!madvise(mem, SIZE, MADV_MERGEABLE), "MADV_MERGEABLE");
	write_file(KSM "sleep_millisecs", "0");
	write_file(KSM "run", "1");
	for (i = 0; i < 500 && !merged(mem); i++)
		usleep(10000);
	write_file(KSM "run", "0");
	errno = 0;
	need(merged(mem), "merge by ksmd");
	dirty = count(mem, SIZE, PM_SOFT_DIRTY);
	wp = count(mem, SIZE, PM_UFFD_WP);
	return verdict(dirty == SIZE / PAGE && wp == SIZE / PAGE ? RIGHT : BUG,
		       "of %lu merged pages, %lu stay soft-dirty and %lu uffd-wp", SIZE / PAGE,
		       dirty, wp);
}
