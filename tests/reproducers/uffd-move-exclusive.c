// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_MOVE looks at the first page of a large folio instead of the one that it moves
 * fix: userfaultfd-test-the-page-that-UFFDIO_MOVE-moves-for
 *
 * fork() shares a part of a 64K folio; all but the first 16K are moved. If fork() shared
 * the first 16K only, that must succeed. Otherwise, it fails, and must not split the folio.
 */
#include "reproduce.h"

static const size_t PART = 16UL << 10;	/* in bytes */

/* Exclude @size bytes at @mem from fork(). The child is gone when this returns. */
static void share_others(char *mem, size_t size)
{
	int status;

	need(!madvise(mem, size, MADV_DONTFORK), "MADV_DONTFORK");
	if (!fork())
		_exit(0);
	need(wait(&status) > 0 && !status, "fork()");
}

/* Return: 0 or the error of UFFDIO_MOVE. */
static int move_others(char *from)
{
	char *to = map_aligned(FOLIO);
	struct uffdio_move range = {
		(uintptr_t)to + PART, (uintptr_t)from + PART, FOLIO - PART, 0, 0
	};
	int uffd = register_mode(to, FOLIO, 0, UFFDIO_REGISTER_MODE_MISSING);

	return ioctl(uffd, UFFDIO_MOVE, &range) ? errno : 0;
}

int main(void)
{
	char *mem = map_aligned(FOLIO);
	int split, err;

	need(!madvise(mem, FOLIO, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	memset(mem, 1, FOLIO);
	share_others(mem + PART, FOLIO - PART);
	errno = move_others(mem);
	need(!errno, "UFFDIO_MOVE of small folios");

	mem = map_folios(FOLIO, 64);
	share_others(mem, PART);
	errno = move_others(mem);
	need(errno == EBUSY, "UFFDIO_MOVE of shared pages fails with EBUSY");
	split = !is_one_folio(mem, FOLIO);

	mem = map_folios(FOLIO, 64);
	share_others(mem + PART, FOLIO - PART);
	err = move_others(mem);
	need(!err || err == EBUSY, "UFFDIO_MOVE of exclusive pages");
	return verdict(split || err ? BUG : RIGHT,
		       "UFFDIO_MOVE of exclusive pages: %s; of shared pages: EBUSY, folio %s",
		       err ? "EBUSY" : "moved", split ? "split" : "not split");
}
