// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_unmap() and zap_vma_range() on randomly generated rows.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/kernel/swap.h"
#include "../lib/op/op.h"
#include "../lib/run/random.h"

static const struct operation {
	const struct ptebatch_op *op;
	bool swap, lazyfree, droppable, file;
} operations[] = {
	{ &ptebatch_unmap, .swap = true },
	{ &ptebatch_unmap, .lazyfree = true },
	{ &ptebatch_unmap, .droppable = true },
	{ &ptebatch_unmap, .file = true },
	{ &ptebatch_zap },
	{ &ptebatch_zap_batched, .file = true },
};

static const char *operation_missing(const struct operation *operation)
{
	if (operation->droppable && VM_DROPPABLE == VM_NONE)
		return "no VM_DROPPABLE in this kernel";
	if (operation->file && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no large folios of files without CONFIG_TRANSPARENT_HUGEPAGE";
	return operation->swap ? ptebatch_swap_missing() : NULL;
}

/*
 * Not swap entries, as the states have no page to swap out, and not dirty
 * lazyfree pages, which try_to_unmap() keeps (rule 18).
 */
static bool usable(const struct ptebatch_random *random,
		   const struct ptebatch_entry *state)
{
	return state->kind != PTEBATCH_SWAP &&
	       !(random->setup.lazyfree && state->flags & PTEBATCH_DIRTY);
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	const struct operation *operation;
	u32 bits = prandom_u32_state(rnd);

	do {
		operation = &operations[prandom_u32_state(rnd) %
					ARRAY_SIZE(operations)];
	} while (operation_missing(operation));
	random->op = operation->op;
	random->usable = usable;
	random->setup = (struct ptebatch_setup) {
		.mapping = operation->file ? ptebatch_random_file(bits >> 2) :
			   PTEBATCH_ANON,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(1),
		.mixedmap = IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) &&
			    !operation->op->whole && bits & BIT(16),
		.swap = operation->swap,
		.lazyfree = operation->lazyfree,
		.droppable = operation->droppable,
	};
}

static void unmap_random(struct kunit *test)
{
	ptebatch_random_run(test, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE_SLOW(unmap_random),
	{}
};

PTEBATCH_SUITE(unmap_random, random_cases, PTEBATCH_SWAP_SPACE);
