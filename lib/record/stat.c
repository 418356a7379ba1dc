// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/vmstat.h>

#include "stat.h"

static long sum_up(int nid, enum node_stat_item item)
{
	struct pglist_data *pgdat;
	long value = 0;
	int cpu;

	for_each_online_pgdat(pgdat) {
		if (nid != NUMA_NO_NODE && nid != pgdat->node_id)
			continue;
		value += atomic_long_read(&pgdat->vm_stat[item]);
		for_each_online_cpu(cpu) {
#ifdef CONFIG_SMP
			const struct per_cpu_nodestat *stat =
				per_cpu_ptr(pgdat->per_cpu_nodestats, cpu);

			value += stat->vm_node_stat_diff[item];
#endif
		}
	}
	return value;
}

/**
 * ptebatch_node_stat() - read a counter of a node
 * @nid: the node, or NUMA_NO_NODE: all nodes
 * @item: the counter
 *
 * Reads again if the kernel may have moved a CPU's part to its node meanwhile.
 *
 * Return: the value, in the unit of the counter.
 */
long ptebatch_node_stat(int nid, enum node_stat_item item)
{
	long value = sum_up(nid, item), last;

	do {
		last = value;
		value = sum_up(nid, item);
	} while (value != last);
	return value;
}

/**
 * ptebatch_nr_mlock() - read NR_MLOCK of all zones
 *
 * Return: the number, in pages.
 */
long ptebatch_nr_mlock(void)
{
	struct zone *zone;
	long pages = 0;

	for_each_populated_zone(zone)
		pages += zone_page_state_snapshot(zone, NR_MLOCK);
	return pages;
}

/**
 * ptebatch_events() - read a counter of events
 * @item: the counter, for example PGFAULT
 *
 * Context: Process context, may sleep.
 * Return: number of events since boot; 0 without CONFIG_VM_EVENT_COUNTERS.
 */
unsigned long ptebatch_events(enum vm_event_item item)
{
	unsigned long events[NR_VM_EVENT_ITEMS] = {};

	all_vm_events(events);
	return events[item];
}
