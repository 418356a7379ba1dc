/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often an mm's locks are taken, and its TLB flushes gathered.
 */
#ifndef PTEBATCH_LOCKS_H
#define PTEBATCH_LOCKS_H

#include <kunit/test.h>
#include <linux/mm_types.h>

/**
 * enum ptebatch_lock - what is counted
 * @PTEBATCH_MMAP_READ: mmap_lock, for reading
 * @PTEBATCH_MMAP_WRITE: mmap_lock, for writing
 * @PTEBATCH_VMA_READ: a VMA's own lock, for reading, got or not
 * @PTEBATCH_GATHER: mmu_gather
 * @PTEBATCH_NR_LOCKS: how many of these there are
 */
enum ptebatch_lock {
	PTEBATCH_MMAP_READ,
	PTEBATCH_MMAP_WRITE,
	PTEBATCH_VMA_READ,
	PTEBATCH_GATHER,
	PTEBATCH_NR_LOCKS,
};

/**
 * struct ptebatch_locks - counts what is done to an mm
 * @mm: the mm
 * @nr: how often each was taken
 */
struct ptebatch_locks {
	struct mm_struct *mm;
	unsigned long nr[PTEBATCH_NR_LOCKS];
};

int ptebatch_locks_on(struct kunit_suite *suite);
void ptebatch_locks_off(struct kunit_suite *suite);
const char *ptebatch_locks_missing(void);
bool ptebatch_locks_count(enum ptebatch_lock lock);
void ptebatch_locks_begin(struct ptebatch_locks *locks, struct mm_struct *mm);
void ptebatch_locks_end(void);

#endif /* PTEBATCH_LOCKS_H */
