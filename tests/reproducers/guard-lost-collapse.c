// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a guard page is gone if it is installed while another thread collapses the memory
 * fix: mm-khugepaged-lock-the-PMD-before-PTEs-are-cleared
 *
 * A guard page is installed in a huge page of a file and removed, again and again, while a
 * thread calls MADV_COLLAPSE, which maps it by a PMD. Once installed, it must stay.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "reproduce.h"

enum { SECONDS = 10 };

static atomic_ulong collapses;

/* It fails while there is a guard page. */
static void *collapse(void *mem)
{
	for (;;)
		collapses += !madvise(mem, PMD, MADV_COLLAPSE);
	return NULL;
}

/* Return: 1 if the page can be read. */
static int is_lost(const char *page)
{
	int i, lost = 0;

	/* The collapse may not be over. */
	for (i = 0; i < 8; i++)
		lost |= can_read_path(page);
	return lost;
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	int fd = memfd_create("file", 0), lost, wait;
	char *mem = map_aligned(PMD);
	unsigned long guards = 0;
	pthread_t thread;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	need(fd >= 0 && !ftruncate(fd, PMD), "memfd_create()");
	mem = mmap(mem, PMD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED, "mmap()");
	memset(mem, 1, PMD);
	need(!pthread_create(&thread, NULL, collapse, mem), "pthread_create()");
	while (!collapses)
		need(time(NULL) < end, "MADV_COLLAPSE");
	do {
		need(!madvise(mem, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
		lost = is_lost(mem);
		need(!madvise(mem, PAGE, MADV_GUARD_REMOVE), "MADV_GUARD_REMOVE");
		for (wait = random() % 4096; wait; wait--)
			asm volatile("");
	} while (++guards && !lost && time(NULL) < end);
	return verdict(lost ? BUG : RIGHT, "guard page number %lu is %s, %lu collapses",
		       guards, lost ? "gone" : "in place", collapses);
}
