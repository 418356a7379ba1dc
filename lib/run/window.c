// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../check/checks.h"
#include "../space/pte.h"
#include "window.h"

/* Restore the entries of the space's row. */
static void restore(void *data)
{
	struct ptebatch_window *window = data;

	memcpy(window->row->entries, window->space->row.entries + window->at,
	       sizeof(window->row->entries[0]) * PTEBATCH_WINDOW_ENTRIES);
	if (window->pte[PTEBATCH_WINDOW_ENTRIES - 1])
		ptebatch_window_set(window);
	kfree(window);
}

static int find_entries(struct ptebatch_window *window)
{
	struct ptebatch_space *space = window->space;
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *entry = &window->row->entries[i];

		window->pte[i] = get_locked_pte(window->place.mm,
						window->place.start + i * PAGE_SIZE,
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
 * @call: the operation on the window, for the model
 *
 * The end of the case releases the window and restores its entries. The case
 * fails and ends if the window cannot be opened.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: the window.
 */
struct ptebatch_window *ptebatch_window(struct ptebatch_space *space,
					unsigned int at,
					const struct ptebatch_call *call)
{
	struct kunit *test = space->test;
	struct ptebatch_window *window;
	struct ptebatch_trial *trial;
	int err;

	trial = ptebatch_trial_alloc(test, "");
	window = kzalloc_obj(*window);
	KUNIT_ASSERT_NOT_NULL(test, window);
	window->space = space;
	window->at = at;
	window->place.mm = space->places[0].mm;
	window->place.start = ptebatch_addr(space, at);
	window->trial = trial;
	window->row = &trial->before.row;
	window->row->first = (space->row.first + at) % PTRS_PER_PTE;
	window->row->nr = PTEBATCH_WINDOW_ENTRIES;
	memcpy(window->row->entries, space->row.entries + at,
	       sizeof(window->row->entries[0]) * PTEBATCH_WINDOW_ENTRIES);
	memcpy(window->row->folios, space->row.folios, sizeof(space->row.folios));
	/* Bits beyond the window have no entry. */
	bitmap_shift_right(window->row->vma_starts, space->row.vma_starts, at,
			   PTEBATCH_ROW_ENTRIES);
	trial->after.row = *window->row;
	trial->before.nr = PTEBATCH_WINDOW_ENTRIES;
	trial->after.nr = PTEBATCH_WINDOW_ENTRIES;
	trial->space = space;
	trial->place = &window->place;
	trial->partial = true;
	trial->call = *call;

	mmap_write_lock(window->place.mm);
	err = find_entries(window);
	mmap_write_unlock(window->place.mm);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, restore, window));
	KUNIT_ASSERT_EQ(test, err, 0);
	ptebatch_trial_record(trial);
	return window;
}

/**
 * ptebatch_window_state() - draw an entry of the window's row
 * @window: the window
 * @i: index of the entry in the window
 * @state: the state of the entry; its page is that of the space's row
 */
void ptebatch_window_state(struct ptebatch_window *window, unsigned int i,
			   const struct ptebatch_entry *state)
{
	const struct ptebatch_entry *drawn =
		&window->space->row.entries[window->at + i];
	struct ptebatch_entry *entry = &window->row->entries[i];

	*entry = *state;
	if (ptebatch_entry_has_page(entry)) {
		entry->folio = drawn->folio;
		entry->page = drawn->page;
	}
}

static pte_t read_pte(struct ptebatch_window *window, unsigned int i)
{
	pte_t pte;

	spin_lock(window->ptl[i]);
	pte = ptebatch_bare_pte(ptep_get(window->pte[i]));
	spin_unlock(window->ptl[i]);
	return pte;
}

/**
 * ptebatch_window_set() - set the entries to those of the window's row
 * @window: the window
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 */
void ptebatch_window_set(struct ptebatch_window *window)
{
	struct mm_struct *mm = window->place.mm;
	struct vm_area_struct *vma;
	unsigned int i;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, window->place.start);
	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *entry = &window->row->entries[i];
		unsigned long addr = window->place.start + i * PAGE_SIZE;
		bool has_page = entry->folio != PTEBATCH_NO_FOLIO;
		struct page *page = window->page[i];
		pte_t pte = ptebatch_pte_make(vma, has_page ? page : NULL, entry);

		if (PageAnon(page)) {
			if (entry->flags & PTEBATCH_EXCLUSIVE)
				SetPageAnonExclusive(page);
			else
				ClearPageAnonExclusive(page);
		}
		spin_lock(window->ptl[i]);
		/* arm64 requires break-before-make. */
		ptep_get_and_clear(mm, addr, window->pte[i]);
		if (!pte_none(pte))
			set_pte_at(mm, addr, window->pte[i], pte);
		spin_unlock(window->ptl[i]);
	}
	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++)
		window->trial->before.raw[i] = read_pte(window, i);
	mmap_write_unlock(mm);
}

/**
 * ptebatch_window_get() - read the entries back
 * @window: the window; sets the row of its trial after the operation
 *
 * An entry that maps another page than in the space's row is
 * PTEBATCH_FOREIGN.
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 */
void ptebatch_window_get(struct ptebatch_window *window)
{
	struct ptebatch_snapshot *after = &window->trial->after;
	unsigned int i;

	after->row.from = window->row->from;
	after->row.to = window->row->to;
	mmap_read_lock(window->place.mm);
	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const struct ptebatch_entry *drawn =
			&window->space->row.entries[window->at + i];
		struct ptebatch_entry *entry = &after->row.entries[i];
		struct page *page = window->page[i];
		unsigned long pfn;

		after->raw[i] = read_pte(window, i);
		pfn = ptebatch_pte_read(after->raw[i], entry);
		if (!window->space->setup.track)
			entry->flags &= ~PTEBATCH_SOFT_DIRTY;
		if (!ptebatch_entry_has_page(entry))
			continue;
		if (pfn != page_to_pfn(page)) {
			entry->kind = PTEBATCH_FOREIGN;
			continue;
		}
		entry->folio = drawn->folio;
		entry->page = drawn->page;
		if (ptebatch_entry_mapped(entry) && PageAnon(page) &&
		    PageAnonExclusive(page))
			entry->flags |= PTEBATCH_EXCLUSIVE;
	}
	mmap_read_unlock(window->place.mm);
}

/**
 * ptebatch_window_call() - call an operation on the window's range
 * @window: the window, set
 * @op: the operation
 * @twin: call the twin
 *
 * Context: As @op->call().
 */
void ptebatch_window_call(struct ptebatch_window *window,
			  const struct ptebatch_op *op, bool twin)
{
	struct ptebatch_trial *trial = window->trial;

	bitmap_zero(trial->secondary.flushed, PTEBATCH_WINDOW_ENTRIES);
	bitmap_zero(trial->secondary.announced, PTEBATCH_WINDOW_ENTRIES);
	window->space->row.from = window->at + window->row->from;
	window->space->row.to = window->at + window->row->to;
	trial->one_by_one = twin;
	trial->returned = op->call(op, window->space, twin);
}

/**
 * ptebatch_window_check() - check the entries after an operation
 * @window: the window, after ptebatch_window_call(); fails the case
 * @op: the operation
 *
 * Context: Process context; takes the mmap_lock and the page table locks.
 * Return: true if no rule is violated.
 */
bool ptebatch_window_check(struct ptebatch_window *window,
			   const struct ptebatch_op *op)
{
	struct ptebatch_trial *trial = window->trial;

	ptebatch_window_get(window);
	trial->quiet = true;
	if (likely(ptebatch_checks(trial)))
		return true;
	trial->quiet = false;
	snprintf(trial->function, sizeof(trial->function), "%s%s",
		 trial->one_by_one ? "the twin of " : "", op->function);
	ptebatch_checks(trial);
	return false;
}
