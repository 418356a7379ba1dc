// SPDX-License-Identifier: GPL-2.0
/*
 * bug: MADV_GUARD_INSTALL on uffd-wp shmem never returns
 * fix: mm-madvise-install-guards-over-uffd-wp-markers
 *
 * MADV_GUARD_INSTALL zaps populated PTEs and walks the page table again until all
 * PTEs are none. Zapping a uffd-wp PTE leaves a marker, so the walk never ends.
 */
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "reproduce.h"

static const int SECONDS = 10;

static void report_timeout(int number)
{
	(void)number;
	_exit(verdict(BUG, "madvise() did not return within %d s", SECONDS));
}

int main(void)
{
	const size_t size = 16 * PAGE;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_WP_HUGETLBFS_SHMEM };
	struct uffdio_register reg = {
		.range = { (uintptr_t)mem, size }, .mode = UFFDIO_REGISTER_MODE_WP
	};
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)mem, PAGE }, .mode = UFFDIO_WRITEPROTECT_MODE_WP
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);

	need(mem != MAP_FAILED, "mmap()");
	need(uffd >= 0, "userfaultfd()");
	need(!ioctl(uffd, UFFDIO_API, &api), "UFFD_FEATURE_WP_HUGETLBFS_SHMEM");
	memset(mem, 1, size);
	need(!ioctl(uffd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER");
	need(!ioctl(uffd, UFFDIO_WRITEPROTECT, &protect), "UFFDIO_WRITEPROTECT");

	setvbuf(stdout, NULL, _IONBF, 0);	/* for report_timeout() */
	signal(SIGALRM, report_timeout);
	alarm(SECONDS);
	need(!madvise(mem, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	return verdict(RIGHT, "madvise() returned");
}
