// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/meminfo shows how many pages are mapped (AnonPages, Mapped), and how many
 * of them by PMDs. Each operation must change these counters of the nodes by the
 * number of the row's pages that become mapped or unmapped.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmzone.h>

#include "internal.h"

#include "../record/stat.h"
#include "../space/refs.h"
#include "checks.h"

static const struct counter {
	const char *name;
	enum node_stat_item item;
} counters[] = {
	{ "NR_ANON_MAPPED", NR_ANON_MAPPED },
	{ "NR_FILE_MAPPED", NR_FILE_MAPPED },
	{ "NR_ANON_THPS", NR_ANON_THPS },
	{ "NR_SHMEM_PMDMAPPED", NR_SHMEM_PMDMAPPED },
	{ "NR_FILE_PMDMAPPED", NR_FILE_PMDMAPPED },
};

/* The state: the counters before the operation, less the pages of the row. */
struct mapped_before {
	long others[ARRAY_SIZE(counters)];
};

static bool is_checked(void)
{
	return IS_ENABLED(CONFIG_PAGE_MAPCOUNT) && ptebatch_counts_alone();
}

static void count_folio(struct folio *folio, long *mapped)
{
	bool entire = folio_test_large(folio) && folio_entire_mapcount(folio);
	unsigned int i, at = !folio_test_anon(folio);

	for (i = 0; i < folio_nr_pages(folio); i++)
		if (entire || atomic_read(&folio_page(folio, i)->_mapcount) >= 0)
			mapped[at]++;
	if (!entire)
		return;
	if (at)
		at += !folio_test_swapbacked(folio);
	mapped[2 + at] += folio_nr_pages(folio);
}

/* Count by mapcounts, which accounting.c checks. */
static void count_mapped(const struct ptebatch_space *space, long *mapped)
{
	struct ptebatch_part part = {};

	while (ptebatch_next_held(space, &part))
		count_folio(part.folio, mapped);
}

static void begin_mapped(struct ptebatch_trial *trial)
{
	struct mapped_before *state = ptebatch_check_state(trial, &ptebatch_check_mapped);
	long mapped[ARRAY_SIZE(counters)] = {};
	unsigned int i;

	if (!is_checked())
		return;
	count_mapped(trial->space, mapped);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		state->others[i] = ptebatch_node_stat(NUMA_NO_NODE, counters[i].item) - mapped[i];
}

/* Does the row map a page that is not in the space? */
static bool maps_foreign(const struct ptebatch_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_FOREIGN)
			return true;
	return false;
}

/* The counters have changed as the mapcounts have. */
static void check_mapped(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct mapped_before *state = ptebatch_check_state(trial, &ptebatch_check_mapped);
	long mapped[ARRAY_SIZE(counters)] = {};
	unsigned int i;

	if (!is_checked() || maps_foreign(&trial->after.row) ||
	    (trial->second && maps_foreign(&trial->second->after.row)))
		return;
	count_mapped(trial->space, mapped);
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		long found = ptebatch_node_stat(NUMA_NO_NODE, counters[i].item) - state->others[i];

		if (found != mapped[i])
			seq_buf_printf(out, "%s has %ld pages of the row, %ld are mapped\n",
				       counters[i].name, found, mapped[i]);
	}
}

const struct ptebatch_check ptebatch_check_mapped = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "mapped", .whole = true,
	.state_size = sizeof(struct mapped_before), .begin = begin_mapped, .check = check_mapped,
};
