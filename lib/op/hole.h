/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hole in the file that the row maps.
 */
#ifndef PTEBATCH_HOLE_H
#define PTEBATCH_HOLE_H

#include "op.h"

/* @arg: the pages of entries @from to @to - 1; 0: those of the range. */
#define PTEBATCH_HOLE(from, to)	((from) << 16 | (to))
#define PTEBATCH_HOLE_FROM(arg)	((arg) >> 16)
#define PTEBATCH_HOLE_TO(arg)	((arg) & U16_MAX)

extern const struct ptebatch_op ptebatch_hole;

/* The file ends before the range, and grows again. */
extern const struct ptebatch_op ptebatch_truncate;

#endif /* PTEBATCH_HOLE_H */
