/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record the TLB flushes of an operation, for rule 8 (TLB).
 */
#ifndef PTEBATCH_FLUSH_H
#define PTEBATCH_FLUSH_H

#include "../space/snapshot.h"

struct ptebatch_notifier;

/**
 * struct ptebatch_flush - TLB flushes of an mm
 * @notifier: MMU notifier, called at each flush; its lock protects @flushed and
 *            @calls
 * @mm: the mm
 * @start: address that the first recorded entry maps
 * @flushed: bitmap of the flushed entries, counted from @start
 * @calls: number of flushes
 * @on_flush: called at each flush, in the context of the flush, if not %NULL
 * @data: argument of @on_flush
 */
struct ptebatch_flush {
	struct ptebatch_notifier *notifier;
	struct mm_struct *mm;
	unsigned long start;
	DECLARE_BITMAP(flushed, PTEBATCH_ROW_ENTRIES);
	unsigned int calls;
	void (*on_flush)(void *data);
	void *data;
};

void ptebatch_mark_range(unsigned long *entries, unsigned long first,
			 unsigned long start, unsigned long end);
int ptebatch_flush_begin(struct ptebatch_flush *flush,
			 const struct ptebatch_place *place);
void ptebatch_flush_end(struct ptebatch_flush *flush);

#endif /* PTEBATCH_FLUSH_H */
