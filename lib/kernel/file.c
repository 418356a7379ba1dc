// SPDX-License-Identifier: GPL-2.0
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>

#include "file.h"

/* A fault is a bug of the test: the suites do not access the mapping. */
static vm_fault_t file_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

/*
 * page_mkwrite() enables write notification: clean entries of a shared mapping
 * must stay read-only. See vma_wants_writenotify().
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
 * ptebatch_file() - make a file with write notification
 *
 * Its page cache accepts folios of any order, see ptebatch_folio_cache(). RSS
 * counts mapped pages as MM_FILEPAGES.
 *
 * Context: Process context, may sleep.
 * Return: the file, which the caller releases by fput(), or an ERR_PTR().
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
