// SPDX-License-Identifier: GPL-2.0
/*
 * madvise() on randomly generated rows.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/op/advise.h"
#include "../lib/run/random.h"
#include "../lib/service/swap.h"

/*
 * Not swap entries, as no page was swapped out, and not migration entries, as a
 * folio under migration is locked and madvise() skips all its pages. A split
 * remaps pages with vm_page_prot: no PROT_NONE entries, which it would lose, and
 * no device-exclusive entries, which become present.
 */
static bool usable(const struct ptebatch_random *random,
		   const struct ptebatch_entry *state)
{
	return state->kind != PTEBATCH_SWAP &&
	       state->kind != PTEBATCH_MIGRATION &&
	       !(random->op->splits &&
		 (state->kind == PTEBATCH_PROTNONE ||
		  state->kind == PTEBATCH_DEVICE_EXCLUSIVE));
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	const struct ptebatch_op *op;
	u32 bits = prandom_u32_state(rnd);

	do {
		op = &ptebatch_advices[prandom_u32_state(rnd) %
				       PTEBATCH_NR_ADVICES];
	} while (ptebatch_op_missing(op) ||
		 (op->splits && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE)));
	random->op = op;
	random->usable = usable;
	random->setup = (struct ptebatch_setup) {
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.uffd = pgtable_supports_uffd() && bits & BIT(1) ? UFFD_WP : 0,
		.folios = ON_LRU,
	};
}

static void madvise_random(struct kunit *test)
{
	ptebatch_random_run(test, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE_SLOW(madvise_random),
	{}
};

PTEBATCH_SUITE(madvise_random, random_cases, PTEBATCH_SWAP_SPACE);
