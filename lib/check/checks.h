/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks that run after each operation, see table.h.
 */
#ifndef PTEBATCH_CHECKS_H
#define PTEBATCH_CHECKS_H

#include "trial.h"

/*
 * A check: appends lines about violations of its rule to @out, may mark entries
 * in @trial->differs, and returns true if there are none.
 */
typedef bool ptebatch_check_t(struct ptebatch_trial *trial, struct seq_buf *out);

bool ptebatch_entry_loses_access(const struct ptebatch_entry *before,
				 const struct ptebatch_entry *after);
void ptebatch_change_print(const struct ptebatch_trial *trial, unsigned int i,
			   const char *wrong, struct seq_buf *out);
bool ptebatch_checks(struct ptebatch_trial *trial);
bool ptebatch_trial_end(struct ptebatch_trial *trial);

#endif /* PTEBATCH_CHECKS_H */
