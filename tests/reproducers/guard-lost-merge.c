// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a guard page is gone if another process collapses the file while its VMA merges with another
 * fix: mm-vma-set-the-sticky-flags-of-a-merged-VMA-before-i
 *
 * Two VMAs map the halves of a file of 4M, with a guard page in the second half. They are
 * merged again and again, while a child collapses the second half to a huge page, and
 * removes it. The guard page must stay.
 */
#include <signal.h>
#include "reproduce.h"

enum { SECONDS = 10 };

static const int RW = PROT_READ | PROT_WRITE;

static char *map_file(char *mem, int fd)
{
	mem = mmap(mem, 2 * PMD, RW, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED, "mmap()");
	return mem;
}

/* Without an end. The pages appear and vanish in all mappings of the file. */
static void collapse(char *mem, int fd)
{
	char *second = map_file(mem, fd) + PMD;

	for (;;) {
		memset(second, 1, PMD);
		need(!madvise(second, PMD, MADV_COLLAPSE) || errno == EAGAIN, "MADV_COLLAPSE");
		need(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PMD, PMD),
		     "fallocate()");
	}
}

/* Merge the VMAs: the first one has never had a guard page, and gets the second one's range. */
static void merge(char *mem, int fd)
{
	need(!mprotect(mem + PMD, PMD, PROT_READ), "mprotect()");
	need(mmap(mem, PMD, RW, MAP_SHARED | MAP_FIXED, fd, 0) == mem, "mmap()");
	need(!mprotect(mem + PMD, PMD, RW), "mprotect()");
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	int fd = memfd_create("file", 0), child, lost;
	char *mem = map_aligned(2 * PMD);
	unsigned long merges = 0;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	need(fd >= 0 && !ftruncate(fd, 2 * PMD), "memfd_create()");
	child = fork();
	if (!child)
		collapse(mem, fd);
	map_file(mem, fd);
	need(!madvise(mem + PMD, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	do {
		merge(mem, fd);
		/* As a path, a guard page is a bad address. */
		lost = access(mem + PMD, F_OK) && errno != EFAULT;
	} while (++merges && !lost && time(NULL) < end && !waitpid(child, NULL, WNOHANG));
	need(lost || time(NULL) >= end, "collapses by the child");
	kill(child, SIGKILL);
	return verdict(lost ? BUG : RIGHT, "the guard page is %s after %lu merges",
		       lost ? "gone" : "in place", merges);
}
