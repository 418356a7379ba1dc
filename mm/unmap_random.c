// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_unmap() and zap_vma_range() on randomly generated rows.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/op/op.h"
#include "../lib/run/random.h"
#include "../lib/service/swap.h"

static const struct operation {
	const struct ptebatch_op *op;
	vm_flags_t vma;
	unsigned int folios;
	u16 flags;
	bool file;
} operations[] = {
	{ &ptebatch_unmap, .folios = WITH_SWAP },
	{ &ptebatch_unmap, .flags = PTEBATCH_LAZYFREE },
	{ &ptebatch_unmap, .vma = VM_DROPPABLE, .flags = PTEBATCH_LAZYFREE },
	{ &ptebatch_unmap, .file = true },
	{ &ptebatch_zap },
	{ &ptebatch_zap_batched, .file = true },
};

static const char *operation_missing(const struct operation *operation)
{
	if (operation->file && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no large folios of files without CONFIG_TRANSPARENT_HUGEPAGE";
	return operation->folios & WITH_SWAP ? ptebatch_swap_missing() : NULL;
}

/*
 * Not swap entries, as the states have no page to swap out, and not dirty
 * lazyfree pages, which try_to_unmap() keeps (rule 18) unless they are droppable.
 */
static bool usable(const struct ptebatch_random *random,
		   const struct ptebatch_entry *state)
{
	return state->kind != PTEBATCH_SWAP &&
	       !(random->flags & PTEBATCH_LAZYFREE && state->flags & PTEBATCH_DIRTY &&
		 !(random->setup.vma & VM_DROPPABLE));
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
	random->flags = operation->flags;
	random->setup = (struct ptebatch_setup) {
		.mapping = operation->file ? ptebatch_random_file(bits >> 2) :
			   PTEBATCH_ANON,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd = pgtable_supports_uffd() && bits & BIT(1) ? UFFD_WP : 0,
		.vma = operation->vma,
		.folios = operation->folios,
	};
	if (IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) && !operation->op->whole &&
	    bits & BIT(16))
		random->setup.vma |= VM_MIXEDMAP;
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
