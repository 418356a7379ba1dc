// SPDX-License-Identifier: GPL-2.0
/*
 * A batch that runs past the end of its page table continues in the page that
 * is physically behind the table. That page is usually not a page table, and
 * the batch ends there by chance. So put a copy of the row's next page table
 * behind each page table of the row: a batch that runs past the end finds the
 * entries that it expects, and changes the copy instead of the next table. In
 * the same way, a copy of the preceding page table is before each page table, for
 * a batch that begins too early. At the destination of a move, the copies are empty.
 */
#include "../twin/names.h"

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pgalloc.h>
#include <linux/string.h>

#include "internal.h"

#include "../arch/arch.h"
#include "populate.h"
#include "pte.h"
#include "tables.h"

/*
 * Pages of one allocation: the page table between two copies, and their expected
 * contents: the half of each copy that is next to the table.
 */
enum { BEFORE, TABLE, BEHIND, EXPECTED };

#define ORDER	2

/* Does the row map pages, none of them by a PMD, in its page table @table? */
static bool row_maps_ptes(const struct ptebatch_space *space, unsigned int table)
{
	const struct ptebatch_row *row = &space->row;
	bool maps = false;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (ptebatch_row_table(row, i) != table ||
		    entry->kind == PTEBATCH_NONE)
			continue;
		if (ptebatch_maps_huge(space, i))
			return false;
		maps = true;
	}
	return maps;
}

static unsigned long table_addr(const struct ptebatch_place *place, unsigned int table)
{
	return ALIGN_DOWN(place->start, PMD_SIZE) + table * PMD_SIZE;
}

/* Does page table @table of a place map PTEs of the row, or will it after a move? */
static bool maps_ptes(const struct ptebatch_space *space,
		      const struct ptebatch_place *place, unsigned int table)
{
	if (place == &space->places[0])
		return row_maps_ptes(space, table);
	/* A row that fills a page table may be moved with it, or by a PMD. */
	return space->row.nr < PTRS_PER_PTE &&
	       table_addr(place, table) < place->start + space->row.nr * PAGE_SIZE;
}

#if PTEBATCH_TABLES_ARE_PAGES
/* As __pte_alloc(), but with three more pages around the page table. */
static int alloc_table(struct mm_struct *mm, unsigned long addr, struct page **first)
{
	struct page *pages;
	pgtable_t table;
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;

	p4d = p4d_alloc(mm, pgd_offset(mm, addr), addr);
	pud = p4d ? pud_alloc(mm, p4d, addr) : NULL;
	pmd = pud ? pmd_alloc(mm, pud, addr) : NULL;
	pages = pmd ? alloc_pages(GFP_KERNEL | __GFP_ZERO, ORDER) : NULL;
	if (!pages)
		return -ENOMEM;
	/* The kernel frees the page table as a single page. */
	split_page(pages, ORDER);
	*first = pages;
	table = pages + TABLE;
	if (!pagetable_pte_ctor(mm, page_ptdesc(table))) {
		__free_page(table);
		return -ENOMEM;
	}
	pmd_install(mm, pmd, &table);
	return 0;
}
#else
static int alloc_table(struct mm_struct *mm, unsigned long addr, struct page **first)
{
	return 0;
}
#endif

/**
 * ptebatch_tables_alloc() - allocate page tables between copies of the adjacent ones
 * @space: the address space
 * @place: its first place, or the destination of a move; not populated yet
 *
 * Only page tables that are adjacent to another page table of the row; neither has
 * PMD-mapped folios, and both have entries, at a destination after the move.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM; the caller calls ptebatch_tables_free() in both cases.
 */
int ptebatch_tables_alloc(struct ptebatch_space *space, struct ptebatch_place *place)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(place->tables) && !err; i++)
		if (maps_ptes(space, place, i) &&
		    ((i && maps_ptes(space, place, i - 1)) ||
		     maps_ptes(space, place, i + 1)))
			err = alloc_table(place->mm, table_addr(place, i),
					  &place->tables[i]);
	return err;
}

static void copy_table(struct mm_struct *mm, unsigned long addr, pte_t *to)
{
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	ptep = pmd ? pte_offset_map_lock(mm, pmd, addr, &ptl) : NULL;
	if (!ptep)
		return;
	memcpy(to, ptep, PTRS_PER_PTE * sizeof(*to));
	pte_unmap_unlock(ptep, ptl);
}

/* The half of a copy that is next to the table: the first one of the copy behind. */
static pte_t *half(struct page *page, bool behind)
{
	return (pte_t *)page_address(page) + (behind ? 0 : PTRS_PER_PTE / 2);
}

/**
 * ptebatch_tables_copy() - copy the page tables of a row, as they are now
 * @space: the address space, set up
 *
 * Context: Process context, may sleep; takes the page table locks.
 */
void ptebatch_tables_copy(struct ptebatch_space *space)
{
	struct ptebatch_place *place = &space->places[0];
	unsigned int i, behind;

	for (i = 0; i < ARRAY_SIZE(place->tables); i++) {
		struct page *first = place->tables[i];

		if (!first)
			continue;
		if (i && row_maps_ptes(space, i - 1))
			copy_table(place->mm, table_addr(place, i - 1),
				   page_address(first + BEFORE));
		if (row_maps_ptes(space, i + 1))
			copy_table(place->mm, table_addr(place, i + 1),
				   page_address(first + BEHIND));
		for (behind = 0; behind < 2; behind++)
			memcpy(half(first + EXPECTED, behind),
			       half(first + (behind ? BEHIND : BEFORE), behind),
			       PAGE_SIZE / 2);
	}
}

static void check_half(struct page *first, bool behind, unsigned int table,
		       struct seq_buf *out)
{
	const pte_t *is = half(first + (behind ? BEHIND : BEFORE), behind);
	const pte_t *expected = half(first + EXPECTED, behind);
	const int nr = PTRS_PER_PTE / 2;
	int i = 0;

	while (i < nr && pte_same(is[i], expected[i]))
		i++;
	if (i == nr)
		return;
	seq_buf_printf(out, "entry %d %s page table %u: expected %#llx, found %#llx\n",
		       behind ? i : i - nr, behind ? "behind" : "before", table,
		       (u64)pte_val(expected[i]), (u64)pte_val(is[i]));
}

/**
 * ptebatch_tables_check() - check that no batch left its page table
 * @place: a place of the address space
 * @out: receives a line for the first changed entry of each copy
 */
void ptebatch_tables_check(const struct ptebatch_place *place, struct seq_buf *out)
{
	unsigned int table;

	for (table = 0; table < ARRAY_SIZE(place->tables); table++) {
		struct page *first = place->tables[table];

		if (!first)
			continue;
		check_half(first, false, table, out);
		check_half(first, true, table, out);
	}
}

/**
 * ptebatch_tables_free() - free the copies; the mm frees the page tables
 * @place: a place of the address space
 */
void ptebatch_tables_free(struct ptebatch_place *place)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(place->tables); i++) {
		if (!place->tables[i])
			continue;
		__free_page(place->tables[i] + BEFORE);
		__free_page(place->tables[i] + BEHIND);
		__free_page(place->tables[i] + EXPECTED);
		place->tables[i] = NULL;
	}
}

/**
 * ptebatch_tables_behind() - get the copy of the next page table
 * @place: a place of the address space
 * @table: number of the page table in the place; another one follows
 *
 * Return: first entry of the copy.
 */
pte_t *ptebatch_tables_behind(const struct ptebatch_place *place, unsigned int table)
{
	return page_address(place->tables[table] + BEHIND);
}
