// SPDX-License-Identifier: GPL-2.0
/*
 * The paused task spins, as most points hold a spinlock or have interrupts
 * disabled. The second task spins, too, until the first one pauses: a wake-up is
 * not possible at each point.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include "../kernel/probe.h"
#include "pause.h"

/*
 * A lock waiter shows in the lock, but not if it waits for an IPI, or if the
 * lock is none of a page table. Then the pause ends after its CPU has answered
 * this number of interrupts, a millisecond apart. Not after a time: a busy host
 * may not run the CPU meanwhile. With KCSAN, its steps take longer.
 */
#define INTERRUPTS	(IS_ENABLED(CONFIG_KCSAN) ? 20 : 5)

/* Time in microseconds between two looks at the second task. */
#define STEP		5U

/*
 * A task that sleeps for so many looks is blocked: before, it may wait for a kernel thread
 * or for RCU.
 */
#define ASLEEP		200

/* After this time without an end, the second task is blocked. */
#define EXIT_TIME	(10 * HZ)

/* The second CPU, -1 if there is none; was it offline before the suite? */
static int online = -1;
static bool brought_online;

static void answer(void *data)
{
	struct ptebatch_pause *pause = data;

	WRITE_ONCE(pause->answered, pause->answered + 1);
}

/* Interrupt the second CPU now and then: has it run for a while? */
static bool has_run(struct ptebatch_pause *pause, unsigned int us)
{
	if (READ_ONCE(pause->answered) != pause->asked)
		return false;
	if (pause->asked == INTERRUPTS)
		return true;
	if (us >= pause->asked_at + USEC_PER_MSEC) {
		pause->asked_at = us;
		pause->asked++;
		INIT_CSD(&pause->interrupt, answer, pause);
		smp_call_function_single_async(online, &pause->interrupt);
	}
	return false;
}

static bool is_contended(const struct ptebatch_pause *pause)
{
	return pause->ptl && spin_is_contended(pause->ptl);
}

static bool is_waiting(struct ptebatch_pause *pause, unsigned int us)
{
	if (!READ_ONCE(pause->started))
		return false;
	switch (pause->until) {
	case PTEBATCH_UNTIL_DONE:
		return false;
	case PTEBATCH_UNTIL_STARTED:
		return true;
	case PTEBATCH_UNTIL_ASLEEP:
		return !task_is_running(pause->second);
	case PTEBATCH_UNTIL_BLOCKED:
		if (task_is_running(pause->second))
			return is_contended(pause) || has_run(pause, us);
		return ++pause->asleep == ASLEEP;
	case PTEBATCH_UNTIL_SPINNING:
		if (has_run(pause, us))
			return true;
		fallthrough;
	case PTEBATCH_UNTIL_CONTENDED:
		return is_contended(pause);
	}
	return false;
}

static bool may_sleep(void)
{
	return preemptible() && !rcu_preempt_depth();
}

/**
 * ptebatch_pause_at() - pause if this is the point of the pause
 * @pause: the pause
 * @point: the point that the current task has reached
 *
 * Only the first time, and only the task that called ptebatch_pause_begin().
 *
 * Context: Any.
 */
void ptebatch_pause_at(struct ptebatch_pause *pause, enum ptebatch_point point)
{
	unsigned int us = 0;

	if (point != pause->point || current != pause->task || pause->reached ||
	    READ_ONCE(pause->over))
		return;
	/* Pairs with work(): the second task sees what is done up to here. */
	smp_store_release(&pause->reached, true);
	do {
		/* No clock: while interrupts are off, jiffies may stand still. */
		udelay(STEP);
		/* The second task may wait for a kernel thread of this CPU. */
		if (may_sleep())
			cond_resched();
		us += STEP;
		/* Pairs with work(): its result is complete. */
		if (smp_load_acquire(&pause->done)) {
			pause->finished = true;
			return;
		}
		pause->expired = us > PTEBATCH_PAUSE_LIMIT;
	} while (!pause->expired && !is_waiting(pause, us));
}

static int second_cpu(void)
{
	return cpumask_next(cpumask_first(cpu_online_mask), cpu_online_mask);
}

static void bring_online(void)
{
	unsigned int cpu;

	brought_online = false;
	if (num_online_cpus() == 1)
		for_each_present_cpu(cpu)
			if (!brought_online && !cpu_online(cpu))
				brought_online = !add_cpu(cpu);
	online = num_online_cpus() > 1 ? second_cpu() : -1;
}

static void take_offline(void)
{
	if (brought_online)
		remove_cpu(online);
	online = -1;
}

#ifdef CONFIG_KPROBES

/* The pause that probes serve; %NULL: none. */
static struct ptebatch_pause *active;

static int pause_here(struct kprobe *probe, struct pt_regs *regs);

#define PROBE(function) { .symbol_name = #function, .pre_handler = pause_here }

static struct kprobe probes[PTEBATCH_NR_POINTS] = {
	[PTEBATCH_SECOND_TABLE] = PROBE(pte_offset_map_rw_nolock),
	[PTEBATCH_GUP_READ] = PROBE(try_grab_folio_fast),
	[PTEBATCH_GUP_PINNED] = PROBE(gup_fast_folio_allowed),
	[PTEBATCH_NEW_FLAGS] = PROBE(vma_modify_flags),
	[PTEBATCH_VMA_COPIED] = PROBE(anon_vma_clone),
	[PTEBATCH_VMA_MERGED] = PROBE(vm_area_free),
};

static int pause_here(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_pause *pause = READ_ONCE(active);

	if (pause)
		ptebatch_pause_at(pause, probe - probes);
	return 0;
}

static bool registered[PTEBATCH_NR_POINTS];

static void register_probes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		registered[i] = probes[i].symbol_name &&
				!ptebatch_probe_begin(&probes[i]);
}

static void unregister_probes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!registered[i])
			continue;
		unregister_kprobe(&probes[i]);
		/* For another registration, when the module's suites run again. */
		probes[i].addr = NULL;
		probes[i].flags = 0;
		registered[i] = false;
	}
}

static bool is_reachable(enum ptebatch_point point)
{
	return !probes[point].symbol_name || registered[point];
}

static void set_active(struct ptebatch_pause *pause)
{
	WRITE_ONCE(active, pause);
}

#else /* !CONFIG_KPROBES */

static void register_probes(void)
{
}

static void unregister_probes(void)
{
}

static bool is_reachable(enum ptebatch_point point)
{
	return point < PTEBATCH_SECOND_TABLE;
}

static void set_active(struct ptebatch_pause *pause)
{
}

#endif

/**
 * ptebatch_pause_on() - prepare for pauses; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_pause_off()
 *
 * Brings a second CPU online if only one is.
 *
 * Context: Process context, may sleep.
 * Return: 0, even if no task can pause, see ptebatch_pause_missing().
 */
int ptebatch_pause_on(struct kunit_suite *suite)
{
	bring_online();
	register_probes();
	return 0;
}

/**
 * ptebatch_pause_off() - undo ptebatch_pause_on(); for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_pause_off(struct kunit_suite *suite)
{
	unregister_probes();
	take_offline();
}

/**
 * ptebatch_pause_missing() - get the reason why no task can pause at a point
 * @point: the point
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_pause_missing(enum ptebatch_point point)
{
	if (!IS_ENABLED(CONFIG_MMU_NOTIFIER))
		return "two threads need CONFIG_MMU_NOTIFIER";
	if (online < 0)
		return "two threads need two CPUs, for example QEMU's -smp 2";
	if (!is_reachable(point))
		return IS_ENABLED(CONFIG_KPROBES) ?
		       "the compiler has inlined the function at which a thread pauses" :
		       "no pause inside of functions without CONFIG_KPROBES";
	return NULL;
}

static int work(void *data)
{
	struct ptebatch_pause *pause = data;

	if (pause->mm)
		kthread_use_mm(pause->mm);
	if (pause->warm_up)
		pause->warm_up(pause->data);
	complete(&pause->ready);
	/* Pairs with ptebatch_pause_at(). */
	while (!smp_load_acquire(&pause->reached) && !READ_ONCE(pause->over))
		cpu_relax();
	if (pause->reached) {
		WRITE_ONCE(pause->started, true);
		pause->result = pause->work(pause->data);
	}
	/* Pairs with ptebatch_pause_at(). */
	smp_store_release(&pause->done, true);
	if (pause->mm)
		kthread_unuse_mm(pause->mm);
	complete(&pause->exited);
	return 0;
}

/**
 * ptebatch_pause_begin() - start the second task; from now on the current task
 *                          pauses at the point
 * @pause: the pause; the caller has set the fields before @result. After success,
 *         the caller calls ptebatch_pause_end().
 *
 * One pause at a time. The current task is bound to a CPU from now on.
 *
 * Context: Process context, may sleep.
 * Return: 0, or an error of kthread_create().
 */
int ptebatch_pause_begin(struct ptebatch_pause *pause)
{
	struct task_struct *second;

	second = kthread_create(work, pause, "ptebatch");
	if (IS_ERR(second))
		return PTR_ERR(second);
	kthread_bind(second, online);
	/* No kworker there may take its CPU, and wait for the CPU of a paused task. */
	sched_set_fifo(second);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	pause->task = current;
	pause->second = get_task_struct(second);
	init_completion(&pause->ready);
	init_completion(&pause->exited);
	wake_up_process(second);
	wait_for_completion(&pause->ready);
	set_active(pause);
	return 0;
}

/**
 * ptebatch_pause_end() - wait for the end of the second task
 * @pause: the pause
 *
 * If the current task has not reached the point, the second task does nothing.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_pause_end(struct ptebatch_pause *pause)
{
	ptebatch_pause_at(pause, PTEBATCH_RETURNED);
	set_active(NULL);
	WRITE_ONCE(pause->over, true);
	/* A kernel that blocks it for good ends the run at its time limit. */
	if (!wait_for_completion_timeout(&pause->exited, EXIT_TIME)) {
		pr_err("ptebatch: the second task is blocked after the first has returned\n");
		sched_show_task(pause->second);
		trigger_all_cpu_backtrace();
		wait_for_completion(&pause->exited);
	}
	while (READ_ONCE(pause->answered) != pause->asked)
		cpu_relax();
	put_task_struct(pause->second);
}
