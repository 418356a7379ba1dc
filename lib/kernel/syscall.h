/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls, called with the arguments that the entry code passes.
 */
#ifndef PTEBATCH_SYSCALL_H
#define PTEBATCH_SYSCALL_H

#include "../arch/arch.h"

/**
 * struct ptebatch_args - arguments of a system call
 * @regs: registers with the arguments, for CONFIG_ARCH_HAS_SYSCALL_WRAPPER
 * @args: the arguments, without CONFIG_ARCH_HAS_SYSCALL_WRAPPER
 */
struct ptebatch_args {
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	struct pt_regs regs;
#else
	unsigned long args[6];
#endif
};

typedef long (*ptebatch_syscall_t)(PTEBATCH_SYSCALL_PARAMS);

static inline long ptebatch_syscall(ptebatch_syscall_t call,
				    const struct ptebatch_args *args)
{
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	/* On s390 the parameter is not const, but nothing changes it. */
	return call((struct pt_regs *)&args->regs);
#else
	const unsigned long *a = args->args;

	return call(a[0], a[1], a[2], a[3], a[4], a[5]);
#endif
}

struct mm_struct;

unsigned long ptebatch_to_user(const void *from, size_t bytes);

long ptebatch_syscall_in(struct mm_struct *mm, ptebatch_syscall_t call,
			 unsigned long a, unsigned long b, unsigned long c,
			 unsigned long d, unsigned long e);
long ptebatch_syscall_no_memlock(struct mm_struct *mm, ptebatch_syscall_t call,
				 unsigned long a, unsigned long b,
				 unsigned long c, unsigned long d,
				 unsigned long e);
struct ptebatch_args ptebatch_args6(unsigned long a, unsigned long b,
				    unsigned long c, unsigned long d,
				    unsigned long e, unsigned long f);

/* As ptebatch_args6(), for up to five arguments. */
static inline struct ptebatch_args ptebatch_args(unsigned long a,
						 unsigned long b,
						 unsigned long c,
						 unsigned long d,
						 unsigned long e)
{
	return ptebatch_args6(a, b, c, d, e, 0);
}

#endif /* PTEBATCH_SYSCALL_H */
