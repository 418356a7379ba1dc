/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the row as drawn to page table entries.
 */
#ifndef PTEBATCH_POPULATE_H
#define PTEBATCH_POPULATE_H

#include "space.h"

int ptebatch_populate(struct ptebatch_space *space,
		      const struct ptebatch_place *place);
void ptebatch_unpopulate(struct ptebatch_space *space,
			 const struct ptebatch_place *place);

#endif /* PTEBATCH_POPULATE_H */
