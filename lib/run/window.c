// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../arch/contpte.h"
#include "../space/pte.h"
#include "window.h"

/* Restore the entries of the space's row. */
static void restore(void *data)
{
	struct ptebatch_window *window = data;
	struct ptebatch_space *space = window->space;
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;

	memcpy(window->row.entries, space->row.entries + window->at,
	       sizeof(window->row.entries[0]) * PTEBATCH_WINDOW_ENTRIES);
	mmap_write_lock(mm);
	vma = vma_lookup(mm, ptebatch_window_addr(window, 0));
	if (window->pte[PTEBATCH_WINDOW_ENTRIES - 1])
		ptebatch_window_set(window, vma);
	mmap_write_unlock(mm);
	kvfree(window);
}

static int find_entries(struct ptebatch_window *window)
{
	struct ptebatch_space *space = window->space;
	struct mm_struct *mm = space->places[0].mm;
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *entry =
			&space->row.entries[window->at + i];

		window->pte[i] = get_locked_pte(mm,
						ptebatch_window_addr(window, i),
						&window->ptl[i]);
		if (!window->pte[i])
			return -ENOMEM;
		pte_unmap_unlock(window->pte[i], window->ptl[i]);
		window->page[i] = folio_page(space->folios[entry->folio],
					     entry->page);
		/* A folio with migration entries must be locked. */
		if (!folio_test_locked(space->folios[entry->folio]))
			folio_lock(space->folios[entry->folio]);
	}
	return 0;
}

/**
 * ptebatch_window() - open a window on an address space
 * @space: the address space; the window's entries map pages in its row
 * @at: index of the window's first entry in that row
 *
 * The end of the case releases the window and restores its entries. The case
 * fails and ends if the window cannot be opened.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: the window.
 */
struct ptebatch_window *ptebatch_window(struct ptebatch_space *space,
					unsigned int at)
{
	struct mm_struct *mm = space->places[0].mm;
	struct kunit *test = space->test;
	struct ptebatch_window *window;
	int err;

	window = kvzalloc_obj(*window);
	KUNIT_ASSERT_NOT_NULL(test, window);
	window->space = space;
	window->at = at;
	window->row = space->row;
	window->row.first = (space->row.first + at) % PTRS_PER_PTE;
	window->row.nr = PTEBATCH_WINDOW_ENTRIES;
	memcpy(window->row.entries, space->row.entries + at,
	       sizeof(window->row.entries[0]) * PTEBATCH_WINDOW_ENTRIES);

	mmap_write_lock(mm);
	err = find_entries(window);
	mmap_write_unlock(mm);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, restore, window));
	KUNIT_ASSERT_EQ(test, err, 0);
	return window;
}

/**
 * ptebatch_window_set() - set the entries to those of the window's row
 * @window: the window
 * @vma: VMA of the window
 *
 * Context: The mmap_lock is held for writing; takes the page table locks.
 */
void ptebatch_window_set(struct ptebatch_window *window,
			 struct vm_area_struct *vma)
{
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *entry = &window->row.entries[i];
		bool has_page = entry->folio != PTEBATCH_NO_FOLIO;
		struct page *page = window->page[i];

		if (PageAnon(page)) {
			if (entry->flags & PTEBATCH_EXCLUSIVE)
				SetPageAnonExclusive(page);
			else
				ClearPageAnonExclusive(page);
		}
		spin_lock(window->ptl[i]);
		/* arm64 requires break-before-make. */
		ptep_get_and_clear(vma->vm_mm, ptebatch_window_addr(window, i),
				   window->pte[i]);
		set_pte_at(vma->vm_mm, ptebatch_window_addr(window, i),
			   window->pte[i],
			   ptebatch_pte_make(vma, has_page ? page : NULL, entry));
		spin_unlock(window->ptl[i]);
	}
}

/**
 * ptebatch_window_get() - read the entries back
 * @window: the window
 * @entries: set to the PTEBATCH_WINDOW_ENTRIES entries
 *
 * An entry that maps another page than in the space's row is
 * PTEBATCH_FOREIGN.
 *
 * Context: The mmap_lock is held; takes the page table locks.
 */
void ptebatch_window_get(const struct ptebatch_window *window,
			 struct ptebatch_entry *entries)
{
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *drawn =
			&window->space->row.entries[window->at + i];
		struct page *page = window->page[i];
		unsigned long pfn;
		pte_t pte;

		spin_lock(window->ptl[i]);
		pte = ptebatch_bare_pte(ptep_get(window->pte[i]));
		spin_unlock(window->ptl[i]);

		pfn = ptebatch_pte_read(pte, &entries[i]);
		if (!window->space->setup.track)
			entries[i].flags &= ~PTEBATCH_SOFT_DIRTY;
		if (!ptebatch_entry_has_page(&entries[i]))
			continue;
		if (pfn != page_to_pfn(page)) {
			entries[i].kind = PTEBATCH_FOREIGN;
			continue;
		}
		entries[i].folio = drawn->folio;
		entries[i].page = drawn->page;
		if (ptebatch_entry_present(&entries[i]) && PageAnon(page) &&
		    PageAnonExclusive(page))
			entries[i].flags |= PTEBATCH_EXCLUSIVE;
	}
}

/**
 * ptebatch_window_blocks_consistent() - check rule 25 (contpte) for a window
 * @window: the window; all blocks that contain its entries are checked
 * @out: receives the violation by the first inconsistent block
 *
 * Context: The mmap_lock is held; takes the page table locks.
 * Return: true if all contpte blocks are consistent.
 */
bool ptebatch_window_blocks_consistent(const struct ptebatch_window *window,
				       struct seq_buf *out)
{
	unsigned int i, offset;
	bool consistent = true;
	unsigned long addr;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES && consistent; i++) {
		offset = (window->row.first + i) % PTEBATCH_BLOCK_ENTRIES;
		/* Check each block once. */
		if (i && offset)
			continue;
		addr = ptebatch_window_addr(window, i) - offset * PAGE_SIZE;
		spin_lock(window->ptl[i]);
		consistent = ptebatch_contpte_consistent(window->pte[i] - offset,
							 addr, out);
		spin_unlock(window->ptl[i]);
	}
	return consistent;
}
