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
#include <linux/swap.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/protect.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/swap.h"
#include "../lib/space/folio.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* The reason to skip a case. */
#define NO_LARGE_FOLIOS \
	"no page of a large folio is reused without CONFIG_TRANSPARENT_HUGEPAGE"

static void put_in_batch(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	struct folio *folio = use->trial->space->folios[use->condition->value];

	KUNIT_ASSERT_TRUE(use->trial->test, folio_isolate_lru(folio));
	folio_putback_lru(folio);
}

static const struct ptebatch_condition_type in_lru_batch = {
	.name = "a folio is in a per-CPU LRU batch", .occur = put_in_batch,
};

static void make_async(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
#ifdef CONFIG_USERFAULTFD
	struct userfaultfd_ctx *uffd = use->trial->space->uffd->private_data;

	uffd->features |= UFFD_FEATURE_WP_ASYNC;
#endif
}

static const struct ptebatch_condition_type async = {
	.name = "userfaultfd write protection is asynchronous", .occur = make_async,
};

static void begin_flush(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	inc_tlb_flush_pending(use->trial->place->mm);
}

static void end_flush(struct ptebatch_use *use)
{
	dec_tlb_flush_pending(use->trial->place->mm);
}

static const struct ptebatch_condition_type flush_pending = {
	.name = "another TLB flush of the mm is pending", .occur = begin_flush,
	.end = end_flush,
};

#define IN_LRU_BATCH(folio)	{ .type = &in_lru_batch, .value = (folio) }
#define ASYNC			{ .type = &async }
#define FLUSH_PENDING		{ .type = &flush_pending }

static void expect_flush(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	KUNIT_EXPECT_NE_MSG(trial->test, trial->secondary.flushes, 0,
			    PTEBATCH_RULE_TLB ": flushes by %s", trial->function);
}

/* As GUP and as a CPU fault, without access to the page after the fault. */
static long fault(const struct ptebatch_op *op, struct ptebatch_space *space,
		  bool twin)
{
	unsigned long addr = ptebatch_addr(space, op->arg);
	struct mm_struct *mm = space->places[0].mm;
	vm_fault_t ret;

	/* A page without struct page is copied through its address. */
	if (space->setup.vma & VM_MIXEDMAP)
		kthread_use_mm(mm);
	mmap_read_lock(mm);
	ret = handle_mm_fault(vma_lookup(mm, addr), addr, FAULT_FLAG_REMOTE | op->prot, NULL);
	mmap_read_unlock(mm);
	if (space->setup.vma & VM_MIXEDMAP)
		kthread_unuse_mm(mm);
	return ret & VM_FAULT_ERROR ? vm_fault_to_errno(ret, 0) : 0;
}

static const struct ptebatch_op write = {
	.function = "a write fault", .call = fault, .prot = FAULT_FLAG_WRITE,
};

/* Before a pin for reading. */
static const struct ptebatch_op unshare = {
	.function = "an unshare fault", .call = fault, .prot = FAULT_FLAG_UNSHARE,
};

/*
 * @arg is the entry of a write fault, and @after what this entry becomes, "~" if it
 * maps a new folio, or a whole row. Without @prot, the VMA is readable and writable.
 */
static const struct ptebatch_case rows[] = {
	/* Large folios. */
	{ "64K folio, exclusive: reused", { "{Rdyx*16}" }, "Wdyx", .arg = 5 },
	{ "64K folio, exclusive, referenced: reused",
	  { "{Rdyx*16}" }, "Wdyx", .arg = 5, .with = { REFERENCED(0) } },
	{ "64K folio, exclusive, pinned: reused",
	  { "{Rdyx*16}" }, "Wdyx", .arg = 5, .with = { PINNED(0) } },
	{ "64K folio, not exclusive, no other use: page reused, only it exclusive",
	  { "{Rdy*16}" }, "Wdyx", .arg = 5 },
	{ "64K folio, not exclusive, clean and old: page reused, dirty and young",
	  { "{R*16}" }, "Wdyx", .arg = 5 },
	{ "64K folio, not exclusive, referenced: page copied",
	  { "{Rdy*16}" }, "~Wdyx", .arg = 5, .with = { REFERENCED(0) } },
	{ "64K folio, not exclusive, pinned: page copied",
	  { "{Rdy*16}" }, "~Wdyx", .arg = 5, .with = { PINNED(0) } },
	{ "64K folio, not exclusive, isolated from the LRU lists: page copied",
	  { "{Rdy*16}" }, "~Wdyx", .arg = 5, .with = { ISOLATED(0) } },
	{ "64K folio, first half exclusive, write to the second: page reused",
	  { "{Wdyx*8 Rdy*8}" }, "Wdyx", .arg = 12 },
	{ "64K folio, first half exclusive, referenced, write to the second: page copied",
	  { "{Wdyx*8 Rdy*8}" }, "~Wdyx", .arg = 12, .with = { REFERENCED(0) } },
	{ "64K folio, one page mapped: page copied, folio freed",
	  { "{.*5 Rdy .*10}" }, "~Wdyx" },
	{ "64K folio, two pages mapped: page reused",
	  { "{.*5 Rdy*2 .*9}" }, "Wdyx" },
	{ "64K folio in two VMAs: page reused",
	  { "{Rdy*8 ; Rdy*8}" }, "Wdyx", .arg = 5 },
	{ "64K folio across a page table boundary: page reused",
	  { "@-8 {Rdy*16}" }, "Wdyx", .arg = 9 },
	{ "64K folio, mlocked, referenced: page copied, copy mlocked",
	  { "{Rdy*16}", .vma = VM_LOCKED, .folios = FOLIOS_MLOCKED }, "~Wdyx", .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "64K folio, executable, protection key 3, referenced: page copied with both",
	  { "{Rdy*16}", .prot = RW | PROT_EXEC, .pkey = 3 }, "~Wdyx", .arg = 5,
	  .with = { REFERENCED(0) } },

	/* Shared with a child. */
	{ "64K folio shared with a child: page copied, child's page unchanged",
	  { "{Wdyx*16}", .twice = true }, "~Wdyx", .arg = 5 },
	{ "64K folio shared with a child that exits: page reused",
	  { "{Wdyx*16}", .twice = true }, "Wdyx", .arg = 5,
	  .with = { CHILD_LACKS(0, 16) } },
	{ "64K folio, child keeps page 9, write to page 5: page copied",
	  { "{Wdyx*16}", .twice = true }, "~Wdyx", .arg = 5,
	  .with = { CHILD_LACKS(0, 9), CHILD_LACKS(10, 6) } },
	{ "64K folio, child keeps page 9, write to page 9: page copied",
	  { "{Wdyx*16}", .twice = true }, "~Wdyx", .arg = 9,
	  .with = { CHILD_LACKS(0, 9), CHILD_LACKS(10, 6) } },
	{ "small folios shared with a child: page copied",
	  { "Wdyx*16", .twice = true }, "~Wdyx", .arg = 5 },
	{ "small folios shared with a child that exits: page reused",
	  { "Wdyx*16", .twice = true }, "Wdyx", .arg = 5, .with = { CHILD_LACKS(0, 16) } },
	{ "small folios, child keeps page 9, write to page 5: page reused",
	  { "Wdyx*16", .twice = true }, "Wdyx", .arg = 5,
	  .with = { CHILD_LACKS(0, 9), CHILD_LACKS(10, 6) } },

	/* The swap cache. */
	{ "64K folio in the swap cache: removed from it, page reused",
	  { "{Rdy*16}", .folios = WITH_SWAP }, "Wdyx", .arg = 5, .with = { UNLOCKED } },
	{ "64K folio in the swap cache, second half swap entries: page copied",
	  { "{Rdy*8 S*8}", .folios = WITH_SWAP }, "~Wdyx", .arg = 5, .with = { UNLOCKED } },
	{ "64K folio in the swap cache, exclusive: page reused",
	  { "{Rdyx*16}", .folios = WITH_SWAP }, "Wdyx", .arg = 5, .with = { UNLOCKED } },
	{ "64K folio in the swap cache, one page mapped: page copied, folio freed",
	  { "{.*5 Rdy .*10}", .folios = WITH_SWAP }, "~Wdyx", .with = { UNLOCKED } },
	{ "small folio in the swap cache: removed from it, reused",
	  { "Rdy*3", .folios = WITH_SWAP }, "Wdyx", .arg = 1, .with = { UNLOCKED } },
	{ "small folio in the swap cache, referenced: copied",
	  { "Rdy*3", .folios = WITH_SWAP }, "~Wdyx", .arg = 1,
	  .with = { UNLOCKED, REFERENCED(1) } },

	/* Small folios, and pages that are never reused. */
	{ "small folio, no other use: reused", { "Rdy*3" }, "Wdyx", .arg = 1 },
	{ "small folio, referenced: copied",
	  { "Rdy*3" }, "~Wdyx", .arg = 1, .with = { REFERENCED(1) } },
	{ "small folio in a per-CPU LRU batch: reused",
	  { "Rdy*3" }, "Wdyx", .arg = 1, .with = { IN_LRU_BATCH(1) } },
	{ "small folio isolated from the LRU lists: copied",
	  { "Rdy*3" }, "~Wdyx", .arg = 1, .with = { ISOLATED(1) } },
	{ "KSM page: copied", { "Rdy Rdyk Rdy" }, "~Wdyx", .arg = 1 },
	{ "zero page: copied", { "Rzy*3" }, "~Wdyx", .arg = 1 },
	{ "zero page of KSM: copied, and no longer counted",
	  { "Rdzy*3" }, "~Wdyx", .arg = 1 },
	{ "special PTE: copied through its address",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .vma = VM_MIXEDMAP }, "~Wdyx", .arg = 5 },
	{ "private file, 64K folio of the page cache: page copied",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE }, "~Wdyx", .arg = 5 },
	{ "private file, 64K copy: page reused",
	  { "{Rdyx*16}", PTEBATCH_PRIVATE_FILE }, "Wdyx", .arg = 5 },

	/* Shared mappings: no page is copied. */
	{ "file with write notification, 64K folio: PTE writable, dirty",
	  { "{Ry*16}", PTEBATCH_FILE }, "Wdy", .arg = 5 },
	{ "shmem, 64K folio: PTE writable, dirty",
	  { "{Ry*16}", PTEBATCH_SHMEM }, "Wdy", .arg = 5 },
	{ "shmem, special PTE: writable, dirty",
	  { "{Ry*4 Rpy*4 Ry*8}", PTEBATCH_SHMEM, .vma = VM_MIXEDMAP }, "Wdpy", .arg = 5 },

	/* Soft-dirty, userfaultfd. */
	{ "soft-dirty tracked, 64K folio, exclusive: reused, soft-dirty",
	  { "{Rdyx*16}", .track = true }, "Wdysx", .arg = 5 },
	{ "soft-dirty tracked, 64K folio, referenced: page copied, soft-dirty",
	  { "{Rdy*16}", .track = true }, "~Wdysx", .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "uffd-wp, no reader: -EFAULT",
	  { "{Rdyux*16}", .uffd = UFFD_WP }, .arg = 5, .ret = -EFAULT },
	{ "uffd-wp, asynchronous, exclusive: reused, no longer uffd-wp",
	  { "{Rdyux*16}", .uffd = UFFD_WP | NO_REMAP_EVENT }, "Wdyx",
	  .arg = 5, .with = { ASYNC } },
	{ "uffd-wp, asynchronous, 64K folio, referenced: page copied, not uffd-wp",
	  { "{Rdyu*16}", .uffd = UFFD_WP | NO_REMAP_EVENT }, "~Wdyx",
	  .arg = 5, .with = { REFERENCED(0), ASYNC } },
	{ "userfaultfd registered, page not uffd-wp: reused",
	  { "{Rdyux*5 Rdyx Rdyux*10}", .uffd = UFFD_WP }, "Wdyx", .arg = 5 },
	{ "userfaultfd registered, TLB flush pending: flushed",
	  { "{Rdyux*5 Rdyx Rdyux*10}", .uffd = UFFD_WP }, "Wdyx", .arg = 5,
	  .with = { FLUSH_PENDING }, .check = expect_flush },

	/* FOLL_FORCE. Folios smaller than a contpte block, as the dirty bit would spread. */
	{ "read-only VMA, forced, exclusive: dirty, stays read-only",
	  { "{Ryx*8}", .prot = RO }, "Rdyx", .arg = 5 },
	{ "read-only VMA, forced, no other use: page exclusive, stays read-only",
	  { "{Ry*8}", .prot = RO }, "Rdyx", .arg = 5 },
	{ "read-only VMA, forced, referenced: page copied, read-only",
	  { "{Ry*16}", .prot = RO }, "~Rdyx", .arg = 5, .with = { REFERENCED(0) } },

	/* FAULT_FLAG_UNSHARE: GUP pins pages for reading only if they are exclusive. */
	{ "unshare, exclusive: unchanged",
	  { "{Rdyx*16}" }, .op = &unshare, .arg = 5 },
	{ "unshare, writable: unchanged",
	  { "{Wdyx*16}" }, .op = &unshare, .arg = 5 },
	{ "unshare, 64K folio, no other use: page exclusive, stays read-only",
	  { "{Rdy*16}" }, "Rdyx", .op = &unshare, .arg = 5 },
	{ "unshare, 64K folio shared with a child: page copied, read-only and clean",
	  { "{Wdyx*16}", .twice = true }, "~Ryx", .op = &unshare, .arg = 5 },
	{ "unshare, 64K folio, read-only VMA, referenced: page copied, read-only",
	  { "{Rdy*16}", .prot = RO }, "~Ryx", .op = &unshare, .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "unshare, small folio, no other use: exclusive, stays read-only",
	  { "Rdy*3" }, "Rdyx", .op = &unshare, .arg = 1 },
	{ "unshare, soft-dirty: copied, soft-dirty",
	  { "{Rdys*16}", .track = true }, "~Rysx", .op = &unshare, .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "unshare, not soft-dirty: copied, not soft-dirty",
	  { "{Rdy*16}", .track = true }, "~Ryx", .op = &unshare, .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "unshare, uffd-wp: copied, uffd-wp",
	  { "{Rdyu*16}", .uffd = UFFD_WP }, "~Ryux", .op = &unshare, .arg = 5,
	  .with = { REFERENCED(0) } },
	{ "unshare, zero page: copied",
	  { "Rzy*3" }, "~Ryx", .op = &unshare, .arg = 1 },
	{ "unshare, private file, 64K folio of the page cache: page copied",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE }, "~Ryx", .op = &unshare, .arg = 5 },
	{ "unshare, shmem, 64K folio: unchanged",
	  { "{Ry*16}", PTEBATCH_SHMEM }, .op = &unshare, .arg = 5 },

	/* Failures, and other threads. */
	{ "64K folio, referenced, no memory for the copy: -ENOMEM, unchanged",
	  { "{Rdy*16}" }, .arg = 5, .ret = -ENOMEM,
	  .with = { REFERENCED(0), NO_FOLIO(1) } },
	{ "zero page, no memory for the copy: -ENOMEM, unchanged",
	  { "Rzy*3" }, .arg = 1, .ret = -ENOMEM, .with = { NO_FOLIO(1) } },
	{ "64K folio, referenced, page table gone before the copy: unchanged",
	  { "{Rdy*16}" }, .arg = 5,
	  .with = { REFERENCED(0), TABLE_LOST, NEW_FOLIO_FREED } },
	{ "small folio, referenced, becomes old before the copy: not copied",
	  { "Rdy*3" }, "Rdy Rd Rdy", .arg = 1,
	  .with = { REFERENCED(1), PTES_BECOME("Rdy Rd Rdy"), NEW_FOLIO_FREED } },

	/* PMDs. */
	{ "PMD, exclusive: reused", { "[Rdyx]" }, "[Wdyx]", .arg = 7 },
	{ "PMD, not exclusive, no other use: reused, exclusive",
	  { "[Rdy]" }, "[Wdyx]", .arg = 7 },
	{ "PMD, not exclusive, in the swap cache: removed from it, reused",
	  { "[Rdy]", .folios = WITH_SWAP }, "[Wdyx]", .arg = 7, .with = { UNLOCKED } },
	{ "PMD, not exclusive, referenced: split, page copied",
	  { "[Rdy]" }, "~{Wdyx} {. Rdy*T-1}", .with = { REFERENCED(0) } },
	{ "PMD, shared with a child: split, page copied",
	  { "[Wdyx]", .twice = true }, "~{Wdyx} {. Rdy*T-1}" },
	{ "PMD, shared with a child that exits: reused",
	  { "[Wdyx]", .twice = true }, "[Wdyx]", .arg = 7,
	  .with = { CHILD_LACKS(0, PTRS_PER_PTE) } },
	{ "unshare, PMD, exclusive: unchanged",
	  { "[Rdyx]" }, .op = &unshare, .arg = 7 },
	{ "unshare, PMD, not exclusive, no other use: exclusive, stays read-only",
	  { "[Rdy]" }, "[Rdyx]", .op = &unshare, .arg = 7 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* Is @after what one entry becomes, and not a whole row? */
static bool is_entry(const char *after)
{
	return after && !strpbrk(after, " [");
}

/* Does one entry change, and as stated? */
static bool expect_entry(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	struct ptebatch_row *expected = ptebatch_picture(trial->test, row->setup.picture);
	const struct ptebatch_row *becomes = ptebatch_picture(trial->test, row->after);
	struct ptebatch_entry *entry = &expected->entries[row->arg];
	bool copied = becomes->nr_folios && becomes->folios[0].made;
	const struct ptebatch_row *got = &trial->after.row;

	memcpy(expected->entries, trial->before.row.entries, sizeof(expected->entries));
	entry->kind = becomes->entries[0].kind;
	entry->flags = becomes->entries[0].flags;
	if (copied) {
		/* The only new folio is the last one. */
		entry->folio = got->nr_folios - 1;
		entry->page = 0;
	}
	if (ptebatch_trial_allows(trial, expected) &&
	    (entry->folio == PTEBATCH_NO_FOLIO || got->folios[entry->folio].made == copied))
		return true;
	KUNIT_FAIL(trial->test, "%s: entry %lu is not %s, or another one has changed",
		   trial->function, row->arg, row->after);
	ptebatch_print_row(trial->test, "before", &trial->before.row, NULL);
	ptebatch_print_row(trial->test, "got", got, trial->differs);
	return false;
}

static bool expect_result(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	if (is_entry(row->after))
		return expect_entry(trial, row);
	return row->after ? ptebatch_trial_expect(trial, row->after) :
			    ptebatch_trial_untouched(trial);
}

/*
 * Rule 12: what mprotect() makes writable, a write fault reuses. Run mprotect() on
 * an equal address space.
 */
static void expect_as_mprotect(struct kunit *test, const struct ptebatch_trial *faulted,
			       const struct ptebatch_case *row)
{
	const struct ptebatch_entry *written = &faulted->after.row.entries[row->arg];
	struct ptebatch_case mprotect = *row;
	const struct ptebatch_entry *upgraded;
	bool passes = true;

	mprotect.op = &ptebatch_protections[PTEBATCH_TO_WRITABLE];
	mprotect.arg = 0;
	/* The model of mprotect() is not one of the child. */
	mprotect.second = NULL;
	upgraded = &ptebatch_case_call(test, &mprotect, false,
				       &passes)->after.row.entries[row->arg];
	if (!passes || upgraded->kind != PTEBATCH_WRITABLE)
		return;
	KUNIT_EXPECT_TRUE_MSG(test, written->kind == PTEBATCH_WRITABLE &&
			      written->folio == upgraded->folio &&
			      written->page == upgraded->page &&
			      written->flags & upgraded->flags & PTEBATCH_EXCLUSIVE,
			      PTEBATCH_RULE_FAULTS ": mprotect() upgrades a page that faults copy");
}

static bool check_row(struct kunit *test, const struct ptebatch_case *row, bool compare)
{
	struct ptebatch_case fault = *row;
	struct ptebatch_trial *trial;
	bool passes = true;

	if (strpbrk(row->setup.picture, "{[") && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, NO_LARGE_FOLIOS);
	fault.op = row->op ?: &write;
	fault.setup.prot = row->setup.prot ?: RW;
	fault.setup.folios |= ON_LRU;
	fault.second = row->setup.twice ? PTEBATCH_UNCHANGED : NULL;
	fault.filled = true;
	trial = ptebatch_case_call(test, &fault, false, &passes);
	passes &= expect_result(trial, &fault);
	if (trial->second)
		ptebatch_trial_untouched(trial->second);
	if (row->check)
		row->check(trial, row);
	if (passes && compare)
		expect_as_mprotect(test, trial, &fault);
	return passes;
}

static void write_fault(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;

	/* What fails or happens once would happen to mprotect(), too. */
	check_row(test, row, !row->op && !row->check && is_entry(row->after) &&
		  row->setup.prot != RO && !ptebatch_shared(row->setup.mapping));
}

/* Each order: pages of a folio. */

/* Pictures of a page. */
static const struct ptebatch_case kinds[] = {
	{ "not exclusive, no other use: page reused", { "Rdy" }, "Wdyx" },
	{ "not exclusive, referenced: page copied",
	  { "Rdy" }, "~Wdyx", .with = { REFERENCED(1) } },
	{ "shared with a child: page copied", { "Wdyx", .twice = true }, "~Wdyx" },
	{ "shared with a child that exits: page reused",
	  { "Wdyx", .twice = true }, "Wdyx", .with = { CHILD_LACKS(0, U16_MAX) } },
};

PTEBATCH_ORDER_PARAMS(write_fault_order, kinds);

static void write_fault_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	struct ptebatch_case row = *(const struct ptebatch_case *)param->kind;
	unsigned int nr = 1U << param->order;
	const char *page = row.setup.picture;

	/* Other pages of the row show that no other entry changes. */
	row.setup.picture = ptebatch_draw(test, "%s {%s*%u} %s", page, page, nr, page);
	/* The first, middle and last page; of large orders one of these. */
	row.arg = nr > 16 ? 1 + nr / 2 * (param->order % 3) - (param->order % 3 == 2) : 1;
	for (; row.arg <= nr; row.arg += nr > 16 ? nr : max(1, (nr - 1) / 2))
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
	  "{Wdyx*16}", "P", .parent = COPIES, .child = UNWRITTEN },
	{ "64K folio, child writes: copied for the child, parent's unchanged",
	  "{Wdyx*16}", "C", .parent = UNWRITTEN, .child = COPIES },
	{ "64K folio, parent writes, then child: child keeps the folio",
	  "{Wdyx*16}", "PC", .parent = COPIES, .child = KEEPS },
	{ "64K folio, child writes, then parent: parent keeps the folio",
	  "{Wdyx*16}", "CP", .parent = KEEPS, .child = COPIES },
	{ "64K folio, mprotect(), parent writes, then child: child keeps the folio",
	  "{Wdyx*16}", "UPC", .parent = COPIES, .child = KEEPS },
	{ "64K folio, parent writes, mprotect(), child writes: child keeps the folio",
	  "{Wdyx*16}", "PUC", .parent = COPIES, .child = KEEPS },
	{ "64K folio, child exits, parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XP", .parent = KEEPS, .child = GONE },
	{ "64K folio, child exits, mprotect(), parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XUP", .parent = KEEPS, .child = GONE },
	{ "64K folio, parent writes even pages, child exits, parent writes: odd pages kept",
	  "{Wdyx*16}", "pXP", .parent = KEEPS_ODD, .child = GONE },
	{ "64K folio, parent writes even pages, mprotect(), child exits, parent writes: same",
	  "{Wdyx*16}", "pUXUP", .parent = KEEPS_ODD, .child = GONE },
	{ "64K folio, parent writes even pages, child all, parent all: parent keeps odd pages",
	  "{Wdyx*16}", "pCP", .parent = KEEPS_ODD, .child = COPIES },
	{ "small folios, parent writes, then child: child keeps them",
	  "Wdyx*4", "PC", .parent = COPIES, .child = KEEPS },
	{ "small folios, child exits, mprotect(), parent writes: parent keeps them",
	  "Wdyx*4", "XUP", .parent = KEEPS, .child = GONE },
	{ "64K folio, pinned, child writes, then parent: parent keeps the folio",
	  "{Wdyx*16}", "CP", .parent = KEEPS, .child = COPIES, .pinned = true },
	{ "64K folio, pinned, mprotect(), parent writes, then child: parent keeps the folio",
	  "{Wdyx*16}", "UPC", .parent = KEEPS, .child = COPIES, .pinned = true },
	{ "64K folio, pinned, child exits, mprotect(), parent writes: parent keeps the folio",
	  "{Wdyx*16}", "XUP", .parent = KEEPS, .child = GONE, .pinned = true },
	{ "small folio, pinned, mprotect(), parent writes, then child: parent keeps it",
	  "Wdyx", "UPC", .parent = KEEPS, .child = COPIES, .pinned = true },
	{ "PMD, parent writes, then child: child keeps the folio",
	  "[Wdyx]", "PC", .parent = COPIES, .child = KEEPS },
	{ "PMD, pinned, mprotect(), child writes, then parent: parent keeps the folio",
	  "[Wdyx]", "UCP", .parent = KEEPS, .child = COPIES, .pinned = true },
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

/* mprotect(PROT_READ), then mprotect(PROT_READ | PROT_WRITE), without the VMA. */
static void change_both(const struct ptebatch_space *space)
{
	unsigned long bytes = space->row.nr * PAGE_SIZE;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct ptebatch_place *place = &space->places[i];

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
		ptebatch_zap_pages(&space->places[1], 0, space->row.nr);
		break;
	}
	KUNIT_EXPECT_EQ_MSG(trial->test, failed, 0, "step %c failed", step);
}

static void shared_write(struct kunit *test)
{
	const struct share_row *row = test->param_value;
	const struct ptebatch_setup setup = { row->picture, .prot = RW, .folios = ON_LRU };
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
