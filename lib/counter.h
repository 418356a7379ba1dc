/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often the kernel calls a function. A probe sits on the function's first
 * instruction, so nothing that is inlined can be counted, and nothing that is
 * counted should be timed.
 */
#ifndef PTEBATCH_COUNTER_H
#define PTEBATCH_COUNTER_H

#include <linux/kprobes.h>

/**
 * struct ptebatch_counter - counts the calls of one function
 * @function: its name
 * @of: count only the calls with this argument, %NULL: count all
 * @argument: which of the arguments that is, the first one is 0
 * @hits: how many calls there were
 * @probe: sees them
 */
struct ptebatch_counter {
	const char *function;
	const void *of;
	unsigned int argument;
	unsigned long hits;
#ifdef CONFIG_KPROBES
	struct kprobe probe;
#endif
};

int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr);
void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr);

#endif /* PTEBATCH_COUNTER_H */
