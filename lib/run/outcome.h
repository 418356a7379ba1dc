/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What two steps leave: entries, contents, return values and pins.
 */
#ifndef PTEBATCH_OUTCOME_H
#define PTEBATCH_OUTCOME_H

#include "../check/trial.h"

/**
 * struct ptebatch_page_outcome - what a process has of a page at the end
 * @err: of a read; 0: @value was read; -ENODATA: no read, see ptebatch_outcome_read()
 * @value: first word of the page
 * @pinned: the page is pinned
 */
struct ptebatch_page_outcome {
	int err;
	u32 value;
	bool pinned;
};

/**
 * struct ptebatch_outcome - what two steps leave
 * @passes: no check has failed
 * @ret: return values of the steps
 * @nr_places: number of places: the row's, and its child or where it moves to
 * @rows: their entries
 * @pages: their pages
 */
struct ptebatch_outcome {
	bool passes;
	long ret[2];
	unsigned int nr_places;
	struct ptebatch_row rows[2];
	struct ptebatch_page_outcome pages[2][PTEBATCH_ROW_ENTRIES];
};

void ptebatch_outcome_save(struct ptebatch_outcome *outcome, struct ptebatch_trial *trial);
void ptebatch_outcome_read(struct ptebatch_outcome *outcome, const struct ptebatch_space *space);
bool ptebatch_outcome_entry(const struct ptebatch_outcome *got,
			    const struct ptebatch_outcome *expected, unsigned int place,
			    unsigned int i);
bool ptebatch_outcome_page(const struct ptebatch_outcome *got,
			   const struct ptebatch_outcome *expected, unsigned int place,
			   unsigned int i);

#endif /* PTEBATCH_OUTCOME_H */
