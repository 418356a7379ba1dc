/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon khugepaged: let it scan an mm once, with the limits of a case.
 */
#ifndef PTEBATCH_KHUGEPAGED_H
#define PTEBATCH_KHUGEPAGED_H

#include <kunit/test.h>
#include <linux/mm_types.h>

#include "service.h"

/**
 * struct ptebatch_khugepaged - settings of khugepaged, for anonymous memory
 * @orders: one bit for each order of the folios that it may allocate
 * @max_ptes_none: highest number of empty entries in a page table
 * @max_ptes_swap: highest number of non-present entries
 * @max_ptes_shared: highest number of entries of shared folios
 */
struct ptebatch_khugepaged {
	unsigned long orders;
	unsigned int max_ptes_none;
	unsigned int max_ptes_swap;
	unsigned int max_ptes_shared;
};

int ptebatch_khugepaged_on(struct kunit_suite *suite);
void ptebatch_khugepaged_off(struct kunit_suite *suite);
const char *ptebatch_khugepaged_missing(void);

int ptebatch_khugepaged_set(const struct ptebatch_khugepaged *settings);
void ptebatch_khugepaged_reset(void);
long ptebatch_khugepaged_scan(struct mm_struct *mm);

/* Of a suite, see service.h. */
#define PTEBATCH_KHUGEPAGED	{ ptebatch_khugepaged_on, ptebatch_khugepaged_off }

#endif /* PTEBATCH_KHUGEPAGED_H */
