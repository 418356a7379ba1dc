// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_COLLAPSE copies the pages that a page table maps to one folio and maps
 * it by a PMD. It clears the entries of large anonymous folios in batches after
 * the copy, and those of a PMD-sized page cache folio, which is not copied,
 * before it removes the page table.
 *
 * khugepaged calls the same functions. It may also collapse a part of a page
 * table into a smaller folio, whose entries are installed as one batch. It scans
 * our address spaces only if a case says so: only faults and MADV_HUGEPAGE
 * register an mm.
 */
#include <kunit/test.h>
#include <linux/khugepaged.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>

#include "internal.h"

#include "../lib/check/compare.h"
#include "../lib/arch/arch.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/fail_collapse.h"
#include "../lib/kernel/fail_folio.h"
#include "../lib/kernel/khugepaged.h"
#include "../lib/kernel/ksm.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/collapse.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/pte.h"
#include "../lib/space/refs.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* State of the last folio, which may prevent the collapse. */
enum obstacle {
	NO_OBSTACLE,
	REFERENCED,		/* extra reference from the start */
	REFERENCED_AT_FLUSH,	/* extra reference once all folios are checked */
	LOCKED,
	NO_FOLIO,		/* of order 4 can be allocated */
	MACHINE_CHECK,		/* when a page with PG_hwpoison is read */
};

/* Number of empty, non-present and shared entries that a page table may have. */
#define LIMITS(none, swap, shared) \
	.max_ptes_none = (none), .max_ptes_swap = (swap), .max_ptes_shared = (shared)

/* khugepaged with the limits that it has after boot, or without holes. */
#define T		PTRS_PER_PTE
#define ORDERS(orders)	{ (orders), LIMITS(T - 1, T / 8, T / 2) }
#define FULL(orders)	{ (orders), LIMITS(0, T / 8, T / 2) }

/* Another thread changes entries when the range of the MMU notifier begins. */
#define AT_START(picture) { (picture), "__mmu_notifier_invalidate_range_start" }

/* What another thread does, in the page table of the row's first entry. */
enum race {
	NO_RACE,
	/* When the range of the MMU notifier begins. */
	ZERO_PAGE_AT_START,	/* entry T/2 maps the zero page */
	POISON_AT_START,	/* entry T/2 becomes a poison marker */
	NO_TABLE_AT_START,	/* the page table is gone */
	LOCKED_AT_START,	/* the last folio is locked */
	OFF_LRU_AT_START,	/* the last folio is on no LRU list */
	/* At the call of a function. */
	TABLE_AT_FIND,		/* second mm_find_pmd(): the page table appears */
	NO_TABLE_AT_LOCK,	/* pte_offset_map_lock(): it is gone */
	NO_TABLE_AT_LOOKUP,	/* pte_offset_map_rw_nolock(): on return, it is gone */
	NO_TABLE_AT_UNMAP,	/* folio_remove_rmap_ptes(): it is gone */
	NO_TABLE_AT_READ_LOCK,	/* second down_read() of the mmap_lock: it is gone */
	NO_TABLE_AT_WRITE_LOCK,	/* down_write() of the mmap_lock: it is gone */
	NO_HUGE_AT_READ_LOCK,	/* second down_read(): the VMA has VM_NOHUGEPAGE */
	NO_HUGE_AT_WRITE_LOCK,	/* down_write(): the VMA has VM_NOHUGEPAGE */
};

enum race_argument { MM, MMAP_LOCK, LAST_FOLIO };

/**
 * struct race_call - the call at which a kprobe plays another thread
 * @function: the function
 * @argument: its first argument
 * @nr: number of the call with this argument, from 1
 */
struct race_call {
	const char *function;
	enum race_argument argument;
	unsigned int nr;
};

static const struct race_call race_calls[] = {
	[TABLE_AT_FIND] = { "mm_find_pmd", MM, 2 },
	[NO_TABLE_AT_LOCK] = { "pte_offset_map_lock", MM, 1 },
	[NO_TABLE_AT_LOOKUP] = { "pte_offset_map_rw_nolock", MM, 1 },
	[NO_TABLE_AT_UNMAP] = { "folio_remove_rmap_ptes", LAST_FOLIO, 1 },
	[NO_TABLE_AT_READ_LOCK] = { "down_read", MMAP_LOCK, 2 },
	[NO_TABLE_AT_WRITE_LOCK] = { "down_write", MMAP_LOCK, 1 },
	[NO_HUGE_AT_READ_LOCK] = { "down_read", MMAP_LOCK, 2 },
	[NO_HUGE_AT_WRITE_LOCK] = { "down_write", MMAP_LOCK, 1 },
};

/**
 * struct collapse_row - a case of madvise_collapse() or khugepaged
 * @name: name of the case
 * @setup: address space before the call; @setup.lru is set, unless @off_lru
 * @after: expected row; %NULL: no entry has changed
 * @err: expected return value of madvise_collapse()
 * @daemon: settings of khugepaged; without orders, madvise_collapse() is called
 * @tables: with @daemon: number of page tables in which it collapses folios, if
 *          that is more than one; none if @after is %NULL
 * @accessed: entry whose page a secondary MMU has accessed; 0: none
 * @obstacle: what prevents the collapse
 * @race: what another thread does
 * @off_lru: folios are not on the LRU lists
 * @remove: collapse_pte_mapped_thp() is called instead, without installing a PMD
 * @no_vma: with @remove: at an address without a VMA
 * @private: the VMA of the file is private during the call
 * @armed: the VMA is registered with userfaultfd for missing pages
 * @watch_lock: check whether the PMD is locked when the page table is looked up
 *              for the second time: only if @private and @armed
 */
struct collapse_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	int err;
	struct ptebatch_khugepaged daemon;
	int tables;
	unsigned int accessed;
	enum obstacle obstacle;
	enum race race;
	bool off_lru;
	bool remove;
	bool no_vma;
	bool private;
	bool armed;
	bool watch_lock;
};

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* collapse_pte_mapped_thp() without a PMD; @op->arg: at an address without a VMA. */
static long remove_table(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	unsigned long start = op->arg ? 0 : ptebatch_addr(space, space->row.from);
	struct mm_struct *mm = space->places[0].mm;

	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	mmap_read_lock(mm);
	(twin ? ptebatch_twin_collapse_pte_mapped_thp :
		collapse_pte_mapped_thp)(mm, start, false);
	mmap_read_unlock(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return 0;
}
#else
static long remove_table(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	return -EOPNOTSUPP;
}
#endif

static const struct ptebatch_op remove_op = {
	.function = "collapse_pte_mapped_thp()", .call = remove_table,
};

/**
 * struct attempt - a collapse, and what it needs besides the trial
 * @row: the case
 * @space: the address space
 * @locked: bitmap of the folios that the set-up has locked
 * @last: last folio of the row, %NULL if there is none
 * @to_reference: folio to reference at a TLB flush, once; then %NULL
 * @other_pages: NR_FILE_PAGES of each node without the pages of the file
 * @other_shmem: NR_SHMEM of each node without the pages of the file
 * @isolated: number of isolated pages of all nodes
 * @pmdp: PMD of the row's first page table, %NULL if there is none
 * @pmd: value of the PMD if another thread has taken the page table, or none
 * @table: the page table that collapse_pte_mapped_thp() may free, or %NULL
 * @raced: the other thread has done its work
 * @watching: allocations of folios are watched
 * @calls: kprobe that plays another thread
 * @lookups: kprobe on pte_offset_map_rw_nolock()
 * @pmd_locked: the PMD is locked at the first call of pte_offset_map_rw_nolock()
 */
struct attempt {
	const struct collapse_row *row;
	struct ptebatch_space *space;
	DECLARE_BITMAP(locked, PTEBATCH_ROW_ENTRIES);
	struct folio *last;
	struct folio *to_reference;
	long other_pages[MAX_NUMNODES];
	long other_shmem[MAX_NUMNODES];
	long isolated;
	pmd_t *pmdp;
	pmd_t pmd;
	struct page *table;
	bool raced;
	bool watching;
	struct ptebatch_counter calls, lookups;
	bool pmd_locked;
};

/* Including the changes that CPUs have not added to the node's counter yet. */
static long node_counter(int nid, enum node_stat_item item)
{
	pg_data_t *node = NODE_DATA(nid);
	long pages = atomic_long_read(&node->vm_stat[item]);
	int cpu;

	for_each_online_cpu(cpu)
		pages += per_cpu_ptr(node->per_cpu_nodestats, cpu)->vm_node_stat_diff[item];
	return pages;
}

/* The number of pages of the file that are in the page cache of a node. */
static long cached_pages(const struct ptebatch_space *space, int nid)
{
	XA_STATE(xas, &space->file->f_mapping->i_pages, 0);
	struct folio *folio;
	long pages = 0;

	rcu_read_lock();
	xas_for_each(&xas, folio, ULONG_MAX)
		if (!xa_is_value(folio) && folio_nid(folio) == nid)
			pages += folio_nr_pages(folio);
	rcu_read_unlock();
	return pages;
}

static void read_counters(const struct ptebatch_space *space, long *pages,
			  long *shmem)
{
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		long cached = cached_pages(space, nid);

		pages[nid] = node_counter(nid, NR_FILE_PAGES) - cached;
		shmem[nid] = node_counter(nid, NR_SHMEM) - cached;
	}
}

/* Rule 7: the counters of each node change with the file's pages on the node. */
static void expect_counters(const struct ptebatch_trial *trial,
			    const struct attempt *attempt)
{
	struct kunit *test = trial->test;
	long *pages, *shmem;
	int nid;

	pages = kunit_kcalloc(test, 2 * MAX_NUMNODES, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	shmem = pages + MAX_NUMNODES;
	read_counters(trial->space, pages, shmem);
	for_each_node_state(nid, N_MEMORY) {
		KUNIT_EXPECT_EQ_MSG(test, pages[nid], attempt->other_pages[nid],
				    PTEBATCH_RULE_ACCOUNTING ": NR_FILE_PAGES of node %d after %s",
				    nid, trial->function);
		KUNIT_EXPECT_EQ_MSG(test, shmem[nid], attempt->other_shmem[nid],
				    PTEBATCH_RULE_ACCOUNTING ": NR_SHMEM of node %d after %s",
				    nid, trial->function);
	}
	kunit_kfree(test, pages);
}

/* Rule 7: folios that were isolated are back on their LRU lists, or free. */
static long isolated_pages(void)
{
	long pages = 0;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		pages += node_counter(nid, NR_ISOLATED_ANON) +
			 node_counter(nid, NR_ISOLATED_FILE);
	return pages;
}

/* At a TLB flush, maybe under the page table lock: reference a folio, once. */
static void get_folio_once(void *data)
{
	struct attempt *attempt = data;

	if (attempt->to_reference)
		folio_get(attempt->to_reference);
	attempt->to_reference = NULL;
}

/* As a COW fault or reclaim: the entry loses its page and gets another value. */
static void replace_entry(const struct ptebatch_space *space, unsigned int i,
			  const struct ptebatch_entry *entry)
{
	unsigned long addr = ptebatch_addr(space, i);
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma = vma_lookup(mm, addr);
	spinlock_t *ptl;	/* of the page table */
	struct folio *folio;
	struct page *page;
	pte_t *ptep;

	ptep = get_locked_pte(mm, addr, &ptl);
	if (!ptep)
		return;
	page = pte_page(ptep_clear_flush(vma, addr, ptep));
	folio = page_folio(page);
	folio_remove_rmap_pte(folio, page, vma);
	dec_mm_counter(mm, mm_counter_file(folio));
	set_pte_at(mm, addr, ptep, ptebatch_pte_make(vma, NULL, entry));
	pte_unmap_unlock(ptep, ptl);
	folio_put(folio);
}

/*
 * Another thread takes the page table away, and may put it back: without a lock,
 * as a kprobe may run under any. The test is the only user of the mm.
 */
static void take_table(struct attempt *attempt)
{
	attempt->pmd = *attempt->pmdp;
	pmd_clear(attempt->pmdp);
}

static void put_table(struct attempt *attempt)
{
	if (!pmd_none(attempt->pmd))
		set_pmd(attempt->pmdp, attempt->pmd);
	attempt->pmd = __pmd(0);
}

/* Without the mmap_lock, which the caller is about to take. */
static void set_nohugepage(const struct ptebatch_space *space, bool on)
{
	const struct ptebatch_place *place = &space->places[0];
	struct vm_area_struct *vma = vma_lookup(place->mm, place->start);

	if (on)
		vma_flags_set_word(&vma->flags, VM_NOHUGEPAGE);
	else
		vma_flags_clear_word(&vma->flags, VM_NOHUGEPAGE);
}

static const void *first_argument(const struct attempt *attempt, struct mm_struct *mm)
{
	switch (race_calls[attempt->row->race].argument) {
	case LAST_FOLIO:
		return attempt->last;
	case MMAP_LOCK:
		return &mm->mmap_lock;
	default:
		return mm;
	}
}

static void race(void *data)
{
	static const struct ptebatch_entry zero = {
		.kind = PTEBATCH_READABLE, .folio = PTEBATCH_NO_FOLIO,
		.flags = PTEBATCH_YOUNG | PTEBATCH_ZERO_PAGE,
	};
	static const struct ptebatch_entry poison = {
		.kind = PTEBATCH_POISON, .folio = PTEBATCH_NO_FOLIO,
	};
	struct attempt *attempt = data;

	if (attempt->raced ||
	    attempt->calls.hits < race_calls[attempt->row->race].nr)
		return;
	attempt->raced = true;
	switch (attempt->row->race) {
	case ZERO_PAGE_AT_START:
		replace_entry(attempt->space, PTRS_PER_PTE / 2, &zero);
		break;
	case POISON_AT_START:
		replace_entry(attempt->space, PTRS_PER_PTE / 2, &poison);
		break;
	case TABLE_AT_FIND:
		put_table(attempt);
		break;
	case LOCKED_AT_START:
		folio_lock(attempt->last);
		break;
	case OFF_LRU_AT_START:
		folio_clear_lru(attempt->last);
		break;
	case NO_HUGE_AT_READ_LOCK:
	case NO_HUGE_AT_WRITE_LOCK:
		set_nohugepage(attempt->space, true);
		break;
	default:
		take_table(attempt);
	}
}

static void undo_race(const struct attempt *attempt)
{
	switch (attempt->row->race) {
	case LOCKED_AT_START:
		folio_unlock(attempt->last);
		break;
	case OFF_LRU_AT_START:
		folio_set_lru(attempt->last);
		break;
	case NO_HUGE_AT_READ_LOCK:
	case NO_HUGE_AT_WRITE_LOCK:
		set_nohugepage(attempt->space, false);
		break;
	default:
		break;
	}
}

static void note_pmd_lock(void *data)
{
	struct attempt *attempt = data;
	spinlock_t *lock;	/* of the PMD */

	if (attempt->lookups.hits > 1)
		return;
	lock = pmd_lockptr(attempt->space->places[0].mm, attempt->pmdp);
	attempt->pmd_locked = !spin_trylock(lock);
	if (!attempt->pmd_locked)
		spin_unlock(lock);
}

static void race_begin(struct ptebatch_trial *trial, struct attempt *attempt)
{
	enum race when = attempt->row->race;
	bool calls = when >= TABLE_AT_FIND;

	attempt->raced = false;
	if (when == TABLE_AT_FIND)
		take_table(attempt);
	trial->announced.on_start = when && !calls ? race : NULL;
	trial->announced.data = attempt;
	attempt->calls = (struct ptebatch_counter) {
		.function = race_calls[when].function,
		.match = first_argument(attempt, trial->place->mm),
		.data = attempt,
	};
	if (when == NO_TABLE_AT_LOOKUP)
		attempt->calls.on_return = race;
	else
		attempt->calls.on_call = race;
	attempt->lookups = (struct ptebatch_counter) {
		.function = "pte_offset_map_rw_nolock", .match = trial->place->mm,
		.on_call = note_pmd_lock, .data = attempt,
	};
	KUNIT_ASSERT_EQ(trial->test, 0,
			ptebatch_counters_begin(&attempt->calls, calls));
	KUNIT_EXPECT_EQ(trial->test, 0,
			ptebatch_counters_begin(&attempt->lookups,
						attempt->row->watch_lock));
}

static void race_end(struct ptebatch_trial *trial, struct attempt *attempt)
{
	const struct collapse_row *row = attempt->row;

	ptebatch_counters_end(&attempt->lookups, row->watch_lock);
	ptebatch_counters_end(&attempt->calls, row->race >= TABLE_AT_FIND);
	trial->announced.on_start = NULL;
	if (attempt->raced)
		undo_race(attempt);
	KUNIT_EXPECT_TRUE_MSG(trial->test, pmd_none(attempt->pmd) || pmd_none(*attempt->pmdp),
			      "%s sets a PMD whose page table another thread has taken",
			      trial->function);
	put_table(attempt);
	KUNIT_EXPECT_EQ_MSG(trial->test, attempt->raced, row->race != NO_RACE,
			    "%s does not get to the point of the race",
			    trial->function);
	if (row->watch_lock)
		KUNIT_EXPECT_EQ_MSG(trial->test, attempt->pmd_locked,
				    row->private && row->armed,
				    "%s: PMD locked before the page table, only if private with userfaultfd",
				    trial->function);
}

/* The page table of the row's first entry, %NULL if there is none. */
static struct page *first_table(const struct attempt *attempt)
{
	pmd_t pmd = attempt->pmdp ? *attempt->pmdp : __pmd(0);

	return pmd_none(pmd) || pmd_leaf(pmd) ? NULL : pmd_page(pmd);
}

/* Keep the page table, to look at it after it is freed. */
static void table_begin(struct attempt *attempt)
{
	attempt->table = attempt->row->remove ? first_table(attempt) : NULL;
	if (attempt->table)
		get_page(attempt->table);
}

/*
 * Rule 7: a page table is freed if it was removed. It is empty, as a truncation
 * that has found it before would unmap its pages once more.
 */
static void table_end(const struct ptebatch_trial *trial, struct attempt *attempt)
{
	const pte_t *entries;
	unsigned int i, nr = 0;
	bool removed;

	if (!attempt->table)
		return;
	removed = first_table(attempt) != attempt->table;
	if (removed)
		rcu_barrier();
	KUNIT_EXPECT_EQ_MSG(trial->test, page_ref_count(attempt->table),
			    removed ? 1 : 2,
			    PTEBATCH_RULE_ACCOUNTING ": reference count of a page table that %s %s",
			    trial->function, removed ? "removes" : "keeps");
	entries = page_address(attempt->table);
	for (i = 0; i < PTRS_PER_PTE && removed; i++)
		nr += !pte_none(entries[i]);
	KUNIT_EXPECT_EQ_MSG(trial->test, nr, 0,
			    "%s leaves entries in the page table that it removes",
			    trial->function);
	put_page(attempt->table);
	attempt->table = NULL;
}

/* The VMA of the first place, during the call: private or registered. */
static void set_vma(const struct attempt *attempt, bool on)
{
	const struct collapse_row *row = attempt->row;
	const struct ptebatch_place *place = &attempt->space->places[0];
	const vm_flags_t shared = row->private ? VM_SHARED | VM_MAYSHARE : VM_NONE;
	const vm_flags_t uffd = row->armed ? VM_UFFD_MISSING : VM_NONE;
	struct vm_area_struct *vma;

	if (!row->private && !row->armed)
		return;
	mmap_write_lock(place->mm);
	vma = vma_lookup(place->mm, place->start);
	vm_flags_mod(vma, on ? uffd : shared, on ? shared : uffd);
	mmap_write_unlock(place->mm);
}

static void daemon_begin(const struct ptebatch_trial *trial, const struct collapse_row *row)
{
	int err = 0;

	if (row->daemon.orders)
		KUNIT_ASSERT_EQ(trial->test, 0, ptebatch_khugepaged_set(&row->daemon));
	if (row->obstacle == NO_FOLIO)
		err = ptebatch_fail_collapse_alloc(4);
	else if (row->obstacle == MACHINE_CHECK)
		err = ptebatch_fail_collapse_copy();
	if (err == -EOPNOTSUPP)
		kunit_skip(trial->test, "a copy can fail on x86-64 only");
	KUNIT_ASSERT_EQ(trial->test, 0, err);
}

static void daemon_end(const struct ptebatch_trial *trial, const struct collapse_row *row)
{
	if (row->obstacle == NO_FOLIO || row->obstacle == MACHINE_CHECK)
		KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_fail_collapse_end(),
				      "%s has not called the function that was to fail",
				      trial->function);
	if (row->daemon.orders)
		ptebatch_khugepaged_reset();
}

/*
 * The set-up locks folios with swap space. A collapse takes the folio locks,
 * and fails if a folio is locked or has extra references.
 */
static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	struct ptebatch_space *space = trial->space;
	enum obstacle obstacle = attempt->row->obstacle;
	unsigned int i;

	ptebatch_contents_fill(trial);
	if (space->nr_places == 2 && space->setup.mapping == PTEBATCH_ANON)
		ptebatch_trial_second(trial, &space->places[1]);
	bitmap_copy(attempt->locked, trial->locked, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(trial->locked, PTEBATCH_ROW_ENTRIES);
	for_each_set_bit(i, attempt->locked, space->row.nr_folios)
		folio_unlock(space->folios[i]);
	if (space->setup.lru)
		ptebatch_space_drop_refs(space);
	attempt->last = space->row.nr_folios ?
			space->folios[space->row.nr_folios - 1] : NULL;
	attempt->to_reference = attempt->last;
	if (obstacle == REFERENCED)
		folio_get(attempt->last);
	else if (obstacle == LOCKED)
		folio_lock(attempt->last);
	else if (obstacle == REFERENCED_AT_FLUSH)
		trial->flush.on_flush = get_folio_once;
	if (attempt->row->accessed)
		trial->announced.young = ptebatch_addr(space, attempt->row->accessed);
	daemon_begin(trial, attempt->row);
	trial->flush.data = attempt;
	if (space->setup.mapping == PTEBATCH_SHMEM)
		read_counters(space, attempt->other_pages, attempt->other_shmem);
	attempt->isolated = isolated_pages();
	ptebatch_ksm_map_zero_pages(trial->place->mm, ptebatch_ksm_zero_entries(&space->row));
	attempt->space = space;
	attempt->pmdp = ptebatch_find_pmd(trial->place->mm, trial->place->start);
	set_vma(attempt, true);
	/* Each way to fail late, without khugepaged, which is another task. */
	attempt->watching = !attempt->row->after && !attempt->row->daemon.orders &&
			    (attempt->row->race || space->setup.lost_in ||
			     obstacle == REFERENCED_AT_FLUSH) &&
			    !ptebatch_fail_folio_missing() &&
			    !ptebatch_fail_folio(PTEBATCH_FAIL_MIGRATION, 0);
	race_begin(trial, attempt);
	table_begin(attempt);
}

/* Rule 7: a folio that is not mapped is freed. */
static void expect_discarded(const struct ptebatch_trial *trial,
			     const struct attempt *attempt)
{
	struct folio *folio;

	if (attempt->watching && ptebatch_fail_folio_end(&folio) && folio)
		KUNIT_EXPECT_EQ_MSG(trial->test, page_ref_count(&folio->page), 0,
				    PTEBATCH_RULE_ACCOUNTING
				    ": references to the new folio after a failure of %s",
				    trial->function);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	enum obstacle obstacle = attempt->row->obstacle;

	expect_discarded(trial, attempt);
	trial->flush.on_flush = NULL;
	daemon_end(trial, attempt->row);
	race_end(trial, attempt);
	table_end(trial, attempt);
	set_vma(attempt, false);
	if (obstacle == LOCKED)
		folio_unlock(attempt->last);
	if (obstacle == REFERENCED ||
	    (obstacle == REFERENCED_AT_FLUSH && !attempt->to_reference))
		folio_put(attempt->last);
	if (obstacle == REFERENCED_AT_FLUSH)
		KUNIT_EXPECT_NULL_MSG(trial->test, attempt->to_reference,
				      "%s did not flush the TLB: no reference taken",
				      trial->function);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* Is the page table that is deposited for a split of the PMD empty? */
static bool deposited_table_empty(struct mm_struct *mm, unsigned long addr)
{
	pmd_t *pmd = ptebatch_find_pmd(mm, addr);
	spinlock_t *ptl = pmd_lock(mm, pmd);
	pgtable_t table = pgtable_trans_huge_withdraw(mm, pmd);
	const pte_t *entries = page_address(table);
	bool empty = true;
	unsigned int i;

	for (i = 0; i < PTRS_PER_PTE; i++)
		empty &= pte_none(entries[i]);
	pgtable_trans_huge_deposit(mm, pmd, table);
	spin_unlock(ptl);
	return empty;
}
#else
static bool deposited_table_empty(struct mm_struct *mm, unsigned long addr)
{
	return true;
}
#endif

/* A PMD-mapped anonymous folio has a deposited page table. */
static void expect_tables_empty(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (!test_bit(i, trial->after.huge) ||
		    entry->folio == PTEBATCH_NO_FOLIO || entry->page ||
		    !row->folios[entry->folio].made ||
		    test_bit(entry->folio, space->cached))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      deposited_table_empty(space->places[0].mm,
							    ptebatch_addr(space, i)),
				      "%s leaves entries in the deposited page table",
				      trial->function);
	}
}

/* rmap walks find the entries of an anonymous folio by its index. */
static void expect_index(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *row = &trial->after.row;
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		unsigned long addr = ptebatch_addr(space, i), expected, got;

		if (!ptebatch_entry_normal(entry) || !row->folios[entry->folio].made ||
		    test_bit(entry->folio, space->cached))
			continue;
		mmap_read_lock(trial->place->mm);
		expected = linear_page_index(vma_lookup(trial->place->mm, addr), addr);
		mmap_read_unlock(trial->place->mm);
		got = space->folios[entry->folio]->index + entry->page;
		if (got == expected)
			continue;
		KUNIT_FAIL(trial->test, "%s: the page of entry %u has index %lu, expected %lu",
			   trial->function, i, got, expected);
		break;
	}
}

static void check(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	for_each_set_bit(i, attempt->locked, PTEBATCH_ROW_ENTRIES)
		if (ptebatch_folio_intact(space, i))
			folio_lock(space->folios[i]);
	expect_tables_empty(trial);
	expect_index(trial);
	KUNIT_EXPECT_EQ_MSG(trial->test, isolated_pages(), attempt->isolated,
			    PTEBATCH_RULE_ACCOUNTING ": NR_ISOLATED_ANON and _FILE after %s",
			    trial->function);
	ptebatch_trial_expect_ksm_zero_pages(trial);
	KUNIT_EXPECT_EQ_MSG(trial->test,
			    trial->announced.events & ~BIT(MMU_NOTIFY_CLEAR), 0,
			    PTEBATCH_RULE_NOTIFIERS ": events that %s announces",
			    trial->function);
	if (space->setup.mapping == PTEBATCH_SHMEM)
		expect_counters(trial, attempt);
	/* The child's. */
	if (trial->second)
		ptebatch_trial_untouched(trial->second);
}

static void check_row(struct kunit *test, const struct collapse_row *row)
{
	struct ptebatch_op op = row->remove ? remove_op :
				row->daemon.orders ? ptebatch_khugepaged :
				ptebatch_collapse;
	struct ptebatch_setup setup = row->setup;
	struct attempt *attempt;
	const struct ptebatch_run run = {
		.op = &op, .setup = &setup,
		.after = row->after,
		.ret = row->daemon.orders && row->after ? row->tables ?: 1 : row->err,
		.prepare = prepare,
		.undo = undo, .check = check, .data = &attempt,
	};

	if (ptebatch_op_missing(&ptebatch_collapse))
		kunit_skip(test, "%s", ptebatch_op_missing(&ptebatch_collapse));
	if (PMD_SIZE > SZ_64M)
		kunit_skip(test, "requires folios larger than 64 MiB, too much memory for a guest");
	if (row->daemon.orders && ptebatch_khugepaged_missing())
		kunit_skip(test, "%s", ptebatch_khugepaged_missing());
	if (row->obstacle >= NO_FOLIO && ptebatch_fail_collapse_missing())
		kunit_skip(test, "%s", ptebatch_fail_collapse_missing());
	if (row->race && !IS_ENABLED(CONFIG_MMU_NOTIFIER))
		kunit_skip(test, "cannot play another thread without CONFIG_MMU_NOTIFIER");
	if (row->accessed && !IS_ENABLED(CONFIG_MMU_NOTIFIER))
		kunit_skip(test, "cannot play a secondary MMU without CONFIG_MMU_NOTIFIER");
	if ((row->race >= TABLE_AT_FIND || row->watch_lock) &&
	    !IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "cannot play another thread without CONFIG_KPROBES");
	if (row->race == NO_TABLE_AT_LOOKUP && !IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "cannot play another thread without CONFIG_KRETPROBES");
	if (row->watch_lock && !IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "no spinlock is ever locked without CONFIG_SMP");
	if (row->armed && VM_UFFD_MISSING == VM_NONE)
		kunit_skip(test, "no userfaultfd without CONFIG_USERFAULTFD");
	attempt = kunit_kzalloc(test, sizeof(*attempt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt);
	attempt->row = row;
	op.arg = row->no_vma;
	/* Kprobes take time to install, and the twin takes no other branches. */
	op.no_twin = row->race || row->watch_lock;
	setup.lru = !row->off_lru;
	ptebatch_row_run(test, &run);
}

static const struct collapse_row rows[] = {
	/* Folio sizes, and attributes of entries and pages. */
	{ "page table of small folios: collapsed",
	  { "Wdyx*T", .prot = RW }, "~[Wdyx]" },
	{ "page table of 64K folios: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "page table of 64K folios, executable, protection key 3: PMD gets both",
	  { "{Rdyx*16}*T/16", .prot = PROT_READ | PROT_EXEC, .pkey = 3 },
	  "~[Rdyx]" },
	{ "page table of 64K folios, memory tags: collapsed with the tags of each page",
	  { "{Wdyx*16}*T/16", .prot = RW | PTEBATCH_PROT_MTE }, "~[Wdyx]" },
	{ "PTE-mapped 2M folio: collapsed into a new folio",
	  { "{Wdyx*T}", .prot = RW }, "~[Wdyx]" },
	{ "folios of several orders: collapsed",
	  { "{Wdyx*T/2} Wdyx*T/8 {Wdyx*T/4} {Wdyx*4}*T/64 {Wdyx*16} Wdyx*T/16-16",
	    .prot = RW }, "~[Wdyx]" },
	{ "read-only VMA, 64K folios: collapsed, PMD read-only",
	  { "{Rdyx*16}*T/16", .prot = RO }, "~[Rdyx]" },
	{ "64K folios, writable, read-only, shared, clean and old pages: collapsed",
	  { "{Wdyx*4 Rdyx*4 Rdy*4 Wyx*2 Rx*2}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "clean, old and read-only 64K folios: collapsed, PMD dirty, young and writable",
	  { "{Rx*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of the entries PROT_NONE: collapsed, PMD writable",
	  { "{Wdyx*8 Ndyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "8K folios, one of two pages not AnonExclusive: collapsed, PMD exclusive",
	  { "{Rdyx Rdy}*T/2", .prot = RW }, "~[Wdyx]" },
	{ "lazyfree 64K folios: collapsed, not lazyfree",
	  { "{Wyxl*16}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of the entries soft-dirty: collapsed, PMD soft-dirty",
	  { "{Wdysx*8 Rdyx*8}*T/16", .prot = RW, .track = true },
	  "~[Wdysx]" },
	{ "mlocked 64K folios: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .mlocked = true }, "~[Wdyx]" },

	/* Where batches end. */
	{ "64K folios with holes: collapsed, holes filled",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "holes between folios: collapsed, holes filled",
	  { "-*8 {Wdyx*T/2} -*T/4 {Wdyx*T/8} Wdyx*T/8-8", .prot = RW },
	  "~[Wdyx]" },
	{ "zero page in and between folios: collapsed, filled with zeroes",
	  { "Rzy*8 {Wdyx*T/2} Rz*T/4 {Wdyx*8 Rzy*8} Wdyx*T/4-24",
	    .prot = RW }, "~[Wdyx]" },
	{ "zero pages of KSM in and between folios: collapsed, filled with zeroes",
	  { "Rdzy*8 {Wdyx*T/2} Rzy*T/4 {Wdyx*8 Rdzy*8} Wdyx*T/4-24",
	    .prot = RW }, "~[Wdyx]" },
	{ "huge zero page, then a page table: page table collapsed",
	  { "Rzy*T {Wdyx*16}*T/16", .prot = RW, .huge_zero = true },
	  "Rzy*T ~[Wdyx]" },
	{ "KSM pages between exclusive pages: collapsed",
	  { "Wdyx*8 Rdyk*T/2 Wdyx*T/2-8", .prot = RW }, "~[Wdyx]" },
	{ "VM_MIXEDMAP: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW, .mixedmap = true }, .err = -EINVAL },
	{ "one small folio in an empty page table: collapsed",
	  { "-*T/2 Wdyx -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "one page of a 64K folio in an empty page table: collapsed",
	  { "-*T/2 {.*5 Wdyx .*10} -*T/2-1", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, half of each mapped: collapsed",
	  { "{.*8 Wdyx*8}*T/16 {Wdyx*8 .*8}*T/16", .prot = RW }, "~[Wdyx]" },
	{ "64K folios, pages mapped out of order: collapsed",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}*T/16", .prot = RW },
	  "~[Wdyx]" },
	{ "64K folios off their alignment: collapsed",
	  { "Wdyx*5 {Wdyx*16}*T/32 Wdyx*T/2-5", .prot = RW }, "~[Wdyx]" },
	{ "physically adjacent 64K folios: collapsed",
	  { "{Wdyx*16} +{Wdyx*16} +{Wdyx*16} {Wdyx*16} Wdyx*T-64",
	    .prot = RW }, "~[Wdyx]" },
	{ "folio begins in the preceding page table: collapsed, 8 pages stay",
	  { "@-8 {Wdyx*8 | Wdyx*8} {Wdyx*16}*T/32 Wdyx*T/2-8 |", .prot = RW },
	  "@-8 {Wdyx*8 .*8} ~[Wdyx]" },
	{ "folio ends in the following page table: collapsed, 8 pages stay",
	  { "| Wdyx*T/2-8 {Wdyx*16}*T/32 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {.*8 Wdyx*8}" },

	/* Pages shared with a child: its entries do not change. */
	{ "64K folios shared with a child: collapsed in the parent",
	  { "{Wdyx*16}*T/16", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "small folios shared with a child: collapsed in the parent",
	  { "Wdyx*T", .prot = RW, .twice = true }, "~[Wdyx]" },
	{ "64K folios with holes, shared with a child: collapsed in the parent",
	  { "{Wdyx*5 -*3 Wdyx*8}*T/16", .prot = RW, .twice = true },
	  "~[Wdyx]" },

	/* Two page tables. */
	{ "two page tables: two PMD-mapped folios",
	  { "{Wdyx*16}*T/16 {Wdyx*T}", .prot = RW }, "~[Wdyx] ~[Wdyx]" },
	{ "page table, then PMD-mapped folio: page table collapsed, PMD unchanged",
	  { "{Wdyx*16}*T/16 [Wdyx]", .prot = RW }, "~[Wdyx] [Wdyx]" },
	{ "range ends in the second page table: first one collapsed",
	  { "| {Wdyx*16}*T/16 {Wdyx*8 | Wdyx*8}", .prot = RW },
	  "~[Wdyx] {Wdyx*16}" },
	{ "second page table missing: first one collapsed, -EINVAL",
	  { "{Wdyx*16}*T/16 -*T", .prot = RW }, "~[Wdyx] -*T", -EINVAL },

	/* Swap. */
	{ "64K folios in the swap cache: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "small folios, half of the entries swap entries: collapsed",
	  { "Wdyx*T/2 {Sx}*T/4 {S}*T/4", .prot = RW, .swap = true },
	  "~[Wdyx]" },
	{ "64K folios, 12 of 16 entries swap entries: collapsed",
	  { "{Wdyx*4 Sx*12}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },
	{ "64K folios, all entries swap entries: collapsed",
	  { "{Sx*16}*T/16", .prot = RW, .swap = true }, "~[Wdyx]" },

	/* No collapse. */
	{ "PMD-mapped folio: unchanged", { "[Wdyx]", .prot = RW } },
	{ "range smaller than a page table: unchanged",
	  { "{Wdyx*8 | Wdyx*8} {Wdyx*16}*T/16-1 |", .prot = RW } },
	{ "no page table: -EINVAL", { "-*T", .prot = RW }, .err = -EINVAL },
	{ "uffd-wp on half of the entries: -EINVAL",
	  { "{Wdyx*8 Rdyux*8}*T/16", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "uffd-wp on the last entry: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 Rdyux}", .prot = RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "userfaultfd registered, no uffd-wp entry, no hole: collapsed",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd_wp = true }, "~[Wdyx]" },
	{ "userfaultfd registered, one hole: -EBUSY",
	  { "{Wdyx*16}*T/16-1 {Wdyx*15 -}", .prot = RW, .uffd_wp = true },
	  .err = -EBUSY },
	{ "poison marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 P", .prot = RW },
	  .err = -EINVAL },
	{ "guard marker: -EINVAL",
	  { "{Wdyx*16}*T/16-1 {Wdyx*8} Wdyx*7 G", .prot = RW },
	  .err = -EINVAL },
	{ "folios not on the LRU lists: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN, .off_lru = true },
	{ "extra reference to the last 64K folio: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
	{ "extra reference to the last small folio: -EAGAIN",
	  { "{Wdyx*16}*T/16-1 Wdyx*16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
	{ "last 64K folio referenced during the TLB flush: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED_AT_FLUSH },
	{ "last small folio referenced during the TLB flush: -EAGAIN",
	  { "-*8 {Wdyx*8} {Wdyx*16}*T/16-2 Wdyx*16", .prot = RW },
	  .err = -EAGAIN, .obstacle = REFERENCED_AT_FLUSH },
	{ "last folio locked: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .obstacle = LOCKED },

	/* Another thread changes folios, entries or the VMA after the scan. */
	{ "last folio locked after the scan: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN, .race = LOCKED_AT_START },
	{ "last folio taken off its LRU list after the scan: -EAGAIN",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EAGAIN,
	  .race = OFF_LRU_AT_START },
	{ "first page uffd-wp after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW, .uffd_wp = true,
	    .meanwhile = AT_START("{Rdyux Wdyx*15} {Wdyx*16}*T/16-1") },
	  .err = -EINVAL },
	{ "zero page replaced by a poison marker after the scan: -EINVAL",
	  { "Rzy*16 {Wdyx*16}*T/16-1", .prot = RW,
	    .meanwhile = AT_START("Rzy*15 P {Wdyx*16}*T/16-1") },
	  .err = -EINVAL },
	{ "page table gone after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EINVAL,
	  .race = NO_TABLE_AT_READ_LOCK },
	{ "page table gone before the mmap_lock is taken for writing: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EINVAL,
	  .race = NO_TABLE_AT_WRITE_LOCK },
	{ "page table gone before its lock: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW, .lost_in = "pte_offset_map_lock",
	    .lost_call = 1 }, .err = -EINVAL },
	{ "VM_NOHUGEPAGE after the scan: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EINVAL,
	  .race = NO_HUGE_AT_READ_LOCK },
	{ "VM_NOHUGEPAGE after the scan, swap entries: -EINVAL, not swapped in",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .swap = true }, .err = -EINVAL,
	  .race = NO_HUGE_AT_READ_LOCK },
	{ "page table gone after the scan, swap entries: -EINVAL, not swapped in",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .swap = true }, .err = -EINVAL,
	  .race = NO_TABLE_AT_READ_LOCK },
	{ "VM_NOHUGEPAGE before the mmap_lock is taken for writing: -EINVAL",
	  { "{Wdyx*16}*T/16", .prot = RW }, .err = -EINVAL,
	  .race = NO_HUGE_AT_WRITE_LOCK },

	/* Shmem: a PMD-sized folio is mapped by a PMD, smaller ones are copied. */
	{ "PTE-mapped 2M shmem folio: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, read-only VMA: PMD-mapped read-only",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]" },
	{ "PTE-mapped 2M shmem folio with holes: PMD-mapped",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "2M shmem folio, one page mapped: PMD-mapped",
	  { "{-*T/2 Wdy -*T/2-1}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, extra reference: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]", .obstacle = REFERENCED },
	{ "PTE-mapped 2M shmem folio with a second mapping: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .twice = true }, "[Wy]" },
	{ "PMD-mapped shmem folio: unchanged", { "[Wdy]", PTEBATCH_SHMEM, RW } },
	{ "2M shmem folio, not mapped, no page table: PMD-mapped",
	  { "{-*T}", PTEBATCH_SHMEM, RW }, "[Wy]" },
	{ "PTE-mapped 2M shmem folio, then one without a page table: PMD-mapped",
	  { "{Wdy*T} {-*T}", PTEBATCH_SHMEM, RW }, "[Wy] [Wy]" },
	{ "shmem registered for uffd-wp: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  .err = -EINVAL },
	{ "shmem registered for uffd-wp, 2M folio, 64K folios: -EINVAL, second copied",
	  { "{Wdy*T} {Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "{Wdy*T} -*T", .err = -EINVAL },
	{ "shmem registered for uffd-wp, PMD-mapped: unchanged",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .uffd_wp = true } },
	{ "PTE-mapped 2M shmem folio, zero page at entry T/2: -EINVAL",
	  { "{Wdy*5 - Wdy*T/2-6 Rzy Wdy*T/2-1}", PTEBATCH_SHMEM, RW },
	  .err = -EINVAL },
	{ "PTE-mapped 2M shmem folios, poison marker in the first: -EINVAL, second PMD-mapped",
	  { "{Wdy*5 - Wdy*T/2-6 P Wdy*T/2-1} {Wdy*T}", PTEBATCH_SHMEM, RW },
	  "{Wdy*5 - Wdy*T/2-6 P Wdy*T/2-1} [Wy]", .err = -EINVAL },

	/* Another thread changes the page table before it is locked again. */
	{ "PTE-mapped 2M shmem folio, entry T/2 unmapped meanwhile: -EINVAL, half cleared",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "{-*T/2 Rzy Wdy*T/2-1}",
	  .err = -EINVAL, .race = ZERO_PAGE_AT_START },
	{ "PTE-mapped 2M shmem folios, poison marker meanwhile: -EINVAL, second PMD-mapped",
	  { "{Wdy*T} {Wdy*T}", PTEBATCH_SHMEM, RW },
	  "{-*T/2 P Wdy*T/2-1} [Wy]", .err = -EINVAL, .race = POISON_AT_START },
	{ "PTE-mapped 2M shmem folio, page table gone at the MMU notifier: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .err = -EINVAL,
	  .race = NO_TABLE_AT_START },
	{ "PTE-mapped 2M shmem folio, page table gone before the lock: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .err = -EINVAL,
	  .race = NO_TABLE_AT_LOCK },
	{ "PTE-mapped 2M shmem folio, page table gone before the second lock: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .err = -EINVAL,
	  .race = NO_TABLE_AT_LOOKUP },
	{ "PTE-mapped 2M shmem folio, page table not there at first: PMD-mapped",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "[Wy]", .race = TABLE_AT_FIND },
	{ "PTE-mapped 2M shmem folio, page table gone after the unmap: -EINVAL",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "{-*T}", .err = -EINVAL,
	  .race = NO_TABLE_AT_UNMAP },

	/* userfaultfd may fill private memory without the folio lock. */
	{ "PTE-mapped 2M shmem folio, userfaultfd: PMD not locked early",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]", .armed = true,
	  .watch_lock = true },
	{ "PTE-mapped 2M shmem folio, private: PMD not locked early",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]", .private = true,
	  .watch_lock = true },
	{ "PTE-mapped 2M shmem folio, private, userfaultfd: PMD locked early",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "[Ry]", .private = true,
	  .armed = true, .watch_lock = true },
	{ "PTE-mapped 2M shmem folio, private, userfaultfd, entry T/2 unmapped: -EINVAL",
	  { "{Ry*T}", PTEBATCH_SHMEM, RO }, "{-*T/2 Rzy Ry*T/2-1}",
	  .err = -EINVAL, .race = ZERO_PAGE_AT_START, .private = true,
	  .armed = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio: page table removed",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, "-*T", .remove = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio with holes: page table removed",
	  { "{-*5 Wdy*T/4 -*T/4 Wdy*T/2-5}", PTEBATCH_SHMEM, RW }, "-*T",
	  .remove = true },
	{ "collapse_pte_mapped_thp(), 64K shmem folios: unchanged",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .remove = true },
	{ "collapse_pte_mapped_thp(), one 64K shmem folio: unchanged",
	  { "{Wdy*16} -*T-16", PTEBATCH_SHMEM, RW }, .remove = true },
	{ "collapse_pte_mapped_thp(), no folio at the start of the page table: unchanged",
	  { "-*T/2 {Wdy*16} -*T/2-16", PTEBATCH_SHMEM, RW }, .remove = true },
	{ "collapse_pte_mapped_thp(), anonymous 2M folio: unchanged",
	  { "{Wdyx*T}", .prot = RW }, .remove = true },
	{ "collapse_pte_mapped_thp(), no VMA at the address: unchanged",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW }, .remove = true, .no_vma = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio in two VMAs: unchanged",
	  { "{Wdy*T/2 ; Wdy*T/2}", PTEBATCH_SHMEM, RW }, .remove = true },
	{ "collapse_pte_mapped_thp(), 2M shmem folio, VM_MIXEDMAP: unchanged",
	  { "{Wdy*T}", PTEBATCH_SHMEM, RW, .mixedmap = true }, .remove = true },
	{ "64K shmem folios: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "small shmem folios: collapsed",
	  { "Wdy*T", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios with holes: collapsed",
	  { "{Wdy*5 -*3 Wdy*8}*T/16", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios, second half of the page table empty: collapsed",
	  { "{Wdy*16}*T/32 -*T/2", PTEBATCH_SHMEM, RW }, "~[Wy]" },
	{ "64K shmem folios, a quarter of them on node 1: collapsed on node 0",
	  { "0{Wdy*16}*T/32 1{Wdy*16}*T/64 0{Wdy*16}*T/64", PTEBATCH_SHMEM, RW },
	  "~0[Wy]" },
	{ "64K shmem folios with a second mapping: collapsed",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW, .twice = true }, "~[Wy]" },
	{ "64K shmem folios, extra reference to the last one: -EAGAIN",
	  { "{Wdy*16}*T/16", PTEBATCH_SHMEM, RW }, .err = -EAGAIN,
	  .obstacle = REFERENCED },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void collapse_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/*
 * khugepaged: each page table of an anonymous VMA is divided into ranges of the
 * highest order first. A range is collapsed if it has few holes, and otherwise its
 * halves are tried. With holes allowed, one present entry suffices; without holes
 * (FULL), only ranges without empty entries are collapsed.
 */
static const struct collapse_row daemon_rows[] = {
	/* Folio sizes, and attributes of entries and pages. */
	{ "16 small folios, order 4: 64K folio",
	  { "Wdyx*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  .daemon = FULL(BIT(4)) },
	{ "page table of 8K folios, order 4: 64K folios",
	  { "{Wdyx*2}*T/2", .prot = RW }, "~{Wdyx*16}*T/16",
	  .daemon = FULL(BIT(4)) },
	{ "small, 8K, 16K and 32K folios, order 4: 64K folio",
	  { "Wdyx*2 {Wdyx*8} {Wdyx*4} {Wdyx*2} -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios, writable, read-only, shared, clean, old and PROT_NONE pages: 64K folio",
	  { "{Wdyx*2 Rdyx*2} {Rdy*3 Wyx} {Wx Rx Ndyx*2} {Wdx*4} -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "read-only VMA, 16K folios: 64K folio, dirty, read-only",
	  { "{Rdyx*4}*4 -*T-16", .prot = RO }, "~{Rdyx*16} -*T-16",
	  .daemon = FULL(BIT(4)) },
	{ "read-only VMA, soft-dirty 16K folios: 64K folio, soft-dirty",
	  { "{Rdysx*4}*4 -*T-16", .prot = RO, .track = true },
	  "~{Rdysx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios, executable, protection key 3: 64K folio with both",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW | PROT_EXEC, .pkey = 3 },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios, memory tags: 64K folio with the tags of each page",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW | PTEBATCH_PROT_MTE },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios, one page soft-dirty: 64K folio, soft-dirty",
	  { "{Wdyx*4}*3 {Wdyx*3 Wdysx} -*T-16", .prot = RW, .track = true },
	  "~{Wdysx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "mlocked 16K folios: 64K folio",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW, .mlocked = true },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "KSM pages between small folios: 64K folio",
	  { "Wdyx*4 Rdyk*8 Wdyx*4 -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios, three of four on node 1: 64K folio on node 1",
	  { "0{Wdyx*4} 1{Wdyx*4}*3 -*T-16", .prot = RW },
	  "~1{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "16K folios in the swap cache: 64K folio",
	  { "{Wdyx*4}*4 -*T-16", .prot = RW, .swap = true },
	  "~{Wdyx*16} -*T-16", .daemon = FULL(BIT(4)) },

	/* Holes. */
	{ "one small folio between holes, order 4: 64K folio, rest zeroes",
	  { "-*5 Wdyx -*T-6", .prot = RW }, "~{Wdyx*16} -*T-16",
	  .daemon = ORDERS(BIT(4)) },
	{ "16K folios with holes, order 4: 64K folios",
	  { "{Wdyx -*2 Wdyx}*8 -*T-32", .prot = RW }, "~{Wdyx*16}*2 -*T-32",
	  .daemon = ORDERS(BIT(4)) },
	{ "zero page in and between folios: 64K folio, filled with zeroes",
	  { "Rzy*3 {Wdyx*2 Rzy Wdyx} Rdzy*5 Wdyx*4 -*T-16", .prot = RW },
	  "~{Wdyx*16} -*T-16", .daemon = ORDERS(BIT(4)) },
	{ "64K of the zero page only: unchanged, next 64K collapsed",
	  { "Rzy*16 Rzy*15 Wdyx -*T-32", .prot = RW },
	  "Rzy*16 ~{Wdyx*16} -*T-32", .daemon = ORDERS(BIT(4)) },
	{ "max_ptes_none=0, one hole: unchanged",
	  { "Wdyx*15 -*T-15", .prot = RW }, .daemon = FULL(BIT(4)) },
	{ "max_ptes_none=0, zero page: unchanged",
	  { "Wdyx*15 Rzy -*T-16", .prot = RW }, .daemon = FULL(BIT(4)) },
	{ "max_ptes_none=5, one hole: as 0, unchanged",
	  { "Wdyx*15 -*T-15", .prot = RW },
	  .daemon = { BIT(4), LIMITS(5, T / 8, T / 2) } },
	{ "userfaultfd registered: 64K without holes collapsed, with a hole unchanged",
	  { "{Wdyx*8} Wdyx*8 {Wdyx*8} Wdyx*7 -*T-31", .prot = RW, .uffd_wp = true },
	  "~{Wdyx*16} {Wdyx*8} Wdyx*7 -*T-31", .daemon = ORDERS(BIT(4)) },

	/* Where batches end, and neighbours. */
	{ "64K in the middle of a page table: neighbours in the table unchanged",
	  { "Wdyx*15 - | {Wdyx*4}*4 | - Rdx*3 Rzy*4 Ndyx*8 {.*5 Rdyx*11} -*T-59",
	    .prot = RW },
	  "Wdyx*15 - ~{Wdyx*16} - Rdx*3 Rzy*4 Ndyx*8 {.*5 Rdyx*11} -*T-59",
	  .daemon = FULL(BIT(4)) },
	{ "last 64K of a page table: collapsed, neighbours unchanged",
	  { "-*T-32 Wdyx*15 - | {Wdyx*4}*4 |", .prot = RW },
	  "-*T-32 Wdyx*15 - ~{Wdyx*16}", .daemon = FULL(BIT(4)) },
	{ "16K folio across the end of 32K: 8K of it stay",
	  { "| Wdyx*6 {Wdyx*2 | Wdyx*2} Wdyx*5 -*T-15", .prot = RW },
	  "~{Wdyx*8} {.*2 Wdyx*2} Wdyx*5 -*T-15", .daemon = FULL(BIT(3)) },
	{ "16K folio across the beginning of 32K: 8K of it stay",
	  { "Wdyx*5 - {Wdyx*2 | Wdyx*2} Wdyx*6 | -*T-16", .prot = RW },
	  "Wdyx*5 - {Wdyx*2 .*2} ~{Wdyx*8} -*T-16", .daemon = FULL(BIT(3)) },
	{ "16K folio across the middle of 64K: two 32K folios",
	  { "Wdyx*6 {Wdyx*4} Wdyx*6 -*T-16", .prot = RW },
	  "~{Wdyx*8}*2 -*T-16", .daemon = FULL(BIT(3)) },
	{ "two page tables, 32K folio across both: 64K folio in each",
	  { "@-16 Wdyx*12 {Wdyx*8} Wdyx*12 -*T-16", .prot = RW },
	  "@-16 ~{Wdyx*16}*2 -*T-16", .daemon = FULL(BIT(4)), .tables = 2 },
	{ "two VMAs in a page table: unchanged",
	  { "Wdyx*T/2 ; Wdyx*16 -*T/2-16", .prot = RW }, .daemon = FULL(BIT(4)) },
	{ "VM_MIXEDMAP: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW, .mixedmap = true }, .daemon = FULL(BIT(4)) },

	/* Folios of the order or above, and several orders. */
	{ "64K and 128K folios, order 4: unchanged, 16 small folios collapsed",
	  { "{Wdyx*16} Wdyx*16 {Wdyx*32} {.*16 Wdyx*16} -*T-80", .prot = RW },
	  "{Wdyx*16} ~{Wdyx*16} {Wdyx*32} {.*16 Wdyx*16} -*T-80",
	  .daemon = FULL(BIT(4)) },
	{ "64K folios, orders 4 and 5: 128K folio",
	  { "{Wdyx*16}*2 -*T-32", .prot = RW }, "~{Wdyx*32} -*T-32",
	  .daemon = FULL(BIT(4) | BIT(5)) },
	{ "128K folio, orders 2 and 5: unchanged, 32 small folios collapsed",
	  { "{Wdyx*32} Wdyx*32 -*T-64", .prot = RW },
	  "{Wdyx*32} ~{Wdyx*32} -*T-64", .daemon = FULL(BIT(2) | BIT(5)) },
	{ "small folios and one hole, orders 3 and 4: folios of 32K and 64K",
	  { "Wdyx*8 - Wdyx*23 -*T-32", .prot = RW },
	  "~{Wdyx*8} - Wdyx*7 ~{Wdyx*16} -*T-32", .daemon = FULL(BIT(3) | BIT(4)) },
	{ "small folios and one hole, orders 2 and 9: no PMD, 16K folios",
	  { "Wdyx*T-1 -", .prot = RW }, "~{Wdyx*4}*T/4-1 Wdyx*3 -",
	  .daemon = FULL(BIT(2) | BIT(PMD_ORDER)) },
	{ "16 small folios and holes, orders 4 and 9: PMD",
	  { "Wdyx*16 -*T-16", .prot = RW }, "~[Wdyx]",
	  .daemon = ORDERS(BIT(4) | BIT(PMD_ORDER)) },
	{ "no folio of order 4, orders 2 and 4: 16K folios",
	  { "{Wdyx*8} Wdyx*8 Wdyx*16 -*T-32", .prot = RW },
	  "{Wdyx*8} ~{Wdyx*4}*6 -*T-32",
	  .daemon = FULL(BIT(2) | BIT(4)), .obstacle = NO_FOLIO },
	{ "no folio of order 4: unchanged",
	  { "{Wdyx*8} Wdyx*8 -*T-16", .prot = RW },
	  .daemon = FULL(BIT(4)), .obstacle = NO_FOLIO },

	/* Entries and pages that are not collapsed. */
	{ "swap entries, orders 2 and 4: 64K and 16K folios without them",
	  { "Wdyx*T/2 Wdyx*12 {Sx*4} -*T/2-16", .prot = RW, .swap = true },
	  "~{Wdyx*16}*T/32 ~{Wdyx*4}*3 {Sx*4} -*T/2-16",
	  .daemon = ORDERS(BIT(2) | BIT(4)) },
	{ "guard and poison marker, orders 3 and 4: folios without them",
	  { "Wdyx*T/2 Wdyx*7 G Wdyx*8 Wdyx*8 P -*T/2-25", .prot = RW, .guarded = true },
	  "~{Wdyx*16}*T/32 Wdyx*7 G ~{Wdyx*8}*2 P -*T/2-25",
	  .daemon = ORDERS(BIT(3) | BIT(4)) },
	{ "one uffd-wp entry: unchanged",
	  { "Wdyx*16 Rdyux -*T-17", .prot = RW, .uffd_wp = true },
	  .daemon = FULL(BIT(4)) },
	{ "one swap entry with uffd-wp: unchanged",
	  { "Wdyx*T/2 {Sx Sux} -*T/2-2", .prot = RW, .swap = true, .uffd_wp = true },
	  .daemon = FULL(BIT(4)) },
	{ "pages shared with a child: unchanged",
	  { "{Wdyx*4}*2 Wdyx*8 -*T-16", .prot = RW, .twice = true },
	  .daemon = FULL(BIT(4)) },
	{ "no young page: unchanged",
	  { "Wdx*16 -*T-16", .prot = RW }, .daemon = FULL(BIT(4)) },
	{ "no young page, one accessed by a secondary MMU: 64K folio",
	  { "Wdx*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  .daemon = FULL(BIT(4)), .accessed = 5 },
	{ "one young page: its 64K collapsed",
	  { "Wdx*16 Wdx*15 Wdyx -*T-32", .prot = RW },
	  "Wdx*16 ~{Wdyx*16} -*T-32", .daemon = FULL(BIT(4)) },
	{ "lazyfree, clean: unchanged",
	  { "Wdyxl*15 Wyxl -*T-16", .prot = RW }, .daemon = FULL(BIT(4)) },
	{ "lazyfree, one page clean after the scan: unchanged, next 64K collapsed",
	  { "Wdyxl*16 Wdyx*16 -*T-32", .prot = RW,
	    .meanwhile = AT_START("Wdyxl*15 Wyxl Wdyx*16 -*T-32") },
	  "Wdyxl*15 Wyxl ~{Wdyx*16} -*T-32", .daemon = FULL(BIT(4)) },
	{ "one page uffd-wp after the scan: unchanged, next 64K collapsed",
	  { "Wdyx*32 -*T-32", .prot = RW, .uffd_wp = true,
	    .meanwhile = AT_START("Wdyx*15 Rdyux Wdyx*16 -*T-32") },
	  "Wdyx*15 Rdyux ~{Wdyx*16} -*T-32", .daemon = FULL(BIT(4)) },
	{ "zero page replaced by a poison marker after the scan: next 64K collapsed",
	  { "Wdyx*15 Rzy Wdyx*16 -*T-32", .prot = RW,
	    .meanwhile = AT_START("Wdyx*15 P Wdyx*16 -*T-32") },
	  "Wdyx*15 P ~{Wdyx*16} -*T-32", .daemon = ORDERS(BIT(4)) },
	{ "lazyfree, dirty again: 64K folio, not lazyfree",
	  { "Wdyxl*16 -*T-16", .prot = RW }, "~{Wdyx*16} -*T-16",
	  .daemon = FULL(BIT(4)) },
	{ "lazyfree in a droppable VMA: 64K folio, lazyfree",
	  { "Wdyxl*15 Wyxl -*T-16", .prot = RW, .droppable = true },
	  "~{Wdyxl*16} -*T-16", .daemon = FULL(BIT(4)) },
	{ "folios not on the LRU lists: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW }, .daemon = FULL(BIT(4)), .off_lru = true },
	{ "last folio locked: unchanged",
	  { "Wdyx*16 -*T-16", .prot = RW }, .daemon = FULL(BIT(4)), .obstacle = LOCKED },
	{ "extra reference to the last folio: unchanged",
	  { "Wdyx*16 Wdyx -*T-17", .prot = RW },
	  .daemon = FULL(BIT(4)), .obstacle = REFERENCED },
	{ "last small folio referenced during the TLB flush: its 64K unchanged",
	  { "Wdyx*16 Rdy Wx Rzy {Wdyx*8} Wdyx*5 -*T-32", .prot = RW },
	  "~{Wdyx*16} Rdy Wx Rzy {Wdyx*8} Wdyx*5 -*T-32",
	  .daemon = ORDERS(BIT(4)), .obstacle = REFERENCED_AT_FLUSH },
	/* Not with small folios: the per-CPU LRU batch holds a reference. */
	{ "last 8K folio referenced during the TLB flush: 16K folios without it",
	  { "Wdyx*16 {Wdyx*2}*8 -*T-32", .prot = RW },
	  "~{Wdyx*16} ~{Wdyx*4}*3 {Wdyx*2}*2 -*T-32",
	  .daemon = FULL(BIT(2) | BIT(4)), .obstacle = REFERENCED_AT_FLUSH },
	{ "last 32K folio referenced during the TLB flush: its 64K unchanged",
	  { "{Wdyx*8}*2 {Rdyx*8} {Wdyx*8} -*T-32", .prot = RW },
	  "~{Wdyx*16} {Rdyx*8} {Wdyx*8} -*T-32",
	  .daemon = FULL(BIT(4)), .obstacle = REFERENCED_AT_FLUSH },
	{ "machine check in the second 64K: first one collapsed, second unchanged",
	  { "Wdyx*16 {Wdyx*8} Rdy Wx Wdyx*5 Wdyxh -*T-32", .prot = RW },
	  "~{Wdyx*16} {Wdyx*8} Rdy Wx Wdyx*5 Wdyxh -*T-32",
	  .daemon = FULL(BIT(2) | BIT(4)), .obstacle = MACHINE_CHECK },

	/* PMD order: the limits of khugepaged, which MADV_COLLAPSE does not have. */
	{ "order 9, holes up to max_ptes_none: PMD",
	  { "Wdyx*T/2 -*T/2", .prot = RW }, "~[Wdyx]",
	  .daemon = { BIT(PMD_ORDER), LIMITS(T / 2, 0, 0) } },
	{ "order 9, one hole more than max_ptes_none: unchanged",
	  { "Wdyx*T/2 -*T/2", .prot = RW },
	  .daemon = { BIT(PMD_ORDER), LIMITS(T / 2 - 1, 0, 0) } },
	{ "order 9, swap entries up to max_ptes_swap: PMD",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .swap = true }, "~[Wdyx]",
	  .daemon = { BIT(PMD_ORDER), LIMITS(0, 16, 0) } },
	{ "order 9, one swap entry more than max_ptes_swap: unchanged",
	  { "Wdyx*T-16 {Sx*16}", .prot = RW, .swap = true },
	  .daemon = { BIT(PMD_ORDER), LIMITS(0, 15, 0) } },
	{ "order 9, swap entry, half of the pages young: PMD",
	  { "Wdx*T/2-2 Wdyx*T/2 {Sx*2}", .prot = RW, .swap = true }, "~[Wdyx]",
	  .daemon = { BIT(PMD_ORDER), LIMITS(0, 16, 0) } },
	{ "order 9, swap entry, fewer than half of the pages young: unchanged",
	  { "Wdx*T/2-1 Wdyx*T/2-1 {Sx*2}", .prot = RW, .swap = true },
	  .daemon = { BIT(PMD_ORDER), LIMITS(0, 16, 0) } },
	{ "order 9, shared pages up to max_ptes_shared: PMD in the parent",
	  { "{Wdyx*16} -*T-16", .prot = RW, .twice = true }, "~[Wdyx]",
	  .daemon = { BIT(PMD_ORDER), LIMITS(T - 1, 0, 16) } },
	{ "order 9, one shared page more than max_ptes_shared: unchanged",
	  { "{Wdyx*16} -*T-16", .prot = RW, .twice = true },
	  .daemon = { BIT(PMD_ORDER), LIMITS(T - 1, 0, 15) } },
	{ "order 9, no young page: unchanged",
	  { "{Wdx*16}*T/16", .prot = RW }, .daemon = FULL(BIT(PMD_ORDER)) },
	{ "order 9, machine check: unchanged",
	  { "{Wdyx*16} Rdy Wx Wdyx*T/2 Wdyxh Wdyx*T/2-19", .prot = RW },
	  .daemon = FULL(BIT(PMD_ORDER)), .obstacle = MACHINE_CHECK },
};

KUNIT_ARRAY_PARAM_DESC(daemon_rows, daemon_rows, name);

static void khugepaged_row(struct kunit *test)
{
	collapse_row(test);
}

/* Page tables of anonymous folios of every order. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *first, *second, *after;
} kinds[] = {
	{ "folios, all pages exclusive: collapsed", { .prot = RW },
	  "Wdyx", "Wdyx", "~[Wdyx]" },
	{ "folios, half of each read-only and shared: collapsed", { .prot = RO },
	  "Rdy", "Rdyx", "~[Rdyx]" },
	{ "folios, half of each mapped: collapsed", { .prot = RW },
	  "Wdyx", "-", "~[Wdyx]" },
};

PTEBATCH_ORDER_PARAMS(collapse_order, kinds);

static void collapse_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;
	struct collapse_row row = { .setup = kind->setup, .after = kind->after };

	row.setup.picture =
		ptebatch_draw(test, "{%s*%u %s*%u}*T/%u", kind->first, nr - nr / 2,
			      kind->second, nr / 2, nr);
	check_row(test, &row);
}

/* A range of every order; khugepaged allocates folios of order 2 and more. */

static const struct range_kind {
	const char *name;
	struct ptebatch_khugepaged daemon;
	const char *format;	/* one of the two halves of the range */
} range_kinds[] = {
	{ "for khugepaged, range of small folios: collapsed from order 2 on",
	  FULL(0), "Wdyx*%u" },
	{ "for khugepaged, range of two folios: collapsed from order 2 on",
	  FULL(0), "{Wdyx*%u}" },
	{ "for khugepaged, holes and two pages: collapsed from order 2 on",
	  ORDERS(0), "-*%u Rdyx" },
};

PTEBATCH_ORDER_PARAMS(khugepaged_order, range_kinds);

/* The second range of the page table; of PMD order, the page table. */
static void khugepaged_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct range_kind *kind = param->kind;
	unsigned int nr = max(1U << param->order, 2U), before = nr < T ? nr : 0;
	unsigned int rest = T - before - nr;
	struct collapse_row row = { .setup.prot = RW, .daemon = kind->daemon };
	const char *half;

	row.daemon.orders = BIT(param->order);
	half = ptebatch_draw(test, kind->format,
			     nr / 2 - (kind->format[0] == '-'));
	row.setup.picture = ptebatch_draw(test, "-*%u | %s %s | -*%u", before, half,
					  half, rest);
	if (!before)
		row.after = "~[Wdyx]";
	else if (BIT(param->order) & THP_ORDERS_ALL_ANON)
		row.after = ptebatch_draw(test, "-*%u ~{Wdyx*%u} -*%u", before, nr, rest);
	check_row(test, &row);
}

static struct kunit_case khugepaged_cases[] = {
	KUNIT_CASE_PARAM(collapse_row, rows_gen_params),
	KUNIT_CASE_PARAM(khugepaged_row, daemon_rows_gen_params),
	PTEBATCH_CASE_PARAMS(collapse_order),
	PTEBATCH_CASE_PARAMS(khugepaged_order),
	{}
};

PTEBATCH_SUITE(khugepaged, khugepaged_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_KHUGEPAGED);
