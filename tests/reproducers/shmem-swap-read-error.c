// SPDX-License-Identifier: GPL-2.0
/*
 * bug: ftruncate() does nothing after a page of shmem could not be read from swap
 * fix: mm-shmem-count-a-page-that-cannot-be-read-from-swap
 *
 * A file in memory has two pages, which are swapped out to a partition. The partition
 * shrinks, so that the read of a page fails, and grows again. A hole replaces the page.
 * ftruncate() to 0 has to remove the other one.
 */
#include <linux/blkpg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "reproduce.h"

static const char PARTITION[] = "partition";

/* BLKPG_*: the first partition of the RAM disk has @size bytes. */
static void partition(int op, long long size)
{
	struct blkpg_partition part = { .start = 0, .length = size, .pno = 1 };
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(part), .data = &part };
	int fd = open(SWAP_DISK, O_RDWR);

	need(fd >= 0 && !ioctl(fd, BLKPG, &arg) && !close(fd), "BLKPG");
}

static void disable_partition(void)
{
	swapoff(PARTITION);
	unlink(PARTITION);
	partition(BLKPG_DEL_PARTITION, 0);
}

/* Use the swap space that enable_swap() writes, by a partition. */
static void enable_partition(void)
{
	unsigned int major, minor;
	FILE *file;

	enable_swap();
	need(!swapoff(SWAP_DISK), "swapoff() of the disk");
	partition(BLKPG_ADD_PARTITION, 16 << 20);
	file = fopen("/sys/block/ram1/ram1p1/dev", "r");
	need(file && fscanf(file, "%u:%u", &major, &minor) == 2 && !fclose(file), "ram1p1/dev");
	need(!mknod(PARTITION, S_IFBLK | 0600, makedev(major, minor)), "mknod()");
	need(!swapon(PARTITION, 0), "swapon() of the partition");
	atexit(disable_partition);
}

int main(void)
{
	int fd = memfd_create("file", 0), nr;
	char *mem, byte;

	enable_partition();
	write_file("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "never");
	need(fd >= 0 && !ftruncate(fd, 2 * PAGE), "memfd");
	mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(mem != MAP_FAILED && memset(mem, 1, 2 * PAGE) &&
	     !madvise(mem, 2 * PAGE, MADV_PAGEOUT), "MADV_PAGEOUT");
	partition(BLKPG_RESIZE_PARTITION, PAGE);
	nr = pread(fd, &byte, 1, 0);
	partition(BLKPG_RESIZE_PARTITION, 16 << 20);
	need(nr < 0 && errno == EIO, "read error of the first page");
	need(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), "hole");
	need(!ftruncate(fd, 0) && !ftruncate(fd, 2 * PAGE) && pread(fd, &byte, 1, PAGE) == 1,
	     "ftruncate(), pread()");
	/* Otherwise swapoff() does not return with this bug. */
	munmap(mem, 2 * PAGE);
	close(fd);
	return verdict(byte ? BUG : RIGHT, "a page of ones reads as %d after ftruncate() to 0",
		       byte);
}
