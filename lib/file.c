// SPDX-License-Identifier: GPL-2.0
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>

#include "file.h"

/* A fault is a bug of the test that causes it: nothing reads or writes here. */
static vm_fault_t file_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

/*
 * That there is a page_mkwrite() is the point: file systems that have one want
 * to be told of the first write to each page, so a shared mapping's clean
 * entries must stay read-only. See vma_wants_writenotify().
 */
static vm_fault_t file_page_mkwrite(struct vm_fault *vmf)
{
	folio_lock(page_folio(vmf->page));
	return VM_FAULT_LOCKED;
}

static const struct vm_operations_struct file_vm_ops = {
	.fault		= file_fault,
	.page_mkwrite	= file_page_mkwrite,
};

static int file_mmap_prepare(struct vm_area_desc *desc)
{
	desc->vm_ops = &file_vm_ops;
	return 0;
}

static const struct file_operations file_fops = {
	.owner		= THIS_MODULE,
	.mmap_prepare	= file_mmap_prepare,
};

/**
 * ptebatch_file() - make a file that wants to be notified of writes
 *
 * Its page cache takes folios of any order, see ptebatch_folio_cache(). They
 * count as MM_FILEPAGES where they are mapped.
 *
 * Context: Process context, may sleep.
 * Return: the file, to be given back by fput(), or an ERR_PTR().
 */
struct file *ptebatch_file(void)
{
	struct file *file;

	file = anon_inode_create_getfile("[ptebatch]", &file_fops, NULL,
					 O_RDWR, NULL);
	if (!IS_ERR(file) && IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		mapping_set_large_folios(file->f_mapping);
	return file;
}
