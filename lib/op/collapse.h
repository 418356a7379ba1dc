/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Collapses of the page tables that the range contains, and splits of PMDs.
 */
#ifndef PTEBATCH_COLLAPSE_H
#define PTEBATCH_COLLAPSE_H

#include "op.h"

/* madvise_collapse(); the space holds no references to the folios. */
extern const struct ptebatch_op ptebatch_collapse;

/* A scan of the mm by khugepaged, which may allocate folios of the orders in @arg. */
extern const struct ptebatch_op ptebatch_khugepaged;

/* The PMDs of the range; the folios stay. */
extern const struct ptebatch_op ptebatch_split_pmds;

/* MADV_COLLAPSE, in another mm, of the part of the file that the last page table maps. */
extern const struct ptebatch_op ptebatch_collapse_elsewhere;

#endif /* PTEBATCH_COLLAPSE_H */
