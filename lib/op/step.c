// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "internal.h"

#include "../service/khugepaged.h"
#include "access.h"
#include "advise.h"
#include "clear_refs.h"
#include "collapse.h"
#include "hole.h"
#include "idle.h"
#include "lock.h"
#include "merge.h"
#include "migrate.h"
#include "protect.h"
#include "remap.h"
#include "scan.h"
#include "step.h"
#include "uffd.h"

/* Reclaim the folios of the range, also those that other processes map. */
static long reclaim(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	LIST_HEAD(isolated);
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct folio *folio;

		if (!ptebatch_entry_normal(entry))
			continue;
		folio = space->folios[entry->folio];
		if (!ptebatch_isolate(folio))
			continue;
		/* As madvise_cold_or_pageout_pte_range() does. */
		if (folio_test_unevictable(folio))
			folio_putback_lru(folio);
		else
			list_add_tail(&folio->lru, &isolated);
	}
	reclaim_pages(&isolated);
	return 0;
}

static const struct ptebatch_op reclaim_op = {
	.name = "reclaim", .function = "reclaim_pages()", .call = reclaim, .swaps = true,
	.no_twin = true,
};

/*
 * It collapses nothing outside of the row, and below PMD order, in a VMA that covers
 * the whole page table.
 */
static long scan_all(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct ptebatch_op scan = ptebatch_khugepaged;
	long ret;

	scan.arg = ptebatch_row_orders(&space->row) & ~BIT(PMD_ORDER);
	ret = scan.call(&scan, space, false);
	return min(ret, 0L);
}

static const struct ptebatch_op khugepaged_op = {
	.name = "khugepaged", .function = "khugepaged", .call = scan_all,
	.missing = ptebatch_khugepaged_missing, .no_twin = true,
};

/* The operation of each step, and whether it changes no entry outside its range. */
static const struct {
	const struct ptebatch_op *op;
	bool exact;
} types[PTEBATCH_NR_STEPS] = {
	[PTEBATCH_STEP_PROTECT_NONE] = { &ptebatch_fixups[PTEBATCH_TO_NONE], true },
	[PTEBATCH_STEP_PROTECT_RO] = { &ptebatch_fixups[PTEBATCH_TO_READABLE], true },
	[PTEBATCH_STEP_PROTECT_RW] = { &ptebatch_fixups[PTEBATCH_TO_WRITABLE], true },
	/* These split folios that lie partly outside. */
	[PTEBATCH_STEP_COLD] = { &ptebatch_advices[PTEBATCH_COLD] },
	[PTEBATCH_STEP_PAGEOUT] = { &ptebatch_advices[PTEBATCH_PAGEOUT] },
	[PTEBATCH_STEP_RECLAIM] = { &reclaim_op },
	[PTEBATCH_STEP_FREE] = { &ptebatch_advices[PTEBATCH_FREE] },
	[PTEBATCH_STEP_DONTNEED] = { &ptebatch_advices[PTEBATCH_DONTNEED], true },
	[PTEBATCH_STEP_GUARD_INSTALL] = { &ptebatch_advices[PTEBATCH_GUARD_INSTALL], true },
	[PTEBATCH_STEP_GUARD_REMOVE] = { &ptebatch_advices[PTEBATCH_GUARD_REMOVE], true },
	[PTEBATCH_STEP_COLLAPSE] = { &ptebatch_advise_collapse },
	[PTEBATCH_STEP_KHUGEPAGED] = { &khugepaged_op },
	[PTEBATCH_STEP_KSM] = { &ptebatch_merge },
	[PTEBATCH_STEP_SPLIT] = { &ptebatch_split },
	[PTEBATCH_STEP_MIGRATE] = { &ptebatch_move_folios },
	[PTEBATCH_STEP_IDLE] = { &ptebatch_track_idle },
	[PTEBATCH_STEP_DAMON] = { &ptebatch_sample },
	[PTEBATCH_STEP_NUMA_HINT] = { &ptebatch_hint, true },
	/* It splits folios and unmaps the second mapping. */
	[PTEBATCH_STEP_HOLE] = { &ptebatch_hole },
	[PTEBATCH_STEP_TRUNCATE] = { &ptebatch_truncate },
	[PTEBATCH_STEP_NAME] = { &ptebatch_name, true },
	[PTEBATCH_STEP_UNNAME] = { &ptebatch_unname, true },
	/* Faults, so it may map neighbours. */
	[PTEBATCH_STEP_MLOCK] = { &ptebatch_mlock },
	[PTEBATCH_STEP_MUNLOCK] = { &ptebatch_munlock, true },
	/* Faults, as mlock() does. */
	[PTEBATCH_STEP_PIN] = { &ptebatch_pin_first },
	[PTEBATCH_STEP_UFFD_REGISTER] = { &ptebatch_uffd_register_wp, true },
	[PTEBATCH_STEP_UFFD_UNREGISTER] = { &ptebatch_uffd_unregister, true },
	[PTEBATCH_STEP_UFFD_PROTECT] = { &ptebatch_uffd_protect, true },
	[PTEBATCH_STEP_UFFD_RESOLVE] = { &ptebatch_uffd_resolve, true },
	[PTEBATCH_STEP_SCAN] = { &ptebatch_scan_written, true },
	[PTEBATCH_STEP_MMAP] = { &ptebatch_map_anew, true },
	[PTEBATCH_STEP_MOVE_FAILS] = { &ptebatch_move_whole },
	[PTEBATCH_STEP_MOVE_DONTUNMAP] = { &ptebatch_move_dontunmap },
	[PTEBATCH_STEP_MOVE] = { &ptebatch_move_whole },
	[PTEBATCH_STEP_UFFD_MOVE] = { &ptebatch_uffd_move },
	[PTEBATCH_STEP_RESIZE] = { &ptebatch_resize },
	[PTEBATCH_STEP_CLEAR_REFS] = { &ptebatch_clear_refs },
	[PTEBATCH_STEP_FORK] = { &ptebatch_dup_mmap },
};

/**
 * ptebatch_step_op() - find the operation that does a step
 * @kind: kind of the step
 *
 * Return: the operation, %NULL for accesses and for the exit of the child.
 */
const struct ptebatch_op *ptebatch_step_op(enum ptebatch_step_kind kind)
{
	return types[kind].op;
}

/**
 * ptebatch_step_is_exact() - check what a step may change
 * @kind: kind of the step
 *
 * Return: true if it changes no entry outside its range.
 */
bool ptebatch_step_is_exact(enum ptebatch_step_kind kind)
{
	return types[kind].exact;
}

/**
 * ptebatch_step_error() - check that a kind of memory can have a step
 * @kind: kind of the step
 * @mapping: the memory
 *
 * Return: why it cannot, %NULL if it can.
 */
const char *ptebatch_step_error(enum ptebatch_step_kind kind, enum ptebatch_mapping mapping)
{
	bool anon = mapping == PTEBATCH_ANON;

	switch (kind) {
	case PTEBATCH_STEP_KSM:
		return ptebatch_shared(mapping) ? "KSM merges private memory only" : NULL;
	case PTEBATCH_STEP_HOLE:
	case PTEBATCH_STEP_TRUNCATE:
		return anon ? "there is no file" : NULL;
	case PTEBATCH_STEP_UFFD_MOVE:
		return anon ? NULL : "UFFDIO_MOVE moves anonymous memory only";
	case PTEBATCH_STEP_NAME:
	case PTEBATCH_STEP_UNNAME:
		return mapping == PTEBATCH_PRIVATE_FILE ? "memory of a file has no name" : NULL;
	default:
		return NULL;
	}
}
