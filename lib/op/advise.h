/* SPDX-License-Identifier: GPL-2.0 */
/*
 * madvise() on a synthetic address space.
 */
#ifndef PTEBATCH_ADVISE_H
#define PTEBATCH_ADVISE_H

#include <linux/mm_types.h>

#include "../check/model.h"
#include "../space/space.h"

/**
 * struct ptebatch_advice - a behavior of madvise() that changes entries
 * @name: name of the behavior
 * @behavior: MADV_*
 * @model: model of the behavior
 * @swaps: the behavior swaps anonymous pages out
 * @splits: the behavior splits folios that lie partly outside the range
 */
struct ptebatch_advice {
	const char *name;
	int behavior;
	ptebatch_model_t model;
	bool swaps;
	bool splits;
};

/**
 * enum ptebatch_advice_id - index into ptebatch_advices
 * @PTEBATCH_COLD: MADV_COLD
 * @PTEBATCH_PAGEOUT: MADV_PAGEOUT
 * @PTEBATCH_FREE: MADV_FREE
 * @PTEBATCH_DONTNEED: MADV_DONTNEED
 * @PTEBATCH_GUARD_INSTALL: MADV_GUARD_INSTALL
 * @PTEBATCH_GUARD_REMOVE: MADV_GUARD_REMOVE
 * @PTEBATCH_NR_ADVICES: number of advices
 */
enum ptebatch_advice_id {
	PTEBATCH_COLD,
	PTEBATCH_PAGEOUT,
	PTEBATCH_FREE,
	PTEBATCH_DONTNEED,
	PTEBATCH_GUARD_INSTALL,
	PTEBATCH_GUARD_REMOVE,
	PTEBATCH_NR_ADVICES,
};

extern const struct ptebatch_advice ptebatch_advices[PTEBATCH_NR_ADVICES];

typedef int (*ptebatch_madvise_t)(struct mm_struct *mm, unsigned long start,
				  size_t bytes, int behavior);

int ptebatch_advise(struct ptebatch_space *space,
		    const struct ptebatch_advice *advice,
		    ptebatch_madvise_t madvise);
struct ptebatch_call ptebatch_advice_call(const struct ptebatch_advice *advice,
					  const struct ptebatch_setup *setup);

#endif /* PTEBATCH_ADVISE_H */
