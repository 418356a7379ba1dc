/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The operations that do the steps of programs.
 */
#ifndef PTEBATCH_STEP_H
#define PTEBATCH_STEP_H

#include "../row/program.h"
#include "op.h"

const struct ptebatch_op *ptebatch_step_op(enum ptebatch_step_kind kind);
bool ptebatch_step_is_exact(enum ptebatch_step_kind kind);
const char *ptebatch_step_error(enum ptebatch_step_kind kind, enum ptebatch_mapping mapping);

#endif /* PTEBATCH_STEP_H */
