/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial: one operation on one address space, and the checks of its result.
 */
#ifndef PTEBATCH_TRIAL_H
#define PTEBATCH_TRIAL_H

#include "../space/snapshot.h"
#include "../space/space.h"
#include "flush.h"
#include "model.h"

/**
 * struct ptebatch_trial - state of a place before and after an operation
 * @test: the case
 * @function: name of the function under test, for messages
 * @space: the address space
 * @origin: for the destination of a move, the trial of its source, otherwise
 *          %NULL
 * @place: the place to check
 * @before: snapshot of the place before the operation
 * @after: snapshot of the place after the operation
 * @flush: TLB flushes during the operation
 */
struct ptebatch_trial {
	struct kunit *test;
	const char *function;
	struct ptebatch_space *space;
	const struct ptebatch_trial *origin;
	const struct ptebatch_place *place;
	struct ptebatch_snapshot before;
	struct ptebatch_snapshot after;
	struct ptebatch_flush flush;
};

/* Stop after the first failure: later failures would repeat it. */
static inline bool ptebatch_failed(struct kunit *test)
{
	return READ_ONCE(test->status) == KUNIT_FAILURE;
}

/* The row before the operation: for a destination, the row at the source. */
static inline const struct ptebatch_row *
ptebatch_trial_was(const struct ptebatch_trial *trial)
{
	return trial->origin ? &trial->origin->before.row : &trial->before.row;
}

struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *function,
					    const struct ptebatch_setup *setup);
struct ptebatch_trial *
ptebatch_trial_destination(const struct ptebatch_trial *source,
			   const struct ptebatch_place *place);
void ptebatch_trial_stop(struct ptebatch_trial *trial);
void ptebatch_trial_end(struct ptebatch_trial *trial);
struct ptebatch_trial *ptebatch_trial_second(const struct ptebatch_trial *trial,
					     const char *function);
void ptebatch_trial_print(const struct ptebatch_trial *trial, const char *wrong,
			  const unsigned long *differs);
void ptebatch_trial_release(struct ptebatch_trial *trial);
void ptebatch_trial_expect(const struct ptebatch_trial *trial,
			   const char *picture);
void ptebatch_trial_model(const struct ptebatch_trial *trial,
			  const struct ptebatch_call *call);
void ptebatch_trial_untouched(const struct ptebatch_trial *trial);
void ptebatch_trial_on_lists(const struct ptebatch_trial *trial);
void ptebatch_trial_same(const struct ptebatch_trial *trial,
			 const struct ptebatch_trial *twin);

bool ptebatch_trial_allows(const struct ptebatch_trial *trial,
			   const struct ptebatch_row *expected,
			   unsigned long *differs);

#endif /* PTEBATCH_TRIAL_H */
