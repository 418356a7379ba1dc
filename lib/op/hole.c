// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>

#include "hole.h"

/* Without ON_LRU of the set-up, the references of the space prevent splits. */
static long punch(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	unsigned long from = op->arg ? PTEBATCH_HOLE_FROM(op->arg) : row->from;
	unsigned long to = op->arg ? PTEBATCH_HOLE_TO(op->arg) : row->to;
	struct inode *inode = file_inode(space->file);
	loff_t start = (loff_t)(space->pgoff + from) << PAGE_SHIFT;
	loff_t bytes = (loff_t)(to - from) << PAGE_SHIFT;

	inode_lock(inode);
	if (shmem_mapping(inode->i_mapping)) {
		/* As shmem_fallocate() does. */
		unmap_mapping_range(inode->i_mapping, start, bytes, 0);
		shmem_truncate_range(inode, start, start + bytes - 1);
	} else {
		truncate_pagecache_range(inode, start, start + bytes - 1);
	}
	inode_unlock(inode);
	return 0;
}

/* The file ends at the first page of the range, then where it ended before. */
static long shorten(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct path *path = &space->file->f_path;
	loff_t bytes = i_size_read(file_inode(space->file));

	return vfs_truncate(path, (loff_t)(space->pgoff + space->row.from) << PAGE_SHIFT) ?:
	       vfs_truncate(path, bytes);
}

const struct ptebatch_op ptebatch_truncate = {
	.name = "truncate", .function = "vfs_truncate()", .call = shorten, .no_twin = true,
};

const struct ptebatch_op ptebatch_hole = {
	.name = "punch hole", .function = "a hole in the file", .call = punch, .no_twin = true,
};
