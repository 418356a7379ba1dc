// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "../check/places.h"
#include "outcome.h"

/* A page of the file also while it is not mapped. */
static bool is_pinned(const struct ptebatch_space *space, const struct ptebatch_entry *entry,
		      unsigned int i)
{
	struct page *page = space->pinned;

	if (!page)
		return false;
	if (ptebatch_shared(space->setup.mapping))
		return page_folio(page)->mapping == space->file->f_mapping &&
		       page_pgoff(page_folio(page), page) == space->pgoff + i;
	return ptebatch_entry_normal(entry) &&
	       folio_page(space->folios[entry->folio], entry->page) == page;
}

static void save_place(const struct ptebatch_trial *trial, const struct ptebatch_place *place,
		       const struct ptebatch_snapshot *snapshot, void *data)
{
	struct ptebatch_outcome *outcome = data;
	unsigned int nr = outcome->nr_places, i;

	if (nr == ARRAY_SIZE(outcome->rows))
		return;
	outcome->nr_places++;
	ptebatch_row_copy(&outcome->rows[nr], &snapshot->row);
	for (i = 0; i < snapshot->row.nr; i++)
		outcome->pages[nr][i].pinned =
			is_pinned(trial->space, &snapshot->row.entries[i], i);
}

/**
 * ptebatch_outcome_save() - save the entries, and which page is pinned
 * @outcome: the outcome, with no places yet
 * @trial: the trial, ended
 *
 * Fails and ends the case if memory runs out.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table locks.
 */
void ptebatch_outcome_save(struct ptebatch_outcome *outcome, struct ptebatch_trial *trial)
{
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_each_place(trial, save_place, outcome));
}

/* Of a PMD, also each of 16: after reclaim, a read takes most of the time of a pair. */
static bool is_read(unsigned int i)
{
	return i < 32 || i % 16 == 15;
}

/**
 * ptebatch_outcome_read() - read pages by real accesses: the first 32, and each 16th
 * @outcome: the outcome, saved
 * @space: the address space; faults may change it
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_outcome_read(struct ptebatch_outcome *outcome, const struct ptebatch_space *space)
{
	unsigned int place, i;

	for (place = 0; place < outcome->nr_places; place++) {
		struct mm_struct *mm = space->places[place].mm;
		unsigned long start = space->places[place].start;

		kthread_use_mm(mm);
		for (i = 0; i < space->row.nr; i++) {
			struct ptebatch_page_outcome *page = &outcome->pages[place][i];
			u32 __user *at = (u32 __user *)(start + i * PAGE_SIZE);

			page->value = 0;
			page->err = is_read(i) ? get_user(page->value, at) : -ENODATA;
		}
		kthread_unuse_mm(mm);
	}
}

/* Accessed and dirty spread. */
#define COMPARED	(~(PTEBATCH_YOUNG | PTEBATCH_DIRTY))

/* A fault makes an entry writable that may be, and ends a NUMA hint. */
static bool same_kind(const struct ptebatch_entry *got, const struct ptebatch_entry *expected)
{
	return got->kind == expected->kind ||
	       (ptebatch_entry_present(got) && ptebatch_entry_present(expected));
}

/**
 * ptebatch_outcome_entry() - check an entry
 * @got: an outcome
 * @expected: a permitted outcome, which has the place
 * @place: the place
 * @i: index of the entry
 *
 * Which present entries may be writable is a rule of its own, see check/writable.c.
 *
 * Return: true if the entry is as expected.
 */
bool ptebatch_outcome_entry(const struct ptebatch_outcome *got,
			    const struct ptebatch_outcome *expected, unsigned int place,
			    unsigned int i)
{
	const struct ptebatch_entry *x = &got->rows[place].entries[i];
	const struct ptebatch_entry *y = &expected->rows[place].entries[i];

	return same_kind(x, y) && !((x->flags ^ y->flags) & COMPARED);
}

/**
 * ptebatch_outcome_page() - check the contents of a page, and whether it is pinned
 * @got: an outcome
 * @expected: a permitted outcome, which has the place
 * @place: the place
 * @i: index of the page
 *
 * Return: true if the page is as expected.
 */
bool ptebatch_outcome_page(const struct ptebatch_outcome *got,
			   const struct ptebatch_outcome *expected, unsigned int place,
			   unsigned int i)
{
	const struct ptebatch_page_outcome *x = &got->pages[place][i];
	const struct ptebatch_page_outcome *y = &expected->pages[place][i];

	return x->err == y->err && x->value == y->value && x->pinned == y->pinned;
}
