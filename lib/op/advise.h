/* SPDX-License-Identifier: GPL-2.0 */
/*
 * madvise() on a synthetic address space.
 */
#ifndef PTEBATCH_ADVISE_H
#define PTEBATCH_ADVISE_H

#include "op.h"

/* Index into ptebatch_advices. */
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

long ptebatch_do_madvise(struct mm_struct *mm, unsigned long start, size_t bytes, int behavior);

/* Of each page table that the range contains; the range may be in several VMAs. */
extern const struct ptebatch_op ptebatch_advise_collapse;

/* prctl(PR_SET_VMA_ANON_NAME): the VMAs of the range get a name, or lose theirs. */
extern const struct ptebatch_op ptebatch_name, ptebatch_unname;

#endif /* PTEBATCH_ADVISE_H */
