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

int main(void)
{
	char *ones = map_aligned(PMD), *mem;
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
	need(!madvise(mem, PMD, MADV_PAGEOUT), "MADV_PAGEOUT");
	errno = 0;
	need(!count(mem, PMD, PM_PRESENT), "swap-out of the folio");

	child = fork();
	need(child >= 0, "fork()");
	if (!child)
		_exit(ftruncate(fd, PMD / 2) ? CANNOT_TELL : RIGHT);
	for (i = 0; i < SECONDS * 10 && !waitpid(child, &status, WNOHANG); i++)
		usleep(100000);
	setvbuf(stdout, NULL, _IONBF, 0);
	/* Without swapoff(), which would wait for the file. */
	if (i == SECONDS * 10)
		_exit(verdict(BUG, "ftruncate() did not return within %d s", SECONDS));
	need(WIFEXITED(status) && WEXITSTATUS(status) == RIGHT, "ftruncate()");
	need(!ftruncate(fd, PMD), "ftruncate() to the old length");
	need(mem[PMD / 2 - 1] == 1 && mem[PMD / 2] == 0, "contents of both halves");
	return verdict(RIGHT, "ftruncate() returned, the first half is as it was");
}
