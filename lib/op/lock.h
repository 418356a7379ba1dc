/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mlock() and munlock() of the range of a row.
 */
#ifndef PTEBATCH_LOCK_H
#define PTEBATCH_LOCK_H

#include "op.h"

/* mlock() faults in all pages of the range; it fails where an access would. */
extern const struct ptebatch_op ptebatch_mlock, ptebatch_munlock;

#endif /* PTEBATCH_LOCK_H */
