// SPDX-License-Identifier: GPL-2.0
#include "../kernel/log.h"
#include "../kernel/mutation.h"
#include "../space/blocks.h"
#include "accounting.h"
#include "checks.h"
#include "rules.h"

ptebatch_check_t ptebatch_check_accounting;

/**
 * ptebatch_check_accounting() - check rule 7 (accounting)
 * @trial: the trial, stopped
 * @out: receives a line for each inconsistent counter
 *
 * Return: true if all counters agree with the page tables.
 */
bool ptebatch_check_accounting(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *taken[PTEBATCH_PLACES] = {};

	taken[trial->place - trial->space->places] = &trial->after;
	if (trial->second)
		taken[trial->second->place - trial->space->places] =
			&trial->second->after;
	return ptebatch_accounting_consistent(trial->space, taken, out);
}

ptebatch_check_t ptebatch_check_blocks;

/**
 * ptebatch_check_blocks() - check rule 25 (contpte blocks)
 * @trial: the trial, stopped
 * @out: receives the violation by the first inconsistent block
 *
 * Return: true if all blocks of the place are consistent.
 */
bool ptebatch_check_blocks(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *after = &trial->after;
	unsigned long start = trial->place->start - after->lead * PAGE_SIZE;

	return ptebatch_blocks_consistent(trial->place->mm, start,
					  start + after->nr * PAGE_SIZE, out);
}

static bool run_check(struct ptebatch_trial *trial, const char *rule,
		      ptebatch_check_t *check)
{
	struct seq_buf out;
	char wrong[80];

	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	seq_buf_init(&out, trial->text, sizeof(trial->text));
	if (check(trial, &out))
		return true;
	if (trial->quiet)
		return false;
	snprintf(wrong, sizeof(wrong), "violates %s", rule);
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
	bool passes = true;

#define CHECK(rule, name, whole) do {					\
	ptebatch_check_t ptebatch_check_##name;				\
									\
	if ((!(whole) || !trial->partial) &&				\
	    !ptebatch_mutation_without(#name))				\
		passes &= run_check(trial, rule, ptebatch_check_##name); \
} while (0)
#include "table.h"
#undef CHECK
	return passes;
}

/**
 * ptebatch_trial_end() - check the result of an operation
 * @trial: the trial of the first place; its second place is checked, too
 *
 * May be called again after a further operation.
 *
 * Context: Process context, may sleep.
 * Return: true if no rule in table.h is violated.
 */
bool ptebatch_trial_end(struct ptebatch_trial *trial)
{
	bool passes;

	ptebatch_trial_stop(trial);
	passes = ptebatch_checks(trial);
	if (trial->second && !ptebatch_checks(trial->second))
		passes = false;

	/* Last: checks read the page tables, too. */
	ptebatch_trial_repair(trial);
	if (trial->second)
		ptebatch_trial_repair(trial->second);
	return passes;
}
