// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a direct write removes guard pages beside it
 * fix: mm-drop-PTE-markers-of-a-folio-only-if-it-is-truncat
 *
 * A block device is mapped, and one of its large folios has a guard page. A direct write
 * to another page of the folio drops it from the page cache; the guard page must stay.
 */
#include "reproduce.h"

static const size_t SIZE = 1 << 20, CHUNK = 16 << 10;

/* Return: the offset of 16K that are in one folio. */
static size_t find_folio(const char *mem)
{
	size_t offset, page;

	for (offset = 0; offset < SIZE; offset += CHUNK) {
		for (page = PAGE; page < CHUNK; page += PAGE)
			if (!(entry("/proc/kpageflags", page_entry(mem + offset + page) & PM_PFN) &
			      KPF_TAIL))
				break;
		if (page == CHUNK)
			return offset;
	}
	errno = 0;
	need(0, "large folios of a block device");
	return 0;
}

int main(void)
{
	int fd = open(SWAP_DISK, O_RDWR), direct = open(SWAP_DISK, O_RDWR | O_DIRECT);
	char *mem, *page = map_aligned(PMD), *at;
	size_t offset;

	need(fd >= 0 && direct >= 0, SWAP_DISK);
	need(!posix_fadvise(fd, 0, SIZE, POSIX_FADV_DONTNEED), "posix_fadvise()");
	for (offset = 0; offset < SIZE; offset += PAGE)
		need(pread(fd, page, PAGE, offset) == PAGE, "pread()");
	mem = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, SIZE, MADV_POPULATE_READ), "mmap()");
	offset = find_folio(mem);
	at = mem + offset;
	need(!madvise(at + PAGE, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");

	need(!can_read(at + PAGE), "guard page");
	need(pwrite(direct, page, PAGE, offset + 3 * PAGE) == PAGE, "direct write");
	if (can_read(at + PAGE))
		return verdict(BUG, "the guard page can be read");
	return verdict(RIGHT, "the guard page is still there");
}
