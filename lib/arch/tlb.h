/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mmu_gather and TLB flush functions for modules: x86 declares them, and the
 * tests whether a PTE change needs a flush, only if MODULE is not defined.
 * Include this header first.
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
