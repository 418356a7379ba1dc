/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count the calls of a kernel function by a kprobe on its first instruction.
 * Inlined functions cannot be counted. Do not count and time in the same run.
 */
#ifndef PTEBATCH_COUNTER_H
#define PTEBATCH_COUNTER_H

#include "../kernel/probe.h"

/**
 * struct ptebatch_counter - counts the calls of one function
 * @function: name of the function
 * @match: count only calls with this argument, %NULL: count all calls
 * @argument: index of the argument compared with @match, from 0
 * @hits: number of calls
 * @probe: kprobe on @function
 */
struct ptebatch_counter {
	const char *function;
	const void *match;
	unsigned int argument;
	unsigned long hits;
#ifdef CONFIG_KPROBES
	struct kprobe probe;
#endif
};

int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr);
void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr);

#endif /* PTEBATCH_COUNTER_H */
