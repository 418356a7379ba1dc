// SPDX-License-Identifier: GPL-2.0
/*
 * At boot debugfs is not mounted when the suites run, so mount it.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mount.h>

#include "../kernel/file.h"
#include "lru_gen.h"
#include "sysfs.h"

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_SYSFS)

/* Value of /sys/kernel/mm/lru_gen/enabled before the last change, and now. */
static unsigned int caps_before, caps_now;

static int read_caps(unsigned int *caps)
{
	char text[16];

	return ptebatch_sysfs_read("mm/lru_gen", "enabled", text, sizeof(text)) ?:
	       kstrtouint(text, 0, caps);
}

static int set_caps(unsigned int caps)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", caps);
	return read_caps(&caps_before) ?:
	       ptebatch_sysfs_write("mm/lru_gen", "enabled", text) ?:
	       read_caps(&caps_now);
}

#else

static unsigned int caps_before, caps_now;

static int set_caps(unsigned int caps)
{
	return 0;
}

#endif

/**
 * ptebatch_lru_gen_missing() - get the reason why there are no generations
 *
 * Return: the reason, for kunit_skip(), or %NULL if MGLRU is enabled.
 */
const char *ptebatch_lru_gen_missing(void)
{
	if (!IS_ENABLED(CONFIG_LRU_GEN))
		return "no MGLRU generations without CONFIG_LRU_GEN";
	if (!caps_now)
		return "MGLRU cannot be enabled without CONFIG_SYSFS";
	if (!mem_cgroup_disabled())
		return "memory cgroups are enabled: each has its own LRU lists";
	return NULL;
}

/**
 * ptebatch_lru_gen_walk_missing() - get the reason why there are no walks
 *
 * Return: the reason, for kunit_skip(), or %NULL if MGLRU can walk page tables.
 */
const char *ptebatch_lru_gen_walk_missing(void)
{
	if (!IS_ENABLED(CONFIG_LRU_GEN_WALKS_MMU) || !arch_has_hw_pte_young())
		return "no page table walks: the hardware does not set the accessed bit";
	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return "no page table walks on request without CONFIG_DEBUG_FS";
	return ptebatch_lru_gen_missing();
}

#ifdef CONFIG_LRU_GEN

/**
 * ptebatch_lru_gen_of() - get the generation of a folio
 * @folio: the folio
 *
 * Return: generation number, below MAX_NR_GENS; -1 if @folio is on no list.
 */
int ptebatch_lru_gen_of(const struct folio *folio)
{
	return folio_lru_gen(folio);
}

/**
 * ptebatch_lru_gen_refs() - get the number of accesses that MGLRU has counted
 * @folio: the folio
 *
 * Return: number of accesses, 0 without PG_referenced.
 */
int ptebatch_lru_gen_refs(const struct folio *folio)
{
	return folio_lru_refs(folio);
}

/**
 * ptebatch_lru_gen_at_age() - get the generation of an age on a folio's node
 * @folio: the folio
 * @age: age in generations, 0 for the youngest generation
 *
 * Return: generation number, see ptebatch_lru_gen_of().
 */
int ptebatch_lru_gen_at_age(const struct folio *folio, unsigned int age)
{
	const struct lruvec *lruvec = &folio_pgdat(folio)->__lruvec;

	return lru_gen_from_seq(READ_ONCE(lruvec->lrugen.max_seq) - age);
}

#else

int ptebatch_lru_gen_of(const struct folio *folio)
{
	return -1;
}

int ptebatch_lru_gen_refs(const struct folio *folio)
{
	return 0;
}

int ptebatch_lru_gen_at_age(const struct folio *folio, unsigned int age)
{
	return -1;
}

#endif

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_DEBUG_FS)

/* debugfs, mounted while a suite uses MGLRU: unmounting waits for all CPUs. */
static struct vfsmount *debugfs;

static int mount_debugfs(void)
{
	return ptebatch_file_mount("debugfs", &debugfs);
}

static void unmount_debugfs(void)
{
	if (debugfs)
		kern_unmount(debugfs);
	debugfs = NULL;
}

/* One command per node: age by one generation. */
static int print_commands(char *text, size_t size, int swappiness, bool full)
{
	int nid, len = 0;

	for_each_node_state(nid, N_MEMORY)
		len += scnprintf(text + len, size - len, "+ 0 %d %lu %d %d\n", nid,
				 READ_ONCE(NODE_DATA(nid)->__lruvec.lrugen.max_seq),
				 swappiness, full);
	return len;
}

static int write_debugfs(const char *text, int len)
{
	struct path path = {
		.mnt = debugfs,
		.dentry = debugfs_lookup("lru_gen", NULL),
	};
	struct file *file;
	int err;

	if (!path.dentry)
		return -ENOENT;
	file = dentry_open(&path, O_RDWR, current_cred());
	dput(path.dentry);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = ptebatch_file_write(file, text, len);
	__fput_sync(file);
	return err;
}

/* Walk the page tables of all mms. */
static int walk(int swappiness, bool full)
{
	char text[256];

	return write_debugfs(text, print_commands(text, sizeof(text), swappiness, full));
}

#else

static int mount_debugfs(void)
{
	return 0;
}

static void unmount_debugfs(void)
{
}

static int walk(int swappiness, bool full)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * ptebatch_lru_gen_on() - enable MGLRU with all capabilities; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_lru_gen_restore()
 *
 * Context: Process context, may sleep.
 * Return: 0, even without CONFIG_LRU_GEN, or an error.
 */
int ptebatch_lru_gen_on(struct kunit_suite *suite)
{
	int err = mount_debugfs();

	err = err ?: set_caps(UINT_MAX);
	/* After an error, there is no suite_exit. */
	if (err)
		unmount_debugfs();
	return err;
}

/**
 * ptebatch_lru_gen_off() - use the active and inactive lists; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_lru_gen_restore()
 *
 * Context: Process context, may sleep.
 * Return: 0, even without CONFIG_LRU_GEN, or an error.
 */
int ptebatch_lru_gen_off(struct kunit_suite *suite)
{
	return set_caps(0);
}

/**
 * ptebatch_lru_gen_restore() - restore the capabilities; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_lru_gen_restore(struct kunit_suite *suite)
{
	set_caps(caps_before);
	unmount_debugfs();
}

/**
 * ptebatch_lru_gen_walk() - walk the page tables of all mms
 * @mm: the mm under test, not yet added to MGLRU's list of mms
 *
 * Ages each node with memory by one generation.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_lru_gen_walk(struct mm_struct *mm)
{
	lru_gen_add_mm(mm);
	return walk(100, true);
}

/**
 * ptebatch_lru_gen_add() - add an mm to MGLRU's list of mms, without a walk
 * @mm: the mm under test, not yet added
 *
 * Ages each node with memory by one generation. With a swappiness of 0, MGLRU
 * skips VMAs of anonymous memory. The next walk is not the first of @mm, which
 * would walk all of its page tables.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_lru_gen_add(struct mm_struct *mm)
{
	lru_gen_add_mm(mm);
	return walk(0, true);
}

/**
 * ptebatch_lru_gen_walk_hot() - walk page tables found to have young PTEs
 * @mm: the mm under test, added to MGLRU's list of mms
 *
 * Walks the page tables in the Bloom filter of each node with memory, and ages
 * the node by one generation.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_lru_gen_walk_hot(struct mm_struct *mm)
{
	/* As a context switch to @mm. */
	lru_gen_use_mm(mm);
	return walk(100, false);
}

/**
 * ptebatch_lru_gen_stats_missing() - get the reason why statistics are not exact
 *
 * Return: the reason, for kunit_skip(), or %NULL if ptebatch_lru_gen_stats() counts
 * all walks.
 */
const char *ptebatch_lru_gen_stats_missing(void)
{
	if (IS_ENABLED(CONFIG_LRU_GEN_STATS))
		return "CONFIG_LRU_GEN_STATS counts the walks of each generation";
	return ptebatch_lru_gen_walk_missing();
}

/**
 * ptebatch_lru_gen_is_only() - check that MGLRU's list has no other mm
 * @mm: the mm under test, added to MGLRU's list of mms
 *
 * Return: true if the next walk walks the page tables of @mm only.
 */
bool ptebatch_lru_gen_is_only(const struct mm_struct *mm)
{
#ifdef CONFIG_LRU_GEN_WALKS_MMU
	return mm->lru_gen.list.next == mm->lru_gen.list.prev;
#else
	return false;
#endif
}

/**
 * ptebatch_lru_gen_stats() - read the statistics of the walks
 * @stats: receives the sums of all nodes
 */
void ptebatch_lru_gen_stats(struct ptebatch_lru_gen_stats *stats)
{
	*stats = (struct ptebatch_lru_gen_stats) {};
#ifdef CONFIG_LRU_GEN_WALKS_MMU
	int nid, hist;

	for_each_node_state(nid, N_MEMORY) {
		struct lru_gen_mm_state *state = &NODE_DATA(nid)->__lruvec.mm_state;

		stats->nodes++;
		for (hist = 0; hist < NR_HIST_GENS; hist++) {
			stats->total += state->stats[hist][MM_LEAF_TOTAL];
			stats->young += state->stats[hist][MM_LEAF_YOUNG];
			stats->found += state->stats[hist][MM_NONLEAF_FOUND];
			stats->added += state->stats[hist][MM_NONLEAF_ADDED];
		}
	}
#endif
}
