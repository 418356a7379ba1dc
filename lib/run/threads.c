// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/uaccess.h>

#include "../arch/arch.h"
#include "../check/compare.h"
#include "../op/access.h"
#include "../space/pte.h"
#include "../space/refs.h"
#include "threads.h"

/**
 * struct two_tasks - state of a run
 * @threads: the operations
 * @c: the case that runs, with the second task as a condition
 * @repeated: operation that repeats the first one
 * @space: the address space
 * @pause: pause of the first operation
 * @started: the second task was started and not ended
 * @stop: the first operation has run for all rounds
 */
struct two_tasks {
	const struct ptebatch_threads *threads;
	struct ptebatch_case c;
	struct ptebatch_op repeated;
	struct ptebatch_space *space;
	struct ptebatch_pause pause;
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
		ptebatch_unpin(tasks->space);
	} while (!READ_ONCE(tasks->stop));
	return 0;
}

#define KCSAN_FACTOR	64

/* @op->arg is the state of the run. */
static long repeat(const struct ptebatch_op *op, struct ptebatch_space *space,
		   bool twin)
{
	struct two_tasks *tasks = (struct two_tasks *)op->arg;
	const struct ptebatch_op *repeated = tasks->threads->c.op;
	unsigned int i, rounds = tasks->threads->rounds;

	if (IS_ENABLED(CONFIG_KCSAN))
		rounds *= KCSAN_FACTOR;
	for (i = 0; i < rounds; i++)
		repeated->call(repeated, space, false);
	WRITE_ONCE(tasks->stop, true);
	return 0;
}

/*
 * Called by the secondary MMU, not by a hook: a kprobe may disable interrupts, and the
 * second task may wait for an IPI to the paused CPU.
 */
static void pause_at(void *data, enum ptebatch_point point)
{
	ptebatch_pause_at(data, point);
}

static bool writes(const struct ptebatch_op *op)
{
	return op->call == ptebatch_call_write;
}

static void start_second(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	struct two_tasks *tasks = (struct two_tasks *)use->condition->value;
	const struct ptebatch_threads *threads = tasks->threads;
	struct ptebatch_trial *trial = use->trial;
	struct kunit *test = trial->test;

	tasks->space = trial->space;
	tasks->pause = (struct ptebatch_pause) {
		.point = threads->point, .until = threads->until,
		.mm = threads->tlb ? trial->space->places[0].mm : NULL,
		.warm_up = threads->tlb ? read_pages : NULL,
		.work = threads->rounds ? repeat_meanwhile : call_meanwhile,
		.data = tasks,
		.ptl = ptebatch_entry_lock(trial->space->places[0].mm,
					   ptebatch_addr(trial->space, 0)),
	};
	trial->secondary.data = &tasks->pause;
	trial->secondary.on_call = pause_at;
	trial->call.vma_flags |= ptebatch_op_vma_flags(threads->meanwhile);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_pause_begin(&tasks->pause));
	tasks->started = true;
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

static void check_second(const struct ptebatch_trial *trial, struct two_tasks *tasks)
{
	const struct ptebatch_threads *threads = tasks->threads;
	const char *wrong = wrong_schedule(&tasks->pause);
	struct kunit *test = trial->test;

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
}

static void end_second(struct ptebatch_use *use)
{
	struct two_tasks *tasks = (struct two_tasks *)use->condition->value;

	WRITE_ONCE(tasks->stop, true);
	/* Ends the second task, too; the pages stay pinned until @finally. */
	if (tasks->started)
		ptebatch_pause_end(&tasks->pause);
	use->trial->secondary.on_call = NULL;
	if (tasks->started)
		check_second(use->trial, tasks);
	ptebatch_unpin(tasks->space);
}

static const struct ptebatch_condition_type second_task = {
	.name = "a second task runs", .occur = start_second, .end = end_second,
};

static void check_old(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	if (container_of(c, struct two_tasks, c)->threads->becomes_old)
		ptebatch_trial_expect_old(trial, c->after);
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
	struct two_tasks *tasks;
	struct ptebatch_case *c;
	bool passes = true;

	if (missing)
		kunit_skip(test, "%s", missing);
	if (threads->point == PTEBATCH_FLUSH && !PTEBATCH_FLUSHES_SEEN)
		kunit_skip(test, "TLB flushes that no MMU notifier sees");
	if (threads->until == PTEBATCH_UNTIL_CONTENDED && !PTEBATCH_WAITERS_SEEN)
		kunit_skip(test, "spin_is_contended() reports no waiter on this architecture");
	if (threads->without_fault && !PTEBATCH_WRITE_SETS_DIRTY)
		kunit_skip(test, "a write to a clean page is a fault");
	skip_if_missing(test, threads->meanwhile);
	skip_if_missing(test, threads->finally);
	tasks = kunit_kzalloc(test, sizeof(*tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	tasks->threads = threads;
	tasks->c = threads->c;
	c = &tasks->c;
	c->filled = !threads->discards && !writes(threads->meanwhile);
	c->no_twin = true;
	/* The models know one operation. */
	c->no_model = true;
	c->check = check_old;
	c->with[0] = (struct ptebatch_condition) {
		.type = &second_task, .value = (unsigned long)tasks,
	};
	if (!threads->rounds) {
		ptebatch_case_run(test, c);
		return;
	}
	tasks->repeated = *c->op;
	tasks->repeated.call = repeat;
	tasks->repeated.arg = (unsigned long)tasks;
	c->op = &tasks->repeated;
	ptebatch_case_call(test, c, false, &passes);
}
