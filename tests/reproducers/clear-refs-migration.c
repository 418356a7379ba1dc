// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pages that are written after clear_refs are not soft-dirty, if they migrated meanwhile
 * fix: fs-proc-task_mmu-write-protect-migration-entries-in
 *
 * A child moves 128M of memory from node 0 to node 1. Meanwhile 4 is written to
 * clear_refs. Then all pages are written, and must be soft-dirty.
 */
#include "reproduce.h"

static const size_t SIZE = 128 << 20;
static const int ATTEMPTS = 5;

/* Move the memory from node @from. Return: pages that were written, but are not soft-dirty. */
static unsigned long write_moved(char *mem, int from)
{
	int mover;

	memset(mem, 1, SIZE);
	mover = begin_move(mem, from);
	write_file("/proc/self/clear_refs", "4");
	end_move(mover);
	memset(mem, 2, SIZE);
	return SIZE / PAGE - count(mem, SIZE, PM_SOFT_DIRTY);
}

int main(void)
{
	unsigned long missed = 0;
	char *mem = map_movable(SIZE);
	int i;

	memset(mem, 1, PAGE);
	clear_soft_dirty(mem, PAGE);
	for (i = 0; i < ATTEMPTS && !missed; i++)
		missed = write_moved(mem, i % 2);
	return verdict(missed ? BUG : RIGHT, "%lu of %zu pages not soft-dirty, all were written",
		       missed, SIZE / PAGE);
}
