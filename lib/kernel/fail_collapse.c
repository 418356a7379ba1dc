// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/khugepaged.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "fail_collapse.h"
#include "probe.h"

/**
 * ptebatch_fail_collapse_missing() - get the reason why no collapse can fail
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_fail_collapse_missing(void)
{
	return IS_ENABLED(CONFIG_KRETPROBES) ? NULL :
	       "cannot make a collapse fail without CONFIG_KRETPROBES";
}

#ifdef CONFIG_KRETPROBES

static struct task_struct *task;
static unsigned int order_to_fail;
static bool has_failed;

/* The folios that were not returned: a kretprobe must not free them. */
static struct folio *lost[8];
static unsigned int nr_lost;

static bool is_collapse(void)
{
	return current == task || current_is_khugepaged();
}

static int enter_alloc(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return !is_collapse() || regs_get_kernel_argument(regs, 1) != order_to_fail;
}

static int fail_alloc(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)regs_return_value(regs);

	if (folio && nr_lost == ARRAY_SIZE(lost))
		return 0;
	if (folio)
		lost[nr_lost++] = folio;
	regs_set_return_value(regs, 0);
	has_failed = true;
	return 0;
}

/* A read of a page with PG_hwpoison is a machine check: nothing is copied. */
static int enter_copy(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const void *from = (const void *)regs_get_kernel_argument(regs, 1);

	return !is_collapse() || !PageHWPoison(virt_to_page(from));
}

static int fail_copy(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, PAGE_SIZE);
	has_failed = true;
	return 0;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_MEMORY_FAILURE)
/* After a machine check that is not simulated, no page can be unpoisoned again. */
static int simulate(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (is_collapse())
		regs->si |= MF_SW_SIMULATED;
	return 0;
}

static struct kprobe report;

static int begin_report(void)
{
	report = (struct kprobe) {
		.symbol_name = "memory_failure_queue",
		.pre_handler = simulate,
	};
	return register_kprobe(&report);
}

static void do_nothing(struct work_struct *work)
{
}

/* memory_failure() runs later, and finds PG_hwpoison set. */
static void end_report(void)
{
	if (!report.symbol_name)
		return;
	schedule_on_each_cpu(do_nothing);
	unregister_kprobe(&report);
	report.symbol_name = NULL;
}
#else
static int begin_report(void)
{
	return -EOPNOTSUPP;
}

static void end_report(void)
{
}
#endif

static struct ptebatch_retprobe probe;

static int begin(const char *function, kretprobe_handler_t enter, kretprobe_handler_t leave)
{
	probe = (struct ptebatch_retprobe) {
		.probe.kp.symbol_name = function,
		.probe.entry_handler = enter,
		.probe.handler = leave,
	};
	task = current;
	has_failed = false;
	return ptebatch_retprobe_begin(&probe);
}

/**
 * ptebatch_fail_collapse_alloc() - make allocations of folios of an order fail
 * @order: the order; the first eight allocations fail
 *
 * After success, the caller calls ptebatch_fail_collapse_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of ptebatch_retprobe_begin().
 */
int ptebatch_fail_collapse_alloc(unsigned int order)
{
	order_to_fail = order;
	return begin("__folio_alloc_noprof", enter_alloc, fail_alloc);
}

/**
 * ptebatch_fail_collapse_copy() - make all copies of pages with PG_hwpoison fail
 *
 * After success, the caller calls ptebatch_fail_collapse_end(), and until then the
 * pages keep PG_hwpoison.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP if no copy can fail on this architecture, or an error of
 * ptebatch_retprobe_begin().
 */
int ptebatch_fail_collapse_copy(void)
{
	int err = begin_report();

	if (err)
		return err;
	err = begin("copy_mc_to_kernel", enter_copy, fail_copy);
	if (err)
		end_report();
	return err;
}

/**
 * ptebatch_fail_collapse_end() - stop
 *
 * Context: Process context, may sleep.
 * Return: true if an allocation or a copy has failed.
 */
bool ptebatch_fail_collapse_end(void)
{
	ptebatch_retprobe_end(&probe);
	task = NULL;
	while (nr_lost)
		folio_put(lost[--nr_lost]);
	end_report();
	return has_failed;
}

#else

int ptebatch_fail_collapse_alloc(unsigned int order)
{
	return -EOPNOTSUPP;
}

int ptebatch_fail_collapse_copy(void)
{
	return -EOPNOTSUPP;
}

bool ptebatch_fail_collapse_end(void)
{
	return false;
}

#endif
