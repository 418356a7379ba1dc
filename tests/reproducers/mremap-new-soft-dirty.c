// SPDX-License-Identifier: GPL-2.0
/*
 * bug: memory that mremap() adds to a VMA, or moves unpopulated, is not soft-dirty
 * fix: mm-mremap-mark-grown-and-moved-VMAs-soft-dirty
 *
 * Pages are written, and their soft-dirty bits are cleared. Then mremap() lets other
 * memory take their place. They were not written since, but must be soft-dirty, as after
 * mmap().
 */
#include "reproduce.h"

/* Return: 1 if the page at @page, which has lost its contents, is soft-dirty. */
static int is_soft_dirty(const char *page)
{
	need(!*page, "contents of new memory");
	return !!(page_entry(page) & PM_SOFT_DIRTY);
}

/* Let the VMA of the first page grow over the second one. */
static int grow_in_place(void)
{
	char *mem = map_aligned(2 * PAGE);

	memset(mem, 1, 2 * PAGE);
	clear_soft_dirty(mem, 2 * PAGE);
	need(!munmap(mem + PAGE, PAGE), "munmap()");
	need(mremap(mem, PAGE, 2 * PAGE, 0) == mem, "mremap()");
	return is_soft_dirty(mem + PAGE);
}

/* Move @old bytes, of which the first page is populated, over two pages. */
static int move_over(size_t old)
{
	char *mem = map_aligned(old), *to = map_aligned(2 * PAGE);

	*mem = 1;
	memset(to, 1, 2 * PAGE);
	clear_soft_dirty(to, 2 * PAGE);
	need(mremap(mem, old, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to, "mremap()");
	return is_soft_dirty(to + PAGE);
}

int main(void)
{
	int grown = grow_in_place(), grown_elsewhere = move_over(PAGE);
	int moved = move_over(2 * PAGE);

	return verdict(grown && grown_elsewhere && moved ? RIGHT : BUG,
		       "soft-dirty pages: grown in place %d of 1, grown elsewhere %d of 1, moved %d of 1",
		       grown, grown_elsewhere, moved);
}
