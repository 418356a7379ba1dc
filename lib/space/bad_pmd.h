/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Corrupt the PMD of a page table during an operation.
 */
#ifndef PTEBATCH_BAD_PMD_H
#define PTEBATCH_BAD_PMD_H

#include "types.h"

void ptebatch_bad_pmd_begin(struct ptebatch_space *space);
void ptebatch_bad_pmd_end(struct ptebatch_space *space);

#endif /* PTEBATCH_BAD_PMD_H */
