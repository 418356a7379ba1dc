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
static const __u64 PROTECT = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC;

/* Scan while the memory moves from node @from. Return: pages that a second scan reports. */
static unsigned long scan_twice(char *mem, int from)
{
	int mover;

	memset(mem, 1, SIZE);
	mover = begin_move(mem, from);
	need(count_written(mem, SIZE, PROTECT) == SIZE / PAGE, "first PAGEMAP_SCAN of all pages");
	end_move(mover);
	return count_written(mem, SIZE, PROTECT);
}

int main(void)
{
	char *mem = map_movable(SIZE);
	unsigned long again = 0;
	int i;

	memset(mem, 1, SIZE);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	for (i = 0; i < ATTEMPTS && !again; i++)
		again = scan_twice(mem, i % 2);
	return verdict(again ? BUG : RIGHT, "%lu of %zu pages reported again, none was written",
		       again, SIZE / PAGE);
}
