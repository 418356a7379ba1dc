// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a page that UFFDIO_POISON has poisoned can be read after a collapse of the file
 * fix: mm-khugepaged-keep-page-tables-with-poison-markers
 *
 * A file of 2M is mapped twice. A page is poisoned in one mapping, which is registered with
 * userfaultfd, and MADV_COLLAPSE is called for the other one. The page must stay poisoned.
 */
#include "reproduce.h"

static char *map_file(int fd)
{
	char *mem = mmap(map_aligned(PMD), PMD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 fd, 0);

	need(mem != MAP_FAILED, "mmap()");
	return mem;
}

/* A page that is on its way to an LRU list is not collapsed. */
static void collapse(char *mem)
{
	int tries = 100;

	while (madvise(mem, PMD, MADV_COLLAPSE))
		need(errno == EAGAIN && --tries, "MADV_COLLAPSE");
}

int main(void)
{
	int fd = memfd_create("file", 0), uffd;
	struct uffdio_poison page = { .range.len = PAGE };
	char *mem, *other;

	need(fd >= 0 && !ftruncate(fd, PMD), "memfd_create()");
	mem = map_file(fd);
	other = map_file(fd);
	memset(other, 1, PMD);
	uffd = register_mode(mem, PMD, UFFD_FEATURE_POISON, UFFDIO_REGISTER_MODE_MISSING);
	page.range.start = (uintptr_t)mem + PAGE;
	need(!ioctl(uffd, UFFDIO_POISON, &page), "UFFDIO_POISON");

	errno = 0;
	need(!can_read(mem + PAGE), "poisoned page");
	collapse(other);
	if (can_read(mem + PAGE))
		return verdict(BUG, "the poisoned page can be read");
	return verdict(RIGHT, "the page is still poisoned");
}
