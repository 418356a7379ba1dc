// SPDX-License-Identifier: GPL-2.0
/*
 * A secondary MMU, such as that of a virtual machine, drops its copies of page
 * table entries between mmu_notifier_invalidate_range_start() and _end(), see
 * Documentation/mm/mmu_notifier.rst. Record these calls as such a user does. It
 * cannot be the MMU notifier that records flushes: the kernel refuses both in
 * one. On UML nothing is announced.
 */
#include <linux/mm.h>

#include "announced.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_announced;

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
	unsigned long limit = announced->start + PTEBATCH_ROW_ENTRIES * PAGE_SIZE;
	unsigned long start = clamp(range->start, announced->start, limit);
	unsigned long end = clamp(range->end, announced->start, limit);

	spin_lock(&announced->lock);
	if (start < end)
		bitmap_set(announced->entries,
			   (start - announced->start) >> PAGE_SHIFT,
			   (end - start) >> PAGE_SHIFT);
	announced->empty += range->start >= range->end;
	announced->open++;
	announced->sum += range->start + 3 * range->end;
	spin_unlock(&announced->lock);
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

static const struct mmu_notifier_ops notifier_ops = {
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
		mmu_notifier_unregister(&announced->notifier, announced->mm);
	announced->mm = NULL;
}

#endif

/**
 * ptebatch_check_announced() - check rule 30 (MMU notifiers)
 * @trial: the trial, stopped
 * @out: receives a line for each entry that changed without an announcement, and
 *       for announcements without an end
 *
 * Return: true if every entry made less permissive was in an announced range,
 * and each announced range has addresses and an end.
 */
bool ptebatch_check_announced(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	const struct ptebatch_announced *announced = &trial->announced;
	bool good = true;
	unsigned int i;

	if (IS_ENABLED(CONFIG_UML))
		return true;
	if (announced->open || announced->sum) {
		good = false;
		seq_buf_printf(out, "%d announced ranges have no end, or another end\n",
			       announced->open);
	}
	if (announced->empty) {
		good = false;
		seq_buf_printf(out, "%u announced ranges are empty\n", announced->empty);
	}
	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, announced->entries) ||
		    !ptebatch_entry_loses_access(&before->entries[i], &after->entries[i]))
			continue;
		good = false;
		set_bit(i, trial->differs);
		seq_buf_printf(out, "entry %u changed without an announcement: it was ", i);
		ptebatch_entry_print(out, &before->entries[i]);
		seq_buf_puts(out, " and is ");
		ptebatch_entry_print(out, &after->entries[i]);
		seq_buf_putc(out, '\n');
	}
	return good;
}
