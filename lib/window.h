/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A few adjacent entries that are set, changed and read back many thousand
 * times a second, where an address space of its own for each would take too
 * long.
 */
#ifndef PTEBATCH_WINDOW_H
#define PTEBATCH_WINDOW_H

#include "space.h"

/* Entries of a window. */
#define PTEBATCH_WINDOW_ENTRIES	3

/**
 * struct ptebatch_window - adjacent entries in an address space
 * @space: the address space; what its row has mapped there stays accounted as
 *         mapped there, whatever the entries say meanwhile
 * @at: index of the window's first entry in the space's row
 * @row: the window as a row, with the folios' numbers of the space
 * @pte: where the entries are
 * @ptl: the locks of the page tables that they are in
 * @page: the pages behind them
 */
struct ptebatch_window {
	struct ptebatch_space *space;
	unsigned int at;
	struct ptebatch_row row;
	pte_t *pte[PTEBATCH_WINDOW_ENTRIES];
	spinlock_t *ptl[PTEBATCH_WINDOW_ENTRIES];	/* of each entry */
	struct page *page[PTEBATCH_WINDOW_ENTRIES];
};

struct ptebatch_window *ptebatch_window(struct ptebatch_space *space,
					unsigned int at);
void ptebatch_window_set(struct ptebatch_window *window,
			 struct vm_area_struct *vma);
void ptebatch_window_get(const struct ptebatch_window *window,
			 struct ptebatch_entry *entries);
bool ptebatch_window_blocks_agree(const struct ptebatch_window *window,
				  struct seq_buf *out);

static inline unsigned long
ptebatch_window_addr(const struct ptebatch_window *window, unsigned int i)
{
	return ptebatch_addr(window->space, window->at + i);
}

#endif /* PTEBATCH_WINDOW_H */
