/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A case: an operation on a row, the conditions under which it runs, and what is
 * expected. Tables of cases name the first three members by position and all others
 * by designator.
 */
#ifndef PTEBATCH_CASE_H
#define PTEBATCH_CASE_H

#include "../inject/condition.h"
#include "../op/op.h"

/* The second place keeps its entries. */
#define PTEBATCH_UNCHANGED	""

/**
 * struct ptebatch_case - an operation on a row, and what is expected
 * @name: name of the case
 * @setup: the address space before the operation
 * @after: expected row; %NULL if no entry may change
 * @second: expected row of the second place: of a destination, in which "@" is its
 *          offset in the page table, of a child, or, with @setup.twice, of the other
 *          mapping; %PTEBATCH_UNCHANGED; %NULL: not compared
 * @op: the operation
 * @arg: argument of the operation, instead of that of @op; 0: that of @op
 * @ret: expected return value, if @op does not count pages
 * @with: the conditions
 * @filled: the pages are filled before, and their contents are checked
 * @onto_second: the destination is the second mapping of the row
 * @no_twin: the twin does not run, as if @op had none
 * @no_model: the model of @op does not cover the case
 * @check: what else the suite checks, of the kernel's result and of the twin's; may
 *         be %NULL
 */
struct ptebatch_case {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	const char *second;
	const struct ptebatch_op *op;
	unsigned long arg;
	long ret;
	struct ptebatch_condition with[PTEBATCH_CONDITIONS];
	bool filled;
	bool onto_second;
	bool no_twin;
	bool no_model;
	void (*check)(struct ptebatch_trial *trial, const struct ptebatch_case *row);
};

struct ptebatch_trial *ptebatch_op_begin(struct kunit *test,
					 const struct ptebatch_op *op,
					 const struct ptebatch_setup *setup,
					 bool twin);
struct ptebatch_trial *ptebatch_op_second(struct ptebatch_trial *trial,
					  const struct ptebatch_op *op,
					  const struct ptebatch_place *place);
struct ptebatch_trial *ptebatch_case_call(struct kunit *test,
					  const struct ptebatch_case *row, bool twin,
					  bool *passes);
struct ptebatch_trial *ptebatch_case_try(struct kunit *test,
					 const struct ptebatch_case *row, bool twin,
					 bool *passes);
bool ptebatch_case_run(struct kunit *test, const struct ptebatch_case *row);
void ptebatch_case_param(struct kunit *test);

#endif /* PTEBATCH_CASE_H */
