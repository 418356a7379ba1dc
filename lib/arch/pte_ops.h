/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64's operations on page table entries, as functions with one signature.
 * No include guard: each file that includes it compiles its own functions, the
 * suite with the kernel's operations, the twin with counting ones.
 */
#include "ptes.h"

/* The entry after an access flag fault. */
static pte_t ptes_accessed(pte_t pte)
{
	return pte_write(pte) ? pte_mkdirty(pte_mkyoung(pte)) : pte_mkyoung(pte);
}

static pte_t ptes_made_writable(pte_t pte, struct vm_area_struct *vma)
{
	return pte_mkyoung(pte_mkdirty(pte_mkwrite(pte, vma)));
}

static void ptes_get(struct ptebatch_ptes *p)
{
	p->returned = ptep_get(p->ptep);
}

static void ptes_get_lockless(struct ptebatch_ptes *p)
{
	p->returned = ptep_get_lockless(p->ptep);
}

static void ptes_get_and_clear(struct ptebatch_ptes *p)
{
	p->returned = ptep_get_and_clear(p->vma->vm_mm, p->addr, p->ptep);
}

static void ptes_get_and_clear_full(struct ptebatch_ptes *p)
{
	p->returned = get_and_clear_full_ptes(p->vma->vm_mm, p->addr, p->ptep,
					      p->nr, 0);
}

/* pte_clear() leaves the page table check to its caller, see ptep_clear(). */
static void ptes_clear(struct ptebatch_ptes *p)
{
	pte_clear(p->vma->vm_mm, p->addr, p->ptep);
	page_table_check_pte_clear(p->vma->vm_mm, p->addr, p->entry);
}

static void ptes_clear_full(struct ptebatch_ptes *p)
{
	clear_full_ptes(p->vma->vm_mm, p->addr, p->ptep, p->nr, 0);
}

/* set_ptes() of several entries requires empty ones. */
static void ptes_set(struct ptebatch_ptes *p)
{
	clear_full_ptes(p->vma->vm_mm, p->addr, p->ptep, p->nr, 0);
	set_ptes(p->vma->vm_mm, p->addr, p->ptep, p->entry, p->nr);
}

/* Accessed and dirty of a present entry must not change. */
static void ptes_set_present(struct ptebatch_ptes *p)
{
	set_ptes(p->vma->vm_mm, p->addr, p->ptep,
		 pte_wrprotect(ptep_get(p->ptep)), 1);
}

static void ptes_wrprotect(struct ptebatch_ptes *p)
{
	wrprotect_ptes(p->vma->vm_mm, p->addr, p->ptep, p->nr);
}

static void ptes_modify_prot(struct ptebatch_ptes *p)
{
	p->returned = modify_prot_start_ptes(p->vma, p->addr, p->ptep, p->nr);
	modify_prot_commit_ptes(p->vma, p->addr, p->ptep, p->returned,
				pte_wrprotect(p->returned), p->nr);
}

static void ptes_modify_prot_one(struct ptebatch_ptes *p)
{
	p->returned = ptep_modify_prot_start(p->vma, p->addr, p->ptep);
	ptep_modify_prot_commit(p->vma, p->addr, p->ptep, p->returned,
				pte_wrprotect(p->returned));
}

static void ptes_test_and_clear_young(struct ptebatch_ptes *p)
{
	p->returned = __pte(test_and_clear_young_ptes(p->vma, p->addr, p->ptep,
						      p->nr));
}

static void ptes_clear_flush_young(struct ptebatch_ptes *p)
{
	p->returned = __pte(clear_flush_young_ptes(p->vma, p->addr, p->ptep,
						   p->nr));
}

static void ptes_clear_young_dirty(struct ptebatch_ptes *p)
{
	clear_young_dirty_ptes(p->vma, p->addr, p->ptep, p->nr,
			       CYDP_CLEAR_YOUNG | CYDP_CLEAR_DIRTY);
}

static void ptes_set_access_flags(struct ptebatch_ptes *p)
{
	p->returned = __pte(ptep_set_access_flags(p->vma, p->addr, p->ptep,
						  ptes_accessed(p->entry),
						  pte_write(p->entry)));
}

static void ptes_set_writable(struct ptebatch_ptes *p)
{
	p->returned = __pte(ptep_set_access_flags(p->vma, p->addr, p->ptep,
						  ptes_made_writable(p->entry, p->vma), 1));
}

static const ptebatch_pte_op_t ptes_ops[PTEBATCH_NR_PTE_OPS] = {
	[PTEBATCH_GET] = ptes_get,
	[PTEBATCH_GET_LOCKLESS] = ptes_get_lockless,
	[PTEBATCH_SET] = ptes_set,
	[PTEBATCH_SET_PRESENT] = ptes_set_present,
	[PTEBATCH_GET_AND_CLEAR] = ptes_get_and_clear,
	[PTEBATCH_GET_AND_CLEAR_FULL] = ptes_get_and_clear_full,
	[PTEBATCH_CLEAR] = ptes_clear,
	[PTEBATCH_CLEAR_FULL] = ptes_clear_full,
	[PTEBATCH_WRPROTECT] = ptes_wrprotect,
	[PTEBATCH_MODIFY_PROT] = ptes_modify_prot,
	[PTEBATCH_MODIFY_PROT_ONE] = ptes_modify_prot_one,
	[PTEBATCH_TEST_AND_CLEAR_YOUNG] = ptes_test_and_clear_young,
	[PTEBATCH_CLEAR_FLUSH_YOUNG] = ptes_clear_flush_young,
	[PTEBATCH_CLEAR_YOUNG_DIRTY] = ptes_clear_young_dirty,
	[PTEBATCH_SET_ACCESS_FLAGS] = ptes_set_access_flags,
	[PTEBATCH_SET_WRITABLE] = ptes_set_writable,
};
