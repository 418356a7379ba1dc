// SPDX-License-Identifier: GPL-2.0
/*
 * Between two looks of a function at an entry, without a lock held, another thread
 * may change the entry: at a call between the two.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>

#include "../arch/arch.h"
#include "../check/compare.h"
#include "../op/op.h"
#include "../space/pte.h"
#include "conditions.h"

/* The row as the other thread leaves it, and its page table entries. */
struct change {
	const struct ptebatch_row *row;
	pte_t ptes[];
};

/* As reclaim or a COW fault; the page stays in the page cache. */
static void unmap_page(const struct ptebatch_place *place, unsigned long addr,
		       struct page *page)
{
	struct folio *folio = page_folio(page);

	rcu_read_lock();
	folio_remove_rmap_pte(folio, page, mtree_load(&place->mm->mm_mt, addr));
	rcu_read_unlock();
	dec_mm_counter(place->mm, mm_counter(folio));
	folio_put(folio);
}

/*
 * Without the lock, as the caller may hold it; no other thread exists. The entry is
 * cleared first, for the page table check.
 */
static bool change_entry(struct ptebatch_trial *trial, unsigned int i,
			 const struct ptebatch_entry *entry, pte_t pte)
{
	unsigned long addr = trial->place->start + i * PAGE_SIZE;
	struct ptebatch_entry *was = &trial->before.row.entries[i];
	struct mm_struct *mm = trial->place->mm;
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	pte_t *ptep, old;

	if (!pmd || pmd_none(*pmd) || pmd_leaf(*pmd))
		return false;
	ptep = pte_offset_kernel(pmd, addr);
	old = ptebatch_exchange_pte(mm, addr, ptep, pte);
	if (ptebatch_entry_normal(was) && entry->folio == PTEBATCH_NO_FOLIO)
		unmap_page(trial->place, addr, pte_page(old));
	/* The operation is judged by what it does to these. */
	*was = *entry;
	trial->before.raw[trial->before.lead + i] = *ptep;
	return true;
}

static void change_entries(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	struct ptebatch_trial *trial = use->condition->value ? use->trial->second : use->trial;
	const struct change *change = use->data;
	unsigned int i;

	for (i = 0; i < change->row->nr; i++) {
		const struct ptebatch_entry *entry = &change->row->entries[i];

		if (memcmp(entry, &trial->before.row.entries[i], sizeof(*entry)) &&
		    !change_entry(trial, i, entry, change->ptes[i]))
			use->met = false;
	}
}

/* Before the folios of swap entries leave the swap cache. */
static void make_ptes(struct ptebatch_use *use)
{
	const struct ptebatch_space *space = use->trial->space;
	struct mm_struct *mm = space->places[0].mm;
	struct kunit *test = use->trial->test;
	struct ptebatch_row *row = ptebatch_picture(test, use->condition->picture);
	struct change *change;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, row->nr, use->trial->before.row.nr);
	change = kunit_kzalloc(test, struct_size(change, ptes, row->nr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, change);
	change->row = row;
	mmap_read_lock(mm);
	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct page *page = NULL;

		if (entry->folio != PTEBATCH_NO_FOLIO)
			page = &space->folios[entry->folio]->page + entry->page;
		change->ptes[i] = ptebatch_pte_make(vma_lookup(mm, ptebatch_addr(space, i)),
						    page, entry);
	}
	mmap_read_unlock(mm);
	use->data = change;
}

const struct ptebatch_condition_type ptebatch_condition_ptes = {
	.name = "entries change", .begin = make_ptes, .occur = change_entries,
};

static const char *unused_missing(const struct ptebatch_condition *condition)
{
	return PTEBATCH_UNUSED ? NULL : "no unused PTEs; s390 has them";
}

/* As gmap_helper_try_set_pte_unused(): set_ptes() would clear the bit. */
static void make_unused(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	unsigned long addr = place->start + use->condition->value * PAGE_SIZE;
	pte_t *ptep = pte_offset_kernel(ptebatch_find_pmd(place->mm, addr), addr);

	ptebatch_set_raw_pte(ptep, __pte(pte_val(ptebatch_raw_pte(ptep)) | PTEBATCH_UNUSED));
}

const struct ptebatch_condition_type ptebatch_condition_unused = {
	.name = "a guest no longer needs the page", .missing = unused_missing,
	.occur = make_unused,
};

static void zap_in_child(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	const struct ptebatch_place *child = &use->trial->space->places[1];
	struct ptebatch_trial *second = use->trial->second;
	unsigned int from = PART_FROM(use->condition->value);
	unsigned int to = from + PART_NR(use->condition->value);

	ptebatch_zap_pages(child, from, min(to, use->trial->space->row.nr));
	/* The operation is judged by what it does to these. */
	if (second)
		ptebatch_snapshot(&second->before, second->space, child);
}

const struct ptebatch_condition_type ptebatch_condition_child_lacks = {
	.name = "the child has unmapped some entries", .occur = zap_in_child,
};
