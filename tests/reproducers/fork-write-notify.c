// SPDX-License-Identifier: GPL-2.0
/*
 * bug: fork() makes pages of a shared file mapping writable without page_mkwrite()
 * fix: mm-memory-respect-write-permission-when-fork-batches
 *
 * Run in a folder of a file system with large folios and page_mkwrite(), such as
 * ext4. The parent writes only to the first page of a clean folio, so the child's
 * first write to each other page must fault. The guard region makes fork() copy
 * the PTEs.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include "reproduce.h"

static const char FILE_NAME[] = "fork-write-notify.tmp";
static const long PAGES = 16;

/* Write to pages @first to @last. Return: number of minor faults. */
static long count_write_faults(char *mem, long first, long last)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (; first <= last; first++)
		__atomic_store_n(mem + first * PAGE, 2, __ATOMIC_RELAXED);
	getrusage(RUSAGE_SELF, &after);
	return after.ru_minflt - before.ru_minflt;
}

int main(void)
{
	const size_t size = 1 << 20;
	char *bytes = calloc(1, size), *mem;
	int fd = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int status;

	need(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !fsync(fd), FILE_NAME);
	unlink(FILE_NAME);
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(mem != MAP_FAILED, "mmap()");
	need(!madvise(mem + size - PAGE, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	need(!madvise(mem, PAGES * PAGE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	errno = 0;
	need(is_one_folio(mem, PAGES * PAGE), "page cache uses large folios");
	need(count_write_faults(mem, 0, 0) == 1, "file system uses write notification");

	if (!fork())
		_exit(count_write_faults(mem, 1, PAGES - 1));
	need(wait(&status) > 0 && WIFEXITED(status), "exit of the child");
	status = WEXITSTATUS(status);
	return verdict(status < PAGES - 1 ? BUG : RIGHT,
		       "%d write faults in the child, expected %ld", status, PAGES - 1);
}
