/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stopwatch. Its clock is ktime: it counts instructions in a guest with
 * QEMU's -icount, and time everywhere else.
 */
#ifndef PTEBATCH_STOPWATCH_H
#define PTEBATCH_STOPWATCH_H

#include <kunit/test.h>
#include <linux/types.h>

/* Maximum number of repetitions. */
#define PTEBATCH_LAPS_MAX	9

/**
 * struct ptebatch_lap - one repetition
 * @ns: its time, in ns
 * @number: its number among the laps of all stopwatches since boot, from 1
 */
struct ptebatch_lap {
	u64 ns;
	unsigned int number;
};

/**
 * struct ptebatch_stopwatch - times of one repeated operation
 * @laps: number of repetitions so far
 * @lap: the repetitions
 * @started: time of the last start, in ns
 */
struct ptebatch_stopwatch {
	unsigned int laps;
	struct ptebatch_lap lap[PTEBATCH_LAPS_MAX];
	u64 started;
};

void ptebatch_stopwatch_start(struct ptebatch_stopwatch *watch);
void ptebatch_stopwatch_stop(struct ptebatch_stopwatch *watch);
void ptebatch_stopwatch_report(struct kunit *test,
			       struct ptebatch_stopwatch *watch,
			       const char *what, unsigned long pages,
			       unsigned long calls);

#endif /* PTEBATCH_STOPWATCH_H */
