/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_UM_H
#define PTEBATCH_ARCH_UM_H

#define PTEBATCH_SYSCALL(name)		__se_sys_##name
#define PTEBATCH_PROT_SETS_YOUNG	true
/* Without it, a PMD is not that of a page table. */
#define PTEBATCH_BAD_PMD_BIT		_PAGE_DIRTY

#endif /* PTEBATCH_ARCH_UM_H */
