// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: the kernel does not tolerate faults on its own mappings, and folding or
 * unfolding a contpte block may cause one. In the kernel's page tables, set_ptes()
 * and pte_clear() must leave PTE_CONT as it is (rule 26).
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include <asm/tlbflush.h>

#include "../lib/arch/arch.h"
#include "../lib/row/rules.h"
#include "../lib/service/service.h"

/* lib/link/lookup.c defines an init_mm for inline functions. */
#ifdef MODULE
extern struct mm_struct *ptebatch_init_mm;
#define kernel_mm	ptebatch_init_mm
#else
#define kernel_mm	(&init_mm)
#endif

/**
 * struct block - addresses for a contpte block in the kernel's page tables
 * @area: the addresses
 * @folio: folio to map
 * @addr: aligned address in @area
 * @ptep: entry that maps @addr
 */
struct block {
	struct vm_struct *area;
	struct folio *folio;
	unsigned long addr;
	pte_t *ptep;
};

static pte_t first_entry(const struct block *block)
{
	return mk_pte(folio_page(block->folio, 0), PAGE_KERNEL);
}

static void set_all(struct block *block)
{
	set_ptes(kernel_mm, block->addr, block->ptep, first_entry(block), CONT_PTES);
}

static void set_each(struct block *block)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		set_ptes(kernel_mm, block->addr + i * PAGE_SIZE, block->ptep + i,
			 pte_advance_pfn(first_entry(block), i), 1);
}

/* As vmap() of large folios sets them. */
static void clear_one_of_contiguous(struct block *block)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		ptebatch_set_raw_pte(block->ptep + i,
				     pte_mkcont(pte_advance_pfn(first_entry(block), i)));
	pte_clear(kernel_mm, block->addr, block->ptep);
}

static const struct kernel_row {
	const char *name;
	void (*change)(struct block *block);
	/* The entries that are present afterwards are contiguous. */
	bool contiguous;
} rows[] = {
	{ "set_ptes() of a whole block: not contiguous", set_all },
	{ "set_ptes() of each entry of a block: not folded", set_each },
	{ "pte_clear() of an entry of a contiguous block: not unfolded",
	  clear_one_of_contiguous, .contiguous = true },
};

KUNIT_ARRAY_PARAM_DESC(kernel, rows, name);

static int take_first(pte_t *ptep, unsigned long addr, void *data)
{
	pte_t **first = data;

	if (!*first)
		*first = ptep;
	return 0;
}

static void destroy(void *data)
{
	struct block *block = data;

	if (block->area)
		free_vm_area(block->area);
	if (block->folio)
		folio_put(block->folio);
}

static void contpte_kernel(struct kunit *test)
{
	const struct kernel_row *row = test->param_value;
	unsigned int i, wrong = CONT_PTES;
	struct block *block;

	block = kunit_kzalloc(test, sizeof(*block), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, block));
	block->folio = folio_alloc(GFP_KERNEL, CONT_PTE_SHIFT - PAGE_SHIFT);
	/* No alignment to ask for: twice the size contains an aligned block. */
	block->area = get_vm_area(2 * CONT_PTE_SIZE, VM_MAP);
	KUNIT_ASSERT_NOT_NULL(test, block->folio);
	KUNIT_ASSERT_NOT_NULL(test, block->area);
	block->addr = ALIGN((unsigned long)block->area->addr, CONT_PTE_SIZE);
	KUNIT_ASSERT_EQ(test, 0, apply_to_page_range(kernel_mm, block->addr, CONT_PTE_SIZE,
						     take_first, &block->ptep));

	row->change(block);
	for (i = 0; i < CONT_PTES; i++) {
		pte_t pte = ptebatch_raw_pte(block->ptep + i);

		if (pte_present(pte) && !!pte_cont(pte) != row->contiguous && wrong == CONT_PTES)
			wrong = i;
		ptebatch_set_raw_pte(block->ptep + i, __pte(0));
	}
	flush_tlb_kernel_range(block->addr, block->addr + CONT_PTE_SIZE);
	KUNIT_EXPECT_EQ_MSG(test, wrong, CONT_PTES, PTEBATCH_RULE_UNFOLDING
			    ": PTE_CONT of entry %u of the kernel's page table changed", wrong);
}

static struct kunit_case contpte_kernel_cases[] = {
	KUNIT_CASE_PARAM(contpte_kernel, kernel_gen_params),
	{}
};

PTEBATCH_SUITE(contpte_kernel, contpte_kernel_cases);
