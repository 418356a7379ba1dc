// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "lose_table.h"
#include "probe.h"

/**
 * ptebatch_lose_table_missing() - get the reason why no call can lose its table
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_lose_table_missing(void)
{
	return IS_ENABLED(CONFIG_KRETPROBES) ? NULL :
	       "no page table changes before its lock without CONFIG_KRETPROBES";
}

#ifdef CONFIG_KRETPROBES

/* The call that returns NULL, and the task that makes it; %NULL: done. */
static struct ptebatch_lose wanted;
static struct task_struct *task;

/* A call: where it stores its lock; %NULL: the function takes none. */
struct call {
	spinlock_t **ptl;	/* of the page table */
};

static int enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;
	unsigned long addr = regs_get_kernel_argument(regs, 2);

	if (current != task || addr < wanted.start || addr >= wanted.end ||
	    regs_get_kernel_argument(regs, 0) != (unsigned long)wanted.mm)
		return 1;
	call->ptl = NULL;
	if (!strcmp(wanted.function, "pte_offset_map_lock"))
		call->ptl = (spinlock_t **)regs_get_kernel_argument(regs, 3);
	return 0;
}

static int leave(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;
	pte_t *pte = (pte_t *)regs_return_value(regs);

	/* Without a page table there is nothing to lose. */
	if (!task || !pte || wanted.call--)
		return 0;
	task = NULL;
	if (call->ptl)
		spin_unlock(*call->ptl);
	pte_unmap(pte);
	regs_set_return_value(regs, 0);
	return 0;
}

static struct ptebatch_retprobe probe;

/**
 * ptebatch_lose_table() - make a call of this task lose its page table
 * @lose: which call; only those from here on count that find a page table
 *
 * After success, the caller calls ptebatch_lose_table_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of ptebatch_retprobe_begin().
 */
int ptebatch_lose_table(const struct ptebatch_lose *lose)
{
	int err;

	probe = (struct ptebatch_retprobe) {
		.probe.kp.symbol_name = lose->function,
		.probe.entry_handler = enter,
		.probe.handler = leave,
		.probe.data_size = sizeof(struct call),
	};
	wanted = *lose;
	task = current;
	err = ptebatch_retprobe_begin(&probe);
	if (err)
		wanted.function = NULL;
	return err;
}

/**
 * ptebatch_lose_table_end() - stop; without effect if it is not started
 *
 * Context: Process context, may sleep.
 * Return: true if no call is left that should have lost its page table.
 */
bool ptebatch_lose_table_end(void)
{
	bool done = !task;

	if (!wanted.function)
		return true;
	ptebatch_retprobe_end(&probe);
	wanted.function = NULL;
	task = NULL;
	return done;
}

#else

int ptebatch_lose_table(const struct ptebatch_lose *lose)
{
	return -EOPNOTSUPP;
}

bool ptebatch_lose_table_end(void)
{
	return true;
}

#endif
