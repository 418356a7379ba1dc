// SPDX-License-Identifier: GPL-2.0
#include "syscall.h"

/**
 * ptebatch_args6() - arguments for a system call, see ptebatch_syscall()
 * @a: the first
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 * @f: the sixth
 *
 * Return: where the system call looks for them.
 */
struct ptebatch_args ptebatch_args6(unsigned long a, unsigned long b,
				    unsigned long c, unsigned long d,
				    unsigned long e, unsigned long f)
{
	return (struct ptebatch_args) {
#if !defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
		.args = { a, b, c, d, e, f },
#elif defined(CONFIG_X86_64)
		.regs = { .di = a, .si = b, .dx = c, .r10 = d, .r8 = e,
			  .r9 = f },
#else
		.regs = { .orig_x0 = a, .regs = { a, b, c, d, e, f } },
#endif
	};
}
