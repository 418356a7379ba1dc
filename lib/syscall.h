/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls, called as the entry code calls them.
 */
#ifndef PTEBATCH_SYSCALL_H
#define PTEBATCH_SYSCALL_H

#include <linux/linkage.h>
#include <linux/ptrace.h>

/* Whom the entry code calls, and what with, is the architecture's. */
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER

#ifdef CONFIG_X86_64
#define PTEBATCH_SYSCALL(name)	__x64_sys_##name
#else
#define PTEBATCH_SYSCALL(name)	__arm64_sys_##name
#endif
#define PTEBATCH_SYSCALL_PARAMS	const struct pt_regs *regs

/**
 * struct ptebatch_args - arguments of a system call
 * @regs: the registers that hold them
 */
struct ptebatch_args {
	struct pt_regs regs;
};

#else /* !CONFIG_ARCH_HAS_SYSCALL_WRAPPER */

#define PTEBATCH_SYSCALL(name)	__se_sys_##name
#define PTEBATCH_SYSCALL_PARAMS	long a, long b, long c, long d, long e, long f

/**
 * struct ptebatch_args - arguments of a system call
 * @args: those
 */
struct ptebatch_args {
	unsigned long args[6];
};

#endif /* !CONFIG_ARCH_HAS_SYSCALL_WRAPPER */

#define PTEBATCH_DECLARE_SYSCALL(function) \
	asmlinkage long function(PTEBATCH_SYSCALL_PARAMS)

typedef long (*ptebatch_syscall_t)(PTEBATCH_SYSCALL_PARAMS);

static inline long ptebatch_syscall(ptebatch_syscall_t call,
				    const struct ptebatch_args *args)
{
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	return call(&args->regs);
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
long ptebatch_syscall_capped(struct mm_struct *mm, ptebatch_syscall_t call,
			     unsigned long a, unsigned long b, unsigned long c,
			     unsigned long d, unsigned long e);
struct ptebatch_args ptebatch_args6(unsigned long a, unsigned long b,
				    unsigned long c, unsigned long d,
				    unsigned long e, unsigned long f);

/* The same for a system call with five arguments or less. */
static inline struct ptebatch_args ptebatch_args(unsigned long a,
						 unsigned long b,
						 unsigned long c,
						 unsigned long d,
						 unsigned long e)
{
	return ptebatch_args6(a, b, c, d, e, 0);
}

#endif /* PTEBATCH_SYSCALL_H */
