// SPDX-License-Identifier: GPL-2.0
/*
 * Between two looks of a function at an entry, without a lock held, another thread
 * may change the entry. A kprobe plays that thread at a call between the two.
 */
#include <kunit/resource.h>
#include <linux/khugepaged.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../space/pte.h"
#include "compare.h"
#include "meanwhile.h"

/* The trial of the place whose entries change. */
static struct ptebatch_trial *trial_of(struct ptebatch_trial *trial)
{
	return trial->space->setup.meanwhile.second ? trial->second : trial;
}

/*
 * Without the lock, as the caller may hold it; no other thread exists. The entry is
 * cleared first, for the page table check.
 */
static bool change_entry(struct ptebatch_trial *trial, unsigned int i,
			 const struct ptebatch_entry *entry, pte_t pte)
{
	unsigned long addr = trial->place->start + i * PAGE_SIZE;
	struct mm_struct *mm = trial->place->mm;
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	pte_t *ptep;

	if (!pmd || pmd_none(*pmd) || pmd_leaf(*pmd))
		return false;
	ptep = pte_offset_kernel(pmd, addr);
	ptep_get_and_clear(mm, addr, ptep);
	set_pte_at(mm, addr, ptep, pte);
	/* The operation is judged by what it does to these. */
	trial->before.row.entries[i] = *entry;
	trial->before.raw[trial->before.lead + i] = *ptep;
	return true;
}

static void change(void *data)
{
	struct ptebatch_trial *trial = data;
	struct ptebatch_meanwhile *meanwhile = &trial->meanwhile;
	unsigned int i;

	if ((current != meanwhile->task && !current_is_khugepaged()) ||
	    meanwhile->calls++ != trial->space->setup.meanwhile.call)
		return;
	meanwhile->done = true;
	trial = trial_of(trial);
	for (i = 0; i < meanwhile->row->nr; i++) {
		const struct ptebatch_entry *entry = &meanwhile->row->entries[i];

		if (memcmp(entry, &trial->before.row.entries[i], sizeof(*entry)))
			meanwhile->done &= change_entry(trial, i, entry, meanwhile->ptes[i]);
	}
}

/* Before the folios of swap entries leave the swap cache. */
static void make_ptes(struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = trial->meanwhile.row;
	const struct ptebatch_space *space = trial->space;
	struct mm_struct *mm = space->places[0].mm;
	unsigned int i;
	pte_t *ptes;

	ptes = kunit_kcalloc(trial->test, row->nr, sizeof(*ptes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, ptes);
	mmap_read_lock(mm);
	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct page *page = NULL;

		if (entry->folio != PTEBATCH_NO_FOLIO)
			page = &space->folios[entry->folio]->page + entry->page;
		ptes[i] = ptebatch_pte_make(vma_lookup(mm, ptebatch_addr(space, i)), page,
					    entry);
	}
	mmap_read_unlock(mm);
	trial->meanwhile.ptes = ptes;
}

static void stop(void *data)
{
	struct ptebatch_trial *trial = data;

	ptebatch_counters_end(&trial->meanwhile.probe, 1);
}

/**
 * ptebatch_meanwhile_begin() - let entries change during the operation
 * @trial: the trial of the first place, begun, also that of a second place
 *
 * What changes is @meanwhile of the set-up; without it, nothing. Fails and ends the
 * case if the kernel does not have the function.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_meanwhile_begin(struct ptebatch_trial *trial)
{
	struct ptebatch_meanwhile *meanwhile = &trial->meanwhile;
	const char *function = trial->space->setup.meanwhile.function;

	if (!function)
		return;
	meanwhile->row = ptebatch_picture(trial->test, trial->space->setup.meanwhile.picture);
	KUNIT_ASSERT_EQ(trial->test, meanwhile->row->nr, trial->before.row.nr);
	make_ptes(trial);
	meanwhile->task = current;
	meanwhile->calls = 0;
	meanwhile->probe = (struct ptebatch_counter) {
		.function = function, .on_call = change, .data = trial,
	};
	if (strstarts(function, "pte_offset_map"))
		meanwhile->probe.match = trial->place->mm;
	KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_counters_begin(&meanwhile->probe, 1));
	KUNIT_ASSERT_EQ(trial->test, 0,
			kunit_add_action_or_reset(trial->test, stop, trial));
}

/**
 * ptebatch_meanwhile_end() - stop; fail the case if the entries have not changed
 * @trial: the trial of the first place, from ptebatch_meanwhile_begin()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_meanwhile_end(struct ptebatch_trial *trial)
{
	const char *function = trial->space->setup.meanwhile.function;

	if (!function)
		return;
	kunit_release_action(trial->test, stop, trial);
	KUNIT_EXPECT_TRUE_MSG(trial->test, trial->meanwhile.done,
			      "%s does not call %s() often enough: no entry changes meanwhile",
			      trial->function, function);
}
