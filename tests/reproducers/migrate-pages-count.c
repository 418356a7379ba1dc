// SPDX-License-Identifier: GPL-2.0
/*
 * bug: migrate_pages() counts a large folio that cannot be isolated once per PTE
 * fix: mm-mempolicy-count-a-folio-that-cannot-be-queued-onc
 *
 * migrate_pages() returns how many folios could not be moved. A child shares
 * one folio of 64K. By mbind() it moves much memory of its own, and last the
 * folio, which is isolated from its LRU list from the beginning. Meanwhile our
 * migrate_pages() must count the folio as 1.
 */
#include <linux/mempolicy.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "reproduce.h"

static const size_t FOLIO = 64 << 10, MORE = 128 << 20;
static const int SECONDS = 20;
static const unsigned long NODES[] = { 1, 2 };

/* When told, move the memory before @mem and then the folio from node 0 to 1. */
static void move(char *mem)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	madvise(mem - MORE, MORE, MADV_NOHUGEPAGE);
	memset(mem - MORE, 1, MORE);
	raise(SIGSTOP);
	syscall(SYS_mbind, mem - MORE, MORE + FOLIO, MPOL_BIND, &NODES[1], 64,
		MPOL_MF_MOVE | MPOL_MF_MOVE_ALL);
	pause();
}

int main(void)
{
	char *mem = map_aligned(MORE + FOLIO) + MORE, *first = mem - MORE;
	time_t end = time(NULL) + SECONDS;
	int i, mover, node = -1;
	long failed, least = 99;

	need(!syscall(SYS_set_mempolicy, MPOL_BIND, &NODES[0], 64), "allocation on node 0");
	populate(mem, FOLIO, 64);
	mover = fork();
	if (!mover)
		move(mem);
	waitpid(mover, NULL, WUNTRACED);
	kill(mover, SIGCONT);
	/* Until the child's first page has moved: now the folio is isolated. */
	while (node != 1 && time(NULL) < end)
		syscall(SYS_move_pages, mover, 1, &first, NULL, &node, 0);
	for (i = 0; i < 3; i++) {
		failed = syscall(SYS_migrate_pages, 0, 64, &NODES[0], &NODES[1]);
		need(failed >= 0, "migrate_pages() from node 0 to 1");
		if (failed < least)
			least = failed;
	}
	i = is_one_folio(mem, FOLIO);
	kill(mover, SIGKILL);
	errno = 0;
	need(node == 1 && i && least, "folio is isolated");
	return verdict(least < 16 ? RIGHT : BUG, "%ld folios counted, one of them large", least);
}
