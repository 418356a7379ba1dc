/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write the page table entries of a row, and account for them.
 */
#ifndef PTEBATCH_POPULATE_H
#define PTEBATCH_POPULATE_H

#include "types.h"

bool ptebatch_maps_huge(const struct ptebatch_space *space, unsigned int i);
int ptebatch_alloc_swap(struct ptebatch_space *space, s16 nr);
int ptebatch_populate(struct ptebatch_space *space,
		      const struct ptebatch_place *place);
void ptebatch_unpopulate(struct ptebatch_space *space,
			 const struct ptebatch_place *place);

#endif /* PTEBATCH_POPULATE_H */
