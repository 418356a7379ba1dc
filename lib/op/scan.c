// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../kernel/syscall.h"
#include "../kernel/uffd.h"
#include "../service/proc.h"
#include "scan.h"

/**
 * ptebatch_scan_range() - describe a scan for written pages, which returns regions
 * @scan: the scan to set
 * @space: the address space; its range is scanned
 * @flags: PM_SCAN_*
 */
void ptebatch_scan_range(struct ptebatch_scan *scan, const struct ptebatch_space *space,
			 u64 flags)
{
	memset(scan, 0, sizeof(*scan));
	scan->arg = (struct pm_scan_arg) {
		.size = sizeof(struct pm_scan_arg),
		.flags = flags,
		.start = ptebatch_addr(space, space->row.from),
		.end = ptebatch_addr(space, space->row.to),
		.vec_len = PTEBATCH_SCAN_REGIONS,
		.category_mask = PAGE_IS_WRITTEN,
		.return_mask = PAGE_IS_WRITTEN,
	};
}

static long call_ioctl(struct file *file, void *data)
{
	struct ptebatch_scan *scan = data;
	size_t bytes = offsetof(struct ptebatch_scan, regions) +
		       scan->arg.vec_len * sizeof(scan->regions[0]);
	unsigned long at;
	long ret;

	at = ptebatch_to_user(scan, bytes);
	if (IS_ERR_VALUE(at))
		return at;
	if (scan->arg.vec_len)
		scan->arg.vec = at + offsetof(struct ptebatch_scan, regions);
	ret = -EFAULT;
	if (!copy_to_user((void __user *)at, scan, bytes))
		ret = file->f_op->unlocked_ioctl(file, PAGEMAP_SCAN, at);
	if (copy_from_user(scan, (void __user *)at, bytes))
		ret = -EFAULT;
	vm_munmap(at, PAGE_ALIGN(bytes));
	return ret;
}

/**
 * struct scan_call - a scan of a process
 * @mm: its mm
 * @scan: the scan
 */
struct scan_call {
	struct mm_struct *mm;
	struct ptebatch_scan *scan;
};

static long call_in_mm(struct file *file, void *data)
{
	struct scan_call *call = data;
	long ret;

	kthread_use_mm(call->mm);
	ret = call_ioctl(file, call->scan);
	kthread_unuse_mm(call->mm);
	return ret;
}

/**
 * ptebatch_scan() - call PAGEMAP_SCAN
 * @mm: the mm
 * @scan: the scan; the kernel sets @arg.walk_end, and @regions
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: number of regions, or an error.
 */
long ptebatch_scan(struct mm_struct *mm, struct ptebatch_scan *scan)
{
	struct scan_call call = { mm, scan };

	return ptebatch_proc_call(mm, "pagemap", O_RDONLY, call_in_mm, &call);
}

/* Regions of one scan, which is called again for the rest, as a program does. */
#define FEW_REGIONS	8

static long scan_written(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	/* Too large for the stack. */
	struct ptebatch_scan *scan = kvmalloc_obj(*scan);
	struct mm_struct *mm = space->places[0].mm;
	long ret, i, pages = 0;

	if (!scan)
		return -ENOMEM;
	ptebatch_scan_range(scan, space, PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC);
	scan->arg.vec_len = FEW_REGIONS;
	do {
		ret = ptebatch_scan(mm, scan);
		for (i = 0; i < ret; i++)
			pages += (scan->regions[i].end - scan->regions[i].start) / PAGE_SIZE;
		scan->arg.start = scan->arg.walk_end;
	} while (ret > 0 && scan->arg.start < scan->arg.end);
	kvfree(scan);
	return min(ret, 0L) ?: pages;
}

const struct ptebatch_op ptebatch_scan_written = {
	.name = "scan", .function = "PAGEMAP_SCAN", .call = scan_written,
	.missing = ptebatch_uffd_missing, .uffd_wp = true, .no_twin = true,
};
