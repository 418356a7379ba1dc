// SPDX-License-Identifier: GPL-2.0
/*
 * bug: riscv: munmap() and mremap() of a 64K hugetlb page leave 15 of its poison markers
 * fix: riscv-hugetlb-clear-all-entries-of-a-page-that-is-no
 * arch: riscv
 *
 * UFFDIO_POISON makes each access to a page SIGBUS. Svnapot maps a hugetlb page of
 * 64K by 16 entries; nothing of them must be left for the next mapping at this
 * address. A neighbour keeps the page table.
 */
#include "reproduce.h"

#define SIZE (64 * 1024UL)

/* Map 64K of small pages at @mem. Return: how many of them cannot be read into. */
static unsigned long failing(char *mem)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	unsigned long pages = 0, offset;

	need(mmap(mem, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		  -1, 0) == mem, "mmap()");
	for (offset = 0; offset < SIZE; offset += PAGE)
		pages += pread(fd, mem + offset, 1, 0) != 1;
	close(fd);
	return pages;
}

/* Map a hugetlb page at @mem, and poison it. */
static void poison(char *mem)
{
	struct uffdio_poison range = { { (uintptr_t)mem, SIZE }, 0, 0 };
	int uffd;

	need(mmap(mem, SIZE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE | MAP_HUGETLB |
		  16 << MAP_HUGE_SHIFT, -1, 0) == mem, "mmap() of a hugetlb page of 64K");
	uffd = register_mode(mem, SIZE, UFFD_FEATURE_POISON, UFFDIO_REGISTER_MODE_MISSING);
	need(!ioctl(uffd, UFFDIO_POISON, &range), "UFFDIO_POISON");
	close(uffd);
}

int main(void)
{
	char *mem = map_aligned(PMD), *new = map_aligned(PMD);
	unsigned long unmapped, moved;

	mem[PMD - PAGE] = 1;
	poison(mem);
	need(!munmap(mem, SIZE), "munmap()");
	unmapped = failing(mem);

	mem += 2 * SIZE;
	poison(mem);
	need(mremap(mem, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, new) == new, "mremap()");
	moved = failing(mem);
	return verdict(unmapped || moved ? BUG : RIGHT,
		       "%lu of 16 pages fail after munmap(), %lu after mremap()", unmapped, moved);
}
