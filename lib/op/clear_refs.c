// SPDX-License-Identifier: GPL-2.0
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/kernel.h>

#include "../kernel/file.h"
#include "../service/proc.h"
#include "clear_refs.h"

static long write_number(struct file *file, void *data)
{
	const struct ptebatch_op *op = data;
	char text[2];

	snprintf(text, sizeof(text), "%lu", op->arg);
	return ptebatch_file_write(file, text, 1);
}

static long clear_refs(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return ptebatch_proc_call(space->places[0].mm, "clear_refs", O_WRONLY, write_number,
				  (void *)op);
}

static const char *page_monitor_missing(void)
{
	return IS_ENABLED(CONFIG_PROC_PAGE_MONITOR) ? NULL :
	       "no clear_refs without CONFIG_PROC_PAGE_MONITOR";
}

const struct ptebatch_op ptebatch_clear_refs = {
	.name = "clear refs", .function = "write() to clear_refs", .call = clear_refs,
	.arg = PTEBATCH_NOT_SOFT_DIRTY, .missing = page_monitor_missing, .no_twin = true,
	.vma_flags = VM_SOFTDIRTY,
};
