// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a page can be read after UFFDIO_POISON: it was just unmapped, and the TLB is not flushed
 * fix: userfaultfd-flush-the-TLB-before-a-poison-marker-is-i
 *
 * A thread calls MADV_DONTNEED for 64M of shared memory. As soon as the first page is unmapped,
 * it is poisoned, and must not be accessible, while the thread goes on with the other pages.
 */
#include <pthread.h>

#include "reproduce.h"

enum { SECONDS = 20 };

static const size_t SIZE = 64UL << 20;
static pthread_barrier_t barrier;

static void *unmap(void *mem)
{
	for (;;) {
		pthread_barrier_wait(&barrier);
		need(!madvise(mem, SIZE, MADV_DONTNEED), "MADV_DONTNEED");
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	struct uffdio_poison page = { .range.len = PAGE };
	int fd = memfd_create("memory", 0), uffd, lost;
	unsigned long pages = 0;
	pthread_t thread;
	char *mem;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	need(fd >= 0 && !ftruncate(fd, SIZE), "memfd_create()");
	mem = mmap(map_aligned(SIZE), SIZE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, SIZE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	uffd = register_mode(mem, SIZE, UFFD_FEATURE_POISON, UFFDIO_REGISTER_MODE_MISSING);
	page.range.start = (uintptr_t)mem;
	need(!pthread_barrier_init(&barrier, NULL, 2), "pthread_barrier_init()");
	need(!pthread_create(&thread, NULL, unmap, mem), "pthread_create()");
	do {
		need(!madvise(mem, SIZE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
		need(can_read_path(mem), "page");
		pthread_barrier_wait(&barrier);
		/* EEXIST: the page is still mapped. */
		while (ioctl(uffd, UFFDIO_POISON, &page))
			need(errno == EEXIST || errno == EAGAIN, "UFFDIO_POISON");
		lost = can_read_path(mem);
		pthread_barrier_wait(&barrier);
		errno = 0;
		need(!can_read_path(mem), "poisoned page");
		need(!madvise(mem, PAGE, MADV_DONTNEED), "MADV_DONTNEED");
	} while (++pages && !lost && time(NULL) < end);
	return verdict(lost ? BUG : RIGHT, "poisoned page number %lu %s", pages,
		       lost ? "can be read" : "is a bad address");
}
