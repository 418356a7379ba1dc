/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make a slab allocation of the current task fail, with CONFIG_FAILSLAB.
 */
#ifndef PTEBATCH_FAIL_NTH_H
#define PTEBATCH_FAIL_NTH_H

#include <linux/sched.h>

/* Make the @n-th allocation from here on fail. */
static inline void ptebatch_fail_nth(unsigned int n)
{
#ifdef CONFIG_FAILSLAB
	current->fail_nth = n;
#endif
}

/* Stop; returns true if an allocation has failed. */
static inline bool ptebatch_fail_nth_end(void)
{
#ifdef CONFIG_FAILSLAB
	bool failed = !current->fail_nth;

	current->fail_nth = 0;
	return failed;
#else
	return false;
#endif
}

#endif /* PTEBATCH_FAIL_NTH_H */
