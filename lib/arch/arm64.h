/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_ARM64_H
#define PTEBATCH_ARCH_ARM64_H

#define PTEBATCH_SYSCALL(name)		__arm64_sys_##name

/* The registers in which a system call gets its arguments. */
static inline struct pt_regs
ptebatch_syscall_regs(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d, unsigned long e, unsigned long f)
{
	return (struct pt_regs) {
		.orig_x0 = a, .regs = { a, b, c, d, e, f },
	};
}

#ifdef CONFIG_ARM64_CONTPTE

#define PTEBATCH_BLOCK_ENTRIES		CONT_PTES

#define ptebatch_bare_pte ptebatch_bare_pte
static inline pte_t ptebatch_bare_pte(pte_t pte)
{
	return pte_present(pte) ? pte_mknoncont(pte) : pte;
}

/* The raw entry: ptep_get() hides PTE_CONT and gathers accessed and dirty. */
static inline pte_t ptebatch_raw_pte(pte_t *ptep)
{
	return __ptep_get(ptep);
}

/* Write one entry without unfolding its block, as the MMU does. */
static inline void ptebatch_set_raw_pte(pte_t *ptep, pte_t pte)
{
	WRITE_ONCE(*ptep, pte);
}

#endif /* CONFIG_ARM64_CONTPTE */

#endif /* PTEBATCH_ARCH_ARM64_H */
