// SPDX-License-Identifier: GPL-2.0
/*
 * PG_mlocked keeps reclaim away from a folio. The kernel may munlock a folio too
 * early (munlock_vma_folio() says so), but never too late.
 *
 * Each mlocked folio is mapped by a VM_LOCKED VMA, each folio that was mlocked is,
 * unless an entry was unmapped, and NR_MLOCK agrees. A step of a program may unmap an
 * entry and map it again, as a migration that fails.
 *
 * A new small folio is mlocked when it is mapped. A large one may not be: migration
 * maps it page by page. Neither may one that is mapped while mlock() walks the entries,
 * see mlock_vma_pages_range(); reclaim mlocks it.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../record/stat.h"
#include "../space/refs.h"
#include "checks.h"
#include "places.h"

/**
 * struct mlocked_before - state before the operation
 * @mlocked: bitmap of the mlocked folios
 * @others: NR_MLOCK, less the pages of @mlocked
 * @nr_folios: number of folios; those that follow are new
 */
struct mlocked_before {
	DECLARE_BITMAP(mlocked, PTEBATCH_ROW_ENTRIES);
	long others;
	unsigned int nr_folios;
};

/**
 * struct vmas - how the VMAs map the row's folios
 * @locked: bitmap of the folios with an entry in a VM_LOCKED VMA
 * @lost: bitmap of the folios of which an entry was unmapped, or is in another VMA
 */
struct vmas {
	DECLARE_BITMAP(locked, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(lost, PTEBATCH_ROW_ENTRIES);
};

static void look_up(const struct ptebatch_trial *trial,
		    const struct ptebatch_place *place,
		    const struct ptebatch_snapshot *snapshot, void *data)
{
	bool first = place == trial->place;
	struct vmas *vmas = data;
	unsigned int i;

	mmap_read_lock(place->mm);
	for (i = 0; i < snapshot->row.nr; i++) {
		const struct ptebatch_entry *is = &snapshot->row.entries[i];
		const struct ptebatch_entry *was = &trial->before.row.entries[i];
		struct vm_area_struct *vma;

		if (first && was->folio != PTEBATCH_NO_FOLIO &&
		    (is->folio != was->folio || is->page != was->page ||
		     !ptebatch_entry_normal(is)))
			set_bit(was->folio, vmas->lost);
		if (!ptebatch_entry_normal(is))
			continue;
		vma = vma_lookup(place->mm, place->start + i * PAGE_SIZE);
		if (vma && vma->vm_flags & VM_LOCKED)
			set_bit(is->folio, vmas->locked);
		else
			set_bit(is->folio, vmas->lost);
	}
	mmap_read_unlock(place->mm);
}

/* Pages of the row's mlocked folios; marks the folios in @mlocked. */
static long count_mlocked(const struct ptebatch_space *space,
			  unsigned long *mlocked)
{
	struct ptebatch_part part = {};
	long nr = 0;

	while (ptebatch_next_held(space, &part)) {
		if (!folio_test_mlocked(part.folio))
			continue;
		set_bit(part.i, mlocked);
		nr += folio_nr_pages(part.folio);
	}
	return nr;
}

static void begin_mlocked(struct ptebatch_trial *trial)
{
	struct mlocked_before *state = ptebatch_check_state(trial, &ptebatch_check_mlocked);

	state->others = ptebatch_nr_mlock() - count_mlocked(trial->space, state->mlocked);
	state->nr_folios = trial->space->row.nr_folios;
}

/* A CPU's part of the counter may be on its way to the zone: then look again. */
static long count_found(const struct mlocked_before *state, long expected)
{
	long found = ptebatch_nr_mlock() - state->others;

	if (found != expected) {
		fsleep(10 * USEC_PER_MSEC);
		found = ptebatch_nr_mlock() - state->others;
	}
	return found;
}

static void check_mlocked(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct mlocked_before *state = ptebatch_check_state(trial, &ptebatch_check_mlocked);
	DECLARE_BITMAP(mlocked, PTEBATCH_ROW_ENTRIES) = {};
	long pages = count_mlocked(trial->space, mlocked);
	long found = count_found(state, pages);
	struct vmas vmas = {};
	unsigned int i;

	if (pages != found)
		seq_buf_printf(out, "NR_MLOCK has %ld pages of the row, %ld are mlocked\n",
			       found, pages);
	if (bitmap_empty(mlocked, PTEBATCH_ROW_ENTRIES) &&
	    bitmap_empty(state->mlocked, PTEBATCH_ROW_ENTRIES) &&
	    trial->space->row.nr_folios == state->nr_folios)
		return;
	if (ptebatch_each_place(trial, look_up, &vmas)) {
		seq_buf_puts(out, "not checked: out of memory\n");
		return;
	}
	for (i = 0; i < trial->space->row.nr_folios; i++) {
		if (ptebatch_folio_gone(trial->space, i))
			continue;
		if (test_bit(i, mlocked) && !test_bit(i, vmas.locked))
			seq_buf_printf(out, "folio %u is mlocked, but no VM_LOCKED VMA maps it\n",
				       i);
		if (!test_bit(i, mlocked) && test_bit(i, state->mlocked) &&
		    test_bit(i, vmas.locked) && !test_bit(i, vmas.lost) &&
		    !trial->space->adopted)
			seq_buf_printf(out, "folio %u in VM_LOCKED VMAs is not mlocked any more\n",
				       i);
		if (i >= state->nr_folios && !test_bit(i, mlocked) && test_bit(i, vmas.locked) &&
		    !folio_test_large(trial->space->folios[i]) && !trial->misses_mlock)
			seq_buf_printf(out, "new folio %u in a VM_LOCKED VMA is not mlocked\n",
				       i);
	}
}

const struct ptebatch_check ptebatch_check_mlocked = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "mlocked", .whole = true,
	.state_size = sizeof(struct mlocked_before), .begin = begin_mlocked, .check = check_mlocked,
};
