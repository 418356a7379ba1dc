// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_WRITEPROTECT across 1G succeeds without a page table
 * fix: mm-mprotect-return-an-error-of-a-lower-page-table-le
 *
 * Shared memory, of which the half in front of the boundary is populated. Fault
 * injection makes the allocation of the page table fail that the other half needs for
 * its markers.
 */
#include "reproduce.h"

static const size_t SIZE = 2 * PMD, GIB = 1UL << 30;

static char *map_across(void)
{
	char *mem = mmap(NULL, 2 * GIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			 -1, 0);

	need(mem != MAP_FAILED, "mmap()");
	mem = (char *)(((uintptr_t)mem + GIB) & -GIB) - PMD;
	need(mmap(mem, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
		  0) == mem, "mmap()");
	memset(mem, 1, PMD);
	return mem;
}

int main(void)
{
	int uffd, nth, error, fd = inject_faults(), failed = 0;
	unsigned long protected;
	char *mem;

	/* Page tables are among the first allocations of UFFDIO_WRITEPROTECT. */
	for (nth = 1; nth < 20; nth++) {
		struct uffdio_writeprotect range = { .mode = UFFDIO_WRITEPROTECT_MODE_WP };

		mem = map_across();
		uffd = register_wp(mem, SIZE, UFFD_FEATURE_WP_HUGETLBFS_SHMEM);
		range.range.start = (uintptr_t)mem;
		range.range.len = SIZE;
		fail_nth(fd, nth);
		error = ioctl(uffd, UFFDIO_WRITEPROTECT, &range) ? errno : 0;
		fail_nth(fd, 0);
		protected = count(mem, SIZE, PM_UFFD_WP);
		if (!error && protected < SIZE / PAGE)
			return verdict(BUG,
				       "UFFDIO_WRITEPROTECT returns 0, %lu of %zu pages protected",
				       protected, SIZE / PAGE);
		failed += error == ENOMEM;
		munmap(mem, SIZE);
		close(uffd);
	}
	need(failed, "failure of UFFDIO_WRITEPROTECT by fault injection");
	return verdict(RIGHT, "%d UFFDIO_WRITEPROTECT failed, the others protected all pages",
		       failed);
}
