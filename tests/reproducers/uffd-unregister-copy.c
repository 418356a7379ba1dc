// SPDX-License-Identifier: GPL-2.0
/*
 * bug: pages are uffd-wp after UFFDIO_UNREGISTER, if UFFDIO_COPY maps them meanwhile
 * fix: userfaultfd-lock-the-VMA-before-UFFDIO_UNREGISTER-en
 *
 * UFFDIO_UNREGISTER ends the write protection of many pages, while a thread maps the pages
 * before them with UFFDIO_COPY_MODE_WP. None may be protected afterwards: registered
 * again, PAGEMAP_SCAN would not report that it is written.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "reproduce.h"

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
	pthread_t thread;

	need(!madvise(mem, COPIED, MADV_DONTNEED), "MADV_DONTNEED");
	uffd = register_mode(mem, SIZE, 0, UFFDIO_REGISTER_MODE_MISSING |
					   UFFDIO_REGISTER_MODE_WP);
	need(!ioctl(uffd, UFFDIO_WRITEPROTECT, &rest), "UFFDIO_WRITEPROTECT");
	begun = 0;
	need(!pthread_create(&thread, NULL, copy_pages, NULL), "pthread_create()");
	while (!begun)
		;
	rest.range = (struct uffdio_range) { (uintptr_t)mem, SIZE };
	need(!ioctl(uffd, UFFDIO_UNREGISTER, &rest.range), "UFFDIO_UNREGISTER");
	need(!pthread_join(thread, NULL), "pthread_join()");
	close(uffd);
	return count(mem, COPIED, PM_UFFD_WP);
}

int main(void)
{
	const time_t end = time(NULL) + 10;
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

	memset(mem, 2, COPIED);
	register_wp(mem, SIZE, UFFD_FEATURE_WP_ASYNC);
	memset(mem, 3, COPIED);
	return verdict(protected ? BUG : RIGHT,
		       "%lu pages are uffd-wp after UFFDIO_UNREGISTER number %d; %lu writes are missed later",
		       protected, rounds, COPIED / PAGE - count_written(mem, COPIED, 0));
}
