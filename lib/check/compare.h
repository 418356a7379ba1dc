/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compare the result of an operation with a picture or with that of the twin.
 */
#ifndef PTEBATCH_COMPARE_H
#define PTEBATCH_COMPARE_H

#include "trial.h"

struct ptebatch_row *ptebatch_picture(struct kunit *test, const char *picture);
bool ptebatch_trial_expect(struct ptebatch_trial *trial, const char *picture);
bool ptebatch_trial_untouched(struct ptebatch_trial *trial);
bool ptebatch_trial_same(struct ptebatch_trial *trial,
			 const struct ptebatch_trial *twin);
bool ptebatch_trial_halfway(struct ptebatch_trial *trial, const char *done,
			    unsigned int at);
void ptebatch_trial_expect_old(const struct ptebatch_trial *trial, const char *picture);
void ptebatch_trial_expect_old_in(const struct ptebatch_trial *trial,
				  const unsigned long *entries, const char *where);
bool ptebatch_trial_allows(struct ptebatch_trial *trial,
			   const struct ptebatch_row *expected);

#endif /* PTEBATCH_COMPARE_H */
