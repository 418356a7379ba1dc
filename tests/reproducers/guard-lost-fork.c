// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a child lacks a guard page that was installed during mprotect() or munmap()
 * fix: mm-vma-keep-VM_MAYBE_GUARD-that-is-set-before-a-VMA
 *
 * A thread installs a guard page in shared memory of two pages, while mprotect() changes
 * both pages, or munmap() unmaps the other one. After many rounds, fork(): the child must
 * have all guard pages.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "reproduce.h"

enum { ROUNDS = 256, SECONDS = 10 };

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
		need(!madvise(mem[round % ROUNDS], PAGE, MADV_GUARD_INSTALL),
		     "MADV_GUARD_INSTALL");
		ended = round + 1;
	}
	return unused;
}

/* Return: number of first pages that the process can read. */
static int readable(void)
{
	struct iovec from, to;
	int i, nr = 0;
	char byte;

	to = (struct iovec) { &byte, 1 };
	for (i = 0; i < ROUNDS; i++) {
		from = (struct iovec) { mem[i], 1 };
		nr += process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
	}
	return nr;
}

/* Return: number of guard pages that a child lacks. */
static int count_lost(int unmap)
{
	int i, status;

	for (i = 0; i < ROUNDS; i++) {
		mem[i] = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		need(mem[i] != MAP_FAILED, "mmap()");
		begun++;
		if (unmap)
			need(!munmap(mem[i] + PAGE, PAGE), "munmap()");
		else
			need(!mprotect(mem[i], 2 * PAGE, PROT_READ), "mprotect()");
		while (ended < begun)
			;
	}
	need(!readable(), "guard pages of the parent");
	if (!fork())
		_exit(readable() > 255 ? 255 : readable());
	need(wait(&status) > 0 && WIFEXITED(status), "wait()");
	for (i = 0; i < ROUNDS; i++)
		munmap(mem[i], 2 * PAGE);
	return WEXITSTATUS(status);
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	int lost[2] = {}, unmap;
	pthread_t thread;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	need(!pthread_create(&thread, NULL, install_guards, NULL), "pthread_create()");
	do {
		for (unmap = 0; unmap < 2; unmap++)
			lost[unmap] += count_lost(unmap);
	} while (!(lost[0] && lost[1]) && time(NULL) < end);
	return verdict(lost[0] || lost[1] ? BUG : RIGHT,
		       "of %d guard pages, a child lacks %d after mprotect(), %d after munmap()",
		       begun, lost[0], lost[1]);
}
