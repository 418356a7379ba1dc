// SPDX-License-Identifier: GPL-2.0
/*
 * bug: fault-around does not map a folio that ends with the file as a whole
 * fix: mm-filemap-map-a-folio-that-ends-with-the-file-as-a
 *
 * The file is one folio of 256K. A read fault maps the folio if the file is
 * longer, and otherwise 16 pages.
 */
#include "reproduce.h"

/* Return: number of pages of @size bytes at @mem that a read of the first maps. */
static unsigned long mapped_by_read(char *mem, size_t size)
{
	need(!madvise(mem, size, MADV_DONTNEED), "MADV_DONTNEED");
	need(!memcmp(mem, "", 1), "the file is empty");
	return count(mem, size, PM_PRESENT);
}

int main(void)
{
	const size_t size = 256 << 10, pages = size / PAGE;
	char *data = calloc(1, size), *mem = map_aligned(PMD);
	int fd = open("file-end", O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned long mapped;

	need(fd >= 0 && write(fd, data, size) == (ssize_t)size, "write()");
	need(mmap(mem, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == mem, "mmap()");
	need(!madvise(mem, size, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	errno = 0;
	need(is_one_folio(mem, size), "file in one large folio");
	mapped = mapped_by_read(mem, size);
	need(!ftruncate(fd, size + PAGE), "ftruncate()");
	need(mapped_by_read(mem, size) == pages, "one fault maps a folio in a longer file");
	return verdict(mapped == pages ? RIGHT : BUG, "%lu of %zu pages mapped", mapped, pages);
}
