/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stopwatch. Its clock is ktime: it counts instructions in a guest with
 * QEMU's -icount, and time everywhere else.
 */
#ifndef PTEBATCH_STOPWATCH_H
#define PTEBATCH_STOPWATCH_H

#include <kunit/test.h>
#include <linux/ktime.h>

/* Maximum number of repetitions. */
#define PTEBATCH_LAPS_MAX	9

/**
 * struct ptebatch_stopwatch - times of one repeated operation
 * @laps: number of repetitions so far
 * @ns: time of each repetition, in ns
 * @started: time of the last start, in ns
 */
struct ptebatch_stopwatch {
	unsigned int laps;
	u64 ns[PTEBATCH_LAPS_MAX];
	u64 started;
};

/* Only the timed code may run between this and ptebatch_stopwatch_stop(). */
static inline void ptebatch_stopwatch_start(struct ptebatch_stopwatch *watch)
{
	watch->started = ktime_get_ns();
}

static inline void ptebatch_stopwatch_stop(struct ptebatch_stopwatch *watch)
{
	watch->ns[watch->laps++] = ktime_get_ns() - watch->started;
}

void ptebatch_stopwatch_report(struct kunit *test,
			       struct ptebatch_stopwatch *watch,
			       const char *what, unsigned long pages,
			       unsigned long calls);

#endif /* PTEBATCH_STOPWATCH_H */
