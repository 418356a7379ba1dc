// SPDX-License-Identifier: GPL-2.0
/*
 * VmHWM of /proc/PID/status is the highest RSS of a process. The kernel records it
 * only before it lowers the RSS: a path that does not do so loses it. The state is
 * the RSS before the operation, in pages.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu_counter.h>

#include "checks.h"

/* Pages by which update_hiwater_rss() may be wrong: it omits the CPUs' own counts. */
static unsigned long error_pages(void)
{
#ifdef CONFIG_SMP
	return 3 * percpu_counter_batch * num_online_cpus();
#else
	return 0;
#endif
}

static void begin_watermark(struct ptebatch_trial *trial)
{
	unsigned long *rss = ptebatch_check_state(trial, &ptebatch_check_watermark);
	struct mm_struct *mm = trial->place->mm;

	*rss = get_mm_rss_sum(mm);
	mm->hiwater_rss = 0;
}

static void check_watermark(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const unsigned long *rss = ptebatch_check_state(trial, &ptebatch_check_watermark);
	struct mm_struct *mm = trial->place->mm;
	unsigned long watermark = max(mm->hiwater_rss, get_mm_rss_sum(mm));

	if (watermark + error_pages() < *rss)
		seq_buf_printf(out, "the RSS was %lu pages, its high watermark is %lu\n",
			       *rss, watermark);
}

const struct ptebatch_check ptebatch_check_watermark = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "watermark", .whole = true,
	.state_size = sizeof(unsigned long), .begin = begin_watermark, .check = check_watermark,
};
