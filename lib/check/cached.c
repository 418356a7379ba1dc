// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/meminfo shows how many pages the page cache has (Cached), how many of them are
 * shmem (Shmem), and how many of both are in folios that a PMD can map (ShmemHugePages,
 * FileHugePages). Each operation must change these counters of the nodes by the number
 * of pages that come to the cache of the row's file, or leave it.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mmzone.h>
#include <linux/shmem_fs.h>
#include <linux/xarray.h>

#include "internal.h"

#include "../record/stat.h"
#include "checks.h"

static const struct {
	const char *name;
	enum node_stat_item item;
	bool shmem, huge;
} cached[] = {
	{ "NR_FILE_PAGES", NR_FILE_PAGES },
	{ "NR_SHMEM", NR_SHMEM, .shmem = true },
	{ "NR_SHMEM_THPS", NR_SHMEM_THPS, .shmem = true, .huge = true },
	{ "NR_FILE_THPS", NR_FILE_THPS, .huge = true },
};

/* The state: the counters before the operation, less the pages of the row's file. */
struct cached_before {
	long others[ARRAY_SIZE(cached)];
};

static long swap_cache_pages(void)
{
#ifdef CONFIG_SWAP
	return ptebatch_node_stat(NUMA_NO_NODE, NR_SWAPCACHE);
#else
	return 0;
#endif
}

static long huge_pages(struct address_space *mapping)
{
	struct folio *folio;
	unsigned long index;
	long pages = 0;

	xa_for_each(&mapping->i_pages, index, folio)
		if (!xa_is_value(folio) && folio_test_pmd_mappable(folio))
			pages += folio_nr_pages(folio);
	return pages;
}

/* The pages of the row's file that counter @i has. */
static long own_pages(const struct ptebatch_space *space, unsigned int i)
{
	struct address_space *mapping = space->file ? space->file->f_mapping : NULL;

	/* Cached includes Shmem, but FileHugePages does not include ShmemHugePages. */
	if (!mapping || (cached[i].item != NR_FILE_PAGES &&
			 cached[i].shmem != shmem_mapping(mapping)))
		return 0;
	return cached[i].huge ? huge_pages(mapping) : mapping->nrpages;
}

static long other_pages(const struct ptebatch_space *space, unsigned int i)
{
	long pages = ptebatch_node_stat(NUMA_NO_NODE, cached[i].item) - own_pages(space, i);

	/* Cached does not include the swap cache, but its counter does. */
	return cached[i].item == NR_FILE_PAGES ? pages - swap_cache_pages() : pages;
}

static void begin_cached(struct ptebatch_trial *trial)
{
	struct cached_before *state = ptebatch_check_state(trial, &ptebatch_check_cached);
	unsigned int i;

	for (i = 0; ptebatch_counts_alone() && i < ARRAY_SIZE(cached); i++)
		state->others[i] = other_pages(trial->space, i);
}

static void check_cached(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct cached_before *state = ptebatch_check_state(trial, &ptebatch_check_cached);
	unsigned int i;

	for (i = 0; ptebatch_counts_alone() && i < ARRAY_SIZE(cached); i++) {
		long more = other_pages(trial->space, i) - state->others[i];

		if (more)
			seq_buf_printf(out, "%s is %ld too high\n", cached[i].name, more);
	}
}

const struct ptebatch_check ptebatch_check_cached = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "cached", .whole = true,
	.state_size = sizeof(struct cached_before), .begin = begin_cached, .check = check_cached,
};
