// SPDX-License-Identifier: GPL-2.0
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/xarray.h>

#include "file.h"
#include "process.h"
#include "syscall.h"

/* The page cache has all pages of the file that there are: nothing is read. */
static vm_fault_t file_fault(struct vm_fault *vmf)
{
	loff_t at = (loff_t)vmf->pgoff << PAGE_SHIFT;

	if (!filemap_range_has_page(vmf->vma->vm_file->f_mapping, at, at))
		return VM_FAULT_SIGBUS;
	return filemap_fault(vmf);
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
	.map_pages	= filemap_map_pages,
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

/*
 * Mark the folio in the page cache, as filemap_dirty_folio() does, but do not
 * mark the inode dirty: there is nothing to write to.
 */
static bool file_dirty_folio(struct address_space *mapping, struct folio *folio)
{
	unsigned long flags;

	if (folio_test_set_dirty(folio))
		return false;
	xa_lock_irqsave(&mapping->i_pages, flags);
	__xa_set_mark(&mapping->i_pages, folio->index, PAGECACHE_TAG_DIRTY);
	xa_unlock_irqrestore(&mapping->i_pages, flags);
	return true;
}

static const struct address_space_operations file_aops = {
	.dirty_folio	= file_dirty_folio,
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
	if (IS_ERR(file))
		return file;
	file->f_mapping->a_ops = &file_aops;
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		mapping_set_large_folios(file->f_mapping);
	return file;
}

/**
 * ptebatch_file_mount() - mount a file system for the suites only
 * @type: name of its type
 * @mount: returns the mount, for kern_unmount(); unchanged after an error
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_file_mount(const char *type, struct vfsmount **mount)
{
	struct file_system_type *found = get_fs_type(type);
	struct vfsmount *mounted;

	if (!found)
		return -ENODEV;
	mounted = kern_mount(found);
	module_put(found->owner);
	if (IS_ERR(mounted))
		return PTR_ERR(mounted);
	*mount = mounted;
	return 0;
}

/**
 * ptebatch_file_write() - write to a file as a process does
 * @file: the file
 * @text: what to write
 * @bytes: size of @text, in bytes
 *
 * write() takes @text from user memory: of a new mm, so that it does not change
 * the mm under test.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error of write().
 */
int ptebatch_file_write(struct file *file, const char *text, size_t bytes)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	unsigned long at;
	ssize_t done;
	loff_t pos = 0;

	if (!mm)
		return -ENOMEM;
	kthread_use_mm(mm);
	at = ptebatch_to_user(text, bytes);
	if (IS_ERR_VALUE(at))
		done = at;
	else
		done = file->f_op->write(file, (void __user *)at, bytes, &pos);
	kthread_unuse_mm(mm);
	mmput(mm);
	return done < 0 ? done : 0;
}

/**
 * ptebatch_file_dirtied() - test whether dirty_folio() was called for a folio
 * @folio: a folio in the page cache of a file from ptebatch_file()
 *
 * Return: true if the file's dirty_folio() made the folio dirty.
 */
bool ptebatch_file_dirtied(const struct folio *folio)
{
	return xa_get_mark(&folio->mapping->i_pages, folio->index,
			   PAGECACHE_TAG_DIRTY);
}
