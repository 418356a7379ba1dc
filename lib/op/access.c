// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

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

/* The page that ptebatch_call_pin() has pinned, %NULL if none. */
static struct page *pinned;

/**
 * ptebatch_call_pin() - pin a page for writing
 * @op: the operation: its argument is the index of the entry
 * @space: the address space
 * @twin: unused
 *
 * Tries GUP-fast; if that fails, takes the mmap_lock and the page table lock. One
 * page at a time; ptebatch_unpin() unpins it.
 *
 * Context: Process context of a kernel thread, may sleep.
 * Return: the number of pinned pages, or an error.
 */
long ptebatch_call_pin(const struct ptebatch_op *op,
		       struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	bool used = use_mm(mm);
	struct page *page = NULL;
	long pages;

	pages = pin_user_pages_fast((unsigned long)user_address(space, op->arg), 1,
				    FOLL_WRITE | FOLL_NOFAULT, &page);
	if (pages == 1)
		pinned = page;
	if (used)
		kthread_unuse_mm(mm);
	return pages;
}

/**
 * ptebatch_unpin() - unpin the page that ptebatch_call_pin() has pinned, if any
 *
 * Context: Process context, may sleep.
 */
void ptebatch_unpin(void)
{
	if (pinned)
		unpin_user_page(pinned);
	pinned = NULL;
}
