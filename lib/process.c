// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "process.h"

struct errand {
	long (*work)(void *data);
	void *data;
	long result;
};

static int run(void *data)
{
	struct errand *errand = data;

	errand->result = errand->work(errand->data);
	/* Not back: that would be to user mode, where there is no program. */
	do_exit(0);
}

/**
 * ptebatch_process() - do something as a process
 * @mm: the address space, which is the process's own meanwhile
 * @work: what to do; system calls take addresses in @mm as a user's
 * @data: for @work
 *
 * The process has gone, and with it its reference to @mm, when this returns.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: what @work returns, or why there is no process.
 */
long ptebatch_process(struct mm_struct *mm, long (*work)(void *data),
		      void *data)
{
	struct errand errand = { .work = work, .data = data };
	pid_t pid;

	/* A child inherits what its parent uses. */
	kthread_use_mm(mm);
	pid = user_mode_thread(run, &errand, SIGCHLD);
	kthread_unuse_mm(mm);
	if (pid < 0)
		return pid;
	/* Kernel threads ignore SIGCHLD, so there is no one left to reap. */
	kernel_wait(pid, NULL);
	return errand.result;
}
