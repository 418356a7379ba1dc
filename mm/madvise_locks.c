// SPDX-License-Identifier: GPL-2.0
/*
 * process_madvise() and madvise(): how many locks and TLB gathers a call takes
 * (rule 23), which behaviors are allowed for another process, and what becomes of
 * the rest of the vector where a lock is dropped halfway.
 */
#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/process.h"
#include "../lib/op/process_madvise.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/service/service.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"

#define RW	(PROT_READ | PROT_WRITE)

/* Behaviors: which are allowed remotely, and the locks they take. */

/**
 * enum lock_mode - locks of a behavior, after get_lock_mode()
 * @NO_LOCK: no lock
 * @READ_ONCE_A_CALL: mmap_lock for reading, once a call
 * @READ_AND_ONCE_A_RANGE: mmap_lock for reading, once a call and once a range
 * @WRITE_ONCE_A_CALL: mmap_lock for writing, once a call
 * @VMA_ONCE_A_RANGE: the VMA lock, once a range
 */
enum lock_mode {
	NO_LOCK,
	READ_ONCE_A_CALL,
	READ_AND_ONCE_A_RANGE,
	WRITE_ONCE_A_CALL,
	VMA_ONCE_A_RANGE,
};

/* Number of tlb_gather_mmu() calls. */
enum gathers { NEVER, ONCE_A_CALL, ONCE_A_RANGE, NOT_CHECKED };

static const struct behavior_row {
	const char *name;
	int behavior;
	enum lock_mode mode;
	enum gathers gathers;
	bool remote;		/* allowed for another process */
	int error;		/* expected error of the first range, or 0 */
	enum ptebatch_mapping mapping;
	bool missing;		/* not built into this kernel: -EINVAL */
} behavior_rows[] = {
	{ "MADV_NORMAL", MADV_NORMAL, WRITE_ONCE_A_CALL },
	{ "MADV_RANDOM", MADV_RANDOM, WRITE_ONCE_A_CALL },
	{ "MADV_SEQUENTIAL", MADV_SEQUENTIAL, WRITE_ONCE_A_CALL },
	{ "MADV_WILLNEED", MADV_WILLNEED, READ_ONCE_A_CALL, .remote = true,
	  .error = IS_ENABLED(CONFIG_SWAP) ? 0 : -EBADF },
	{ "MADV_DONTNEED", MADV_DONTNEED, VMA_ONCE_A_RANGE, .gathers = ONCE_A_CALL },
	{ "MADV_FREE", MADV_FREE, VMA_ONCE_A_RANGE, .gathers = ONCE_A_CALL },
	{ "MADV_REMOVE", MADV_REMOVE, READ_AND_ONCE_A_RANGE, .gathers = NOT_CHECKED,
	  .mapping = PTEBATCH_SHMEM },
	{ "MADV_DONTFORK", MADV_DONTFORK, WRITE_ONCE_A_CALL },
	{ "MADV_DOFORK", MADV_DOFORK, WRITE_ONCE_A_CALL },
	{ "MADV_HWPOISON", MADV_HWPOISON, NO_LOCK, .error = -EPERM,
	  .missing = !IS_ENABLED(CONFIG_MEMORY_FAILURE) },
	{ "MADV_SOFT_OFFLINE", MADV_SOFT_OFFLINE, NO_LOCK, .error = -EPERM,
	  .missing = !IS_ENABLED(CONFIG_MEMORY_FAILURE) },
	{ "MADV_MERGEABLE", MADV_MERGEABLE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_KSM) },
	{ "MADV_UNMERGEABLE", MADV_UNMERGEABLE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_KSM) },
	{ "MADV_HUGEPAGE", MADV_HUGEPAGE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_NOHUGEPAGE", MADV_NOHUGEPAGE, WRITE_ONCE_A_CALL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_DONTDUMP", MADV_DONTDUMP, WRITE_ONCE_A_CALL },
	{ "MADV_DODUMP", MADV_DODUMP, WRITE_ONCE_A_CALL },
	{ "MADV_WIPEONFORK", MADV_WIPEONFORK, WRITE_ONCE_A_CALL },
	{ "MADV_KEEPONFORK", MADV_KEEPONFORK, WRITE_ONCE_A_CALL },
	{ "MADV_COLD", MADV_COLD, READ_ONCE_A_CALL, .gathers = ONCE_A_RANGE,
	  .remote = true },
	{ "MADV_PAGEOUT", MADV_PAGEOUT, READ_ONCE_A_CALL, .gathers = ONCE_A_RANGE,
	  .remote = true },
	{ "MADV_POPULATE_READ", MADV_POPULATE_READ, READ_ONCE_A_CALL },
	{ "MADV_POPULATE_WRITE", MADV_POPULATE_WRITE, READ_ONCE_A_CALL },
	{ "MADV_DONTNEED_LOCKED", MADV_DONTNEED_LOCKED, VMA_ONCE_A_RANGE,
	  .gathers = ONCE_A_CALL },
	/* The test address spaces have MMF_DISABLE_THP_COMPLETELY. */
	{ "MADV_COLLAPSE", MADV_COLLAPSE, READ_ONCE_A_CALL, .remote = true,
	  .error = -EINVAL,
	  .missing = !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ "MADV_GUARD_INSTALL", MADV_GUARD_INSTALL, VMA_ONCE_A_RANGE,
	  .gathers = ONCE_A_RANGE },
	{ "MADV_GUARD_REMOVE", MADV_GUARD_REMOVE, VMA_ONCE_A_RANGE },
};

/* Without CONFIG_PER_VMA_LOCK, mmap_lock replaces the VMA lock. */
static struct ptebatch_locks expected_locks(enum lock_mode mode,
					    enum gathers gathers,
					    unsigned int vlen)
{
	struct ptebatch_locks locks = {};

	if (mode == VMA_ONCE_A_RANGE && !IS_ENABLED(CONFIG_PER_VMA_LOCK))
		mode = vlen ? READ_ONCE_A_CALL : NO_LOCK;
	if (mode == READ_ONCE_A_CALL || mode == READ_AND_ONCE_A_RANGE)
		locks.nr[PTEBATCH_MMAP_READ] = 1;
	if (mode == READ_AND_ONCE_A_RANGE)
		locks.nr[PTEBATCH_MMAP_READ] += vlen;
	if (mode == WRITE_ONCE_A_CALL)
		locks.nr[PTEBATCH_MMAP_WRITE] = 1;
	if (mode == VMA_ONCE_A_RANGE)
		locks.nr[PTEBATCH_VMA_READ] = vlen;
	if (gathers == ONCE_A_CALL)
		locks.nr[PTEBATCH_GATHER] = 1;
	if (gathers == ONCE_A_RANGE)
		locks.nr[PTEBATCH_GATHER] = vlen;
	return locks;
}

static void expect_lock(struct kunit *test, const struct ptebatch_locks *got,
			const struct ptebatch_locks *expected,
			enum ptebatch_lock lock, const char *what)
{
	if (ptebatch_locks_count(lock))
		KUNIT_EXPECT_EQ_MSG(test, got->nr[lock], expected->nr[lock],
				    PTEBATCH_RULE_PROCESS ": %s %lu times, not %lu", what,
				    got->nr[lock], expected->nr[lock]);
}

static void expect_locks(struct kunit *test, const struct ptebatch_locks *got,
			 const struct ptebatch_locks *expected)
{
	struct ptebatch_locks released = *expected;

	/* Each time before it is taken again, and at the end. */
	released.nr[PTEBATCH_MMAP_RELEASE] = expected->nr[PTEBATCH_MMAP_READ] +
					     expected->nr[PTEBATCH_MMAP_WRITE];
	expect_lock(test, got, &released, PTEBATCH_MMAP_RELEASE,
		    "mmap_lock is released");
	expect_lock(test, got, expected, PTEBATCH_MMAP_READ,
		    "mmap_lock is taken for reading");
	expect_lock(test, got, expected, PTEBATCH_MMAP_WRITE,
		    "mmap_lock is taken for writing");
	if (IS_ENABLED(CONFIG_PER_VMA_LOCK))
		expect_lock(test, got, expected, PTEBATCH_VMA_READ,
			    "lock_vma_under_rcu() is called");
	expect_lock(test, got, expected, PTEBATCH_GATHER,
		    "tlb_gather_mmu() is called");
}

static void need_counts(struct kunit *test)
{
	if (ptebatch_locks_missing())
		kunit_skip(test, "%s", ptebatch_locks_missing());
}

static const struct ptebatch_range ranges[] = {
	PAGES(0, 1), PAGES(2, 1), PAGES(4, 1), PAGES(6, 1),
	PAGES(8, 1), PAGES(10, 1), PAGES(12, 1), PAGES(14, 1),
};

/* Each range maps one folio. An error ends the call at the first range. */
static void check_behavior(struct kunit *test, const struct behavior_row *row,
			   unsigned int vlen, bool remote, const struct ptebatch_op *op)
{
	bool accepted = !row->missing && (row->remote || !remote);
	struct ptebatch_locks locks, expected;
	const struct ptebatch_vector vector = {
		.behavior = row->behavior, .ranges = ranges, .nr = vlen, .remote = remote,
		/* MADV_HWPOISON must not succeed. */
		.limited = row->mode == NO_LOCK && !remote,
		.locks = ptebatch_locks_missing() ? NULL : &locks,
	};
	const struct ptebatch_case run = {
		.setup = { row->mapping == PTEBATCH_SHMEM ? "Wdy*16" : "Wdyx*16",
			   row->mapping, RW, .folios = ON_LRU },
		.op = op, .arg = (unsigned long)&vector,
		.ret = !accepted ? -EINVAL : vlen && row->error ? row->error :
		       op == &ptebatch_madvise ? 0 : BYTES(vlen),
	};
	bool passes = true;

	if (accepted || !remote)
		ptebatch_case_call(test, &run, false, &passes);
	else
		ptebatch_case_try(test, &run, false, &passes);
	expected = expected_locks(accepted ? row->mode : NO_LOCK,
				  accepted && !row->error ? row->gathers : NEVER, vlen);
	if (row->gathers == NOT_CHECKED && accepted)
		expected.nr[PTEBATCH_GATHER] = locks.nr[PTEBATCH_GATHER];
	if (vector.locks)
		expect_locks(test, &locks, &expected);
}

static void locks_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s: locks and TLB gathers of vlen 0, 1 and 8", row->name);
}

KUNIT_ARRAY_PARAM(locks, behavior_rows, locks_desc);

static void process_locks(struct kunit *test)
{
	static const unsigned int vlens[] = { 0, 1, ARRAY_SIZE(ranges) };
	unsigned int i;

	need_counts(test);
	for (i = 0; i < ARRAY_SIZE(vlens); i++)
		check_behavior(test, test->param_value, vlens[i], false,
			       &ptebatch_process_madvise);
}

static void madvise_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: locks and TLB gathers of madvise()",
		 row->name);
}

KUNIT_ARRAY_PARAM(madvise, behavior_rows, madvise_desc);

/* madvise() takes the locks of process_madvise() with one range. */
static void madvise_locks(struct kunit *test)
{
	need_counts(test);
	check_behavior(test, test->param_value, 1, false, &ptebatch_madvise);
}

static void remote_desc(const struct behavior_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s of another process: %s",
		 row->name, row->remote && !row->missing ? "allowed" : "-EINVAL");
}

KUNIT_ARRAY_PARAM(remote, behavior_rows, remote_desc);

/* Only non-destructive behaviors are allowed remotely. */
static void process_other(struct kunit *test)
{
	check_behavior(test, test->param_value, 2, true, &ptebatch_process_madvise);
}

/* Ranges at which the locks change. */

/* Of the row's TLB gathers: not checked. */
#define ANY	UINT_MAX

/**
 * struct lock_row - a case of process_madvise() with a vector
 * @c: the case; without an expected row, no entry may be empty after the call
 * @reads: number of times that mmap_lock is taken for reading
 * @writes: number of times that mmap_lock is taken for writing
 * @vmas: number of attempts to take a VMA lock
 * @gathers: number of TLB gathers, or ANY
 */
struct lock_row {
	struct ptebatch_case c;
	unsigned int reads, writes, vmas, gathers;
};

static bool has_none(const struct ptebatch_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (row->entries[i].kind == PTEBATCH_NONE)
			return true;
	return false;
}

static void check_row(struct kunit *test)
{
	const struct lock_row *row = test->param_value;
	struct ptebatch_vector vector = *(const struct ptebatch_vector *)row->c.arg;
	struct ptebatch_locks locks, expected = {};
	struct ptebatch_case run = row->c;
	struct ptebatch_trial *trial;
	bool passes = true;

	need_counts(test);
	vector.locks = &locks;
	run.arg = (unsigned long)&vector;
	run.op = &ptebatch_process_madvise;
	run.setup.prot = RW;
	run.setup.folios |= ON_LRU;
	if (run.after) {
		ptebatch_case_try(test, &run, false, &passes);
	} else {
		trial = ptebatch_case_call(test, &run, false, &passes);
		KUNIT_EXPECT_FALSE_MSG(test, has_none(&trial->after.row),
				       "an entry was not populated");
	}
	expected.nr[PTEBATCH_MMAP_READ] = row->reads;
	expected.nr[PTEBATCH_MMAP_WRITE] = row->writes;
	if (IS_ENABLED(CONFIG_PER_VMA_LOCK))
		expected.nr[PTEBATCH_VMA_READ] = row->vmas;
	else if (row->vmas && !row->reads)
		expected.nr[PTEBATCH_MMAP_READ] = 1;
	expected.nr[PTEBATCH_GATHER] = row->gathers == ANY ? locks.nr[PTEBATCH_GATHER] :
							     row->gathers;
	expect_locks(test, &locks, &expected);
}

/*
 * Behaviors that release mmap_lock while they advise a range, and take it again:
 * all VMAs of the range, and the ranges after it, are advised nevertheless.
 */

/* Of the VMA whose first fault is to be retried. */
static const struct vm_operations_struct *vm_ops;
static bool has_retried;

static vm_fault_t retry_first_fault(struct vm_fault *vmf)
{
	if (has_retried || !(vmf->flags & FAULT_FLAG_ALLOW_RETRY))
		return vm_ops->fault(vmf);
	has_retried = true;
	release_fault_lock(vmf);
	return VM_FAULT_RETRY;
}

static const struct vm_operations_struct retry_vm_ops = {
	.fault = retry_first_fault,
};

static void retry_faults(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	struct vm_area_struct *vma;

	has_retried = false;
	vma = ptebatch_vma_lock(place->mm, place->start);
	vm_ops = vma->vm_ops;
	vma->vm_ops = &retry_vm_ops;
	mmap_write_unlock(place->mm);
}

static void retry_end(struct ptebatch_use *use)
{
	use->met = has_retried;
}

static const struct ptebatch_condition_type fault_retried = {
	.name = "the first fault is retried", .occur = retry_faults, .end = retry_end,
	.tells = true,
};

#define FAULT_RETRIED	{ .type = &fault_retried }

static const struct lock_row drop_rows[] = {
	{ { "MADV_WILLNEED of a file, 2 ranges: mmap_lock taken again in each",
	    { "{Wdy*16}", PTEBATCH_FILE }, "{Wdy*16}", .ret = BYTES(8),
	    .arg = VECTOR(MADV_WILLNEED, RANGES(PAGES(0, 4), PAGES(8, 4))) },
	  .reads = 3, .gathers = ANY },
	{ { "MADV_WILLNEED of a file, range over 3 VMAs: mmap_lock taken again in each",
	    { "{Wdy*6 ; Wdy*4 ; Wdy*6}", PTEBATCH_FILE }, "{Wdy*16}", .ret = BYTES(12),
	    .arg = VECTOR(MADV_WILLNEED, RANGES(PAGES(2, 12))) },
	  .reads = 4, .gathers = ANY },
	{ { "MADV_REMOVE, range over 3 VMAs: mmap_lock taken again in each",
	    { "Wdy*6 ; Wdy*4 ; Wdy*6", PTEBATCH_SHMEM }, "Wdy*2 -*12 Wdy*2", .ret = BYTES(12),
	    .arg = VECTOR(MADV_REMOVE, RANGES(PAGES(2, 12))) },
	  .reads = 4, .gathers = ANY },
	{ { "MADV_POPULATE_READ, fault retried: mmap_lock taken again, all pages populated",
	    { "Wdy*4 -*12", PTEBATCH_SHMEM }, .ret = BYTES(16), .with = { FAULT_RETRIED },
	    .arg = VECTOR(MADV_POPULATE_READ, RANGES(PAGES(0, 16))) },
	  .reads = 3, .gathers = ANY },
	{ { "MADV_POPULATE_READ, fault of the first of 2 ranges retried: both populated",
	    { "Wdy*4 -*12", PTEBATCH_SHMEM }, .ret = BYTES(14), .with = { FAULT_RETRIED },
	    .arg = VECTOR(MADV_POPULATE_READ, RANGES(PAGES(2, 6), PAGES(8, 8))) },
	  .reads = 3, .gathers = ANY },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	/* To scan, in collapse_huge_page(), and for the next page table. */
	{ { "MADV_COLLAPSE of 2 page tables: both collapsed, mmap_lock released between",
	    { "{Wdyx*T/2}*4" }, "~[Wdyx] ~[Wdyx]", .ret = BYTES(2 * PTRS_PER_PTE),
	    .arg = VECTOR(MADV_COLLAPSE, RANGES(PAGES(0, 2 * PTRS_PER_PTE))),
	    .with = { NO_MM_FLAG(MMF_DISABLE_THP_COMPLETELY) } },
	  .reads = 5, .writes = 2, .gathers = ANY },
	{ { "MADV_COLLAPSE, 2 ranges: both collapsed, mmap_lock released in each",
	    { "{Wdyx*T/2}*4" }, "~[Wdyx] ~[Wdyx]", .ret = BYTES(2 * PTRS_PER_PTE),
	    .arg = VECTOR(MADV_COLLAPSE, RANGES(PAGES(0, PTRS_PER_PTE),
						PAGES(PTRS_PER_PTE, PTRS_PER_PTE))),
	    .with = { NO_MM_FLAG(MMF_DISABLE_THP_COMPLETELY) } },
	  .reads = 5, .writes = 2, .gathers = ANY },
#endif
};

KUNIT_ARRAY_PARAM_DESC(drop, drop_rows, c.name);

static void process_drops_lock(struct kunit *test)
{
	check_row(test);
}

/*
 * Fallback from the VMA lock to mmap_lock: once taken, mmap_lock is held for
 * the rest of the vector.
 */

#define THREE_VMAS	"Wdyx*6 ; Wdyx*4 ; Wdyx*6"

static const struct lock_row fallback_rows[] = {
	{ { "each range in one VMA: 3 VMA lock attempts, no mmap_lock",
	    { THREE_VMAS }, "-*2 Wdyx*4 -*4 Wdyx*2 -*2 Wdyx*2", .ret = BYTES(8),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 2), PAGES(6, 4), PAGES(12, 2))) },
	  .vmas = 3, .gathers = 1 },
	{ { "third range over two VMAs: 3 VMA lock attempts, then mmap_lock",
	    { THREE_VMAS }, "-*8 Wdyx*8", .ret = BYTES(8),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 2), PAGES(2, 2), PAGES(4, 4))) },
	  .vmas = 3, .reads = 1, .gathers = 1 },
	{ { "second range over two VMAs: 2 VMA lock attempts, then mmap_lock",
	    { THREE_VMAS }, "-*2 Wdyx*2 -*4 Wdyx*4 -*2 Wdyx*2", .ret = BYTES(8),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 2), PAGES(4, 4), PAGES(12, 2))) },
	  .vmas = 2, .reads = 1, .gathers = 1 },
	{ { "first range over two VMAs: 1 VMA lock attempt, then mmap_lock",
	    { THREE_VMAS }, "-*2 Wdyx*2 -*4 Wdyx*4 -*2 Wdyx*2", .ret = BYTES(8),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(4, 4), PAGES(0, 2), PAGES(12, 2))) },
	  .vmas = 1, .reads = 1, .gathers = 1 },
	{ { "second range in a hole: 2 VMA lock attempts, then mmap_lock",
	    { "Wdyx*6 -*4 Wdyx*6" }, "-*2 Wdyx*4 -*4 Wdyx*6", .ret = BYTES(2),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 2), PAGES(6, 2), PAGES(12, 2))),
	    .with = { HOLE(6, 4) } }, .vmas = 2, .reads = 1, .gathers = 1 },
	{ { "userfaultfd registered: 1 VMA lock attempt, then mmap_lock",
	    { "Wdyx*16" }, "-*2 Wdyx*4 -*2 Wdyx*4 -*2 Wdyx*2", .ret = BYTES(6),
	    .arg = VECTOR(MADV_DONTNEED, RANGES(PAGES(0, 2), PAGES(6, 2), PAGES(12, 2))),
	    .with = { VMA_FLAGS(VM_UFFD_MISSING) } }, .vmas = 1, .reads = 1, .gathers = 1 },
};

KUNIT_ARRAY_PARAM_DESC(fallback, fallback_rows, c.name);

static void process_fallback(struct kunit *test)
{
	check_row(test);
}

/*
 * MADV_GUARD_INSTALL zaps a range that maps pages, and retries. After losing
 * the race against a fault MAX_MADVISE_GUARD_RETRIES times, it restarts and
 * takes the lock again. One TLB gather for each range, and one for each fault
 * that wins.
 */

/* The process that calls is the only one with the mm, and holds no lock here. */
static void faults_begin(struct ptebatch_use *use)
{
	use->hook.match = use->trial->place->mm;
	use->hook.any_task = true;
}

/*
 * Map the zero page, like a read fault, in an entry that was zapped. The word of
 * the condition counts the faults.
 */
static void fault(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	unsigned long value = use->condition->value;
	unsigned long addr = ptebatch_addr(use->trial->space, PART_FROM(value));
	struct mm_struct *mm = use->trial->place->mm;
	pte_t *ptep = pte_offset_kernel(ptebatch_find_pmd(mm, addr), addr);

	if (use->word == PART_NR(value) || !pte_none(ptep_get(ptep)))
		return;
	ptebatch_exchange_pte(mm, addr, ptep,
			      pte_mkspecial(mk_pte(ZERO_PAGE(addr),
						   vm_get_page_prot(VM_READ))));
	use->word++;
}

static void faults_end(struct ptebatch_use *use)
{
	use->met = use->word == PART_NR(use->condition->value);
}

static const struct ptebatch_condition_type faults_win = {
	.name = "faults win the race", .begin = faults_begin, .occur = fault,
	.end = faults_end, .always = true,
};

/* The last of the faults sends SIGKILL to the caller. */
static void fault_and_kill(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	fault(use, args, regs);
	if (use->word == PART_NR(use->condition->value))
		ptebatch_sigkill_set();
}

static const struct ptebatch_condition_type killed_after_faults = {
	.name = "SIGKILL after faults that win the race", .begin = faults_begin,
	.occur = fault_and_kill, .end = faults_end, .always = true,
};

#define AT_FLUSH(kind, at, nr)						\
	{ .type = &(kind), .function = PTEBATCH_FLUSH_HOOK, \
	  .value = PART(at, nr) }
#define FAULTS_WIN(at, nr)	AT_FLUSH(faults_win, at, nr)
#define KILLED_AFTER(at, nr)	AT_FLUSH(killed_after_faults, at, nr)

/* As MAX_MADVISE_GUARD_RETRIES of mm/madvise.c. */
#define TRIES	3

#define INSTALL \
	VECTOR(MADV_GUARD_INSTALL, RANGES(PAGES(0, 4), PAGES(5, 4), PAGES(10, 4)))
#define INSTALLED	"G*4 Wdyx G*4 Wdyx G*4"

static const struct lock_row retry_rows[] = {
	{ { "no fault wins the race: no restart",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12) },
	  .vmas = 3, .gathers = 3 },
	{ { "1 fault wins the race: no restart",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(6, 1) } }, .vmas = 3, .gathers = 3 + 1 },
	{ { "3 faults win the race in the second range: 1 restart",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(6, TRIES) } }, .vmas = 4, .gathers = 3 + TRIES },
	{ { "3 faults win the race in the first range: 1 restart",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(0, TRIES) } }, .vmas = 4, .gathers = 3 + TRIES },
	{ { "3 faults win the race in the last range: 1 restart",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(13, TRIES) } }, .vmas = 4, .gathers = 3 + TRIES },
	{ { "9 faults win the race, 3 restarts",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(6, 3 * TRIES) } }, .vmas = 6, .gathers = 3 + 3 * TRIES },
	{ { "userfaultfd, no fault wins the race: mmap_lock taken once",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { VMA_FLAGS(VM_UFFD_MISSING) } }, .vmas = 1, .reads = 1, .gathers = 3 },
	{ { "userfaultfd, 3 faults win the race: mmap_lock released and taken again",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(6, TRIES), VMA_FLAGS(VM_UFFD_MISSING) } },
	  .vmas = 2, .reads = 2, .gathers = 3 + TRIES },
	{ { "userfaultfd, 9 faults win the race: mmap_lock released and taken again 3 times",
	    { "Wdyx*14" }, INSTALLED, .arg = INSTALL, .ret = BYTES(12),
	    .with = { FAULTS_WIN(6, 3 * TRIES), VMA_FLAGS(VM_UFFD_MISSING) } },
	  .vmas = 4, .reads = 4, .gathers = 3 + 3 * TRIES },
	{ { "SIGKILL after 3 faults in the second range: returns 4 pages",
	    { "Wdyx*14" }, "G*4 Wdyx G Rzy -*2 Wdyx*5", .arg = INSTALL, .ret = BYTES(4),
	    .with = { KILLED_AFTER(6, TRIES) } }, .vmas = 2, .gathers = 1 + TRIES },
	{ { "SIGKILL after 3 faults in the first range: -EINTR",
	    { "Wdyx*14" }, "Rzy -*3 Wdyx*10", .arg = INSTALL, .ret = -EINTR,
	    .with = { KILLED_AFTER(0, TRIES) } }, .vmas = 1, .gathers = TRIES },
};

KUNIT_ARRAY_PARAM_DESC(retry, retry_rows, c.name);

static void process_retry(struct kunit *test)
{
	if (!PTEBATCH_NOTIFIES)
		kunit_skip(test, "UML calls no MMU notifier at a TLB flush");
	check_row(test);
}

#ifdef CONFIG_MEMORY_FAILURE

/* MADV_HWPOISON and MADV_SOFT_OFFLINE of one page, with CAP_SYS_ADMIN. */

static const struct failure_row {
	const char *name;
	int behavior;
	const char *picture;
	unsigned int at;	/* entry of the page */
} failure_rows[] = {
	{ "MADV_HWPOISON, small folio: hwpoison entry, no lock",
	  MADV_HWPOISON, "Wdyx*4", .at = 1 },
	{ "MADV_HWPOISON, page 3 of a 64K folio: only its entry is a hwpoison entry",
	  MADV_HWPOISON, "{Wdyx*16}", .at = 3 },
	{ "MADV_SOFT_OFFLINE, small folio: only its entry maps a new page",
	  MADV_SOFT_OFFLINE, "Wdyx*4", .at = 1 },
	{ "MADV_SOFT_OFFLINE, page 3 of a 64K folio: only its entry maps a new page",
	  MADV_SOFT_OFFLINE, "{Wdyx*16}", .at = 3 },
};

KUNIT_ARRAY_PARAM_DESC(failure, failure_rows, name);

static bool is_hwpoison(pte_t pte, unsigned long pfn)
{
	softleaf_t entry = softleaf_from_pte(pte);

	return !pte_present(pte) && softleaf_is_hwpoison(entry) &&
	       softleaf_to_pfn(entry) == pfn;
}

static void process_failure(struct kunit *test)
{
	const struct failure_row *row = test->param_value;
	const struct ptebatch_setup setup = { row->picture, .prot = RW, .folios = ON_LRU };
	const struct ptebatch_range range = PAGES(row->at, 1);
	struct ptebatch_locks locks, expected = {};
	const struct ptebatch_vector vector = {
		.behavior = row->behavior, .ranges = &range, .nr = 1, .locks = &locks,
	};
	struct ptebatch_op op = ptebatch_process_madvise;
	struct ptebatch_trial *trial;
	const pte_t *before, *after;
	unsigned long pfn;
	unsigned int i;

	need_counts(test);
	op.arg = (unsigned long)&vector;
	trial = ptebatch_op_begin(test, &op, &setup, false);
	before = trial->before.raw + trial->before.lead;
	pfn = pte_pfn(before[row->at]);
	KUNIT_EXPECT_EQ(test, op.call(&op, trial->space, false), PAGE_SIZE);
	expect_locks(test, &locks, &expected);
	/* The poisoned page keeps a reference: no check of the accounting. */
	ptebatch_trial_stop(trial);
	after = trial->after.raw + trial->after.lead;
	for (i = 0; i < trial->space->row.nr; i++) {
		if (i != row->at)
			KUNIT_EXPECT_EQ_MSG(test, pte_pfn(after[i]), pte_pfn(before[i]),
					    "entry %u maps another page", i);
		else if (row->behavior == MADV_HWPOISON)
			KUNIT_EXPECT_TRUE_MSG(test, is_hwpoison(after[i], pfn),
					      "entry %u is no hwpoison entry of its page", i);
		else
			KUNIT_EXPECT_TRUE_MSG(test, pte_present(after[i]) &&
					      pte_write(after[i]) && pte_pfn(after[i]) != pfn,
					      "entry %u maps no new page", i);
	}
	KUNIT_EXPECT_TRUE_MSG(test, PageHWPoison(pfn_to_page(pfn)),
			      "the page does not have PG_hwpoison");
	/* Once the page is neither mapped nor referenced. */
	ptebatch_trial_release(trial);
	unpoison_memory(pfn);
	KUNIT_EXPECT_FALSE_MSG(test, PageHWPoison(pfn_to_page(pfn)),
			       "the page keeps PG_hwpoison");
}

#endif

static struct kunit_case locks_cases[] = {
	KUNIT_CASE_PARAM(process_locks, locks_gen_params),
	KUNIT_CASE_PARAM(madvise_locks, madvise_gen_params),
	KUNIT_CASE_PARAM(process_drops_lock, drop_gen_params),
#ifdef CONFIG_MEMORY_FAILURE
	KUNIT_CASE_PARAM(process_failure, failure_gen_params),
#endif
	KUNIT_CASE_PARAM(process_other, remote_gen_params),
	KUNIT_CASE_PARAM(process_fallback, fallback_gen_params),
	KUNIT_CASE_PARAM(process_retry, retry_gen_params),
	{}
};

PTEBATCH_SUITE(madvise_locks, locks_cases, PTEBATCH_LOCK_COUNT, PTEBATCH_SWAP_SPACE);
