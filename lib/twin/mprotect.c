// SPDX-License-Identifier: GPL-2.0
/* mm/mprotect.c with batching off. */
#include "begin.h"

#include <mprotect.c>

__visible long ptebatch_twin_change_protection(struct mmu_gather *tlb,
					       struct vm_area_struct *vma,
					       unsigned long start,
					       unsigned long end,
					       unsigned long cp_flags)
{
	return change_protection(tlb, vma, start, end, cp_flags);
}

#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
__visible asmlinkage long ptebatch_twin_mprotect(PTEBATCH_SYSCALL_PARAMS)
{
	return PTEBATCH_SYSCALL(mprotect)(regs);
}
#else
__visible asmlinkage long ptebatch_twin_mprotect(PTEBATCH_SYSCALL_PARAMS)
{
	return PTEBATCH_SYSCALL(mprotect)(a, b, c);
}
#endif
