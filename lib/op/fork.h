/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fork(): copy the parent's page tables to the child, the space's second place.
 */
#ifndef PTEBATCH_FORK_H
#define PTEBATCH_FORK_H

#include "op.h"

extern const struct ptebatch_op ptebatch_copy, ptebatch_dup_mmap;

#endif /* PTEBATCH_FORK_H */
