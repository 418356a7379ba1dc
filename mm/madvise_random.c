// SPDX-License-Identifier: GPL-2.0
/*
 * madvise() on randomly generated rows.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/kernel/swap.h"
#include "../lib/op/advise.h"
#include "../lib/run/random.h"
#include "../lib/twin/twin.h"

static void advise_by_kernel(struct ptebatch_random *random,
			     struct ptebatch_space *space)
{
	ptebatch_advise(space, random->data, do_madvise);
}

static void advise_by_twin(struct ptebatch_random *random,
			   struct ptebatch_space *space)
{
	ptebatch_advise(space, random->data, ptebatch_twin_do_madvise);
}

static bool advice_supported(const struct ptebatch_advice *advice)
{
	if (advice->swaps && ptebatch_swap_missing())
		return false;
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) || !advice->splits;
}

/*
 * Drop swap entries, as no page was swapped out, and migration entries, as a
 * folio under migration is locked and madvise() skips all its pages. A split
 * remaps pages with vm_page_prot: drop PROT_NONE entries, which it would lose.
 */
static void drop_states(struct ptebatch_states *states,
			const struct ptebatch_advice *advice)
{
	unsigned int i, nr = 0;

	for (i = 0; i < states->nr; i++) {
		if (states->state[i].kind == PTEBATCH_SWAP ||
		    states->state[i].kind == PTEBATCH_MIGRATION)
			continue;
		if (advice->splits && states->state[i].kind == PTEBATCH_PROTNONE)
			continue;
		states->state[nr++] = states->state[i];
	}
	states->nr = nr;
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	const struct ptebatch_advice *advice;
	u32 bits = prandom_u32_state(rnd);
	struct ptebatch_setup *setup = &random->setup;

	do {
		advice = &ptebatch_advices[prandom_u32_state(rnd) %
					   PTEBATCH_NR_ADVICES];
	} while (!advice_supported(advice));
	*setup = (struct ptebatch_setup) {
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(1),
		.lru = true,
	};
	random->call = ptebatch_advice_call(advice, setup);
	ptebatch_states(&random->states, &random->call);
	drop_states(&random->states, advice);
	random->what = advice->name;
	random->function = "do_madvise()";
	random->kernel = advise_by_kernel;
	random->twin = advise_by_twin;
	random->data = advice;
	random->whole = false;
	random->counts = false;
}

static struct kunit_suite random_suite;

static void madvise_random(struct kunit *test)
{
	ptebatch_random_run(test, random_suite.name, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(madvise_random),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ptebatch_madvise_random",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
