// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/khugepaged.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "hook.h"

/**
 * ptebatch_hook_missing() - get the reason why no function can be hooked
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_hook_missing(void)
{
	return IS_ENABLED(CONFIG_KRETPROBES) ? NULL :
	       "no call of the kernel can be hooked without CONFIG_KRETPROBES";
}

#ifdef CONFIG_KRETPROBES

static void get_arguments(unsigned long *args, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < PTEBATCH_ARGUMENTS; i++)
		args[i] = regs_get_kernel_argument(regs, i);
}

static bool is_wanted(const struct ptebatch_hook *hook, const unsigned long *args)
{
	if (!hook->any_task && current != hook->task && !current_is_khugepaged())
		return false;
	return !hook->match || args[hook->argument] == (unsigned long)hook->match;
}

static void hit(struct ptebatch_hook *hook, const unsigned long *args, struct pt_regs *regs)
{
	if (hook->counts && !hook->counts(hook, args, regs))
		return;
	if (hook->hits++ < hook->calls || (hook->times && hook->acted == hook->times))
		return;
	hook->acted++;
	hook->act(hook, args, regs);
}

static int at_begin(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_hook *hook = container_of(probe, struct ptebatch_hook, probe);
	unsigned long args[PTEBATCH_ARGUMENTS];

	get_arguments(args, regs);
	if (is_wanted(hook, args))
		hit(hook, args, regs);
	return 0;
}

static struct ptebatch_hook *hook_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct ptebatch_hook, retprobe.probe);
}

static int before_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long *args = (unsigned long *)instance->data;

	get_arguments(args, regs);
	return is_wanted(hook_of(instance), args) ? 0 : 1;
}

static int at_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	hit(hook_of(instance), (unsigned long *)instance->data, regs);
	return 0;
}

/**
 * ptebatch_hook_begin() - hook a function
 * @hook: the hook; the caller has set the fields up to @any_task. After success,
 *        the caller calls ptebatch_hook_end().
 *
 * Its counts are not atomic: hook the calls of one task at a time only.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP without kretprobes, or an error of register_kprobe().
 */
int ptebatch_hook_begin(struct ptebatch_hook *hook)
{
	int err;

	hook->task = current;
	hook->hits = 0;
	hook->acted = 0;
	if (hook->at_return) {
		hook->retprobe = (struct ptebatch_retprobe) {
			.probe.kp.symbol_name = hook->function,
			.probe.entry_handler = before_return,
			.probe.handler = at_return,
			.probe.data_size = PTEBATCH_ARGUMENTS * sizeof(unsigned long),
		};
		err = ptebatch_retprobe_begin(&hook->retprobe);
	} else {
		hook->probe = (struct kprobe) {
			.symbol_name = hook->function, .pre_handler = at_begin,
		};
		err = ptebatch_probe_begin(&hook->probe);
	}
	hook->begun = !err;
	return err;
}

/**
 * ptebatch_hook_end() - release the function
 * @hook: the hook; without effect if it has not begun
 *
 * Context: Process context, may sleep.
 */
void ptebatch_hook_end(struct ptebatch_hook *hook)
{
	if (!hook->begun)
		return;
	hook->begun = false;
	if (hook->at_return)
		ptebatch_retprobe_end(&hook->retprobe);
	else
		unregister_kprobe(&hook->probe);
}

/**
 * ptebatch_hook_return() - let the hooked function return something else
 * @regs: the registers that @act of the hook got, with @at_return
 * @value: what it returns
 *
 * Context: Any.
 */
void ptebatch_hook_return(struct pt_regs *regs, unsigned long value)
{
	regs_set_return_value(regs, value);
}

#else

void ptebatch_hook_return(struct pt_regs *regs, unsigned long value)
{
}

int ptebatch_hook_begin(struct ptebatch_hook *hook)
{
	return -EOPNOTSUPP;
}

void ptebatch_hook_end(struct ptebatch_hook *hook)
{
}

#endif
