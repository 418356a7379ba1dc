// SPDX-License-Identifier: GPL-2.0
/*
 * kdamond prepares the monitored addresses at the beginning of an interval, and
 * checks at its end whether they were accessed. Both are functions of the
 * context, which are called here.
 */
#include <linux/damon.h>
#include <linux/errno.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "../kernel/process.h"
#include "damon.h"

#if defined(CONFIG_DAMON_VADDR) && defined(CONFIG_DAMON_PADDR)

/* A region of one byte each: DAMON draws the address that it samples. */
static int set_regions(struct damon_target *target, const unsigned long *addresses,
		       unsigned int nr)
{
	struct damon_addr_range *ranges = kvmalloc_objs(*ranges, nr);
	struct damon_region *region;
	unsigned int i;
	int err;

	if (!ranges)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		ranges[i] = (struct damon_addr_range) {
			.start = addresses[i], .end = addresses[i] + 1,
		};
	err = damon_set_regions(target, ranges, nr, 1);
	kvfree(ranges);
	damon_for_each_region(region, target)
		region->sampling_addr = region->ar.start;
	return err;
}

static int add_addresses(struct damon_ctx *context, pid_t pid, const unsigned long *addresses,
			 unsigned int nr)
{
	struct damon_target *target = damon_new_target();

	if (!target)
		return -ENOMEM;
	target->pid = pid ? find_get_pid(pid) : NULL;
	damon_add_target(context, target);
	return set_regions(target, addresses, nr);
}

static int count_accessed(struct damon_ctx *context)
{
	struct damon_target *target;
	struct damon_region *region;
	int accessed = 0;

	context->ops.check_accesses(context);
	damon_for_each_target(target, context)
		damon_for_each_region(region, target)
			accessed += region->nr_accesses;
	return accessed;
}

/* The context frees its target, which puts the pid. */
static int sample(pid_t pid, const unsigned long *addresses, unsigned int nr, bool check)
{
	struct damon_ctx *context = damon_new_ctx();
	int ret;

	if (!context)
		return -ENOMEM;
	ret = damon_select_ops(context, pid ? DAMON_OPS_VADDR : DAMON_OPS_PADDR) ?:
	      add_addresses(context, pid, addresses, nr);
	if (!ret && check)
		ret = count_accessed(context);
	else if (!ret)
		context->ops.prepare_access_checks(context);
	damon_destroy_ctx(context);
	return ret;
}

static int sample_in(struct mm_struct *mm, const unsigned long *addresses, unsigned int nr,
		     bool check)
{
	struct ptebatch_dummy_task task;
	int ret;

	if (!mm)
		return sample(0, addresses, nr, check);
	ret = ptebatch_dummy_task_start(&task, mm);
	if (ret)
		return ret;
	ret = sample(task.pid, addresses, nr, check);
	ptebatch_dummy_task_stop(&task);
	return ret;
}

#else

static int sample_in(struct mm_struct *mm, const unsigned long *addresses, unsigned int nr,
		     bool check)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * ptebatch_damon_prepare() - begin an interval: make what addresses map old
 * @mm: the mm, or %NULL for physical addresses
 * @addresses: the addresses, in bytes, in ascending order
 * @nr: number of addresses, at least 1
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_damon_prepare(struct mm_struct *mm, const unsigned long *addresses,
			   unsigned int nr)
{
	return sample_in(mm, addresses, nr, false);
}

/**
 * ptebatch_damon_check() - end an interval: check which addresses were accessed
 * @mm: the mm, or %NULL for physical addresses
 * @addresses: the addresses, in bytes, in ascending order
 * @nr: number of addresses, at least 1
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: number of addresses that were accessed, or an error.
 */
int ptebatch_damon_check(struct mm_struct *mm, const unsigned long *addresses,
			 unsigned int nr)
{
	return sample_in(mm, addresses, nr, true);
}
