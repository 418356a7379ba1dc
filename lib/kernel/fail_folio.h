/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make the allocation of a folio fail, for a VMA or for a migration, or of a page,
 * and watch those that do not: a kretprobe changes the result of the function.
 */
#ifndef PTEBATCH_FAIL_FOLIO_H
#define PTEBATCH_FAIL_FOLIO_H

#include <linux/mm_types.h>

/* Maximum number of allocations that fail. */
#define PTEBATCH_FAIL_FOLIOS	8

/* The functions. */
#define PTEBATCH_FAIL_VMA	"vma_alloc_folio_noprof"
#define PTEBATCH_FAIL_MIGRATION	"__folio_alloc_noprof"
#define PTEBATCH_FAIL_PAGE	"get_free_pages_noprof"

const char *ptebatch_fail_folio_missing(void);
int ptebatch_fail_folio(const char *function, unsigned int n);
bool ptebatch_fail_folio_end(struct folio **last);

#endif /* PTEBATCH_FAIL_FOLIO_H */
