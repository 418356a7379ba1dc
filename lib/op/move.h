/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mremap(): move the range of a row to the last place of its space.
 */
#ifndef PTEBATCH_MOVE_H
#define PTEBATCH_MOVE_H

#include "op.h"

extern const struct ptebatch_op ptebatch_move;

#endif /* PTEBATCH_MOVE_H */
