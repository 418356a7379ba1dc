/* SPDX-License-Identifier: GPL-2.0 */
/*
 * madvise() in an address space that is not the caller's.
 */
#ifndef PTEBATCH_ADVISE_H
#define PTEBATCH_ADVISE_H

#include <linux/mm_types.h>

#include "model.h"
#include "space.h"

/**
 * struct ptebatch_advice - one that does something to entries
 * @name: of the behaviour
 * @behavior: MADV_*
 * @model: what the rules say of it
 * @swaps: it puts anonymous pages into swap
 * @splits: it splits folios that it gets in part
 */
struct ptebatch_advice {
	const char *name;
	int behavior;
	ptebatch_model_t model;
	bool swaps;
	bool splits;
};

/**
 * enum ptebatch_advice_id - which of them
 * @PTEBATCH_COLD: not used soon
 * @PTEBATCH_PAGEOUT: not used soon, out with it
 * @PTEBATCH_FREE: not needed, unless it is written to
 * @PTEBATCH_DONTNEED: not needed
 * @PTEBATCH_GUARD_INSTALL: nobody is to touch it
 * @PTEBATCH_GUARD_REMOVE: or may again
 * @PTEBATCH_NR_ADVICES: how many of them there are
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
