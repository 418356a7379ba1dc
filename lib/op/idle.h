/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idle page tracking: /sys/kernel/mm/page_idle/bitmap has a bit for each page. A set bit
 * marks the folio that begins with the page as idle, until it is accessed. DAMON samples
 * addresses of a process, and marks the folios, too.
 */
#ifndef PTEBATCH_IDLE_H
#define PTEBATCH_IDLE_H

#include "op.h"

long ptebatch_idle_mark(unsigned long pfn);
long ptebatch_idle_read(unsigned long pfn);

/*
 * Marks the folios that the range maps. Returns the number of pages whose folio was still
 * idle, or an error.
 */
extern const struct ptebatch_op ptebatch_track_idle;
/* The same by DAMON, which does not see accesses through other mappings. */
extern const struct ptebatch_op ptebatch_sample;

#endif /* PTEBATCH_IDLE_H */
