// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/minmax.h>
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

	/* Kernel threads ignore all signals, and their children do. */
	kernel_sigaction(SIGKILL, SIG_DFL);
	errand->result = errand->work(errand->data);
	/* Not back: that would be to user mode, where there is no program. */
	do_exit(0);
}

static pid_t start(struct mm_struct *mm, int (*function)(void *data),
		   void *data)
{
	pid_t pid;

	/* A child inherits what its parent uses. */
	kthread_use_mm(mm);
	pid = user_mode_thread(function, data, SIGCHLD);
	kthread_unuse_mm(mm);
	return pid;
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
	pid_t pid = start(mm, run, &errand);

	if (pid < 0)
		return pid;
	/* Kernel threads ignore SIGCHLD, so there is no one left to reap. */
	kernel_wait(pid, NULL);
	return errand.result;
}

static int idle(void *data)
{
	struct ptebatch_idler *idler = data;

	wait_for_completion(&idler->stop);
	do_exit(0);
}

/**
 * ptebatch_idler_start() - have a process
 * @idler: gets it; ptebatch_idler_stop() is due then
 * @mm: its address space
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0, or why there is no process.
 */
int ptebatch_idler_start(struct ptebatch_idler *idler, struct mm_struct *mm)
{
	init_completion(&idler->stop);
	idler->pid = start(mm, idle, idler);
	return min(idler->pid, 0);
}

/**
 * ptebatch_idler_stop() - have it no longer
 * @idler: from ptebatch_idler_start()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_idler_stop(struct ptebatch_idler *idler)
{
	complete(&idler->stop);
	kernel_wait(idler->pid, NULL);
}
