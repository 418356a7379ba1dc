// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pgalloc.h>
#include <linux/rmap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../kernel/ksm.h"
#include "../service/swap.h"
#include "folio.h"
#include "populate.h"
#include "pte.h"

/* Without a stable node, an rmap walk of the KSM page finds no mapping. */
static void make_ksm(struct folio *folio)
{
	__folio_set_swapbacked(folio);
	folio_set_dirty(folio);
	folio->mapping = (void *)FOLIO_MAPPING_KSM;
}

/* Add the rmap and the reference of an entry. */
static void add_rmap(struct ptebatch_space *space, struct vm_area_struct *vma,
		     unsigned long addr, const struct ptebatch_entry *entry)
{
	const struct ptebatch_shape *shape = &space->row.folios[entry->folio];
	struct folio *folio = space->folios[entry->folio];
	struct page *page = folio_page(folio, entry->page);

	if (entry->flags & PTEBATCH_KSM) {
		make_ksm(folio);
		folio_add_anon_rmap_pte(folio, page, vma, addr, RMAP_NONE);
	} else if (!test_bit(entry->folio, space->cached)) {
		/* Maps all pages, until unmap_undrawn_pages(). */
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

/* An anonymous folio's rmap is added for all pages: remove the undrawn ones. */
static void unmap_undrawn_pages(struct ptebatch_space *space,
				struct vm_area_struct *vma,
				unsigned long *mapped)
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
 * Remove the rmap of a page with a migration or swap entry: migration and
 * swap-out have unmapped the page.
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
	if (space->row.folios[entry->folio].pmd)
		folio_remove_rmap_pmd(folio, &folio->page, vma);
	else
		folio_remove_rmap_pte(folio, folio_page(folio, entry->page), vma);
}

/**
 * ptebatch_alloc_swap() - allocate swap space for a folio of a row
 * @space: the address space
 * @nr: index of the folio in the row
 *
 * Leaves the folio locked, and in the swap cache.
 *
 * Context: Process context, may sleep.
 * Return: 0, or an error of ptebatch_swap_alloc() or ptebatch_swap_alloc_after().
 */
int ptebatch_alloc_swap(struct ptebatch_space *space, s16 nr)
{
	struct folio *folio = space->folios[nr];

	if (folio_test_swapcache(folio))
		return 0;
	if (!(space->setup.folios & SWAP_FOLLOWS) || space->setup.small || !nr)
		return ptebatch_swap_alloc(folio);
	return ptebatch_swap_alloc_after(folio, space->folios[nr - 1],
					 space->setup.folios & SWAP_ALTERNATES);
}

/* Migration and swap-out lock the folio; a swap entry needs swap space. */
static int prepare_nonpresent(struct ptebatch_space *space,
			      const struct ptebatch_entry *entry)
{
	struct folio *folio = space->folios[entry->folio];
	int err = 0;

	if (!folio_test_locked(folio))
		folio_lock(folio);
	if (entry->kind != PTEBATCH_SWAP)
		return 0;
	if (!folio_test_swapcache(folio)) {
		folio_set_swapbacked(folio);
		err = ptebatch_alloc_swap(space, entry->folio);
	}
	return err ?: ptebatch_swap_dup(folio, entry->page, 1);
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
	if (entry->flags & PTEBATCH_ZERO_PAGE)
		pmd = pmd_mkspecial(pmd);
	return pmd;
}

static pmd_t set_swap_pmd_flags(pmd_t pmd, u16 flags)
{
	if (flags & PTEBATCH_SOFT_DIRTY)
		pmd = pmd_swp_mksoft_dirty(pmd);
	if (flags & PTEBATCH_UFFD)
		pmd = pmd_swp_mkuffd(pmd);
	return pmd;
}

static pmd_t make_pmd_migration(struct folio *folio, u16 flags)
{
	pmd_t pmd = softleaf_to_pmd(ptebatch_migration_entry(&folio->page, flags));

	return set_swap_pmd_flags(pmd, flags);
}

static pmd_t make_pmd_device(struct folio *folio, u16 flags)
{
	unsigned long pfn = folio_pfn(folio);
	swp_entry_t entry = flags & PTEBATCH_MIGRATION_WRITE ?
			    make_writable_device_private_entry(pfn) :
			    make_readable_device_private_entry(pfn);

	return set_swap_pmd_flags(softleaf_to_pmd(entry), flags);
}

static int map_huge_entry(struct ptebatch_space *space,
			  struct vm_area_struct *vma, unsigned long addr,
			  const struct ptebatch_entry *entry)
{
	bool has_page = entry->folio != PTEBATCH_NO_FOLIO;
	bool present = ptebatch_entry_present(entry);
	bool device = entry->kind == PTEBATCH_DEVICE_PRIVATE;
	struct mm_struct *mm = vma->vm_mm;
	struct folio *folio;
	pgtable_t pgtable;
	spinlock_t *ptl;	/* of the page table */
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;
	int err;

	if (!present && !device && entry->kind != PTEBATCH_MIGRATION)
		return -EINVAL;
	folio = has_page ? space->folios[entry->folio] :
		mm_get_huge_zero_folio(mm);
	if (!folio)
		return -ENOMEM;
	err = present || device ? 0 : prepare_nonpresent(space, entry);
	if (err)
		return err;
	p4d = p4d_alloc(mm, pgd_offset(mm, addr), addr);
	pud = p4d ? pud_alloc(mm, p4d, addr) : NULL;
	pmd = pud ? pmd_alloc(mm, pud, addr) : NULL;
	pgtable = pmd ? pte_alloc_one(mm) : NULL;
	if (!pgtable)
		return -ENOMEM;

	ptl = pmd_lock(mm, pmd);
	if (has_page && (present || device))
		add_rmap(space, vma, addr, entry);
	else if (has_page)
		remove_rmap(space, vma, addr, entry);
	/*
	 * As map_anon_folio_pmd_nopf() for anonymous, do_set_pmd() for file,
	 * set_huge_zero_folio() for zero.
	 */
	if (!has_page || folio_test_anon(folio)) {
		pgtable_trans_huge_deposit(mm, pmd, pgtable);
		mm_inc_nr_ptes(mm);
	} else {
		pte_free(mm, pgtable);
	}
	set_pmd_at(mm, addr, pmd, present ? make_pmd(vma, folio, entry) :
				  device ? make_pmd_device(folio, entry->flags) :
				  make_pmd_migration(folio, entry->flags));
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

/*
 * The number of entries that map_ptes() sets at once, from entry @i on: a whole
 * contpte block of arm64, if they differ in their pages only, else 1. set_pte_at()
 * folds such a block with 16 TLB invalidations, which would be half of the time
 * of a guest under QEMU.
 */
static unsigned int nr_at_once(const struct ptebatch_row *row, unsigned int i,
			       unsigned long addr)
{
	const struct ptebatch_entry *first = &row->entries[i];
	unsigned int n;

	if (!IS_ALIGNED(addr, PTEBATCH_BLOCK_ENTRIES * PAGE_SIZE) ||
	    i + PTEBATCH_BLOCK_ENTRIES > row->nr ||
	    first->page % PTEBATCH_BLOCK_ENTRIES || !ptebatch_entry_normal(first))
		return 1;
	for (n = 1; n < PTEBATCH_BLOCK_ENTRIES; n++)
		if (first[n].kind != first->kind || first[n].folio != first->folio ||
		    first[n].page != first->page + n ||
		    (first[n].flags ^ first->flags) & ~PTEBATCH_EXCLUSIVE)
			return 1;
	return PTEBATCH_BLOCK_ENTRIES;
}

/*
 * Uses set_pte_at(), one entry a call, because set_ptes() is under test. For a
 * block, set_ptes(): the trial compares the entries with the picture.
 */
static int map_ptes(struct ptebatch_space *space, struct vm_area_struct *vma,
		    unsigned long addr, const struct ptebatch_entry *entry,
		    unsigned int nr)
{
	bool has_page = entry->folio != PTEBATCH_NO_FOLIO;
	struct folio *folio = has_page ? space->folios[entry->folio] : NULL;
	struct page *page = has_page ? folio_page(folio, entry->page) : NULL;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep, pte;
	unsigned int i;
	int err;

	if (has_page && !ptebatch_entry_present(entry) &&
	    !ptebatch_entry_mapped(entry)) {
		err = prepare_nonpresent(space, entry);
		if (err)
			return err;
	}
	ptep = get_locked_pte(vma->vm_mm, addr, &ptl);
	if (!ptep)
		return -ENOMEM;
	for (i = 0; i < nr && ptebatch_entry_mapped(entry); i++)
		add_rmap(space, vma, addr + i * PAGE_SIZE, entry + i);
	if (has_page && !ptebatch_entry_mapped(entry) && !ptebatch_entry_present(entry))
		remove_rmap(space, vma, addr, entry);
	pte = ptebatch_pte_make(vma, page, entry);
	if (nr == 1)
		set_pte_at(vma->vm_mm, addr, ptep, pte);
	else
		set_ptes(vma->vm_mm, addr, ptep, pte, nr);
	pte_unmap_unlock(ptep, ptl);
	return 0;
}

/* Increment the RSS counter of the entry: swap, or its folio's type; swapoff() must find it. */
static void count_entry(const struct ptebatch_space *space,
			struct mm_struct *mm,
			const struct ptebatch_entry *entry)
{
	if (entry->kind == PTEBATCH_SWAP) {
		mm_prepare_for_swap_entries(mm);
		inc_mm_counter(mm, MM_SWAPENTS);
	} else if (entry->folio != PTEBATCH_NO_FOLIO && !(entry->flags & PTEBATCH_SPECIAL)) {
		inc_mm_counter(mm, mm_counter(space->folios[entry->folio]));
	}
}

/**
 * ptebatch_maps_huge() - test whether a PMD maps an entry of the row
 * @space: the address space
 * @i: index of the entry in the row
 *
 * Return: true if one PMD maps the entry and the rest of its page table.
 */
bool ptebatch_maps_huge(const struct ptebatch_space *space, unsigned int i)
{
	const struct ptebatch_row *row = &space->row;
	s16 folio = row->entries[i].folio;

	return folio == PTEBATCH_NO_FOLIO ? ptebatch_row_huge_zero(row, i) :
	       row->folios[folio].pmd;
}

/* Mark the page of an entry as mapped; false if it already is. */
static bool mark_mapped(const struct ptebatch_row *row,
			const struct ptebatch_entry *entry, unsigned long *mapped)
{
	/* A special PTE has no rmap that could be added twice. */
	return entry->folio == PTEBATCH_NO_FOLIO || entry->flags & PTEBATCH_SPECIAL ||
	       !test_and_set_bit(row->folios[entry->folio].first + entry->page, mapped);
}

static int map_entries(struct ptebatch_space *space, struct vm_area_struct *vma,
		       unsigned long start, unsigned long *mapped)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, set = 0;
	int err = 0;

	for (i = 0; i < row->nr && !err; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		unsigned long addr = start + i * PAGE_SIZE;

		if (entry->kind == PTEBATCH_NONE)
			continue;
		if (!mark_mapped(row, entry, mapped))
			return -EINVAL;
		if (ptebatch_maps_huge(space, i)) {
			if (ptebatch_row_begins_table(row, i))
				err = map_huge_entry(space, vma, addr, entry);
		} else if (i >= set) {
			set = i + nr_at_once(row, i, addr);
			err = map_ptes(space, vma, addr, entry, set - i);
		}
		if (!err)
			count_entry(space, vma->vm_mm, entry);
	}
	return err;
}

static bool is_swap_without_folio(const struct ptebatch_entry *entry)
{
	return entry->kind == PTEBATCH_SWAP &&
	       entry->folio == PTEBATCH_NO_FOLIO;
}

/**
 * ptebatch_unpopulate() - clear the entries that exit_mmap() cannot zap
 * @space: the address space
 * @place: the place that maps the row
 *
 * Swap entries without a folio have no swap space, and zapping warns about
 * shadow-stack PTEs outside of VM_SHADOW_STACK.
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

		if (!is_swap_without_folio(&space->row.entries[i]) &&
		    !ptebatch_has_shadow_stack())
			continue;
		/* munmap() and mremap() may have freed the page table. */
		pmd = ptebatch_find_pmd(place->mm, addr);
		ptep = pmd ? pte_offset_map_lock(place->mm, pmd, addr, &ptl) :
		       NULL;
		if (!ptep)
			continue;
		if (pte_present(ptep_get(ptep))) {
			if (ptebatch_pte_shadow_stack(ptep_get(ptep)))
				ptep_set_wrprotect(place->mm, addr, ptep);
		} else if (is_swap_without_folio(&space->row.entries[i]) &&
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
 * @space: the address space; file folios are already in the page cache
 * @place: the place to map the row at, inside a VMA
 *
 * Leaves folios with migration or swap entries locked.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, -ENOMEM, an error of ptebatch_alloc_swap(), or -EINVAL if the row
 * maps a page twice.
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
		unmap_undrawn_pages(space, vma, mapped);
		ptebatch_ksm_map_zero_pages(place->mm, ptebatch_ksm_zero_entries(&space->row));
	}
	mmap_write_unlock(place->mm);
	bitmap_free(mapped);
	return err;
}
