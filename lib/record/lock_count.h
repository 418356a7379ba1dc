/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count the lock acquisitions of an mm, and its TLB gathers.
 */
#ifndef PTEBATCH_LOCK_COUNT_H
#define PTEBATCH_LOCK_COUNT_H

#include <kunit/test.h>
#include <linux/mm_types.h>

#include "../service/service.h"

/**
 * enum ptebatch_lock - operation to count
 * @PTEBATCH_MMAP_READ: acquisitions of mmap_lock for reading
 * @PTEBATCH_MMAP_WRITE: acquisitions of mmap_lock for writing
 * @PTEBATCH_MMAP_RELEASE: releases of mmap_lock
 * @PTEBATCH_VMA_READ: attempts to acquire a VMA lock for reading
 * @PTEBATCH_GATHER: calls of tlb_gather_mmu()
 * @PTEBATCH_NR_LOCKS: number of operations above
 */
enum ptebatch_lock {
	PTEBATCH_MMAP_READ,
	PTEBATCH_MMAP_WRITE,
	PTEBATCH_MMAP_RELEASE,
	PTEBATCH_VMA_READ,
	PTEBATCH_GATHER,
	PTEBATCH_NR_LOCKS,
};

/**
 * struct ptebatch_locks - counts of the lock operations on an mm
 * @mm: the mm
 * @nr: number of operations, by enum ptebatch_lock
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

/* Of a suite, see service.h. */
#define PTEBATCH_LOCK_COUNT	{ ptebatch_locks_on, ptebatch_locks_off }

#endif /* PTEBATCH_LOCK_COUNT_H */
