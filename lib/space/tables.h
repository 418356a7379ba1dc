/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detect batches that run past an end of a page table.
 */
#ifndef PTEBATCH_TABLES_H
#define PTEBATCH_TABLES_H

#include <linux/seq_buf.h>

#include "types.h"

int ptebatch_tables_alloc(struct ptebatch_space *space, struct ptebatch_place *place);
void ptebatch_tables_copy(struct ptebatch_space *space);
void ptebatch_tables_check(const struct ptebatch_place *place, struct seq_buf *out);
void ptebatch_tables_free(struct ptebatch_place *place);
pte_t *ptebatch_tables_behind(const struct ptebatch_place *place, unsigned int table);

#endif /* PTEBATCH_TABLES_H */
