// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/slab.h>

#include "places.h"

/* The last snapshot that the trial has of a place, %NULL if it has none. */
static const struct ptebatch_snapshot *taken(const struct ptebatch_trial *trial,
					     const struct ptebatch_place *place)
{
	const struct ptebatch_trial *second = trial->second;

	if (trial->place == place)
		return trial->stopped ? &trial->after : &trial->before;
	return second && second->place == place && trial->stopped ? &second->after : NULL;
}

/**
 * ptebatch_first_place() - find the first place of an mm
 * @space: the space
 * @i: number of a place
 *
 * Return: number of the first place in the same mm: RSS and VMAs are those of all.
 */
unsigned int ptebatch_first_place(const struct ptebatch_space *space, unsigned int i)
{
	unsigned int first = 0;

	while (space->places[first].mm != space->places[i].mm)
		first++;
	return first;
}

/**
 * ptebatch_each_place() - visit the page tables of all places of a space
 * @trial: the trial of the first place; before it is stopped, its page tables are
 *         those before the operation
 * @visit: called for each place
 * @data: argument of @visit
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_each_place(struct ptebatch_trial *trial, ptebatch_visit_t *visit, void *data)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		const struct ptebatch_place *place = &space->places[i];
		const struct ptebatch_snapshot *snapshot = taken(trial, place);

		if (!snapshot && !trial->others[i]) {
			trial->others[i] = kvmalloc_obj(*trial->others[i]);
			if (!trial->others[i])
				return -ENOMEM;
			ptebatch_snapshot(trial->others[i], space, place);
		}
		visit(trial, place, snapshot ?: trial->others[i], data);
	}
	return 0;
}

/**
 * ptebatch_each_vma() - visit the VMAs of an mm
 * @mm: the mm
 * @visit: called for each VMA
 * @data: argument of @visit
 *
 * Context: Process context, may sleep; @visit is called with the mmap_lock for reading.
 */
void ptebatch_each_vma(struct mm_struct *mm, ptebatch_visit_vma_t *visit, void *data)
{
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, mm, 0);

	mmap_read_lock(mm);
	for_each_vma(vmi, vma)
		visit(vma, data);
	mmap_read_unlock(mm);
}
