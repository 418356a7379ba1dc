// SPDX-License-Identifier: GPL-2.0
/*
 * The system calls find the RAM disk by its name, so it gets one, and want the
 * name from a user, so we are one meanwhile.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/major.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/swap.h>
#include <linux/swap_ops.h>
#include <linux/workqueue.h>

#include "internal.h"
#include <swap.h>

#include "space.h"
#include "swap.h"
#include "syscall.h"

#if defined(CONFIG_SWAP) && defined(CONFIG_BLK_DEV_RAM)

#define NODE	"/ptebatch-swap"

/* Pages: some of the largest folios, and what is freed late. */
#define ENOUGH	(SZ_16M >> PAGE_SHIFT)

static const char *missing = "no swap space: nobody has asked for any";
static char why_not[64];
static bool is_ours;

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mknodat));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(swapoff));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(swapon));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(unlinkat));

/* Does as a user what @call does; gives it @args, and the node's name at @name. */
static long call_with_name(ptebatch_syscall_t call, unsigned long args[5],
			   unsigned int name)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct ptebatch_args packed;
	unsigned long addr;
	long ret;

	if (!mm)
		return -ENOMEM;
	kthread_use_mm(mm);
	addr = ptebatch_to_user(NODE, sizeof(NODE));
	if (IS_ERR_VALUE(addr)) {
		ret = addr;
	} else {
		args[name] = addr;
		packed = ptebatch_args(args[0], args[1], args[2], args[3],
				       args[4]);
		scoped_with_init_fs()
			ret = ptebatch_syscall(call, &packed);
	}
	kthread_unuse_mm(mm);
	mmput(mm);
	return ret;
}

static int make_node(void)
{
	unsigned long args[5] = {
		[0] = AT_FDCWD,
		[2] = S_IFBLK | 0600,
		[3] = new_encode_dev(MKDEV(RAMDISK_MAJOR, 0)),
	};

	return call_with_name(PTEBATCH_SYSCALL(mknodat), args, 1);
}

static int remove_node(void)
{
	unsigned long args[5] = { AT_FDCWD };

	return call_with_name(PTEBATCH_SYSCALL(unlinkat), args, 1);
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
	unsigned long args[5] = {};
	int err;

	err = make_node();
	if (err)
		return err;
	scoped_with_init_fs()
		err = write_header();
	if (!err)
		err = call_with_name(PTEBATCH_SYSCALL(swapon), args, 0);
	is_ours = !err;
	if (err)
		remove_node();
	return err;
}

static long swap_off(void *unused)
{
	unsigned long args[5] = {};
	long err = call_with_name(PTEBATCH_SYSCALL(swapoff), args, 0);

	/* A worker's files are closed later, but the next suite wants it now. */
	flush_delayed_fput();
	return err ?: remove_node();
}

/**
 * ptebatch_swap_on() - the beginning of a suite that needs swap space
 * @suite: the suite
 *
 * Takes what there is; where there is none, makes a RAM disk that nobody uses
 * one. To be undone by ptebatch_swap_off(). If there is none to be had, the
 * cases that need it are skipped.
 *
 * Context: Process context, may sleep.
 * Return: 0.
 */
int ptebatch_swap_on(struct kunit_suite *suite)
{
	long err = 0;

	/* A suite begins in a task that is no kernel thread, but workers are. */
	if (get_nr_swap_pages() <= 0)
		err = work_on_cpu(raw_smp_processor_id(), swap_on, NULL);
	snprintf(why_not, sizeof(why_not), "no swap space on a RAM disk: %pe",
		 ERR_PTR(err));
	missing = err ? why_not : NULL;
	if (!err && get_nr_swap_pages() < ENOUGH)
		missing = "too little swap space: the RAM disk is too small";
	return 0;
}

/**
 * ptebatch_swap_off() - and its end: give back what ptebatch_swap_on() has made
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_swap_off(struct kunit_suite *suite)
{
	missing = "no swap space: nobody has asked for any";
	if (is_ours && work_on_cpu(raw_smp_processor_id(), swap_off, NULL))
		kunit_warn(suite, "swapoff() of the RAM disk fails\n");
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

	if (__builtin_types_compatible_p(typeof(folio_dup_swap) *, dup_page_t))
		return ((dup_page_t)dup)(folio, page);
	return ((dup_pages_t)dup)(folio, page, 1);
}

static void put_page_swap(struct folio *folio, struct page *page)
{
	void *put = folio_put_swap;

	if (__builtin_types_compatible_p(typeof(folio_put_swap) *, put_page_t))
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
 * ptebatch_swap_cached() - what the swap cache has
 * @entry: a swap entry
 *
 * Return: the folio with a reference, which is the caller's; %NULL if there is
 * none, or if there is no such place in swap.
 */
struct folio *ptebatch_swap_cached(swp_entry_t entry)
{
	struct swap_info_struct *device = get_swap_device(entry);
	struct folio *folio;

	if (!device)
		return NULL;
	folio = swap_cache_get_folio(entry);
	put_swap_device(device);
	return folio;
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
 * ptebatch_swap_there_and_back() - write a folio to its swap space, and read it
 * @folio: in the swap cache, unmapped and locked
 *
 * In between, nothing of it is left in memory.
 *
 * Context: Process context, may sleep.
 * Return: 0; then the folio is uptodate, clean and locked. -EIO.
 */
int ptebatch_swap_there_and_back(struct folio *folio)
{
	struct swap_io_ctx ctx = {};
	int err;

	folio_clear_dirty_for_io(folio);
	err = swap_writeout(&ctx, folio);
	swap_write_submit(&ctx);
	if (err)
		return -EIO;
	folio_wait_writeback(folio);
	folio_lock(folio);

	memset(folio_address(folio), 0, folio_size(folio));
	folio_clear_uptodate(folio);
	swap_read_folio(&ctx, folio);
	swap_read_submit(&ctx);
	folio_lock(folio);
	return folio_test_uptodate(folio) ? 0 : -EIO;
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

int ptebatch_swap_on(struct kunit_suite *suite)
{
	return 0;
}

void ptebatch_swap_off(struct kunit_suite *suite)
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

struct folio *ptebatch_swap_cached(swp_entry_t entry)
{
	return NULL;
}

long ptebatch_swap_page(struct folio *folio, swp_entry_t entry)
{
	return -1;
}

int ptebatch_swap_there_and_back(struct folio *folio)
{
	return -EOPNOTSUPP;
}

void ptebatch_swap_free(struct folio *folio)
{
}

#endif
