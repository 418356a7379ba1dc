// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../kernel/log.h"
#include "../space/adopt.h"
#include "../space/refs.h"
#include "checks.h"
#include "places.h"

const struct ptebatch_check * const ptebatch_check_table[] = {
#define CHECK(name)	(&ptebatch_check_##name)
#include "table.h"
#undef CHECK
	NULL
};

/*
 * The name of a check, or of a promise, to leave out: what it is worth shows in the bugs
 * that no case finds without it.
 */
static char *without = "";
module_param(without, charp, 0444);

/**
 * ptebatch_left_out() - whether a check is left out
 * @name: name of a check in table.h, or of a promise in memory.c
 *
 * Return: true if the parameter "without" names it.
 */
bool ptebatch_left_out(const char *name)
{
	return *without && !strcmp(name, without);
}

static size_t aligned_size(const struct ptebatch_check *check)
{
	return ALIGN(check->state_size, sizeof(u64));
}

/**
 * ptebatch_check_state() - find the state of a check
 * @trial: the trial, from ptebatch_trial_begin()
 * @check: the check, which has a state
 *
 * Return: @check->state_size bytes, zero before @check->begin().
 */
void *ptebatch_check_state(const struct ptebatch_trial *trial,
			   const struct ptebatch_check *check)
{
	void *state = trial->states;
	unsigned int i;

	for (i = 0; ptebatch_check_table[i] != check; i++)
		state += aligned_size(ptebatch_check_table[i]);
	return state;
}

static void begin_checks(struct ptebatch_trial *trial)
{
	const struct ptebatch_check * const *check;
	size_t size = 0;

	for (check = ptebatch_check_table; *check; check++)
		size += aligned_size(*check);
	trial->states = kvzalloc(size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, trial->states);
	for (check = ptebatch_check_table; *check; check++)
		if ((*check)->begin)
			(*check)->begin(trial);
}

/**
 * ptebatch_check_passes() - run a check
 * @trial: the trial, stopped
 * @check: the check
 * @out: returns what it reports, in @trial->text
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: true if it reports no violation and marks no entry.
 */
bool ptebatch_check_passes(struct ptebatch_trial *trial,
			   const struct ptebatch_check *check, struct seq_buf *out)
{
	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	seq_buf_init(out, trial->text, sizeof(trial->text));
	check->check(trial, out);
	return !seq_buf_used(out) && bitmap_empty(trial->differs, trial->after.row.nr);
}

static bool run_check(struct ptebatch_trial *trial, const struct ptebatch_check *check)
{
	struct seq_buf out;
	char wrong[80];

	if (ptebatch_check_passes(trial, check, &out))
		return true;
	if (!trial->violated) {
		trial->violated = check->rule;
		strscpy(trial->report, trial->text);
	}
	if (trial->quiet)
		return false;
	snprintf(wrong, sizeof(wrong), "violates %s", check->rule);
	ptebatch_trial_print(trial, wrong);
	ptebatch_print_lines(trial->test, &out);
	return false;
}

/**
 * ptebatch_checks() - check the rules that hold after each operation
 * @trial: the trial, stopped; fails the case unless @trial->quiet
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: true if no rule is violated.
 */
bool ptebatch_checks(struct ptebatch_trial *trial)
{
	const struct ptebatch_check * const *check;
	bool passes = true;

	for (check = ptebatch_check_table; *check; check++)
		if (!((*check)->whole && trial->partial) &&
		    !(trial->without && !strcmp((*check)->name, trial->without)) &&
		    !ptebatch_left_out((*check)->name))
			passes &= run_check(trial, *check);
	return passes;
}

/**
 * ptebatch_entry_loses_access() - compare what two entries permit
 * @before: an entry
 * @after: the entry at the same address later
 *
 * Return: true if @after permits less than @before or maps another page.
 */
bool ptebatch_entry_loses_access(const struct ptebatch_entry *before,
				 const struct ptebatch_entry *after)
{
	/* Rank of the accesses that a kind permits. */
	static const u8 rank[] = {
		[PTEBATCH_NONE] = 0,
		[PTEBATCH_PROTNONE] = 0,
		[PTEBATCH_FOREIGN] = 0,
		[PTEBATCH_READABLE] = 1,
		[PTEBATCH_WRITABLE] = 2,
		[PTEBATCH_SHADOW_STACK] = 2,
	};

	return rank[before->kind] &&
	       (rank[after->kind] < rank[before->kind] ||
		after->folio != before->folio || after->page != before->page);
}

/**
 * ptebatch_change_print() - print an entry that is wrong, before and after
 * @trial: the trial, stopped
 * @i: index of the entry
 * @wrong: what is wrong with its change
 * @out: receives the line
 */
void ptebatch_change_print(const struct ptebatch_trial *trial, unsigned int i,
			   const char *wrong, struct seq_buf *out)
{
	seq_buf_printf(out, "entry %u %s: it was ", i, wrong);
	ptebatch_entry_print(out, &trial->before.row.entries[i]);
	seq_buf_puts(out, " and is ");
	ptebatch_entry_print(out, &trial->after.row.entries[i]);
	seq_buf_putc(out, '\n');
}

static bool set_up_as_drawn(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *drawn = &trial->space->row;
	unsigned int i;

	for (i = 0; i < drawn->nr; i++) {
		struct ptebatch_entry entry = trial->before.row.entries[i];

		if (!memcmp(&entry, &drawn->entries[i], sizeof(entry)))
			continue;
		entry.flags &= ~ptebatch_model_block(drawn, i) | drawn->entries[i].flags;
		if (memcmp(&entry, &drawn->entries[i], sizeof(entry)))
			return false;
	}
	return !memcmp(trial->before.row.folios, drawn->folios,
		       drawn->nr_folios * sizeof(drawn->folios[0]));
}

static void begin_place(struct ptebatch_trial *trial, struct ptebatch_space *space)
{
	trial->space = space;
	trial->place = &space->places[0];
}

static void mark_shared(const struct ptebatch_trial *trial,
			const struct ptebatch_place *place,
			const struct ptebatch_snapshot *snapshot, void *data)
{
	unsigned long *shared = data;
	unsigned int i;

	for (i = 0; place != trial->place && i < snapshot->row.nr; i++)
		if (ptebatch_entry_mapped(&snapshot->row.entries[i]))
			set_bit(snapshot->row.entries[i].folio, shared);
}

static void begin_operation(struct ptebatch_trial *trial)
{
	ptebatch_trial_record(trial);
	if (trial->space->adopted && trial->space->nr_places > 1)
		KUNIT_ASSERT_EQ(trial->test, 0,
				ptebatch_each_place(trial, mark_shared, trial->shared));
	begin_checks(trial);
	if (trial->space->setup.folios & ON_LRU)
		ptebatch_space_drop_refs(trial->space);
}

/**
 * ptebatch_trial_begin() - set up an address space for an operation
 * @test: the case
 * @function: name of the function under test, for messages
 * @setup: set-up of the address space
 *
 * Fails and ends the case if the page tables differ from the picture, or if the
 * accounting is inconsistent.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *function,
					    const struct ptebatch_setup *setup)
{
	struct ptebatch_trial *trial = ptebatch_trial_alloc(test, function);

	begin_place(trial, ptebatch_space(test, setup));
	ptebatch_snapshot(&trial->before, trial->space, trial->place);
	/* After fork() the pages are shared and write-protected. */
	if (!setup->twice && !set_up_as_drawn(trial)) {
		ptebatch_print_row(test, "drawn", &trial->space->row, NULL);
		ptebatch_print_row(test, "set up", &trial->before.row, NULL);
		KUNIT_FAIL_AND_ABORT(test, "the page tables were not set up as drawn");
	}
	begin_operation(trial);
	return trial;
}

/**
 * ptebatch_trial_next() - continue with what an operation has left
 * @test: the case
 * @function: name of the function under test, for messages
 * @space: the address space, see ptebatch_space_adopt()
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, released at the end of the case or by ptebatch_trial_free().
 */
struct ptebatch_trial *ptebatch_trial_next(struct kunit *test, const char *function,
					   struct ptebatch_space *space)
{
	struct ptebatch_trial *trial = ptebatch_trial_alloc(test, function);

	begin_place(trial, space);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_space_adopt(space, &trial->before));
	begin_operation(trial);
	return trial;
}

/**
 * ptebatch_trial_end() - check the result of an operation
 * @trial: the trial of the first place; its second place is checked, too
 *
 * May be called again after a further operation.
 *
 * Context: Process context, may sleep.
 * Return: true if no rule in table.h is violated, or if @trial->full.
 */
bool ptebatch_trial_end(struct ptebatch_trial *trial)
{
	bool passes;

	ptebatch_trial_stop(trial);
	if (trial->full)
		return true;
	passes = ptebatch_checks(trial);
	if (trial->second && !ptebatch_checks(trial->second))
		passes = false;

	/* After an earlier operation, entries may map any page of the row. */
	if (trial->space->adopted)
		return passes;
	/* Last: checks read the page tables, too. */
	ptebatch_trial_repair(trial);
	if (trial->second)
		ptebatch_trial_repair(trial->second);
	return passes;
}
