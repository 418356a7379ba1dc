// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>

#include "internal.h"

#include "../space/refs.h"
#include "../twin/twin.h"
#include "op.h"

static bool is_in_range(const struct ptebatch_row *row, s16 folio)
{
	unsigned int i;

	for (i = row->from; i < row->to; i++)
		if (row->entries[i].folio == folio)
			return true;
	return false;
}

static long unmap(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	const struct ptebatch_row *row = &space->row;
	bool all = row->from == 0 && row->to == row->nr;
	unsigned int i;

	for (i = 0; i < row->nr_folios; i++) {
		struct folio *folio = space->folios[i];
		/* A folio with swap space is locked already. */
		bool locked = folio_test_locked(folio);
		bool held = ptebatch_folio_intact(space, i);

		if (!all && !is_in_range(row, i))
			continue;
		/* As for reclaim, the caller holds a reference. */
		if (!held)
			folio_get(folio);
		if (!locked)
			folio_lock(folio);
		if (twin)
			ptebatch_twin_try_to_unmap(folio, op->arg);
		else
			try_to_unmap(folio, op->arg);
		if (!locked)
			folio_unlock(folio);
		if (!held)
			folio_put(folio);
	}
	if (op->arg & TTU_BATCH_FLUSH)
		try_to_unmap_flush();
	return 0;
}

/* @arg of zap(). */
#define BATCHED	1
#define FREE_TABLES	2

static long zap(const struct ptebatch_op *op, struct ptebatch_space *space,
		bool twin)
{
	const struct ptebatch_row *row = &space->row;
	unsigned long start = ptebatch_addr(space, row->from);
	unsigned long end = ptebatch_addr(space, row->to);
	struct mm_struct *mm = space->places[0].mm;
	bool batched = op->arg && !twin;
	struct zap_details details = {
		.reclaim_pt = true,
	};
	struct vm_area_struct *vma;
	struct mmu_gather tlb;

	VMA_ITERATOR(vmi, mm, start);

	mmap_read_lock(mm);
	if (batched)
		tlb_gather_mmu(&tlb, mm);
	for_each_vma_range(vmi, vma, end) {
		unsigned long at = max(start, vma->vm_start);
		unsigned long bytes = min(end, vma->vm_end) - at;

		if (twin)
			ptebatch_twin_zap_vma_range(vma, at, bytes);
		else if (!batched)
			zap_vma_range(vma, at, bytes);
		else
			zap_vma_range_batched(&tlb, vma, at, bytes,
					      op->arg == FREE_TABLES ? &details : NULL);
	}
	if (batched)
		tlb_finish_mmu(&tlb);
	mmap_read_unlock(mm);
	return 0;
}

/* With @op->arg, the copies of a private mapping, too. */
static long unmap_pages(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	pgoff_t first;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, space->places[0].start);
	first = linear_page_index(vma, ptebatch_addr(space, row->from));
	mmap_read_unlock(mm);
	unmap_mapping_pages(space->file->f_mapping, first, row->to - row->from,
			    op->arg);
	return 0;
}

/* Each page cache folio of the row, as truncation does. */
static long unmap_folios(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	unsigned int i;

	for_each_set_bit(i, space->cached, space->row.nr_folios) {
		struct folio *folio = space->folios[i];
		/* A folio with migration entries is locked already. */
		bool locked = folio_test_locked(folio);

		if (!locked)
			folio_lock(folio);
		unmap_mapping_folio(folio);
		if (!locked)
			folio_unlock(folio);
	}
	return 0;
}

/**
 * ptebatch_zap_pages() - zap entries of one place, before the operation
 * @place: the place; one VMA maps the entries
 * @from: first entry of the row
 * @to: first entry behind them
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table locks.
 */
void ptebatch_zap_pages(const struct ptebatch_place *place, unsigned int from,
			unsigned int to)
{
	unsigned long start = place->start + from * PAGE_SIZE;

	mmap_read_lock(place->mm);
	zap_vma_range(vma_lookup(place->mm, start), start, (to - from) * PAGE_SIZE);
	mmap_read_unlock(place->mm);
}

const struct ptebatch_op ptebatch_unmap = {
	.name = "unmap", .function = "try_to_unmap()", .call = unmap,
	.model = ptebatch_model_unmap, .whole = true,
};

/* As reclaim, which flushes the TLB once for several folios. */
const struct ptebatch_op ptebatch_unmap_deferred = {
	.name = "unmap, flush later", .function = "try_to_unmap()", .call = unmap,
	.arg = TTU_BATCH_FLUSH, .model = ptebatch_model_unmap, .whole = true,
};

const struct ptebatch_op ptebatch_zap = {
	.name = "zap", .function = "zap_vma_range()", .call = zap,
	.model = ptebatch_model_zap,
};

/* With an mmu_gather of the caller. */
const struct ptebatch_op ptebatch_zap_batched = {
	.name = "zap", .function = "zap_vma_range_batched()", .call = zap,
	.arg = BATCHED, .model = ptebatch_model_zap,
};

/* As MADV_DONTNEED, which frees page tables that become empty. */
const struct ptebatch_op ptebatch_zap_tables = {
	.name = "zap and free page tables", .function = "zap_vma_range_batched()",
	.call = zap, .arg = FREE_TABLES, .model = ptebatch_model_zap, .no_twin = true,
};

const struct ptebatch_op ptebatch_unmap_pages = {
	.name = "unmap page cache", .function = "unmap_mapping_pages()",
	.call = unmap_pages, .no_twin = true,
};

const struct ptebatch_op ptebatch_unmap_copies = {
	.name = "unmap page cache and copies", .function = "unmap_mapping_pages()",
	.call = unmap_pages, .arg = true, .no_twin = true,
};

const struct ptebatch_op ptebatch_unmap_folios = {
	.name = "unmap folios", .function = "unmap_mapping_folio()",
	.call = unmap_folios, .no_twin = true, .whole = true,
};
