// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a fault maps a poisoned page with the other pages of its folio
 * fix: mm-memory-do-not-map-a-poisoned-page-with-its-neighb
 *
 * Page 9 of a 64K folio is poisoned; a reference prevents its split. After a fault of
 * page 5, a read of page 9 must end with SIGBUS: in shmem and in the swap cache.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "reproduce.h"

static const char SHMEM[] = "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled";
static const size_t FOLIO = 64 << 10;
static sigjmp_buf after_signal;

static void on_sigbus(int number)
{
	siglongjmp(after_signal, 1);
}

static char *map_shmem(void)
{
	int fd = memfd_create("shmem", 0);
	char *mem = map_aligned(FOLIO);

	write_file(SHMEM, "advise");
	need(!ftruncate(fd, FOLIO), "ftruncate()");
	mem = mmap(mem, FOLIO, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED, "mmap()");
	need(!madvise(mem, FOLIO, MADV_HUGEPAGE), "MADV_HUGEPAGE");
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
	need(is_one_folio(mem, FOLIO), "folio of 64K");
	snprintf(text, sizeof(text), "%#llx", (page_entry(mem + 9 * PAGE) & PM_PFN) * PAGE);
	need(fd >= 0 && write(fd, text, strlen(text)) < 0, "poisoned folio that is not split");
	_exit(RIGHT);
}

/* Return: 1 if page 9 stays poisoned when page 5 is written after @advice. */
static int is_right(char *mem, int advice)
{
	int ends[2], status = 0;

	need(!madvise(mem, FOLIO, advice) && !pipe(ends), "madvise(), pipe()");
	if (!fork())
		poison(mem, ends[1]);
	need(wait(&status) > 0 && !status, "poisoned page");
	need(!count(mem, FOLIO, PM_PRESENT), "unmapped memory");
	mem[5 * PAGE] = 2;
	if (sigsetjmp(after_signal, 1))
		return 1;
	return !mem[9 * PAGE];
}

int main(void)
{
	char *shmem = map_shmem(), *anon = map_folios(FOLIO, 64);
	int right;

	signal(SIGBUS, on_sigbus);
	enable_swap();
	right = is_right(shmem, MADV_DONTNEED) + is_right(anon, MADV_PAGEOUT);
	return verdict(right == 2 ? RIGHT : BUG, "%d of 2 reads of a poisoned page end with SIGBUS",
		       right);
}
