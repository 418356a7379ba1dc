/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a process in /proc.
 */
#ifndef PTEBATCH_PROC_H
#define PTEBATCH_PROC_H

#include <kunit/test.h>
#include <linux/fs.h>

#include "service.h"

int ptebatch_proc_on(struct kunit_suite *suite);
void ptebatch_proc_off(struct kunit_suite *suite);
long ptebatch_proc_call(struct mm_struct *mm, const char *name, int flags,
			long (*work)(struct file *file, void *data), void *data);
struct file *ptebatch_proc_open(pid_t pid, const char *name, int flags);

/* Of a suite, see service.h. */
#define PTEBATCH_PROC		{ ptebatch_proc_on, ptebatch_proc_off }

#endif /* PTEBATCH_PROC_H */
