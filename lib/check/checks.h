/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks that run after each operation, see checks.c. Each appends lines
 * about violations of its rule to @out, may mark entries in @trial->differs, and
 * returns true if there are none.
 */
#ifndef PTEBATCH_CHECKS_H
#define PTEBATCH_CHECKS_H

#include "trial.h"

bool ptebatch_check_model(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_returned(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_neighbours(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_flush(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_dirty(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_lists(struct ptebatch_trial *trial, struct seq_buf *out);
bool ptebatch_check_contents(struct ptebatch_trial *trial, struct seq_buf *out);

bool ptebatch_checks(struct ptebatch_trial *trial);
bool ptebatch_trial_end(struct ptebatch_trial *trial);

#endif /* PTEBATCH_CHECKS_H */
