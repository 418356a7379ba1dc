// SPDX-License-Identifier: GPL-2.0
/*
 * bug: riscv: fork() loses the dirty bit that the MMU sets for another thread
 * fix: riscv-do-not-lose-a-dirty-bit-in-ptep_set_wrprotect
 * arch: riscv
 *
 * After MADV_FREE, pages are clean and writable; those that are written afterwards
 * must be kept. A thread writes them, from the last to the first, while fork()
 * makes them read-only, from the first to the last. A page that reclaim drops
 * although it was written has lost its dirty bit. Needs a CPU whose MMU sets it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "reproduce.h"

enum { PAGES = 1024, SECONDS = 60 };

static char *mem;
static atomic_int round_begun, round_ended;

static void *write_pages(void *unused)
{
	int round, i;

	for (round = 1; ; round++) {
		while (round_begun < round)
			;
		for (i = PAGES - 1; i >= 0; i--)
			__atomic_store_n(mem + i * PAGE, 2, __ATOMIC_RELAXED);
		round_ended = round;
	}
	return unused;
}

int main(void)
{
	const time_t begin = time(NULL);
	unsigned long lost = 0, i;
	pthread_t thread;
	pid_t child;
	int round;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = map_aligned(PAGES * PAGE);
	need(!madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	need(!pthread_create(&thread, NULL, write_pages, NULL), "pthread_create()");
	for (round = 1; !lost && time(NULL) < begin + SECONDS; round++) {
		memset(mem, 1, PAGES * PAGE);
		need(!madvise(mem, PAGES * PAGE, MADV_FREE), "MADV_FREE");
		round_begun = round;
		child = fork();
		if (!child)
			_exit(0);
		need(child > 0 && waitpid(child, NULL, 0) == child, "fork()");
		while (round_ended < round)
			;
		need(!madvise(mem, PAGES * PAGE, MADV_PAGEOUT), "MADV_PAGEOUT");
		for (i = 0; i < PAGES; i++)
			lost += mem[i * PAGE] != 2;
	}
	return verdict(lost ? BUG : RIGHT,
		       "%lu writes lost in %d calls of fork()", lost, round - 1);
}
