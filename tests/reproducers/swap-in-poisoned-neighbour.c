// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a fault maps a poisoned page with the other pages of its folio
 * fix: mm-memory-do-not-map-a-poisoned-page-with-its-neighb
 *
 * Page 9 of a 64K folio is poisoned; a reference prevents its split. After a fault of
 * page 5, a read of page 9 must fail: in shmem and in the swap cache.
 */
#include "reproduce.h"

/* Return: 1 if page 9 stays poisoned when page 5 is written after @advice. */
static int is_right(char *mem, int advice)
{
	need(!madvise(mem, FOLIO, advice), "madvise()");
	poison_page(mem, 9);
	need(!count(mem, FOLIO, PM_PRESENT), "unmapped memory");
	mem[5 * PAGE] = 2;
	return !can_read(mem + 9 * PAGE);
}

int main(void)
{
	char *shmem = map_shmem_folio(), *anon = map_folios(FOLIO, 64);
	int right;

	enable_swap();
	right = is_right(shmem, MADV_DONTNEED) + is_right(anon, MADV_PAGEOUT);
	return verdict(right == 2 ? RIGHT : BUG, "%d of 2 reads of a poisoned page fail",
		       right);
}
