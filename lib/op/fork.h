/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fork(): copy the parent's page tables to the child.
 */
#ifndef PTEBATCH_FORK_H
#define PTEBATCH_FORK_H

#include "../space/space.h"

typedef int (*ptebatch_copy_t)(struct vm_area_struct *child,
			       struct vm_area_struct *parent);

/**
 * struct ptebatch_fork - conditions of a fork
 * @guarded: the VMA may have guard markers (VM_MAYBE_GUARD), so that it is
 *           copied even where faults could populate the child
 * @uffd_not_inherited: the child does not inherit the userfaultfd registration
 * @no_memory_node: the VMA's memory policy has no node with memory
 */
struct ptebatch_fork {
	bool guarded;
	bool uffd_not_inherited;
	bool no_memory_node;
};

int ptebatch_fork_whole(struct ptebatch_space *space,
			const struct ptebatch_fork *fork);
int ptebatch_fork_vma(struct ptebatch_space *space,
		      const struct ptebatch_fork *fork, ptebatch_copy_t copy);

#endif /* PTEBATCH_FORK_H */
