/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mmu_gather and the flushes, also for a module: x86 hides them from modules,
 * and with them what decides whether an entry needs a flush. To be included
 * before all else.
 */
#ifndef PTEBATCH_TLB_H
#define PTEBATCH_TLB_H

#include <linux/module.h>

#pragma push_macro("MODULE")
#undef MODULE
#include <linux/mm.h>
#include <linux/hugetlb.h>
#include <asm/tlb.h>
#include <asm/tlbflush.h>
#pragma pop_macro("MODULE")

#endif /* PTEBATCH_TLB_H */
