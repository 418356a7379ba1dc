// SPDX-License-Identifier: GPL-2.0
/*
 * mremap() on rows that nobody has thought of, to wherever in a page table.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/arch.h"
#include "../lib/chance.h"
#include "../lib/syscall.h"
#include "../lib/twin.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

static void move(struct ptebatch_chance *chance, struct ptebatch_space *space,
		 ptebatch_syscall_t how)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	const struct ptebatch_row *row = &space->row;
	unsigned long bytes = (row->to - row->from) * PAGE_SIZE;
	unsigned long addr = to->start + row->from * PAGE_SIZE;

	KUNIT_EXPECT_EQ(chance->test, addr,
			ptebatch_syscall_in(to->mm, how,
					    ptebatch_addr(space, row->from),
					    bytes, bytes,
					    MREMAP_MAYMOVE | MREMAP_FIXED,
					    addr));
}

static void move_by_kernel(struct ptebatch_chance *chance,
			   struct ptebatch_space *space)
{
	move(chance, space, PTEBATCH_SYSCALL(mremap));
}

static void move_by_twin(struct ptebatch_chance *chance,
			 struct ptebatch_space *space)
{
	move(chance, space, ptebatch_twin_mremap);
}

static void choose(struct ptebatch_chance *chance, struct rnd_state *rnd)
{
	u32 bits = prandom_u32_state(rnd);
	bool file = IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && bits & BIT(0);
	struct ptebatch_setup *setup = &chance->setup;

	*setup = (struct ptebatch_setup) {
		.mapping = !file ? PTEBATCH_ANON :
			   bits & BIT(1) ? PTEBATCH_SHMEM : PTEBATCH_FILE,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(2),
		.uffd_wp = pgtable_supports_uffd() && bits & BIT(3),
	};
	setup->uffd_rwp = VM_UFFD_RWP && pgtable_supports_uffd() &&
			  !setup->uffd_wp && bits & BIT(6);
	setup->uffd_deaf = (setup->uffd_wp || setup->uffd_rwp) && bits & BIT(4);
	chance->call = ptebatch_setup_call(setup, ptebatch_model_gone,
					   setup->prot);
	chance->moves = true;
	chance->there = ptebatch_setup_call(setup, ptebatch_model_move,
					    setup->prot);
	ptebatch_states(&chance->states, &chance->call);
	/* To where blocks stay blocks, and to where they do not. */
	chance->first = prandom_u32_state(rnd) % PTRS_PER_PTE;
	if (bits & BIT(5))
		chance->first &= ~(PTEBATCH_BLOCK_ENTRIES - 1);
	chance->what = "move";
	chance->who = "mremap()";
	chance->kernel = move_by_kernel;
	chance->twin = move_by_twin;
	chance->whole = false;
	chance->counts = false;
}

static struct kunit_suite random_suite;

static void mremap_random(struct kunit *test)
{
	ptebatch_chance_play(test, random_suite.name, choose);
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
