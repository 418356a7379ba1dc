/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record the state before an operation that the checks of these names compare
 * with: the end of ptebatch_trial_begin().
 */
#ifndef PTEBATCH_BEGIN_H
#define PTEBATCH_BEGIN_H

struct ptebatch_trial;

void ptebatch_slots_begin(struct ptebatch_trial *trial);
void ptebatch_mlocked_begin(struct ptebatch_trial *trial);
void ptebatch_mapped_begin(struct ptebatch_trial *trial);
void ptebatch_deferred_begin(struct ptebatch_trial *trial);
void ptebatch_watermark_begin(struct ptebatch_trial *trial);

#endif /* PTEBATCH_BEGIN_H */
