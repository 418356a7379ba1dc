// SPDX-License-Identifier: GPL-2.0
/*
 * The helpers that set several entries at once: all batched paths stand on
 * them, so they are tried alone, too.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/arch.h"
#include "../lib/trial.h"

static const struct pgtable_row {
	const char *name;
	const char *picture;
} rows[] = {
	{ "one page", "Wdyx" },
	{ "two pages", "{Wdyx*2}" },
	{ "four pages", "{Wdyx*4}" },
	{ "sixteen pages", "{Wdyx*16}" },
	{ "sixteen read-only pages off their alignment", "@5 {Rdyx*16}" },
	{ "three pages of sixteen", "{Wdyx*5 | Wdyx*3 | Wdyx*8}" },
	{ "a page table of pages", "{Wdyx*T}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* Rule 2: set_ptes() maps page i with entry i. */
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
