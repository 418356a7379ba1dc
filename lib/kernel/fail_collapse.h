/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make a collapse by khugepaged or this task fail: a kretprobe changes the result
 * of a function that it calls.
 */
#ifndef PTEBATCH_FAIL_COLLAPSE_H
#define PTEBATCH_FAIL_COLLAPSE_H

const char *ptebatch_fail_collapse_missing(void);
int ptebatch_fail_collapse_alloc(unsigned int order);
int ptebatch_fail_collapse_copy(void);
bool ptebatch_fail_collapse_end(void);

#endif /* PTEBATCH_FAIL_COLLAPSE_H */
