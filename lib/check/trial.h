/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial: one operation on one address space, and the checks of its result.
 */
#ifndef PTEBATCH_TRIAL_H
#define PTEBATCH_TRIAL_H

#include <linux/sizes.h>

#include "../record/secondary.h"
#include "../space/snapshot.h"
#include "../space/space.h"
#include "model.h"

/**
 * struct ptebatch_trial - state of a place before and after an operation
 * @test: the case
 * @function: name of the function under test or of its twin, for messages
 * @space: the address space
 * @place: the place to check
 * @first: for a second place, the trial of the first place, otherwise %NULL
 * @second: trial of the destination of a move or of the child of a fork, or
 *          %NULL
 * @call: the operation, for the model; @call.model is %NULL if the model does
 *        not cover the operation
 * @returned: return value of the operation, in pages if @call.counts
 * @one_by_one: no batches: accessed and dirty spread in contpte blocks only
 * @partial: @before and @after are a part of the space, see run/window.h
 * @quiet: a violation does not fail the case
 * @without: name of a check in table.h that does not apply, %NULL: all apply
 * @misses_mlock: mlock() runs at the same time as the operation: it may miss a new folio
 * @violated: the first rule that is violated, %NULL if none is
 * @report: what its check reports, or a part of it
 * @stopped: @after is set
 * @full: with @space->adopted, the space cannot hold all folios: nothing can be checked
 * @locked: bitmap of the folios that are locked before the operation; suites and
 *          conditions that lock or unlock folios after set-up change it
 * @shared: with @space->adopted, bitmap of the folios that other places map before
 *          the operation
 * @dirty: bitmap of the folios that are dirty before the operation, likewise
 * @states: states of the checks, see ptebatch_check_state(); %NULL: nothing but the
 *          entries can be checked
 * @others: snapshots of other places, as old as the last of @before and @after; %NULL
 *          until a check needs them
 * @secondary: secondary MMU of the place, with what the operation told it
 * @differs: bitmap of the entries that the last check marked as wrong
 * @text: buffer for the report of a check: a line per entry of a contpte block
 * @before: snapshot of the place before the operation
 * @after: snapshot of the place after the operation
 */
struct ptebatch_trial {
	struct kunit *test;
	char function[64];
	struct ptebatch_space *space;
	const struct ptebatch_place *place;
	const struct ptebatch_trial *first;
	struct ptebatch_trial *second;
	struct ptebatch_call call;
	long returned;
	bool one_by_one;
	bool partial;
	bool quiet;
	const char *without;
	bool misses_mlock;
	const char *violated;
	char report[200];
	bool stopped;
	bool full;
	DECLARE_BITMAP(locked, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(shared, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(dirty, PTEBATCH_ROW_ENTRIES);
	void *states;
	struct ptebatch_snapshot *others[PTEBATCH_PLACES];
	struct ptebatch_secondary secondary;
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
	char text[SZ_8K];
	struct ptebatch_snapshot before;
	struct ptebatch_snapshot after;
};

/* The row before the operation: for a second place, the row of the first. */
static inline const struct ptebatch_row *
ptebatch_trial_was(const struct ptebatch_trial *trial)
{
	return trial->first ? &trial->first->before.row : &trial->before.row;
}

struct ptebatch_trial *ptebatch_trial_alloc(struct kunit *test, const char *function);
struct ptebatch_trial *ptebatch_trial_second(struct ptebatch_trial *trial,
					     const struct ptebatch_place *place);
void ptebatch_trial_record(struct ptebatch_trial *trial);
void ptebatch_trial_stop(struct ptebatch_trial *trial);
void ptebatch_trial_repair(struct ptebatch_trial *trial);
void ptebatch_trial_free(struct ptebatch_trial *trial);
void ptebatch_trial_release(struct ptebatch_trial *trial);
void ptebatch_print_row(struct kunit *test, const char *what,
			const struct ptebatch_row *row,
			const unsigned long *differs);
void ptebatch_trial_print(const struct ptebatch_trial *trial, const char *wrong);

#endif /* PTEBATCH_TRIAL_H */
