// SPDX-License-Identifier: GPL-2.0
/*
 * bug: PAGEMAP_SCAN without a vector write-protects pages that do not match
 * fix: fs-proc-task_mmu-make-PAGEMAP_SCAN-protect-only-page
 *
 * All pages of anonymous memory are written. PAGEMAP_SCAN write-protects those that were
 * written and belong to a file: none. A second PAGEMAP_SCAN must still report that all
 * were written.
 */
#include "reproduce.h"

static const size_t SIZE = 64 << 10;	/* in bytes */

int main(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem = map_aligned(SIZE);
	struct page_region region = { 0 };
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
		.start = (uintptr_t)mem, .end = (uintptr_t)mem + SIZE,
		.category_mask = PAGE_IS_WRITTEN | PAGE_IS_FILE,
	};
	unsigned long pages;

	need(pagemap >= 0, "/proc/self/pagemap");
	memset(mem, 1, SIZE);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	need(!ioctl(pagemap, PAGEMAP_SCAN, &scan), "PAGEMAP_SCAN of written file pages");

	scan.flags = 0;
	scan.category_mask = PAGE_IS_WRITTEN;
	scan.return_mask = PAGE_IS_WRITTEN;
	scan.vec = (uintptr_t)&region;
	scan.vec_len = 1;
	need(ioctl(pagemap, PAGEMAP_SCAN, &scan) >= 0, "PAGEMAP_SCAN of written pages");
	pages = (region.end - region.start) / PAGE;
	if (pages == SIZE / PAGE)
		return verdict(RIGHT, "PAGEMAP_SCAN reports all %lu pages as written", pages);
	return verdict(BUG, "PAGEMAP_SCAN reports %lu of %lu written pages", pages, SIZE / PAGE);
}
