// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_unmap() and zap_vma_range() on randomly generated rows.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/check/model.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/unmap.h"
#include "../lib/run/random.h"
#include "../lib/twin/twin.h"

static void unmap_by_kernel(struct ptebatch_random *random,
			    struct ptebatch_space *space)
{
	ptebatch_unmap(space, 0, try_to_unmap);
}

static void unmap_by_twin(struct ptebatch_random *random,
			  struct ptebatch_space *space)
{
	ptebatch_unmap(space, 0, ptebatch_twin_try_to_unmap);
}

static void zap_by_kernel(struct ptebatch_random *random,
			  struct ptebatch_space *space)
{
	ptebatch_zap(space, zap_vma_range);
}

static void zap_batched(struct ptebatch_random *random,
			struct ptebatch_space *space)
{
	ptebatch_zap(space, ptebatch_zap_batched);
}

static void zap_by_twin(struct ptebatch_random *random,
			struct ptebatch_space *space)
{
	ptebatch_zap(space, ptebatch_twin_zap_vma_range);
}

static const struct operation {
	const char *what, *function;
	ptebatch_random_op_t kernel, twin;
	ptebatch_model_t model;
	bool swap, lazyfree, file;
	bool whole;		/* whole folios only: the range is the row */
} operations[] = {
	{ "unmap to swap", "try_to_unmap()", unmap_by_kernel, unmap_by_twin,
	  ptebatch_model_unmap, .swap = true, .whole = true },
	{ "unmap lazyfree", "try_to_unmap()", unmap_by_kernel, unmap_by_twin,
	  ptebatch_model_unmap, .lazyfree = true, .whole = true },
	{ "unmap", "try_to_unmap()", unmap_by_kernel, unmap_by_twin,
	  ptebatch_model_unmap, .file = true, .whole = true },
	{ "zap", "zap_vma_range()", zap_by_kernel, zap_by_twin,
	  ptebatch_model_zap },
	{ "zap", "zap_vma_range_batched()", zap_batched, zap_by_twin,
	  ptebatch_model_zap, .file = true },
};

static const char *operation_missing(const struct operation *operation)
{
	if (operation->file && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no large folios of files without CONFIG_TRANSPARENT_HUGEPAGE";
	return operation->swap ? ptebatch_swap_missing() : NULL;
}

/*
 * Drop swap entries, as the states have no page to swap out, and dirty lazyfree
 * pages, which try_to_unmap() keeps (rule 18).
 */
static void drop_states(struct ptebatch_states *states, bool lazyfree)
{
	unsigned int i, nr = 0;

	for (i = 0; i < states->nr; i++) {
		if (states->state[i].kind == PTEBATCH_SWAP ||
		    (lazyfree && states->state[i].flags & PTEBATCH_DIRTY))
			continue;
		states->state[nr++] = states->state[i];
	}
	states->nr = nr;
}

static void choose_operation(struct ptebatch_random *random,
			     struct rnd_state *rnd)
{
	const struct operation *operation;
	u32 bits = prandom_u32_state(rnd);
	struct ptebatch_setup *setup = &random->setup;

	do {
		operation = &operations[prandom_u32_state(rnd) %
					ARRAY_SIZE(operations)];
	} while (operation_missing(operation));
	*setup = (struct ptebatch_setup) {
		.mapping = !operation->file ? PTEBATCH_ANON :
			   bits & BIT(2) ? PTEBATCH_SHMEM : PTEBATCH_FILE,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(1),
		.swap = operation->swap,
		.lazyfree = operation->lazyfree,
	};
	random->call = ptebatch_setup_call(setup, operation->model,
					   setup->prot);
	ptebatch_states(&random->states, &random->call);
	drop_states(&random->states, operation->lazyfree);
	random->what = operation->what;
	random->function = operation->function;
	random->kernel = operation->kernel;
	random->twin = operation->twin;
	random->whole = operation->whole;
	random->counts = false;
}

static struct kunit_suite random_suite;

static void unmap_random(struct kunit *test)
{
	ptebatch_random_run(test, random_suite.name, choose_operation);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(unmap_random),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ptebatch_unmap_random",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
