// SPDX-License-Identifier: GPL-2.0
/*
 * The helpers that set or change several entries at once. All batched paths
 * depend on them, so they are tested on their own as well, also with arguments
 * that no path uses.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/swapops.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/run/case.h"
#include "../lib/service/service.h"

#define RW	(PROT_READ | PROT_WRITE)

static const struct pgtable_row {
	const char *name;
	const char *picture;
} rows[] = {
	{ "1 page: mapped by its entry", "Wdyx" },
	{ "2 pages: entry i maps page i", "{Wdyx*2}" },
	{ "4 pages: entry i maps page i", "{Wdyx*4}" },
	{ "16 pages: entry i maps page i", "{Wdyx*16}" },
	{ "16 read-only pages at entry 5, unaligned: entry i maps page i",
	  "@5 {Rdyx*16}" },
	{ "pages 5 to 7 of 16: entry i maps page i",
	  "{Wdyx*5 | Wdyx*3 | Wdyx*8}" },
	{ "a whole page table: entry i maps page i", "{Wdyx*T}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* Rule 2 (PFN): entry i maps page i. */
static void pgtable_set_ptes(struct kunit *test)
{
	const struct pgtable_row *param = test->param_value;
	const struct ptebatch_setup setup = {
		.picture = param->picture,
		.prot = RW,
	};
	const struct ptebatch_row *row;
	struct ptebatch_trial *trial;
	struct mm_struct *mm;
	unsigned long addr;
	unsigned int i, nr;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep, pte;

	trial = ptebatch_trial_begin(test, "set_ptes()", &setup);
	row = &trial->before.row;
	mm = trial->space->places[0].mm;
	addr = ptebatch_addr(trial->space, row->from);
	nr = row->to - row->from;

	mmap_write_lock(mm);
	ptep = get_locked_pte(mm, addr, &ptl);
	if (ptep) {
		pte = ptebatch_bare_pte(ptep_get(ptep));
		for (i = 0; i < nr; i++)
			ptep_get_and_clear(mm, addr + i * PAGE_SIZE, ptep + i);
		set_ptes(mm, addr, ptep, pte, nr);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(mm);
	KUNIT_EXPECT_NOT_NULL(test, ptep);

	ptebatch_trial_end(trial);
	ptebatch_trial_expect(trial, param->picture);
}

/* A swap entry has other bits than a present one: each bit of the offset alone. */
static void pgtable_set_swap(struct kunit *test)
{
	const struct ptebatch_setup setup = { .picture = "-", .prot = PROT_READ };
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, 0);
	unsigned int bit, wrong = BITS_PER_LONG;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep, pte;

	mmap_write_lock(mm);
	ptep = get_locked_pte(mm, addr, &ptl);
	for (bit = 0; ptep && bit < SWP_TYPE_SHIFT && wrong == BITS_PER_LONG; bit++) {
		pte = swp_entry_to_pte(swp_entry(0, BIT(bit)));
		/* Beyond the architecture's limit. */
		if (swp_offset(softleaf_from_pte(pte)) != BIT(bit))
			break;
		set_pte_at(mm, addr, ptep, pte);
		if (!pte_same(ptep_get(ptep), pte))
			wrong = bit;
		pte_clear(mm, addr, ptep);
	}
	if (ptep)
		pte_unmap_unlock(ptep, ptl);
	mmap_write_unlock(mm);
	KUNIT_ASSERT_NOT_NULL(test, ptep);
	KUNIT_EXPECT_GT(test, bit, 16);
	KUNIT_EXPECT_EQ_MSG(test, wrong, BITS_PER_LONG,
			    "set_ptes() changes a swap entry with bit %u of the offset set",
			    wrong);
}

/* clear_young_dirty_ptes() with the flags @op->arg. */
static long clear_young_dirty(const struct ptebatch_op *op,
			      struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, row->from);
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	mmap_read_lock(mm);
	ptep = get_locked_pte(mm, addr, &ptl);
	if (ptep) {
		clear_young_dirty_ptes(vma_lookup(mm, addr), addr, ptep,
				       row->to - row->from, (__force cydp_t)op->arg);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_read_unlock(mm);
	/* As the caller does; not for entries that only become old. */
	if (op->arg & (__force unsigned long)CYDP_CLEAR_DIRTY)
		flush_tlb_mm(mm);
	return ptep ? 0 : -ENOMEM;
}

static const struct ptebatch_op clear_op = {
	.name = "clear_young_dirty_ptes()", .function = "clear_young_dirty_ptes()",
	.call = clear_young_dirty, .no_twin = true,
};

#define CLEAR(flags)	.op = &clear_op, .arg = (__force unsigned long)(flags)

static const struct ptebatch_case clear_rows[] = {
	{ "only the accessed bit: entries become old, and stay dirty",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW }, "{Wdx*8 Wx*8}",
	  CLEAR(CYDP_CLEAR_YOUNG) },
	{ "only the dirty bit: entries become clean, and stay young",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW }, "{Wyx*4 Wx*4 Wyx*4 Wx*4}",
	  CLEAR(CYDP_CLEAR_DIRTY) },
	{ "accessed and dirty bits: entries become old and clean",
	  { "{Wdyx*4 Rdx*4 Ryx*4 Wx*4}", .prot = RW }, "{Wx*4 Rx*8 Wx*4}",
	  CLEAR(CYDP_CLEAR_YOUNG | CYDP_CLEAR_DIRTY) },
};

KUNIT_ARRAY_PARAM_DESC(clear_rows, clear_rows, name);

static void pgtable_clear_young_dirty(struct kunit *test)
{
	ptebatch_case_param(test);
}

static struct kunit_case pgtable_cases[] = {
	KUNIT_CASE_PARAM(pgtable_set_ptes, rows_gen_params),
	KUNIT_CASE(pgtable_set_swap),
	KUNIT_CASE_PARAM(pgtable_clear_young_dirty, clear_rows_gen_params),
	{}
};

PTEBATCH_SUITE(pgtable, pgtable_cases);
