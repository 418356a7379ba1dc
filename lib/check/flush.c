// SPDX-License-Identifier: GPL-2.0
/*
 * Record TLB invalidations through an MMU notifier, as an IOMMU with shared page
 * tables does. UML has no TLB: flushing marks a range to be synchronized with
 * the host's page tables (um_tlb_mark_sync()). Record this range instead.
 */
#include <linux/mm.h>

#include "flush.h"

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

#ifdef CONFIG_UML

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

static void invalidate(struct mmu_notifier *notifier, struct mm_struct *mm,
		       unsigned long start, unsigned long end)
{
	struct ptebatch_flush *flush =
		container_of(notifier, struct ptebatch_flush, notifier);

	spin_lock(&flush->lock);
	ptebatch_mark_range(flush->flushed, flush->start, start, end);
	flush->calls++;
	spin_unlock(&flush->lock);
	if (flush->on_flush)
		flush->on_flush(flush->data);
}

static const struct mmu_notifier_ops notifier_ops = {
	.arch_invalidate_secondary_tlbs = invalidate,
};

static int start_recording(struct ptebatch_flush *flush)
{
	flush->notifier.ops = &notifier_ops;
	return mmu_notifier_register(&flush->notifier, flush->mm);
}

static void stop_recording(struct ptebatch_flush *flush)
{
	ptebatch_notifier_unregister(&flush->notifier, flush->mm);
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
	spin_lock_init(&flush->lock);
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
