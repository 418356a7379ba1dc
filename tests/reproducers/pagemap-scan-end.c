// SPDX-License-Identifier: GPL-2.0
/*
 * bug: PAGEMAP_SCAN of more than 512 regions does not return where it ended
 * fix: fs-proc-task_mmu-return-the-end-of-the-last-walk-fro
 *
 * Every second page is mapped. The vector is large enough for all regions, so the scan
 * must end at the end of the range.
 */
#include "reproduce.h"

#define PAGES	1200

int main(void)
{
	static struct page_region regions[PAGES];
	int nr, pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem = map_aligned(PAGES * PAGE);
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .start = (uintptr_t)mem,
		.end = (uintptr_t)mem + PAGES * PAGE,
		.vec = (uintptr_t)regions, .vec_len = PAGES,
		.category_mask = PAGE_IS_PRESENT, .return_mask = PAGE_IS_PRESENT,
	};
	unsigned long end, i;

	need(!madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	for (i = 0; i < PAGES; i += 2)
		mem[i * PAGE] = 1;
	need(pagemap >= 0, "/proc/self/pagemap");
	nr = ioctl(pagemap, PAGEMAP_SCAN, &scan);
	need(nr == PAGES / 2, "600 regions by PAGEMAP_SCAN");
	end = (scan.walk_end - scan.start) / PAGE;
	return verdict(end == PAGES ? RIGHT : BUG,
		       "PAGEMAP_SCAN of %d pages returns all %d regions, and ends at page %lu",
		       PAGES, nr, end);
}
