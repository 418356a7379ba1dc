/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record the ranges that an operation announces to MMU notifiers, for rule 30
 * (MMU notifiers).
 */
#ifndef PTEBATCH_ANNOUNCE_H
#define PTEBATCH_ANNOUNCE_H

#include "../space/snapshot.h"

struct ptebatch_notifier;

/**
 * struct ptebatch_announced - announced ranges of an mm
 * @notifier: MMU notifier, called at both ends of a change; its lock protects
 *            the fields up to @events
 * @start: address that the first recorded entry maps
 * @entries: bitmap of the entries in announced ranges, counted from @start
 * @young: address of a page that is young in the secondary MMU, 0: none is
 * @old: bitmap of the entries that the secondary MMU was asked to make old
 * @old_calls: how often it was asked
 * @old_start: lowest address of these ranges
 * @old_end: highest end of these ranges
 * @empty: number of ranges without an address, also of those to become old
 * @open: number of announced ranges whose end was not announced
 * @sum: sum of their first and last addresses, to recognize another end
 * @events: bitmap of the events of announced ranges, by enum mmu_notifier_event
 */
struct ptebatch_announced {
	struct ptebatch_notifier *notifier;
	unsigned long start;
	DECLARE_BITMAP(entries, PTEBATCH_ROW_ENTRIES);
	unsigned long young;
	DECLARE_BITMAP(old, PTEBATCH_ROW_ENTRIES);
	unsigned int old_calls;
	unsigned long old_start;
	unsigned long old_end;
	unsigned int empty;
	int open;
	unsigned long sum;
	unsigned long events;
};

int ptebatch_announced_begin(struct ptebatch_announced *announced,
			     const struct ptebatch_place *place);
void ptebatch_announced_end(struct ptebatch_announced *announced);

#endif /* PTEBATCH_ANNOUNCE_H */
