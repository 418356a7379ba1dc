// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/sort.h>

#include "stopwatch.h"

static int compare(const void *a, const void *b)
{
	return cmp_int(*(const u64 *)a, *(const u64 *)b);
}

/* Minimum time of starting and stopping the stopwatch, in ns. */
static u64 own_cost(void)
{
	struct ptebatch_stopwatch watch = {};
	u64 least = U64_MAX;

	while (watch.laps < PTEBATCH_LAPS_MAX) {
		ptebatch_stopwatch_start(&watch);
		ptebatch_stopwatch_stop(&watch);
		least = min(least, watch.ns[watch.laps - 1]);
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
 * subtracted, and printed.
 */
void ptebatch_stopwatch_report(struct kunit *test,
			       struct ptebatch_stopwatch *watch,
			       const char *what, unsigned long pages,
			       unsigned long calls)
{
	u64 own = own_cost();
	unsigned int i;

	sort(watch->ns, watch->laps, sizeof(watch->ns[0]), compare, NULL);
	for (i = 0; i < watch->laps; i++)
		watch->ns[i] -= min(watch->ns[i], own);
	kunit_info(test, "bench %s: pages=%lu calls=%lu laps=%u unit=ns own=%llu min=%llu median=%llu max=%llu\n",
		   what, pages, calls, watch->laps, own, watch->ns[0],
		   watch->ns[watch->laps / 2], watch->ns[watch->laps - 1]);
}
