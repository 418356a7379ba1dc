// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mremap() that fails clears uffd-wp of what it has moved back
 * fix: mm-mremap-clear-uffd-wp-only-when-the-move-cannot-fai
 *
 * Half of the range has a page table at the destination. Fault injection makes
 * the allocation of the other page table fail: half of the PTEs are moved there
 * and back. They must stay write-protected, or else writes are not reported.
 */
#include "reproduce.h"

static const size_t SIZE = 8 * 4096;

/* Write-protect 32K around a 2M boundary, without UFFD_FEATURE_EVENT_REMAP. */
static char *map_protected(int *uffd)
{
	char *mem = map_aligned(2 * PMD) + PMD - SIZE / 2;

	need(!madvise(mem, SIZE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	memset(mem, 1, SIZE);
	*uffd = register_wp(mem, SIZE, 0);
	protect(*uffd, mem, SIZE);
	return mem;
}

int main(void)
{
	int uffd, nth, fd = inject_faults(), failed = 0;
	unsigned long protected = SIZE / PAGE;
	char *mem, *to, *moved;
	struct uffd_msg event;

	/* The page table is one of the first allocations of a page that mremap() makes. */
	for (nth = 1; nth < 20 && protected == SIZE / PAGE; nth++) {
		mem = map_protected(&uffd);
		to = map_aligned(2 * PMD) + PMD - SIZE / 2;
		to[-PAGE] = 1;
		fail_nth(fd, nth);
		moved = mremap(mem, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
		fail_nth(fd, 0);
		if (moved != MAP_FAILED)
			continue;
		failed++;
		protected = count(mem, SIZE, PM_UFFD_WP);
	}
	need(failed, "failure of mremap() by fault injection");
	if (protected == SIZE / PAGE)
		return verdict(RIGHT, "%d mremap() failed, all pages write-protected", failed);
	mem[0] = 2;
	return verdict(BUG, "%lu of %zu pages write-protected, write %s", protected, SIZE / PAGE,
		       read(uffd, &event, sizeof(event)) < 0 ? "not reported" : "reported");
}
