// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a fault of a poisoned page of shmem removes guard pages beside it
 * fix: mm-drop-PTE-markers-of-a-folio-only-if-it-is-truncat
 *
 * Page 9 of a 64K folio is poisoned; a reference prevents its split. Another process has a
 * guard page at page 12. A read of page 9 fails; page 12 must stay a guard page.
 */
#include <sys/uio.h>
#include "reproduce.h"

static const char SHMEM[] = "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled";
static const size_t FOLIO = 64 << 10;

static char *map_shmem(void)
{
	int fd = memfd_create("shmem", 0);
	char *mem = map_aligned(FOLIO);

	write_file(SHMEM, "advise");
	need(!ftruncate(fd, FOLIO), "ftruncate()");
	mem = mmap(mem, FOLIO, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, FOLIO, MADV_HUGEPAGE), "mmap(), MADV_HUGEPAGE");
	memset(mem, 1, FOLIO);
	write_file(SHMEM, "never");
	return mem;
}

/* In a child: map the folio, and poison its page 9. A pipe keeps a reference. */
static void poison(char *mem, int pipe)
{
	int fd = open("/sys/devices/system/memory/hard_offline_page", O_WRONLY);
	struct iovec part = { mem + 5 * PAGE, 1 };
	char text[32];

	need(vmsplice(pipe, &part, 1, 0) == 1, "vmsplice()");
	snprintf(text, sizeof(text), "%#llx", (page_entry(mem + 9 * PAGE) & PM_PFN) * PAGE);
	need(fd >= 0 && write(fd, text, strlen(text)) < 0, "poisoned folio that is not split");
	_exit(RIGHT);
}

int main(void)
{
	int ends[2], status = 0;
	char *mem = map_shmem();

	need(is_one_folio(mem, FOLIO), "folio of 64K");
	need(!madvise(mem, FOLIO, MADV_DONTNEED) && !pipe(ends), "madvise(), pipe()");
	if (!fork())
		poison(mem, ends[1]);
	need(wait(&status) > 0 && !status, "poisoned page");
	need(!madvise(mem + 12 * PAGE, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	need(!can_read(mem + 9 * PAGE), "poisoned page");
	if (can_read(mem + 12 * PAGE))
		return verdict(BUG, "the guard page can be read");
	return verdict(RIGHT, "the guard page is still there");
}
