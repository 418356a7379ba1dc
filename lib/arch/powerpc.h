/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_POWERPC_H
#define PTEBATCH_ARCH_POWERPC_H

#define PTEBATCH_SYSCALL(name)		sys_##name

/* The registers in which a system call gets its arguments. */
static inline struct pt_regs
ptebatch_syscall_regs(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d, unsigned long e, unsigned long f)
{
	return (struct pt_regs) {
		.orig_gpr3 = a, .gpr = { [3] = a, b, c, d, e, f },
	};
}

#define set_pmd(pmdp, pmd)		WRITE_ONCE(*(pmdp), pmd)

#define PTEBATCH_PROT_EXEC	_PAGE_EXEC

#define PTEBATCH_TABLES_ARE_PAGES	0

#endif /* PTEBATCH_ARCH_POWERPC_H */
