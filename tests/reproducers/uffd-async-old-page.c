// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a write that ends uffd-wp writes over an entry that the MMU may change
 * fix: mm-memory-do-not-write-over-a-live-PTE-when-a-write-
 * arch: arm64
 *
 * The pages are old when they are write-protected, and are then written. With
 * CONFIG_DEBUG_VM, arm64 warns of present entries that change in a way in which a bit
 * that the MMU sets can get lost. It does so once after boot.
 */
#include "reproduce.h"

static const size_t SIZE = 64 << 10;	/* in bytes */

/* Return: 1 if the kernel has logged a line with @text since @log was opened. */
static int logged(int log, const char *text)
{
	static char line[8192];
	ssize_t length;

	/* One record at a time. */
	while ((length = read(log, line, sizeof(line) - 1)) > 0) {
		line[length] = 0;
		if (strstr(line, text))
			return 1;
	}
	return 0;
}

int main(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char *mem = map_aligned(SIZE);
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
		.start = (uintptr_t)mem, .end = (uintptr_t)mem + SIZE,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};

	need(log >= 0 && lseek(log, 0, SEEK_END) >= 0, "/dev/kmsg");
	memset(mem, 1, SIZE);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	need(!madvise(mem, SIZE, MADV_COLD), "MADV_COLD");
	need(pagemap >= 0 && !ioctl(pagemap, PAGEMAP_SCAN, &scan), "PAGEMAP_SCAN");
	errno = 0;
	need(count(mem, SIZE, PM_UFFD_WP) == SIZE / PAGE, "uffd-wp bit of the pages");
	memset(mem, 2, SIZE);
	if (logged(log, "__check_safe_pte_update: "))
		return verdict(BUG, "the kernel warns that a present entry changes");
	return verdict(RIGHT, "the kernel does not warn");
}
