// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "fail_table.h"
#include "probe.h"

/**
 * ptebatch_fail_table_missing() - get the reason why no allocation can fail
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_fail_table_missing(void)
{
	return IS_ENABLED(CONFIG_KRETPROBES) ? NULL :
	       "cannot make the allocation of a page table fail without CONFIG_KRETPROBES";
}

#ifdef CONFIG_KRETPROBES

/* The task whose allocations are counted, and how many until one fails. */
static struct task_struct *task;
static unsigned int left;

/*
 * The page table was allocated and stays, as if another thread had allocated it
 * later. The mm frees it.
 */
static int fail_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (current == task && left && !--left)
		regs_set_return_value(regs, -ENOMEM);
	return 0;
}

static struct ptebatch_retprobe probe;

/**
 * ptebatch_fail_table() - make a page table allocation of this task fail
 * @n: which one from here on, from 1
 *
 * After success, the caller calls ptebatch_fail_table_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of ptebatch_retprobe_begin().
 */
int ptebatch_fail_table(unsigned int n)
{
	probe = (struct ptebatch_retprobe) {
		.probe.kp.symbol_name = "__pte_alloc",
		.probe.handler = fail_call,
	};
	task = current;
	left = n;
	return ptebatch_retprobe_begin(&probe);
}

/**
 * ptebatch_fail_table_end() - stop
 *
 * Context: Process context, may sleep.
 * Return: true if an allocation has failed.
 */
bool ptebatch_fail_table_end(void)
{
	ptebatch_retprobe_end(&probe);
	task = NULL;
	return !left;
}

#else

int ptebatch_fail_table(unsigned int n)
{
	return -EOPNOTSUPP;
}

bool ptebatch_fail_table_end(void)
{
	return false;
}

#endif
