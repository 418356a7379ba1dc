/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make the allocation of a folio for a VMA fail, and watch those that do not: a
 * kretprobe changes the result of vma_alloc_folio().
 */
#ifndef PTEBATCH_FAIL_FOLIO_H
#define PTEBATCH_FAIL_FOLIO_H

#include <linux/mm_types.h>

/* Maximum number of allocations that fail. */
#define PTEBATCH_FAIL_FOLIOS	8

const char *ptebatch_fail_folio_missing(void);
int ptebatch_fail_folio(unsigned int n);
bool ptebatch_fail_folio_end(struct folio **last);

#endif /* PTEBATCH_FAIL_FOLIO_H */
