// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include "notifier.h"

#ifdef CONFIG_MMU_NOTIFIER

/**
 * ptebatch_notifier_begin() - register an MMU notifier
 * @ops: its functions; .free_notifier is ptebatch_notifier_free()
 * @mm: the mm
 * @record: the record that the functions write to
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: the notifier, %NULL if memory runs out.
 */
struct ptebatch_notifier *ptebatch_notifier_begin(const struct mmu_notifier_ops *ops,
						  struct mm_struct *mm, void *record)
{
	struct ptebatch_notifier *notifier = kzalloc_obj(*notifier);

	if (!notifier)
		return NULL;
	spin_lock_init(&notifier->lock);
	notifier->record = record;
	notifier->notifier.ops = ops;
	if (!mmu_notifier_register(&notifier->notifier, mm))
		return notifier;
	kfree(notifier);
	return NULL;
}

/**
 * ptebatch_notifier_end() - unregister an MMU notifier
 * @notifier: the notifier; the kernel frees it when its last caller has ended
 *
 * Context: Process context; takes the lock of the notifier.
 */
void ptebatch_notifier_end(struct ptebatch_notifier *notifier)
{
	spin_lock(&notifier->lock);
	notifier->record = NULL;
	spin_unlock(&notifier->lock);
	mmu_notifier_put(&notifier->notifier);
}

/**
 * ptebatch_notifier_free() - free an MMU notifier, for struct mmu_notifier_ops
 * @notifier: the MMU notifier, without callers
 *
 * Context: Any.
 */
void ptebatch_notifier_free(struct mmu_notifier *notifier)
{
	kfree(ptebatch_notifier_of(notifier));
}

#endif /* CONFIG_MMU_NOTIFIER */
