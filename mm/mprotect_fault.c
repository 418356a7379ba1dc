// SPDX-License-Identifier: GPL-2.0
/*
 * Rules 5 and 12, with real writes after mprotect(): a write does not fault
 * unless there is a reason for a write fault, and faults exactly once for any
 * combination of reasons. A NUMA hint adds one fault for each folio.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/uaccess.h>
#include <linux/vmstat.h>

#include "../lib/check/rules.h"
#include "../lib/op/protect.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static const struct fault_row {
	const char *name;
	struct ptebatch_setup setup;
	enum ptebatch_protection_id how;
} rows[] = {
	{ "exclusive dirty pages: writes do not fault",
	  { "{Rdyx*16}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "exclusive dirty pages, from PROT_NONE: writes do not fault",
	  { "{Ndyx*16}" }, PTEBATCH_TO_WRITABLE },
	{ "soft-dirty tracked, pages soft-dirty: writes do not fault",
	  { "{Rdysx*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "small folios, every other one shared: only writes to shared ones fault",
	  { "Rdyx Rdy Rdyx Rdy", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "PMD, exclusive and dirty: the write does not fault",
	  { "[Rdyx]", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "shmem, clean and dirty pages: writes do not fault",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO }, PTEBATCH_TO_WRITABLE },
	{ "file with write notification, dirty pages: writes do not fault",
	  { "{Rdy*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_WRITABLE },

	/* Each reason for a write fault, and all pairs; shared: not AnonExclusive. */
	{ "shared: each write faults once",
	  { "{Rdy*16}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "not soft-dirty: each write faults once",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_WRITABLE },
	{ "write notification: each write faults once",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_WRITABLE },
	{ "PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyx*16}", .prot = RO }, PTEBATCH_TO_NONE },
	{ "NUMA hint: only the first write faults",
	  { "{Wdyx*16}", .prot = RW }, PTEBATCH_NUMA_HINT },
	{ "shared, not soft-dirty: each write faults once",
	  { "{Rdy*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "shared, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyu*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_WRITABLE },
	{ "shared, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdy*16}", .prot = RO }, PTEBATCH_TO_NONE },
	{ "shared, NUMA hint: first write faults twice, the rest once",
	  { "{Rdy*16}", .prot = RO }, PTEBATCH_NUMA_HINT },
	{ "not soft-dirty, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .track = true, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "not soft-dirty, write notification: each write faults once",
	  { "{Ry*16}", PTEBATCH_FILE, RO, .track = true },
	  PTEBATCH_TO_WRITABLE },
	{ "not soft-dirty, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_TO_NONE },
	{ "not soft-dirty, NUMA hint: first write faults twice, the rest once",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_NUMA_HINT },
	{ "uffd-wp, write notification: each write faults once and fails with -EFAULT",
	  { "{Ryu*16}", PTEBATCH_FILE, RO, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "uffd-wp, PROT_NONE: writes fail with -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_NONE },
	{ "uffd-wp, NUMA hint: first write faults twice, the rest once, all -EFAULT",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_NUMA_HINT },
	{ "write notification, PROT_NONE: writes fail with -EFAULT",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_NONE },
	{ "write notification, NUMA hint: first write faults twice, the rest once",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_NUMA_HINT },

	{ "shared, not soft-dirty, uffd-wp: each write faults once and fails with -EFAULT",
	  { "{Rdyu*16}", .prot = RO, .track = true, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "second half shared: only writes to the second half fault",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "4 pages each: no reason, not soft-dirty, uffd-wp, shared: 12 writes fault once",
	  { "{Rdysx*4 Rdyx*4 Rdysux*4 Rdys*4}", .prot = RO, .track = true,
	    .uffd_wp = true }, PTEBATCH_TO_WRITABLE },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static unsigned long count_faults(void)
{
	unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[PGFAULT];
}

/* The number of faults that a write to entry @i must cause. */
static unsigned int expected_faults(const struct fault_row *row,
				    const struct ptebatch_space *space,
				    unsigned int i)
{
	const struct ptebatch_call call =
		ptebatch_op_call(&ptebatch_protections[PTEBATCH_TO_WRITABLE],
				 &row->setup);
	struct ptebatch_allowed allowed;

	/* The architecture rejects the access before PGFAULT is counted. */
	if (row->how == PTEBATCH_TO_NONE)
		return 0;
	ptebatch_model_protect(&call, &space->row.entries[i], &allowed);
	/* One NUMA hinting fault handles the whole folio. */
	return (row->how == PTEBATCH_NUMA_HINT && !i) +
	       (allowed.kinds == BIT(PTEBATCH_READABLE));
}

static void write_page(struct kunit *test, const struct ptebatch_space *space,
		       unsigned int i)
{
	const struct fault_row *row = test->param_value;
	char __user *addr = (char __user *)ptebatch_addr(space, i);
	unsigned long faults;
	/* The VMA has no userfaultfd_ctx: its uffd-wp faults raise SIGBUS. */
	bool refused = row->how == PTEBATCH_TO_NONE ||
		       space->row.entries[i].flags & PTEBATCH_UFFD;
	int err;

	faults = count_faults();
	err = put_user(1, addr);
	faults = count_faults() - faults;

	KUNIT_EXPECT_EQ_MSG(test, faults, expected_faults(row, space, i),
			    PTEBATCH_RULE_FAULTS ": put_user() to entry %u of %s",
			    i, space->setup.picture);
	KUNIT_EXPECT_EQ_MSG(test, err, refused ? -EFAULT : 0,
			    PTEBATCH_RULE_WRITABLE ": put_user() to entry %u of %s",
			    i, space->setup.picture);
}

static void mprotect_fault(struct kunit *test)
{
	const struct fault_row *row = test->param_value;
	const struct ptebatch_op *op = &ptebatch_protections[row->how];
	const char *missing = ptebatch_op_missing(op);
	struct ptebatch_space *space;
	unsigned long start, end;
	unsigned int step, i;

	if (missing)
		kunit_skip(test, "%s", missing);
	space = ptebatch_space(test, &row->setup);
	start = ptebatch_addr(space, 0);
	end = ptebatch_addr(space, space->row.nr);
	if (row->how == PTEBATCH_NUMA_HINT)
		op->call(op, space, false);
	else
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_mprotect(space->places[0].mm, start,
						  end, op->prot));
	/* A PMD is one entry: write to its first page only. */
	step = space->row.folios[0].pmd ? PTRS_PER_PTE : 1;
	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < space->row.nr; i += step)
		write_page(test, space, i);
	kthread_unuse_mm(space->places[0].mm);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(mprotect_fault, rows_gen_params),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "ptebatch_mprotect_fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
