// SPDX-License-Identifier: GPL-2.0
/*
 * madvise() on rows that nobody has thought of.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/advise.h"
#include "../lib/chance.h"
#include "../lib/swap.h"
#include "../lib/twin.h"

static void advise_by_kernel(struct ptebatch_chance *chance,
			     struct ptebatch_space *space)
{
	ptebatch_advise(space, chance->data, do_madvise);
}

static void advise_by_twin(struct ptebatch_chance *chance,
			   struct ptebatch_space *space)
{
	ptebatch_advise(space, chance->data, ptebatch_twin_do_madvise);
}

static bool possible(const struct ptebatch_advice *advice)
{
	if (advice->swaps && ptebatch_swap_missing())
		return false;
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) || !advice->splits;
}

/*
 * Without a page nothing has put anything into swap, and folios that are being
 * migrated are locked: they are left alone, and their other pages with them.
 * What a split maps anew does not wait for a NUMA hint any more.
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

static void choose(struct ptebatch_chance *chance, struct rnd_state *rnd)
{
	const struct ptebatch_advice *advice;
	u32 bits = prandom_u32_state(rnd);
	struct ptebatch_setup *setup = &chance->setup;

	do {
		advice = &ptebatch_advices[prandom_u32_state(rnd) %
					   PTEBATCH_NR_ADVICES];
	} while (!possible(advice));
	*setup = (struct ptebatch_setup) {
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(1),
		.lru = true,
	};
	chance->call = ptebatch_advice_call(advice, setup);
	ptebatch_states(&chance->states, &chance->call);
	drop_states(&chance->states, advice);
	chance->what = advice->name;
	chance->who = "do_madvise()";
	chance->kernel = advise_by_kernel;
	chance->twin = advise_by_twin;
	chance->data = advice;
	chance->whole = false;
	chance->counts = false;
}

static struct kunit_suite random_suite;

static void madvise_random(struct kunit *test)
{
	ptebatch_chance_play(test, random_suite.name, choose);
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
