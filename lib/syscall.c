// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>

#include "syscall.h"

/**
 * ptebatch_args() - arguments for a system call, see ptebatch_syscall()
 * @a: the first
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 *
 * Return: where the system call looks for them.
 */
struct ptebatch_args ptebatch_args(unsigned long a, unsigned long b,
				   unsigned long c, unsigned long d,
				   unsigned long e)
{
	return (struct ptebatch_args) {
#if !defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
		.args = { a, b, c, d, e },
#elif defined(CONFIG_X86_64)
		.regs = { .di = a, .si = b, .dx = c, .r10 = d, .r8 = e },
#else
		.regs = { .orig_x0 = a, .regs = { a, b, c, d, e } },
#endif
	};
}

/**
 * ptebatch_syscall_in() - a system call of a process that has an mm
 * @mm: the mm
 * @call: the system call
 * @a: its first argument
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: what @call returns.
 */
long ptebatch_syscall_in(struct mm_struct *mm, ptebatch_syscall_t call,
			 unsigned long a, unsigned long b, unsigned long c,
			 unsigned long d, unsigned long e)
{
	struct ptebatch_args args = ptebatch_args(a, b, c, d, e);
	long ret;

	kthread_use_mm(mm);
	ret = ptebatch_syscall(call, &args);
	kthread_unuse_mm(mm);
	return ret;
}
