/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KSM on a synthetic address space. The suite needs PTEBATCH_KSMD.
 */
#ifndef PTEBATCH_MERGE_H
#define PTEBATCH_MERGE_H

#include "op.h"

/* MADV_MERGEABLE of the row, then ksmd merges equal pages. */
extern const struct ptebatch_op ptebatch_merge;

#endif /* PTEBATCH_MERGE_H */
