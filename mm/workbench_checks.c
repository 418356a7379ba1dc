// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of the checks that run after each operation: each must report a
 * violation of its rule, and no other check may.
 */
#include "../lib/twin/names.h"
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/vmstat.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/kernel/process.h"
#include "../lib/op/op.h"
#include "../lib/run/case.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"
#include "../lib/space/tables.h"

#define RW	(PROT_READ | PROT_WRITE)

/* The row that the case gives is wrong. */
static void change_nothing(struct ptebatch_trial *trial, int by)
{
}

/* Counts that are off by one. */

static void add_reference(struct ptebatch_trial *trial, int by)
{
	folio_ref_add(trial->space->folios[0], by);
}

static void add_mapcount(struct ptebatch_trial *trial, int by)
{
	atomic_add(by, &trial->space->folios[0]->_large_mapcount);
}

#ifdef CONFIG_PAGE_MAPCOUNT
static void add_page_mapcount(struct ptebatch_trial *trial, int by)
{
	atomic_add(by, &folio_page(trial->space->folios[0], 3)->_mapcount);
}
#endif

static void add_rss(struct ptebatch_trial *trial, int by)
{
	add_mm_counter(trial->place->mm, MM_ANONPAGES, by);
}

static void add_swap(struct ptebatch_trial *trial, int by)
{
	add_mm_counter(trial->place->mm, MM_SWAPENTS, by);
}

static void set_exclusive(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		SetPageAnonExclusive(folio_page(trial->space->folios[0], 3));
	else
		ClearPageAnonExclusive(folio_page(trial->space->folios[0], 3));
}

static void add_swap_count(struct ptebatch_trial *trial, int by)
{
	if (by < 0)
		ptebatch_swap_put(trial->space->folios[0], 3, 1);
	else
		KUNIT_EXPECT_EQ(trial->test, 0,
				ptebatch_swap_dup(trial->space->folios[0], 3, 1));
}

/* As if fewer slots had been in use before the operation. */
static void add_slot(struct ptebatch_trial *trial, int by)
{
	long *others = ptebatch_check_state(trial, &ptebatch_check_slots);

	*others -= by;
}

static void add_mlocked_pages(struct ptebatch_trial *trial, int by)
{
	zone_stat_mod_folio(trial->space->folios[0], NR_MLOCK, 16 * by);
}

static void add_mapped_pages(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_ANON_MAPPED, by);
}

static void add_shmem_pages(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_SHMEM, by);
}

static void add_shmem_thps(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_SHMEM_THPS, 512 * by);
}

static void add_file_pages(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_FILE_PAGES, by);
}

/* As if the RSS had been higher before the operation. */
static void raise_rss_before(struct ptebatch_trial *trial, int by)
{
	unsigned long *rss = ptebatch_check_state(trial, &ptebatch_check_watermark);

	*rss += by * SZ_1M;
}

static void add_locked_vm(struct ptebatch_trial *trial, int by)
{
	trial->place->mm->locked_vm += 16 * by;
}

static void sub_data_vm(struct ptebatch_trial *trial, int by)
{
	trial->place->mm->data_vm -= by;
}

static void promise_pages(struct ptebatch_trial *trial, int by)
{
	vm_acct_memory(by);
}

static void add_isolated(struct ptebatch_trial *trial, int by)
{
	lruvec_stat_mod_folio(trial->space->folios[0], NR_ISOLATED_ANON, 16 * by);
}

/* Flags, links and locks of the VMA. */

static void advise_random(struct ptebatch_trial *trial, int by)
{
	ptebatch_vma_flags(trial->place->mm, trial->place->start,
			   by > 0 ? VM_RAND_READ : VM_NONE, by > 0 ? VM_NONE : VM_RAND_READ);
}

static struct vm_area_struct *vma_of(struct ptebatch_trial *trial)
{
	return vma_lookup(trial->place->mm, ptebatch_addr(trial->space, 0));
}

static void leave_anon_vma(struct ptebatch_trial *trial, int by)
{
	struct vm_area_struct *vma = vma_of(trial);
	struct anon_vma_chain *avc = list_first_entry(&vma->anon_vma_chain, typeof(*avc), same_vma);

	anon_vma_lock_write(vma->anon_vma);
	if (by > 0)
		anon_rmap_tree_remove(avc, vma->anon_vma);
	else
		anon_rmap_tree_insert(avc, vma->anon_vma);
	anon_vma_unlock_write(vma->anon_vma);
}

static void leave_i_mmap(struct ptebatch_trial *trial, int by)
{
	struct address_space *mapping = trial->space->file->f_mapping;

	i_mmap_lock_write(mapping);
	if (by > 0)
		mapping_rmap_tree_remove(vma_of(trial), mapping);
	else
		mapping_rmap_tree_insert(vma_of(trial), mapping);
	i_mmap_unlock_write(mapping);
}

static void lock_mm(struct ptebatch_trial *trial, int by)
{
	/* Without lockdep: the checks take it once more. */
	if (by > 0)
		down_read_non_owner(&trial->place->mm->mmap_lock);
	else
		up_read_non_owner(&trial->place->mm->mmap_lock);
}

#ifdef CONFIG_PER_VMA_LOCK
static void lock_vma(struct ptebatch_trial *trial, int by)
{
	struct vm_area_struct *vma = vma_of(trial);

	if (by > 0)
		refcount_inc(&vma->vm_refcnt);
	else
		refcount_dec(&vma->vm_refcnt);
}
#endif

static void leave_mmlist(struct ptebatch_trial *trial, int by)
{
	struct mm_struct *mm = trial->place->mm;

	if (by < 0) {
		mm_prepare_for_swap_entries(mm);
		return;
	}
	spin_lock(&mmlist_lock);
	list_del_init(&mm->mmlist);
	spin_unlock(&mmlist_lock);
}

static void tag_dirty(struct ptebatch_trial *trial, int by)
{
	struct folio *folio = trial->space->folios[0];
	struct xarray *pages = &folio->mapping->i_pages;

	if (by > 0)
		xa_set_mark(pages, folio->index, PAGECACHE_TAG_DIRTY);
	else
		xa_clear_mark(pages, folio->index, PAGECACHE_TAG_DIRTY);
}

/* As if mprotect(PROT_READ) had returned one page less than it has changed. */
static void return_less(struct ptebatch_trial *trial, int by)
{
	trial->call.model = by > 0 ? ptebatch_model_protect : NULL;
	trial->call.readable = by > 0;
	trial->call.counts = by > 0;
	trial->returned = 15;
}

/* Flags, locks and contents. */

static void set_dirty(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_set_dirty(trial->space->folios[0]);
	else
		folio_clear_dirty(trial->space->folios[0]);
}

static void set_mlocked(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_set_mlocked(trial->space->folios[0]);
	else
		folio_clear_mlocked(trial->space->folios[0]);
	add_mlocked_pages(trial, by);
}

static void clear_mlocked(struct ptebatch_trial *trial, int by)
{
	set_mlocked(trial, -by);
}

static void lock_folio(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_lock(trial->space->folios[0]);
	else
		folio_unlock(trial->space->folios[0]);
}

/* Of the last 64 of the page. */
static void add_to_byte(struct ptebatch_trial *trial, int by)
{
	u8 *byte = page_address(folio_page(trial->space->folios[0], 2));

	if (by > 0)
		ptebatch_contents_fill(trial);
	byte[PAGE_SIZE - 64] += by;
}

#ifdef CONFIG_ARCH_HAS_LAZY_MMU_MODE
/* The check leaves the mode. */
static void enable_lazy_mmu(struct ptebatch_trial *trial, int by)
{
	if (by < 0)
		return;
	lazy_mmu_mode_enable();
	lazy_mmu_mode_enable();
}
#endif

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
/* An entry that is not the list's own end is not an empty list. */
static void set_queued(struct ptebatch_trial *trial, int by)
{
	struct list_head *list = &trial->space->folios[0]->_deferred_list;

	list->next = by > 0 ? &trial->space->folios[1]->_deferred_list : list;
}

static void clear_partially_mapped(struct ptebatch_trial *trial, int by)
{
	if (by > 0)
		folio_clear_partially_mapped(trial->space->folios[0]);
	else
		folio_set_partially_mapped(trial->space->folios[0]);
}

static void set_partially_mapped(struct ptebatch_trial *trial, int by)
{
	set_queued(trial, by);
	clear_partially_mapped(trial, -by);
}

static void add_mm_id_mapcount(struct ptebatch_trial *trial, int by)
{
	trial->space->folios[0]->_mm_id_mapcount[0] += by;
}

static void flip_shared(struct ptebatch_trial *trial, int by)
{
	change_bit(FOLIO_MM_IDS_SHARED_BITNUM, &trial->space->folios[0]->_mm_ids);
}

#ifndef MODULE
static void add_marked(struct ptebatch_trial *trial, int by)
{
	mod_mthp_stat(4, MTHP_STAT_NR_ANON_PARTIALLY_MAPPED, by);
}

static void add_deferred(struct ptebatch_trial *trial, int by)
{
	mod_mthp_stat(4, MTHP_STAT_SPLIT_DEFERRED, by);
}

static void add_event(struct ptebatch_trial *trial, int by)
{
	count_vm_events(THP_DEFERRED_SPLIT_PAGE, by);
}
#endif
#endif

/* Page table entries. */

static pte_t *pte_of(struct ptebatch_trial *trial, unsigned int i)
{
	unsigned long addr = ptebatch_addr(trial->space, i);

	return pte_offset_kernel(ptebatch_find_pmd(trial->place->mm, addr), addr);
}

/* The entries as they were: as if flushed and announced. */
static void flush_all(struct ptebatch_trial *trial, int by)
{
	bitmap_fill(trial->secondary.flushed, PTEBATCH_ROW_ENTRIES);
}

static void announce_all(struct ptebatch_trial *trial, int by)
{
	bitmap_fill(trial->secondary.announced, PTEBATCH_ROW_ENTRIES);
}

/* As if the operation had mapped it, with the wrong index. */
static void move_first_page(struct ptebatch_trial *trial, int by)
{
	trial->space->folios[0]->index += by;
	trial->before.row.entries[0].page += by;
	flush_all(trial, by);
	announce_all(trial, by);
}

/* The entries at both ends of the range and of the row, inside and outside. */
static void change_ends(struct ptebatch_trial *trial, int by)
{
	static const int ends[] = { -1, 0, 3, 4, 11, 12, 15, 16 };
	pte_t *raw = trial->after.raw + trial->after.lead;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		if (by < 0)
			raw[ends[i]] = trial->before.raw[trial->before.lead + ends[i]];
		else if (pte_none(raw[ends[i]]))
			raw[ends[i]] = raw[1];
		else
			raw[ends[i]] = pte_wrprotect(raw[ends[i]]);
	}
}

static void forbid_to_execute(struct ptebatch_trial *trial, int by)
{
	pte_t *raw = &trial->after.raw[trial->after.lead + 3];

	*raw = __pte(pte_val(*raw) ^ (PTEBATCH_PROT_NOEXEC | PTEBATCH_PROT_EXEC));
}

/* The copies continue the page tables, physically and virtually. */
static void change_behind(struct ptebatch_trial *trial, int by)
{
	pte_t *copy = pte_of(trial, 0) + 4;

	KUNIT_EXPECT_PTR_EQ(trial->test, copy, ptebatch_tables_behind(trial->place, 0));
	KUNIT_EXPECT_TRUE(trial->test, pte_none(copy[4]));
	if (by > 0)
		KUNIT_EXPECT_EQ(trial->test, pte_pfn(*copy), pte_pfn(copy[-1]) + 1);
	*copy = __pte(pte_val(*copy) ^ PAGE_SIZE);
}

static void change_before(struct ptebatch_trial *trial, int by)
{
	pte_t *copy = pte_of(trial, 4) - 1;

	KUNIT_EXPECT_TRUE(trial->test, pte_none(copy[-4]));
	if (by > 0)
		KUNIT_EXPECT_EQ(trial->test, pte_pfn(*copy), pte_pfn(copy[1]) - 1);
	*copy = __pte(pte_val(*copy) ^ PAGE_SIZE);
}

#ifdef CONFIG_ARM64_CONTPTE
static void flip_cont(struct ptebatch_trial *trial, int by)
{
	pte_t *ptep = pte_of(trial, 3);

	ptebatch_set_raw_pte(ptep, __pte(pte_val(ptebatch_raw_pte(ptep)) ^ PTE_CONT));
}
#endif

static void flush_3_to_5(struct ptebatch_trial *trial)
{
	unsigned long addr = ptebatch_addr(trial->space, 0);
	struct mm_struct *mm = trial->place->mm;

	mmap_read_lock(mm);
	flush_tlb_range(vma_lookup(mm, addr), addr + 3 * PAGE_SIZE, addr + 6 * PAGE_SIZE);
	mmap_read_unlock(mm);
}

#if PTEBATCH_NOTIFIES
static void announce_3_to_5(struct ptebatch_trial *trial)
{
	unsigned long addr = ptebatch_addr(trial->space, 0);
	struct mmu_notifier_range range;

	mmu_notifier_range_init(&range, MMU_NOTIFY_CLEAR, 0, trial->place->mm,
				addr + 3 * PAGE_SIZE, addr + 6 * PAGE_SIZE);
	mmu_notifier_invalidate_range_start(&range);
	mmu_notifier_invalidate_range_end(&range);
}

static void leave_open(struct ptebatch_trial *trial, int by)
{
	trial->secondary.sum += by;
}

static void announce_nothing(struct ptebatch_trial *trial, int by)
{
	trial->secondary.empty += by;
}
#endif

/**
 * struct violation - an operation that violates a rule
 * @name: name of the case
 * @setup: the address space
 * @tamper: violates the rule after the operation for @by 1, undoes that for @by -1
 * @check: the check that reports it
 * @report: beginning of what it prints
 * @run: the operation; %NULL: none
 * @becomes: the row after the operation; %NULL: as before
 * @marked: number of entries that the check marks
 * @also: another check that reports it; may be %NULL
 */
struct violation {
	const char *name;
	struct ptebatch_setup setup;
	void (*tamper)(struct ptebatch_trial *trial, int by);
	const struct ptebatch_check *check;
	const char *report;
	void (*run)(struct ptebatch_trial *trial);
	const char *becomes;
	unsigned int marked;
	const struct ptebatch_check *also;
};

#define MAPPED		{ "{Wdyx*16}", .prot = RW }
#define EXECUTABLE	{ "{Rdyx*8}", .prot = PROT_READ | PROT_EXEC }
#define TWO_TABLES	{ "@-4 {Wdyx*8}", .prot = RW }

static const struct violation violation_rows[] = {
	/* Rules 3 and 4. */
	{ "entries outside the range changed: reported",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, change_ends,
	  &ptebatch_check_neighbours, "entry -1, outside the range: ", .marked = 4 },
	{ "entry behind a page table changed: reported", TWO_TABLES, change_behind,
	  &ptebatch_check_tables, "entry 0 behind page table 0: " },
	{ "entry before a page table changed: reported", TWO_TABLES, change_before,
	  &ptebatch_check_tables, "entry -1 before page table 1: " },

	/* Rule 7. */
	{ "reference count too high: reported", MAPPED, add_reference,
	  &ptebatch_check_accounting, "the reference count of folio 0" },
	{ "large mapcount too high: reported", MAPPED, add_mapcount,
	  &ptebatch_check_accounting, "the mapcount of folio 0" },
#ifdef CONFIG_PAGE_MAPCOUNT
	{ "page mapcount too high: reported", MAPPED, add_page_mapcount,
	  &ptebatch_check_accounting, "page 3: the mapcount of folio 0" },
#endif
	{ "MM_ANONPAGES too high: reported", MAPPED, add_rss, &ptebatch_check_accounting,
	  "MM_ANONPAGES" },
	{ "MM_SWAPENTS too high: reported", MAPPED, add_swap, &ptebatch_check_accounting,
	  "MM_SWAPENTS", .also = &ptebatch_check_swapping },
	{ "AnonExclusive page mapped twice: reported",
	  { "{Rdy*16}", .prot = PROT_READ, .twice = true }, set_exclusive,
	  &ptebatch_check_accounting, "page 3: AnonExclusive of folio 0" },
	{ "folio left locked: reported", { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, lock_folio,
	  &ptebatch_check_lists, "folio 0 was left locked" },
	{ "swap count of a slot too high: reported",
	  { "{S*16}", .prot = RW, .folios = WITH_SWAP }, add_swap_count, &ptebatch_check_slots,
	  "the swap count of slot ", .also = &ptebatch_check_accounting },
	{ "swap slot in use without an entry: reported",
	  { "{S*3 Rdy S*12}", .prot = RW, .folios = WITH_SWAP }, add_slot, &ptebatch_check_slots,
	  "17 swap slots are in use, expected 16" },
	{ "NR_MLOCK too high: reported", MAPPED, add_mlocked_pages, &ptebatch_check_mlocked,
	  "NR_MLOCK has 16 pages of the row, 0 are mlocked" },
	{ "mlocked folio without VM_LOCKED: reported", MAPPED, set_mlocked,
	  &ptebatch_check_mlocked, "folio 0 is mlocked, but no VM_LOCKED VMA maps it" },
	{ "folio in a VM_LOCKED VMA not mlocked any more: reported",
	  { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED, .folios = FOLIOS_MLOCKED }, clear_mlocked,
	  &ptebatch_check_mlocked, "folio 0 in VM_LOCKED VMAs is not mlocked any more" },
	{ "NR_ANON_MAPPED too high: reported", MAPPED, add_mapped_pages,
	  &ptebatch_check_mapped, "NR_ANON_MAPPED has 17 pages of the row, 16 are mapped" },
	{ "NR_FILE_PAGES too high: reported", MAPPED, add_file_pages,
	  &ptebatch_check_cached, "NR_FILE_PAGES is 1 too high" },
	{ "NR_SHMEM too high: reported", MAPPED, add_shmem_pages,
	  &ptebatch_check_cached, "NR_SHMEM is 1 too high" },
	{ "NR_SHMEM_THPS too high: reported", MAPPED, add_shmem_thps,
	  &ptebatch_check_cached, "NR_SHMEM_THPS is 512 too high" },
	{ "high watermark lower than the RSS was: reported", MAPPED, raise_rss_before,
	  &ptebatch_check_watermark, "the RSS was 1048592 pages, its high watermark is 16" },
	{ "locked_vm too high: reported", MAPPED, add_locked_vm, &ptebatch_check_vm_counts,
	  "locked_vm is 16 pages, the VMAs have 0" },
	{ "data_vm too low: reported", MAPPED, sub_data_vm, &ptebatch_check_vm_counts,
	  "data_vm is " },
	{ "Committed_AS too high: reported", MAPPED, promise_pages, &ptebatch_check_committed,
	  "Committed_AS has changed by 1 pages more than the VMAs\n" },
	{ "NR_ISOLATED_ANON too high: reported", MAPPED, add_isolated, &ptebatch_check_isolated,
	  "NR_ISOLATED_ANON is 16 higher than before\n" },
	{ "flag of the VMA changed: reported", MAPPED, advise_random, &ptebatch_check_vma_flags,
	  "the VMA of entry 0: flags 0x10000 changed\n" },
	{ "VMA not in its anon_vma: reported", MAPPED, leave_anon_vma, &ptebatch_check_vma_links,
	  "not in its anon_vmas: a VMA of " },
	{ "VMA not in i_mmap: reported", { "{Ry*16}", PTEBATCH_FILE, RW }, leave_i_mmap,
	  &ptebatch_check_vma_links, "not in i_mmap of its file: a VMA of " },
	{ "mmap_lock left locked: reported", MAPPED, lock_mm, &ptebatch_check_locks,
	  "mmap_lock was left locked\n" },
#ifdef CONFIG_PER_VMA_LOCK
	{ "VMA left locked: reported", MAPPED, lock_vma, &ptebatch_check_locks,
	  "a VMA was left locked\n" },
#endif
	{ "mm with swap entries not in mmlist: reported",
	  { "{S*16}", .prot = RW, .folios = WITH_SWAP }, leave_mmlist, &ptebatch_check_swapping,
	  "place 0: swap entries, mm not in mmlist\n" },
	{ "clean folio tagged as dirty: reported", { "{Ry*16}", PTEBATCH_FILE, RW }, tag_dirty,
	  &ptebatch_check_page_cache, "tagged as dirty, but clean: the folio of index " },
	{ "page at another address than its index says: reported", MAPPED, move_first_page,
	  &ptebatch_check_reverse_map, "the rmap does not find entry 0", .marked = 1 },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	{ "partially mapped folio not in the deferred split queue: reported",
	  { "{Wdyx*8 .*8}", .prot = RW }, clear_partially_mapped, &ptebatch_check_deferred,
	  "folio 0, 8 of 16 pages mapped, is not in the queue" },
	{ "completely mapped folio in the deferred split queue: reported",
	  { "{Wdyx*16} {Wdyx*4}", .prot = RW }, set_partially_mapped,
	  &ptebatch_check_deferred, "folio 0, all pages mapped, has entered the queue" },
	{ "completely mapped folio in the queue, not partially mapped: reported",
	  { "{Wdyx*16} {Wdyx*4}", .prot = RW }, set_queued, &ptebatch_check_deferred,
	  "folio 0, all pages mapped, has entered the queue" },
#ifndef MODULE
	{ "nr_anon_partially_mapped too high: reported", MAPPED, add_marked,
	  &ptebatch_check_deferred, "nr_anon_partially_mapped of order 4: 1, expected 0" },
	{ "split_deferred too high: reported", MAPPED, add_deferred,
	  &ptebatch_check_deferred, "split_deferred of order 4: 1 more, expected 0" },
	{ "thp_deferred_split_page too high: reported", MAPPED, add_event,
	  &ptebatch_check_deferred, "thp_deferred_split_page: 1 more, expected 0" },
#endif
	{ "mapcount by mm too high: reported", MAPPED, add_mm_id_mapcount,
	  &ptebatch_check_mm_ids, "folio 0 has 17 mappings by mm 0, expected 16" },
	{ "folio of one mm flagged as shared: reported", MAPPED, flip_shared,
	  &ptebatch_check_mm_ids, "folio 0 is flagged as shared, but mapped by 1 mms" },
	{ "folio of two mms not flagged as shared: reported",
	  { "{Rdy*16}", .prot = RW, .twice = true }, flip_shared, &ptebatch_check_mm_ids,
	  "folio 0 is not flagged as shared, but mapped by 2 mms" },
#endif

	/* Rule 5. */
	{ "PTE becomes writable, its page is not AnonExclusive: reported",
	  { "{Rdy*16}", .prot = RW }, change_nothing, &ptebatch_check_writable,
	  "entry 3 is writable, its page is not AnonExclusive\n", NULL,
	  "{Rdy*3 Wdy Rdy*12}", 1 },

	/* Rules 8 and 9. */
	{ "one of four changed PTEs not flushed: reported", MAPPED, announce_all,
	  &ptebatch_check_tlb, "entry 2 was not flushed: it was Wdyx and is Rdyx\n",
	  flush_3_to_5, "{Wdyx*2 Rdyx*4 Wdyx*10}", 1 },
	{ "four changed PTEs not flushed: reported", MAPPED, announce_all,
	  &ptebatch_check_tlb, "entry 2 was not flushed: it was Wdyx and is Rdyx\n",
	  NULL, "{Wdyx*2 Rdyx*4 Wdyx*10}", 4 },
	{ "PTE no longer executable and not flushed: reported", EXECUTABLE, forbid_to_execute,
	  &ptebatch_check_tlb, "entry 3 was not flushed: it was Rdyx and is Rdyx\n",
	  .marked = 1, .also = &ptebatch_check_protection },
	{ "one changed page not counted in the return value: reported",
	  { "{Rdyx*16}", .prot = PROT_READ }, return_less, &ptebatch_check_returned,
	  "returns 15, expected 16 changed pages\n" },

	/* Rules 1, 17, 25, 29, 30 and 31. */
	{ "byte of a page changed: reported", MAPPED, add_to_byte, &ptebatch_check_contents,
	  "page 2 of folio 0 has wrong contents\n" },
	{ "file folio dirty by folio_set_dirty(): reported",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, set_dirty, &ptebatch_check_dirty_folio,
	  "folio 0 is dirty, dirty_folio() was not called", .also = &ptebatch_check_dirty },
	{ "clean file folio becomes dirty, no entry of it is: reported",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, set_dirty, &ptebatch_check_dirty,
	  "folio 0 became dirty, none of its entries is",
	  .also = &ptebatch_check_dirty_folio },
#ifdef CONFIG_ARM64_CONTPTE
	{ "PTE_CONT of one PTE of a contpte block flipped: reported",
	  { "{Wdyx*128}", .prot = RW }, flip_cont, &ptebatch_check_blocks,
	  "a contpte block is contiguous in some entries only" },
#endif
	{ "PTE not executable in an executable VMA: reported", EXECUTABLE, forbid_to_execute,
	  &ptebatch_check_protection, "entry 3 has protection bits ", .marked = 1,
	  .also = &ptebatch_check_tlb },
#if PTEBATCH_NOTIFIES
	{ "one of four changed PTEs not announced: reported", MAPPED, flush_all,
	  &ptebatch_check_announced,
	  "entry 2 changed without an announcement: it was Wdyx and is Rdyx\n",
	  announce_3_to_5, "{Wdyx*2 Rdyx*4 Wdyx*10}", 1 },
	{ "announced range without an end: reported", MAPPED, leave_open,
	  &ptebatch_check_announced, "0 announced ranges have no end, or another end\n" },
	{ "empty range announced: reported", MAPPED, announce_nothing,
	  &ptebatch_check_announced, "1 announced ranges are empty\n" },
#endif
#ifdef CONFIG_ARCH_HAS_LAZY_MMU_MODE
	{ "lazy MMU mode entered and not left: reported", MAPPED, enable_lazy_mmu,
	  &ptebatch_check_lazy_mmu, "lazy MMU mode was enabled and not disabled 2 times\n" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(violation, violation_rows, name);

/* Expect that the check of the row, if not %NULL, reports it, and no other check does. */
static void expect_report(struct ptebatch_trial *trial, const struct violation *row)
{
	const struct ptebatch_check * const *check;
	struct kunit *test = trial->test;
	struct seq_buf out;

	for (check = ptebatch_check_table; *check; check++) {
		bool passes;

		if ((*check)->whole && trial->partial)
			continue;
		if (*check == &ptebatch_check_tlb && !PTEBATCH_FLUSHES_SEEN)
			continue;
		passes = ptebatch_check_passes(trial, *check, &out);
		KUNIT_EXPECT_EQ_MSG(test, passes, *check != row->check && *check != row->also,
				    "check %s: %s", (*check)->name, seq_buf_str(&out));
		if (*check != row->check)
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), row->report),
				      "expected the report %s, got: %s", row->report,
				      seq_buf_str(&out));
		KUNIT_EXPECT_EQ(test, row->marked,
				bitmap_weight(trial->differs, PTEBATCH_ROW_ENTRIES));
	}
}

static void workbench_violation(struct kunit *test)
{
	const struct violation *row = test->param_value, none = {};
	struct ptebatch_trial *trial;

	if (row->tamper == forbid_to_execute && !(PTEBATCH_PROT_NOEXEC | PTEBATCH_PROT_EXEC))
		kunit_skip(test, "no execute permission in page table entries");
	if (row->check == &ptebatch_check_tlb && !PTEBATCH_FLUSHES_SEEN)
		kunit_skip(test, "TLB flushes that no MMU notifier sees");
	if (row->check == &ptebatch_check_tables && !PTEBATCH_TABLES_ARE_PAGES)
		kunit_skip(test, "page tables are parts of pages: no copies next to them");
	if (row->tamper == add_slot && ptebatch_swap_used() < 0)
		kunit_skip(test, "the swap space is the machine's: its slots are not counted");
	if (row->check == &ptebatch_check_mapped && !IS_ENABLED(CONFIG_PAGE_MAPCOUNT))
		kunit_skip(test, "no mapcounts of pages of large folios");
	if ((row->check == &ptebatch_check_mapped || row->check == &ptebatch_check_cached ||
	     row->check == &ptebatch_check_committed || row->check == &ptebatch_check_isolated) &&
	    !ptebatch_counts_alone())
		kunit_skip(test, "the pages of a node are counted only during boot");
	trial = ptebatch_trial_begin(test, "no operation", &row->setup);
	if (row->run)
		row->run(trial);
	KUNIT_EXPECT_TRUE(test, ptebatch_trial_end(trial));

	row->tamper(trial, 1);
	if (row->becomes)
		trial->after.row = *ptebatch_picture(test, row->becomes);
	expect_report(trial, row);
	row->tamper(trial, -1);
	trial->after.row = trial->before.row;
	expect_report(trial, &none);
}

/* The model reports an unmoved entry at its source and at its destination. */
static void workbench_there(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"@3 {Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW,
	};
	static const struct violation none, unmoved = {
		.check = &ptebatch_check_entries, .report = "", .marked = 8,
	}, neighbour = {
		.check = &ptebatch_check_neighbours, .report = "entry 12, ", .marked = 1,
	};
	struct ptebatch_trial *source, *destination;

	source = ptebatch_op_begin(test, &ptebatch_move, &setup, false);
	destination = ptebatch_op_second(source, &ptebatch_move,
					 ptebatch_space_add_place(source->space, 5));
	source->quiet = true;
	destination->quiet = true;
	KUNIT_EXPECT_FALSE(test, ptebatch_trial_end(source));
	KUNIT_EXPECT_EQ(test, destination->after.row.first, 5);

	expect_report(source, &unmoved);
	expect_report(destination, &unmoved);
	/* Each is what the other should be. */
	swap(source->call, destination->call);
	expect_report(source, &none);
	expect_report(destination, &none);

	destination->after.raw[destination->after.lead + 12] =
		source->after.raw[source->after.lead + 11];
	expect_report(destination, &neighbour);
}

static struct kunit_case workbench_cases[] = {
	KUNIT_CASE_PARAM(workbench_violation, violation_gen_params),
	KUNIT_CASE(workbench_there),
	{}
};

PTEBATCH_SUITE(workbench_checks, workbench_cases, PTEBATCH_TWO_SWAP_SPACES);
