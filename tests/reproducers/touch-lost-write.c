// SPDX-License-Identifier: GPL-2.0
/*
 * bug: riscv: process_vm_readv() loses the dirty bit that the MMU sets for another thread
 * fix: riscv-do-not-lose-a-dirty-bit-in-ptep_set_access_fla
 * arch: riscv
 *
 * After MADV_FREE, a huge page is clean and writable; if it is written afterwards, it
 * must be kept. One thread reads it by process_vm_readv(), which makes the PMD young,
 * while another one writes. A page that reclaim drops although it was written has
 * lost its dirty bit. Needs a CPU whose MMU sets it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <time.h>

#include "reproduce.h"

enum { SECONDS = 20 };

static char *mem;
static atomic_int round_begun, round_ended;

static void *write_later(void *unused)
{
	int round, wait;

	for (round = 1; ; round++) {
		while (round_begun < round)
			;
		for (wait = random() % 65536; wait; wait--)
			asm volatile("");
		__atomic_store_n(mem, 2, __ATOMIC_RELAXED);
		round_ended = round;
	}
	return unused;
}

int main(void)
{
	const time_t begin = time(NULL);
	struct iovec from, to;
	pthread_t thread;
	int round, lost = 0;
	char byte;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = map_folios(PMD, PMD / 1024);
	from = (struct iovec) { mem, 1 };
	to = (struct iovec) { &byte, 1 };
	need(!pthread_create(&thread, NULL, write_later, NULL), "pthread_create()");
	for (round = 1; !lost && time(NULL) < begin + SECONDS; round++) {
		need(!madvise(mem, PMD, MADV_DONTNEED), "MADV_DONTNEED");
		*mem = 1;
		need(!madvise(mem, PMD, MADV_FREE), "MADV_FREE");
		round_begun = round;
		while (round_ended < round)
			need(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1,
			     "process_vm_readv()");
		need(!madvise(mem, PMD, MADV_PAGEOUT), "MADV_PAGEOUT");
		lost = *mem != 2;
	}
	return verdict(lost ? BUG : RIGHT, "%d of %d writes lost", lost, round - 1);
}
