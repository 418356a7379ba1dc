// SPDX-License-Identifier: GPL-2.0
/*
 * Rules 5 and 12, with real writes after mprotect(): a write does not fault
 * unless there is a reason for a write fault, and faults exactly once for any
 * combination of reasons. A NUMA hint adds one fault for each folio.
 *
 * Entries, too: those that mprotect() makes writable are as after a write fault,
 * and those that a NUMA hinting fault restores are as before the hint. A folio that
 * NUMA hinting skips gets no hint.
 */
#include "../lib/twin/names.h"
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pgalloc.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/advise.h"
#include "../lib/op/protect.h"
#include "../lib/record/stat.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/service.h"
#include "../lib/space/pte.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Without the hardware, the first write to a clean writable page faults. */
static const char *hardware_missing(const struct ptebatch_condition *condition)
{
	return arch_has_hw_pte_young() ? NULL :
	       "the hardware does not set accessed and dirty";
}

static const struct ptebatch_condition_type hardware_bits = {
	.name = "the hardware sets accessed and dirty", .missing = hardware_missing,
};

#define HARDWARE_BITS	{ .type = &hardware_bits }

#define TO_NONE		(&ptebatch_protections[PTEBATCH_TO_NONE])
#define TO_WRITABLE	(&ptebatch_protections[PTEBATCH_TO_WRITABLE])
#define TO_WRITABLE_LATER	(&ptebatch_protections[PTEBATCH_TO_WRITABLE_LATER])
#define NUMA_HINT	(&ptebatch_protections[PTEBATCH_NUMA_HINT])

/* Without @op: TO_WRITABLE. */
static const struct ptebatch_case rows[] = {
	{ "exclusive dirty pages: writes do not fault",
	  { "{Rdyx*16}", .prot = RO } },
	{ "exclusive dirty pages, from PROT_NONE: writes do not fault",
	  { "{Ndyx*16}" } },
	{ "soft-dirty tracked, pages soft-dirty: writes do not fault",
	  { "{Rdysx*16}", .prot = RO, .track = true } },
	{ "small folios, every other one shared: only writes to shared ones fault",
	  { "Rdyx Rdy Rdyx Rdy", .prot = RO } },
	{ "PMD, exclusive and dirty: the write does not fault",
	  { "[Rdyx]", .prot = RO } },
	{ "exclusive clean pages: writes do not fault",
	  { "{Ryx*16}", .prot = RO }, .with = { HARDWARE_BITS } },
	{ "private file, clean COW copy: writes do not fault",
	  { "{Ryx*16}", PTEBATCH_PRIVATE_FILE, RO }, .with = { HARDWARE_BITS } },
	{ "shmem, clean and dirty pages: writes do not fault",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO } },
	{ "file with write notification, dirty pages: writes do not fault",
	  { "{Rdy*16}", PTEBATCH_FILE, RO } },

	/* Each reason for a write fault, and all pairs; shared: not AnonExclusive. */
	{ "shared: each write faults once", { "{Rdy*16}", .prot = RO } },
	{ "not soft-dirty: each write faults once",
	  { "{Rdyx*16}", .prot = RO, .track = true } },
	{ "uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP } },
	{ "write notification: each write faults once",
	  { "{Ry*16}", PTEBATCH_FILE, RO } },
	{ "PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyx*16}", .prot = RO }, .op = TO_NONE },
	{ "NUMA hint: only the first write faults",
	  { "{Wdyx*16}", .prot = RW }, .op = NUMA_HINT },
	{ "shared, not soft-dirty: each write faults once",
	  { "{Rdy*16}", .prot = RO, .track = true } },
	{ "shared, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyu*16}", .prot = RO, .uffd = UFFD_WP } },
	{ "shared, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdy*16}", .prot = RO }, .op = TO_NONE },
	{ "shared, NUMA hint: first write faults twice, the rest once",
	  { "{Rdy*16}", .prot = RO }, .op = NUMA_HINT },
	{ "not soft-dirty, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .track = true, .uffd = UFFD_WP } },
	{ "not soft-dirty, write notification: each write faults once",
	  { "{Ry*16}", PTEBATCH_FILE, RO, .track = true } },
	{ "not soft-dirty, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyx*16}", .prot = RO, .track = true }, .op = TO_NONE },
	{ "not soft-dirty, NUMA hint: first write faults twice, the rest once",
	  { "{Rdyx*16}", .prot = RO, .track = true }, .op = NUMA_HINT },
	{ "uffd-wp, write notification: each write faults once and fails with -EFAULT",
	  { "{Ryu*16}", PTEBATCH_FILE, RO, .uffd = UFFD_WP } },
	{ "uffd-wp, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP }, .op = TO_NONE },
	{ "uffd-wp, NUMA hint: first write faults twice, the rest once, all -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP }, .op = NUMA_HINT },
	{ "write notification, PROT_NONE: writes fail with -EFAULT",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, .op = TO_NONE },
	{ "write notification, NUMA hint: first write faults twice, the rest once",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, .op = NUMA_HINT },

	{ "shared, not soft-dirty, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyu*16}", .prot = RO, .track = true, .uffd = UFFD_WP } },
	{ "second half shared: only writes to the second half fault",
	  { "{Rdyx*8 Rdy*8}", .prot = RO } },
	{ "4 pages each: no reason, not soft-dirty, uffd-wp, shared: 12 writes fault once",
	  { "{Rdysx*4 Rdyx*4 Rdysux*4 Rdys*4}", .prot = RO, .track = true,
	    .uffd = UFFD_WP } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* The number of faults that a write to entry @i must cause. */
static unsigned int expected_faults(const struct ptebatch_case *row,
				    const struct ptebatch_space *space,
				    unsigned int i)
{
	const struct ptebatch_call call = ptebatch_op_call(TO_WRITABLE, &row->setup);
	struct ptebatch_allowed allowed;

	/* The architecture rejects the access before PGFAULT is counted. */
	if (row->op == TO_NONE)
		return 0;
	ptebatch_model_protect(&call, &space->row.entries[i], &allowed);
	/* One NUMA hinting fault handles the whole folio. */
	return (row->op == NUMA_HINT && !i) +
	       (allowed.kinds == BIT(PTEBATCH_READABLE));
}

static void write_page(struct kunit *test, const struct ptebatch_space *space,
		       unsigned int i)
{
	const struct ptebatch_case *row = test->param_value;
	char __user *addr = (char __user *)ptebatch_addr(space, i);
	unsigned long faults;
	/* The VMA has no userfaultfd_ctx: its uffd-wp faults raise SIGBUS. */
	bool refused = row->op == TO_NONE ||
		       space->row.entries[i].flags & PTEBATCH_UFFD;
	int err;

	faults = ptebatch_events(PGFAULT);
	err = put_user(1, addr);
	faults = ptebatch_events(PGFAULT) - faults;

	KUNIT_EXPECT_EQ_MSG(test, faults, expected_faults(row, space, i),
			    PTEBATCH_RULE_FAULTS ": put_user() to entry %u of %s",
			    i, space->setup.picture);
	KUNIT_EXPECT_EQ_MSG(test, err, refused ? -EFAULT : 0,
			    PTEBATCH_RULE_WRITABLE ": put_user() to entry %u of %s",
			    i, space->setup.picture);
}

/* A PMD is one entry: write to its first page only. */
static unsigned int write_step(const struct ptebatch_space *space)
{
	return space->row.folios[0].pmd ? PTRS_PER_PTE : 1;
}

static void mprotect_fault(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;
	const struct ptebatch_op *op = row->op ?: TO_WRITABLE;
	const char *missing = ptebatch_op_missing(op);
	struct ptebatch_space *space;
	unsigned long start, end;
	unsigned int step, i;

	if (missing)
		kunit_skip(test, "%s", missing);
	ptebatch_conditions_need(test, row->with);
	space = ptebatch_space(test, &row->setup);
	start = ptebatch_addr(space, 0);
	end = ptebatch_addr(space, space->row.nr);
	if (op == NUMA_HINT)
		op->call(op, space, false);
	else
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_mprotect(space->places[0].mm, start,
						  end, op->prot));
	step = write_step(space);
	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < space->row.nr; i += step)
		write_page(test, space, i);
	kthread_unuse_mm(space->places[0].mm);
}

/*
 * Rules 5 and 12: mprotect() does what the write fault would do. The same row is
 * made writable with and without MM_CP_TRY_CHANGE_WRITABLE. After a write to
 * each page, with fewer faults in the first case, the entries are the same.
 */

/* @ret: the number of faults that mprotect() avoids. */
static const struct ptebatch_case same_rows[] = {
	{ "exclusive dirty pages: 16 faults avoided, entries as after faults",
	  { "{Rdyx*16}", .prot = RO }, .ret = 16 },
	{ "exclusive clean pages: 16 faults avoided, entries as after faults",
	  { "{Ryx*16}", .prot = RO }, .ret = 16, .with = { HARDWARE_BITS } },
	{ "exclusive old pages, from PROT_NONE: 16 faults avoided, entries as after faults",
	  { "{Ndx*16}" }, .ret = 16, .with = { HARDWARE_BITS } },
	{ "exclusive and shared runs: 11 faults avoided, entries as after faults",
	  { "{Rdyx Rdy Rdyx*2 Rdy*4 Rdyx*8}", .prot = RO }, .ret = 11 },
	{ "soft-dirty tracked, 4 of 16 pages soft-dirty: 4 faults avoided, entries as after faults",
	  { "{Rdysx*4 Rdyx*12}", .prot = RO, .track = true }, .ret = 4 },
	{ "4 of 16 pages uffd-wp: 12 faults avoided, entries as after faults",
	  { "{Rdyux*4 Rdyx*12}", .prot = RO, .uffd = UFFD_WP }, .ret = 12 },
	{ "small folios, dirty, clean and shared: 2 faults avoided, entries as after faults",
	  { "Rdyx Ryx Rdy Ry", .prot = RO }, .ret = 2, .with = { HARDWARE_BITS } },
	{ "PMD, exclusive and dirty: 1 fault avoided, PMD as after a fault",
	  { "[Rdyx]", .prot = RO }, .ret = 1 },
	{ "write notification, dirty and clean folio: 8 faults avoided, entries as after faults",
	  { "{Rdy*8} {Ry*8}", PTEBATCH_FILE, RO }, .ret = 8 },
	{ "private file, COW copy and page cache: 4 faults avoided, entries as after faults",
	  { "{Rdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RO }, .ret = 4 },
};

KUNIT_ARRAY_PARAM_DESC(same_rows, same_rows, name);

static struct ptebatch_trial *change_and_write(struct kunit *test,
					       const struct ptebatch_op *op,
					       unsigned long *faults)
{
	const struct ptebatch_case *row = test->param_value;
	struct ptebatch_trial *trial;
	unsigned int i;
	int failed = 0;

	trial = ptebatch_trial_begin(test, op->function, &row->setup);
	op->call(op, trial->space, false);
	kthread_use_mm(trial->place->mm);
	*faults = ptebatch_events(PGFAULT);
	for (i = 0; i < trial->space->row.nr; i += write_step(trial->space))
		failed += !!put_user(1, (char __user *)ptebatch_addr(trial->space, i));
	*faults = ptebatch_events(PGFAULT) - *faults;
	kthread_unuse_mm(trial->place->mm);
	/* Writes to uffd-wp pages are refused: the VMA has no userfaultfd_ctx. */
	for (i = 0; i < trial->space->row.nr; i++)
		failed -= !!(trial->space->row.entries[i].flags & PTEBATCH_UFFD);
	KUNIT_EXPECT_EQ_MSG(test, failed, 0, "%d writes failed", failed);
	ptebatch_trial_stop(trial);
	return trial;
}

static void mprotect_same(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;
	struct ptebatch_trial *upgraded, *faulted;
	unsigned long few, many;

	ptebatch_conditions_need(test, row->with);
	upgraded = change_and_write(test, TO_WRITABLE, &few);
	faulted = change_and_write(test, TO_WRITABLE_LATER, &many);
	KUNIT_EXPECT_EQ_MSG(test, many - few, row->ret,
			    PTEBATCH_RULE_FAULTS ": %lu faults without the upgrade, %lu with it",
			    many, few);
	if (ptebatch_trial_allows(upgraded, &faulted->after.row))
		return;
	KUNIT_FAIL(test, PTEBATCH_RULE_WRITABLE ": a write fault leaves other entries");
	ptebatch_print_row(test, "fault", &faulted->after.row, NULL);
	ptebatch_print_row(test, "mprotect", &upgraded->after.row, upgraded->differs);
}

#if PTEBATCH_TABLES_ARE_PAGES
/*
 * Move two page tables, of @addr and of the next PMD, to physically adjacent
 * pages, so that an access beyond the end of one of them reaches the other.
 */
static void make_tables_adjacent(struct kunit *test, struct mm_struct *mm,
				 unsigned long addr)
{
	struct page *pages = alloc_pages(GFP_PGTABLE_USER, 1);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	split_page(pages, 1);
	mmap_write_lock(mm);
	for (i = 0; i < 2; i++, addr += PMD_SIZE) {
		pmd_t *pmd = ptebatch_find_pmd(mm, addr);
		pgtable_t old;

		if (!pmd || !pagetable_pte_ctor(mm, page_ptdesc(pages + i))) {
			__free_page(pages + i);
			continue;
		}
		old = pmd_pgtable(pmdp_get(pmd));
		memcpy(page_address(pages + i), page_address(old), PAGE_SIZE);
		pmd_populate(mm, pmd, pages + i);
		pte_free(mm, old);
	}
	mmap_write_unlock(mm);
}
#else
static void make_tables_adjacent(struct kunit *test, struct mm_struct *mm,
				 unsigned long addr)
{
	kunit_skip(test, "page tables are parts of pages: none is behind another");
}
#endif

/* Split the VMA at the range, and mprotect() the outer parts to PROT_NONE. */
static void protect_outside(struct kunit *test, const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	struct mm_struct *mm = space->places[0].mm;

	if (row->from)
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_mprotect(mm, ptebatch_addr(space, 0),
						  ptebatch_addr(space, row->from),
						  PROT_NONE));
	if (row->to < row->nr)
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_mprotect(mm, ptebatch_addr(space, row->to),
						  ptebatch_addr(space, row->nr),
						  PROT_NONE));
}

static long access(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	char __user *addr = (char __user *)ptebatch_addr(space, op->arg);
	struct mm_struct *mm = space->places[0].mm;
	struct ptebatch_op hint = *NUMA_HINT;
	char byte __maybe_unused;
	unsigned long faults;
	long err;

	if (space->row.first + space->row.nr > PTRS_PER_PTE)
		make_tables_adjacent(space->test, mm, space->places[0].start);
	protect_outside(space->test, space);
	hint.prot = space->setup.prot;
	hint.call(&hint, space, false);
	kthread_use_mm(mm);
	faults = ptebatch_events(PGFAULT);
	err = op->prot == PROT_WRITE ? put_user(1, addr) : get_user(byte, addr);
	faults = ptebatch_events(PGFAULT) - faults;
	kthread_unuse_mm(mm);
	KUNIT_EXPECT_EQ_MSG(space->test, faults, 1,
			    "%lu faults, expected one NUMA hinting fault", faults);
	return err;
}

static const char *hint_missing(void)
{
	return ptebatch_op_missing(NUMA_HINT);
}

static const struct ptebatch_op read = {
	.function = "the NUMA hinting fault", .call = access, .prot = PROT_READ,
	.missing = hint_missing, .no_twin = true, .vma_flags = VM_ACCESS_FLAGS,
};

static const struct ptebatch_op write = {
	.function = "the NUMA hinting fault", .call = access, .prot = PROT_WRITE,
	.missing = hint_missing, .no_twin = true, .vma_flags = VM_ACCESS_FLAGS,
};

/*
 * Rule 3: a NUMA hinting fault restores the entries of the folio that lie in
 * the VMA and in the page table, and no others. Outside of the range of each
 * picture are other VMAs, with PROT_NONE. @arg is the entry of a read.
 */
static const struct ptebatch_case hint_rows[] = {
	{ "64K folio, read: all entries become writable again",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .arg = 5 },
	{ "64K folio, write: all entries become writable again",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .op = &write, .arg = 15 },
	{ "64K folio, read-only exclusive pages, read: become writable",
	  { "{Rdyx*16}", .prot = RW }, "{Wdyx*16}" },
	{ "64K folio, second half shared, read of the first: second half stays read-only",
	  { "{Wdyx*8 Rdy*8}", .prot = RW }, "{Wdyx*8 Rdy*8}", .arg = 3 },
	{ "64K folio, second half shared, read of the second: first half becomes writable",
	  { "{Wdyx*8 Rdy*8}", .prot = RW }, "{Wdyx*8 Rdy*8}", .arg = 12 },
	{ "read-only VMA, exclusive dirty pages: stay read-only",
	  { "{Rdyx*16}", .prot = RO }, "{Rdyx*16}", .arg = 5 },
	{ "clean and old pages: stay clean, become young",
	  { "{Wx*8 Wdx*8}", .prot = RW }, "{Wyx*8 Wdyx*8}", .arg = 2 },
	{ "soft-dirty tracked, 4 of 16 pages soft-dirty: all others stay read-only",
	  { "{Wdysx*4 Rdyx*12}", .prot = RW, .track = true }, "{Wdysx*4 Rdyx*12}",
	  .arg = 9 },
	{ "4 of 16 pages uffd-wp: stay read-only",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_WP }, "{Rdyux*4 Wdyx*12}",
	  .arg = 9 },
	{ "4 of 16 pages uffd-rwp: stay PROT_NONE",
	  { "{Ndyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_RWP }, "{Ndyux*4 Wdyx*12}",
	  .arg = 9 },
	{ "64K folio with a hole of 3 pages: hole stays",
	  { "{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, "{Wdyx*5 -*3 Wdyx*8}", .arg = 9 },
	{ "last 13 pages of a 64K folio behind another folio: other folio stays PROT_NONE",
	  { "{Wdyx*4} {.*3 Wdyx*13}", .prot = RW }, "{Ndyx*4} {.*3 Wdyx*13}",
	  .arg = 6 },
	{ "first 13 pages of a 64K folio before another folio: other folio stays PROT_NONE",
	  { "{Wdyx*13 .*3} {Wdyx*4}", .prot = RW }, "{Wdyx*13 .*3} {Ndyx*4}",
	  .arg = 6 },
	{ "first of two physically adjacent folios: second stays PROT_NONE",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Wdyx*16} +{Ndyx*16}", .arg = 15 },
	{ "second of two physically adjacent folios: first stays PROT_NONE",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Ndyx*16} +{Wdyx*16}", .arg = 16 },
	{ "small folios: only the entry that is read changes",
	  { "Wdyx*3", .prot = RW }, "Ndyx Wdyx Ndyx", .arg = 1 },
	{ "64K folio partly before the VMA: pages before it stay PROT_NONE",
	  { "{Ndyx*5 | Wdyx*11 |}", .prot = RW }, "{Ndyx*5 Wdyx*11}", .arg = 9 },
	{ "64K folio partly after the VMA: pages after it stay PROT_NONE",
	  { "{| Wdyx*11 | Ndyx*5}", .prot = RW }, "{Wdyx*11 Ndyx*5}", .arg = 9 },
	{ "64K folio with one page in the VMA: all other pages stay PROT_NONE",
	  { "{Ndyx*8 | Wdyx | Ndyx*7}", .prot = RW }, "{Ndyx*8 Wdyx Ndyx*7}",
	  .arg = 8 },
	{ "64K folio across two page tables, read in the first: second half stays PROT_NONE",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdyx*8 Ndyx*8}", .arg = 2 },
	{ "64K folio across two page tables, read in the second: first half stays PROT_NONE",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Ndyx*8 Wdyx*8}", .arg = 12 },
	{ "64K folio in two VMAs, both with hints, read in the first: second half stays PROT_NONE",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "{Wdyx*8 ; Ndyx*8}", .arg = 3 },
	{ "64K folio in two VMAs, both with hints, read in the second: first half stays PROT_NONE",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "{Ndyx*8 ; Wdyx*8}", .arg = 8 },
	{ "64K folio, zero pages with PROT_NONE between: these stay PROT_NONE",
	  { "{Wdyx*4 Nzy*4 Wdyx*8}", .prot = RW }, "{Wdyx*4 Nzy*4 Wdyx*8}", .arg = 9 },
	{ "64K folio, 4 migration entries: unchanged, the rest writable again",
	  { "{Wdyx*4 Mx*4 Wdyx*8}", .prot = RW }, "{Wdyx*4 Mx*4 Wdyx*8}", .arg = 9 },
	{ "64K folio, small folio in place of page 3: small folio stays PROT_NONE",
	  { "{Wdyx*3 .*13} Wdyx", .prot = RW }, "{Wdyx*3 .*13} Ndyx" },

	/* Migration. */
	{ "64K folio off the node of its policy: migrates, all entries read-only",
	  { "1{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "~0{Rdyx*16}", .arg = 5,
	  .with = { PREFERS_NODE(0) } },
	{ "64K folio off the node of its policy, no memory there: stays, all entries read-only",
	  { "1{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "1{Rdyx*16}", .arg = 5,
	  .with = { PREFERS_NODE(0), NO_MIGRATION_FOLIO(1) } },
	{ "64K folio off the node of its policy, on no LRU list: stays, writable again",
	  { "1{Wdyx*16}", .prot = RW }, "1{Wdyx*16}", .arg = 5,
	  .with = { PREFERS_NODE(0) } },
	{ "64K folio on the node of its policy: stays, writable again",
	  { "0{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "0{Wdyx*16}", .arg = 5,
	  .with = { PREFERS_NODE(0) } },
	{ "small folio off the node of its policy: migrates, read-only",
	  { "1{Wdyx}", .prot = RW, .folios = ON_LRU }, "~0{Rdyx}",
	  .with = { PREFERS_NODE(0) } },
	{ "PMD, read: becomes writable again",
	  { "[Wdyx]", .prot = RW }, "[Wdyx]", .arg = 7 },
	{ "PMD, shared, read: stays read-only",
	  { "[Rdy]", .prot = RW }, "[Rdy]", .arg = 7 },
	{ "shmem folio, read: all entries become writable again",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", .arg = 5 },
	{ "file with write notification: clean pages stay read-only",
	  { "{Wdy*8 Ry*8}", PTEBATCH_FILE, RW }, "{Wdy*8 Ry*8}", .arg = 5 },
};

KUNIT_ARRAY_PARAM_DESC(hint_rows, hint_rows, name);

static bool check_hint(struct kunit *test, const struct ptebatch_case *row)
{
	struct ptebatch_case fault = *row;

	fault.op = row->op ?: &read;
	return ptebatch_case_run(test, &fault);
}

static void mprotect_hint(struct kunit *test)
{
	check_hint(test, test->param_value);
}

/* Each order: a read of the first, middle and last page, between other folios. */

static const struct hint_kind {
	const char *name;
} hint_kinds[] = {
	{ "folio, read of its first, middle and last page: all entries writable again" },
};

PTEBATCH_ORDER_PARAMS(mprotect_hint_order, hint_kinds);

static void mprotect_hint_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;
	/* In one page table. */
	bool others = nr + 2 <= PTRS_PER_PTE;
	struct ptebatch_case row = {
		.setup = {
			ptebatch_draw(test, others ? "Wdyx {Wdyx*%u} Wdyx" : "{Wdyx*%u}",
				      nr),
			.prot = RW,
		},
		.after = ptebatch_draw(test, others ? "Ndyx {Wdyx*%u} Ndyx" : "{Wdyx*%u}",
				       nr),
	};
	const unsigned int at[] = { others, others + nr - 1, others + nr / 2 };
	unsigned int i;

	for (i = 0; i < min(nr, ARRAY_SIZE(at)); i++) {
		row.arg = at[i];
		if (!check_hint(test, &row))
			return;
	}
}

/*
 * Rule 13: NUMA hinting skips a folio in one batch, which ends with the folio
 * and with the range. One folio of each row has a reason to be skipped, all
 * others get hints.
 */

static void begin_skipped(struct ptebatch_use *use)
{
	use->hook.match = use->trial->space->folios[use->condition->value];
}

static void skip(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	/* The model knows no folio that is skipped. */
	use->trial->call.model = NULL;
}

static void check_batches(struct ptebatch_use *use)
{
	const struct ptebatch_trial *trial = use->trial;
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i, entries = 0;

	for (i = was->from; i < was->to; i++)
		entries += was->entries[i].folio == use->condition->value &&
			   (!test_bit(i, trial->before.huge) || !was->entries[i].page);
	KUNIT_EXPECT_EQ_MSG(trial->test, use->hook.hits,
			    trial->one_by_one ? entries : use->condition->calls + 1,
			    PTEBATCH_RULE_HINTS ": %s skips %u entries in %u batches",
			    trial->function, entries, use->hook.hits);
}

static const struct ptebatch_condition_type skipped = {
	.name = "a folio is skipped", .begin = begin_skipped, .occur = skip,
	.end = check_batches,
};

/* change_prot_numa() calls this function once per batch. */
#define SKIPPED(folio, batches)	\
	{ &skipped, "folio_can_map_prot_numa", (batches) - 1, (folio) }

/* As ptebatch_change(), which takes a second reference to the mm. */
static long change_alone(const struct ptebatch_op *op, struct ptebatch_space *space,
			 bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	struct mmu_gather tlb;
	long pages;

	mmap_write_lock(mm);
	tlb_gather_mmu(&tlb, mm);
	pages = (twin ? ptebatch_twin_change_protection : change_protection)
		(&tlb, vma_lookup(mm, start), start, end, op->arg);
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	return pages;
}

static const char *alone_missing(void)
{
	return ptebatch_op_missing(NUMA_HINT) ?:
	       numa_node_id() ? "the test does not run on node 0" : NULL;
}

static const struct ptebatch_op hint_alone = {
	.function = "change_protection()", .call = change_alone, .arg = MM_CP_PROT_NUMA,
	.prot = RW, .protects = true, .counts = true, .missing = alone_missing,
};

static const struct ptebatch_case skip_rows[] = {
	{ "pinned folio: skipped in 1 batch, next folio gets hints",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "{Wdyx*16} {Ndyx*16}", .op = NUMA_HINT,
	  .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pinned folio, physically adjacent folio: only the adjacent folio gets hints",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Wdyx*16} +{Ndyx*16}", .op = NUMA_HINT,
	  .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pages 4 to 15 of a pinned folio in the range: next folio gets hints",
	  { "{Wdyx*4 | Wdyx*12} {Wdyx*16} |", .prot = RW }, "{Wdyx*16} {Ndyx*16}",
	  .op = NUMA_HINT, .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pages 0 to 7 of a pinned folio in the range: only the previous folio gets hints",
	  { "| {Wdyx*16} {Wdyx*8 | Wdyx*8} {Wdyx*16}", .prot = RW },
	  "{Ndyx*16} {Wdyx*16} {Wdyx*16}", .op = NUMA_HINT,
	  .with = { PINNED(1), SKIPPED(1, 1) } },
	{ "last 12 pages of a pinned folio mapped: next folio gets hints",
	  { "{.*4 Wdyx*12} {Wdyx*16}", .prot = RW }, "{.*4 Wdyx*12} {Ndyx*16}",
	  .op = NUMA_HINT, .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pinned folio, writable and read-only pages alternate: skipped in 1 batch",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx*4} {Wdyx*8}", .prot = RW },
	  "{Wdyx Rdyx Wdyx Rdyx Wdyx*4} {Ndyx*8}", .op = NUMA_HINT,
	  .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pinned folio, dirty and clean pages alternate: skipped in 1 batch",
	  { "{Wdyx Wyx Wdyx Wyx Wdyx*4} {Wdyx*8}", .prot = RW },
	  "{Wdyx Wyx Wdyx Wyx Wdyx*4} {Ndyx*8}", .op = NUMA_HINT,
	  .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "pinned folio with a hole of 3 pages: skipped in 2 batches",
	  { "{Wdyx*5 -*3 Wdyx*8} {Wdyx*4}", .prot = RW }, "{Wdyx*5 -*3 Wdyx*8} {Ndyx*4}",
	  .op = NUMA_HINT, .with = { PINNED(0), SKIPPED(0, 2) } },
	{ "pinned folio across two page tables: skipped in 2 batches",
	  { "@-8 {Wdyx*16} {Wdyx*4}", .prot = RW }, "@-8 {Wdyx*16} {Ndyx*4}",
	  .op = NUMA_HINT, .with = { PINNED(0), SKIPPED(0, 2) } },
	{ "pinned small folio: only its entry is skipped",
	  { "Wdyx*3", .prot = RW }, "Ndyx Wdyx Ndyx", .op = NUMA_HINT,
	  .with = { PINNED(1), SKIPPED(1, 1) } },
	{ "dirty page cache folio: skipped in 1 batch, clean folio gets hints",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW }, "{Wdy*16} {Ndy*16}",
	  .op = NUMA_HINT, .with = { DIRTY(0), SKIPPED(0, 1) } },
	{ "folio on the node of the mm's only user: skipped in 1 batch, other node gets hints",
	  { "0{Wdyx*16} 1{Wdyx*16}", .prot = RW }, "0{Wdyx*16} 1{Ndyx*16}",
	  .op = &hint_alone, .with = { SKIPPED(0, 1) } },
	{ "pinned PMD-mapped folio: skipped, next folio gets hints",
	  { "[Wdyx] {Wdyx*16}", .prot = RW }, "[Wdyx] {Ndyx*16}", .op = NUMA_HINT,
	  .with = { PINNED(0), SKIPPED(0, 1) } },
	{ "PMD-mapped folio on the node of the mm's only user: skipped, other node gets hints",
	  { "0[Wdyx] 1{Wdyx*16}", .prot = RW }, "0[Wdyx] 1{Ndyx*16}", .op = &hint_alone,
	  .with = { SKIPPED(0, 1) } },
	{ "folio shared after fork(): skipped in 1 batch",
	  { "{Rdy*16} {Rdy*4}", .prot = RW, .twice = true }, "{Rdy*16} {Rdy*4}",
	  .op = NUMA_HINT, .with = { SKIPPED(0, 1) } },
};

KUNIT_ARRAY_PARAM_DESC(skip_rows, skip_rows, name);

static void mprotect_skip(struct kunit *test)
{
	ptebatch_case_param(test);
}

/*
 * A THP that the split and merge of its VMA has left
 * PTE-mapped, then read-only and writable 40 times, with writes between.
 */
#define TOGGLES		40

static int split_and_merge_vma(struct mm_struct *mm, unsigned long addr)
{
	return ptebatch_do_madvise(mm, addr, PAGE_SIZE, MADV_DONTFORK) ?:
	       ptebatch_do_madvise(mm, addr, PAGE_SIZE, MADV_DOFORK);
}

static unsigned int write_rounds(const struct ptebatch_space *space, char value)
{
	unsigned int i, failed = 0;

	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < space->row.nr; i++)
		failed += !!put_user(value, (char __user *)ptebatch_addr(space, i));
	kthread_unuse_mm(space->places[0].mm);
	return failed;
}

static void mprotect_toggle(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "[Wdyx]", .prot = RW };
	unsigned long start, end, faults;
	struct ptebatch_trial *trial;
	unsigned int i, failed = 0;
	struct folio *folio;
	struct mm_struct *mm;

	trial = ptebatch_trial_begin(test, "mprotect_fixup()", &setup);
	mm = trial->place->mm;
	start = ptebatch_addr(trial->space, 0);
	end = ptebatch_addr(trial->space, trial->space->row.nr);
	folio = trial->space->folios[0];
	KUNIT_ASSERT_EQ(test, 0, split_and_merge_vma(mm, start));
	KUNIT_EXPECT_EQ_MSG(test, mm->map_count, 1, "the VMA was not merged");

	faults = ptebatch_events(PGFAULT);
	for (i = 0; i < TOGGLES; i++) {
		KUNIT_ASSERT_EQ(test, 0, ptebatch_mprotect(mm, start, end, RO));
		KUNIT_ASSERT_EQ(test, 0, ptebatch_mprotect(mm, start, end, RW));
		failed += write_rounds(trial->space, i + 1);
	}
	faults = ptebatch_events(PGFAULT) - faults;
	KUNIT_EXPECT_EQ(test, failed, 0);
	KUNIT_EXPECT_EQ_MSG(test, faults, 0, PTEBATCH_RULE_FAULTS ": %lu faults in %u rounds",
			    faults, TOGGLES);
	for (i = 0; i < folio_nr_pages(folio); i++)
		KUNIT_EXPECT_EQ_MSG(test, *(char *)page_address(folio_page(folio, i)),
				    TOGGLES, "contents of page %u", i);
	if (ptebatch_trial_end(trial))
		ptebatch_trial_expect(trial, "{Wdyx*T}");
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(mprotect_fault, rows_gen_params),
	KUNIT_CASE_PARAM(mprotect_same, same_rows_gen_params),
	KUNIT_CASE_PARAM(mprotect_hint, hint_rows_gen_params),
	PTEBATCH_CASE_PARAMS(mprotect_hint_order),
	KUNIT_CASE_PARAM(mprotect_skip, skip_rows_gen_params),
	KUNIT_CASE(mprotect_toggle),
	{}
};

PTEBATCH_SUITE(mprotect_fault, fault_cases);
