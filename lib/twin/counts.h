/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of a twin: with @on, it does not process one entry at a time but finds
 * the batches that the kernel's source finds, and counts what it does.
 */
#ifndef PTEBATCH_COUNTS_H
#define PTEBATCH_COUNTS_H

#include <linux/types.h>

/**
 * struct ptebatch_counts - what the kernel's source has done
 * @on: the twins find batches and count
 * @reads: number of reads of page table entries
 * @searches: number of searches for the end of a batch
 * @updates: number of operations that change entries, whatever their number of
 *           entries: set_ptes(), get_and_clear_full_ptes() and so on
 */
struct ptebatch_counts {
	bool on;
	unsigned long reads;
	unsigned long searches;
	unsigned long updates;
};

extern struct ptebatch_counts ptebatch_counts;

/* Benches time the twins: they do not count. */
#define PTEBATCH_COUNTS	(!IS_ENABLED(CONFIG_PTEBATCH_BENCH))

#endif /* PTEBATCH_COUNTS_H */
