// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd.h>

#include "../kernel/process.h"
#include "../kernel/syscall.h"
#include "../kernel/uffd.h"
#include "../twin/twin.h"
#include "op.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

static long move(const struct ptebatch_op *op, struct ptebatch_space *space,
		 bool twin)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	const struct ptebatch_row *row = &space->row;
	unsigned long bytes = (row->to - row->from) * PAGE_SIZE;
	unsigned long addr = to->start + row->from * PAGE_SIZE;
	long ret;

	ret = ptebatch_syscall_in(to->mm,
				  twin ? ptebatch_twin_mremap :
					 PTEBATCH_SYSCALL(mremap),
				  ptebatch_addr(space, row->from), bytes,
				  op->new_pages ? op->new_pages * PAGE_SIZE : bytes,
				  MREMAP_MAYMOVE | MREMAP_FIXED | op->arg, addr);
	return ret == addr ? 0 : ret;
}

const struct ptebatch_op ptebatch_move = {
	.name = "move", .function = "mremap()", .call = move, .moves = true,
	/* MREMAP_DONTUNMAP unlocks the source. */
	.vma_flags = VM_LOCKED_MASK, .model = ptebatch_model_move_source,
	.second_model = ptebatch_model_move,
};

const struct ptebatch_op ptebatch_move_entries = {
	.name = "move dontunmap", .function = "mremap()", .call = move, .moves = true,
	.arg = MREMAP_DONTUNMAP, .vma_flags = VM_LOCKED_MASK, .no_twin = true,
};

/**
 * ptebatch_uffd_map_last() - map memory to which UFFDIO_MOVE can move the row
 * @space: the address space; nothing is mapped at its last place
 *
 * The VMA covers the page tables of the place, so that a PMD can move.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0, or an error of mmap().
 */
long ptebatch_uffd_map_last(const struct ptebatch_space *space)
{
	const struct ptebatch_place *last = &space->places[space->nr_places - 1];
	unsigned long start = ALIGN_DOWN(last->start, PMD_SIZE);
	unsigned long end = ALIGN(last->start + space->row.nr * PAGE_SIZE, PMD_SIZE);

	return ptebatch_map_anon(last->mm, start, end - start, space->setup.prot,
				 MAP_FIXED_NOREPLACE);
}

/**
 * ptebatch_uffd_move_between() - UFFDIO_MOVE of the range of a row
 * @uffd: userfaultfd of the mm
 * @space: the address space
 * @from: the place to move from
 * @to: the place to move to, to be registered
 * @registers: how to register it: UFFDIO_REGISTER_MODE_*
 * @mode: UFFDIO_MOVE_MODE_*
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0, or an error of the ioctls.
 */
long ptebatch_uffd_move_between(struct file *uffd, const struct ptebatch_space *space,
				const struct ptebatch_place *from,
				const struct ptebatch_place *to, u64 registers, u64 mode)
{
	struct uffdio_move arg = {
		.dst = to->start + space->row.from * PAGE_SIZE,
		.src = from->start + space->row.from * PAGE_SIZE,
		.len = (space->row.to - space->row.from) * PAGE_SIZE,
		.mode = mode,
	};
	long ret = ptebatch_uffd_register(uffd, to->mm, to->start, registers) ?:
		   ptebatch_uffd_ioctl(uffd, to->mm, UFFDIO_MOVE, &arg, sizeof(arg));

	/* An error, or whole pages of the range. */
	KUNIT_EXPECT_LE(space->test, arg.move, (s64)arg.len);
	KUNIT_EXPECT_TRUE_MSG(space->test, arg.move < 0 || !(arg.move % PAGE_SIZE),
			      "UFFDIO_MOVE has moved %lld bytes", arg.move);
	return ret;
}

static long uffd_move_range(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_place *to = &space->places[space->nr_places - 1];
	struct file *uffd = ptebatch_uffd_open(to->mm, 0);
	long ret;

	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	ret = ptebatch_uffd_move_between(uffd, space, &space->places[0], to,
					 UFFDIO_REGISTER_MODE_MISSING, op->arg);
	__fput_sync(uffd);
	return ret;
}

const struct ptebatch_op ptebatch_uffd_move_range = {
	.name = "uffd move", .function = "UFFDIO_MOVE", .call = uffd_move_range, .moves = true,
	.arg = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES, .missing = ptebatch_uffd_missing,
	.no_twin = true,
};
