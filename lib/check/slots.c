// SPDX-License-Identifier: GPL-2.0
/*
 * A swap slot is in use while swap entries or a folio in the swap cache refer to
 * it. The swap counts of folios in the swap cache are in accounting.c; here are
 * those of the slots that entries refer to, and the number of slots in use, less
 * those in use before that are not the trial's: this number is the state. It is not
 * checked where the swap space is the machine's.
 */
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

#include "../service/swap.h"
#include "../space/refs.h"
#include "checks.h"
#include "places.h"

/**
 * struct slot - the swap slot of an entry
 * @entry: the swap entry
 * @counted: it is one of a folio in the swap cache that the space references
 */
struct slot {
	softleaf_t entry;
	bool counted;
};

/**
 * struct slots - swap slots that the page tables refer to
 * @nr: number of entries
 * @slot: a slot for each PTE
 */
struct slots {
	unsigned int nr;
	struct slot slot[];
};

/* An entry that is drawn without a folio has no slot. */
static bool has_no_slot(const struct ptebatch_entry *drawn)
{
	return drawn->kind == PTEBATCH_SWAP && drawn->folio == PTEBATCH_NO_FOLIO;
}

static void collect(const struct ptebatch_trial *trial,
		    const struct ptebatch_place *place,
		    const struct ptebatch_snapshot *snapshot, void *data)
{
	struct slots *slots = data;
	unsigned int i;

	for (i = 0; i < snapshot->row.nr; i++) {
		const struct ptebatch_entry *entry = &snapshot->row.entries[i];

		if (entry->kind == PTEBATCH_SWAP &&
		    !has_no_slot(&trial->space->row.entries[i]))
			slots->slot[slots->nr++] = (struct slot) {
				.entry = softleaf_from_pte(snapshot->raw[snapshot->lead + i]),
				.counted = entry->folio != PTEBATCH_NO_FOLIO,
			};
	}
}

static int compare_slots(const void *a, const void *b)
{
	unsigned long left = ((const struct slot *)a)->entry.val;
	unsigned long right = ((const struct slot *)b)->entry.val;

	return left < right ? -1 : left > right;
}

/* Slots of the row's folios in the swap cache, and of a shmem file's pages. */
static unsigned long count_cached(const struct ptebatch_space *space)
{
	struct ptebatch_part part = {};
	unsigned long nr = 0;

	if (space->setup.mapping == PTEBATCH_SHMEM)
		nr = SHMEM_I(file_inode(space->file))->swapped;
	while (ptebatch_next_held(space, &part))
		if (folio_test_swapcache(part.folio))
			nr += folio_nr_pages(part.folio);
	return nr;
}

/* Check the swap count of each slot; returns the number of slots in use. */
static long check_slot_counts(const struct ptebatch_trial *trial, const struct slots *slots,
			      struct seq_buf *out)
{
	long used = count_cached(trial->space);
	unsigned int i, next;

	for (i = 0; i < slots->nr; i = next) {
		softleaf_t entry = slots->slot[i].entry;
		int count = ptebatch_swap_entry_count(entry);

		for (next = i + 1; next < slots->nr; next++)
			if (slots->slot[next].entry.val != entry.val)
				break;
		used += !slots->slot[i].counted;
		if (count != next - i)
			seq_buf_printf(out, "the swap count of slot %lu is %d, expected %u\n",
				       (unsigned long)swp_offset(entry), count, next - i);
	}
	return used;
}

/* Check the slots that the page tables refer to now; returns the number in use. */
static long check_now(struct ptebatch_trial *trial, struct seq_buf *out)
{
	struct slots *slots;
	long used = 0;

	slots = kvmalloc_flex(*slots, slot,
			      trial->space->nr_places * trial->space->row.nr);
	if (!slots) {
		seq_buf_puts(out, "not checked: out of memory\n");
		return used;
	}
	slots->nr = 0;
	if (ptebatch_each_place(trial, collect, slots))
		seq_buf_puts(out, "not checked: out of memory\n");
	sort(slots->slot, slots->nr, sizeof(slots->slot[0]), compare_slots, NULL);
	used = check_slot_counts(trial, slots, out);
	kvfree(slots);
	return used;
}

static void begin_slots(struct ptebatch_trial *trial)
{
	long *others = ptebatch_check_state(trial, &ptebatch_check_slots);
	struct seq_buf out;

	if (ptebatch_swap_missing())
		return;
	seq_buf_init(&out, trial->text, sizeof(trial->text));
	*others = ptebatch_swap_used() - check_now(trial, &out);
	KUNIT_ASSERT_EQ_MSG(trial->test, seq_buf_used(&out), 0,
			    PTEBATCH_RULE_ACCOUNTING " violated before the operation: %s",
			    seq_buf_str(&out));
}

static void check_slots(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const long *others = ptebatch_check_state(trial, &ptebatch_check_slots);
	long used, found;

	if (ptebatch_swap_missing())
		return;
	used = check_now(trial, out);
	found = ptebatch_swap_used() - *others;
	if (ptebatch_swap_used() >= 0 && used != found)
		seq_buf_printf(out, "%ld swap slots are in use, expected %ld\n",
			       found, used);
}

const struct ptebatch_check ptebatch_check_slots = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "slots", .whole = true,
	.state_size = sizeof(long), .begin = begin_slots, .check = check_slots,
};
