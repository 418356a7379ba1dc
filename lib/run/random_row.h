/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Randomly generated rows.
 */
#ifndef PTEBATCH_RANDOM_ROW_H
#define PTEBATCH_RANDOM_ROW_H

#include <linux/prandom.h>

#include "../check/states.h"
#include "../row/row.h"

void ptebatch_random_row(struct ptebatch_row *row, struct rnd_state *rnd,
			 const struct ptebatch_call *call,
			 const struct ptebatch_states *states);
void ptebatch_random_vmas(struct ptebatch_row *row, struct rnd_state *rnd);
bool ptebatch_row_without(struct ptebatch_row *row,
			  const struct ptebatch_row *from, unsigned int first,
			  unsigned int nr);

#endif /* PTEBATCH_RANDOM_ROW_H */
