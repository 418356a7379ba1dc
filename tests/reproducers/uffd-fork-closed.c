// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a child keeps uffd-wp if the userfaultfd is closed before the event of fork() is read
 * fix: userfaultfd-unprotect-the-child-s-memory-if-its-fork
 *
 * fork() waits for a reader of the event. Another thread closes the userfaultfd instead,
 * so that the child has no registered memory. When it registers its memory later,
 * PAGEMAP_SCAN must report a page that it has written, and not protected, as written.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include "reproduce.h"

static void *close_instead(void *fd)
{
	struct pollfd event = { .fd = *(int *)fd, .events = POLLIN };

	need(poll(&event, 1, 10000) == 1, "event of fork()");
	close(event.fd);
	return NULL;
}

int main(void)
{
	char *mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pid, status, uffd;
	pthread_t thread;

	need(mem != MAP_FAILED, "mmap()");
	*mem = 1;
	uffd = register_wp(mem, PAGE, UFFD_FEATURE_EVENT_FORK);
	protect(uffd, mem, PAGE);
	need(!pthread_create(&thread, NULL, close_instead, &uffd), "pthread_create()");
	/* With CLONE_FILES, the child does not keep the userfaultfd open. */
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		*mem = 2;
		register_wp(mem, PAGE, UFFD_FEATURE_WP_ASYNC);
		_exit(count_written(mem, PAGE, 0) ? RIGHT : BUG);
	}
	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "clone()");
	need(!pthread_join(thread, NULL) && !(page_entry(mem) & PM_UFFD_WP), "close()");
	status = WEXITSTATUS(status);
	need(status != CANNOT_TELL, "the child");
	return verdict(status, "PAGEMAP_SCAN %s a write of the child",
		       status == RIGHT ? "reports" : "misses");
}
