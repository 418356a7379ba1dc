// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/shmem_fs.h>

#include "internal.h"

#include "../service/device.h"
#include "folio.h"

/* Without fallback to other nodes if the row names the folio's node. */
static gfp_t node_gfp(const struct ptebatch_shape *shape)
{
	return GFP_KERNEL | (shape->node ? __GFP_THISNODE : 0);
}

static struct folio *alloc_one(const struct ptebatch_shape *shape, bool device)
{
	if (device)
		return ptebatch_device_folio(shape->order);
	if (!shape->node)
		return folio_alloc(GFP_KERNEL, shape->order);
	return __folio_alloc_node(node_gfp(shape), shape->order, shape->node - 1);
}

/*
 * The offset of a chain in a block of pages, in pages, at which each folio of
 * the chain is naturally aligned; -1 if there is none.
 */
static int chain_offset(const struct ptebatch_shape *shapes, unsigned int nr,
			unsigned int block)
{
	unsigned int start, at, i;

	for (start = 0; start < block; start++) {
		for (i = 0, at = start; i < nr; i++) {
			if (at & ((1U << shapes[i].order) - 1))
				break;
			at += 1U << shapes[i].order;
		}
		if (i == nr && at <= block)
			return start;
	}
	return -1;
}

/*
 * Allocate physically adjacent folios, which the buddy allocator returns only
 * at random: split a block of pages, make folios of the pages in the chain,
 * free the rest. As split_map_pages() and prep_new_page() do for compaction.
 */
static int alloc_chain(struct folio **folios,
		       const struct ptebatch_shape *shapes, unsigned int nr)
{
	unsigned int pages = 0, order, at, i, j;
	struct page *block;
	int start = -1;

	for (i = 0; i < nr; i++)
		pages += 1U << shapes[i].order;
	for (order = order_base_2(pages); start < 0; order++) {
		if (order > MAX_PAGE_ORDER)
			return -EINVAL;
		start = chain_offset(shapes, nr, 1U << order);
		if (start >= 0)
			break;
	}

	block = alloc_pages_node(shapes[0].node - 1, node_gfp(&shapes[0]), order);
	if (!block)
		return -ENOMEM;
	split_page(block, order);

	for (at = 0; at < start; at++)
		__free_page(block + at);
	for (i = 0; i < nr; i++) {
		for (j = 1; j < 1U << shapes[i].order; j++)
			set_page_count(block + at + j, 0);
		if (shapes[i].order)
			prep_compound_page(block + at, shapes[i].order);
		folios[i] = page_rmappable_folio(block + at);
		at += 1U << shapes[i].order;
	}
	for (; at < 1U << order; at++)
		__free_page(block + at);
	return 0;
}

/**
 * ptebatch_folios_alloc() - allocate the folios of a row
 * @folios: array for the folios of @row, each returned with one reference; on
 *          failure, entries not reached keep their value
 * @row: orders and nodes of the folios, and which folios are adjacent
 * @coherent: all folios are in device-coherent memory
 *
 * A folio with a device-private entry is in device-private memory. The pages are
 * not zeroed.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM, or -EINVAL if no block up to MAX_PAGE_ORDER can contain
 * the adjacent folios.
 */
int ptebatch_folios_alloc(struct folio **folios, const struct ptebatch_row *row,
			  bool coherent)
{
	DECLARE_BITMAP(device, PTEBATCH_ROW_ENTRIES) = {};
	unsigned int i, end;
	int err;

	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_DEVICE_PRIVATE)
			set_bit(row->entries[i].folio, device);
	for (i = 0; i < row->nr_folios; i = end) {
		for (end = i + 1; end < row->nr_folios; end++)
			if (!row->folios[end].adjacent)
				break;
		if (end - i == 1) {
			folios[i] = alloc_one(&row->folios[i],
					      coherent || test_bit(i, device));
			if (!folios[i])
				return -ENOMEM;
			continue;
		}
		err = alloc_chain(folios + i, row->folios + i, end - i);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ptebatch_folio_cache() - put a folio into a file's page cache
 * @folio: a folio without mapping
 * @file: the file, from shmem_file_setup() or ptebatch_file()
 * @index: index of the folio in the file, in pages; a multiple of its size
 *
 * Does not add the folio to the LRU lists, so that reclaim does not find it and
 * no per-CPU batch holds a reference.
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the functions that add to the page cache.
 */
int ptebatch_folio_cache(struct folio *folio, struct file *file, pgoff_t index)
{
	struct address_space *mapping = file->f_mapping;
	long nr = folio_nr_pages(folio);
	int err;

	folio_lock(folio);
	if (!shmem_mapping(mapping)) {
		err = __filemap_add_folio(mapping, folio, index, GFP_KERNEL,
					  NULL);
	} else {
		__folio_set_swapbacked(folio);
		err = shmem_inode_acct_blocks(file_inode(file), nr);
		if (!err) {
			err = shmem_add_to_page_cache(folio, mapping, index,
						      NULL, GFP_KERNEL);
			shmem_recalc_inode(file_inode(file), nr, 0);
		}
	}
	if (!err)
		folio_mark_uptodate(folio);
	folio_unlock(folio);
	return err;
}

/**
 * ptebatch_folio_add_anon_rmap() - make a new folio anonymous
 * @folio: a folio without mapping
 * @vma: the VMA that maps all pages of the folio
 * @addr: address of the folio's first page in @vma, in bytes
 * @pmd: true if a PMD maps the folio, false if PTEs do
 *
 * Clears AnonExclusive on all pages: the caller sets it page by page.
 *
 * Context: The page table lock is held.
 */
void ptebatch_folio_add_anon_rmap(struct folio *folio,
				  struct vm_area_struct *vma,
				  unsigned long addr, bool pmd)
{
	unsigned int i, nr = folio_nr_pages(folio);

	folio_add_new_anon_rmap(folio, vma, addr, RMAP_EXCLUSIVE);
	/* folio_add_new_anon_rmap() maps PMD-sized folios by a PMD. */
	if (!pmd && folio_test_pmd_mappable(folio)) {
		folio_add_anon_rmap_ptes(folio, folio_page(folio, 0), nr, vma,
					 addr, RMAP_NONE);
		folio_remove_rmap_pmd(folio, folio_page(folio, 0), vma);
	}
	for (i = 0; i < nr; i++)
		ClearPageAnonExclusive(folio_page(folio, i));
}

/**
 * ptebatch_folio_pin() - pin a folio as for DMA, or unpin it
 * @folio: the folio; the caller holds a reference
 * @pins: number of pins to add; negative: to drop
 *
 * As try_grab_folio() and gup_put_folio().
 *
 * Context: Any.
 */
void ptebatch_folio_pin(struct folio *folio, int pins)
{
	if (folio_test_large(folio)) {
		atomic_add(pins, &folio->_pincount);
		folio_ref_add(folio, pins);
	} else {
		folio_ref_add(folio, pins * GUP_PIN_COUNTING_BIAS);
	}
}

/**
 * ptebatch_folio_poison() - set PG_hwpoison of a page
 * @folio: its folio
 * @page: number of the page in the folio
 *
 * As memory_failure(), if it does not split the folio.
 *
 * Context: Any.
 */
void ptebatch_folio_poison(struct folio *folio, unsigned int page)
{
	SetPageHWPoison(folio_page(folio, page));
	if (folio_test_large(folio))
		folio_set_has_hwpoisoned(folio);
}

/**
 * ptebatch_folio_unpoison() - clear PG_hwpoison of the only page that has it
 * @folio: its folio
 * @page: number of the page in the folio
 *
 * Context: Any.
 */
void ptebatch_folio_unpoison(struct folio *folio, unsigned int page)
{
	ClearPageHWPoison(folio_page(folio, page));
	if (folio_test_large(folio))
		folio_clear_has_hwpoisoned(folio);
}
