// SPDX-License-Identifier: GPL-2.0
/*
 * bug: PAGEMAP_SCAN does not write-protect pages that are being migrated
 * fix: fs-proc-task_mmu-write-protect-writable-migration-en
 *
 * A child moves 128M of memory from node 0 to node 1. Meanwhile PAGEMAP_SCAN reports
 * all pages as written, and write-protects them. No page is written after that, so
 * a second PAGEMAP_SCAN must not report any.
 */
#include "reproduce.h"

static const size_t SIZE = 128 << 20;
static const int ATTEMPTS = 5;

/* Return: number of pages that were written; write-protect them. */
static unsigned long scan(int pagemap, char *mem)
{
	static struct page_region regions[32768];
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
		.start = (uintptr_t)mem, .end = (uintptr_t)mem + SIZE,
		.vec = (uintptr_t)regions, .vec_len = 32768,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};
	int i, nr = ioctl(pagemap, PAGEMAP_SCAN, &arg);
	unsigned long pages = 0;

	need(nr >= 0 && arg.walk_end == arg.end, "PAGEMAP_SCAN");
	for (i = 0; i < nr; i++)
		pages += (regions[i].end - regions[i].start) / PAGE;
	return pages;
}

/* Scan while the memory moves from node @from. Return: pages that a second scan reports. */
static unsigned long scan_twice(int pagemap, char *mem, int from)
{
	int mover;

	memset(mem, 1, SIZE);
	mover = begin_move(mem, from);
	need(scan(pagemap, mem) == SIZE / PAGE, "first PAGEMAP_SCAN of all pages");
	end_move(mover);
	return scan(pagemap, mem);
}

int main(void)
{
	int i, pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem = map_movable(SIZE);
	unsigned long again = 0;

	memset(mem, 1, SIZE);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	for (i = 0; i < ATTEMPTS && !again; i++)
		again = scan_twice(pagemap, mem, i % 2);
	return verdict(again ? BUG : RIGHT, "%lu of %zu pages reported again, none was written",
		       again, SIZE / PAGE);
}
