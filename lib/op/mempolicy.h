/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Migration between two NUMA nodes.
 */
#ifndef PTEBATCH_MEMPOLICY_H
#define PTEBATCH_MEMPOLICY_H

#include "op.h"

#define PTEBATCH_TARGET_NODE	1

extern const struct ptebatch_op ptebatch_migrate_pages;

const char *ptebatch_nodes_missing(void);

#endif /* PTEBATCH_MEMPOLICY_H */
