// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/ptrace.h>

#include "../arch/arch.h"
#include "detour.h"

/**
 * ptebatch_detour_missing() - get the reason why no task can make a detour
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_detour_missing(void)
{
#ifdef PTEBATCH_DETOUR
	return IS_ENABLED(CONFIG_KPROBES) ? NULL :
	       "no task can pause at an instruction without CONFIG_KPROBES";
#else
	return "no task can pause at an instruction on this architecture";
#endif
}

#if defined(CONFIG_KPROBES) && defined(PTEBATCH_DETOUR)

/* Calls ptebatch_detour_call(), then a kprobe restores all registers of the task. */
asm(".pushsection .text, \"ax\"\n"
	".globl ptebatch_detour_begin\n"
	".type ptebatch_detour_begin STT_FUNC\n"
	"ptebatch_detour_begin:\n"
	PTEBATCH_DETOUR
	".globl ptebatch_detour_end\n"
	"ptebatch_detour_end:\n"
	"	nop\n"
	"	nop\n"
	".size ptebatch_detour_begin, .-ptebatch_detour_begin\n"
	".popsection\n");
/* It does not return. */
STACK_FRAME_NON_STANDARD(ptebatch_detour_begin);

/* One task at a time makes a detour. */
static struct {
	void (*call)(void *data);
	void *data;
	struct pt_regs regs;
} detour;

asmlinkage void ptebatch_detour_call(void)
{
	detour.call(detour.data);
}

static int resume(struct kprobe *probe, struct pt_regs *regs)
{
	*regs = detour.regs;
	return 1;
}

static struct kprobe end = { .addr = (kprobe_opcode_t *)ptebatch_detour_end };

/**
 * ptebatch_detour_on() - prepare for detours
 *
 * Context: Process context, may sleep.
 * Return: 0, then the caller calls ptebatch_detour_off(), or an error of register_kprobe().
 */
int ptebatch_detour_on(void)
{
	end.pre_handler = resume;
	return ptebatch_probe_begin(&end);
}

/**
 * ptebatch_detour_off() - undo ptebatch_detour_on()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_detour_off(void)
{
	unregister_kprobe(&end);
	/* For another registration, when the module's suites run again. */
	end.flags = 0;
}

/**
 * ptebatch_detour() - let the task call a function before it goes on
 * @probe: the kprobe that the task has reached
 * @regs: registers of the task, from the pre_handler of @probe, which must return 1 then.
 *        It is called again for the same instruction when @call has returned.
 * @call: the function
 * @data: argument of @call
 *
 * Context: Handler of a kprobe. One task at a time.
 */
void ptebatch_detour(struct kprobe *probe, struct pt_regs *regs, void (*call)(void *data),
		     void *data)
{
	detour.call = call;
	detour.data = data;
	detour.regs = *regs;
	/* On some architectures it is behind the breakpoint here. */
	instruction_pointer_set(&detour.regs, (unsigned long)probe->addr);
	ptebatch_detour_stack(regs);
	instruction_pointer_set(regs, (unsigned long)ptebatch_detour_begin);
}

#else

int ptebatch_detour_on(void)
{
	return -EOPNOTSUPP;
}

void ptebatch_detour_off(void)
{
}

void ptebatch_detour(struct kprobe *probe, struct pt_regs *regs, void (*call)(void *data),
		     void *data)
{
}

#endif
