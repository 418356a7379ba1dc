// SPDX-License-Identifier: GPL-2.0
/*
 * bug: mremap() that fails clears uffd-wp of what it has moved back
 * fix: mm-mremap-clear-uffd-wp-only-when-the-move-cannot-fai
 *
 * Half of the range has a page table at the destination. Fault injection makes
 * the allocation of the other page table fail: half of the PTEs are moved there
 * and back. They must stay write-protected, or else writes are not reported.
 */
#include <sys/mount.h>
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
	int uffd, nth, fd = open("/proc/self/fail-nth", O_WRONLY), failed = 0;
	unsigned long protected = SIZE / PAGE;
	char text[9], *mem, *to, *moved;
	struct uffd_msg event;

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	need(fd >= 0, "/proc/self/fail-nth");
	/* The page table is one of the first allocations of a page that mremap() makes. */
	for (nth = 1; nth < 20 && protected == SIZE / PAGE; nth++) {
		mem = map_protected(&uffd);
		to = map_aligned(2 * PMD) + PMD - SIZE / 2;
		to[-PAGE] = 1;
		snprintf(text, sizeof(text), "%d", nth);
		need(write(fd, text, strlen(text)) > 0, "/proc/self/fail-nth");
		moved = mremap(mem, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
		need(write(fd, "0", 1) == 1, "/proc/self/fail-nth");
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
