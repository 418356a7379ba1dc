// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on randomly generated rows: up to a page table of entries,
 * folios of mixed orders, runs of equal states of all lengths.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/op/protect.h"
#include "../lib/run/random.h"
#include "../lib/twin/twin.h"

static void change(struct ptebatch_random *random, struct ptebatch_space *space,
		   ptebatch_change_t how)
{
	const struct ptebatch_row *row = &space->row;

	random->pages = ptebatch_change(space->places[0].mm,
					ptebatch_addr(space, row->from),
					ptebatch_addr(space, row->to),
					random->data, how);
}

static void by_kernel(struct ptebatch_random *random,
		      struct ptebatch_space *space)
{
	change(random, space, change_protection);
}

static void by_twin(struct ptebatch_random *random,
		    struct ptebatch_space *space)
{
	change(random, space, ptebatch_twin_change_protection);
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
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
	random->setup = (struct ptebatch_setup) {
		.mapping = PTEBATCH_ANON,
		.prot = PROT_READ,
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		/* A VMA has at most one of uffd-wp and uffd-rwp. */
		.uffd_wp = protection->uffd_wp ||
			   (!protection->uffd_rwp && uffd_wp),
		.uffd_rwp = protection->uffd_rwp,
	};
	/* Without THP, files have small folios only. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		random->setup.mapping = mappings[bits >> 2 & 3];
	random->call = ptebatch_protection_call(protection, &random->setup);
	ptebatch_states(&random->states, &random->call);
	random->what = protection->name;
	random->function = "change_protection()";
	random->kernel = by_kernel;
	random->twin = by_twin;
	random->data = protection;
	random->whole = false;
	random->counts = true;
}

static struct kunit_suite random_suite;

static void mprotect_random(struct kunit *test)
{
	ptebatch_random_run(test, random_suite.name, choose);
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
