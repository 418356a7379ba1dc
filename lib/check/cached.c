// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/meminfo shows how many pages the page cache has (Cached), and how many of
 * them are shmem (Shmem). Each operation must change these counters of the nodes by
 * the number of pages that come to the cache of the row's file, or leave it.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mmzone.h>
#include <linux/shmem_fs.h>

#include "internal.h"

#include "../record/stat.h"
#include "checks.h"

/* The state: the counters before the operation, less the pages of the row's file. */
struct cached_before {
	long file;
	long shmem;
};

static long swap_cache_pages(void)
{
#ifdef CONFIG_SWAP
	return ptebatch_node_stat(NUMA_NO_NODE, NR_SWAPCACHE);
#else
	return 0;
#endif
}

static struct cached_before count_others(const struct ptebatch_space *space)
{
	struct address_space *mapping = space->file ? space->file->f_mapping : NULL;
	long pages = mapping ? mapping->nrpages : 0;

	return (struct cached_before) {
		/* NR_FILE_PAGES includes the swap cache. */
		.file = ptebatch_node_stat(NUMA_NO_NODE, NR_FILE_PAGES) -
			swap_cache_pages() - pages,
		.shmem = ptebatch_node_stat(NUMA_NO_NODE, NR_SHMEM) -
			 (mapping && shmem_mapping(mapping) ? pages : 0),
	};
}

static void begin_cached(struct ptebatch_trial *trial)
{
	struct cached_before *state = ptebatch_check_state(trial, &ptebatch_check_cached);

	if (ptebatch_counts_alone())
		*state = count_others(trial->space);
}

static void check_cached(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct cached_before *state = ptebatch_check_state(trial, &ptebatch_check_cached);
	struct cached_before found;

	if (!ptebatch_counts_alone())
		return;
	found = count_others(trial->space);
	if (found.file != state->file)
		seq_buf_printf(out, "NR_FILE_PAGES is %ld too high\n", found.file - state->file);
	if (found.shmem != state->shmem)
		seq_buf_printf(out, "NR_SHMEM is %ld too high\n", found.shmem - state->shmem);
}

const struct ptebatch_check ptebatch_check_cached = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "cached", .whole = true,
	.state_size = sizeof(struct cached_before), .begin = begin_cached, .check = check_cached,
};
