/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks that run after each operation, one in each file, see table.h.
 */
#ifndef PTEBATCH_CHECKS_H
#define PTEBATCH_CHECKS_H

#include <linux/kernel.h>

#include "../row/rules.h"
#include "trial.h"

/**
 * struct ptebatch_check - a check of the result of an operation
 * @rule: the rule that it checks, see lib/row/rules.h
 * @name: its name in table.h
 * @whole: requires a trial of a whole address space
 * @state_size: size in bytes of its state, see ptebatch_check_state(); with @whole
 * @begin: records the state before the operation, that of a whole address space; may
 *         be %NULL
 * @check: appends a line about each violation to @out, or marks the wrong entries in
 *         @trial->differs, or both
 */
struct ptebatch_check {
	const char *rule;
	const char *name;
	bool whole;
	size_t state_size;
	void (*begin)(struct ptebatch_trial *trial);
	void (*check)(struct ptebatch_trial *trial, struct seq_buf *out);
};

/* The checks by name, and the table of them up to %NULL. */
extern const struct ptebatch_check
#define CHECK(name)	ptebatch_check_##name
#include "table.h"
#undef CHECK
	* const ptebatch_check_table[];

/* User processes would change the counters of the nodes, too: there are none during boot. */
static inline bool ptebatch_counts_alone(void)
{
	return system_state < SYSTEM_RUNNING;
}

bool ptebatch_left_out(const char *name);
void *ptebatch_check_state(const struct ptebatch_trial *trial,
			   const struct ptebatch_check *check);
bool ptebatch_check_passes(struct ptebatch_trial *trial,
			   const struct ptebatch_check *check, struct seq_buf *out);
bool ptebatch_entry_loses_access(const struct ptebatch_entry *before,
				 const struct ptebatch_entry *after);
void ptebatch_change_print(const struct ptebatch_trial *trial, unsigned int i,
			   const char *wrong, struct seq_buf *out);
bool ptebatch_checks(struct ptebatch_trial *trial);
struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *function,
					    const struct ptebatch_setup *setup);
struct ptebatch_trial *ptebatch_trial_next(struct kunit *test, const char *function,
					   struct ptebatch_space *space);
bool ptebatch_trial_end(struct ptebatch_trial *trial);

#endif /* PTEBATCH_CHECKS_H */
