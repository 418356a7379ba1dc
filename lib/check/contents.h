/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents of the pages of a row: a pattern that identifies each page.
 */
#ifndef PTEBATCH_CONTENTS_H
#define PTEBATCH_CONTENTS_H

#include "trial.h"

void ptebatch_contents_fill(struct ptebatch_space *space);
bool ptebatch_contents_kept(const struct ptebatch_trial *trial,
			    struct seq_buf *out);
void ptebatch_contents_expect(const struct ptebatch_trial *trial);

#endif /* PTEBATCH_CONTENTS_H */
