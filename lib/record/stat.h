/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read counters of the kernel, exactly: with the changes that CPUs have not added yet.
 */
#ifndef PTEBATCH_STAT_H
#define PTEBATCH_STAT_H

#include <linux/mmzone.h>
#include <linux/vm_event_item.h>

long ptebatch_node_stat(int nid, enum node_stat_item item);
long ptebatch_nr_mlock(void);
unsigned long ptebatch_events(enum vm_event_item item);

#endif /* PTEBATCH_STAT_H */
