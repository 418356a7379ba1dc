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
} rows[] = {
	{ "nothing forbids it", { "{Rdyx*16}", .prot = RO } },
	{ "nothing forbids it after no access", { "{Ndyx*16}" } },
	{ "soft-dirty already", { "{Rdysx*16}", .prot = RO, .track = true } },
	{ "shared", { "{Rdy*16}", .prot = RO } },
	{ "soft-dirty tracked", { "{Rdyx*16}", .prot = RO, .track = true } },
	{ "uffd-wp", { "{Rdyux*16}", .prot = RO, .uffd_wp = true } },
	{ "shared, soft-dirty tracked",
	  { "{Rdy*16}", .prot = RO, .track = true } },
	{ "shared, uffd-wp", { "{Rdyu*16}", .prot = RO, .uffd_wp = true } },
	{ "soft-dirty tracked, uffd-wp",
	  { "{Rdyux*16}", .prot = RO, .track = true, .uffd_wp = true } },
	{ "shared, soft-dirty tracked, uffd-wp",
	  { "{Rdyu*16}", .prot = RO, .track = true, .uffd_wp = true } },
	{ "second half shared", { "{Rdyx*8 Rdy*8}", .prot = RO } },
	{ "every reason in one folio",
	  { "{Rdysx*4 Rdyx*4 Rdysux*4 Rdys*4}", .prot = RO, .track = true,
	    .uffd_wp = true } },
	{ "small folios", { "Rdyx Rdy Rdyx Rdy", .prot = RO } },
	{ "PMD", { "[Rdyx]", .prot = RO } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static unsigned long count_faults(void)
{
	unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[PGFAULT];
}

static void write_page(struct kunit *test, const struct ptebatch_call *call,
		       const struct ptebatch_space *space, unsigned int i)
{
	char __user *where = (char __user *)ptebatch_addr(space, i);
	const struct ptebatch_entry *was = &space->row.entries[i];
	struct ptebatch_allowed allowed;
	unsigned long faults;
	int err;

	ptebatch_model_protect(call, was, &allowed);
	faults = count_faults();
	err = put_user(1, where);
	faults = count_faults() - faults;

	KUNIT_EXPECT_EQ_MSG(test, faults,
			    allowed.kinds == BIT(PTEBATCH_WRITABLE) ? 0 : 1,
			    "faults of a write to entry %u of %s", i,
			    space->setup->picture);
	/* Nobody listens to this userfaultfd. */
	KUNIT_EXPECT_EQ_MSG(test, err,
			    was->flags & PTEBATCH_UFFD ? -EFAULT : 0,
			    "a write to entry %u of %s", i,
			    space->setup->picture);
}

static void mprotect_fault(struct kunit *test)
{
	const struct fault_row *row = test->param_value;
	struct ptebatch_space *space = ptebatch_space(test, &row->setup);
	const struct ptebatch_call call = {
		.readable = true,
		.writable = true,
		.anonymous = true,
		.track = row->setup.track,
		.uffd_wp = row->setup.uffd_wp,
		.try_writable = true,
	};
	/* Of a PMD, the first page answers for all. */
	unsigned int step = space->row.folios[0].pmd ? PTRS_PER_PTE : 1;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_mprotect(space->places[0].mm,
					  ptebatch_addr(space, 0),
					  ptebatch_addr(space, space->row.nr),
					  RW));
	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < space->row.nr; i += step)
		write_page(test, &call, space, i);
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
