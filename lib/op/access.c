// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../space/refs.h"
#include "access.h"

#define WRITTEN		0x70746562U

static u32 __user *user_address(const struct ptebatch_space *space, unsigned int i)
{
	return (u32 __user *)ptebatch_addr(space, i);
}

/* The caller may use the mm already, so that its TLB keeps its entries. */
static bool use_mm(struct mm_struct *mm)
{
	if (current->mm == mm)
		return false;
	kthread_use_mm(mm);
	return true;
}

/**
 * ptebatch_call_write() - write to a page
 * @op: the operation: its argument is the index of the entry
 * @space: the address space
 * @twin: unused
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: 0 or -EFAULT.
 */
long ptebatch_call_write(const struct ptebatch_op *op,
			 struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	bool used = use_mm(mm);
	long err = put_user(WRITTEN, user_address(space, op->arg));

	if (used)
		kthread_unuse_mm(mm);
	return err;
}

/**
 * ptebatch_written() - test whether a write was not lost
 * @space: the address space
 * @i: index of the entry that ptebatch_call_write() wrote to
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: true if a read returns what was written.
 */
bool ptebatch_written(const struct ptebatch_space *space, unsigned int i)
{
	struct mm_struct *mm = space->places[0].mm;
	bool used = use_mm(mm);
	u32 value = 0;
	int err = get_user(value, user_address(space, i));

	if (used)
		kthread_unuse_mm(mm);
	return !err && value == WRITTEN;
}

/**
 * ptebatch_pin() - pin a page for writing
 * @space: the address space; one page at a time, until ptebatch_unpin()
 * @i: index of the entry
 * @flags: FOLL_NOFAULT: without a fault
 *
 * Tries GUP-fast; if that fails, takes the mmap_lock and the page table lock.
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: the number of pinned pages, or an error.
 */
long ptebatch_pin(struct ptebatch_space *space, unsigned int i, unsigned int flags)
{
	struct mm_struct *mm = space->places[0].mm;
	bool used = use_mm(mm);
	struct page *page = NULL;
	long pages;

	pages = pin_user_pages_fast((unsigned long)user_address(space, i), 1,
				    FOLL_WRITE | flags, &page);
	if (pages == 1)
		space->pinned = page;
	if (used)
		kthread_unuse_mm(mm);
	return pages;
}

/**
 * ptebatch_call_pin() - pin a page for writing, without a fault
 * @op: the operation: its argument is the index of the entry
 * @space: the address space
 * @twin: unused
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: as ptebatch_pin().
 */
long ptebatch_call_pin(const struct ptebatch_op *op,
		       struct ptebatch_space *space, bool twin)
{
	return ptebatch_pin(space, op->arg, FOLL_NOFAULT);
}

/* The first page of the range, in place of the one that is pinned. */
static long pin_first(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	ptebatch_unpin(space);
	return ptebatch_pin(space, space->row.from, 0);
}

const struct ptebatch_op ptebatch_pin_first = {
	.name = "pin", .function = "pin_user_pages_fast()", .call = pin_first,
	.no_twin = true,
};
