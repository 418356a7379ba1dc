// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_UNREGISTER does not wake threads that wait in write-protect faults
 * fix: userfaultfd-wake-waiters-of-all-modes-in-UFFDIO_UNRE
 *
 * A thread writes to a page that is write-protected, and waits. UFFDIO_UNREGISTER ends
 * the protection, so the write has to succeed.
 */
#include <poll.h>
#include <pthread.h>
#include "reproduce.h"

static const int SECONDS = 10;

static void *write_page(void *page)
{
	*(char *)page = 2;
	return NULL;
}

int main(void)
{
	char *mem = map_aligned(PAGE);
	struct uffdio_range range = { (uintptr_t)mem, PAGE };
	struct timespec end;
	struct uffd_msg fault;
	struct pollfd fd = { .events = POLLIN };
	pthread_t thread;

	mem[0] = 1;
	fd.fd = register_wp(mem, PAGE, 0);
	protect(fd.fd, mem, PAGE);
	need(!pthread_create(&thread, NULL, write_page, mem), "pthread_create()");
	need(poll(&fd, 1, SECONDS * 1000) == 1 && read(fd.fd, &fault, sizeof(fault)) > 0,
	     "write-protect fault");
	need(!ioctl(fd.fd, UFFDIO_UNREGISTER, &range), "UFFDIO_UNREGISTER");
	errno = 0;
	need(!(page_entry(mem) & PM_UFFD_WP), "UFFDIO_UNREGISTER ends the protection");
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += SECONDS;
	if (pthread_timedjoin_np(thread, NULL, &end))
		return verdict(BUG, "a write waits %d s after UFFDIO_UNREGISTER", SECONDS);
	return verdict(mem[0] == 2 ? RIGHT : CANNOT_TELL,
		       "a write succeeds after UFFDIO_UNREGISTER");
}
