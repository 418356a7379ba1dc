// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sort.h>

#include "stopwatch.h"

static int compare(const void *a, const void *b)
{
	const struct ptebatch_lap *one = a, *other = b;

	return cmp_int(one->ns, other->ns);
}

/**
 * ptebatch_stopwatch_start() - begin a lap
 * @watch: the stopwatch
 *
 * Only the timed code may run between this and ptebatch_stopwatch_stop(). Both
 * are functions: tests/guests/plugin/laps.c finds the laps by their addresses.
 */
noinline void ptebatch_stopwatch_start(struct ptebatch_stopwatch *watch)
{
	static unsigned int laps;

	watch->lap[watch->laps].number = ++laps;
	watch->started = ktime_get_ns();
}

/**
 * ptebatch_stopwatch_stop() - end a lap
 * @watch: the stopwatch
 */
noinline void ptebatch_stopwatch_stop(struct ptebatch_stopwatch *watch)
{
	watch->lap[watch->laps++].ns = ktime_get_ns() - watch->started;
}

/* Minimum time of starting and stopping the stopwatch, in ns. */
static u64 own_cost(void)
{
	struct ptebatch_stopwatch watch = {};
	u64 least = U64_MAX;

	while (watch.laps < PTEBATCH_LAPS_MAX) {
		ptebatch_stopwatch_start(&watch);
		ptebatch_stopwatch_stop(&watch);
		least = min(least, watch.lap[watch.laps - 1].ns);
	}
	return least;
}

/**
 * ptebatch_stopwatch_report() - print the times of an operation
 * @test: the case
 * @watch: the stopwatch, with at least one lap; its laps are sorted
 * @what: name of the operation: words of "name=value" for the host's tools
 * @pages: number of pages in each lap
 * @calls: number of calls in each lap
 *
 * All figures are per lap, in ns of ktime. The stopwatch's own cost is
 * subtracted, and printed. lap= is the number of the lap with the minimum.
 */
void ptebatch_stopwatch_report(struct kunit *test,
			       struct ptebatch_stopwatch *watch,
			       const char *what, unsigned long pages,
			       unsigned long calls)
{
	u64 own = own_cost();
	unsigned int i;

	sort(watch->lap, watch->laps, sizeof(watch->lap[0]), compare, NULL);
	for (i = 0; i < watch->laps; i++)
		watch->lap[i].ns -= min(watch->lap[i].ns, own);
	kunit_info(test, "bench %s: pages=%lu calls=%lu laps=%u unit=ns own=%llu min=%llu median=%llu max=%llu lap=%u\n",
		   what, pages, calls, watch->laps, own, watch->lap[0].ns,
		   watch->lap[watch->laps / 2].ns,
		   watch->lap[watch->laps - 1].ns, watch->lap[0].number);
}
