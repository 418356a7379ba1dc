// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "../arch/arch.h"
#include "../space/reacquire.h"
#include "../space/refs.h"
#include "../space/space.h"
#include "trial.h"

/* Longer pictures are cut off: a record of the kernel log has 1024 bytes. */
#define PICTURE_SIZE	840

/**
 * ptebatch_print_row() - print a row as a picture
 * @test: the case
 * @what: label, at most 8 characters
 * @row: the row
 * @differs: bitmap of the entries to mark as wrong, %NULL for none
 *
 * Context: Process context, may sleep.
 */
void ptebatch_print_row(struct kunit *test, const char *what,
			const struct ptebatch_row *row,
			const unsigned long *differs)
{
	struct seq_buf out;
	char *text;

	text = kmalloc(PICTURE_SIZE, GFP_KERNEL);
	if (!text)
		return;
	seq_buf_init(&out, text, PICTURE_SIZE);
	ptebatch_row_print(&out, row, differs);
	kunit_err(test, "%-9s%s%s\n", what, seq_buf_str(&out),
		  seq_buf_has_overflowed(&out) ? " ..." : "");
	kfree(text);
}

/**
 * ptebatch_trial_record() - start to record what a secondary MMU is told
 * @trial: the trial
 *
 * Fails and ends the case if memory runs out.
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_trial_record(struct ptebatch_trial *trial)
{
	KUNIT_ASSERT_EQ(trial->test, 0,
			ptebatch_secondary_begin(&trial->secondary, trial->place));
}

/* Page tables change, or the trial ends. */
static void forget_others(struct ptebatch_trial *trial)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(trial->others); i++) {
		kvfree(trial->others[i]);
		trial->others[i] = NULL;
	}
}

static void destroy(void *data)
{
	struct ptebatch_trial *trial = data;

	ptebatch_secondary_end(&trial->secondary);
	forget_others(trial);
	kvfree(trial->states);
	kvfree(trial);
}

/**
 * ptebatch_trial_alloc() - allocate a trial without an address space
 * @test: the case
 * @function: name of the function under test, for messages
 *
 * Context: Process context, may sleep.
 * Return: the trial, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_trial_alloc(struct kunit *test, const char *function)
{
	struct ptebatch_trial *trial = kvmalloc_obj(*trial);

	KUNIT_ASSERT_NOT_NULL(test, trial);
	/* Not all of the snapshots: that would take as long as an operation. */
	memset(trial, 0, offsetof(struct ptebatch_trial, text));
	ptebatch_snapshot_clear(&trial->before);
	ptebatch_snapshot_clear(&trial->after);
	trial->test = test;
	strscpy(trial->function, function);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, trial));
	return trial;
}

/**
 * ptebatch_trial_second() - begin the trial of a second place
 * @trial: trial of the first place, begun
 * @place: destination of a move, second mapping or, without an mm yet, child
 *
 * Context: Process context, may sleep.
 * Return: the trial of the second place, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_trial_second(struct ptebatch_trial *trial,
					     const struct ptebatch_place *place)
{
	struct ptebatch_trial *second = ptebatch_trial_alloc(trial->test, trial->function);

	trial->second = second;
	second->first = trial;
	second->space = trial->space;
	second->place = place;
	second->call = trial->call;
	second->one_by_one = trial->one_by_one;
	second->quiet = trial->quiet;
	second->partial = true;
	if (place->mm) {
		ptebatch_snapshot(&second->before, second->space, place);
		ptebatch_trial_record(second);
	}
	return second;
}

/**
 * ptebatch_trial_stop() - take the snapshots after the operation
 * @trial: the trial of the first place
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_stop(struct ptebatch_trial *trial)
{
	struct ptebatch_trial *second = trial->second;
	int err = 0;

	ptebatch_secondary_end(&trial->secondary);
	if (second)
		ptebatch_secondary_end(&second->secondary);
	/* Per-CPU mlock batches hold references to their folios. */
	if (trial->space->setup.folios & ON_LRU)
		err = ptebatch_space_reacquire_refs(trial->space);
	else if ((trial->space->setup.vma | trial->space->setup.next_vma) & VM_LOCKED)
		lru_add_drain_all();
	trial->full = err == -ENOSPC && trial->space->adopted;
	if (trial->full)
		return;
	KUNIT_ASSERT_EQ(trial->test, 0, err);
	forget_others(trial);
	ptebatch_snapshot(&trial->after, trial->space, trial->place);
	trial->stopped = true;
	if (second)
		ptebatch_snapshot(&second->after, second->space, second->place);
}

/* Does entry @i map the page of its file, as after a fault? */
static bool maps_file(const struct ptebatch_space *space, unsigned int i,
		      const struct ptebatch_entry *entry)
{
	return test_bit(entry->folio, space->cached) &&
	       (int)i - entry->page == space->row.folios[entry->folio].at;
}

/**
 * ptebatch_trial_repair() - restore entries that map a wrong page
 * @trial: the trial of one place, stopped and checked
 *
 * Teardown would unmap and free a page that the space does not own, and crash
 * the kernel: restore the right page if the space still has a reference to it.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 */
void ptebatch_trial_repair(struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *right =
		trial->first ? &trial->first->before : &trial->before;
	const struct ptebatch_row *row = &right->row;
	struct mm_struct *mm = trial->place->mm;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;
	pte_t *ptep, pte;

	mmap_write_lock(mm);
	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *was = &row->entries[i];
		const struct ptebatch_entry *is = &trial->after.row.entries[i];
		unsigned long addr = trial->place->start + i * PAGE_SIZE;

		if (!ptebatch_entry_normal(is) ||
		    trial->after.row.folios[is->folio].made ||
		    /* Mapped wherever its contents were. */
		    is->flags & PTEBATCH_KSM ||
		    test_bit(i, trial->after.huge) ||
		    maps_file(trial->space, i, is) ||
		    (is->folio == was->folio && is->page == was->page))
			continue;
		ptep = get_locked_pte(mm, addr, &ptl);
		if (!ptep)
			continue;
		pte = right->raw[right->lead + i];
		ptep_get_and_clear(mm, addr, ptep);
		if (!pte_none(pte) &&
		    (was->folio == PTEBATCH_NO_FOLIO ||
		     ptebatch_page_folio(trial->space, was->folio, was->page)))
			set_pte_at(mm, addr, ptep, pte);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(mm);
}

/**
 * ptebatch_trial_free() - release a trial, but not its address space
 * @trial: the trial of the first place, ended
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_free(struct ptebatch_trial *trial)
{
	if (trial->second)
		kunit_release_action(trial->test, destroy, trial->second);
	kunit_release_action(trial->test, destroy, trial);
}

/**
 * ptebatch_trial_release() - release a trial before the end of the case
 * @trial: the trial of the first place, ended
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_release(struct ptebatch_trial *trial)
{
	ptebatch_space_release(trial->space);
	ptebatch_trial_free(trial);
}

/**
 * ptebatch_trial_print() - fail the case and print the trial's rows
 * @trial: the trial, ended
 * @wrong: what the function under test does wrong; entries in @trial->differs
 *         are marked
 */
void ptebatch_trial_print(const struct ptebatch_trial *trial, const char *wrong)
{
	KUNIT_FAIL(trial->test, "%s %s", trial->function, wrong);
	ptebatch_print_row(trial->test, trial->first ? "first" : "before",
			   ptebatch_trial_was(trial), NULL);
	ptebatch_print_row(trial->test, trial->first ? "second" : "after",
			   &trial->after.row, trial->differs);
}
