// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/ptrace.h>

#include "counter.h"

#ifdef CONFIG_KPROBES

static int hit(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_counter *counter =
		container_of(probe, struct ptebatch_counter, probe);

	if (!counter->of ||
	    regs_get_kernel_argument(regs, counter->argument) ==
	    (unsigned long)counter->of)
		counter->hits++;
	return 0;
}

/**
 * ptebatch_counters_begin() - count from now on, from zero
 * @counters: what to count
 * @nr: how many of them there are
 *
 * Calls on several CPUs at a time may get lost: count what one task does.
 *
 * Context: Process context, may sleep.
 * Return: 0; then ptebatch_counters_end() is due. -EOPNOTSUPP without kprobes,
 * or why a function cannot be probed.
 */
int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		counters[i].hits = 0;
		counters[i].probe = (struct kprobe) {
			.symbol_name = counters[i].function,
			.pre_handler = hit,
		};
		err = register_kprobe(&counters[i].probe);
		if (err) {
			ptebatch_counters_end(counters, i);
			return err;
		}
	}
	return 0;
}

/**
 * ptebatch_counters_end() - count no longer
 * @counters: from ptebatch_counters_begin()
 * @nr: how many of them there are
 *
 * Context: Process context, may sleep.
 */
void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr)
{
	while (nr--)
		unregister_kprobe(&counters[nr].probe);
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
