/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count the calls of a kernel function by a kprobe on its first instruction.
 * Inlined functions cannot be counted. Do not count and time in the same run.
 */
#ifndef PTEBATCH_COUNTER_H
#define PTEBATCH_COUNTER_H

#include "probe.h"

/**
 * struct ptebatch_counter - counts the calls of one function
 * @function: name of the function
 * @match: count only calls with this argument, %NULL: count all calls
 * @argument: index of the argument compared with @match, from 0
 * @hits: number of calls
 * @on_call: called at each counted call, before the function, with preemption
 *           disabled and whatever locks the caller holds; may be %NULL
 * @on_return: called after each counted call, likewise; may be %NULL. Requires
 *             CONFIG_KRETPROBES.
 * @data: argument of @on_call and @on_return
 * @probe: kprobe on @function
 * @retprobe: kretprobe on @function, instead of @probe if @on_return is set
 */
struct ptebatch_counter {
	const char *function;
	const void *match;
	unsigned int argument;
	unsigned long hits;
	void (*on_call)(void *data);
	void (*on_return)(void *data);
	void *data;
#ifdef CONFIG_KPROBES
	struct kprobe probe;
#endif
	struct ptebatch_retprobe retprobe;
};

int ptebatch_counters_begin(struct ptebatch_counter *counters, unsigned int nr);
void ptebatch_counters_end(struct ptebatch_counter *counters, unsigned int nr);

#endif /* PTEBATCH_COUNTER_H */
