// SPDX-License-Identifier: GPL-2.0
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../arch/arch.h"
#include "pte.h"

/**
 * ptebatch_pte_prot() - page protection of a read-only entry
 * @vma: the VMA that contains the entry
 *
 * Return: the protection of @vma with VM_READ and without VM_WRITE.
 */
pgprot_t ptebatch_pte_prot(const struct vm_area_struct *vma)
{
	return vm_get_page_prot((vma->vm_flags | VM_READ) & ~VM_WRITE);
}

static pte_t make_present(struct vm_area_struct *vma, struct page *page,
			  const struct ptebatch_entry *entry)
{
	unsigned long pfn = page ? page_to_pfn(page) : zero_pfn(0);
	pte_t pte = pte_wrprotect(pfn_pte(pfn, ptebatch_pte_prot(vma)));

	if (entry->flags & (PTEBATCH_ZERO_PAGE | PTEBATCH_SPECIAL))
		pte = pte_mkspecial(pte);
	if (entry->kind == PTEBATCH_PROTNONE)
		pte = pte_modify(pte, PAGE_NONE);
	pte = pte_mkold(pte_mkclean(pte));
	if (entry->kind == PTEBATCH_WRITABLE)
		pte = pte_mkwrite(pte, vma);
	/* pte_mkdirty() would make a read-only dirty PTE. */
	if (entry->kind == PTEBATCH_SHADOW_STACK)
		pte = ptebatch_pte_mkshadow_stack(pte);
	else if (entry->flags & PTEBATCH_DIRTY)
		pte = pte_mkdirty(pte);
	if (entry->flags & PTEBATCH_YOUNG)
		pte = pte_mkyoung(pte);
	if (entry->flags & PTEBATCH_UFFD)
		pte = pte_mkuffd(pte);
	/* On x86, pte_mkdirty() has set soft-dirty. */
	if (entry->flags & PTEBATCH_SOFT_DIRTY)
		pte = pte_mksoft_dirty(pte);
	else
		pte = pte_clear_soft_dirty(pte);
	return pte;
}

static pte_t set_swap_flags(pte_t pte, u16 flags)
{
	if (flags & PTEBATCH_SOFT_DIRTY)
		pte = pte_swp_mksoft_dirty(pte);
	if (flags & PTEBATCH_UFFD)
		pte = pte_swp_mkuffd(pte);
	return pte;
}

/**
 * ptebatch_migration_entry() - make the migration entry of a page
 * @page: the page
 * @flags: flags of a struct ptebatch_entry: writable, exclusive
 *
 * Return: the entry, without bits of a PTE or PMD.
 */
swp_entry_t ptebatch_migration_entry(struct page *page, u16 flags)
{
	unsigned long pfn = page_to_pfn(page);

	if (flags & PTEBATCH_MIGRATION_WRITE)
		return make_writable_migration_entry(pfn);
	if (flags & PTEBATCH_EXCLUSIVE)
		return make_readable_exclusive_migration_entry(pfn);
	return make_readable_migration_entry(pfn);
}

static pte_t make_migration(struct page *page, u16 flags)
{
	return set_swap_flags(swp_entry_to_pte(ptebatch_migration_entry(page, flags)),
			      flags);
}

static pte_t make_device(struct page *page, const struct ptebatch_entry *entry)
{
	unsigned long pfn = page_to_pfn(page);
	swp_entry_t swap;

	if (entry->kind == PTEBATCH_DEVICE_EXCLUSIVE)
		swap = make_device_exclusive_entry(pfn);
	else if (entry->flags & PTEBATCH_MIGRATION_WRITE)
		swap = make_writable_device_private_entry(pfn);
	else
		swap = make_readable_device_private_entry(pfn);
	return set_swap_flags(swp_entry_to_pte(swap), entry->flags);
}

/* Without a page: an arbitrary swap entry, which must not be looked up. */
static pte_t make_swap(struct page *page, u16 flags)
{
	swp_entry_t entry = page ? page_swap_entry(page) : swp_entry(0, 1);
	pte_t pte = set_swap_flags(swp_entry_to_pte(entry), flags);

	return flags & PTEBATCH_EXCLUSIVE ? pte_swp_mkexclusive(pte) : pte;
}

/**
 * ptebatch_pte_make() - convert an entry of a row to a PTE
 * @vma: the VMA that the PTE is for
 * @page: the entry's page, or %NULL, also for the zero page; the page of a swap
 *        entry is in the swap cache
 * @entry: the entry; PTEBATCH_EXCLUSIVE is ignored for present and device
 *         entries, as the page has the flag
 *
 * Return: the PTE, pte_none() for kinds that cannot be made.
 */
pte_t ptebatch_pte_make(struct vm_area_struct *vma, struct page *page,
			const struct ptebatch_entry *entry)
{
	switch (entry->kind) {
	case PTEBATCH_WRITABLE:
	case PTEBATCH_READABLE:
	case PTEBATCH_PROTNONE:
	case PTEBATCH_SHADOW_STACK:
		return make_present(vma, page, entry);
	case PTEBATCH_MIGRATION:
		return make_migration(page, entry->flags);
	case PTEBATCH_SWAP:
		return make_swap(page, entry->flags);
	case PTEBATCH_DEVICE_PRIVATE:
	case PTEBATCH_DEVICE_EXCLUSIVE:
		return make_device(page, entry);
	case PTEBATCH_MARKER:
		return make_pte_marker(PTE_MARKER_UFFD_WP);
	case PTEBATCH_POISON:
		return make_pte_marker(PTE_MARKER_POISONED);
	case PTEBATCH_GUARD:
		return make_pte_marker(PTE_MARKER_GUARD);
	default:
		return __pte(PTEBATCH_EMPTY);
	}
}

/*
 * pte_protnone() always is false on UML. Elsewhere PROT_NONE entries may have
 * more bits than PAGE_NONE, such as a protection key.
 */
static bool is_protnone(pte_t pte)
{
	if (pte_protnone(pte))
		return true;
	return pte_same(pte_mkold(pte),
			pte_mkold(pte_modify(pte, PAGE_NONE)));
}

static unsigned long read_present(pte_t pte, struct ptebatch_entry *entry)
{
	entry->kind = is_protnone(pte) ? PTEBATCH_PROTNONE :
		      ptebatch_pte_shadow_stack(pte) ? PTEBATCH_SHADOW_STACK :
		      pte_write(pte) ? PTEBATCH_WRITABLE : PTEBATCH_READABLE;
	entry->flags = (pte_dirty(pte) ? PTEBATCH_DIRTY : 0) |
		       (pte_young(pte) ? PTEBATCH_YOUNG : 0) |
		       (pte_soft_dirty(pte) ? PTEBATCH_SOFT_DIRTY : 0) |
		       (pte_uffd(pte) ? PTEBATCH_UFFD : 0);
	if (is_zero_pfn(pte_pfn(pte)))
		entry->flags |= PTEBATCH_ZERO_PAGE;
	else if (pte_special(pte))
		entry->flags |= PTEBATCH_SPECIAL;
	return pte_pfn(pte);
}

static u8 marker_kind(softleaf_t leaf)
{
	if (softleaf_is_uffd_wp_marker(leaf))
		return PTEBATCH_MARKER;
	if (softleaf_is_poison_marker(leaf))
		return PTEBATCH_POISON;
	if (softleaf_is_guard_marker(leaf))
		return PTEBATCH_GUARD;
	return PTEBATCH_FOREIGN;
}

static unsigned long read_nonpresent(pte_t pte, struct ptebatch_entry *entry)
{
	softleaf_t leaf = softleaf_from_pte(pte);

	entry->kind = PTEBATCH_FOREIGN;
	if (softleaf_is_marker(leaf)) {
		entry->kind = marker_kind(leaf);
		return 0;
	}
	entry->flags = (pte_swp_soft_dirty(pte) ? PTEBATCH_SOFT_DIRTY : 0) |
		       (pte_swp_uffd(pte) ? PTEBATCH_UFFD : 0);
	if (softleaf_is_swap(leaf)) {
		entry->kind = PTEBATCH_SWAP;
		if (pte_swp_exclusive(pte))
			entry->flags |= PTEBATCH_EXCLUSIVE;
	} else if (softleaf_is_hwpoison(leaf)) {
		entry->kind = PTEBATCH_HWPOISON;
		entry->flags = 0;
		return softleaf_to_pfn(leaf);
	} else if (softleaf_is_migration(leaf)) {
		entry->kind = PTEBATCH_MIGRATION;
		if (softleaf_is_migration_write(leaf))
			entry->flags |= PTEBATCH_MIGRATION_WRITE;
		else if (softleaf_is_migration_read_exclusive(leaf))
			entry->flags |= PTEBATCH_EXCLUSIVE;
		return softleaf_to_pfn(leaf);
	} else if (softleaf_is_device_private(leaf)) {
		entry->kind = PTEBATCH_DEVICE_PRIVATE;
		if (softleaf_is_device_private_write(leaf))
			entry->flags |= PTEBATCH_MIGRATION_WRITE;
		return softleaf_to_pfn(leaf);
	} else if (softleaf_is_device_exclusive(leaf)) {
		entry->kind = PTEBATCH_DEVICE_EXCLUSIVE;
		return softleaf_to_pfn(leaf);
	}
	return 0;
}

/**
 * ptebatch_pte_read() - convert a PTE to an entry of a row
 * @pte: the PTE
 * @entry: returns kind and flags; PTEBATCH_EXCLUSIVE for swap and migration
 *         entries only
 *
 * Return: PFN of the page that @pte refers to, 0 if there is none.
 */
unsigned long ptebatch_pte_read(pte_t pte, struct ptebatch_entry *entry)
{
	*entry = (struct ptebatch_entry) { .folio = PTEBATCH_NO_FOLIO };
	if (pte_none(pte))
		return 0;
	return pte_present(pte) ? read_present(pte, entry) :
				  read_nonpresent(pte, entry);
}

/**
 * ptebatch_find_pmd() - find the PMD of an address
 * @mm: the mm
 * @addr: the address, in bytes
 *
 * Context: The mmap_lock is held.
 * Return: the PMD, %NULL if an upper page table is missing.
 */
pmd_t *ptebatch_find_pmd(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(*p4d))
		return NULL;
	pud = pud_offset(p4d, addr);
	if (pud_none(*pud))
		return NULL;
	return pmd_offset(pud, addr);
}

/**
 * ptebatch_entry_lock() - find the lock of the entry, PTE or PMD, that maps an address
 * @mm: the mm
 * @addr: the address, in bytes
 *
 * Context: Takes the mmap_lock.
 * Return: the lock, which goes with the page table; %NULL if there is no page table.
 */
spinlock_t *ptebatch_entry_lock(struct mm_struct *mm, unsigned long addr)
{
	spinlock_t *ptl = NULL;	/* of the page table, or of the PMD */
	pmd_t *pmd;

	mmap_read_lock(mm);
	pmd = ptebatch_find_pmd(mm, addr);
	if (pmd && pmd_trans_huge(*pmd))
		ptl = pmd_lockptr(mm, pmd);
	else if (pmd && pmd_present(*pmd))
		ptl = pte_lockptr(mm, pmd);
	mmap_read_unlock(mm);
	return ptl;
}
