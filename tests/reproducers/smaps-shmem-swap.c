// SPDX-License-Identifier: GPL-2.0
/*
 * bug: smaps reports a large folio of shmem in swap as a whole for a mapping of a part
 * fix: mm-shmem-count-a-large-swap-entry-only-within-the-ra
 *
 * A file in memory has one folio of 2M, which is swapped out. One page is mapped.
 */
#include "reproduce.h"

/* Return: "Swap:" of the mapping at @mem, in KiB. */
static unsigned long swap_of(const char *mem)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long start, end, swap;
	char line[512];
	int found = 0;

	need(!!file, "/proc/self/smaps");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			found = start == (uintptr_t)mem;
		if (found && sscanf(line, "Swap: %lu kB", &swap) == 1) {
			fclose(file);
			return swap;
		}
	}
	exit(verdict(CANNOT_TELL, "/proc/self/smaps has no Swap: of the mapping"));
}

int main(void)
{
	char *all, *page;
	unsigned long swap;
	int fd = swap_out_file(&all);

	need(swap_of(all) == PMD / 1024, "Swap: of a mapping of the file");
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 5 * PAGE);
	need(page != MAP_FAILED, "mmap()");
	swap = swap_of(page);
	return verdict(swap == PAGE / 1024 ? RIGHT : BUG,
		       "smaps of a mapping of %lu KiB reports %lu KiB in swap", PAGE / 1024, swap);
}
