/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 8: every entry made less permissive lies inside what was flushed.
 */
#ifndef PTEBATCH_FLUSH_H
#define PTEBATCH_FLUSH_H

#include <linux/mmu_notifier.h>

#include "snapshot.h"

/**
 * struct ptebatch_flush - what has been flushed from an mm's TLB entries
 * @notifier: told of each flush
 * @mm: the mm
 * @start: address of the first entry that is watched
 * @flushed: a bit for each entry from @start on
 * @calls: how many flushes there were
 * @meanwhile: called at each flush, in its context, if not %NULL
 * @data: for @meanwhile
 */
struct ptebatch_flush {
	struct mmu_notifier notifier;
	struct mm_struct *mm;
	unsigned long start;
	DECLARE_BITMAP(flushed, PTEBATCH_ROW_ENTRIES);
	unsigned int calls;
	void (*meanwhile)(void *data);
	void *data;
};

int ptebatch_flush_begin(struct ptebatch_flush *flush,
			 const struct ptebatch_place *place);
void ptebatch_flush_end(struct ptebatch_flush *flush);
bool ptebatch_flush_needed(const struct ptebatch_entry *before,
			   const struct ptebatch_entry *after);
bool ptebatch_flush_covers(const struct ptebatch_flush *flush,
			   const struct ptebatch_row *before,
			   const struct ptebatch_row *after,
			   struct seq_buf *out);

#endif /* PTEBATCH_FLUSH_H */
