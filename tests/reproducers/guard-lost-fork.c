// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a child lacks a guard page that was installed during mprotect() or munmap()
 * fix: mm-vma-keep-VM_MAYBE_GUARD-that-is-set-before-a-VMA
 *
 * A thread installs a guard page in shared memory of two pages, while mprotect() changes
 * both pages, or munmap() unmaps the other one. A child of fork() must have all of them.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "reproduce.h"

enum { ROUNDS = 255, SECONDS = 10 };

static char *mem[ROUNDS];
static atomic_int begun, ended;

static void *install_guards(void *unused)
{
	int round, wait;

	for (round = 0; ; round++) {
		while (begun <= round)
			;
		for (wait = random() % 4096; wait; wait--)
			asm volatile("");
		need(!madvise(mem[round % ROUNDS], PAGE, MADV_GUARD_INSTALL), "madvise()");
		ended = round + 1;
	}
	return unused;
}

/* Return: number of first pages that access() can read: as a path, "". */
static int readable(void)
{
	int i, nr = 0;

	for (i = 0; i < ROUNDS; i++)
		nr += access(mem[i], F_OK) && errno == ENOENT;
	return nr;
}

static int count_lost(int unmap)
{
	int i, status;

	for (i = 0; i < ROUNDS; i++) {
		mem[i] = mmap(mem[i], 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | (mem[i] ? MAP_FIXED : 0), -1, 0);
		begun++;
		need(!(unmap ? munmap(mem[i] + PAGE, PAGE) :
			       mprotect(mem[i], 2 * PAGE, PROT_READ)), "munmap(), mprotect()");
		while (ended < begun)
			;
	}
	need(!readable(), "guard pages of the parent");
	if (!fork())
		_exit(readable());
	need(wait(&status) > 0 && WIFEXITED(status), "wait()");
	return WEXITSTATUS(status);
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	int lost[2] = {};
	pthread_t thread;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	need(!pthread_create(&thread, NULL, install_guards, NULL), "pthread_create()");
	do {
		lost[0] += count_lost(0);
		lost[1] += count_lost(1);
	} while (!(lost[0] && lost[1]) && time(NULL) < end);
	return verdict(lost[0] || lost[1] ? BUG : RIGHT,
		       "of %d guard pages, a child lacks %d after mprotect(), %d after munmap()",
		       begun, lost[0], lost[1]);
}
