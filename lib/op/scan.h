/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PAGEMAP_SCAN, an ioctl of /proc/PID/pagemap: report the pages that were written since
 * they were write-protected, and protect them again. The suite needs PTEBATCH_PROC, and
 * the set-up WP_ASYNC.
 */
#ifndef PTEBATCH_SCAN_H
#define PTEBATCH_SCAN_H

#include <linux/fs.h>

#include "op.h"

#define PTEBATCH_SCAN_REGIONS	1024

/**
 * struct ptebatch_scan - what PAGEMAP_SCAN gets from user memory, and writes to it
 * @arg: its argument; with a @vec_len of 0, it returns no regions
 * @regions: the regions, up to the first with an end of 0
 */
struct ptebatch_scan {
	struct pm_scan_arg arg;
	struct page_region regions[PTEBATCH_SCAN_REGIONS];
};

void ptebatch_scan_range(struct ptebatch_scan *scan, const struct ptebatch_space *space,
			 u64 flags);
long ptebatch_scan(struct mm_struct *mm, struct ptebatch_scan *scan);

/*
 * Scan of the range that write-protects it. Returns the number of pages that were
 * written, or an error.
 */
extern const struct ptebatch_op ptebatch_scan_written;

#endif /* PTEBATCH_SCAN_H */
