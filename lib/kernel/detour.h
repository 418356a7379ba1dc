/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function before an instruction that has a kprobe, as if the task called it: with
 * interrupts and preemption as the task has them, while the handler of a kprobe runs
 * without interrupts. Other CPUs can interrupt this one meanwhile, for a TLB flush.
 */
#ifndef PTEBATCH_DETOUR_H
#define PTEBATCH_DETOUR_H

#include <linux/linkage.h>

#include "probe.h"

struct pt_regs;

/* Of the detour itself. */
extern char ptebatch_detour_begin[], ptebatch_detour_end[];
asmlinkage void ptebatch_detour_call(void);

const char *ptebatch_detour_missing(void);
int ptebatch_detour_on(void);
void ptebatch_detour_off(void);
void ptebatch_detour(struct kprobe *probe, struct pt_regs *regs, void (*call)(void *data),
		     void *data);

#endif /* PTEBATCH_DETOUR_H */
