// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_ZEROPAGE returns EEXIST without a page, if MADV_DONTNEED frees a page table
 * fix: userfaultfd-do-not-take-a-freed-page-table-for-a-huge
 *
 * A page is unmapped and filled with UFFDIO_ZEROPAGE again and again, by one thread. Another one
 * calls MADV_DONTNEED for 2M with that page. At no time does UFFDIO_ZEROPAGE find a page there.
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
	int uffd, err;
	char *mem;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = map_aligned(PMD);
	page.range.start = (uintptr_t)mem;
	uffd = register_mode(mem, PMD, 0, UFFDIO_REGISTER_MODE_MISSING);
	need(!pthread_create(&thread, NULL, unmap_again, mem), "pthread_create()");
	do {
		need(!madvise(mem, PAGE, MADV_DONTNEED), "MADV_DONTNEED");
		err = ioctl(uffd, UFFDIO_ZEROPAGE, &page) ? errno : 0;
		pages++;
	} while ((!err || err == EAGAIN) && time(NULL) < end);
	need(!err || err == EAGAIN || err == EEXIST, "UFFDIO_ZEROPAGE");
	return verdict(err == EEXIST ? BUG : RIGHT, "UFFDIO_ZEROPAGE number %lu: %s", pages,
		       err == EEXIST ? "EEXIST" : "filled, or tried again");
}
