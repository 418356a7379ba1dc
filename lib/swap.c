// SPDX-License-Identifier: GPL-2.0
/*
 * The system calls find the RAM disk by its name, so it gets one, and want the
 * name from a user, so we are one meanwhile.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/major.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "internal.h"
#include <swap.h>

#include "space.h"
#include "swap.h"

#if defined(CONFIG_SWAP) && defined(CONFIG_BLK_DEV_RAM)

#define NODE	"/ptebatch-swap"

static const char *missing = "no swap space: nobody has asked for it";
static char swapon_says[64];
static bool is_ours;

#if defined(CONFIG_X86_64)
asmlinkage long __x64_sys_swapon(const struct pt_regs *regs);
asmlinkage long __x64_sys_swapoff(const struct pt_regs *regs);
#define sys_swapon	__x64_sys_swapon
#define sys_swapoff	__x64_sys_swapoff

static void set_args(struct pt_regs *regs, unsigned long first,
		     unsigned long second)
{
	regs->di = first;
	regs->si = second;
}
#elif defined(CONFIG_ARM64)
asmlinkage long __arm64_sys_swapon(const struct pt_regs *regs);
asmlinkage long __arm64_sys_swapoff(const struct pt_regs *regs);
#define sys_swapon	__arm64_sys_swapon
#define sys_swapoff	__arm64_sys_swapoff

static void set_args(struct pt_regs *regs, unsigned long first,
		     unsigned long second)
{
	regs->orig_x0 = first;
	regs->regs[1] = second;
}
#endif

/* A system call with the node's name, as from a user. */
static long call_with_name(long (*call)(const struct pt_regs *regs))
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct pt_regs regs = {};
	unsigned long addr;
	long ret;

	if (!mm)
		return -ENOMEM;
	kthread_use_mm(mm);
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	ret = IS_ERR_VALUE(addr) ? (long)addr :
	      copy_to_user((char __user *)addr, NODE, sizeof(NODE)) ? -EFAULT : 0;
	set_args(&regs, addr, 0);
	if (!ret) {
		scoped_with_init_fs()
			ret = call(&regs);
	}
	kthread_unuse_mm(mm);
	mmput(mm);
	return ret;
}

static int make_node(void)
{
	struct dentry *dentry;
	struct path path;
	int err;

	dentry = start_creating_path(AT_FDCWD, NODE, &path, 0);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	err = vfs_mknod(mnt_idmap(path.mnt), d_inode(path.dentry), dentry,
			S_IFBLK | 0600, MKDEV(RAMDISK_MAJOR, 0), NULL);
	end_creating_path(&path, dentry);
	return err == -EEXIST ? 0 : err;
}

/* What mkswap(8) writes: the first page, to a disk that nobody uses. */
static int write_header(void)
{
	union swap_header *header;
	struct file *disk;
	loff_t pos = 0;
	int err = 0;

	header = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!header)
		return -ENOMEM;
	disk = filp_open(NODE, O_RDWR | O_EXCL | O_LARGEFILE, 0);
	if (IS_ERR(disk)) {
		kfree(header);
		return PTR_ERR(disk);
	}
	if (kernel_read(disk, header, PAGE_SIZE, &pos) != PAGE_SIZE)
		err = -EIO;
	else if (memchr_inv(header, 0, PAGE_SIZE) &&
		 memcmp(header->info.sws_volume, "ptebatch", 8))
		err = -EBUSY;
	if (!err) {
		memset(header, 0, PAGE_SIZE);
		header->info.version = 1;
		header->info.last_page =
			(i_size_read(disk->f_mapping->host) >> PAGE_SHIFT) - 1;
		memcpy(header->info.sws_volume, "ptebatch", 8);
		memcpy(header->magic.magic, "SWAPSPACE2", 10);
		pos = 0;
		if (kernel_write(disk, header, PAGE_SIZE, &pos) != PAGE_SIZE)
			err = -EIO;
	}
	/* Now, not later: a swap space is opened for its user alone. */
	__fput_sync(disk);
	kfree(header);
	return err;
}

static long swap_on(void *unused)
{
	int err = 0;

	scoped_with_init_fs() {
		err = make_node();
		if (!err)
			err = write_header();
	}
	if (err == -EBUSY)
		missing = "no swap space: the RAM disk is in use";
	else if (err)
		missing = "no swap space: no RAM disk to be had";
	if (err)
		return err;

	err = call_with_name(sys_swapon);
	if (err == -EINVAL)
		missing = "no swap space: the RAM disk is too small";
	else if (err)
		missing = swapon_says;
	snprintf(swapon_says, sizeof(swapon_says),
		 "no swap space: swapon() says %pe", ERR_PTR(err));
	is_ours = !err;
	return err;
}

static long swap_off(void *unused)
{
	return call_with_name(sys_swapoff);
}

/**
 * ptebatch_swap_on() - see to it that there is swap space
 *
 * Takes what there is; where there is none, makes a RAM disk that nobody uses
 * one. To be undone by ptebatch_swap_off().
 *
 * Context: Process context, may sleep.
 */
void ptebatch_swap_on(void)
{
	missing = NULL;
	/* A suite begins in a task that is no kernel thread, but workers are. */
	if (get_nr_swap_pages() <= 0)
		work_on_cpu(raw_smp_processor_id(), swap_on, NULL);
}

/**
 * ptebatch_swap_off() - give back what ptebatch_swap_on() has made
 *
 * Context: Process context, may sleep.
 */
void ptebatch_swap_off(void)
{
	missing = "no swap space: nobody has asked for it";
	if (is_ours && work_on_cpu(raw_smp_processor_id(), swap_off, NULL))
		pr_warn("ptebatch: swapoff() of the RAM disk fails\n");
	is_ours = false;
}

/**
 * ptebatch_swap_missing() - is there swap space?
 *
 * Return: why not, %NULL if there is.
 */
const char *ptebatch_swap_missing(void)
{
	return missing;
}

/**
 * ptebatch_swap_alloc() - give a folio swap space, as reclaim does first of all
 * @folio: an anonymous folio, mapped
 *
 * It is locked and in the swap cache then, until ptebatch_swap_free().
 *
 * Context: Process context, may sleep.
 * Return: 0, or an error of folio_alloc_swap().
 */
int ptebatch_swap_alloc(struct folio *folio)
{
	if (!folio_test_locked(folio))
		folio_lock(folio);
	folio_mark_uptodate(folio);
	return folio_alloc_swap(folio);
}

/*
 * What takes and drops swap counts knows one page or all; with our series, or
 * others, a range of pages.
 */
typedef int (*dup_page_t)(struct folio *folio, struct page *page);
typedef int (*dup_pages_t)(struct folio *folio, struct page *page,
			   unsigned long nr_pages);
typedef void (*put_page_t)(struct folio *folio, struct page *page);
typedef void (*put_pages_t)(struct folio *folio, struct page *page,
			    unsigned long nr_pages);

static int dup_page(struct folio *folio, struct page *page)
{
	void *dup = folio_dup_swap;

	if (__builtin_types_compatible_p(typeof(&folio_dup_swap), dup_page_t))
		return ((dup_page_t)dup)(folio, page);
	return ((dup_pages_t)dup)(folio, page, 1);
}

static void put_page_swap(struct folio *folio, struct page *page)
{
	void *put = folio_put_swap;

	if (__builtin_types_compatible_p(typeof(&folio_put_swap), put_page_t))
		((put_page_t)put)(folio, page);
	else
		((put_pages_t)put)(folio, page, 1);
}

/**
 * ptebatch_swap_dup() - count a page's swap entries up
 * @folio: in the swap cache, see ptebatch_swap_alloc()
 * @page: which page of it
 * @nr: by how much
 *
 * Return: 0, or -ENOMEM where it cannot grow so far.
 */
int ptebatch_swap_dup(struct folio *folio, unsigned int page, unsigned int nr)
{
	int err = 0;

	while (nr-- && !err)
		err = dup_page(folio, folio_page(folio, page));
	return err;
}

/**
 * ptebatch_swap_put() - and down
 * @folio: in the swap cache
 * @page: which page of it
 * @nr: by how much
 */
void ptebatch_swap_put(struct folio *folio, unsigned int page, unsigned int nr)
{
	while (nr--)
		put_page_swap(folio, folio_page(folio, page));
}

/**
 * ptebatch_swap_count() - how many swap entries say that a page is in swap
 * @folio: in the swap cache
 * @page: which page of it
 *
 * Return: the number of them.
 */
int ptebatch_swap_count(struct folio *folio, unsigned int page)
{
	return swp_swapcount(page_swap_entry(folio_page(folio, page)));
}

/**
 * ptebatch_swap_page() - which page of a folio is it?
 * @folio: some folio
 * @entry: a swap entry
 *
 * Return: the number of the page in the folio that has that place in swap, -1
 * if none has.
 */
long ptebatch_swap_page(struct folio *folio, swp_entry_t entry)
{
	unsigned long page = entry.val - folio->swap.val;

	return folio_test_swapcache(folio) && page < folio_nr_pages(folio) ?
	       (long)page : -1;
}

/**
 * ptebatch_swap_free() - take a folio's swap space back
 * @folio: locked; nothing else refers to its swap space
 */
void ptebatch_swap_free(struct folio *folio)
{
	if (folio_test_swapcache(folio))
		swap_cache_del_folio(folio);
}

#else /* !CONFIG_SWAP || !CONFIG_BLK_DEV_RAM */

void ptebatch_swap_on(void)
{
}

void ptebatch_swap_off(void)
{
}

const char *ptebatch_swap_missing(void)
{
	return IS_ENABLED(CONFIG_SWAP) ? "no swap space without CONFIG_BLK_DEV_RAM" :
					 "no swap space without CONFIG_SWAP";
}

int ptebatch_swap_alloc(struct folio *folio)
{
	return -EOPNOTSUPP;
}

int ptebatch_swap_dup(struct folio *folio, unsigned int page, unsigned int nr)
{
	return -EOPNOTSUPP;
}

void ptebatch_swap_put(struct folio *folio, unsigned int page, unsigned int nr)
{
}

int ptebatch_swap_count(struct folio *folio, unsigned int page)
{
	return 0;
}

long ptebatch_swap_page(struct folio *folio, swp_entry_t entry)
{
	return -1;
}

void ptebatch_swap_free(struct folio *folio)
{
}

#endif
