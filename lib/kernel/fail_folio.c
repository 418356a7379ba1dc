// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "fail_folio.h"
#include "probe.h"

/**
 * ptebatch_fail_folio_missing() - get the reason why no allocation can fail
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_fail_folio_missing(void)
{
	if (!IS_ENABLED(CONFIG_KRETPROBES))
		return "cannot make the allocation of a folio fail without CONFIG_KRETPROBES";
	if (!IS_ENABLED(CONFIG_NUMA))
		return "vma_alloc_folio() is inlined without CONFIG_NUMA";
	return NULL;
}

#ifdef CONFIG_KRETPROBES

/* The task whose allocations are watched, and how many are still to fail. */
static struct task_struct *task;
static unsigned int left;

/* The function returns the address of a page. */
static bool returns_address;

/* The folios that the task did not get: a kretprobe must not free them. */
static struct folio *lost[PTEBATCH_FAIL_FOLIOS];
static unsigned int nr_lost;

/* The last folio that the task got. */
static struct folio *last_folio;

static int at_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long value = regs_return_value(regs);
	struct folio *folio;

	if (current != task || !value)
		return 0;
	folio = returns_address ? virt_to_folio((void *)value) : (struct folio *)value;
	if (!left) {
		last_folio = folio;
		return 0;
	}
	left--;
	lost[nr_lost++] = folio;
	regs_set_return_value(regs, 0);
	return 0;
}

static struct ptebatch_retprobe probe;

/**
 * ptebatch_fail_folio() - make allocations of folios by this task fail
 * @function: PTEBATCH_FAIL_VMA, PTEBATCH_FAIL_MIGRATION or PTEBATCH_FAIL_PAGE
 * @n: number of allocations that fail, at most PTEBATCH_FAIL_FOLIOS; 0: watch only
 *
 * After success, the caller calls ptebatch_fail_folio_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of ptebatch_retprobe_begin().
 */
int ptebatch_fail_folio(const char *function, unsigned int n)
{
	probe = (struct ptebatch_retprobe) {
		.probe.kp.symbol_name = function,
		.probe.handler = at_return,
	};
	returns_address = !strcmp(function, PTEBATCH_FAIL_PAGE);
	task = current;
	left = min(n, PTEBATCH_FAIL_FOLIOS);
	nr_lost = 0;
	last_folio = NULL;
	return ptebatch_retprobe_begin(&probe);
}

/**
 * ptebatch_fail_folio_end() - stop
 * @last: returns the last folio that the task got, %NULL if it got none; the task
 *        may have freed it
 *
 * Context: Process context, may sleep.
 * Return: true if all allocations that should fail have failed.
 */
bool ptebatch_fail_folio_end(struct folio **last)
{
	ptebatch_retprobe_end(&probe);
	task = NULL;
	while (nr_lost)
		folio_put(lost[--nr_lost]);
	*last = last_folio;
	return !left;
}

#else

int ptebatch_fail_folio(const char *function, unsigned int n)
{
	return -EOPNOTSUPP;
}

bool ptebatch_fail_folio_end(struct folio **last)
{
	*last = NULL;
	return false;
}

#endif
