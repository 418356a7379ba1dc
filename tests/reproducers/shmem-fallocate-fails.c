// SPDX-License-Identifier: GPL-2.0
/*
 * bug: fallocate() of tmpfs that fails leaves the large folio in which it began
 * fix: mm-shmem-remove-the-folio-in-which-a-failed-fallocat
 *
 * A file system of 3M has an empty file of 4M. fallocate() of its last 3M begins in the
 * middle of a folio of 2M and fails: the file has to be empty again.
 */
#include <sys/stat.h>
#include "reproduce.h"

/* Return: size of what @fd has allocated, in KiB. */
static long allocated(int fd)
{
	struct stat file;

	need(!fstat(fd, &file), "fstat()");
	return file.st_blocks / 2;
}

int main(void)
{
	int fd, err;
	long left;

	need(!mkdir("tmpfs", 0700) &&
	     !mount("tmpfs", "tmpfs", "tmpfs", 0, "size=3M,huge=always"), "tmpfs");
	fd = open("tmpfs/file", O_RDWR | O_CREAT, 0600);
	need(fd >= 0 && !ftruncate(fd, 2 * PMD), "file");
	need(!fallocate(fd, 0, PMD / 2, PAGE), "fallocate() of a page");
	errno = 0;
	need(allocated(fd) == (long)PMD / 1024, "allocation of a large folio");
	need(!ftruncate(fd, 0) && !ftruncate(fd, 2 * PMD) && !allocated(fd), "ftruncate()");
	err = fallocate(fd, 0, PMD / 2, 3 * PMD / 2) ? errno : 0;
	left = allocated(fd);
	close(fd);
	umount("tmpfs");
	rmdir("tmpfs");
	errno = 0;
	need(err == ENOSPC, "fallocate() that fails with ENOSPC");
	return verdict(left ? BUG : RIGHT, "after fallocate() that failed, the file has %ld KiB",
		       left);
}
