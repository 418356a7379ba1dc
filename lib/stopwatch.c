// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/sort.h>

#include "stopwatch.h"

static int compare(const void *a, const void *b)
{
	return cmp_int(*(const u64 *)a, *(const u64 *)b);
}

/* What starting and stopping it takes, in ns. */
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
 * ptebatch_stopwatch_report() - say what a thing took
 * @test: the case
 * @watch: the stopwatch, which has timed it once at least; is sorted
 * @what: which thing: words of "name=value" for the host's tools
 * @pages: how many pages it was done to each time
 *
 * What the stopwatch itself takes is subtracted.
 */
void ptebatch_stopwatch_report(struct kunit *test,
			       struct ptebatch_stopwatch *watch,
			       const char *what, unsigned int pages)
{
	u64 cost = own_cost();
	unsigned int i;

	sort(watch->ns, watch->laps, sizeof(watch->ns[0]), compare, NULL);
	for (i = 0; i < watch->laps; i++)
		watch->ns[i] -= min(watch->ns[i], cost);
	kunit_info(test, "bench %s pages=%u laps=%u min=%llu median=%llu max=%llu\n",
		   what, pages, watch->laps, watch->ns[0],
		   watch->ns[watch->laps / 2], watch->ns[watch->laps - 1]);
}
