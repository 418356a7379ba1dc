/* SPDX-License-Identifier: GPL-2.0 */
/*
 * After an operation: take references to the row's remaining and new folios.
 */
#ifndef PTEBATCH_REACQUIRE_H
#define PTEBATCH_REACQUIRE_H

#include "types.h"

int ptebatch_space_reacquire_refs(struct ptebatch_space *space);

#endif /* PTEBATCH_REACQUIRE_H */
