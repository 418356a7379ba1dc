/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 7: the counts agree with the page tables.
 */
#ifndef PTEBATCH_BOOKS_H
#define PTEBATCH_BOOKS_H

#include "snapshot.h"

int ptebatch_books_balance(const struct ptebatch_space *space,
			   struct seq_buf *out);

#endif /* PTEBATCH_BOOKS_H */
