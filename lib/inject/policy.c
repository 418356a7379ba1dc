// SPDX-License-Identifier: GPL-2.0
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "../kernel/process.h"
#include "conditions.h"

static const char *policy_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_NUMA) ? NULL : "no memory policy without CONFIG_NUMA";
}

#ifdef CONFIG_NUMA

static void set_policy(const struct ptebatch_use *use, struct mempolicy *policy)
{
	const struct ptebatch_place *place = use->trial->place;

	ptebatch_vma_lock(place->mm, place->start)->vm_policy = policy;
	mmap_write_unlock(place->mm);
}

static void set_no_node(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	static struct mempolicy no_node = {
		.refcnt = ATOMIC_INIT(1), .mode = MPOL_BIND,
	};

	set_policy(use, &no_node);
}

static void set_preferred(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	static struct mempolicy preferred = {
		.refcnt = ATOMIC_INIT(1), .mode = MPOL_PREFERRED, .flags = MPOL_F_MOF,
	};

	preferred.nodes = nodemask_of_node(use->condition->value);
	set_policy(use, &preferred);
}

static void reset_policy(struct ptebatch_use *use)
{
	set_policy(use, NULL);
}

#else
#define set_no_node	NULL
#define set_preferred	NULL
#define reset_policy	NULL
#endif

const struct ptebatch_condition_type ptebatch_condition_no_memory_node = {
	.name = "the memory policy has no node", .missing = policy_missing,
	.occur = set_no_node, .end = reset_policy,
};

const struct ptebatch_condition_type ptebatch_condition_prefers_node = {
	.name = "the memory policy prefers a node", .missing = policy_missing,
	.occur = set_preferred, .end = reset_policy,
};
