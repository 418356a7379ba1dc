// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on randomly generated rows: up to a page table of entries,
 * folios of mixed orders, runs of equal states of all lengths.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/op/protect.h"
#include "../lib/run/random.h"
#include "../lib/service/service.h"

static void choose(struct ptebatch_random *random, struct rnd_state *rnd)
{
	const struct ptebatch_op *op;
	u32 bits = prandom_u32_state(rnd);
	bool uffd_wp = pgtable_supports_uffd() && bits & BIT(1);
	bool exec;

	do {
		op = &ptebatch_protections[prandom_u32_state(rnd) %
					   PTEBATCH_NR_PROTECTIONS];
	} while (ptebatch_op_missing(op));
	/* The VMA gets @op->prot, but NUMA hinting skips entries. */
	exec = op != &ptebatch_protections[PTEBATCH_NUMA_HINT] && bits & BIT(12);
	random->op = op;
	random->setup = (struct ptebatch_setup) {
		.pkey = calc_vm_prot_bits(0, 1) ? bits >> 8 & 15 : 0,
		.mapping = bits & BIT(2) ? ptebatch_random_file(bits >> 3) :
			   PTEBATCH_ANON,
		.prot = PROT_READ | (exec ? PROT_EXEC : 0),
		.track = pgtable_supports_soft_dirty() && bits & BIT(0),
		.vma = IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) && bits & BIT(16) ?
		       VM_MIXEDMAP : 0,
		/* A VMA has at most one of uffd-wp and uffd-rwp. */
		.uffd = op->uffd_rwp ? UFFD_RWP : op->uffd_wp || uffd_wp ? UFFD_WP : 0,
	};
}

static void mprotect_random(struct kunit *test)
{
	ptebatch_random_run(test, choose);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE_SLOW(mprotect_random),
	{}
};

PTEBATCH_SUITE(mprotect_random, random_cases);
