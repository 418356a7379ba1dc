/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_ARM64_H
#define PTEBATCH_ARCH_ARM64_H

#include <linux/mm.h>

#include <asm/cpufeature.h>
#include <asm/mte.h>
#include <asm/mte-kasan.h>

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

#define PTEBATCH_FLUSHES_YOUNG	true
#define PTEBATCH_DEFERS_RANGES	true

#define PTEBATCH_PROT_NOEXEC	PTE_UXN
#define PTEBATCH_PROT_BITS	(PTE_UXN | PTE_ATTRINDX_MASK | PTE_PO_IDX_MASK)

#ifdef CONFIG_ARM64_ERRATUM_2645198
#define ptebatch_exec_breaks ptebatch_exec_breaks
static inline bool ptebatch_exec_breaks(void)
{
	return cpus_have_final_cap(ARM64_WORKAROUND_2645198);
}
#endif

#ifdef CONFIG_ARM64_MTE

#define ptebatch_has_tags ptebatch_has_tags
static inline bool ptebatch_has_tags(void)
{
	return system_supports_mte();
}

/* Have the tags of the page been initialized, or copied from another page? */
static inline bool ptebatch_page_tagged(struct page *page)
{
	return page_mte_tagged(page);
}

/* Make the page one that never had tags, as a new page. */
static inline void ptebatch_page_untag(struct page *page)
{
	if (!system_supports_mte())
		return;
	mte_clear_page_tags(page_address(page));
	clear_bit(PG_mte_tagged, &page->flags.f);
	clear_bit(PG_mte_lock, &page->flags.f);
}

/* mte_set_mem_tag_range() ignores its tag without KASAN. */
static inline void ptebatch_tag_set(struct page *page, u8 tag)
{
	u64 at = ((u64)page_address(page) & ~MTE_TAG_MASK) |
		 (u64)tag << MTE_TAG_SHIFT;
	unsigned int i;

	for (i = 0; i < MTE_GRANULES_PER_PAGE; i++)
		at = __stg_post(at);
}

/* The tag of the page's first 16 bytes. */
static inline u8 ptebatch_tag_get(struct page *page)
{
	return mte_get_mem_tag(page_address(page)) & 0xf;
}

#endif /* CONFIG_ARM64_MTE */

#ifdef CONFIG_ARM64_CONTPTE

#define PTEBATCH_BLOCK_ENTRIES		CONT_PTES

#define ptebatch_bare_pte ptebatch_bare_pte
static inline pte_t ptebatch_bare_pte(pte_t pte)
{
	return pte_present(pte) ? pte_mknoncont(pte) : pte;
}

#define PTEBATCH_HUGE_PTES		CONT_PTES
#define PTEBATCH_HUGE_PMDS		CONT_PMDS

/* ptep_get() gathers accessed and dirty. */
#define ptebatch_raw_pte ptebatch_raw_pte
static inline pte_t ptebatch_raw_pte(pte_t *ptep)
{
	return __ptep_get(ptep);
}

/* Without unfolding the block of the entry. */
static inline void ptebatch_set_raw_pte(pte_t *ptep, pte_t pte)
{
	WRITE_ONCE(*ptep, pte);
}

#endif /* CONFIG_ARM64_CONTPTE */

/* With hardware dirty bit management. */
#define PTEBATCH_MMU_NEEDS	(PTE_VALID | PTE_DBM)
#define PTEBATCH_MMU_SETS	PTE_AF
#define PTEBATCH_MMU_CLEARS	PTE_RDONLY

#define ptebatch_instruction_bytes ptebatch_instruction_bytes
static inline unsigned int ptebatch_instruction_bytes(const u8 *code)
{
	return 4;
}

/* See kernel/detour.c: the stack pointer is aligned, and must be the same at the end. */
#define PTEBATCH_DETOUR			\
	"	stp	x29, x30, [sp, #-16]!\n"	\
	"	bl	ptebatch_detour_call\n"	\
	"	ldp	x29, x30, [sp], #16\n"

static inline void ptebatch_detour_stack(struct pt_regs *regs)
{
}

#endif /* PTEBATCH_ARCH_ARM64_H */
