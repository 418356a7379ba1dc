// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a read of a page in the middle of a large folio in swap never returns without memory
 * fix: mm-shmem-return-the-error-of-a-swap-in-that-cannot-a
 *
 * A file in memory has one folio of 2M, which is swapped out. A child reads page 5, and
 * all its allocations fail: pread() must fail with ENOMEM.
 */
#include <signal.h>
#include "reproduce.h"

static const int SECONDS = 5;

#define FAIL "/sys/kernel/debug/fail_page_alloc/"

/* Wait for @child. Return: 1 if it has ended. */
static int ends(pid_t child, int *status)
{
	int i;

	for (i = 0; i < SECONDS * 10; i++) {
		if (waitpid(child, status, WNOHANG) == child)
			return 1;
		usleep(100000);
	}
	return 0;
}

int main(void)
{
	int fd, status, killed;
	pid_t child;
	char *mem;

	fd = swap_out_file(&mem);
	inject_faults();
	write_file(FAIL "ignore-gfp-highmem", "N");
	write_file(FAIL "task-filter", "Y");
	write_file(FAIL "verbose", "0");
	write_file(FAIL "times", "-1");
	write_file(FAIL "probability", "100");
	child = fork();
	need(child >= 0, "fork()");
	if (!child) {
		char byte;

		write_file("/proc/self/make-it-fail", "1");
		_exit(pread(fd, &byte, 1, 5 * PAGE) < 0 && errno == ENOMEM ? RIGHT : CANNOT_TELL);
	}
	if (ends(child, &status)) {
		write_file(FAIL "probability", "0");
		errno = 0;
		need(WIFEXITED(status) && WEXITSTATUS(status) == RIGHT, "pread() with ENOMEM");
		return verdict(RIGHT, "pread() without memory returned ENOMEM");
	}
	kill(child, SIGKILL);
	killed = ends(child, &status);
	/* pread() succeeds now. */
	write_file(FAIL "probability", "0");
	return verdict(BUG, "pread() without memory did not return within %d s, and was %skilled",
		       SECONDS, killed ? "" : "not ");
}
