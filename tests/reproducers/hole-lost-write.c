// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a hole removes what was written before it
 * fix: mm-truncate-keep-the-part-of-a-folio-outside-the-ran
 *
 * A range of zeroes begins in a 2M folio of a mapped block device, which is split. One
 * allocation after the other fails: if there is no memory for a node of the page cache, a
 * folio is left that lies partly before the range. What was written there must stay.
 */
#include <linux/falloc.h>

#include "reproduce.h"

/* Map 2M of the disk by one folio, which has no buffers. */
static char *map_disk(int fd)
{
	char *mem = map_aligned(PMD);

	need(!posix_fadvise(fd, 0, PMD, POSIX_FADV_DONTNEED), "posix_fadvise()");
	mem = mmap(mem, PMD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, PMD, MADV_HUGEPAGE), "mmap(), MADV_HUGEPAGE");
	need(!madvise(mem, PMD, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	errno = 0;
	need(is_one_folio(mem, PMD), "folio of 2M of a block device");
	return mem;
}

/* Return: 1 if page 99 has lost a write when the @nth allocation fails. */
static int loses_write(int fd, int nth, int faults)
{
	char *mem = map_disk(fd);
	int lost;

	memset(mem, nth, PMD);
	fail_nth(faults, nth);
	/* It may fail. */
	fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 100 * PAGE, PMD);
	fail_nth(faults, 0);
	lost = mem[99 * PAGE] != (char)nth;
	munmap(mem, PMD);
	need(!fsync(fd), "fsync()");
	return lost;
}

int main(void)
{
	int fd = open(SWAP_DISK, O_RDWR), faults = inject_faults(), nth;

	need(fd >= 0, SWAP_DISK);
	for (nth = 1; nth < 100; nth++)
		if (loses_write(fd, nth, faults))
			return verdict(BUG, "page 99 has lost a write, allocation %d fails", nth);
	return verdict(RIGHT, "what was written before the range is still there");
}
