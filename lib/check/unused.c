// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "../service/swap.h"
#include "../space/refs.h"
#include "places.h"
#include "unused.h"

/**
 * struct ptebatch_slots_before - swap slots in use before an operation
 * @nr: number of slots
 * @slot: the slots
 */
struct ptebatch_slots_before {
	unsigned int nr;
	swp_entry_t slot[];
};

static void add_slots(const struct ptebatch_trial *trial, const struct ptebatch_place *place,
		      const struct ptebatch_snapshot *snapshot, void *data)
{
	struct ptebatch_slots_before *slots = data;
	unsigned int i;

	for (i = 0; i < snapshot->row.nr; i++)
		if (snapshot->row.entries[i].kind == PTEBATCH_SWAP)
			slots->slot[slots->nr++] =
				softleaf_from_pte(snapshot->raw[snapshot->lead + i]);
}

/**
 * ptebatch_slots_list() - list the slots of entries, and of folios in the swap cache
 * @trial: the trial, begun
 *
 * Fails and ends the case if memory runs out.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table locks.
 * Return: the slots, for ptebatch_slots_free_unused(); %NULL if there are none.
 */
struct ptebatch_slots_before *ptebatch_slots_list(struct ptebatch_trial *trial)
{
	const struct ptebatch_space *space = trial->space;
	struct ptebatch_slots_before *slots;
	unsigned int i, page;

	if (!ptebatch_swap_used())
		return NULL;
	slots = kvmalloc_flex(*slots, slot,
			      space->nr_places * space->row.nr + space->row.nr_pages);
	KUNIT_ASSERT_NOT_NULL(trial->test, slots);
	slots->nr = 0;
	ptebatch_each_place(trial, add_slots, slots);
	/* The references are dropped, but mappings and caches keep all folios. */
	for (i = 0; i < space->row.nr_folios; i++)
		for (page = 0; page < ptebatch_nr_pages(space, i); page++)
			if (folio_test_swapcache(space->folios[i]))
				slots->slot[slots->nr++] = (swp_entry_t) {
					space->folios[i]->swap.val + page,
				};
	return slots;
}

/* The operation may have freed the folio, or allocated the slots. */
static void free_slots_of(struct folio *folio)
{
	if (!folio_try_get(folio))
		return;
	if (folio_test_swapcache(folio))
		ptebatch_swap_free_unused(folio->swap);
	folio_put(folio);
}

/**
 * ptebatch_slots_free_unused() - free the slots that only the swap cache uses
 * @trial: the trial, before it ends
 * @slots: the slots before the operation, from ptebatch_slots_list()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_slots_free_unused(const struct ptebatch_trial *trial,
				struct ptebatch_slots_before *slots)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; slots && i < slots->nr; i++)
		ptebatch_swap_free_unused(slots->slot[i]);
	kvfree(slots);
	for (i = 0; i < space->row.nr_folios; i++)
		free_slots_of(space->folios[i]);
}
