// SPDX-License-Identifier: GPL-2.0
/*
 * set_ptes() sets several entries at once. All batched paths depend on it, so it
 * is tested on its own as well.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"

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
		.prot = PROT_READ | PROT_WRITE,
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

static struct kunit_case pgtable_cases[] = {
	KUNIT_CASE_PARAM(pgtable_set_ptes, rows_gen_params),
	{}
};

static struct kunit_suite pgtable_suite = {
	.name = "ptebatch_pgtable",
	.test_cases = pgtable_cases,
};

kunit_test_suite(pgtable_suite);
