/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fork: a child's page tables from its parent's.
 */
#ifndef PTEBATCH_FORK_H
#define PTEBATCH_FORK_H

#include "space.h"

typedef int (*ptebatch_copy_t)(struct vm_area_struct *child,
			       struct vm_area_struct *parent);

/**
 * struct ptebatch_fork - what a fork finds
 * @guarded: the VMA may have guards, so that it is copied even where faults
 *           could fill the child
 * @disarmed: userfaultfd does not follow the child
 * @nowhere: the VMA's memory policy has no node with memory
 */
struct ptebatch_fork {
	bool guarded;
	bool disarmed;
	bool nowhere;
};

int ptebatch_fork_whole(struct ptebatch_space *space,
			const struct ptebatch_fork *fork);
int ptebatch_fork_vma(struct ptebatch_space *space,
		      const struct ptebatch_fork *fork, ptebatch_copy_t copy);

#endif /* PTEBATCH_FORK_H */
