/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two steps of programs on a row, the second one while the first one pauses. The result
 * must be one that they give one after the other, in one of the two orders.
 */
#ifndef PTEBATCH_PAIR_H
#define PTEBATCH_PAIR_H

#include <kunit/test.h>

#include "../inject/instruction.h"
#include "../row/program.h"
#include "../service/pause.h"
#include "../space/snapshot.h"
#include "../space/types.h"
#include "outcome.h"

/**
 * struct ptebatch_pair_row - a row on which two steps run
 * @name: what the row is
 * @setup: the address space
 * @before: steps before the two, as in programs; %NULL: none
 */
struct ptebatch_pair_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *before;
};

/**
 * struct ptebatch_pair_step - a step that runs beside others
 * @step: the step, as in programs
 * @tries: why it may leave pages as they are, and return another value; %NULL: it may not
 * @changes: it changes what most other steps have read, so that a sample has it more often as
 *           the second step
 */
struct ptebatch_pair_step {
	const char *step;
	const char *tries;
	bool changes;
};

/* How two steps run. */
enum ptebatch_pair_order {
	PTEBATCH_FIRST_ALONE,
	PTEBATCH_SECOND_ALONE,
	PTEBATCH_FIRST_THEN_SECOND,
	PTEBATCH_SECOND_THEN_FIRST,
	PTEBATCH_INTERLEAVED,
	PTEBATCH_NR_ORDERS,
};

/* When an interleaved run reads the row for a report. */
enum ptebatch_pair_moment {
	PTEBATCH_BEFORE_BOTH,
	PTEBATCH_FIRST_PAUSES,
	PTEBATCH_FIRST_GOES_ON,
	PTEBATCH_NR_MOMENTS,
};

/**
 * struct ptebatch_pair - two steps on a row, and what they lead to
 * @test: the case
 * @row: the row
 * @steps: the two steps
 * @parsed: the same, parsed
 * @instructions: those at which the first step may pause
 * @reached: how often the first step reaches each of them
 * @space: the address space of the present run
 * @pause: pause of the first step
 * @moments: the row in the course of the last interleaved run
 * @outcomes: what each order has led to
 * @has_points: @instructions has begun
 * @paused: @pause has begun
 * @same_first: the first step and its row are the same for all pairs: what it reaches counts
 *              once, and then only the kprobe of the present point is enabled
 * @each_time: an instruction is as many points as the first step reaches it; otherwise at most 16
 * @watches: the points are the accesses that KCSAN watches, each one of the first step
 * @reclaims: the folios are reclaimed before the pages are read
 * @tried: number of runs in which the first step has paused
 * @finished: number of those in which the second step has finished meanwhile
 */
struct ptebatch_pair {
	struct kunit *test;
	const struct ptebatch_pair_row *row;
	const struct ptebatch_pair_step *steps[2];
	struct ptebatch_step parsed[2];
	struct ptebatch_instructions instructions;
	unsigned int reached[PTEBATCH_INSTRUCTIONS];
	struct ptebatch_space *space;
	struct ptebatch_pause pause;
	struct ptebatch_snapshot moments[PTEBATCH_NR_MOMENTS];
	struct ptebatch_outcome outcomes[PTEBATCH_NR_ORDERS];
	bool has_points;
	bool paused;
	bool same_first;
	bool each_time;
	bool watches;
	bool reclaims;
	unsigned int tried;
	unsigned int finished;
};

struct ptebatch_pair *ptebatch_pair(struct kunit *test);
void ptebatch_pair_choose(struct ptebatch_pair *pair, unsigned int nr,
			  const struct ptebatch_pair_step *step);
const char *ptebatch_pair_error(const struct ptebatch_pair *pair);
void ptebatch_pair_begin_points(struct ptebatch_pair *pair);
unsigned int ptebatch_pair_references(struct ptebatch_pair *pair);
bool ptebatch_pair_try(struct ptebatch_pair *pair, unsigned int point);
void ptebatch_pair_end_points(struct ptebatch_pair *pair);

#endif /* PTEBATCH_PAIR_H */
