// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#ifdef CONFIG_KPROBES

/* With a handler that runs after the instruction, it cannot become a jump. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

/**
 * ptebatch_probe_begin() - register a kprobe that is not optimized
 * @probe: the kprobe, without a post_handler. After success, the caller calls
 *         unregister_kprobe().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of register_kprobe().
 */
int ptebatch_probe_begin(struct kprobe *probe)
{
	probe->post_handler = after;
	return register_kprobe(probe);
}

#ifdef CONFIG_KRETPROBES

/**
 * ptebatch_retprobe_begin() - register a kretprobe that is not optimized
 * @retprobe: the kretprobe. After success, the caller calls
 *            ptebatch_retprobe_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of register_kprobe() or register_kretprobe().
 */
int ptebatch_retprobe_begin(struct ptebatch_retprobe *retprobe)
{
	int err;

	/* register_kretprobe() permits no such handler for its own kprobe. */
	retprobe->guard = (struct kprobe) {
		.symbol_name = retprobe->probe.kp.symbol_name,
	};
	err = ptebatch_probe_begin(&retprobe->guard);
	if (err)
		return err;
	err = register_kretprobe(&retprobe->probe);
	if (err)
		unregister_kprobe(&retprobe->guard);
	return err;
}

/**
 * ptebatch_retprobe_end() - unregister a kretprobe
 * @retprobe: the kretprobe, from ptebatch_retprobe_begin()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_retprobe_end(struct ptebatch_retprobe *retprobe)
{
	unregister_kretprobe(&retprobe->probe);
	unregister_kprobe(&retprobe->guard);
}

#endif

#endif
