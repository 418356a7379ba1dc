/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_S390_H
#define PTEBATCH_ARCH_S390_H

#define PTEBATCH_SYSCALL(name)		__s390x_sys_##name
#define PTEBATCH_SYSCALL_PARAMS		struct pt_regs *regs

/* The registers in which a system call gets its arguments. */
static inline struct pt_regs
ptebatch_syscall_regs(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d, unsigned long e, unsigned long f)
{
	return (struct pt_regs) {
		.orig_gpr2 = a, .gprs = { [2] = a, b, c, d, e, f },
	};
}

#define PTEBATCH_PROT_NOEXEC	_PAGE_NOEXEC

/* The instructions that change an entry flush it. */
#define PTEBATCH_FLUSHES_SEEN	0

/* A write to a clean page is a fault, which waits for the lock. */
#define PTEBATCH_WRITE_SETS_DIRTY	false
#define PTEBATCH_WAITERS_SEEN		false
/* User mode has an address space of its own, without an end. */
#define PTEBATCH_ACCESS_OK_ENDS		false

#define PTEBATCH_EMPTY		_PAGE_INVALID
#define PTEBATCH_UNUSED		_PAGE_UNUSED
#define PTEBATCH_TABLES_ARE_PAGES	0

#endif /* PTEBATCH_ARCH_S390_H */
