// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_MOVE of zero pages of KSM leaves ksm_zero_pages too high
 * fix: userfaultfd-uncount-zero-pages-of-KSM-that-UFFDIO_MO
 *
 * ksmd replaces pages of zeroes by the zero page, which UFFDIO_MOVE moves. When both
 * ranges are unmapped, ksm_zero_pages must be as before.
 */
#include "reproduce.h"

static const size_t SIZE = 64 * 4096;

/* The other programs are run on the same kernel. */
static void restore(void)
{
	write_file(KSM "run", "0");
	write_file(KSM "sleep_millisecs", "20");
	write_file(KSM "use_zero_pages", "0");
}

static long zero_pages(void)
{
	FILE *file = fopen(KSM "ksm_zero_pages", "r");
	long pages;

	need(file && fscanf(file, "%ld", &pages) == 1 && !fclose(file), KSM "ksm_zero_pages");
	return pages;
}

int main(void)
{
	char *from = map_aligned(SIZE), *to = map_aligned(SIZE);
	int uffd = register_mode(to, SIZE, 0, UFFDIO_REGISTER_MODE_MISSING), i;
	long before = zero_pages(), after;

	atexit(restore);
	memset(from, 0, SIZE);
	need(!madvise(from, SIZE, MADV_MERGEABLE), "MADV_MERGEABLE");
	write_file(KSM "sleep_millisecs", "0");
	write_file(KSM "use_zero_pages", "1");
	write_file(KSM "run", "1");
	for (i = 0; i < 500 && zero_pages() - before < (long)(SIZE / PAGE); i++)
		usleep(10000);
	write_file(KSM "run", "0");
	errno = 0;
	need(zero_pages() - before == (long)(SIZE / PAGE), "merge with the zero page by ksmd");
	move(uffd, to, from, SIZE);
	need(!munmap(from, SIZE) && !munmap(to, SIZE), "munmap()");
	after = zero_pages();
	return verdict(after == before ? RIGHT : BUG,
		       "ksm_zero_pages: %ld before, %ld after %lu pages were merged and unmapped",
		       before, after, SIZE / PAGE);
}
