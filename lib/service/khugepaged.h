/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon khugepaged: let it scan an mm once, with the limits of a case.
 */
#ifndef PTEBATCH_KHUGEPAGED_H
#define PTEBATCH_KHUGEPAGED_H

#include <kunit/test.h>
#include <linux/mm_types.h>

#include "service.h"

int ptebatch_khugepaged_on(struct kunit_suite *suite);
void ptebatch_khugepaged_off(struct kunit_suite *suite);
const char *ptebatch_khugepaged_missing(void);

int ptebatch_khugepaged_limit(const char *name, int ptes);
int ptebatch_khugepaged_enable(unsigned long orders);
long ptebatch_khugepaged_scan(struct mm_struct *mm);

/* Of a suite, see service.h. */
#define PTEBATCH_KHUGEPAGED	{ ptebatch_khugepaged_on, ptebatch_khugepaged_off }

#endif /* PTEBATCH_KHUGEPAGED_H */
