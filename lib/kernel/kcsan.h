/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KCSAN watches a memory access for a while, and reports what another CPU does to the
 * same memory meanwhile: one of many accesses, by default.
 */
#ifndef PTEBATCH_KCSAN_H
#define PTEBATCH_KCSAN_H

#include <linux/types.h>

/* KCSAN calls it to wait while it watches an access. */
#define PTEBATCH_KCSAN_WAITS	"__udelay"

const char *ptebatch_kcsan_missing(void);
void ptebatch_kcsan_watch_each(bool each);

#endif /* PTEBATCH_KCSAN_H */
