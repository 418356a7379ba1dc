// SPDX-License-Identifier: GPL-2.0
/* mm/mremap.c with batching off. */
#include "begin.h"

#include <mremap.c>

#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
__visible asmlinkage long ptebatch_twin_mremap(PTEBATCH_SYSCALL_PARAMS)
{
	return PTEBATCH_SYSCALL(mremap)(regs);
}
#else
__visible asmlinkage long ptebatch_twin_mremap(PTEBATCH_SYSCALL_PARAMS)
{
	return PTEBATCH_SYSCALL(mremap)(a, b, c, d, e);
}
#endif
