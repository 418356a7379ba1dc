// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "../arch/arch.h"
#include "checks.h"

/* The first mapping of a page with memory tags must initialize the tags. */
static bool lacks_tags(const struct vm_area_struct *vma, pte_t pte)
{
	return vma->vm_flags & VM_MTE &&
	       !ptebatch_page_tagged(pfn_to_page(pte_pfn(pte)));
}

/*
 * Every accessible entry of the range has the execute permission, protection key
 * and memory type of its VMA, and all pages of a VMA with memory tags have tags.
 * PROT_NONE entries are left out: a NUMA hint has no bits of its VMA.
 */
static void check_protection(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *after = &trial->after;
	const struct ptebatch_row *row = &after->row;
	const struct ptebatch_place *place = trial->place;
	struct vm_area_struct *vma = NULL;
	unsigned int i;

	/* Not for a window, which is read back too often. */
	if (trial->partial && !trial->first)
		return;
	mmap_read_lock(place->mm);
	for (i = row->from; i < row->to; i++) {
		unsigned long addr = place->start + i * PAGE_SIZE;
		u64 got = pte_val(after->raw[after->lead + i]) & PTEBATCH_PROT_BITS;
		u64 expected;

		if (!ptebatch_entry_present(&row->entries[i]) ||
		    row->entries[i].kind == PTEBATCH_PROTNONE)
			continue;
		if (!vma || addr >= vma->vm_end)
			vma = vma_lookup(place->mm, addr);
		if (!vma)
			continue;
		if (ptebatch_entry_normal(&row->entries[i]) &&
		    lacks_tags(vma, after->raw[after->lead + i])) {
			set_bit(i, trial->differs);
			seq_buf_printf(out, "the page of entry %u has no initialized tags\n", i);
		}
		expected = pgprot_val(vma->vm_page_prot) & PTEBATCH_PROT_BITS;
		if (got == expected)
			continue;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %u has protection bits %#llx, its VMA %#llx\n",
			       i, got, expected);
	}
	mmap_read_unlock(place->mm);
}

const struct ptebatch_check ptebatch_check_protection = {
	.rule = PTEBATCH_RULE_PROTECTION, .name = "protection", .check = check_protection,
};
