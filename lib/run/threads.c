// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mmu_notifier.h>
#include <linux/uaccess.h>

#include "../check/compare.h"
#include "../check/contents.h"
#include "../check/notifier.h"
#include "../op/access.h"
#include "rows.h"
#include "threads.h"

/**
 * struct two_tasks - state of a run
 * @threads: the operations
 * @space: the address space
 * @pause: pause of the first operation
 * @notifier: MMU notifier, called when the kernel announces that it will change
 *            a range of entries, when it has changed them, and when entries become
 *            old
 * @notified: @notifier is registered
 * @started: the second task was started and not ended
 * @stop: the first operation has run for all rounds
 */
struct two_tasks {
	const struct ptebatch_threads *threads;
	struct ptebatch_space *space;
	struct ptebatch_pause pause;
	struct mmu_notifier notifier;
	bool notified;
	bool started;
	bool stop;
};

static void read_pages(void *data)
{
	struct two_tasks *tasks = data;
	char value __maybe_unused;
	unsigned int i;

	for (i = 0; i < tasks->space->row.nr; i++)
		get_user(value, (char __user *)ptebatch_addr(tasks->space, i));
}

static long call_meanwhile(void *data)
{
	struct two_tasks *tasks = data;
	const struct ptebatch_op *op = tasks->threads->meanwhile;

	return op->call(op, tasks->space, false);
}

static long repeat_meanwhile(void *data)
{
	struct two_tasks *tasks = data;
	const struct ptebatch_op *op = tasks->threads->meanwhile;
	const struct ptebatch_op *finally = tasks->threads->finally;

	do {
		op->call(op, tasks->space, false);
		if (finally)
			finally->call(finally, tasks->space, false);
		ptebatch_unpin();
	} while (!READ_ONCE(tasks->stop));
	return 0;
}

#define KCSAN_FACTOR	64

/* The operation that repeats another one, and its argument. */
struct repeated_op {
	struct ptebatch_op op;
	struct two_tasks *tasks;
};

static long repeat(const struct ptebatch_op *op, struct ptebatch_space *space,
		   bool twin)
{
	struct two_tasks *tasks =
		container_of(op, struct repeated_op, op)->tasks;
	const struct ptebatch_threads *threads = tasks->threads;
	unsigned int i, rounds = threads->rounds;

	if (IS_ENABLED(CONFIG_KCSAN))
		rounds *= KCSAN_FACTOR;
	for (i = 0; i < rounds; i++)
		threads->op->call(threads->op, space, false);
	WRITE_ONCE(tasks->stop, true);
	return 0;
}

static void pause_at_flush(void *data)
{
	struct two_tasks *tasks = data;

	ptebatch_pause_at(&tasks->pause, PTEBATCH_FLUSH);
}

#ifdef CONFIG_MMU_NOTIFIER

static int begin_range(struct mmu_notifier *notifier,
		       const struct mmu_notifier_range *range)
{
	struct two_tasks *tasks = container_of(notifier, struct two_tasks, notifier);

	ptebatch_pause_at(&tasks->pause, PTEBATCH_RANGE_START);
	return 0;
}

static void end_range(struct mmu_notifier *notifier,
		      const struct mmu_notifier_range *range)
{
	struct two_tasks *tasks = container_of(notifier, struct two_tasks, notifier);

	ptebatch_pause_at(&tasks->pause, PTEBATCH_RANGE_END);
}

/* A secondary MMU without accessed bits. */
static bool clear_young(struct mmu_notifier *notifier, struct mm_struct *mm,
			unsigned long start, unsigned long end)
{
	struct two_tasks *tasks = container_of(notifier, struct two_tasks, notifier);

	ptebatch_pause_at(&tasks->pause, PTEBATCH_CLEAR_YOUNG);
	return false;
}

static const struct mmu_notifier_ops notifier_ops = {
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.invalidate_range_start = begin_range,
	.invalidate_range_end = end_range,
};

static int notify(struct two_tasks *tasks)
{
	int err;

	tasks->notifier.ops = &notifier_ops;
	err = mmu_notifier_register(&tasks->notifier, tasks->space->places[0].mm);
	tasks->notified = !err;
	return err;
}

static void stop_notifying(struct two_tasks *tasks)
{
	if (!tasks->notified)
		return;
	rcu_expedite_gp();
	mmu_notifier_unregister(&tasks->notifier, tasks->space->places[0].mm);
	rcu_unexpedite_gp();
	tasks->notified = false;
}

#else

static int notify(struct two_tasks *tasks)
{
	return -EOPNOTSUPP;
}

static void stop_notifying(struct two_tasks *tasks)
{
}

#endif

/* The lock of the row's first page table, %NULL if a PMD maps the row. */
static spinlock_t *row_lock(const struct ptebatch_space *space)
{
	struct mm_struct *mm = space->places[0].mm;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	mmap_write_lock(mm);
	ptep = get_locked_pte(mm, ptebatch_addr(space, 0), &ptl);
	if (ptep)
		pte_unmap_unlock(ptep, ptl);
	mmap_write_unlock(mm);
	return ptep ? ptl : NULL;
}

static void end_second(void *data)
{
	struct two_tasks *tasks = data;

	WRITE_ONCE(tasks->stop, true);
	if (tasks->started)
		ptebatch_pause_end(&tasks->pause);
	tasks->started = false;
	stop_notifying(tasks);
	ptebatch_unpin();
}

static bool writes(const struct ptebatch_op *op)
{
	return op->call == ptebatch_call_write;
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct two_tasks *tasks = (struct two_tasks *)data;
	const struct ptebatch_threads *threads = tasks->threads;
	struct kunit *test = trial->test;

	/* The models know one operation. */
	trial->call.model = NULL;
	if (trial->second)
		trial->second->call.model = NULL;
	if (!threads->discards && !writes(threads->meanwhile))
		ptebatch_contents_fill(trial);
	tasks->space = trial->space;
	tasks->pause = (struct ptebatch_pause) {
		.point = threads->point, .until = threads->until,
		.mm = threads->tlb ? trial->space->places[0].mm : NULL,
		.warm_up = threads->tlb ? read_pages : NULL,
		.work = threads->rounds ? repeat_meanwhile : call_meanwhile,
		.data = tasks,
		.ptl = row_lock(trial->space),
	};
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_second, tasks));
	KUNIT_ASSERT_EQ(test, 0, notify(tasks));
	KUNIT_ASSERT_EQ(test, 0, ptebatch_pause_begin(&tasks->pause));
	tasks->started = true;
	trial->flush.data = tasks;
	trial->flush.on_flush = pause_at_flush;
}

/* The violation of the schedule, %NULL if there is none. */
static const char *wrong_schedule(const struct ptebatch_pause *pause)
{
	if (!pause->reached)
		return "does not reach the point at which it pauses";
	if (pause->expired)
		return pause->until == PTEBATCH_UNTIL_DONE ?
		       "pauses, and the other operation does not finish meanwhile" :
		       "pauses, and the other operation does not wait for its lock";
	if (pause->finished && (pause->until == PTEBATCH_UNTIL_ASLEEP ||
				pause->until == PTEBATCH_UNTIL_CONTENDED ||
				pause->until == PTEBATCH_UNTIL_SPINNING))
		return "pauses, and the other operation does not wait for its lock";
	return NULL;
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct two_tasks *tasks = (struct two_tasks *)data;
	const struct ptebatch_threads *threads = tasks->threads;
	struct kunit *test = trial->test;
	const char *wrong;

	/* Ends the second task, too; the pages stay pinned until @finally. */
	ptebatch_pause_end(&tasks->pause);
	tasks->started = false;
	trial->flush.on_flush = NULL;
	stop_notifying(tasks);
	wrong = wrong_schedule(&tasks->pause);
	if (wrong)
		KUNIT_FAIL(test, "%s %s: %s", trial->function, wrong,
			   threads->meanwhile->function);
	if (threads->rounds)
		return;
	if (tasks->pause.reached)
		KUNIT_EXPECT_EQ_MSG(test, tasks->pause.result, threads->meanwhile_ret,
				    "%s, while %s pauses",
				    threads->meanwhile->function, trial->function);
	if (threads->finally)
		threads->finally->call(threads->finally, trial->space, false);
	if (writes(threads->meanwhile) && !tasks->pause.result)
		KUNIT_EXPECT_TRUE_MSG(test,
				      ptebatch_written(trial->space,
						       threads->meanwhile->arg),
				      "%s loses what put_user() wrote to entry %lu",
				      trial->function, threads->meanwhile->arg);
	ptebatch_unpin();
}

static void check_old(struct ptebatch_trial *trial, const void *data)
{
	const struct two_tasks *tasks = data;
	const struct ptebatch_row *after = &trial->after.row;
	struct ptebatch_row *expected;
	unsigned int i, young = 0;

	if (!tasks->threads->becomes_old)
		return;
	expected = ptebatch_picture(trial->test, tasks->threads->after);
	for (i = 0; i < after->nr; i++)
		young += !!(after->entries[i].flags & ~expected->entries[i].flags &
			    PTEBATCH_YOUNG);
	KUNIT_EXPECT_EQ_MSG(trial->test, young, 0,
			    "entries still young after %s and %s, expected old",
			    trial->function, tasks->threads->meanwhile->function);
}

static void skip_if_missing(struct kunit *test, const struct ptebatch_op *op)
{
	const char *missing = op ? ptebatch_op_missing(op) : NULL;

	if (missing)
		kunit_skip(test, "%s", missing);
}

/**
 * ptebatch_threads_run() - run two operations on a row at the same time
 * @test: the case; fails if the order or the result is not as expected
 * @threads: the operations, and what is expected
 *
 * No twin: it flushes once per PTE, so that the points at which it pauses differ.
 *
 * Context: Process context of a kernel thread without an mm, may sleep; between
 * ptebatch_pause_on() and ptebatch_pause_off().
 */
void ptebatch_threads_run(struct kunit *test, const struct ptebatch_threads *threads)
{
	const char *missing = ptebatch_pause_missing(threads->point);
	struct ptebatch_run run = {
		.setup = &threads->setup, .after = threads->after,
		.second = threads->second, .ret = threads->ret,
		.prepare = prepare, .undo = undo, .check = check_old,
	};
	struct repeated_op repeated;
	struct two_tasks *tasks;
	bool passes = true;

	if (missing)
		kunit_skip(test, "%s", missing);
	skip_if_missing(test, threads->op);
	skip_if_missing(test, threads->meanwhile);
	skip_if_missing(test, threads->finally);
	tasks = kunit_kzalloc(test, sizeof(*tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	tasks->threads = threads;
	repeated = (struct repeated_op) { *threads->op, tasks };
	repeated.op.no_twin = true;
	if (threads->rounds)
		repeated.op.call = repeat;
	run.op = &repeated.op;
	run.data = tasks;
	if (threads->rounds)
		ptebatch_row_call(test, &run, false, &passes);
	else
		ptebatch_row_run(test, &run);
}
