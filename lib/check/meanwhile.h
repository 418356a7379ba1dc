/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries that another thread changes while an operation runs.
 */
#ifndef PTEBATCH_MEANWHILE_H
#define PTEBATCH_MEANWHILE_H

#include "trial.h"

void ptebatch_meanwhile_begin(struct ptebatch_trial *trial);
void ptebatch_meanwhile_end(struct ptebatch_trial *trial);

#endif /* PTEBATCH_MEANWHILE_H */
