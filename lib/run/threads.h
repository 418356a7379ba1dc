/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run an operation on a row while a second task, on another CPU, runs another
 * operation on the same row.
 */
#ifndef PTEBATCH_THREADS_H
#define PTEBATCH_THREADS_H

#include "../service/pause.h"
#include "case.h"

/**
 * struct ptebatch_threads - two operations on a row, and what is expected
 * @c: the operation that pauses, and what is expected after both; conditions are not
 *     supported
 * @point: point at which it pauses, the first time that it reaches the point
 * @meanwhile: operation of the second task during the pause
 * @until: when the pause ends
 * @finally: operation after both, or %NULL
 * @meanwhile_ret: expected return value of @meanwhile
 * @rounds: @c.op runs so many times, and @meanwhile with @finally until @c.op has
 *          finished: neither return values nor entries are compared. More
 *          rounds with KCSAN, which looks at few of the accesses.
 * @tlb: the second task uses the mm from the beginning, and has read each page:
 *       its TLB has the entries
 * @without_fault: @meanwhile must write to a clean page without a fault
 * @becomes_old: an entry that is not young in @c.after must not be young; otherwise
 *               it may, as accessed may spread
 * @discards: the operations may discard the contents of pages
 *
 * A pinned page is unpinned before the checks.
 */
struct ptebatch_threads {
	struct ptebatch_case c;
	enum ptebatch_point point;
	const struct ptebatch_op *meanwhile;
	enum ptebatch_pause_until until;
	const struct ptebatch_op *finally;
	long meanwhile_ret;
	unsigned int rounds;
	bool tlb;
	bool becomes_old;
	bool without_fault;
	bool discards;
};

void ptebatch_threads_run(struct kunit *test, const struct ptebatch_threads *threads);

#endif /* PTEBATCH_THREADS_H */
