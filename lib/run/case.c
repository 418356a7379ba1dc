// SPDX-License-Identifier: GPL-2.0
#include "../check/checks.h"
#include "../check/compare.h"
#include "../check/contents.h"
#include "case.h"

/**
 * ptebatch_op_begin() - begin the trial of an operation
 * @test: the case
 * @op: the operation
 * @setup: set-up of the address space
 * @twin: the trial is of the twin
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_op_begin(struct kunit *test,
					 const struct ptebatch_op *op,
					 const struct ptebatch_setup *setup,
					 bool twin)
{
	struct ptebatch_trial *trial;
	char function[64];

	snprintf(function, sizeof(function), "%s%s", twin ? "the twin of " : "",
		 op->function);
	trial = ptebatch_trial_begin(test, function, setup);
	trial->call = ptebatch_op_call(op, setup);
	trial->one_by_one = twin;
	return trial;
}

/**
 * ptebatch_op_second() - begin the trial of an operation's second place
 * @trial: trial of the first place, begun
 * @op: the operation
 * @place: destination of a move, or child of a fork
 *
 * Context: Process context, may sleep.
 * Return: the trial of the second place, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_op_second(struct ptebatch_trial *trial,
					  const struct ptebatch_op *op,
					  const struct ptebatch_place *place)
{
	struct ptebatch_trial *second = ptebatch_trial_second(trial, place);

	second->call.model = op->second_model;
	return second;
}

/* The index of a picture's first entry in its page table. */
static unsigned int first_entry(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row = ptebatch_picture(test, picture);
	unsigned int first = row->first;

	kunit_kfree(test, row);
	return first;
}

static void begin_second(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_place *place = &trial->space->places[1];
	const struct ptebatch_op *op = row->op;

	if (op->moves && !row->onto_second)
		place = ptebatch_space_add_place(trial->space,
						 first_entry(trial->test, row->second));
	if (op->forks || op->moves)
		ptebatch_op_second(trial, op, place);
	else if (row->setup.twice && row->second)
		ptebatch_trial_second(trial, place);
}

static void need(struct kunit *test, const struct ptebatch_case *row)
{
	const char *missing = ptebatch_op_missing(row->op);

	if (missing)
		kunit_skip(test, "%s", missing);
	ptebatch_conditions_need(test, row->with);
}

/**
 * ptebatch_case_call() - run a case once, whatever its entries become
 * @test: the case; fails if a rule is violated, a condition is not met or the return
 *        value is wrong
 * @row: the case; its expected rows and its own check are not used
 * @twin: run the twin
 * @passes: set to false if a rule is violated or the return value is wrong
 *
 * Skips the case if the kernel lacks the operation or a condition.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, ended; released at the end of the case.
 */
struct ptebatch_trial *ptebatch_case_call(struct kunit *test,
					  const struct ptebatch_case *row, bool twin,
					  bool *passes)
{
	struct ptebatch_op op = *row->op;
	struct ptebatch_trial *trial;
	struct ptebatch_use *uses;

	need(test, row);
	op.arg = row->arg ?: op.arg;
	trial = ptebatch_op_begin(test, &op, &row->setup, twin);
	begin_second(trial, row);
	if (row->no_model)
		trial->call.model = NULL;
	if (row->no_model && trial->second)
		trial->second->call.model = NULL;
	if (row->filled)
		ptebatch_contents_fill(trial);
	uses = ptebatch_conditions_begin(trial, row->with);
	trial->returned = op.call(&op, trial->space, twin);
	ptebatch_conditions_end(uses);
	*passes &= ptebatch_trial_end(trial);
	if (!op.counts && trial->returned != row->ret) {
		KUNIT_FAIL(test, "%s returns %ld, expected %ld", trial->function,
			   trial->returned, row->ret);
		*passes = false;
	}
	return trial;
}

/**
 * ptebatch_case_try() - run a case once
 * @test: the case; fails if the result is not as expected
 * @row: the case
 * @twin: run the twin
 * @passes: set to false if the entries or the return value are not as expected
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, ended; released at the end of the case.
 */
struct ptebatch_trial *ptebatch_case_try(struct kunit *test,
					 const struct ptebatch_case *row, bool twin,
					 bool *passes)
{
	struct ptebatch_trial *trial = ptebatch_case_call(test, row, twin, passes);

	*passes &= row->after ? ptebatch_trial_expect(trial, row->after) :
				ptebatch_trial_untouched(trial);
	if (row->second)
		*passes &= *row->second ? ptebatch_trial_expect(trial->second, row->second) :
					  ptebatch_trial_untouched(trial->second);
	if (row->check)
		row->check(trial, row);
	return trial;
}

/**
 * ptebatch_case_run() - run a case, and the twin of its operation on an equal row
 * @test: the case; fails if a result is not as expected, or if they differ
 * @row: the case
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: true if both results are as expected and the same.
 */
bool ptebatch_case_run(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	kernel = ptebatch_case_try(test, row, false, &passes);
	/* The twin would repeat the failure. */
	if (!passes || row->op->no_twin || row->no_twin)
		return passes;
	twin = ptebatch_case_try(test, row, true, &passes);
	return ptebatch_trial_same(kernel, twin) && passes;
}

/**
 * ptebatch_case_param() - run the case that is the parameter of the test
 * @test: the case, with a struct ptebatch_case as its parameter
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_case_param(struct kunit *test)
{
	ptebatch_case_run(test, test->param_value);
}
