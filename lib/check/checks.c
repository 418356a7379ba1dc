// SPDX-License-Identifier: GPL-2.0
#include "../kernel/log.h"
#include "../space/blocks.h"
#include "accounting.h"
#include "checks.h"
#include "rules.h"

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

/**
 * struct check - a rule that holds after each operation
 * @rule: number and text of the rule
 * @passes: checks the rule
 * @whole: requires that the trial covers its whole address space
 */
struct check {
	const char *rule;
	bool (*passes)(struct ptebatch_trial *trial, struct seq_buf *out);
	bool whole;
};

static const struct check checks[] = {
#define CHECK(rule, name, whole)	{ rule, ptebatch_check_##name, whole },
#include "table.h"
#undef CHECK
};

static void report(struct ptebatch_trial *trial, const struct check *check,
		   struct seq_buf *out)
{
	char wrong[80];

	snprintf(wrong, sizeof(wrong), "violates %s", check->rule);
	ptebatch_trial_print(trial, wrong);
	ptebatch_print_lines(trial->test, out);
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
	const struct check *check;
	struct seq_buf out;
	bool passes = true;

	for (check = checks; check < checks + ARRAY_SIZE(checks); check++) {
		if (check->whole && trial->partial)
			continue;
		bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
		seq_buf_init(&out, trial->text, sizeof(trial->text));
		if (check->passes(trial, &out))
			continue;
		passes = false;
		if (!trial->quiet)
			report(trial, check, &out);
	}
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
