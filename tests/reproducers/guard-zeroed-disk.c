// SPDX-License-Identifier: GPL-2.0
/*
 * bug: zeroes that are written to a block device by fallocate() remove guard pages
 * fix: mm-keep-guard-markers-of-folios-that-are-truncated
 *
 * A block device is mapped twice. One mapping has a guard page, and the other one maps the
 * page there, which fallocate() drops from the page cache. The guard page must stay.
 */
#include <linux/falloc.h>

#include "reproduce.h"

/* In bytes. No folio of the page cache lies partly outside. */
static const size_t SIZE = 1 << 20;

static char *map_disk(int fd)
{
	char *mem = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	need(mem != MAP_FAILED, "mmap()");
	need(!madvise(mem, 4 * PAGE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	return mem;
}

int main(void)
{
	int fd = open(SWAP_DISK, O_RDWR);
	char *mem, *other;

	need(fd >= 0, SWAP_DISK);
	need(!posix_fadvise(fd, 0, 2 * PMD, POSIX_FADV_DONTNEED), "posix_fadvise()");
	mem = map_disk(fd);
	other = map_disk(fd);
	need(!madvise(mem + PAGE, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");

	errno = 0;
	need(!can_read(mem + PAGE), "guard page");
	errno = 0;
	need(!!(page_entry(other + PAGE) & PM_PRESENT), "page in the other mapping");
	need(!fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, SIZE), "fallocate()");
	if (can_read(mem + PAGE))
		return verdict(BUG, "the guard page can be read");
	return verdict(RIGHT, "the guard page is still there");
}
