// SPDX-License-Identifier: GPL-2.0
/*
 * Panic if no case ends within ptebatch_kunit.limit seconds, after printing the
 * stacks of all tasks and CPUs. The timer interrupt also fires in a loop that
 * never sleeps, but not while interrupts are disabled: make run has a limit of
 * its own. Not in the module: it cannot reach the stacks, and panics of a machine
 * with other users are not its business.
 */
#include <asm/irq_regs.h>
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/nmi.h>
#include <linux/panic.h>
#include <linux/sched/debug.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

/* The thread in which KUnit runs a case or a parameter, each in one of its own. */
#define THREAD	"kunit_try_catch"

static unsigned int limit;
module_param(limit, uint, 0444);

static struct hrtimer timer;
static unsigned int seconds;	/* how long the thread of the case has been running */
static pid_t pid;		/* of the thread; 0 for none */

static void __noreturn give_up(const struct task_struct *task)
{
	const struct kunit *test = task ? task->kunit_test : NULL;
	struct pt_regs *regs = get_irq_regs();

	show_state();
	if (!trigger_all_cpu_backtrace() && regs)
		show_regs(regs);
	panic("ptebatch: no case ended within %u s, running %s:%d", limit,
	      test ? test->name : "none", test ? test->param_index : 0);
}

static enum hrtimer_restart check(struct hrtimer *hrtimer)
{
	const struct task_struct *task, *thread = NULL;

	guard(rcu)();
	for_each_process(task)
		if (strstarts(task->comm, THREAD))
			thread = task;
	if (pid != (thread ? thread->pid : 0))
		seconds = 0;
	pid = thread ? thread->pid : 0;
	if (++seconds > limit)
		give_up(thread);
	hrtimer_forward_now(hrtimer, NSEC_PER_SEC);
	return HRTIMER_RESTART;
}

static int __init watch(void)
{
	if (!limit)
		return 0;
	hrtimer_setup(&timer, check, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&timer, NSEC_PER_SEC, HRTIMER_MODE_REL_HARD);
	return 0;
}
late_initcall_sync(watch);
