/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run a function at calls of a kernel function, by a kprobe on its first
 * instruction or a kretprobe. Inlined functions cannot be hooked.
 */
#ifndef PTEBATCH_HOOK_H
#define PTEBATCH_HOOK_H

#include "../kernel/probe.h"

struct pt_regs;

/* Number of arguments that a hook passes on. */
#define PTEBATCH_ARGUMENTS	4

/**
 * struct ptebatch_hook - runs a function at calls of a kernel function
 * @function: name of the kernel function
 * @at_return: runs @act when it returns, not at its begin
 * @match: counts only calls with this argument, %NULL: with any
 * @argument: index of the argument compared with @match, from 0
 * @counts: counts only calls for which this returns true; %NULL: all. Called where
 *          @act is.
 * @calls: number of counted calls before @act runs for the first time
 * @times: how often @act runs, at as many calls; 0: at all further calls
 * @act: gets the arguments of the call, and the registers at the begin or at the
 *       return; with preemption disabled and whatever locks the caller holds
 * @data: for @counts and @act
 * @any_task: also calls of other tasks; otherwise of this task and khugepaged
 * @task: the task that has begun the hook
 * @hits: number of counted calls
 * @acted: number of calls of @act
 * @begun: the hook is registered
 * @probe: kprobe on @function
 * @retprobe: kretprobe on @function, with @at_return
 */
struct ptebatch_hook {
	const char *function;
	bool at_return;
	const void *match;
	unsigned int argument;
	bool (*counts)(struct ptebatch_hook *hook, const unsigned long *args,
		       struct pt_regs *regs);
	unsigned int calls;
	unsigned int times;
	void (*act)(struct ptebatch_hook *hook, const unsigned long *args,
		    struct pt_regs *regs);
	void *data;
	bool any_task;
	struct task_struct *task;
	unsigned int hits;
	unsigned int acted;
	bool begun;
#ifdef CONFIG_KPROBES
	struct kprobe probe;
#endif
	struct ptebatch_retprobe retprobe;
};

const char *ptebatch_hook_missing(void);
int ptebatch_hook_begin(struct ptebatch_hook *hook);
void ptebatch_hook_end(struct ptebatch_hook *hook);
void ptebatch_hook_return(struct pt_regs *regs, unsigned long value);

#endif /* PTEBATCH_HOOK_H */
