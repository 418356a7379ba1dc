// SPDX-License-Identifier: GPL-2.0
/*
 * bug: migrate_pages() counts a large folio that cannot be isolated once per PTE
 * fix: mm-mempolicy-count-a-folio-that-cannot-be-moved-once
 *
 * migrate_pages() returns how many folios could not be moved. A child shares
 * one folio of 64K. It moves the folio together with much memory of its own by
 * mbind(), and so keeps it isolated from its LRU list for most of the time. Our
 * migrate_pages() must count the folio as 1.
 */
#include <linux/mempolicy.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include "reproduce.h"

static const size_t FOLIO = 64 << 10, MORE = 128 << 20;
static const int SECONDS = 20;
static const unsigned long NODES[] = { 1, 2 };

/* Folios of this process that cannot be moved from one node to the other. */
static long cannot_move(int from)
{
	long failed = syscall(SYS_migrate_pages, 0, 64, &NODES[from], &NODES[!from]);

	need(failed >= 0, "migrate_pages() between nodes 0 and 1");
	return failed;
}

/* Move all of @mem from node to node, until killed. */
static void move(char *mem)
{
	int node;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	madvise(mem + FOLIO, MORE, MADV_NOHUGEPAGE);
	memset(mem + FOLIO, 1, MORE);
	for (node = 0;; node = !node)
		syscall(SYS_mbind, mem, FOLIO + MORE, MPOL_BIND, &NODES[node], 64,
			MPOL_MF_MOVE | MPOL_MF_MOVE_ALL);
}

int main(void)
{
	long failed, usual = 0, most = 0;
	char *mem = map_aligned(FOLIO + MORE);
	int i, mover;
	time_t end;

	populate(mem, FOLIO, 64);
	for (i = 0; i < 10; i++) {
		failed = cannot_move(i % 2);
		if (failed > usual)
			usual = failed;
	}
	mover = fork();
	if (!mover)
		move(mem);
	for (end = time(NULL) + SECONDS; most - usual < 16 && time(NULL) < end; i++) {
		failed = cannot_move(i % 2);
		if (failed > most)
			most = failed;
	}
	kill(mover, SIGKILL);
	errno = 0;
	need(most > usual, "folio was found isolated");
	return verdict(most - usual > 15 ? BUG : RIGHT,
		       "1 folio counted as %ld", most - usual);
}
