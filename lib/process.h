/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process: a task that owns an address space, as no kernel thread does.
 */
#ifndef PTEBATCH_PROCESS_H
#define PTEBATCH_PROCESS_H

#include <linux/mm_types.h>

long ptebatch_process(struct mm_struct *mm, long (*work)(void *data),
		      void *data);

#endif /* PTEBATCH_PROCESS_H */
