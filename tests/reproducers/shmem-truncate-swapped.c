// SPDX-License-Identifier: GPL-2.0
/*
 * bug: ftruncate() to the middle of a large folio in swap never returns
 * fix: mm-shmem-end-the-truncation-of-a-large-swap-entry
 *
 * A file in memory has one folio of 2M, which is swapped out. The file is then
 * shortened to 1M: this half must stay as it is.
 */
#include <sys/wait.h>

#include "reproduce.h"

static const int SECONDS = 10;

#define STATS "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/stats/"

/* Return: number of folios of 2M that were swapped out as a whole. */
static unsigned long swapped_out(void)
{
	static const char * const paths[] = { STATS "swpout", STATS "zswpout" };
	unsigned long sum = 0, value;
	size_t i;

	for (i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "r");

		need(file && fscanf(file, "%lu", &value) == 1 && !fclose(file), paths[i]);
		sum += value;
	}
	return sum;
}

int main(void)
{
	char *ones = map_aligned(PMD), *mem;
	unsigned long before;
	int fd, status, i;
	pid_t child;

	enable_swap();
	write_file("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always");
	fd = memfd_create("file", 0);
	memset(ones, 1, PMD);
	/* One write allocates one folio. */
	need(fd >= 0 && pwrite(fd, ones, PMD, 0) == (ssize_t)PMD, "write to a memfd");
	mem = mmap(NULL, PMD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, PMD, MADV_POPULATE_READ), "mmap()");
	errno = 0;
	need(is_one_folio(mem, PMD), "allocation of a large folio");
	before = swapped_out();
	need(!madvise(mem, PMD, MADV_PAGEOUT), "MADV_PAGEOUT");
	errno = 0;
	need(!count(mem, PMD, PM_PRESENT) && swapped_out() == before + 1,
	     "swap-out of the folio as a whole");

	child = fork();
	need(child >= 0, "fork()");
	if (!child)
		_exit(ftruncate(fd, PMD / 2) ? CANNOT_TELL : RIGHT);
	for (i = 0; i < SECONDS * 10 && !waitpid(child, &status, WNOHANG); i++)
		usleep(100000);
	/* At exit, swapoff() reads the folio, and ftruncate() returns. */
	if (i == SECONDS * 10)
		return verdict(BUG, "ftruncate() did not return within %d s", SECONDS);
	need(WIFEXITED(status) && WEXITSTATUS(status) == RIGHT, "ftruncate()");
	need(!ftruncate(fd, PMD), "ftruncate() to the old length");
	memset(ones + PMD / 2, 0, PMD / 2);
	if (memcmp(mem, ones, PMD))
		return verdict(BUG, "the first half has changed, or the second is not empty");
	return verdict(RIGHT, "ftruncate() returned, the first half is as it was");
}
