// SPDX-License-Identifier: GPL-2.0
/*
 * bug: the split of a file PMD loses the high watermark of the RSS
 * fix: mm-keep-the-high-watermark-of-the-RSS-when-a-file-PM
 *
 * The program populates huge pages of shmem. mprotect() of one page of each splits
 * its PMD, which unmaps it: the RSS falls. VmHWM, the highest RSS, must not.
 */
#include "reproduce.h"

static const size_t SIZE = 4 * (2UL << 20);

/* Return: a line of /proc/self/status, in kB. */
static long read_status(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kilobytes = -1;

	need(!!file, "/proc/self/status");
	while (kilobytes < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kilobytes = atol(line + strlen(name));
	fclose(file);
	errno = 0;
	need(kilobytes >= 0, name);
	return kilobytes;
}

int main(void)
{
	long before, after, rss;
	int fd = memfd_create("shmem", 0);
	char *mem = map_aligned(SIZE);
	size_t offset;

	write_file("/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/shmem_enabled", "advise");
	need(!ftruncate(fd, SIZE), "ftruncate()");
	mem = mmap(mem, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, SIZE, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	memset(mem, 1, SIZE);
	write_file("/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/shmem_enabled", "never");
	rss = read_status("VmRSS:");
	before = read_status("VmHWM:");
	for (offset = 0; offset < SIZE; offset += PMD)
		need(!mprotect(mem + offset, PAGE, PROT_READ), "mprotect(PROT_READ)");
	errno = 0;
	need(read_status("VmRSS:") < rss, "RSS that falls when the PMDs are split");
	after = read_status("VmHWM:");
	/* The kernel reads counters per CPU: VmHWM is wrong by some pages. */
	return verdict(before - after >= (long)PMD / 1024 ? BUG : RIGHT,
		       "VmHWM: %ld kB, %ld kB after the split", before, after);
}
