// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_MOVE returns EINVAL, if MADV_DONTNEED frees an empty page table meanwhile
 * fix: userfaultfd-let-UFFDIO_MOVE-try-again-if-a-page-table
 *
 * A thread calls MADV_DONTNEED for the destination of a move, of which it also frees the page
 * tables. A move that comes before or after it succeeds.
 */
#include <pthread.h>

#include "reproduce.h"

enum { SECONDS = 20 };

int main(void)
{
	const time_t end = time(NULL) + SECONDS;
	unsigned long moves = 0;
	struct uffdio_move page;
	pthread_t thread;
	int uffd, err;
	char *from, *to;

	write_file("/sys/devices/system/cpu/cpu1/online", "1");
	from = map_aligned(PMD);
	to = map_aligned(PMD);
	need(!madvise(from, PMD, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	uffd = register_mode(to, PMD, 0, UFFDIO_REGISTER_MODE_MISSING);
	need(!pthread_create(&thread, NULL, unmap_again, to), "pthread_create()");
	do {
		page = (struct uffdio_move) { (uintptr_t)to, (uintptr_t)from, PAGE, 0, 0 };
		*from = 1;
		err = ioctl(uffd, UFFDIO_MOVE, &page) ? errno : 0;
		moves++;
		/* EEXIST: the last page that was moved is still there. */
	} while ((!err || err == EAGAIN || err == EEXIST) && time(NULL) < end);
	need(!err || err == EAGAIN || err == EEXIST || err == EINVAL, "UFFDIO_MOVE");
	return verdict(err == EINVAL ? BUG : RIGHT, "move number %lu: %s", moves,
		       err == EINVAL ? "EINVAL" : "moved, or tried again");
}
