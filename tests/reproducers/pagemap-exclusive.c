// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pagemap takes all pages of a PMD for exclusively mapped if the first one is
 * fix: fs-proc-task_mmu-report-for-each-page-of-a-PMD-if-it
 *
 * A child maps all pages of a huge page but the first one.
 */
#include <signal.h>
#include <sys/wait.h>
#include "reproduce.h"

static const __u64 PM_MMAP_EXCLUSIVE = 1ULL << 56;

int main(void)
{
	unsigned long pages;
	char *mem = map_folios(PMD, 2048);
	int child, status;

	child = fork();
	if (!child) {
		if (madvise(mem, PAGE, MADV_DONTNEED))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status),
	     "MADV_DONTNEED by a child");
	pages = count(mem, PMD, PM_MMAP_EXCLUSIVE);
	kill(child, SIGKILL);
	return verdict(pages == 1 ? RIGHT : BUG,
		       "%lu of %lu pages exclusively mapped, expected 1", pages, PMD / PAGE);
}
