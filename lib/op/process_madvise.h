/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process_madvise() with a vector, and madvise() of its first range.
 */
#ifndef PTEBATCH_PROCESS_MADVISE_H
#define PTEBATCH_PROCESS_MADVISE_H

#include "../record/lock_count.h"
#include "op.h"

/* What madvise() may change of a VMA. */
#define PTEBATCH_ADVICE_FLAGS							\
	(VM_RAND_READ | VM_SEQ_READ | VM_DONTCOPY | VM_MERGEABLE | VM_HUGEPAGE |	\
	 VM_NOHUGEPAGE | VM_DONTDUMP | VM_WIPEONFORK | VM_MAYBE_GUARD)

/**
 * struct ptebatch_range - a range of a vector
 * @at: start of the range, in bytes from the address of the row's first entry
 * @bytes: length of the range, in bytes
 */
struct ptebatch_range {
	long at;
	unsigned long bytes;
};

/* Stands for the last page of the address space. */
#define LAST_PAGE		LONG_MAX

/**
 * struct ptebatch_vector - a call of process_madvise()
 * @behavior: MADV_*
 * @ranges: the vector
 * @nr: number of elements of @ranges
 * @vlen: number of ranges to pass, if not @nr; if larger, @ranges repeats
 * @flags: flags argument of the system call; only 0 is valid
 * @pidfd: pidfd argument of the system call; 0: PIDFD_SELF, or a pidfd of @pid
 * @pid: process ID to open a pidfd for, or 0
 * @no_vector: pass address 0 instead of the vector
 * @remote: another process calls
 * @limited: the caller has no capabilities but @caps
 * @caps: bit mask of CAP_*
 * @locks: gets the lock counts of the advised mm, if not %NULL
 */
struct ptebatch_vector {
	int behavior;
	const struct ptebatch_range *ranges;
	unsigned int nr;
	size_t vlen;
	unsigned long flags;
	int pidfd;
	pid_t pid;
	bool no_vector;
	bool remote;
	bool limited;
	u64 caps;
	struct ptebatch_locks *locks;
};

/* The argument of the operations, in a case at file scope. */
#define VECTOR(advice, ...) \
	((unsigned long)&(const struct ptebatch_vector){ .behavior = (advice), __VA_ARGS__ })
#define RANGES(...)							\
	.ranges = (const struct ptebatch_range[]){ __VA_ARGS__ },	\
	.nr = sizeof((struct ptebatch_range[]){ __VA_ARGS__ }) / sizeof(struct ptebatch_range)
#define PAGES(at, nr)		{ (at) * PAGE_SIZE, (nr) * PAGE_SIZE }
#define BYTES(pages)		((pages) * (long)PAGE_SIZE)

extern const struct ptebatch_op ptebatch_process_madvise, ptebatch_madvise;

#endif /* PTEBATCH_PROCESS_MADVISE_H */
