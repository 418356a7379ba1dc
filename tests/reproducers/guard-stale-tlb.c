// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a guard page can be accessed, as a page was unmapped there and the TLB is not flushed yet
 * fix: mm-pagewalk-flush-the-TLB-before-PTEs-are-installed
 *
 * A guard page is installed in a mapping of a block device, accessed and removed, again and
 * again, while a thread reclaims the mapping. Once installed, each access must fail.
 */
#include <pthread.h>

#include "reproduce.h"

enum { SECONDS = 10 };

static void *reclaim(void *mem)
{
	while (!madvise(mem, PMD, MADV_PAGEOUT))
		;
	need(0, "MADV_PAGEOUT");
	return NULL;
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	int fd = open(SWAP_DISK, O_RDWR), lost, wait;
	unsigned long guards = 0;
	pthread_t thread;
	char *mem;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = mmap(map_aligned(PMD), PMD, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	need(fd >= 0 && mem != MAP_FAILED, SWAP_DISK);
	need(!madvise(mem, PMD, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	need(!pthread_create(&thread, NULL, reclaim, mem), "pthread_create()");
	do {
		need(!madvise(mem + PAGE, PMD - PAGE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
		need(can_read_path(mem), "page");
		for (wait = random() % 65536; wait; wait--)
			asm volatile("");
		need(!madvise(mem, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
		lost = can_read_path(mem);
		need(!madvise(mem, PAGE, MADV_GUARD_REMOVE), "MADV_GUARD_REMOVE");
	} while (++guards && !lost && time(NULL) < end);
	return verdict(lost ? BUG : RIGHT, "guard page number %lu %s", guards,
		       lost ? "can be read" : "is a bad address");
}
