/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One operation on one address space, and what is to be said about it.
 */
#ifndef PTEBATCH_TRIAL_H
#define PTEBATCH_TRIAL_H

#include "flush.h"
#include "model.h"
#include "snapshot.h"
#include "space.h"

/**
 * struct ptebatch_trial - an operation, before and after
 * @test: the case
 * @who: what did it, as messages call it
 * @space: the address space that it was done to
 * @origin: of a place that the operation moves entries to: the trial of the
 *          place that they come from; %NULL of the row's own place
 * @place: the place that is looked at
 * @before: the place before
 * @after: the place after
 * @flush: what was flushed meanwhile
 */
struct ptebatch_trial {
	struct kunit *test;
	const char *who;
	struct ptebatch_space *space;
	const struct ptebatch_trial *origin;
	const struct ptebatch_place *place;
	struct ptebatch_snapshot before;
	struct ptebatch_snapshot after;
	struct ptebatch_flush flush;
};

/* The first who fails tells enough: the others would tell the same. */
static inline bool ptebatch_failed(struct kunit *test)
{
	return READ_ONCE(test->status) == KUNIT_FAILURE;
}

/* What the range's entries were, there or where they come from. */
static inline const struct ptebatch_row *
ptebatch_trial_was(const struct ptebatch_trial *trial)
{
	return trial->origin ? &trial->origin->before.row : &trial->before.row;
}

struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *who,
					    const struct ptebatch_setup *setup);
struct ptebatch_trial *
ptebatch_trial_there(const struct ptebatch_trial *here,
		     const struct ptebatch_place *place);
void ptebatch_trial_stop(struct ptebatch_trial *trial);
void ptebatch_trial_end(struct ptebatch_trial *trial);
struct ptebatch_trial *ptebatch_trial_second(const struct ptebatch_trial *trial,
					     const char *who);
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
