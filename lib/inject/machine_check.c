// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a page with PG_hwpoison is a machine check: nothing is copied, and
 * memory_failure() is to run.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/workqueue.h>

#include "../arch/arch.h"
#include "conditions.h"

#if defined(ptebatch_simulate_failure) && defined(CONFIG_MEMORY_FAILURE)

static const char *missing(const struct ptebatch_condition *condition)
{
	return NULL;
}

/* After a machine check that is not simulated, no page can be unpoisoned again. */
static void simulate(struct ptebatch_hook *hook, const unsigned long *args,
		     struct pt_regs *regs)
{
	ptebatch_simulate_failure(regs);
}

#else

static const char *missing(const struct ptebatch_condition *condition)
{
	return "a copy can fail on x86-64 only, with CONFIG_MEMORY_FAILURE";
}

static void simulate(struct ptebatch_hook *hook, const unsigned long *args,
		     struct pt_regs *regs)
{
}

#endif

static bool reads_poison(struct ptebatch_hook *hook, const unsigned long *args,
			 struct pt_regs *regs)
{
	return PageHWPoison(virt_to_page((void *)args[1]));
}

static void begin_failing(struct ptebatch_use *use)
{
	struct kunit *test = use->trial->test;
	struct ptebatch_hook *report = kunit_kzalloc(test, sizeof(*report), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, report);
	report->function = "memory_failure_queue";
	report->act = simulate;
	use->data = report;
	use->hook.counts = reads_poison;
	KUNIT_ASSERT_EQ(test, 0, ptebatch_hook_begin(report));
}

static void fail_copy(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	ptebatch_hook_return(regs, PAGE_SIZE);
}

static void do_nothing(struct work_struct *work)
{
}

/* memory_failure() runs later, and must find PG_hwpoison set. */
static void end_failing(struct ptebatch_use *use)
{
	schedule_on_each_cpu(do_nothing);
	if (use->data)
		ptebatch_hook_end(use->data);
}

const struct ptebatch_condition_type ptebatch_condition_machine_check = {
	.name = "a page that is copied has PG_hwpoison", .missing = missing,
	.begin = begin_failing, .occur = fail_copy, .end = end_failing, .at_return = true,
	.always = true,
};
