/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_RISCV_H
#define PTEBATCH_ARCH_RISCV_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/smp.h>
#include <linux/unaligned.h>

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

#ifdef CONFIG_RISCV_ISA_SVNAPOT
#define PTEBATCH_HUGE_PTES	BIT(NAPOT_CONT_ORDER_BASE)
#define PTEBATCH_HUGE_PTES_EQUAL	true
#endif

/* Without Svvptc: the caller makes each new entry visible by SFENCE.VMA. */
#define PTEBATCH_ALWAYS_CHANGED	true

/* With Svadu. */
#define PTEBATCH_MMU_NEEDS	(_PAGE_PRESENT | _PAGE_WRITE)
#define PTEBATCH_MMU_SETS	(_PAGE_ACCESSED | _PAGE_DIRTY)

#define ptebatch_instruction_bytes ptebatch_instruction_bytes
static inline unsigned int ptebatch_instruction_bytes(const u8 *code)
{
	return (*code & 3) == 3 ? 4 : 2;
}

/* An instruction of the extension A (opcode 0x2f): LR or SC. */
static inline bool ptebatch_instruction_a(const u8 *code, unsigned int funct5)
{
	u32 instruction = get_unaligned((const u32 *)code);

	return (instruction & 0x7f) == 0x2f && instruction >> 27 == funct5;
}

#define ptebatch_reserves(code)			ptebatch_instruction_a(code, 2)
#define ptebatch_stores_conditionally(code)	ptebatch_instruction_a(code, 3)

#endif /* PTEBATCH_ARCH_RISCV_H */
