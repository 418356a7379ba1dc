// SPDX-License-Identifier: GPL-2.0
/*
 * bug: MADV_FREE of a clean page frees it in a process that shares it
 * fix: mm-memory-mark-copies-that-unshare-a-page-dirty
 *
 * ksmd merges two equal pages, and MADV_UNMERGEABLE makes a copy of each, which is
 * clean. After fork(), the parent frees one with MADV_FREE, and unmaps it. In the child,
 * which has freed nothing, it must be as it was after MADV_PAGEOUT.
 */
#include <sched.h>
#include <sys/wait.h>

#include "reproduce.h"

static void advise(char *page, size_t bytes, int advice, const char *what)
{
	need(!madvise(page, bytes, advice), what);
}

/* Each CPU has folios of its own that are not yet lazyfree on the LRU lists. */
static void stay_on_one_cpu(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	need(!sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity()");
}

/* Return: the first byte of the page after the parent has freed it. */
static int reclaim_in_child(char *page, int freed)
{
	char byte;

	need(read(freed, &byte, 1) == 1, "read() of the pipe");
	advise(page, PAGE, MADV_PAGEOUT, "MADV_PAGEOUT");
	errno = 0;
	need(!(page_entry(page) & PM_PRESENT), "reclaim of the page");
	return page[0];
}

int main(void)
{
	char *page = map_aligned(2 * PAGE);
	int pipes[2], status, byte;
	pid_t child;

	stay_on_one_cpu();
	enable_swap();
	advise(page, 2 * PAGE, MADV_MERGEABLE, "MADV_MERGEABLE");
	memset(page, 1, 2 * PAGE);
	merge_pages(page, page + PAGE);
	advise(page, 2 * PAGE, MADV_UNMERGEABLE, "MADV_UNMERGEABLE");
	errno = 0;
	need((page_entry(page) & PM_PFN) != (page_entry(page + PAGE) & PM_PFN), "copies");
	need(!pipe(pipes), "pipe()");

	child = fork();
	need(child >= 0, "fork()");
	if (!child)
		_exit(reclaim_in_child(page, pipes[0]));
	advise(page, PAGE, MADV_FREE, "MADV_FREE");
	advise(page, PAGE, MADV_DONTNEED, "MADV_DONTNEED");
	need(write(pipes[1], "", 1) == 1, "write() to the pipe");
	need(waitpid(child, &status, 0) == child && WIFEXITED(status), "exit of the child");
	byte = WEXITSTATUS(status);
	need(byte < 2, "reclaim in the child");
	return verdict(byte ? RIGHT : BUG,
		       "a page of ones, freed by another process, reads as %d after reclaim", byte);
}
