// SPDX-License-Identifier: GPL-2.0
/*
 * VmHWM of /proc/PID/status is the highest RSS of a process. The kernel records it
 * only before it lowers the RSS: a path that does not do so loses it.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu_counter.h>

#include "begin.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_watermark;

/* Pages by which update_hiwater_rss() may be wrong: it omits the CPUs' own counts. */
static unsigned long error_pages(void)
{
#ifdef CONFIG_SMP
	return 3 * percpu_counter_batch * num_online_cpus();
#else
	return 0;
#endif
}

/**
 * ptebatch_watermark_begin() - record the RSS, and reset its high watermark
 * @trial: the trial, begun
 */
void ptebatch_watermark_begin(struct ptebatch_trial *trial)
{
	struct mm_struct *mm = trial->place->mm;

	trial->rss = get_mm_rss_sum(mm);
	mm->hiwater_rss = 0;
}

/**
 * ptebatch_check_watermark() - check rule 7 (accounting): high watermark of the RSS
 * @trial: the trial, stopped
 * @out: receives a line if the high watermark is lower than the RSS was
 *
 * Return: true if the high watermark of the RSS is at least the RSS before the operation.
 */
bool ptebatch_check_watermark(struct ptebatch_trial *trial, struct seq_buf *out)
{
	struct mm_struct *mm = trial->place->mm;
	unsigned long watermark = max(mm->hiwater_rss, get_mm_rss_sum(mm));

	if (watermark + error_pages() >= trial->rss)
		return true;
	seq_buf_printf(out, "the RSS was %lu pages, its high watermark is %lu\n", trial->rss,
		       watermark);
	return false;
}
