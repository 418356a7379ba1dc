// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include "places.h"

/* The snapshot that the trial has of a place, %NULL if it has none. */
static const struct ptebatch_snapshot *taken(const struct ptebatch_trial *trial,
					     const struct ptebatch_place *place)
{
	if (trial->place == place)
		return &trial->after;
	if (trial->second && trial->second->place == place)
		return &trial->second->after;
	return NULL;
}

/**
 * ptebatch_each_place() - visit the page tables of all places of a space
 * @trial: the trial of the first place, stopped
 * @visit: called for each place
 * @data: argument of @visit
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_each_place(const struct ptebatch_trial *trial,
			ptebatch_visit_t *visit, void *data)
{
	const struct ptebatch_space *space = trial->space;
	struct ptebatch_snapshot *fresh = NULL;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		const struct ptebatch_place *place = &space->places[i];
		const struct ptebatch_snapshot *snapshot = taken(trial, place);

		if (!snapshot) {
			fresh = fresh ?: kvmalloc_obj(*fresh);
			if (!fresh)
				return -ENOMEM;
			ptebatch_snapshot(fresh, space, place);
			snapshot = fresh;
		}
		visit(trial, place, snapshot, data);
	}
	kvfree(fresh);
	return 0;
}
