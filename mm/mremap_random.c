// SPDX-License-Identifier: GPL-2.0
/*
 * mremap() on randomly generated rows, to random page table offsets.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/arch/arch.h"
#include "../lib/op/op.h"
#include "../lib/run/random.h"
#include "../lib/service/service.h"

/*
 * Without UFFD_FEATURE_EVENT_REMAP, mremap() may make a writable migration entry
 * readable or not.
 */
static bool usable(const struct ptebatch_random *random, const struct ptebatch_entry *state)
{
	return !(random->setup.uffd & NO_REMAP_EVENT) || !(state->flags & PTEBATCH_MIGRATION_WRITE);
}

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	struct ptebatch_setup *setup = &random->setup;
	u32 bits = prandom_u32_state(rnd);

	*setup = (struct ptebatch_setup) {
		.mapping = bits & BIT(0) ? ptebatch_random_file(bits >> 1) :
			   PTEBATCH_ANON,
		.prot = PROT_READ | PROT_WRITE,
		.track = pgtable_supports_soft_dirty() && bits & BIT(2),
		.vma = IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) && bits & BIT(16) ?
		       VM_MIXEDMAP : 0,
	};
	if (pgtable_supports_uffd())
		setup->uffd = bits & BIT(3) ? UFFD_WP :
			      VM_UFFD_RWP && bits & BIT(6) ? UFFD_RWP : 0;
	/*
	 * If soft-dirty is tracked, moved entries are alike in it: the batches
	 * that resolve the protection are longer than the model permits.
	 */
	if (setup->uffd && !setup->track && bits & BIT(4))
		setup->uffd |= NO_REMAP_EVENT;
	random->op = &ptebatch_move;
	random->usable = usable;
	/* mremap() moves several VMAs only without userfaultfd. */
	random->one_vma = setup->uffd;
	/* Half of the moves keep the alignment of contpte blocks. */
	random->first = prandom_u32_state(rnd) % PTRS_PER_PTE;
	if (bits & BIT(5))
		random->first &= ~(PTEBATCH_BLOCK_ENTRIES - 1);
}

static void mremap_random(struct kunit *test)
{
	ptebatch_random_run(test, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE_SLOW(mremap_random),
	{}
};

PTEBATCH_SUITE(mremap_random, random_cases);
