/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An MMU notifier that ends without a wait for the kernel's readers: that would
 * take longer than all the rest of a trial.
 */
#ifndef PTEBATCH_NOTIFIER_H
#define PTEBATCH_NOTIFIER_H

#include <linux/mmu_notifier.h>
#include <linux/spinlock.h>

/**
 * struct ptebatch_notifier - an MMU notifier that writes to a record
 * @notifier: the MMU notifier
 * @lock: protects @record and what it points to, as two CPUs may call the
 *        notifier at the same time
 * @record: the record; %NULL from ptebatch_notifier_end() on
 */
struct ptebatch_notifier {
	struct mmu_notifier notifier;
	spinlock_t lock;	/* of the record */
	void *record;
};

static inline struct ptebatch_notifier *ptebatch_notifier_of(struct mmu_notifier *notifier)
{
	return container_of(notifier, struct ptebatch_notifier, notifier);
}

struct ptebatch_notifier *ptebatch_notifier_begin(const struct mmu_notifier_ops *ops,
						  struct mm_struct *mm, void *record);
void ptebatch_notifier_end(struct ptebatch_notifier *notifier);
void ptebatch_notifier_free(struct mmu_notifier *notifier);

#endif /* PTEBATCH_NOTIFIER_H */
