/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process: a task that owns an address space, as no kernel thread does.
 */
#ifndef PTEBATCH_PROCESS_H
#define PTEBATCH_PROCESS_H

#include <linux/completion.h>
#include <linux/mm_types.h>

/**
 * struct ptebatch_idler - a process that does nothing, to be found by its pid
 * @pid: that
 * @stop: ends it
 */
struct ptebatch_idler {
	pid_t pid;
	struct completion stop;
};

long ptebatch_process(struct mm_struct *mm, long (*work)(void *data),
		      void *data);
int ptebatch_idler_start(struct ptebatch_idler *idler, struct mm_struct *mm);
void ptebatch_idler_stop(struct ptebatch_idler *idler);

#endif /* PTEBATCH_PROCESS_H */
