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
	int fd = swap_out_file(&mem);
	int status, i;
	pid_t child;

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
	memset(ones, 1, PMD / 2);
	if (memcmp(mem, ones, PMD))
		return verdict(BUG, "the first half has changed, or the second is not empty");
	return verdict(RIGHT, "ftruncate() returned, the first half is as it was");
}
