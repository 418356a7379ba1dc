// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pgalloc.h>
#include <linux/rmap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "arch.h"
#include "folio.h"
#include "populate.h"
#include "pte.h"
#include "swap.h"

/* Account for an entry that maps a page by itself. */
static void add_rmap(struct ptebatch_space *space, struct vm_area_struct *vma,
		     unsigned long addr, const struct ptebatch_entry *entry)
{
	const struct ptebatch_shape *shape = &space->row.folios[entry->folio];
	struct folio *folio = space->folios[entry->folio];
	struct page *page = folio_page(folio, entry->page);

	if (!test_bit(entry->folio, space->cached)) {
		/* Wholly mapped, until unmap_the_rest(). */
		if (!folio_test_anon(folio))
			ptebatch_folio_add_anon_rmap(folio, vma, addr -
						     entry->page * PAGE_SIZE,
						     shape->pmd);
		if (entry->flags & PTEBATCH_EXCLUSIVE)
			SetPageAnonExclusive(page);
	} else if (shape->pmd) {
		folio_add_file_rmap_pmd(folio, page, vma);
	} else {
		folio_add_file_rmap_pte(folio, page, vma);
	}
	folio_get(folio);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static pmd_t make_pmd(struct vm_area_struct *vma, struct folio *folio,
		      const struct ptebatch_entry *entry)
{
	pmd_t pmd = pmd_wrprotect(folio_mk_pmd(folio, ptebatch_pte_prot(vma)));

	if (entry->kind == PTEBATCH_PROTNONE)
		pmd = pmd_modify(pmd, PAGE_NONE);
	pmd = pmd_mkold(pmd_mkclean(pmd));
	if (entry->kind == PTEBATCH_WRITABLE)
		pmd = pmd_mkwrite(pmd, vma);
	if (entry->flags & PTEBATCH_DIRTY)
		pmd = pmd_mkdirty(pmd);
	if (entry->flags & PTEBATCH_YOUNG)
		pmd = pmd_mkyoung(pmd);
	if (entry->flags & PTEBATCH_UFFD)
		pmd = pmd_mkuffd(pmd);
	if (entry->flags & PTEBATCH_SOFT_DIRTY)
		pmd = pmd_mksoft_dirty(pmd);
	else
		pmd = pmd_clear_soft_dirty(pmd);
	return pmd;
}

static int map_huge_entry(struct ptebatch_space *space,
			  struct vm_area_struct *vma, unsigned long addr,
			  const struct ptebatch_entry *entry)
{
	struct folio *folio = space->folios[entry->folio];
	struct mm_struct *mm = vma->vm_mm;
	pgtable_t pgtable;
	spinlock_t *ptl;	/* of the page table */
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;

	p4d = p4d_alloc(mm, pgd_offset(mm, addr), addr);
	pud = p4d ? pud_alloc(mm, p4d, addr) : NULL;
	pmd = pud ? pmd_alloc(mm, pud, addr) : NULL;
	pgtable = pmd ? pte_alloc_one(mm) : NULL;
	if (!pgtable)
		return -ENOMEM;

	ptl = pmd_lock(mm, pmd);
	add_rmap(space, vma, addr, entry);
	/* As map_anon_folio_pmd_nopf() and do_set_pmd(), for both kinds. */
	if (folio_test_anon(folio)) {
		pgtable_trans_huge_deposit(mm, pmd, pgtable);
		mm_inc_nr_ptes(mm);
	} else {
		pte_free(mm, pgtable);
	}
	set_pmd_at(mm, addr, pmd, make_pmd(vma, folio, entry));
	spin_unlock(ptl);
	return 0;
}
#else
static int map_huge_entry(struct ptebatch_space *space,
			  struct vm_area_struct *vma, unsigned long addr,
			  const struct ptebatch_entry *entry)
{
	return -EOPNOTSUPP;
}
#endif

/* A folio is added whole. Take back the pages that the row does not map. */
static void unmap_the_rest(struct ptebatch_space *space,
			   struct vm_area_struct *vma, unsigned long *mapped)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	spin_lock(&vma->vm_mm->page_table_lock);
	for (i = 0; i < row->nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!folio_test_anon(folio))
			continue;
		for (page = 0; page < folio_nr_pages(folio); page++)
			if (!test_bit(row->folios[i].first + page, mapped))
				folio_remove_rmap_pte(folio,
						      folio_page(folio, page),
						      vma);
	}
	spin_unlock(&vma->vm_mm->page_table_lock);
}

/*
 * And for one that says where a page has gone to: who migrates or swaps out the
 * folio has unmapped the page.
 */
static void remove_rmap(struct ptebatch_space *space,
			struct vm_area_struct *vma, unsigned long addr,
			const struct ptebatch_entry *entry)
{
	struct folio *folio = space->folios[entry->folio];

	if (test_bit(entry->folio, space->cached))
		return;
	if (!folio_test_anon(folio))
		ptebatch_folio_add_anon_rmap(folio, vma, addr -
					     entry->page * PAGE_SIZE,
					     space->row.folios[entry->folio].pmd);
	folio_remove_rmap_pte(folio, folio_page(folio, entry->page), vma);
}

/* What it holds meanwhile: the folio's lock, and place in swap. */
static int hold_folio(struct folio *folio, const struct ptebatch_entry *entry)
{
	int err = 0;

	if (!folio_test_locked(folio))
		folio_lock(folio);
	if (entry->kind != PTEBATCH_SWAP)
		return 0;
	if (!folio_test_swapcache(folio)) {
		folio_set_swapbacked(folio);
		err = ptebatch_swap_alloc(folio);
	}
	return err ?: ptebatch_swap_dup(folio, entry->page, 1);
}

/*
 * One at a time, by set_pte_at(): what sets several at once is among what is
 * tested.
 */
static int map_entry(struct ptebatch_space *space, struct vm_area_struct *vma,
		     unsigned long addr, const struct ptebatch_entry *entry)
{
	bool has_page = entry->folio != PTEBATCH_NO_FOLIO;
	struct folio *folio = has_page ? space->folios[entry->folio] : NULL;
	struct page *page = has_page ? folio_page(folio, entry->page) : NULL;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;
	int err;

	if (has_page && !ptebatch_entry_present(entry)) {
		err = hold_folio(folio, entry);
		if (err)
			return err;
	}
	ptep = get_locked_pte(vma->vm_mm, addr, &ptl);
	if (!ptep)
		return -ENOMEM;
	if (has_page && ptebatch_entry_present(entry))
		add_rmap(space, vma, addr, entry);
	else if (has_page)
		remove_rmap(space, vma, addr, entry);
	set_pte_at(vma->vm_mm, addr, ptep, ptebatch_pte_make(vma, page, entry));
	pte_unmap_unlock(ptep, ptl);
	return 0;
}

/* An entry counts as what its page is, in swap as in swap. */
static void count_entry(const struct ptebatch_space *space,
			struct mm_struct *mm,
			const struct ptebatch_entry *entry)
{
	if (entry->kind == PTEBATCH_SWAP)
		inc_mm_counter(mm, MM_SWAPENTS);
	else if (entry->folio != PTEBATCH_NO_FOLIO)
		inc_mm_counter(mm, mm_counter(space->folios[entry->folio]));
}

static int map_entries(struct ptebatch_space *space, struct vm_area_struct *vma,
		       unsigned long start, unsigned long *mapped)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;
	int err = 0;

	for (i = 0; i < row->nr && !err; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		unsigned long addr = start + i * PAGE_SIZE;

		if (entry->kind == PTEBATCH_NONE)
			continue;
		if (entry->folio != PTEBATCH_NO_FOLIO &&
		    test_and_set_bit(row->folios[entry->folio].first +
				     entry->page, mapped))
			return -EINVAL;
		if (entry->folio == PTEBATCH_NO_FOLIO ||
		    !row->folios[entry->folio].pmd)
			err = map_entry(space, vma, addr, entry);
		else if (!entry->page)
			/* One PMD maps them all. */
			err = map_huge_entry(space, vma, addr, entry);
		if (!err)
			count_entry(space, vma->vm_mm, entry);
	}
	return err;
}

static bool has_own_swap(const struct ptebatch_entry *entry)
{
	return entry->kind == PTEBATCH_SWAP &&
	       entry->folio == PTEBATCH_NO_FOLIO;
}

/**
 * ptebatch_unpopulate() - take out of an mm what exit_mmap() cannot
 * @space: has the row
 * @place: where
 *
 * There is nothing in swap behind swap entries without a folio, and zapping
 * warns about shadow-stack PTEs outside of VM_SHADOW_STACK.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_unpopulate(struct ptebatch_space *space,
			 const struct ptebatch_place *place)
{
	unsigned int i;

	mmap_write_lock(place->mm);
	for (i = 0; i < space->row.nr; i++) {
		unsigned long addr = place->start + i * PAGE_SIZE;
		spinlock_t *ptl;	/* of the page table */
		pmd_t *pmd;
		pte_t *ptep;

		if (!has_own_swap(&space->row.entries[i]) &&
		    !ptebatch_has_shadow_stack())
			continue;
		/* Where the VMA has gone, so has the page table. */
		pmd = ptebatch_find_pmd(place->mm, addr);
		ptep = pmd ? pte_offset_map_lock(place->mm, pmd, addr, &ptl) :
		       NULL;
		if (!ptep)
			continue;
		if (pte_present(ptep_get(ptep))) {
			if (ptebatch_pte_shadow_stack(ptep_get(ptep)))
				ptep_set_wrprotect(place->mm, addr, ptep);
		} else if (has_own_swap(&space->row.entries[i]) &&
			   softleaf_is_swap(softleaf_from_pte(ptep_get(ptep)))) {
			pte_clear(place->mm, addr, ptep);
			dec_mm_counter(place->mm, MM_SWAPENTS);
		}
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(place->mm);
}

/**
 * ptebatch_populate() - map the folios of a row
 * @space: has the row and its folios; those of a file are in its page cache
 * @place: where; covered by a VMA
 *
 * Folios with migration or swap entries are locked then.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, -ENOMEM, or -EINVAL where the row maps a page twice.
 */
int ptebatch_populate(struct ptebatch_space *space,
		      const struct ptebatch_place *place)
{
	struct vm_area_struct *vma;
	unsigned long *mapped;
	int err = 0;

	mapped = bitmap_zalloc(space->row.nr_pages + 1, GFP_KERNEL);
	if (!mapped)
		return -ENOMEM;

	mmap_write_lock(place->mm);
	vma = vma_lookup(place->mm, place->start);
	if (vma_is_anonymous(vma) ||
	    space->setup.mapping == PTEBATCH_PRIVATE_FILE)
		err = anon_vma_prepare(vma);
	if (!err) {
		err = map_entries(space, vma, place->start, mapped);
		unmap_the_rest(space, vma, mapped);
	}
	mmap_write_unlock(place->mm);
	bitmap_free(mapped);
	return err;
}
