/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between two operations on one address space.
 */
#ifndef PTEBATCH_ADOPT_H
#define PTEBATCH_ADOPT_H

#include "snapshot.h"

int ptebatch_space_adopt(struct ptebatch_space *space, struct ptebatch_snapshot *now);

#endif /* PTEBATCH_ADOPT_H */
