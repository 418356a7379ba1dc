// SPDX-License-Identifier: GPL-2.0
/*
 * bug: migration marks a PTE-mapped large folio as partially mapped, reclaim splits it
 * fix: mm-migrate-do-not-take-a-migrated-folio-for-a-partial
 *
 * 16 folios of 64K, each mapped as a whole, move to node 1. They must not count as
 * partially mapped, or else they are split as soon as the kernel needs memory.
 */
#include "reproduce.h"

#define STATS "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/stats/"

static const size_t SIZE = 1 << 20;

static long read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	need(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && !close(fd), path);
	return atol(text);
}

static int count_folios(const char *mem)
{
	size_t offset;
	int nr = 0;

	for (offset = 0; offset < SIZE; offset += FOLIO)
		nr += is_one_folio(mem + offset, FOLIO);
	return nr;
}

int main(void)
{
	const int nr = SIZE / FOLIO;
	long marked;
	char *mem;

	need(!syscall(SYS_set_mempolicy, MPOL_BIND, &NODES[0], 64), "set_mempolicy()");
	mem = map_folios(SIZE, 64);
	marked = read_number(STATS "nr_anon_partially_mapped");
	need(!syscall(SYS_mbind, mem, SIZE, MPOL_BIND, &NODES[1], 64, MPOL_MF_MOVE), "mbind()");
	errno = 0;
	need(count_folios(mem) == nr, "migration of the folios as a whole");
	marked = read_number(STATS "nr_anon_partially_mapped") - marked;
	/* Call the shrinkers, among them that of the deferred split queue. */
	write_file("/proc/sys/vm/drop_caches", "2");
	return verdict(marked || count_folios(mem) < nr ? BUG : RIGHT,
		       "%ld of %d folios partially mapped, %d split by reclaim",
		       marked, nr, nr - count_folios(mem));
}
