// SPDX-License-Identifier: GPL-2.0
/*
 * kdamond prepares the monitored addresses at the beginning of an interval, and
 * checks at its end whether they were accessed. Both are functions of the
 * context, which are called here.
 */
#include <linux/damon.h>
#include <linux/errno.h>
#include <linux/pid.h>

#include "../kernel/process.h"
#include "damon.h"

#if defined(CONFIG_DAMON_VADDR) && defined(CONFIG_DAMON_PADDR)

/* A region of one byte: DAMON draws the address that it samples. */
static int add_address(struct damon_ctx *context, pid_t pid, unsigned long address)
{
	struct damon_addr_range range = { .start = address, .end = address + 1 };
	struct damon_target *target = damon_new_target();
	int err;

	if (!target)
		return -ENOMEM;
	target->pid = pid ? find_get_pid(pid) : NULL;
	damon_add_target(context, target);
	err = damon_set_regions(target, &range, 1, range.end - range.start);
	if (!err)
		damon_first_region(target)->sampling_addr = address;
	return err;
}

/* The context frees its target, which puts the pid. */
static int sample(pid_t pid, unsigned long address, bool check)
{
	struct damon_ctx *context = damon_new_ctx();
	int ret;

	if (!context)
		return -ENOMEM;
	ret = damon_select_ops(context, pid ? DAMON_OPS_VADDR : DAMON_OPS_PADDR) ?:
	      add_address(context, pid, address);
	if (!ret && check)
		ret = context->ops.check_accesses(context);
	else if (!ret)
		context->ops.prepare_access_checks(context);
	damon_destroy_ctx(context);
	return ret;
}

static int sample_in(struct mm_struct *mm, unsigned long address, bool check)
{
	struct ptebatch_dummy_task task;
	int ret;

	if (!mm)
		return sample(0, address, check);
	ret = ptebatch_dummy_task_start(&task, mm);
	if (ret)
		return ret;
	ret = sample(task.pid, address, check);
	ptebatch_dummy_task_stop(&task);
	return ret;
}

#else

static int sample_in(struct mm_struct *mm, unsigned long address, bool check)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * ptebatch_damon_prepare() - begin an interval: make what an address maps old
 * @mm: the mm, or %NULL for a physical address
 * @address: the address, in bytes
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_damon_prepare(struct mm_struct *mm, unsigned long address)
{
	return sample_in(mm, address, false);
}

/**
 * ptebatch_damon_check() - end an interval: check whether an address was accessed
 * @mm: the mm, or %NULL for a physical address
 * @address: the address, in bytes
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 1 if it was accessed, 0 if it was not, or an error.
 */
int ptebatch_damon_check(struct mm_struct *mm, unsigned long address)
{
	return sample_in(mm, address, true);
}
