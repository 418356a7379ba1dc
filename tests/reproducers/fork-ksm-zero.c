// SPDX-License-Identifier: GPL-2.0
/*
 * bug: fork() counts zero pages of KSM that it does not copy, and a failed fork() uncounts its own
 * fix: mm-ksm-count-the-zero-pages-that-fork-copies
 *
 * ksmd replaces pages of zeroes by the zero page. First the child does not get their VMA
 * (MADV_DONTFORK). Then fork() copies it, and fails for the VMA behind it, which is larger
 * than the memory. Each time, ksm_zero_pages must be as before.
 */
#include "reproduce.h"

static const char OVERCOMMIT[] = "/proc/sys/vm/overcommit_memory";
static const size_t SIZE = 64 * 4096, TOO_MUCH = 1UL << 40;

/* Map memory for which fork() fails later; what is mapped after it is at a lower address. */
static char *map_too_much(void)
{
	char *mem;

	write_file(OVERCOMMIT, "1");
	mem = mmap(NULL, TOO_MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(mem != MAP_FAILED, "mmap()");
	return mem;
}

int main(void)
{
	char *behind = map_too_much(), *mem = map_aligned(SIZE);
	long merged, forked, failed;
	int child;

	need(mem < behind, "address of a later mmap()");
	merge_zero_pages(mem, SIZE);
	merged = ksm_zero_pages();

	need(!madvise(mem, SIZE, MADV_DONTFORK), "MADV_DONTFORK");
	child = fork();
	if (!child)
		_exit(0);
	need(waitpid(child, NULL, 0) == child, "fork()");
	forked = ksm_zero_pages();

	need(!madvise(mem, SIZE, MADV_DOFORK), "MADV_DOFORK");
	write_file(OVERCOMMIT, "0");
	child = fork();
	if (!child)
		_exit(0);
	need(child < 0, "fork() of too much memory");
	failed = ksm_zero_pages();
	return verdict(forked == merged && failed == forked ? RIGHT : BUG,
		       "ksm_zero_pages: %ld, %ld after fork() without them, %ld after a failed fork()",
		       merged, forked, failed);
}
