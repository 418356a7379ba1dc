/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in the pages of a row: bytes by which each is known.
 */
#ifndef PTEBATCH_BYTES_H
#define PTEBATCH_BYTES_H

#include "trial.h"

void ptebatch_bytes_fill(struct ptebatch_space *space);
bool ptebatch_bytes_kept(const struct ptebatch_trial *trial,
			 struct seq_buf *out);
void ptebatch_bytes_expect(const struct ptebatch_trial *trial);

#endif /* PTEBATCH_BYTES_H */
