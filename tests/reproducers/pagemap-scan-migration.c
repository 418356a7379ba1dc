// SPDX-License-Identifier: GPL-2.0
/*
 * bug: PAGEMAP_SCAN does not write-protect pages that are being migrated
 * fix: fs-proc-task_mmu-write-protect-writable-migration-en
 *
 * A child moves 128M of memory from node 0 to node 1. Meanwhile PAGEMAP_SCAN reports
 * all pages as written, and write-protects them. No page is written after that, so
 * a second PAGEMAP_SCAN must not report any.
 */
#include <linux/mempolicy.h>
#include <sys/wait.h>
#include <time.h>
#include "reproduce.h"

static const size_t SIZE = 128 << 20;
static const int SECONDS = 20, ATTEMPTS = 5;
static const unsigned long NODES[] = { 1, 2 };

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
	time_t end = time(NULL) + SECONDS;
	int mover, node = from;

	memset(mem, 1, SIZE);
	mover = fork();
	if (!mover)
		_exit(syscall(SYS_migrate_pages, getppid(), 64, &NODES[from], &NODES[!from]) < 0);
	while (node == from && time(NULL) < end)
		syscall(SYS_move_pages, 0, 1, &mem, NULL, &node, 0);
	need(scan(pagemap, mem) == SIZE / PAGE, "first PAGEMAP_SCAN of all pages");
	need(waitpid(mover, &node, 0) == mover && !node, "migrate_pages()");
	return scan(pagemap, mem);
}

int main(void)
{
	int i, pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem = map_aligned(SIZE);
	unsigned long again = 0;

	need(!syscall(SYS_set_mempolicy, MPOL_PREFERRED, &NODES[0], 64), "set_mempolicy()");
	/* Only the parent maps the memory, so that it moves. */
	need(!madvise(mem, SIZE, MADV_DONTFORK), "MADV_DONTFORK");
	memset(mem, 1, SIZE);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	for (i = 0; i < ATTEMPTS && !again; i++)
		again = scan_twice(pagemap, mem, i % 2);
	return verdict(again ? BUG : RIGHT, "%lu of %zu pages reported again, none was written",
		       again, SIZE / PAGE);
}
