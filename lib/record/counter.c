// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/ptrace.h>

#include "counter.h"

#ifdef CONFIG_KPROBES

static int count_call(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_counter *counter = container_of(probe, struct ptebatch_counter, probe);

	if (!counter->match || regs_get_kernel_argument(regs, counter->argument) ==
			       (unsigned long)counter->match)
		counter->hits++;
	return 0;
}

/**
 * ptebatch_counters_begin() - reset counters and start counting
 * @counters: the counters, each with its function
 * @nr: number of counters
 *
 * The counters are not atomic: count the calls of one task only. After success,
 * the caller calls ptebatch_counters_end().
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP without kprobes, or an error of register_kprobe().
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
		err = ptebatch_probe_begin(&counters[i].probe);
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
