// SPDX-License-Identifier: GPL-2.0
/*
 * bug: migrate_pages() counts a large folio that cannot be isolated once per PTE
 * question: mm/series/questions/migrate-pages-count.txt
 *
 * migrate_pages() returns how many folios, or pages, failed to move. A child
 * shares one 64K folio. Its mbind() isolates all folios of its range from the LRU,
 * then moves 128M of other memory, and the shared folio last. Meanwhile the
 * parent's migrate_pages() counts the shared folio, as 1 or as 16.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "reproduce.h"

static const size_t OTHER = 128 << 20;
static const int SECONDS = 20;

/* After SIGCONT, move the memory before @mem, then the folio at @mem, to node 1. */
static void move_to_node_1(char *mem)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	madvise(mem - OTHER, OTHER, MADV_NOHUGEPAGE);
	memset(mem - OTHER, 1, OTHER);
	raise(SIGSTOP);
	syscall(SYS_mbind, mem - OTHER, OTHER + FOLIO, MPOL_BIND, &NODES[1], 64,
		MPOL_MF_MOVE | MPOL_MF_MOVE_ALL);
	pause();
}

int main(void)
{
	char *mem = map_aligned(OTHER + FOLIO) + OTHER;
	char *first = mem - OTHER;
	time_t end = time(NULL) + SECONDS;
	int i, mover, node = -1;
	long failed, lowest = 99;

	need(!syscall(SYS_set_mempolicy, MPOL_BIND, &NODES[0], 64), "set_mempolicy() to node 0");
	populate(mem, FOLIO, 64);
	mover = fork();
	if (!mover)
		move_to_node_1(mem);
	waitpid(mover, NULL, WUNTRACED);
	kill(mover, SIGCONT);
	/* Poll until the child's first page has moved: then the folio is isolated. */
	while (node != 1 && time(NULL) < end)
		syscall(SYS_move_pages, mover, 1, &first, NULL, &node, 0);
	for (i = 0; i < 3; i++) {
		failed = syscall(SYS_migrate_pages, 0, 64, &NODES[0], &NODES[1]);
		need(failed >= 0, "migrate_pages() from node 0 to 1");
		if (failed < lowest)
			lowest = failed;
	}
	i = is_one_folio(mem, FOLIO);
	kill(mover, SIGKILL);
	errno = 0;
	need(node == 1 && i && lowest, "folio isolated by the child");
	return verdict(lowest < 16 ? RIGHT : BUG,
		       "one folio of 16 pages counts as %ld", lowest);
}
