// SPDX-License-Identifier: GPL-2.0
/*
 * Record TLB invalidations through an MMU notifier, as an IOMMU with shared page
 * tables does. UML has no TLB: flushing marks a range to be synchronized with
 * the host's page tables (um_tlb_mark_sync()). Record this range instead.
 */
#include <linux/mm.h>

#include "flush.h"

static void mark_flushed(struct ptebatch_flush *flush, unsigned long start,
			 unsigned long end)
{
	unsigned long limit = flush->start + PTEBATCH_ROW_ENTRIES * PAGE_SIZE;

	start = clamp(start, flush->start, limit);
	end = clamp(end, flush->start, limit);
	if (start < end)
		bitmap_set(flush->flushed, (start - flush->start) >> PAGE_SHIFT,
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
	mark_flushed(flush, flush->mm->context.sync_tlb_range_from,
		     flush->mm->context.sync_tlb_range_to);
}

#else

static void invalidate(struct mmu_notifier *notifier, struct mm_struct *mm,
		       unsigned long start, unsigned long end)
{
	struct ptebatch_flush *flush =
		container_of(notifier, struct ptebatch_flush, notifier);

	mark_flushed(flush, start, end);
	flush->calls++;
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
	mmu_notifier_unregister(&flush->notifier, flush->mm);
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

/**
 * ptebatch_flush_needed() - has an entry become less permissive?
 * @before: entry before the operation
 * @after: entry after the operation
 *
 * Return: true if a TLB entry for @before may permit an access that @after does
 * not permit.
 */
bool ptebatch_flush_needed(const struct ptebatch_entry *before,
			   const struct ptebatch_entry *after)
{
	/* Rank of the accesses that a kind permits. */
	static const u8 rank[] = {
		[PTEBATCH_NONE] = 0,
		[PTEBATCH_PROTNONE] = 0,
		[PTEBATCH_FOREIGN] = 0,
		[PTEBATCH_READABLE] = 1,
		[PTEBATCH_WRITABLE] = 2,
		[PTEBATCH_SHADOW_STACK] = 2,
	};

	/* A TLB does not cache entries without the accessed bit. */
	if (!(before->flags & PTEBATCH_YOUNG) || !rank[before->kind])
		return false;
	/* A TLB entry with the dirty bit does not set it in the PTE again. */
	if (before->kind == PTEBATCH_WRITABLE &&
	    before->flags & ~after->flags & PTEBATCH_DIRTY)
		return true;
	return rank[after->kind] < rank[before->kind] ||
	       after->folio != before->folio || after->page != before->page;
}

/**
 * ptebatch_flush_covers() - check rule 8 (TLB)
 * @flush: the recorded flushes
 * @before: row before the operation
 * @after: row after the operation
 * @out: receives a line for each entry that was not flushed
 *
 * Return: true if every entry made less permissive was flushed.
 */
bool ptebatch_flush_covers(const struct ptebatch_flush *flush,
			   const struct ptebatch_row *before,
			   const struct ptebatch_row *after,
			   struct seq_buf *out)
{
	bool covers = true;
	unsigned int i;

	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, flush->flushed) ||
		    !ptebatch_flush_needed(&before->entries[i],
					   &after->entries[i]))
			continue;
		covers = false;
		seq_buf_printf(out, "entry %u was not flushed: it was ", i);
		ptebatch_entry_print(out, &before->entries[i]);
		seq_buf_puts(out, " and is ");
		ptebatch_entry_print(out, &after->entries[i]);
		seq_buf_putc(out, '\n');
	}
	return covers;
}
