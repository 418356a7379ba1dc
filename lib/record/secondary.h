/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A secondary MMU, such as that of a virtual machine or of an IOMMU: it records what
 * an operation tells MMU notifiers, for rules 8 (TLB) and 30 (MMU notifiers).
 */
#ifndef PTEBATCH_SECONDARY_H
#define PTEBATCH_SECONDARY_H

#include "../service/pause.h"
#include "../space/snapshot.h"

struct ptebatch_notifier;

/**
 * struct ptebatch_secondary - a secondary MMU of an mm, and what it was told
 * @mm: the mm; %NULL: nothing is recorded
 * @start: address that the first recorded entry maps
 * @flush_notifier: MMU notifier of TLB flushes; its lock protects @flushed and
 *                  @flushes
 * @range_notifier: MMU notifier of ranges; its lock protects the fields from @young to
 *                  @events
 * @flushed: bitmap of the flushed entries, counted from @start
 * @flushes: number of TLB flushes
 * @young: bitmap of the entries whose pages are young in the secondary MMU
 * @old: bitmap of the entries that were to become old
 * @old_calls: how often entries were to become old
 * @old_start: lowest address of these ranges
 * @old_end: highest end of these ranges
 * @announced: bitmap of the entries in announced ranges
 * @empty: number of ranges without an address, also of those to become old
 * @open: number of announced ranges whose end was not announced
 * @sum: sum of their first and last addresses, to recognize another end
 * @events: bitmap of the events of announced ranges, by enum mmu_notifier_event
 * @on_call: called in the context of each call after it was recorded, without locks
 *           of the secondary MMU; may be %NULL
 * @data: argument of @on_call
 */
struct ptebatch_secondary {
	struct mm_struct *mm;
	unsigned long start;
	struct ptebatch_notifier *flush_notifier;
	struct ptebatch_notifier *range_notifier;
	DECLARE_BITMAP(flushed, PTEBATCH_ROW_ENTRIES);
	unsigned int flushes;
	DECLARE_BITMAP(young, PTEBATCH_ROW_ENTRIES);
	DECLARE_BITMAP(old, PTEBATCH_ROW_ENTRIES);
	unsigned int old_calls;
	unsigned long old_start;
	unsigned long old_end;
	DECLARE_BITMAP(announced, PTEBATCH_ROW_ENTRIES);
	unsigned int empty;
	int open;
	unsigned long sum;
	unsigned long events;
	void (*on_call)(void *data, enum ptebatch_point point);
	void *data;
};

int ptebatch_secondary_begin(struct ptebatch_secondary *secondary,
			     const struct ptebatch_place *place);
void ptebatch_secondary_end(struct ptebatch_secondary *secondary);

#endif /* PTEBATCH_SECONDARY_H */
