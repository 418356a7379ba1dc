// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pages are uffd-wp after UFFDIO_UNREGISTER, if UFFDIO_COPY maps them meanwhile
 * fix: userfaultfd-lock-the-VMA-before-UFFDIO_UNREGISTER-en
 *
 * UFFDIO_UNREGISTER ends the write protection of many pages, while a thread maps the pages
 * before them with UFFDIO_COPY_MODE_WP. No page may be protected afterwards. One that
 * is: when it is registered again, PAGEMAP_SCAN must report that it is written.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "reproduce.h"

enum { SECONDS = 10 };

static const size_t COPIED = 2UL << 20, SIZE = 64UL << 20;	/* in bytes */

static char *mem;
static int uffd;
static atomic_int begun;

static void *copy_pages(void *unused)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)mem, .src = (uintptr_t)mem + COPIED, .len = PAGE,
		.mode = UFFDIO_COPY_MODE_WP,
	};

	begun = 1;
	while (copy.dst < (uintptr_t)mem + COPIED && !ioctl(uffd, UFFDIO_COPY, &copy))
		copy.dst += PAGE;
	return unused;
}

/* Return: number of pages that are uffd-wp after UFFDIO_UNREGISTER. */
static unsigned long count_protected(void)
{
	struct uffdio_writeprotect rest = {
		.range = { (uintptr_t)mem + COPIED, SIZE - COPIED },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	struct uffdio_range range = { (uintptr_t)mem, SIZE };
	pthread_t thread;

	need(!madvise(mem, COPIED, MADV_DONTNEED), "MADV_DONTNEED");
	uffd = register_mode(mem, SIZE, 0, UFFDIO_REGISTER_MODE_MISSING |
					   UFFDIO_REGISTER_MODE_WP);
	need(!ioctl(uffd, UFFDIO_WRITEPROTECT, &rest), "UFFDIO_WRITEPROTECT");
	begun = 0;
	need(!pthread_create(&thread, NULL, copy_pages, NULL), "pthread_create()");
	while (!begun)
		;
	need(!ioctl(uffd, UFFDIO_UNREGISTER, &range), "UFFDIO_UNREGISTER");
	need(!pthread_join(thread, NULL), "pthread_join()");
	close(uffd);
	return count(mem, COPIED, PM_UFFD_WP);
}

/* Return: number of copied pages that are written, but not reported by PAGEMAP_SCAN. */
static unsigned long count_missed(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	unsigned long missed = 0;
	struct page_region region;
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .vec = (uintptr_t)&region, .vec_len = 1,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};
	size_t offset;

	need(pagemap >= 0, "/proc/self/pagemap");
	memset(mem, 2, COPIED);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	memset(mem, 3, COPIED);
	for (offset = 0; offset < COPIED; offset += PAGE) {
		int regions;

		scan.start = (uintptr_t)mem + offset;
		scan.end = scan.start + PAGE;
		regions = ioctl(pagemap, PAGEMAP_SCAN, &scan);
		need(regions >= 0, "PAGEMAP_SCAN");
		missed += !regions;
	}
	return missed;
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	unsigned long protected;
	int rounds = 0;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	mem = map_aligned(SIZE);
	need(!madvise(mem, SIZE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	memset(mem, 1, SIZE);
	do {
		protected = count_protected();
		rounds++;
	} while (!protected && time(NULL) < end);
	return verdict(protected ? BUG : RIGHT,
		       "%lu pages are uffd-wp after UFFDIO_UNREGISTER number %d; %lu writes are missed later",
		       protected, rounds, count_missed());
}
