/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /proc/PID/clear_refs of a synthetic address space. The suite needs PTEBATCH_PROC.
 */
#ifndef PTEBATCH_CLEAR_REFS_H
#define PTEBATCH_CLEAR_REFS_H

#include "op.h"

/* What is written to clear_refs, see Documentation/filesystems/proc.rst. */
#define PTEBATCH_OLD_ALL		1
#define PTEBATCH_OLD_ANON		2
#define PTEBATCH_OLD_FILE		3
#define PTEBATCH_NOT_SOFT_DIRTY		4

/* Of the whole mm; @arg is one of the above, by default PTEBATCH_NOT_SOFT_DIRTY. */
extern const struct ptebatch_op ptebatch_clear_refs;

#endif /* PTEBATCH_CLEAR_REFS_H */
