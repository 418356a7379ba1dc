// SPDX-License-Identifier: GPL-2.0
/*
 * bug: PAGEMAP_SCAN with a limit passes over hugetlb pages
 * fix: fs-proc-task_mmu-end-PAGEMAP_SCAN-at-a-hugetlb-page
 *
 * Four pages of 2M were written. As long as a scan makes progress, it goes on where the
 * one before ended, with a limit that has room for one page.
 */
#include "reproduce.h"

#define PAGES	4

int main(void)
{
	struct page_region regions[PAGES];
	unsigned long found = 0;
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
		.vec = (uintptr_t)regions, .vec_len = PAGES, .max_pages = 700,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};
	int nr, i, pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem;

	write_file("/proc/sys/vm/nr_hugepages", "4");
	mem = mmap(NULL, PAGES * PMD, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	need(mem != MAP_FAILED, "mmap() of hugetlb pages");
	register_wp(mem, PAGES * PMD, UFFD_FEATURE_WP_ASYNC);
	memset(mem, 1, PAGES * PMD);
	need(pagemap >= 0, "/proc/self/pagemap");
	scan.start = (uintptr_t)mem;
	scan.end = scan.start + PAGES * PMD;
	do {
		nr = ioctl(pagemap, PAGEMAP_SCAN, &scan);
		need(nr >= 0, "PAGEMAP_SCAN");
		for (i = 0; i < nr; i++)
			found += (regions[i].end - regions[i].start) / PMD;
		scan.start = scan.walk_end;
	} while (nr > 0 && scan.start < scan.end);
	munmap(mem, PAGES * PMD);
	write_file("/proc/sys/vm/nr_hugepages", "0");
	return verdict(found == PAGES ? RIGHT : BUG,
		       "%lu of %d written hugetlb pages are returned", found, PAGES);
}
