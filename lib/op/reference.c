// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/rmap.h>

#include "internal.h"

#include "../service/lru_gen.h"
#include "reference.h"

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
	references = folio_referenced(folio, false, NULL, &flags);
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
