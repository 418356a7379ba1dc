// SPDX-License-Identifier: GPL-2.0
/*
 * Record TLB invalidations through an MMU notifier, as an IOMMU with shared page
 * tables does. UML has no TLB: flushing marks a range to be synchronized with
 * the host's page tables (um_tlb_mark_sync()). Record this range instead.
 */
#include <linux/mm.h>

#include "../arch/arch.h"
#include "flush.h"
#include "notifier.h"

/**
 * ptebatch_mark_range() - set the bits of the entries that map a range
 * @entries: bitmap of PTEBATCH_ROW_ENTRIES entries
 * @first: address that the first of them maps
 * @start: first address of the range
 * @end: end of the range, behind its last address
 *
 * Context: any.
 */
void ptebatch_mark_range(unsigned long *entries, unsigned long first,
			 unsigned long start, unsigned long end)
{
	unsigned long limit = first + PTEBATCH_ROW_ENTRIES * PAGE_SIZE;

	start = clamp(start, first, limit);
	end = clamp(end, first, limit);
	if (start < end)
		bitmap_set(entries, (start - first) >> PAGE_SHIFT,
			   (end - start) >> PAGE_SHIFT);
}

#if !PTEBATCH_NOTIFIES

static int start_recording(struct ptebatch_flush *flush)
{
	flush->mm->context.sync_tlb_range_from = 0;
	flush->mm->context.sync_tlb_range_to = 0;
	return 0;
}

static void stop_recording(struct ptebatch_flush *flush)
{
	ptebatch_mark_range(flush->flushed, flush->start,
			    flush->mm->context.sync_tlb_range_from,
			    flush->mm->context.sync_tlb_range_to);
}

#else

static void invalidate(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
		       unsigned long start, unsigned long end)
{
	struct ptebatch_notifier *notifier = ptebatch_notifier_of(mmu_notifier);
	void (*on_flush)(void *data) = NULL;
	struct ptebatch_flush *flush;
	void *data;

	spin_lock(&notifier->lock);
	flush = notifier->record;
	if (flush) {
		ptebatch_mark_range(flush->flushed, flush->start, start, end);
		flush->calls++;
		on_flush = flush->on_flush;
		data = flush->data;
	}
	spin_unlock(&notifier->lock);
	if (on_flush)
		on_flush(data);
}

static const struct mmu_notifier_ops notifier_ops = {
	.arch_invalidate_secondary_tlbs = invalidate,
	.free_notifier = ptebatch_notifier_free,
};

static int start_recording(struct ptebatch_flush *flush)
{
	flush->notifier = ptebatch_notifier_begin(&notifier_ops, flush->mm, flush);
	return flush->notifier ? 0 : -ENOMEM;
}

static void stop_recording(struct ptebatch_flush *flush)
{
	if (flush->notifier)
		ptebatch_notifier_end(flush->notifier);
	flush->notifier = NULL;
}

#endif

/**
 * ptebatch_flush_begin() - start to record TLB flushes
 * @flush: the record
 * @place: the place; PTEBATCH_ROW_ENTRIES entries from its start are recorded
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_flush_begin(struct ptebatch_flush *flush,
			 const struct ptebatch_place *place)
{
	flush->mm = place->mm;
	flush->start = place->start;
	flush->calls = 0;
	bitmap_zero(flush->flushed, PTEBATCH_ROW_ENTRIES);
	return start_recording(flush);
}

/**
 * ptebatch_flush_end() - stop to record TLB flushes
 * @flush: the record, from ptebatch_flush_begin()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_flush_end(struct ptebatch_flush *flush)
{
	if (!flush->mm)
		return;
	stop_recording(flush);
	flush->mm = NULL;
}
