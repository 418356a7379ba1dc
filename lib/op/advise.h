/* SPDX-License-Identifier: GPL-2.0 */
/*
 * madvise() on a synthetic address space.
 */
#ifndef PTEBATCH_ADVISE_H
#define PTEBATCH_ADVISE_H

#include "op.h"

/**
 * enum ptebatch_advice - index into ptebatch_advices
 * @PTEBATCH_COLD: MADV_COLD
 * @PTEBATCH_PAGEOUT: MADV_PAGEOUT
 * @PTEBATCH_FREE: MADV_FREE
 * @PTEBATCH_DONTNEED: MADV_DONTNEED
 * @PTEBATCH_GUARD_INSTALL: MADV_GUARD_INSTALL
 * @PTEBATCH_GUARD_REMOVE: MADV_GUARD_REMOVE
 * @PTEBATCH_NR_ADVICES: number of advices
 */
enum ptebatch_advice {
	PTEBATCH_COLD,
	PTEBATCH_PAGEOUT,
	PTEBATCH_FREE,
	PTEBATCH_DONTNEED,
	PTEBATCH_GUARD_INSTALL,
	PTEBATCH_GUARD_REMOVE,
	PTEBATCH_NR_ADVICES,
};

extern const struct ptebatch_op ptebatch_advices[PTEBATCH_NR_ADVICES];

#endif /* PTEBATCH_ADVISE_H */
