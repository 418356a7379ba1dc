/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 7: the counters are consistent with the page tables.
 */
#ifndef PTEBATCH_ACCOUNTING_H
#define PTEBATCH_ACCOUNTING_H

#include "../space/snapshot.h"

bool ptebatch_accounting_consistent(const struct ptebatch_space *space,
				    const struct ptebatch_snapshot *const *taken,
				    struct seq_buf *out);

#endif /* PTEBATCH_ACCOUNTING_H */
