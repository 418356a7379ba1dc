// SPDX-License-Identifier: GPL-2.0
/*
 * A secondary MMU, such as that of a virtual machine, drops its copies of page
 * table entries between mmu_notifier_invalidate_range_start() and _end(), see
 * Documentation/mm/mmu_notifier.rst. Record these calls as such a user does. It
 * cannot be the MMU notifier that records flushes: the kernel refuses both in
 * one. On UML nothing is announced.
 */
#include <linux/mm.h>

#include "announce.h"
#include "flush.h"

#ifdef CONFIG_UML

int ptebatch_announced_begin(struct ptebatch_announced *announced,
			     const struct ptebatch_place *place)
{
	return 0;
}

void ptebatch_announced_end(struct ptebatch_announced *announced)
{
}

#else

static int begin_range(struct mmu_notifier *notifier,
		       const struct mmu_notifier_range *range)
{
	struct ptebatch_announced *announced =
		container_of(notifier, struct ptebatch_announced, notifier);

	spin_lock(&announced->lock);
	ptebatch_mark_range(announced->entries, announced->start, range->start, range->end);
	announced->empty += range->start >= range->end;
	announced->open++;
	announced->sum += range->start + 3 * range->end;
	announced->events |= BIT(range->event);
	spin_unlock(&announced->lock);
	if (announced->on_start)
		announced->on_start(announced->data);
	return 0;
}

static void end_range(struct mmu_notifier *notifier,
		      const struct mmu_notifier_range *range)
{
	struct ptebatch_announced *announced =
		container_of(notifier, struct ptebatch_announced, notifier);

	spin_lock(&announced->lock);
	announced->open--;
	announced->sum -= range->start + 3 * range->end;
	spin_unlock(&announced->lock);
}

/* The secondary MMU has no accessed bits. */
static bool clear_young(struct mmu_notifier *notifier, struct mm_struct *mm,
			unsigned long start, unsigned long end)
{
	struct ptebatch_announced *announced =
		container_of(notifier, struct ptebatch_announced, notifier);

	spin_lock(&announced->lock);
	ptebatch_mark_range(announced->old, announced->start, start, end);
	announced->empty += start >= end;
	spin_unlock(&announced->lock);
	return false;
}

static const struct mmu_notifier_ops notifier_ops = {
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.invalidate_range_start = begin_range,
	.invalidate_range_end = end_range,
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
	spin_lock_init(&announced->lock);
	announced->mm = place->mm;
	announced->start = place->start;
	announced->notifier.ops = &notifier_ops;
	return mmu_notifier_register(&announced->notifier, announced->mm);
}

/**
 * ptebatch_announced_end() - stop to record announced ranges
 * @announced: the record; without effect if it has not begun
 *
 * Context: Process context, may sleep.
 */
void ptebatch_announced_end(struct ptebatch_announced *announced)
{
	if (announced->mm)
		ptebatch_notifier_unregister(&announced->notifier, announced->mm);
	announced->mm = NULL;
}

#endif
