// SPDX-License-Identifier: GPL-2.0
/*
 * A write fault of a read-only PTE in private memory reuses the page or copies it
 * (do_wp_page()). It reuses an AnonExclusive page. Other pages of a large folio
 * are reused, and become AnonExclusive one by one, if the mm is the only one that
 * maps the folio (by the folio's MM-ID mapcounts) and nothing else references it:
 *
 *	{Rdy*16}  ->  {Rdy*5 Wdyx Rdy*10}
 *
 * Only the entry of the fault changes, so a case states what it becomes. In the
 * cases of shared_write, parent and child write after fork().
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pgtable.h>
#include <linux/swap.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/fail_folio.h"
#include "../lib/kernel/ksm.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/protect.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"
#include "../lib/space/pte.h"
#include "../lib/space/refs.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* The fault: a write; before a pin for reading; a write despite a read-only VMA. */
enum access {
	WRITES,
	UNSHARES,
	FORCES,
};

/* What else uses the folio of the entry that faults. */
enum other_use {
	NO_OTHER_USE,
	REFERENCED,		/* a reference */
	PINNED,			/* a pin, as for DMA */
	IN_BATCH,		/* a per-CPU LRU batch */
	ISOLATED,		/* an isolation from the LRU lists */
	/* With @setup.twice, the child: */
	CHILD_EXITS,		/* has unmapped all pages */
	CHILD_KEEPS_ONE,	/* has unmapped all pages but page 9 */
};

#define CHILDS_PAGE	9

/* The reason to skip a case. */
#define NO_LARGE_FOLIOS \
	"no page of a large folio is reused without CONFIG_TRANSPARENT_HUGEPAGE"

/**
 * struct wp_row - a write fault
 * @name: name of the case
 * @setup: address space before the fault; @setup.lru is set
 * @at: entry that faults
 * @becomes: picture of this entry after the fault, "~" if it maps a new folio;
 *           %NULL: no entry has changed
 * @use: what else uses the folio
 * @access: kind of the fault
 * @after: expected row, instead of @becomes
 * @err: expected return value
 * @async: userfaultfd write protection is asynchronous
 * @pending: other TLB flushes of the mm are pending
 * @discards: the fault allocates a folio and frees it again
 * @fails: number of allocations of folios that fail
 * @ages: another thread makes the entry old before the fault locks the page table
 *        again
 */
struct wp_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned int at;
	const char *becomes;
	enum other_use use;
	enum access access;
	const char *after;
	long err;
	bool async;
	bool pending;
	bool discards;
	unsigned int fails;
	bool ages;
};

static const struct wp_row rows[] = {
	/* Large folios. */
	{ "64K folio, exclusive: reused", { "{Rdyx*16}", .prot = RW }, 5, "Wdyx" },
	{ "64K folio, exclusive, referenced: reused",
	  { "{Rdyx*16}", .prot = RW }, 5, "Wdyx", REFERENCED },
	{ "64K folio, exclusive, pinned: reused",
	  { "{Rdyx*16}", .prot = RW }, 5, "Wdyx", PINNED },
	{ "64K folio, not exclusive, no other use: page reused, only it exclusive",
	  { "{Rdy*16}", .prot = RW }, 5, "Wdyx" },
	{ "64K folio, not exclusive, clean and old: page reused, dirty and young",
	  { "{R*16}", .prot = RW }, 5, "Wdyx" },
	{ "64K folio, not exclusive, referenced: page copied",
	  { "{Rdy*16}", .prot = RW }, 5, "~Wdyx", REFERENCED },
	{ "64K folio, not exclusive, pinned: page copied",
	  { "{Rdy*16}", .prot = RW }, 5, "~Wdyx", PINNED },
	{ "64K folio, not exclusive, isolated from the LRU lists: page copied",
	  { "{Rdy*16}", .prot = RW }, 5, "~Wdyx", ISOLATED },
	{ "64K folio, first half exclusive, write to the second: page reused",
	  { "{Wdyx*8 Rdy*8}", .prot = RW }, 12, "Wdyx" },
	{ "64K folio, first half exclusive, referenced, write to the second: page copied",
	  { "{Wdyx*8 Rdy*8}", .prot = RW }, 12, "~Wdyx", REFERENCED },
	{ "64K folio, one page mapped: page copied, folio freed",
	  { "{.*5 Rdy .*10}", .prot = RW }, 0, "~Wdyx" },
	{ "64K folio, two pages mapped: page reused",
	  { "{.*5 Rdy*2 .*9}", .prot = RW }, 0, "Wdyx" },
	{ "64K folio in two VMAs: page reused",
	  { "{Rdy*8 ; Rdy*8}", .prot = RW }, 5, "Wdyx" },
	{ "64K folio across a page table boundary: page reused",
	  { "@-8 {Rdy*16}", .prot = RW }, 9, "Wdyx" },
	{ "64K folio, mlocked, referenced: page copied, copy mlocked",
	  { "{Rdy*16}", .prot = RW, .mlocked = true, .mlocked_folios = true }, 5,
	  "~Wdyx", REFERENCED },
	{ "64K folio, executable, protection key 3, referenced: page copied with both",
	  { "{Rdy*16}", .prot = RW | PROT_EXEC, .pkey = 3 }, 5, "~Wdyx",
	  REFERENCED },

	/* Shared with a child. */
	{ "64K folio shared with a child: page copied, child's page unchanged",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, 5, "~Wdyx" },
	{ "64K folio shared with a child that exits: page reused",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, 5, "Wdyx", CHILD_EXITS },
	{ "64K folio, child keeps page 9, write to page 5: page copied",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, 5, "~Wdyx",
	  CHILD_KEEPS_ONE },
	{ "64K folio, child keeps page 9, write to page 9: page copied",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, 9, "~Wdyx",
	  CHILD_KEEPS_ONE },
	{ "small folios shared with a child: page copied",
	  { "Wdyx*16", .prot = RW, .twice = true }, 5, "~Wdyx" },
	{ "small folios shared with a child that exits: page reused",
	  { "Wdyx*16", .prot = RW, .twice = true }, 5, "Wdyx", CHILD_EXITS },
	{ "small folios, child keeps page 9, write to page 5: page reused",
	  { "Wdyx*16", .prot = RW, .twice = true }, 5, "Wdyx", CHILD_KEEPS_ONE },

	/* The swap cache. */
	{ "64K folio in the swap cache: removed from it, page reused",
	  { "{Rdy*16}", .prot = RW, .swap = true }, 5, "Wdyx" },
	{ "64K folio in the swap cache, second half swap entries: page copied",
	  { "{Rdy*8 S*8}", .prot = RW, .swap = true }, 5, "~Wdyx" },
	{ "64K folio in the swap cache, exclusive: page reused",
	  { "{Rdyx*16}", .prot = RW, .swap = true }, 5, "Wdyx" },
	{ "64K folio in the swap cache, one page mapped: page copied, folio freed",
	  { "{.*5 Rdy .*10}", .prot = RW, .swap = true }, 0, "~Wdyx" },
	{ "small folio in the swap cache: removed from it, reused",
	  { "Rdy*3", .prot = RW, .swap = true }, 1, "Wdyx" },
	{ "small folio in the swap cache, referenced: copied",
	  { "Rdy*3", .prot = RW, .swap = true }, 1, "~Wdyx", REFERENCED },

	/* Small folios, and pages that are never reused. */
	{ "small folio, no other use: reused", { "Rdy*3", .prot = RW }, 1, "Wdyx" },
	{ "small folio, referenced: copied",
	  { "Rdy*3", .prot = RW }, 1, "~Wdyx", REFERENCED },
	{ "small folio in a per-CPU LRU batch: reused",
	  { "Rdy*3", .prot = RW }, 1, "Wdyx", IN_BATCH },
	{ "small folio isolated from the LRU lists: copied",
	  { "Rdy*3", .prot = RW }, 1, "~Wdyx", ISOLATED },
	{ "KSM page: copied", { "Rdy Rdyk Rdy", .prot = RW }, 1, "~Wdyx" },
	{ "zero page: copied", { "Rzy*3", .prot = RW }, 1, "~Wdyx" },
	{ "zero page of KSM: copied, and no longer counted",
	  { "Rdzy*3", .prot = RW }, 1, "~Wdyx" },
	{ "special PTE: copied through its address",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .prot = RW, .mixedmap = true }, 5,
	  "~Wdyx" },
	{ "private file, 64K folio of the page cache: page copied",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "~Wdyx" },
	{ "private file, 64K copy: page reused",
	  { "{Rdyx*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "Wdyx" },

	/* Shared mappings: no page is copied. */
	{ "file with write notification, 64K folio: PTE writable, dirty",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, 5, "Wdy" },
	{ "shmem, 64K folio: PTE writable, dirty",
	  { "{Ry*16}", PTEBATCH_SHMEM, RW }, 5, "Wdy" },
	{ "shmem, special PTE: writable, dirty",
	  { "{Ry*4 Rpy*4 Ry*8}", PTEBATCH_SHMEM, RW, .mixedmap = true }, 5,
	  "Wdpy" },

	/* Soft-dirty, userfaultfd. */
	{ "soft-dirty tracked, 64K folio, exclusive: reused, soft-dirty",
	  { "{Rdyx*16}", .prot = RW, .track = true }, 5, "Wdysx" },
	{ "soft-dirty tracked, 64K folio, referenced: page copied, soft-dirty",
	  { "{Rdy*16}", .prot = RW, .track = true }, 5, "~Wdysx", REFERENCED },
	{ "uffd-wp, no reader: -EFAULT",
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, 5, .err = -EFAULT },
	{ "uffd-wp, asynchronous, exclusive: reused, no longer uffd-wp",
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true,
	    .uffd_no_remap_event = true }, 5, "Wdyx", .async = true },
	{ "uffd-wp, asynchronous, 64K folio, referenced: page copied, not uffd-wp",
	  { "{Rdyu*16}", .prot = RW, .uffd_wp = true,
	    .uffd_no_remap_event = true }, 5, "~Wdyx", REFERENCED, .async = true },
	{ "userfaultfd registered, page not uffd-wp: reused",
	  { "{Rdyux*5 Rdyx Rdyux*10}", .prot = RW, .uffd_wp = true }, 5, "Wdyx" },
	{ "userfaultfd registered, TLB flush pending: flushed",
	  { "{Rdyux*5 Rdyx Rdyux*10}", .prot = RW, .uffd_wp = true }, 5, "Wdyx",
	  .pending = true },

	/* FOLL_FORCE. Folios smaller than a contpte block, as the dirty bit would spread. */
	{ "read-only VMA, forced, exclusive: dirty, stays read-only",
	  { "{Ryx*8}", .prot = RO }, 5, "Rdyx", .access = FORCES },
	{ "read-only VMA, forced, no other use: page exclusive, stays read-only",
	  { "{Ry*8}", .prot = RO }, 5, "Rdyx", .access = FORCES },
	{ "read-only VMA, forced, referenced: page copied, read-only",
	  { "{Ry*16}", .prot = RO }, 5, "~Rdyx", REFERENCED, FORCES },

	/* FAULT_FLAG_UNSHARE: GUP pins pages for reading only if they are exclusive. */
	{ "unshare, exclusive: unchanged",
	  { "{Rdyx*16}", .prot = RW }, 5, .access = UNSHARES },
	{ "unshare, writable: unchanged",
	  { "{Wdyx*16}", .prot = RW }, 5, .access = UNSHARES },
	{ "unshare, 64K folio, no other use: page exclusive, stays read-only",
	  { "{Rdy*16}", .prot = RW }, 5, "Rdyx", .access = UNSHARES },
	{ "unshare, 64K folio shared with a child: page copied, read-only and clean",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, 5, "~Ryx",
	  .access = UNSHARES },
	{ "unshare, 64K folio, read-only VMA, referenced: page copied, read-only",
	  { "{Rdy*16}", .prot = RO }, 5, "~Ryx", REFERENCED, UNSHARES },
	{ "unshare, small folio, no other use: exclusive, stays read-only",
	  { "Rdy*3", .prot = RW }, 1, "Rdyx", .access = UNSHARES },
	{ "unshare, soft-dirty: copied, soft-dirty",
	  { "{Rdys*16}", .prot = RW, .track = true }, 5, "~Rysx", REFERENCED,
	  UNSHARES },
	{ "unshare, not soft-dirty: copied, not soft-dirty",
	  { "{Rdy*16}", .prot = RW, .track = true }, 5, "~Ryx", REFERENCED,
	  UNSHARES },
	{ "unshare, uffd-wp: copied, uffd-wp",
	  { "{Rdyu*16}", .prot = RW, .uffd_wp = true }, 5, "~Ryux", REFERENCED,
	  UNSHARES },
	{ "unshare, zero page: copied", { "Rzy*3", .prot = RW }, 1, "~Ryx",
	  .access = UNSHARES },
	{ "unshare, private file, 64K folio of the page cache: page copied",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "~Ryx",
	  .access = UNSHARES },
	{ "unshare, shmem, 64K folio: unchanged",
	  { "{Ry*16}", PTEBATCH_SHMEM, RW }, 5, .access = UNSHARES },

	/* Failures, and other threads. */
	{ "64K folio, referenced, no memory for the copy: -ENOMEM, unchanged",
	  { "{Rdy*16}", .prot = RW }, 5, .use = REFERENCED, .err = -ENOMEM,
	  .fails = 1 },
	{ "zero page, no memory for the copy: -ENOMEM, unchanged",
	  { "Rzy*3", .prot = RW }, 1, .err = -ENOMEM, .fails = 1 },
	{ "64K folio, referenced, page table gone before the copy: unchanged",
	  { "{Rdy*16}", .prot = RW, .lost_in = "pte_offset_map_lock" }, 5,
	  .use = REFERENCED, .discards = true },
	{ "small folio, referenced, becomes old before the copy: not copied",
	  { "Rdy*3", .prot = RW }, 1, .use = REFERENCED,
	  .after = "Rdy Rd Rdy", .discards = true, .ages = true },

	/* PMDs. */
	{ "PMD, exclusive: reused",
	  { "[Rdyx]", .prot = RW }, 7, .after = "[Wdyx]" },
	{ "PMD, not exclusive, no other use: reused, exclusive",
	  { "[Rdy]", .prot = RW }, 7, .after = "[Wdyx]" },
	{ "PMD, not exclusive, in the swap cache: removed from it, reused",
	  { "[Rdy]", .prot = RW, .swap = true }, 7, .after = "[Wdyx]" },
	{ "PMD, not exclusive, referenced: split, page copied",
	  { "[Rdy]", .prot = RW }, 0, .use = REFERENCED,
	  .after = "~{Wdyx} {. Rdy*T-1}" },
	{ "PMD, shared with a child: split, page copied",
	  { "[Wdyx]", .prot = RW, .twice = true }, 0,
	  .after = "~{Wdyx} {. Rdy*T-1}" },
	{ "PMD, shared with a child that exits: reused",
	  { "[Wdyx]", .prot = RW, .twice = true }, 7, .use = CHILD_EXITS,
	  .after = "[Wdyx]" },
	{ "unshare, PMD, exclusive: unchanged",
	  { "[Rdyx]", .prot = RW }, 7, .access = UNSHARES },
	{ "unshare, PMD, not exclusive, no other use: exclusive, stays read-only",
	  { "[Rdy]", .prot = RW }, 7, .access = UNSHARES, .after = "[Rdyx]" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* As GUP and as a CPU fault, without access to the page after the fault. */
static long fault(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	unsigned long addr = ptebatch_addr(space, op->arg);
	struct mm_struct *mm = space->places[0].mm;
	long err;

	/* A page without struct page is copied through its address. */
	if (space->setup.mixedmap)
		kthread_use_mm(mm);
	mmap_read_lock(mm);
	switch ((enum access)op->prot) {
	case UNSHARES:
		err = fixup_user_fault(mm, addr, FAULT_FLAG_REMOTE |
				       FAULT_FLAG_UNSHARE, NULL);
		break;
	case FORCES:
		err = handle_mm_fault(vma_lookup(mm, addr), addr,
				      FAULT_FLAG_REMOTE | FAULT_FLAG_WRITE, NULL) &
		      VM_FAULT_ERROR ? -EFAULT : 0;
		break;
	default:
		err = fixup_user_fault(mm, addr, FAULT_FLAG_REMOTE |
				       FAULT_FLAG_WRITE, NULL);
	}
	mmap_read_unlock(mm);
	if (space->setup.mixedmap)
		kthread_unuse_mm(mm);
	return err;
}

/**
 * struct attempt - a fault, and what it needs besides the trial
 * @row: the case
 * @locked: bitmap of the folios that the set-up has locked
 * @folio: folio of the entry that faults, %NULL if there is none
 * @lock: kprobe that plays another thread
 * @vma: VMA of the entry
 * @addr: address of the entry
 * @raced: the other thread has made the entry old
 * @used: something else uses @folio
 * @watching: allocations are watched
 * @racing: @lock is registered
 */
struct attempt {
	const struct wp_row *row;
	DECLARE_BITMAP(locked, PTEBATCH_ROW_ENTRIES);
	struct folio *folio;
	struct ptebatch_counter lock;
	struct vm_area_struct *vma;
	unsigned long addr;
	bool raced;
	bool used;
	bool watching;
	bool racing;
};

/* Without the lock, as the caller is about to take it; no other thread exists. */
static void make_old(void *data)
{
	struct attempt *attempt = data;
	pmd_t *pmd = ptebatch_find_pmd(attempt->vma->vm_mm, attempt->addr);

	if (attempt->raced || !pmd)
		return;
	attempt->raced = true;
	ptep_test_and_clear_young(attempt->vma, attempt->addr,
				  pte_offset_kernel(pmd, attempt->addr));
}

static int race_begin(struct ptebatch_trial *trial, struct attempt *attempt)
{
	struct mm_struct *mm = trial->place->mm;

	attempt->addr = ptebatch_addr(trial->space, attempt->row->at);
	mmap_read_lock(mm);
	attempt->vma = vma_lookup(mm, attempt->addr);
	mmap_read_unlock(mm);
	attempt->raced = false;
	attempt->lock = (struct ptebatch_counter) {
		.function = "pte_offset_map_lock", .match = mm,
		.on_call = make_old, .data = attempt,
	};
	return ptebatch_counters_begin(&attempt->lock, 1);
}

static int unmap_in(const struct ptebatch_place *place, unsigned int from,
		    unsigned int to)
{
	int err;

	kthread_use_mm(place->mm);
	err = vm_munmap(place->start + from * PAGE_SIZE, (to - from) * PAGE_SIZE);
	kthread_unuse_mm(place->mm);
	return err;
}

static void begin_child(struct ptebatch_trial *trial, enum other_use use)
{
	const struct ptebatch_place *child = &trial->space->places[1];
	unsigned int nr = trial->space->row.nr;
	int err = 0;

	if (use == CHILD_EXITS)
		err = unmap_in(child, 0, nr);
	if (use == CHILD_KEEPS_ONE)
		err = unmap_in(child, 0, CHILDS_PAGE) ?:
		      unmap_in(child, CHILDS_PAGE + 1, nr);
	KUNIT_ASSERT_EQ(trial->test, err, 0);
	/* The model is that of mprotect() in the parent. */
	ptebatch_trial_second(trial, child)->call.model = NULL;
}

/* The set-up locks folios with swap space: a write fault takes the folio lock. */
static void unlock_folios(struct ptebatch_trial *trial, struct attempt *attempt)
{
	struct ptebatch_space *space = trial->space;
	unsigned int i;

	bitmap_copy(attempt->locked, trial->locked, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(trial->locked, PTEBATCH_ROW_ENTRIES);
	for_each_set_bit(i, attempt->locked, space->row.nr_folios)
		folio_unlock(space->folios[i]);
	ptebatch_space_drop_refs(space);
}

/* Teardown expects the set-up's locks. */
static void relock_folios(const struct ptebatch_trial *trial, struct attempt *attempt)
{
	unsigned int i;

	for_each_set_bit(i, attempt->locked, PTEBATCH_ROW_ENTRIES)
		if (ptebatch_folio_intact(trial->space, i))
			folio_lock(trial->space->folios[i]);
}

/* Returns false if it fails. */
static bool begin_use(struct folio *folio, enum other_use use)
{
	switch (use) {
	case REFERENCED:
		folio_get(folio);
		break;
	case PINNED:
		ptebatch_folio_pin(folio, 1);
		break;
	case IN_BATCH:
		if (!folio_isolate_lru(folio))
			return false;
		folio_putback_lru(folio);
		break;
	case ISOLATED:
		return folio_isolate_lru(folio);
	default:
		break;
	}
	return true;
}

static void end_use(struct folio *folio, enum other_use use)
{
	switch (use) {
	case REFERENCED:
		folio_put(folio);
		break;
	case PINNED:
		ptebatch_folio_pin(folio, -1);
		break;
	case ISOLATED:
		folio_putback_lru(folio);
		break;
	default:
		break;
	}
}

#ifdef CONFIG_USERFAULTFD
static void make_async(struct ptebatch_space *space)
{
	space->uffd->features |= UFFD_FEATURE_WP_ASYNC;
}
#else
static void make_async(struct ptebatch_space *space)
{
}
#endif

/* Does the case watch allocations? */
static bool watches(const struct wp_row *row)
{
	return row->discards || row->fails;
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	struct ptebatch_space *space = trial->space;
	const struct wp_row *row = attempt->row;
	s16 folio = space->row.entries[row->at].folio;

	ptebatch_contents_fill(trial);
	if (space->nr_places == 2)
		begin_child(trial, row->use);
	/* From here on, no assertion may end the case before undo(). */
	unlock_folios(trial, attempt);
	attempt->folio = folio == PTEBATCH_NO_FOLIO ? NULL : space->folios[folio];
	attempt->used = begin_use(attempt->folio, row->use);
	KUNIT_EXPECT_TRUE_MSG(trial->test, attempt->used, "the folio is on no LRU list");
	ptebatch_ksm_map_zero_pages(trial->place->mm, ptebatch_ksm_zero_entries(&space->row));
	if (row->async)
		make_async(space);
	attempt->watching = watches(row) &&
			    !ptebatch_fail_folio(PTEBATCH_FAIL_VMA, row->fails);
	KUNIT_EXPECT_EQ(trial->test, attempt->watching, watches(row));
	attempt->racing = row->ages && !race_begin(trial, attempt);
	KUNIT_EXPECT_EQ(trial->test, attempt->racing, row->ages);
	if (row->pending)
		inc_tlb_flush_pending(trial->place->mm);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct attempt *attempt = *(struct attempt * const *)data;
	const struct wp_row *row = attempt->row;
	struct folio *folio;

	if (row->pending)
		dec_tlb_flush_pending(trial->place->mm);
	if (attempt->racing) {
		ptebatch_counters_end(&attempt->lock, 1);
		KUNIT_EXPECT_TRUE_MSG(trial->test, attempt->raced,
				      "%s does not lock the page table again",
				      trial->function);
	}
	if (attempt->watching) {
		KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_fail_folio_end(&folio),
				      "%s allocates no folio", trial->function);
		if (row->discards)
			KUNIT_EXPECT_TRUE_MSG(trial->test,
					      folio && !page_ref_count(&folio->page),
					      PTEBATCH_RULE_ACCOUNTING ": %s leaks its copy",
					      trial->function);
	}
	if (attempt->used)
		end_use(attempt->folio, row->use);
}

/* Does one entry change, and as stated? */
static bool expect_entry(struct ptebatch_trial *trial, unsigned int at,
			 const char *becomes)
{
	struct ptebatch_row *picture = ptebatch_picture(trial->test, becomes);
	const struct ptebatch_row *got = &trial->after.row;
	struct ptebatch_row *expected;
	struct ptebatch_entry *entry;

	expected = kunit_kmalloc(trial->test, sizeof(*expected), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, expected);
	ptebatch_row_copy(expected, &trial->before.row);
	/* The only new folio is the last one. */
	expected->nr_folios = got->nr_folios;
	memcpy(expected->folios, got->folios, sizeof(got->folios));
	entry = &expected->entries[at];
	entry->kind = picture->entries[0].kind;
	entry->flags = picture->entries[0].flags;
	if (picture->nr_folios && picture->folios[0].made) {
		entry->folio = got->nr_folios - 1;
		entry->page = 0;
	}
	if (ptebatch_trial_allows(trial, expected) &&
	    (entry->folio == PTEBATCH_NO_FOLIO ||
	     expected->folios[entry->folio].made ==
	     (picture->nr_folios && picture->folios[0].made)))
		return true;
	KUNIT_FAIL(trial->test, "%s: entry %u is not %s, or another one has changed",
		   trial->function, at, becomes);
	ptebatch_print_row(trial->test, "before", &trial->before.row, NULL);
	ptebatch_print_row(trial->test, "expected", expected, trial->differs);
	ptebatch_print_row(trial->test, "got", got, trial->differs);
	return false;
}

static bool expect_result(struct ptebatch_trial *trial, const struct wp_row *row)
{
	if (row->after)
		return ptebatch_trial_expect(trial, row->after);
	if (row->becomes)
		return expect_entry(trial, row->at, row->becomes);
	return ptebatch_trial_untouched(trial);
}

static void check(struct ptebatch_trial *trial, const struct wp_row *row)
{
	if (trial->second)
		ptebatch_trial_untouched(trial->second);
	if (row->pending)
		KUNIT_EXPECT_NE_MSG(trial->test, trial->flush.calls, 0,
				    PTEBATCH_RULE_TLB ": flushes by %s",
				    trial->function);
	ptebatch_trial_expect_ksm_zero_pages(trial);
}

/*
 * Rule 12: what mprotect() makes writable, a write fault reuses. Run mprotect() on
 * an equal address space.
 */
static void expect_as_mprotect(struct kunit *test, struct ptebatch_trial *faulted,
			       struct ptebatch_run run)
{
	struct attempt *attempt = *(struct attempt * const *)run.data;
	unsigned int at = attempt->row->at;
	const struct ptebatch_entry *written = &faulted->after.row.entries[at];
	const struct ptebatch_entry *upgraded;
	struct ptebatch_trial *trial;
	bool passes = true;

	run.op = &ptebatch_protections[PTEBATCH_TO_WRITABLE];
	trial = ptebatch_row_call(test, &run, false, &passes);
	relock_folios(trial, attempt);
	upgraded = &trial->after.row.entries[at];
	if (!passes || upgraded->kind != PTEBATCH_WRITABLE)
		return;
	KUNIT_EXPECT_TRUE_MSG(test, written->kind == PTEBATCH_WRITABLE &&
			      written->folio == upgraded->folio &&
			      written->page == upgraded->page &&
			      written->flags & upgraded->flags & PTEBATCH_EXCLUSIVE,
			      PTEBATCH_RULE_FAULTS ": mprotect() upgrades a page that faults copy");
}

static const char *missing(const struct wp_row *row)
{
	if (watches(row) && ptebatch_fail_folio_missing())
		return ptebatch_fail_folio_missing();
	if (row->ages && !IS_ENABLED(CONFIG_KPROBES))
		return "no other thread without CONFIG_KPROBES";
	if (strpbrk(row->setup.picture, "{[") && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return NO_LARGE_FOLIOS;
	return NULL;
}

static bool check_row(struct kunit *test, const struct wp_row *row, bool compare)
{
	const struct ptebatch_op op = {
		.function = "a write fault", .call = fault, .no_twin = true,
		.arg = row->at, .prot = row->access,
	};
	struct ptebatch_setup setup = row->setup;
	struct ptebatch_trial *trial;
	struct attempt *attempt;
	struct ptebatch_run run = {
		.op = &op, .setup = &setup, .ret = row->err, .prepare = prepare,
		.undo = undo, .data = &attempt,
	};
	bool passes = true;

	if (missing(row))
		kunit_skip(test, "%s", missing(row));
	attempt = kunit_kzalloc(test, sizeof(*attempt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt);
	attempt->row = row;
	setup.lru = true;
	trial = ptebatch_row_call(test, &run, false, &passes);
	relock_folios(trial, attempt);
	passes &= expect_result(trial, row);
	check(trial, row);
	if (passes && compare)
		expect_as_mprotect(test, trial, run);
	return passes;
}

static void write_fault(struct kunit *test)
{
	const struct wp_row *row = test->param_value;
	/* What fails or happens once would happen to mprotect(), too. */
	bool compare = row->access == WRITES && !row->err && !watches(row) &&
		       !row->ages && !row->pending && !row->after &&
		       !ptebatch_shared(row->setup.mapping);

	check_row(test, row, compare);
}

/* Each order: pages of a folio. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before;
	const char *becomes;
	enum other_use use;
} kinds[] = {
	{ "not exclusive, no other use: page reused", { .prot = RW }, "Rdy", "Wdyx" },
	{ "not exclusive, referenced: page copied", { .prot = RW }, "Rdy", "~Wdyx",
	  REFERENCED },
	{ "shared with a child: page copied", { .prot = RW, .twice = true }, "Wdyx",
	  "~Wdyx" },
	{ "shared with a child that exits: page reused",
	  { .prot = RW, .twice = true }, "Wdyx", "Wdyx", CHILD_EXITS },
};

PTEBATCH_ORDER_PARAMS(write_fault_order, kinds);

static void write_fault_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;
	struct wp_row row = {
		.setup = kind->setup, .becomes = kind->becomes, .use = kind->use,
	};

	/* Other pages of the row show that no other entry changes. */
	row.setup.picture = ptebatch_draw(test, "%s {%s*%u} %s", kind->before,
					  kind->before, nr, kind->before);
	/* The first, middle and last page; of large orders one of these. */
	row.at = nr > 16 ? 1 + nr / 2 * (param->order % 3) - (param->order % 3 == 2) : 1;
	for (; row.at <= nr; row.at += nr > 16 ? nr : max(1, (nr - 1) / 2))
		if (!check_row(test, &row, false))
			return;
}

/*
 * Rule 12, real writes after fork(): which pages parent and child map in the end, and
 * which bytes they read. mprotect() in between must not change either.
 */

/* Which page an entry maps in the end. */
enum end {
	COPIES,			/* all entries: a copy, exclusive */
	KEEPS,			/* all entries: the page of before, exclusive */
	KEEPS_ODD,		/* odd entries: the page of before, even ones: a copy */
	UNWRITTEN,		/* all entries: the page of before, shared */
	GONE,			/* none */
};

/**
 * struct share_row - writes to memory that fork() has shared
 * @name: name of the case
 * @picture: row of the parent before fork()
 * @steps: what happens after fork(): parent (P, p) or child (C, c) writes all pages,
 *         or the even ones; mprotect() makes the memory of both read-only and
 *         writable (U); the child unmaps it (X)
 * @parent: what the entries of the parent map in the end
 * @child: what the entries of the child map in the end
 * @pinned: the first folio is pinned during fork()
 */
struct share_row {
	const char *name;
	const char *picture;
	const char *steps;
	enum end parent, child;
	bool pinned;
};

static const struct share_row share_rows[] = {
	{ "64K folio, parent writes: copied for the parent, child's unchanged",
	  "{Wdyx*16}", "P", COPIES, UNWRITTEN },
	{ "64K folio, child writes: copied for the child, parent's unchanged",
	  "{Wdyx*16}", "C", UNWRITTEN, COPIES },
	{ "64K folio, parent writes, then child: child keeps the folio",
	  "{Wdyx*16}", "PC", COPIES, KEEPS },
	{ "64K folio, child writes, then parent: parent keeps the folio",
	  "{Wdyx*16}", "CP", KEEPS, COPIES },
	{ "64K folio, mprotect(), parent writes, then child: child keeps the folio",
	  "{Wdyx*16}", "UPC", COPIES, KEEPS },
	{ "64K folio, parent writes, mprotect(), child writes: child keeps the folio",
	  "{Wdyx*16}", "PUC", COPIES, KEEPS },
	{ "64K folio, child exits, parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XP", KEEPS, GONE },
	{ "64K folio, child exits, mprotect(), parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XUP", KEEPS, GONE },
	{ "64K folio, parent writes even pages, child exits, parent writes: odd pages kept",
	  "{Wdyx*16}", "pXP", KEEPS_ODD, GONE },
	{ "64K folio, parent writes even pages, mprotect(), child exits, parent writes: same",
	  "{Wdyx*16}", "pUXUP", KEEPS_ODD, GONE },
	{ "64K folio, parent writes even pages, child all, parent all: parent keeps odd pages",
	  "{Wdyx*16}", "pCP", KEEPS_ODD, COPIES },
	{ "small folios, parent writes, then child: child keeps them",
	  "Wdyx*4", "PC", COPIES, KEEPS },
	{ "small folios, child exits, mprotect(), parent writes: parent keeps them",
	  "Wdyx*4", "XUP", KEEPS, GONE },
	{ "64K folio, pinned, child writes, then parent: parent keeps the folio",
	  "{Wdyx*16}", "CP", KEEPS, COPIES, true },
	{ "64K folio, pinned, mprotect(), parent writes, then child: parent keeps the folio",
	  "{Wdyx*16}", "UPC", KEEPS, COPIES, true },
	{ "64K folio, pinned, child exits, mprotect(), parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XUP", KEEPS, GONE, true },
	{ "small folio, pinned, mprotect(), parent writes, then child: parent keeps it",
	  "Wdyx", "UPC", KEEPS, COPIES, true },
	{ "PMD, parent writes, then child: child keeps the folio",
	  "[Wdyx]", "PC", COPIES, KEEPS },
	{ "PMD, pinned, mprotect(), child writes, then parent: parent keeps the folio",
	  "[Wdyx]", "UCP", KEEPS, COPIES, true },
};

KUNIT_ARRAY_PARAM_DESC(share_rows, share_rows, name);

/* Where the cases write: ptebatch_check_contents() does not look there. */
#define VALUE_AT	8

/* The values are unique to a page and its last writer. */
#define NOT_WRITTEN	0x10000U
#define PARENT		0x20000U
#define CHILD		0x30000U

static u32 __user *value_at(const struct ptebatch_place *place, unsigned int i)
{
	return (u32 __user *)(place->start + i * PAGE_SIZE + VALUE_AT);
}

static void init_values(const struct ptebatch_space *space)
{
	const struct ptebatch_entry *entry;
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		entry = &space->row.entries[i];
		*(u32 *)(page_address(folio_page(space->folios[entry->folio], entry->page)) +
			 VALUE_AT) = NOT_WRITTEN + i;
	}
}

/* Returns the number of writes that failed. */
static int write_values(const struct ptebatch_place *place, unsigned int nr,
			unsigned int step, u32 writer)
{
	unsigned int i;
	int failed = 0;

	kthread_use_mm(place->mm);
	for (i = 0; i < nr; i += step)
		failed += !!put_user(writer + i, value_at(place, i));
	kthread_unuse_mm(place->mm);
	return failed;
}

/* The last writer of page @i among the steps of @all and @even pages. */
static u32 last_writer(const char *steps, unsigned int i, char all, char even, u32 writer)
{
	return strchr(steps, all) || (i % 2 == 0 && strchr(steps, even)) ? writer : NOT_WRITTEN;
}

static void expect_values(struct kunit *test, const struct ptebatch_space *space)
{
	const struct share_row *row = test->param_value;
	u32 got[2], expected;
	unsigned int i, of;

	for (of = 0; of < 2; of++) {
		if (of && row->child == GONE)
			break;
		kthread_use_mm(space->places[of].mm);
		for (i = 0; i < space->row.nr; i++) {
			expected = i + (of ? last_writer(row->steps, i, 'C', 'c', CHILD) :
					     last_writer(row->steps, i, 'P', 'p', PARENT));
			if (get_user(got[of], value_at(&space->places[of], i)) ||
			    got[of] != expected)
				break;
		}
		kthread_unuse_mm(space->places[of].mm);
		KUNIT_EXPECT_EQ_MSG(test, i, space->row.nr,
				    "the %s reads other bytes from page %u, %#x instead of %#x",
				    of ? "child" : "parent", i, got[of], expected);
	}
}

/* After munmap() there is none. */
static bool has_vma(const struct ptebatch_place *place)
{
	bool found;

	mmap_read_lock(place->mm);
	found = vma_lookup(place->mm, place->start);
	mmap_read_unlock(place->mm);
	return found;
}

/* mprotect(PROT_READ), then mprotect(PROT_READ | PROT_WRITE), without the VMA. */
static void change_both(const struct ptebatch_space *space)
{
	unsigned long bytes = space->row.nr * PAGE_SIZE;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct ptebatch_place *place = &space->places[i];

		if (!has_vma(place))
			continue;
		ptebatch_change(place->mm, place->start, place->start + bytes,
				&ptebatch_protections[PTEBATCH_TO_READABLE], false);
		ptebatch_change(place->mm, place->start, place->start + bytes,
				&ptebatch_protections[PTEBATCH_TO_WRITABLE], false);
	}
}

static void expect_end(const struct ptebatch_trial *trial, enum end end)
{
	const u16 flags = PTEBATCH_DIRTY | PTEBATCH_YOUNG | PTEBATCH_EXCLUSIVE;
	const struct ptebatch_row *was = &trial->space->row;
	unsigned int i, wrong = 0;

	for (i = 0; i < was->nr; i++) {
		const struct ptebatch_entry *is = &trial->after.row.entries[i];
		bool keeps = end == KEEPS || (end == KEEPS_ODD && i % 2);
		bool same = is->folio == was->entries[i].folio &&
			    is->page == was->entries[i].page;

		if (end == GONE)
			wrong += is->kind != PTEBATCH_NONE;
		else if (end == UNWRITTEN)
			wrong += is->kind != PTEBATCH_READABLE || !same ||
				 is->flags & PTEBATCH_EXCLUSIVE;
		else
			wrong += is->kind != PTEBATCH_WRITABLE || is->flags != flags ||
				 is->folio == PTEBATCH_NO_FOLIO || same != keeps ||
				 trial->after.row.folios[is->folio].made == keeps;
	}
	if (wrong)
		ptebatch_trial_print(trial, "leaves pages that are wrongly shared, kept or copied");
}

static void run_step(struct ptebatch_trial *trial, char step)
{
	const struct ptebatch_space *space = trial->space;
	int failed = 0;

	switch (step) {
	case 'P':
	case 'p':
		failed = write_values(&space->places[0], space->row.nr, step == 'p' ? 2 : 1,
				      PARENT);
		break;
	case 'C':
	case 'c':
		failed = write_values(&space->places[1], space->row.nr, step == 'c' ? 2 : 1,
				      CHILD);
		break;
	case 'U':
		change_both(space);
		break;
	case 'X':
		failed = unmap_in(&space->places[1], 0, space->row.nr);
		break;
	}
	KUNIT_EXPECT_EQ_MSG(trial->test, failed, 0, "step %c failed", step);
}

static void shared_write(struct kunit *test)
{
	const struct share_row *row = test->param_value;
	const struct ptebatch_setup setup = { row->picture, .prot = RW, .lru = true };
	struct ptebatch_trial *trial;
	const char *step;
	long err;

	if (strpbrk(row->picture, "{[") && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, NO_LARGE_FOLIOS);
	trial = ptebatch_op_begin(test, &ptebatch_dup_mmap, &setup, false);
	ptebatch_op_second(trial, &ptebatch_dup_mmap, &trial->space->places[1]);
	strscpy(trial->function, "a write fault after fork()");
	trial->call.model = NULL;
	trial->second->call.model = NULL;
	ptebatch_contents_fill(trial);
	init_values(trial->space);
	if (row->pinned) {
		ptebatch_folio_pin(trial->space->folios[0], 1);
		mm_flags_set(MMF_HAS_PINNED, trial->place->mm);
	}
	err = ptebatch_dup_mmap.call(&ptebatch_dup_mmap, trial->space, false);
	for (step = row->steps; *step && !err; step++)
		run_step(trial, *step);
	if (row->pinned)
		ptebatch_folio_pin(trial->space->folios[0], -1);
	KUNIT_EXPECT_EQ(test, err, 0);
	if (!ptebatch_trial_end(trial) || err)
		return;
	expect_end(trial, row->parent);
	expect_end(trial->second, row->child);
	expect_values(test, trial->space);
}

static struct kunit_case memory_wp_cases[] = {
	KUNIT_CASE_PARAM(write_fault, rows_gen_params),
	PTEBATCH_CASE_PARAMS(write_fault_order),
	KUNIT_CASE_PARAM(shared_write, share_rows_gen_params),
	{}
};

PTEBATCH_SUITE(memory_wp, memory_wp_cases, PTEBATCH_SWAP_SPACE);
