/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A few adjacent entries of an address space that are set, changed and read
 * back in place, where a new address space for each combination is too slow.
 */
#ifndef PTEBATCH_WINDOW_H
#define PTEBATCH_WINDOW_H

#include "../space/space.h"

/* Number of entries in a window. */
#define PTEBATCH_WINDOW_ENTRIES	3

/**
 * struct ptebatch_window - adjacent entries in an address space
 * @space: the address space; its accounting stays that of its row, whatever
 *         the window's entries are set to
 * @at: index of the window's first entry in the space's row
 * @row: the window as a row, with the folio numbers of the space's row
 * @pte: pointers to the entries
 * @ptl: page table lock of each entry
 * @page: page behind each entry
 */
struct ptebatch_window {
	struct ptebatch_space *space;
	unsigned int at;
	struct ptebatch_row row;
	pte_t *pte[PTEBATCH_WINDOW_ENTRIES];
	spinlock_t *ptl[PTEBATCH_WINDOW_ENTRIES];	/* protects each @pte */
	struct page *page[PTEBATCH_WINDOW_ENTRIES];
};

struct ptebatch_window *ptebatch_window(struct ptebatch_space *space,
					unsigned int at);
void ptebatch_window_set(struct ptebatch_window *window,
			 struct vm_area_struct *vma);
void ptebatch_window_get(const struct ptebatch_window *window,
			 struct ptebatch_entry *entries);
bool ptebatch_window_blocks_consistent(const struct ptebatch_window *window,
				       struct seq_buf *out);

static inline unsigned long
ptebatch_window_addr(const struct ptebatch_window *window, unsigned int i)
{
	return ptebatch_addr(window->space, window->at + i);
}

#endif /* PTEBATCH_WINDOW_H */
