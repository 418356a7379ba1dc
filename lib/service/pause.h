/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pause the current task at a defined point of a kernel function, while a second
 * task, on another CPU, does a part of its work.
 */
#ifndef PTEBATCH_PAUSE_H
#define PTEBATCH_PAUSE_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/mm_types.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "service.h"

/**
 * enum ptebatch_point - point at which the current task pauses
 * @PTEBATCH_RANGE_START: MMU notifier before the entries change; no page table
 *                        lock is held
 * @PTEBATCH_CLEAR_YOUNG: MMU notifier after entries became old; a page table
 *                        lock is held
 * @PTEBATCH_FLUSH: MMU notifier after a TLB flush
 * @PTEBATCH_RANGE_END: MMU notifier after the entries changed; no page table
 *                      lock is held, TLBs may not be flushed yet
 * @PTEBATCH_RETURNED: the function under test has returned
 * @PTEBATCH_SECOND_TABLE: entry of pte_offset_map_rw_nolock(): fork() and
 *                         mremap() hold the first of their two page table locks
 * @PTEBATCH_GUP_READ: GUP-fast has read the PTE, but not pinned the page
 * @PTEBATCH_GUP_PINNED: GUP-fast has pinned the page, and read the PTE again
 * @PTEBATCH_NEW_FLAGS: entry of vma_modify_flags(): the caller has computed new flags of
 *                      the VMA
 * @PTEBATCH_VMA_COPIED: entry of anon_vma_clone(): __split_vma() has copied the VMA
 * @PTEBATCH_VMA_MERGED: entry of vm_area_free(): vma_complete() has released the locks of
 *                       the file, and is about to free the VMA that was merged
 * @PTEBATCH_CHOSEN: an instruction that the caller has chosen, see interleave.h
 * @PTEBATCH_NR_POINTS: number of points
 */
enum ptebatch_point {
	PTEBATCH_RANGE_START,
	PTEBATCH_CLEAR_YOUNG,
	PTEBATCH_FLUSH,
	PTEBATCH_RANGE_END,
	PTEBATCH_RETURNED,
	PTEBATCH_SECOND_TABLE,
	PTEBATCH_GUP_READ,
	PTEBATCH_GUP_PINNED,
	PTEBATCH_NEW_FLAGS,
	PTEBATCH_VMA_COPIED,
	PTEBATCH_VMA_MERGED,
	PTEBATCH_CHOSEN,
	PTEBATCH_NR_POINTS,
};

/**
 * enum ptebatch_pause_until - when the pause ends
 * @PTEBATCH_UNTIL_DONE: the second task has finished its work
 * @PTEBATCH_UNTIL_ASLEEP: it sleeps, on a lock that the paused task holds
 * @PTEBATCH_UNTIL_STARTED: it has started its work
 * @PTEBATCH_UNTIL_CONTENDED: it spins on a page table lock that the paused task
 *                            holds
 * @PTEBATCH_UNTIL_SPINNING: it spins, on a page table lock that the paused task
 *                           holds, or until the paused CPU handles interrupts
 * @PTEBATCH_UNTIL_BLOCKED: it has finished its work, sleeps, or spins
 */
enum ptebatch_pause_until {
	PTEBATCH_UNTIL_DONE,
	PTEBATCH_UNTIL_ASLEEP,
	PTEBATCH_UNTIL_STARTED,
	PTEBATCH_UNTIL_CONTENDED,
	PTEBATCH_UNTIL_SPINNING,
	PTEBATCH_UNTIL_BLOCKED,
};

/**
 * struct ptebatch_pause - a pause of the current task, and the second task
 * @point: one of enum ptebatch_point
 * @until: one of enum ptebatch_pause_until
 * @mm: the second task uses this mm from the beginning, %NULL if it does not
 * @warm_up: called by the second task before the pause, if not %NULL
 * @work: work of the second task during the pause
 * @data: argument of @warm_up and @work
 * @ptl: page table lock that the paused task may hold, or %NULL: a task that waits for it is
 *       blocked
 * @result: return value of @work
 * @reached: the current task has reached @point
 * @expired: the pause ended because the second task did not behave as @until
 *           says within PTEBATCH_PAUSE_LIMIT
 * @finished: the second task finished @work before the pause ended
 * @task: the task that pauses
 * @second: the second task
 * @started: the second task has started @work
 * @interrupt: an interrupt of its CPU
 * @asked: number of interrupts sent
 * @asked_at: microseconds from the beginning of the pause to the last one
 * @answered: number of interrupts handled
 * @asleep: for how many looks the second task has been asleep
 * @done: the second task has finished @work
 * @over: the current task will not reach @point any more
 * @ready: completed when the second task waits for the pause
 * @exited: completed when the second task has ended
 */
struct ptebatch_pause {
	enum ptebatch_point point;
	enum ptebatch_pause_until until;
	struct mm_struct *mm;
	void (*warm_up)(void *data);
	long (*work)(void *data);
	void *data;
	spinlock_t *ptl;	/* of the row's first entry */
	long result;
	bool reached;
	bool expired;
	bool finished;
	struct task_struct *task;
	struct task_struct *second;
	bool started;
	call_single_data_t interrupt;
	unsigned int asked;
	unsigned int asked_at;
	unsigned int answered;
	unsigned int asleep;
	bool done;
	bool over;
	struct completion ready;
	struct completion exited;
};

/* Time limit of a pause in microseconds: the test fails, and both tasks go on. */
#define PTEBATCH_PAUSE_LIMIT	(3 * USEC_PER_SEC)

int ptebatch_pause_on(struct kunit_suite *suite);
void ptebatch_pause_off(struct kunit_suite *suite);
const char *ptebatch_pause_missing(enum ptebatch_point point);

int ptebatch_pause_begin(struct ptebatch_pause *pause);
void ptebatch_pause_at(struct ptebatch_pause *pause, enum ptebatch_point point);
void ptebatch_pause_end(struct ptebatch_pause *pause);

/* Of a suite, see service.h. */
#define PTEBATCH_SECOND_CPU	{ ptebatch_pause_on, ptebatch_pause_off }

#endif /* PTEBATCH_PAUSE_H */
