// SPDX-License-Identifier: GPL-2.0
/*
 * What mprotect() to writable is for: a write to a page that nothing forbids
 * to write to does not fault, and each of the reasons to forbid it, alone or
 * with others, costs exactly one fault. Here the writes are real.
 */
#include "../lib/tlb.h"

#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/uaccess.h>
#include <linux/vmstat.h>

#include "internal.h"

#include "../lib/model.h"
#include "../lib/protect.h"
#include "../lib/space.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static const struct fault_row {
	const char *name;
	struct ptebatch_setup setup;
	enum ptebatch_protection_id how;
} rows[] = {
	{ "nothing forbids it",
	  { "{Rdyx*16}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "nothing forbids it after no access",
	  { "{Ndyx*16}" }, PTEBATCH_TO_WRITABLE },
	{ "soft-dirty already",
	  { "{Rdysx*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "small folios",
	  { "Rdyx Rdy Rdyx Rdy", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "PMD", { "[Rdyx]", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "shared memory",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO }, PTEBATCH_TO_WRITABLE },
	{ "dirty pages of a file that wants to be notified",
	  { "{Rdy*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_WRITABLE },

	/* Each reason to forbid it, and all pairs of them. */
	{ "shared", { "{Rdy*16}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "soft-dirty tracked",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "uffd-wp",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_WRITABLE },
	{ "not notified",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_WRITABLE },
	{ "no access", { "{Rdyx*16}", .prot = RO }, PTEBATCH_TO_NONE },
	{ "NUMA hint", { "{Wdyx*16}", .prot = RW }, PTEBATCH_NUMA_HINT },
	{ "shared, soft-dirty tracked",
	  { "{Rdy*16}", .prot = RO, .track = true }, PTEBATCH_TO_WRITABLE },
	{ "shared, uffd-wp",
	  { "{Rdyu*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_WRITABLE },
	{ "shared, no access", { "{Rdy*16}", .prot = RO }, PTEBATCH_TO_NONE },
	{ "shared, NUMA hint", { "{Rdy*16}", .prot = RO }, PTEBATCH_NUMA_HINT },
	{ "soft-dirty tracked, uffd-wp",
	  { "{Rdyux*16}", .prot = RO, .track = true, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "soft-dirty tracked, not notified",
	  { "{Ry*16}", PTEBATCH_FILE, RO, .track = true },
	  PTEBATCH_TO_WRITABLE },
	{ "soft-dirty tracked, no access",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_TO_NONE },
	{ "soft-dirty tracked, NUMA hint",
	  { "{Rdyx*16}", .prot = RO, .track = true }, PTEBATCH_NUMA_HINT },
	{ "uffd-wp, not notified",
	  { "{Ryu*16}", PTEBATCH_FILE, RO, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "uffd-wp, no access",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_TO_NONE },
	{ "uffd-wp, NUMA hint",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, PTEBATCH_NUMA_HINT },
	{ "not notified, no access",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_TO_NONE },
	{ "not notified, NUMA hint",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, PTEBATCH_NUMA_HINT },

	{ "shared, soft-dirty tracked, uffd-wp",
	  { "{Rdyu*16}", .prot = RO, .track = true, .uffd_wp = true },
	  PTEBATCH_TO_WRITABLE },
	{ "second half shared",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, PTEBATCH_TO_WRITABLE },
	{ "every reason in one folio",
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

/* How many faults a write to entry @i costs. */
static unsigned int faults_of(const struct fault_row *row,
			      const struct ptebatch_space *space,
			      unsigned int i)
{
	const struct ptebatch_call call =
		ptebatch_protection_call(&ptebatch_protections[PTEBATCH_TO_WRITABLE],
					 &row->setup);
	struct ptebatch_allowed allowed;

	/* The architecture sees to it, and counts no fault. */
	if (row->how == PTEBATCH_TO_NONE)
		return 0;
	ptebatch_model_protect(&call, &space->row.entries[i], &allowed);
	/* Whoever takes a NUMA hint takes it for all of the folio. */
	return (row->how == PTEBATCH_NUMA_HINT && !i) +
	       (allowed.kinds == BIT(PTEBATCH_READABLE));
}

static void write_page(struct kunit *test, const struct ptebatch_space *space,
		       unsigned int i)
{
	const struct fault_row *row = test->param_value;
	char __user *where = (char __user *)ptebatch_addr(space, i);
	unsigned long faults;
	/* Nobody listens to this userfaultfd. */
	bool refused = row->how == PTEBATCH_TO_NONE ||
		       space->row.entries[i].flags & PTEBATCH_UFFD;
	int err;

	faults = count_faults();
	err = put_user(1, where);
	faults = count_faults() - faults;

	KUNIT_EXPECT_EQ_MSG(test, faults, faults_of(row, space, i),
			    "faults of a write to entry %u of %s", i,
			    space->setup.picture);
	KUNIT_EXPECT_EQ_MSG(test, err, refused ? -EFAULT : 0,
			    "a write to entry %u of %s", i,
			    space->setup.picture);
}

static void mprotect_fault(struct kunit *test)
{
	const struct fault_row *row = test->param_value;
	const struct ptebatch_protection *protection =
		&ptebatch_protections[row->how];
	const char *missing = ptebatch_protection_missing(protection);
	struct ptebatch_space *space;
	unsigned long start, end;
	unsigned int step, i;

	if (missing)
		kunit_skip(test, "%s", missing);
	space = ptebatch_space(test, &row->setup);
	start = ptebatch_addr(space, 0);
	end = ptebatch_addr(space, space->row.nr);
	if (row->how == PTEBATCH_NUMA_HINT)
		ptebatch_change(space->places[0].mm, start, end, protection,
				change_protection);
	else
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_mprotect(space->places[0].mm, start,
						  end, protection->prot));
	/* Of a PMD, the first page answers for all. */
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
