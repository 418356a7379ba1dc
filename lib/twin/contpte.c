// SPDX-License-Identifier: GPL-2.0
/*
 * arch/arm64/mm/contpte.c and its inline functions, with reads and exchanges of
 * entries, TLB invalidations and barriers counted.
 */
#include "names.h"

#include <linux/atomic.h>

#include <asm/barrier.h>
#include <asm/pgtable-types.h>
#include <asm/rwonce.h>

#include "../arch/ptes.h"

static struct ptebatch_pte_cost so_far;

#undef dsb
#define dsb(option) do {						\
	so_far.barriers++;						\
	asm volatile("dsb " #option : : : "memory");			\
} while (0)

#undef READ_ONCE
#define READ_ONCE(x) ({							\
	__auto_type _at = &(x);						\
									\
	so_far.reads += __same_type(*_at, pte_t);			\
	__READ_ONCE(*_at);						\
})

#undef xchg_relaxed
#define xchg_relaxed(ptr, ...) ({					\
	__auto_type _at = (ptr);					\
									\
	so_far.exchanges += __same_type(*_at, pteval_t);		\
	raw_xchg_relaxed(_at, __VA_ARGS__);				\
})

#undef cmpxchg_relaxed
#define cmpxchg_relaxed(ptr, ...) ({					\
	__auto_type _at = (ptr);					\
									\
	so_far.exchanges += __same_type(*_at, pteval_t);		\
	raw_cmpxchg_relaxed(_at, __VA_ARGS__);				\
})

#include "begin.h"

static void counted_flush_tlb_range(struct vm_area_struct *vma, unsigned long start,
				    unsigned long end, unsigned long stride,
				    int level, tlbf_t flags)
{
	so_far.broadcasts += !(flags & TLBF_NOBROADCAST);
	so_far.other_levels += level != 3;
	__flush_tlb_range(vma, start, end, stride, level, flags);
}

#define __flush_tlb_range counted_flush_tlb_range

#include <../arch/arm64/mm/contpte.c>

/* As in arch/arm64/mm/mmu.c, but counted. */
#undef modify_prot_start_ptes
#undef modify_prot_commit_ptes
#undef ptep_modify_prot_start
#undef ptep_modify_prot_commit
#define modify_prot_start_ptes(vma, addr, ptep, nr)	\
	get_and_clear_full_ptes((vma)->vm_mm, addr, ptep, nr, 0)
#define modify_prot_commit_ptes(vma, addr, ptep, old, pte, nr)	\
	((void)(old), set_ptes((vma)->vm_mm, addr, ptep, pte, nr))
#define ptep_modify_prot_start(vma, addr, ptep)	\
	modify_prot_start_ptes(vma, addr, ptep, 1)
#define ptep_modify_prot_commit(vma, addr, ptep, old, pte)	\
	modify_prot_commit_ptes(vma, addr, ptep, old, pte, 1)

#include "../arch/pte_ops.h"

__visible void ptebatch_twin_pte_op(enum ptebatch_pte_op op,
				    struct ptebatch_ptes *ptes,
				    struct ptebatch_pte_cost *cost)
{
	so_far = (struct ptebatch_pte_cost) {};
	ptes_ops[op](ptes);
	*cost = so_far;
}
