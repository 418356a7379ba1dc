// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_ZEROPAGE returns EEXIST without a page, if MADV_DONTNEED frees a page table
 * fix: userfaultfd-do-not-take-a-freed-page-table-for-a-huge
 *
 * One thread unmaps 2M, and then fills them with UFFDIO_ZEROPAGE, page by page, again and again.
 * Another one calls MADV_DONTNEED for them. At no time does UFFDIO_ZEROPAGE find a page there.
 */
#include <pthread.h>

#include "reproduce.h"

enum { SECONDS = 20 };

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	struct uffdio_zeropage page = { .range.len = PAGE };
	unsigned long pages = 0;
	pthread_t thread;
	int uffd, err = 0;
	char *mem;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = map_aligned(PMD);
	uffd = register_mode(mem, PMD, 0, UFFDIO_REGISTER_MODE_MISSING);
	need(!pthread_create(&thread, NULL, unmap_again, mem), "pthread_create()");
	do {
		need(!madvise(mem, PMD, MADV_DONTNEED), "MADV_DONTNEED");
		page.range.start = (uintptr_t)mem;
		for (; !err && page.range.start < (uintptr_t)mem + PMD; pages++) {
			if (ioctl(uffd, UFFDIO_ZEROPAGE, &page) && errno != EAGAIN)
				err = errno;
			page.range.start += PAGE;
		}
	} while (!err && time(NULL) < end);
	need(!err || err == EEXIST, "UFFDIO_ZEROPAGE");
	return verdict(err ? BUG : RIGHT, "UFFDIO_ZEROPAGE number %lu: %s", pages,
		       err ? "EEXIST" : "filled, or tried again");
}
