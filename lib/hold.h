/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our references to the folios of a row. Who tests them keeps them alive, and
 * so keeps the kernel from splitting, migrating or freeing them: for some
 * operations they have to be given up meanwhile.
 */
#ifndef PTEBATCH_HOLD_H
#define PTEBATCH_HOLD_H

#include "space.h"

int ptebatch_hold(struct ptebatch_space *space);
void ptebatch_let_go(struct ptebatch_space *space);
int ptebatch_take_back(struct ptebatch_space *space);
void ptebatch_hold_end(struct ptebatch_space *space);

struct folio *ptebatch_held(const struct ptebatch_space *space, s16 folio,
			    unsigned int page);
bool ptebatch_held_whole(const struct ptebatch_space *space, s16 folio);
bool ptebatch_gone(const struct ptebatch_space *space, s16 folio);
bool ptebatch_leaked(const struct ptebatch_space *space, s16 folio);

#endif /* PTEBATCH_HOLD_H */
