/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pairs of steps that run interleaved, and where the first one pauses: those of a
 * table, a random sample, or all.
 */
#ifndef PTEBATCH_INTERLEAVE_H
#define PTEBATCH_INTERLEAVE_H

#include <kunit/test.h>

#include "../kernel/kcsan.h"
#include "pair.h"

/* At each memory access in mm/, while KCSAN watches it. */
#define PTEBATCH_EACH_ACCESS	PTEBATCH_KCSAN_WAITS

/**
 * struct ptebatch_interleavings - what is combined
 * @rows: the rows
 * @nr_rows: number of rows
 * @steps: the steps
 * @nr_steps: number of steps
 */
struct ptebatch_interleavings {
	const struct ptebatch_pair_row *rows;
	unsigned int nr_rows;
	const struct ptebatch_pair_step *steps;
	unsigned int nr_steps;
};

/**
 * struct ptebatch_interleave_case - two steps, and where the first one pauses
 * @row: the row
 * @first: the step that pauses
 * @at: name of the kernel function at whose calls it pauses: at each call in turn; or
 *      PTEBATCH_EACH_ACCESS
 * @second: the step that runs meanwhile
 */
struct ptebatch_interleave_case {
	const struct ptebatch_pair_row *row;
	const char *first;
	const char *at;
	const char *second;
};

/**
 * struct ptebatch_interleave_function - a function before whose instructions a step pauses
 * @function: name of the kernel function, which is not inlined
 * @row: the row
 * @first: the step that pauses
 * @each: of all points, each instruction is one, not only one of four
 */
struct ptebatch_interleave_function {
	const char *function;
	const struct ptebatch_pair_row *row;
	const char *first;
	bool each;
};

void ptebatch_interleave_desc(const struct ptebatch_interleave_case *param, char *desc);
void ptebatch_interleave_param(struct kunit *test, const struct ptebatch_interleavings *all);
void ptebatch_interleave_calls(struct kunit *test, const struct ptebatch_interleavings *all,
			       const char * const *calls);
void ptebatch_interleave_instructions(struct kunit *test,
				      const struct ptebatch_interleavings *all,
				      const struct ptebatch_interleave_function *functions,
				      unsigned int nr);

#endif /* PTEBATCH_INTERLEAVE_H */
