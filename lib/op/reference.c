// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/rmap.h>

#include "internal.h"

#include "../service/lru_gen.h"
#include "../twin/twin.h"
#include "reference.h"

/**
 * ptebatch_folio_referenced() - call folio_referenced()
 * @folio: the folio
 * @twin: call the twin instead
 * @is_locked: @folio is locked
 * @vma_flags: set to the flags of the VMAs in which it was referenced
 *
 * Context: Process context, may sleep.
 * Return: what folio_referenced() returns.
 */
int ptebatch_folio_referenced(struct folio *folio, bool twin, bool is_locked,
			      vma_flags_t *vma_flags)
{
	/* An older kernel has a vm_flags_t, which is the first word. */
	void *flags = vma_flags;

	*vma_flags = EMPTY_VMA_FLAGS;
	if (twin)
		return ptebatch_twin_folio_referenced(folio, is_locked, NULL, flags);
	return folio_referenced(folio, is_locked, NULL, flags);
}

/**
 * ptebatch_reference() - isolate a folio and check its references, as reclaim does
 * @folio: the folio, on an LRU list
 *
 * Context: Process context, may sleep; takes the page table locks.
 * Return: what folio_referenced() returns; -EBUSY if @folio cannot be isolated.
 */
int ptebatch_reference(struct folio *folio)
{
	vma_flags_t flags;
	int references;

	if (!folio_isolate_lru(folio))
		return -EBUSY;
	references = ptebatch_folio_referenced(folio, false, false, &flags);
	folio_putback_lru(folio);
	return references;
}

/* The folio of the first entry in the range. */
static long reference(const struct ptebatch_op *op, struct ptebatch_space *space,
		      bool twin)
{
	const struct ptebatch_row *row = &space->row;

	return ptebatch_reference(space->folios[row->entries[row->from].folio]);
}

static long walk(const struct ptebatch_op *op, struct ptebatch_space *space,
		 bool twin)
{
	struct mm_struct *mm = space->places[0].mm;

	return op->arg ? ptebatch_lru_gen_walk_hot(mm) : ptebatch_lru_gen_walk(mm);
}

const struct ptebatch_op ptebatch_referenced = {
	.name = "reference", .function = "folio_referenced()", .call = reference,
	.missing = ptebatch_lru_gen_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_walk = {
	.name = "walk", .function = "MGLRU walk", .call = walk,
	.missing = ptebatch_lru_gen_walk_missing, .no_twin = true,
};

/* The page tables in which MGLRU has found young entries. */
const struct ptebatch_op ptebatch_walk_hot = {
	.name = "walk again", .function = "second MGLRU walk", .call = walk,
	.arg = true, .missing = ptebatch_lru_gen_walk_missing, .no_twin = true,
};
