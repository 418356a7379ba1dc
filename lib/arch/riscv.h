/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_RISCV_H
#define PTEBATCH_ARCH_RISCV_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/smp.h>

#define PTEBATCH_SYSCALL(name)		__riscv_sys_##name

/* The registers in which a system call gets its arguments. */
static inline struct pt_regs
ptebatch_syscall_regs(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d, unsigned long e, unsigned long f)
{
	return (struct pt_regs) {
		.orig_a0 = a, .a0 = a, .a1 = b, .a2 = c, .a3 = d, .a4 = e, .a5 = f,
	};
}

#define PTEBATCH_PROT_SETS_YOUNG	true
#define PTEBATCH_NONE_YOUNG		""
#define PTEBATCH_PROT_EXEC	_PAGE_EXEC
#define PTEBATCH_PROT_BITS	(_PAGE_EXEC | _PAGE_MTMASK)

/* A TLB flush announces nothing if no CPU has used the mm, as no device can use it. */
#define ptebatch_mm_use ptebatch_mm_use
static inline void ptebatch_mm_use(struct mm_struct *mm)
{
	cpumask_set_cpu(raw_smp_processor_id(), mm_cpumask(mm));
}

#endif /* PTEBATCH_ARCH_RISCV_H */
