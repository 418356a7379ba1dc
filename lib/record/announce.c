// SPDX-License-Identifier: GPL-2.0
/*
 * A secondary MMU, such as that of a virtual machine, drops its copies of page
 * table entries between mmu_notifier_invalidate_range_start() and _end(), see
 * Documentation/mm/mmu_notifier.rst. Record these calls as such a user does. It
 * cannot be the MMU notifier that records flushes: the kernel refuses both in
 * one. On UML nothing is announced.
 */
#include <linux/mm.h>

#include "../arch/arch.h"
#include "announce.h"
#include "flush.h"
#include "notifier.h"

#if !PTEBATCH_NOTIFIES

int ptebatch_announced_begin(struct ptebatch_announced *announced,
			     const struct ptebatch_place *place)
{
	return 0;
}

void ptebatch_announced_end(struct ptebatch_announced *announced)
{
}

#else

static int begin_range(struct mmu_notifier *mmu_notifier,
		       const struct mmu_notifier_range *range)
{
	struct ptebatch_notifier *notifier = ptebatch_notifier_of(mmu_notifier);
	struct ptebatch_announced *announced;

	spin_lock(&notifier->lock);
	announced = notifier->record;
	if (announced) {
		ptebatch_mark_range(announced->entries, announced->start,
				    range->start, range->end);
		announced->empty += range->start >= range->end;
		announced->open++;
		announced->sum += range->start + 3 * range->end;
		announced->events |= BIT(range->event);
	}
	spin_unlock(&notifier->lock);
	return 0;
}

static void end_range(struct mmu_notifier *mmu_notifier,
		      const struct mmu_notifier_range *range)
{
	struct ptebatch_notifier *notifier = ptebatch_notifier_of(mmu_notifier);
	struct ptebatch_announced *announced;

	spin_lock(&notifier->lock);
	announced = notifier->record;
	if (announced) {
		announced->open--;
		announced->sum -= range->start + 3 * range->end;
	}
	spin_unlock(&notifier->lock);
}

/* Of a part of a page, the whole page. */
static bool clear_young(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
			unsigned long start, unsigned long end)
{
	struct ptebatch_notifier *notifier = ptebatch_notifier_of(mmu_notifier);
	struct ptebatch_announced *announced;
	bool young = false;

	spin_lock(&notifier->lock);
	announced = notifier->record;
	if (announced) {
		ptebatch_mark_range(announced->old, announced->start,
				    PAGE_ALIGN_DOWN(start), PAGE_ALIGN(end));
		announced->empty += start >= end;
		announced->old_start = announced->old_calls ?
				       min(announced->old_start, start) : start;
		announced->old_end = max(announced->old_end, end);
		announced->old_calls++;
		young = announced->young >= start && announced->young < end;
	}
	spin_unlock(&notifier->lock);
	return young;
}

static bool test_young(struct mmu_notifier *mmu_notifier, struct mm_struct *mm,
		       unsigned long address)
{
	struct ptebatch_notifier *notifier = ptebatch_notifier_of(mmu_notifier);
	struct ptebatch_announced *announced;
	bool young;

	spin_lock(&notifier->lock);
	announced = notifier->record;
	young = announced && announced->young &&
		announced->young == PAGE_ALIGN_DOWN(address);
	spin_unlock(&notifier->lock);
	return young;
}

static const struct mmu_notifier_ops notifier_ops = {
	.test_young = test_young,
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.invalidate_range_start = begin_range,
	.invalidate_range_end = end_range,
	.free_notifier = ptebatch_notifier_free,
};

/**
 * ptebatch_announced_begin() - start to record announced ranges
 * @announced: the record, zeroed
 * @place: the place; PTEBATCH_ROW_ENTRIES entries from its start are recorded
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_announced_begin(struct ptebatch_announced *announced,
			     const struct ptebatch_place *place)
{
	announced->start = place->start;
	announced->notifier = ptebatch_notifier_begin(&notifier_ops, place->mm,
						      announced);
	return announced->notifier ? 0 : -ENOMEM;
}

/**
 * ptebatch_announced_end() - stop to record announced ranges
 * @announced: the record; without effect if it has not begun
 *
 * Context: Process context, may sleep.
 */
void ptebatch_announced_end(struct ptebatch_announced *announced)
{
	if (announced->notifier)
		ptebatch_notifier_end(announced->notifier);
	announced->notifier = NULL;
}

#endif
