// SPDX-License-Identifier: GPL-2.0
/*
 * The rmap finds the page table entries of a VMA only if it finds the VMA: the VMA of
 * a file is in mapping->i_mmap, and one with anonymous pages in the tree of each
 * anon_vma of its chain, its own among them, all by its page offsets of today.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rmap.h>

#include "checks.h"
#include "places.h"

static bool in_file(struct vm_area_struct *vma)
{
	struct address_space *mapping = vma->vm_file->f_mapping;
	struct vm_area_struct *found;

	i_mmap_lock_read(mapping);
	mapping_rmap_tree_foreach(found, mapping, vma_start_pgoff(vma), vma_last_pgoff(vma))
		if (found == vma)
			break;
	i_mmap_unlock_read(mapping);
	return found;
}

static bool in_anon_vma(struct vm_area_struct *vma, struct anon_vma *anon_vma)
{
	struct anon_vma_chain *avc;

	anon_vma_lock_read(anon_vma);
	anon_rmap_tree_foreach(avc, anon_vma, vma_start_anon_pgoff(vma), vma_last_anon_pgoff(vma))
		if (avc->vma == vma)
			break;
	anon_vma_unlock_read(anon_vma);
	return avc;
}

static bool in_chain(struct vm_area_struct *vma)
{
	struct anon_vma_chain *avc;
	bool own = false;

	list_for_each_entry(avc, &vma->anon_vma_chain, same_vma) {
		if (avc->vma != vma || !in_anon_vma(vma, avc->anon_vma))
			return false;
		own |= avc->anon_vma == vma->anon_vma;
	}
	return own;
}

static void check_vma(struct vm_area_struct *vma, void *out)
{
	unsigned long pages = vma_pages(vma);

	if (vma->vm_file && !in_file(vma))
		seq_buf_printf(out, "not in i_mmap of its file: a VMA of %lu pages\n", pages);
	if (vma->anon_vma && !in_chain(vma))
		seq_buf_printf(out, "not in its anon_vmas: a VMA of %lu pages\n", pages);
}

static void check_vma_links(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++)
		if (ptebatch_first_place(space, i) == i)
			ptebatch_each_vma(space->places[i].mm, check_vma, out);
}

const struct ptebatch_check ptebatch_check_vma_links = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "vma_links", .whole = true,
	.check = check_vma_links,
};
