// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on rows that nobody has thought of: up to a page table of
 * entries, folios of mixed orders, states in runs of all lengths.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/chance.h"
#include "../lib/protect.h"
#include "../lib/twin.h"

static void change(struct ptebatch_chance *chance, struct ptebatch_space *space,
		   ptebatch_change_t how)
{
	const struct ptebatch_row *row = &space->row;

	chance->pages = ptebatch_change(space->places[0].mm,
					ptebatch_addr(space, row->from),
					ptebatch_addr(space, row->to),
					chance->data, how);
}

static void by_kernel(struct ptebatch_chance *chance,
		      struct ptebatch_space *space)
{
	change(chance, space, change_protection);
}

static void by_twin(struct ptebatch_chance *chance,
		    struct ptebatch_space *space)
{
	change(chance, space, ptebatch_twin_change_protection);
}

static void choose(struct ptebatch_chance *chance, struct rnd_state *rnd)
{
	static const enum ptebatch_mapping mappings[] = {
		PTEBATCH_ANON, PTEBATCH_ANON, PTEBATCH_SHMEM, PTEBATCH_FILE,
	};
	const struct ptebatch_protection *protection;
	u32 bits = prandom_u32_state(rnd);
	bool uffd_wp = pgtable_supports_uffd() && bits & BIT(1);

	do {
		protection = &ptebatch_protections[prandom_u32_state(rnd) %
						   PTEBATCH_NR_PROTECTIONS];
	} while (ptebatch_protection_missing(protection));
	chance->setup = (struct ptebatch_setup) {
		.mapping = PTEBATCH_ANON,
		.prot = PROT_READ,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		/* One or the other. */
		.uffd_wp = protection->uffd_wp ||
			   (!protection->uffd_rwp && uffd_wp),
		.uffd_rwp = protection->uffd_rwp,
	};
	/* Without it, a file has small folios only. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		chance->setup.mapping = mappings[bits >> 2 & 3];
	chance->call = ptebatch_protection_call(protection, &chance->setup);
	ptebatch_states(&chance->states, &chance->call);
	chance->what = protection->name;
	chance->who = "change_protection()";
	chance->kernel = by_kernel;
	chance->twin = by_twin;
	chance->data = protection;
	chance->whole = false;
	chance->counts = true;
}

static struct kunit_suite random_suite;

static void mprotect_random(struct kunit *test)
{
	ptebatch_chance_play(test, random_suite.name, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(mprotect_random),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ptebatch_mprotect_random",
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
