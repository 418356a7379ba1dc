/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stopwatch. Its clock is ktime, which counts instructions in a guest that
 * is made to (QEMU's -icount), and time everywhere else.
 */
#ifndef PTEBATCH_STOPWATCH_H
#define PTEBATCH_STOPWATCH_H

#include <kunit/test.h>
#include <linux/ktime.h>

/* How often a thing is done at most. */
#define PTEBATCH_LAPS_MAX	9

/**
 * struct ptebatch_stopwatch - what one thing has taken, done again and again
 * @laps: how often it was done
 * @ns: what each time took, in ns
 * @started: when the stopwatch was started last
 */
struct ptebatch_stopwatch {
	unsigned int laps;
	u64 ns[PTEBATCH_LAPS_MAX];
	u64 started;
};

/* Nothing else between this and ptebatch_stopwatch_stop() but what is timed. */
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
