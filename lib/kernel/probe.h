/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kprobes that the kernel does not optimize: its optimizer holds the lock of all
 * registrations until each task has been scheduled, so the next kprobe would wait
 * for a tenth of a second.
 */
#ifndef PTEBATCH_PROBE_H
#define PTEBATCH_PROBE_H

#include <linux/kprobes.h>

/**
 * struct ptebatch_retprobe - a kretprobe
 * @probe: the kretprobe; the caller sets its fields
 * @guard: a kprobe on the same function, because of which it is not optimized
 */
struct ptebatch_retprobe {
#ifdef CONFIG_KRETPROBES
	struct kretprobe probe;
	struct kprobe guard;
#endif
};

int ptebatch_probe_begin(struct kprobe *probe);
int ptebatch_retprobe_begin(struct ptebatch_retprobe *retprobe);
void ptebatch_retprobe_end(struct ptebatch_retprobe *retprobe);

#endif /* PTEBATCH_PROBE_H */
