// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/ptrace.h>

#include "counter.h"

#ifdef CONFIG_KPROBES

/* Returns false if the call is not one to count. */
static bool count(struct ptebatch_counter *counter, struct pt_regs *regs)
{
	if (counter->match &&
	    regs_get_kernel_argument(regs, counter->argument) !=
	    (unsigned long)counter->match)
		return false;
	counter->hits++;
	if (counter->on_call)
		counter->on_call(counter->data);
	return true;
}

static int count_call(struct kprobe *probe, struct pt_regs *regs)
{
	count(container_of(probe, struct ptebatch_counter, probe), regs);
	return 0;
}

#ifdef CONFIG_KRETPROBES

static struct ptebatch_counter *counter_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct ptebatch_counter, retprobe.probe);
}

static int count_before_return(struct kretprobe_instance *instance,
			       struct pt_regs *regs)
{
	return count(counter_of(instance), regs) ? 0 : 1;
}

static int call_at_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ptebatch_counter *counter = counter_of(instance);

	counter->on_return(counter->data);
	return 0;
}

static int register_counter(struct ptebatch_counter *counter)
{
	if (!counter->on_return)
		return ptebatch_probe_begin(&counter->probe);
	counter->retprobe = (struct ptebatch_retprobe) {
		.probe.kp.symbol_name = counter->function,
		.probe.entry_handler = count_before_return,
		.probe.handler = call_at_return,
	};
	return ptebatch_retprobe_begin(&counter->retprobe);
}

static void unregister_counter(struct ptebatch_counter *counter)
{
	if (counter->on_return)
		ptebatch_retprobe_end(&counter->retprobe);
	else
		unregister_kprobe(&counter->probe);
}

#else /* !CONFIG_KRETPROBES */

static int register_counter(struct ptebatch_counter *counter)
{
	return counter->on_return ? -EOPNOTSUPP : ptebatch_probe_begin(&counter->probe);
}

static void unregister_counter(struct ptebatch_counter *counter)
{
	unregister_kprobe(&counter->probe);
}

#endif

/**
 * ptebatch_counters_begin() - reset counters and start counting
 * @counters: the counters, each with its function
 * @nr: number of counters
 *
 * The counters are not atomic: count the calls of one task only. After success,
 * the caller calls ptebatch_counters_end().
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP without kprobes or kretprobes, or an error of register_kprobe().
 */
int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		counters[i].hits = 0;
		counters[i].probe = (struct kprobe) {
			.symbol_name = counters[i].function,
			.pre_handler = count_call,
		};
		err = register_counter(&counters[i]);
		if (err) {
			ptebatch_counters_end(counters, i);
			return err;
		}
	}
	return 0;
}

/**
 * ptebatch_counters_end() - stop counting
 * @counters: the counters, from ptebatch_counters_begin()
 * @nr: number of counters
 *
 * Context: Process context, may sleep.
 */
void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr)
{
	while (nr--)
		unregister_counter(&counters[nr]);
}

#else /* !CONFIG_KPROBES */

int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr)
{
	return nr ? -EOPNOTSUPP : 0;
}

void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr)
{
}

#endif
