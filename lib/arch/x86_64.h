/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_X86_64_H
#define PTEBATCH_ARCH_X86_64_H

#include <asm/insn.h>

#define PTEBATCH_SYSCALL(name)		__x64_sys_##name

/* The registers in which a system call gets its arguments. */
static inline struct pt_regs
ptebatch_syscall_regs(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d, unsigned long e, unsigned long f)
{
	return (struct pt_regs) {
		.di = a, .si = b, .dx = c, .r10 = d, .r8 = e, .r9 = f,
	};
}

/* A TLB flush interrupts the other CPUs that use the mm, and waits for them. */
#define PTEBATCH_TLB_FLUSH_IPI		true

/* Also true on a CPU without shadow stacks, if booted with setcpuid=519. */
#define ptebatch_has_shadow_stack ptebatch_has_shadow_stack
static inline bool ptebatch_has_shadow_stack(void)
{
	return cpu_feature_enabled(X86_FEATURE_SHSTK);
}

static inline bool ptebatch_pte_shadow_stack(pte_t pte)
{
	return pte_shstk(pte);
}

static inline pte_t ptebatch_pte_mkshadow_stack(pte_t pte)
{
	return pte_mkwrite_shstk(pte);
}

/* Without it, a PMD is not that of a page table. */
#define PTEBATCH_BAD_PMD_BIT	_PAGE_DIRTY

/* At the begin of memory_failure_queue(): its second argument. */
#define ptebatch_simulate_failure(regs)	((regs)->si |= MF_SW_SIMULATED)

#define PTEBATCH_PROT_NOEXEC	_PAGE_NX
#define PTEBATCH_PROT_BITS	(_PAGE_NX | _PAGE_PKEY_MASK)

#define PTEBATCH_MMU_NEEDS	(_PAGE_PRESENT | _PAGE_RW)
#define PTEBATCH_MMU_SETS	(_PAGE_ACCESSED | _PAGE_DIRTY)

#define ptebatch_instruction_bytes ptebatch_instruction_bytes
static inline unsigned int ptebatch_instruction_bytes(const u8 *code)
{
	struct insn insn;

	return insn_decode_kernel(&insn, code) ? 1 : insn.length;
}

/* See kernel/detour.c: a call, with the stack aligned as a caller has it. */
#define PTEBATCH_DETOUR		"	call	ptebatch_detour_call\n"

static inline void ptebatch_detour_stack(struct pt_regs *regs)
{
	regs->sp = ALIGN_DOWN(regs->sp, 16);
}

#endif /* PTEBATCH_ARCH_X86_64_H */
