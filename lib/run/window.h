/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A few adjacent entries of an address space that are set, changed and read
 * back in place, where a new address space for each combination is too slow.
 */
#ifndef PTEBATCH_WINDOW_H
#define PTEBATCH_WINDOW_H

#include "../check/trial.h"
#include "../op/op.h"

/* Number of entries in a window. */
#define PTEBATCH_WINDOW_ENTRIES	3

/**
 * struct ptebatch_window - adjacent entries in an address space
 * @space: the address space; its accounting stays that of its row, whatever
 *         the window's entries are set to
 * @at: index of the window's first entry in the space's row
 * @place: mm and address of the window
 * @trial: trial of the window's entries
 * @row: the window as a row, with the folio numbers of the space's row: the row
 *       of @trial before the operation
 * @pte: pointers to the entries
 * @ptl: page table lock of each entry
 * @page: page behind each entry
 */
struct ptebatch_window {
	struct ptebatch_space *space;
	unsigned int at;
	struct ptebatch_place place;
	struct ptebatch_trial *trial;
	struct ptebatch_row *row;
	pte_t *pte[PTEBATCH_WINDOW_ENTRIES];
	spinlock_t *ptl[PTEBATCH_WINDOW_ENTRIES];	/* protects each @pte */
	struct page *page[PTEBATCH_WINDOW_ENTRIES];
};

struct ptebatch_window *ptebatch_window(struct ptebatch_space *space,
					unsigned int at,
					const struct ptebatch_call *call);
void ptebatch_window_state(struct ptebatch_window *window, unsigned int i,
			   const struct ptebatch_entry *state);
void ptebatch_window_set(struct ptebatch_window *window);
void ptebatch_window_get(struct ptebatch_window *window);
void ptebatch_window_call(struct ptebatch_window *window,
			  const struct ptebatch_op *op, bool twin);
bool ptebatch_window_check(struct ptebatch_window *window,
			   const struct ptebatch_op *op);

#endif /* PTEBATCH_WINDOW_H */
