// SPDX-License-Identifier: GPL-2.0
/*
 * mremap() on randomly generated rows, to random page table offsets.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/model.h"
#include "../lib/kernel/syscall.h"
#include "../lib/run/random.h"
#include "../lib/twin/twin.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

static void move(struct ptebatch_random *random, struct ptebatch_space *space,
		 ptebatch_syscall_t syscall)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	const struct ptebatch_row *row = &space->row;
	unsigned long bytes = (row->to - row->from) * PAGE_SIZE;
	unsigned long addr = to->start + row->from * PAGE_SIZE;

	KUNIT_EXPECT_EQ(random->test, addr,
			ptebatch_syscall_in(to->mm, syscall,
					    ptebatch_addr(space, row->from),
					    bytes, bytes,
					    MREMAP_MAYMOVE | MREMAP_FIXED,
					    addr));
}

static void move_by_kernel(struct ptebatch_random *random,
			   struct ptebatch_space *space)
{
	move(random, space, PTEBATCH_SYSCALL(mremap));
}

static void move_by_twin(struct ptebatch_random *random,
			 struct ptebatch_space *space)
{
	move(random, space, ptebatch_twin_mremap);
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	u32 bits = prandom_u32_state(rnd);
	bool file = IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && bits & BIT(0);
	struct ptebatch_setup *setup = &random->setup;

	*setup = (struct ptebatch_setup) {
		.mapping = !file ? PTEBATCH_ANON :
			   bits & BIT(1) ? PTEBATCH_SHMEM : PTEBATCH_FILE,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(2),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(3),
	};
	setup->uffd_rwp = VM_UFFD_RWP && pgtable_supports_uffd() &&
			  !setup->uffd_wp && bits & BIT(6);
	setup->uffd_no_remap_event = (setup->uffd_wp || setup->uffd_rwp) && bits & BIT(4);
	random->call = ptebatch_setup_call(setup, ptebatch_model_gone,
					   setup->prot);
	random->moves = true;
	random->destination_call =
		ptebatch_setup_call(setup, ptebatch_model_move, setup->prot);
	ptebatch_states(&random->states, &random->call);
	/* Half of the moves keep the alignment of contpte blocks. */
	random->first = prandom_u32_state(rnd) % PTRS_PER_PTE;
	if (bits & BIT(5))
		random->first &= ~(PTEBATCH_BLOCK_ENTRIES - 1);
	random->what = "move";
	random->function = "mremap()";
	random->kernel = move_by_kernel;
	random->twin = move_by_twin;
	random->whole = false;
	random->counts = false;
}

static struct kunit_suite random_suite;

static void mremap_random(struct kunit *test)
{
	ptebatch_random_run(test, random_suite.name, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(mremap_random),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ptebatch_mremap_random",
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
