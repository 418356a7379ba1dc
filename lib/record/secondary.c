// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel tells a secondary MMU of TLB flushes, as an IOMMU with shared page tables
 * needs, or of the ranges between mmu_notifier_invalidate_range_start() and _end() for
 * which it has to drop its copies of page table entries, see
 * Documentation/mm/mmu_notifier.rst. It refuses both in one MMU notifier.
 *
 * UML has no TLB, and announces nothing: flushing marks a range to be synchronized with
 * the host's page tables (um_tlb_mark_sync()). Record this range instead.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../arch/arch.h"
#include "secondary.h"

/* The recorded entry that maps an address, or the nearest one, or the end. */
static unsigned int entry_at(const struct ptebatch_secondary *secondary,
			     unsigned long addr)
{
	unsigned long first = secondary->start;

	addr = clamp(addr, first, first + PTEBATCH_ROW_ENTRIES * PAGE_SIZE);
	return (addr - first) >> PAGE_SHIFT;
}

/* Set the bits of the recorded entries that map a range. */
static void mark(const struct ptebatch_secondary *secondary, unsigned long *entries,
		 unsigned long start, unsigned long end)
{
	unsigned int first = entry_at(secondary, start), last = entry_at(secondary, end);

	if (first < last)
		bitmap_set(entries, first, last - first);
}

#if !PTEBATCH_NOTIFIES

static int start_recording(struct ptebatch_secondary *secondary)
{
	secondary->mm->context.sync_tlb_range_from = 0;
	secondary->mm->context.sync_tlb_range_to = 0;
	return 0;
}

static void stop_recording(struct ptebatch_secondary *secondary)
{
	mark(secondary, secondary->flushed, secondary->mm->context.sync_tlb_range_from,
	     secondary->mm->context.sync_tlb_range_to);
}

#else

/**
 * struct ptebatch_notifier - an MMU notifier of a secondary MMU
 * @notifier: the MMU notifier
 * @lock: protects @secondary and what it records, as two CPUs may call the notifier
 *        at the same time
 * @secondary: the secondary MMU; %NULL after its end
 *
 * Not a part of the secondary MMU, which ends without a wait for the kernel's readers:
 * that would take longer than all the rest of a trial.
 */
struct ptebatch_notifier {
	struct mmu_notifier notifier;
	spinlock_t lock;	/* of the record */
	struct ptebatch_secondary *secondary;
};

static struct ptebatch_notifier *notifier_of(struct mmu_notifier *mmu_notifier)
{
	return container_of(mmu_notifier, struct ptebatch_notifier, notifier);
}

/* Lock the record; %NULL, and not locked, after its end. */
static struct ptebatch_secondary *lock(struct mmu_notifier *mmu_notifier)
{
	struct ptebatch_notifier *notifier = notifier_of(mmu_notifier);

	spin_lock(&notifier->lock);
	if (!notifier->secondary)
		spin_unlock(&notifier->lock);
	return notifier->secondary;
}

static void unlock(struct mmu_notifier *mmu_notifier, enum ptebatch_point point)
{
	struct ptebatch_notifier *notifier = notifier_of(mmu_notifier);
	void (*on_call)(void *data, enum ptebatch_point point) = notifier->secondary->on_call;
	void *data = notifier->secondary->data;

	spin_unlock(&notifier->lock);
	if (on_call)
		on_call(data, point);
}

static void flush(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
		  unsigned long start, unsigned long end)
{
	struct ptebatch_secondary *secondary = lock(mmu_notifier);

	if (!secondary)
		return;
	mark(secondary, secondary->flushed, start, end);
	secondary->flushes++;
	unlock(mmu_notifier, PTEBATCH_FLUSH);
}

static int begin_range(struct mmu_notifier *mmu_notifier,
		       const struct mmu_notifier_range *range)
{
	struct ptebatch_secondary *secondary = lock(mmu_notifier);

	if (!secondary)
		return 0;
	mark(secondary, secondary->announced, range->start, range->end);
	secondary->empty += range->start >= range->end;
	secondary->open++;
	secondary->sum += range->start + 3 * range->end;
	secondary->events |= BIT(range->event);
	unlock(mmu_notifier, PTEBATCH_RANGE_START);
	return 0;
}

static void end_range(struct mmu_notifier *mmu_notifier,
		      const struct mmu_notifier_range *range)
{
	struct ptebatch_secondary *secondary = lock(mmu_notifier);

	if (!secondary)
		return;
	secondary->open--;
	secondary->sum -= range->start + 3 * range->end;
	unlock(mmu_notifier, PTEBATCH_RANGE_END);
}

/* Are pages of a range young in the secondary MMU? */
static bool is_young(const struct ptebatch_secondary *secondary, unsigned long start,
		     unsigned long end)
{
	unsigned int last = entry_at(secondary, end);

	return find_next_bit(secondary->young, last, entry_at(secondary, start)) < last;
}

/* Of a part of a page, the whole page. */
static bool clear_young(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
			unsigned long start, unsigned long end)
{
	struct ptebatch_secondary *secondary = lock(mmu_notifier);
	bool young;

	if (!secondary)
		return false;
	secondary->empty += start >= end;
	secondary->old_start = secondary->old_calls ? min(secondary->old_start, start) : start;
	secondary->old_end = max(secondary->old_end, end);
	secondary->old_calls++;
	start = PAGE_ALIGN_DOWN(start);
	end = PAGE_ALIGN(end);
	young = is_young(secondary, start, end);
	mark(secondary, secondary->old, start, end);
	bitmap_andnot(secondary->young, secondary->young, secondary->old, PTEBATCH_ROW_ENTRIES);
	unlock(mmu_notifier, PTEBATCH_CLEAR_YOUNG);
	return young;
}

static bool test_young(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
		       unsigned long address)
{
	struct ptebatch_notifier *notifier = notifier_of(mmu_notifier);
	bool young;

	spin_lock(&notifier->lock);
	young = notifier->secondary &&
		is_young(notifier->secondary, address, address + PAGE_SIZE);
	spin_unlock(&notifier->lock);
	return young;
}

static void free_notifier(struct mmu_notifier *mmu_notifier)
{
	kfree(notifier_of(mmu_notifier));
}

static const struct mmu_notifier_ops flush_ops = {
	.arch_invalidate_secondary_tlbs = flush,
	.free_notifier = free_notifier,
};

static const struct mmu_notifier_ops range_ops = {
	.test_young = test_young,
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.invalidate_range_start = begin_range,
	.invalidate_range_end = end_range,
	.free_notifier = free_notifier,
};

static int begin_notifier(struct ptebatch_secondary *secondary, const struct mmu_notifier_ops *ops,
			  struct ptebatch_notifier **begun)
{
	struct ptebatch_notifier *notifier = kzalloc_obj(*notifier);
	int err;

	if (!notifier)
		return -ENOMEM;
	spin_lock_init(&notifier->lock);
	notifier->secondary = secondary;
	notifier->notifier.ops = ops;
	err = mmu_notifier_register(&notifier->notifier, secondary->mm);
	if (err)
		kfree(notifier);
	else
		*begun = notifier;
	return err;
}

static void end_notifier(struct ptebatch_notifier *notifier)
{
	if (!notifier)
		return;
	spin_lock(&notifier->lock);
	notifier->secondary = NULL;
	spin_unlock(&notifier->lock);
	mmu_notifier_put(&notifier->notifier);
}

static int start_recording(struct ptebatch_secondary *secondary)
{
	return begin_notifier(secondary, &flush_ops, &secondary->flush_notifier) ?:
	       begin_notifier(secondary, &range_ops, &secondary->range_notifier);
}

static void stop_recording(struct ptebatch_secondary *secondary)
{
	end_notifier(secondary->flush_notifier);
	end_notifier(secondary->range_notifier);
}

#endif

/**
 * ptebatch_secondary_begin() - start to record
 * @secondary: the secondary MMU; the caller calls ptebatch_secondary_end(), also after a
 *             failure
 * @place: the place; PTEBATCH_ROW_ENTRIES entries from its start are recorded
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0, -ENOMEM, or -EINTR if KUnit ends the case because of its time limit.
 */
int ptebatch_secondary_begin(struct ptebatch_secondary *secondary,
			     const struct ptebatch_place *place)
{
	*secondary = (struct ptebatch_secondary) { .mm = place->mm, .start = place->start };
	return start_recording(secondary);
}

/**
 * ptebatch_secondary_end() - stop to record
 * @secondary: the secondary MMU; without effect if it does not record
 *
 * Context: Process context, may sleep.
 */
void ptebatch_secondary_end(struct ptebatch_secondary *secondary)
{
	if (!secondary->mm)
		return;
	stop_recording(secondary);
	secondary->mm = NULL;
}
