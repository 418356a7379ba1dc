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

int main(void)
{
	char *from = map_aligned(SIZE), *to = map_aligned(SIZE);
	int uffd = register_mode(to, SIZE, 0, UFFDIO_REGISTER_MODE_MISSING);
	long before = ksm_zero_pages(), after;

	merge_zero_pages(from, SIZE);
	move(uffd, to, from, SIZE);
	need(!munmap(from, SIZE) && !munmap(to, SIZE), "munmap()");
	after = ksm_zero_pages();
	return verdict(after == before ? RIGHT : BUG,
		       "ksm_zero_pages: %ld before, %ld after %lu pages were merged and unmapped",
		       before, after, SIZE / PAGE);
}
