// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/userfaultfd_k.h>

#include "../kernel/uffd.h"
#include "uffd.h"

static struct uffdio_range range_of(const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;

	return (struct uffdio_range) {
		.start = ptebatch_addr(space, row->from),
		.len = (row->to - row->from) * PAGE_SIZE,
	};
}

static long register_wp(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct uffdio_register arg = {
		.range = range_of(space),
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	return ptebatch_uffd_ioctl(space->uffd, space->places[0].mm, UFFDIO_REGISTER, &arg,
				   sizeof(arg));
}

static long unregister(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct uffdio_range arg = range_of(space);

	return ptebatch_uffd_ioctl(space->uffd, space->places[0].mm, UFFDIO_UNREGISTER, &arg,
				   sizeof(arg));
}

static const char *write_protection_missing(void)
{
	return pgtable_supports_uffd() ? ptebatch_uffd_missing() :
	       "page table entries have no uffd bit in this kernel";
}

const struct ptebatch_op ptebatch_uffd_register_wp = {
	.name = "uffd register", .function = "UFFDIO_REGISTER", .call = register_wp,
	.missing = write_protection_missing, .no_twin = true, .vma_flags = PTEBATCH_UFFD_FLAGS,
};

const struct ptebatch_op ptebatch_uffd_unregister = {
	.name = "uffd unregister", .function = "UFFDIO_UNREGISTER", .call = unregister,
	.missing = write_protection_missing, .no_twin = true, .vma_flags = PTEBATCH_UFFD_FLAGS,
};

static long poison(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct uffdio_poison arg = { .range = range_of(space) };

	return ptebatch_uffd_ioctl(space->uffd, space->places[0].mm, UFFDIO_POISON, &arg,
				   sizeof(arg));
}

const struct ptebatch_op ptebatch_uffd_poison = {
	.function = "UFFDIO_POISON", .call = poison, .missing = ptebatch_uffd_missing,
	.no_twin = true,
};

/* As mwriteprotect_range(). @op->arg: write-protect, otherwise end the protection. */
static long write_protect(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	long ret = 0;

	VMA_ITERATOR(vmi, mm, start);

	mmap_read_lock(mm);
	for_each_vma_range(vmi, vma, end) {
		unsigned long at = max(start, vma->vm_start);

		ret = -ENOENT;
		if (!userfaultfd_wp(vma))
			break;
		ret = uffd_wp_range(vma, at, min(end, vma->vm_end) - at, op->arg);
		if (ret < 0)
			break;
	}
	mmap_read_unlock(mm);
	return min(ret, 0L);
}

const struct ptebatch_op ptebatch_uffd_protect = {
	.name = "uffd-wp protect", .function = "uffd_wp_range()", .call = write_protect,
	.arg = true, .uffd_wp = true, .no_twin = true,
};

const struct ptebatch_op ptebatch_uffd_resolve = {
	.name = "uffd-wp resolve", .function = "uffd_wp_range()", .call = write_protect,
	.uffd_wp = true, .no_twin = true,
};
