// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "daemon.h"

static struct task_struct *find(const char *name)
{
	struct task_struct *task, *found = NULL;

	rcu_read_lock();
	for_each_process(task)
		if (task->flags & PF_KTHREAD && !strcmp(task->comm, name))
			found = task;
	if (found)
		get_task_struct(found);
	rcu_read_unlock();
	return found;
}

/**
 * ptebatch_daemon_preempts() - let a kernel thread run as soon as it is woken up, or no more
 * @name: name of the thread; without effect if there is none
 * @preempts: it preempts normal tasks
 *
 * Otherwise a task that wakes it up has to wait for a timer, which is one tick late
 * without CONFIG_HIGH_RES_TIMERS.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_daemon_preempts(const char *name, bool preempts)
{
	struct task_struct *task = find(name);

	if (!task)
		return;
	if (preempts)
		sched_set_fifo_low(task);
	else
		sched_set_normal(task, task_nice(task));
	put_task_struct(task);
}
