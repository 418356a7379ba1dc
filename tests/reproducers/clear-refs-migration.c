// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pages that are written after clear_refs are not soft-dirty, if they migrated meanwhile
 * fix: fs-proc-task_mmu-write-protect-migration-entries-in
 *
 * A child moves 128M of memory from node 0 to node 1. Meanwhile 4 is written to
 * clear_refs. Then all pages are written, and must be soft-dirty.
 */
#include <linux/mempolicy.h>
#include <sys/wait.h>
#include <time.h>
#include "reproduce.h"

static const size_t SIZE = 128 << 20;
static const int SECONDS = 20, ATTEMPTS = 5;
static const unsigned long NODES[] = { 1, 2 };

/* Move the memory from node @from. Return: pages that were written, but are not soft-dirty. */
static unsigned long write_moved(char *mem, int from)
{
	time_t end = time(NULL) + SECONDS;
	int mover, node = from;

	memset(mem, 1, SIZE);
	mover = fork();
	if (!mover)
		_exit(syscall(SYS_migrate_pages, getppid(), 64, &NODES[from], &NODES[!from]) < 0);
	while (node == from && time(NULL) < end)
		syscall(SYS_move_pages, 0, 1, &mem, NULL, &node, 0);
	write_file("/proc/self/clear_refs", "4");
	need(waitpid(mover, &node, 0) == mover && !node, "migrate_pages()");
	memset(mem, 2, SIZE);
	return SIZE / PAGE - count(mem, SIZE, PM_SOFT_DIRTY);
}

int main(void)
{
	unsigned long missed = 0;
	char *mem = map_aligned(SIZE);
	int i;

	need(!syscall(SYS_set_mempolicy, MPOL_PREFERRED, &NODES[0], 64), "set_mempolicy()");
	/* Only the parent maps the memory, so that it moves. */
	need(!madvise(mem, SIZE, MADV_DONTFORK), "MADV_DONTFORK");
	memset(mem, 1, PAGE);
	clear_soft_dirty(mem, PAGE);
	for (i = 0; i < ATTEMPTS && !missed; i++)
		missed = write_moved(mem, i % 2);
	return verdict(missed ? BUG : RIGHT, "%lu of %zu pages not soft-dirty, all were written",
		       missed, SIZE / PAGE);
}
