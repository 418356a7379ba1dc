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

/* The kernel's functions test that the caller holds the lock. */
#define ptebatch_exchange_pte ptebatch_exchange_pte
static inline pte_t ptebatch_exchange_pte(struct mm_struct *mm, unsigned long addr,
					  pte_t *ptep, pte_t pte)
{
	pte_t old = READ_ONCE(*ptep);

	WRITE_ONCE(*ptep, pte);
	return old;
}

#define set_pmd(pmdp, pmd)		WRITE_ONCE(*(pmdp), pmd)

#define PTEBATCH_PROT_SETS_YOUNG	true
/* It only rejects the addresses of the kernel. */
#define PTEBATCH_ACCESS_OK_ENDS		false
/* The flush of a single page is announced to no secondary TLB, as no driver has one. */
#define PTEBATCH_FLUSHES_SEEN		0

#define PTEBATCH_PROT_EXEC	_PAGE_EXEC

#define PTEBATCH_TABLES_ARE_PAGES	0

/* With radix page tables. */
#define PTEBATCH_MMU_NEEDS	(_PAGE_PRESENT | _PAGE_WRITE)
#define PTEBATCH_MMU_SETS	(_PAGE_ACCESSED | _PAGE_DIRTY)
#define ptebatch_mmu_sets_bits()	radix_enabled()

#define ptebatch_instruction_bytes ptebatch_instruction_bytes
static inline unsigned int ptebatch_instruction_bytes(const u8 *code)
{
	return 4;
}

/* An instruction with the primary opcode 31: LDARX or STDCX. */
static inline bool ptebatch_instruction_31(const u8 *code, unsigned int extended)
{
	u32 instruction = *(const u32 *)code;

	return instruction >> 26 == 31 && ((instruction >> 1) & 0x3ff) == extended;
}

#define ptebatch_reserves(code)			ptebatch_instruction_31(code, 84)
#define ptebatch_stores_conditionally(code)	ptebatch_instruction_31(code, 214)

#endif /* PTEBATCH_ARCH_POWERPC_H */
