// SPDX-License-Identifier: GPL-2.0
#include "../check/checks.h"
#include "../check/compare.h"
#include "../check/meanwhile.h"
#include "rows.h"

/* The index of a picture's first entry in its page table. */
static unsigned int first_entry(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row = ptebatch_picture(test, picture);
	unsigned int first = row->first;

	kunit_kfree(test, row);
	return first;
}

static void begin_second(struct ptebatch_trial *trial, const struct ptebatch_run *run)
{
	const struct ptebatch_place *place = &trial->space->places[1];

	if (!run->op->forks && !run->op->moves)
		return;
	if (run->op->moves && !run->onto_second)
		place = ptebatch_space_add_place(trial->space,
						 first_entry(trial->test, run->second));
	ptebatch_op_second(trial, run->op, place);
}

/**
 * ptebatch_row_call() - run an operation on a row, whatever its entries become
 * @test: the case; fails if a rule is violated or the return value is wrong
 * @run: the operation; its expected rows and its own check are not used
 * @twin: run the twin
 * @passes: set to false if the case fails
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, ended; released at the end of the case.
 */
struct ptebatch_trial *ptebatch_row_call(struct kunit *test,
					 const struct ptebatch_run *run, bool twin,
					 bool *passes)
{
	const struct ptebatch_op *op = run->op;
	struct ptebatch_trial *trial;

	trial = ptebatch_op_begin(test, op, run->setup, twin);
	begin_second(trial, run);
	ptebatch_meanwhile_begin(trial);
	if (run->prepare)
		run->prepare(trial, run->data);
	trial->returned = op->call(op, trial->space, twin);
	if (run->undo)
		run->undo(trial, run->data);
	ptebatch_meanwhile_end(trial);
	*passes &= ptebatch_trial_end(trial);
	if (!op->counts && trial->returned != run->ret) {
		KUNIT_FAIL(test, "%s returns %ld, expected %ld", trial->function,
			   trial->returned, run->ret);
		*passes = false;
	}
	return trial;
}

/**
 * ptebatch_row_try() - run an operation on a row once
 * @test: the case; fails if the result is not as expected
 * @run: the operation, and what is expected
 * @twin: run the twin
 * @passes: set to false if the result is not as expected
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, ended; released at the end of the case.
 */
struct ptebatch_trial *ptebatch_row_try(struct kunit *test,
					const struct ptebatch_run *run, bool twin,
					bool *passes)
{
	struct ptebatch_trial *trial = ptebatch_row_call(test, run, twin, passes);

	*passes &= run->after ? ptebatch_trial_expect(trial, run->after) :
				ptebatch_trial_untouched(trial);
	if (run->second)
		*passes &= ptebatch_trial_expect(trial->second, run->second);
	if (run->check)
		run->check(trial, run->data);
	return trial;
}

/**
 * ptebatch_row_run() - run an operation on a row, and its twin on an equal row
 * @test: the case; fails if a result is not as expected, or if they differ
 * @run: the operation, and what is expected
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: true if both results are as expected and the same.
 */
bool ptebatch_row_run(struct kunit *test, const struct ptebatch_run *run)
{
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	kernel = ptebatch_row_try(test, run, false, &passes);
	/* The twin would repeat the failure. */
	if (!passes || run->op->no_twin)
		return passes;
	twin = ptebatch_row_try(test, run, true, &passes);
	return ptebatch_trial_same(kernel, twin) && passes;
}
