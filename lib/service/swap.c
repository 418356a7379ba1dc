// SPDX-License-Identifier: GPL-2.0
/*
 * swapon() and swapoff() take a path from user memory: make a device node for
 * each RAM disk, and an mm for the user memory.
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

#include "../arch/arch.h"
#include "../kernel/process.h"
#include "../kernel/syscall.h"
#include "swap.h"

/* Reclaim cannot handle the large folios of rows without CONFIG_TRANSPARENT_HUGEPAGE. */
#if defined(CONFIG_SWAP) && defined(CONFIG_BLK_DEV_RAM) && defined(CONFIG_TRANSPARENT_HUGEPAGE)

/* Two disks of equal priority: the kernel uses them in turn. */
#define SWAP_DISKS	2

/* In pages: room for some of the largest folios, and for slots freed late. */
#define MIN_SWAP_PAGES	(SZ_16M >> PAGE_SHIFT)

#define NOT_REQUESTED	"no swap space: the suite does not call ptebatch_swap_on()"

static const char *missing_reason = NOT_REQUESTED;
static char error_text[64];

/* Number of RAM disks that are swap devices, and of their slots while none is used. */
static unsigned int disks_enabled;
static long free_slots;

static const char * const nodes[SWAP_DISKS] = {
	"/ptebatch-swap", "/ptebatch-swap-2",
};

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mknodat));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(swapoff));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(swapon));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(unlinkat));

/* Call @call with @args; args[@index] becomes the user address of @path. */
static long call_with_path(ptebatch_syscall_t call, const char *path,
			   unsigned long args[5], unsigned int index)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct ptebatch_args packed;
	unsigned long addr;
	long ret;

	if (!mm)
		return -ENOMEM;
	kthread_use_mm(mm);
	addr = ptebatch_to_user(path, strlen(path) + 1);
	if (IS_ERR_VALUE(addr)) {
		ret = addr;
	} else {
		args[index] = addr;
		packed = ptebatch_args(args[0], args[1], args[2], args[3],
				       args[4]);
		scoped_with_init_fs()
			ret = ptebatch_syscall(call, &packed);
	}
	kthread_unuse_mm(mm);
	mmput(mm);
	return ret;
}

static int make_node(unsigned int disk)
{
	unsigned long args[5] = {
		[0] = AT_FDCWD,
		[2] = S_IFBLK | 0600,
		[3] = new_encode_dev(MKDEV(RAMDISK_MAJOR, disk)),
	};

	return call_with_path(PTEBATCH_SYSCALL(mknodat), nodes[disk], args, 1);
}

static int remove_node(unsigned int disk)
{
	unsigned long args[5] = { AT_FDCWD };

	return call_with_path(PTEBATCH_SYSCALL(unlinkat), nodes[disk], args, 1);
}

/* Write the header as mkswap(8) does; -EBUSY if the first page is in use. */
static int write_header(unsigned int number)
{
	union swap_header *header;
	struct file *disk;
	loff_t pos = 0;
	int err = 0;

	header = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!header)
		return -ENOMEM;
	disk = filp_open(nodes[number], O_RDWR | O_EXCL | O_LARGEFILE, 0);
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
	/* Close the disk now: swapon() opens it exclusively. */
	__fput_sync(disk);
	kfree(header);
	return err;
}

static int enable_disk(unsigned int disk)
{
	unsigned long args[5] = { [1] = SWAP_FLAG_PREFER | 1 };
	int err;

	err = make_node(disk);
	if (err)
		return err;
	scoped_with_init_fs()
		err = write_header(disk);
	if (!err)
		err = call_with_path(PTEBATCH_SYSCALL(swapon), nodes[disk], args, 0);
	if (err)
		remove_node(disk);
	return err;
}

/* Enables @arg disks; the second one is for a few cases only. */
static long swap_on(void *arg)
{
	unsigned int nr = (unsigned long)arg;
	int err;

	for (disks_enabled = 0; disks_enabled < nr; disks_enabled++) {
		err = enable_disk(disks_enabled);
		if (err && !disks_enabled)
			return err;
		if (err)
			break;
	}
	free_slots = get_nr_swap_pages();
	return 0;
}

static long swap_off(void *unused)
{
	unsigned long args[5] = {};
	long err = 0;

	while (disks_enabled) {
		disks_enabled--;
		err = err ?: call_with_path(PTEBATCH_SYSCALL(swapoff),
					    nodes[disks_enabled], args, 0);
		/* In a worker fput() is delayed: close the disk for the next suite. */
		flush_delayed_fput();
		err = err ?: remove_node(disks_enabled);
	}
	return err;
}

static int enable(unsigned long nr_disks)
{
	long err = 0;

	/* kthread_use_mm() needs a kernel thread, as workers are. */
	if (get_nr_swap_pages() <= 0)
		err = work_on_cpu(raw_smp_processor_id(), swap_on, (void *)nr_disks);
	snprintf(error_text, sizeof(error_text),
		 "no swap space on a RAM disk: %pe", ERR_PTR(err));
	missing_reason = err ? error_text : NULL;
	if (!err && get_nr_swap_pages() < MIN_SWAP_PAGES)
		missing_reason = "too little swap space: the RAM disk is too small";
	return 0;
}

/**
 * ptebatch_swap_on() - provide swap space; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_swap_off()
 *
 * Uses the swap space of the machine; without any, enables swap on an unused
 * RAM disk. If that fails, cases that need swap space are skipped.
 *
 * Context: Process context, may sleep.
 * Return: 0.
 */
int ptebatch_swap_on(struct kunit_suite *suite)
{
	return enable(1);
}

/**
 * ptebatch_swap_on_two() - provide two swap devices; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_swap_off()
 *
 * As ptebatch_swap_on(), with two RAM disks. If the second one fails, cases that
 * need two swap devices are skipped.
 *
 * Context: Process context, may sleep.
 * Return: 0.
 */
int ptebatch_swap_on_two(struct kunit_suite *suite)
{
	return enable(SWAP_DISKS);
}

/**
 * ptebatch_swap_cycle() - disable swap on the RAM disks, and enable it again
 *
 * Swapped out pages become present again. None of their folios may be locked.
 *
 * Context: Process context, may sleep.
 * Return: 0, or an error; -ENODEV if the swap space is not that of RAM disks.
 */
long ptebatch_swap_cycle(void)
{
	unsigned long nr = disks_enabled;
	long err;

	if (!nr)
		return -ENODEV;
	err = work_on_cpu(raw_smp_processor_id(), swap_off, NULL);
	return err ?: work_on_cpu(raw_smp_processor_id(), swap_on, (void *)nr);
}

/**
 * ptebatch_swap_off() - disable swap on the RAM disks; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_swap_off(struct kunit_suite *suite)
{
	missing_reason = NOT_REQUESTED;
	/* A leak of slots has failed a case already: swapoff() would not return. */
	if (ptebatch_swap_used() > 0)
		return;
	if (disks_enabled &&
	    work_on_cpu(raw_smp_processor_id(), swap_off, NULL))
		kunit_warn(suite, "swapoff() of the RAM disk failed\n");
	disks_enabled = 0;
}

/**
 * ptebatch_swap_missing() - get the reason why there is no swap space
 *
 * Return: the reason, for kunit_skip(), or %NULL if there is swap space.
 */
const char *ptebatch_swap_missing(void)
{
	return missing_reason;
}

/**
 * ptebatch_swap_second_missing() - get the reason why there is one device at most
 *
 * Return: the reason, for kunit_skip(), or %NULL if there are two swap devices.
 */
const char *ptebatch_swap_second_missing(void)
{
	if (missing_reason)
		return missing_reason;
	return disks_enabled == SWAP_DISKS ? NULL :
	       "no second swap device on a RAM disk";
}

/**
 * ptebatch_swap_used() - count the swap slots in use
 *
 * Swap entries and folios in the swap cache use slots.
 *
 * Return: number of slots in use on the RAM disks; -1 if the swap space is the
 * machine's, which others use, too, or if there is none.
 */
long ptebatch_swap_used(void)
{
	return disks_enabled ? free_slots - get_nr_swap_pages() : -1;
}

/**
 * ptebatch_swap_alloc() - allocate swap space for a folio, as reclaim does
 * @folio: an anonymous folio, mapped
 *
 * Leaves the folio locked, and in the swap cache until ptebatch_swap_free().
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

/**
 * ptebatch_swap_alloc_after() - allocate the swap space behind that of a folio
 * @folio: an anonymous folio, mapped, that uses a whole cluster of slots
 * @previous: a folio of that size in the swap cache
 * @other: allocate on another swap device; the offset follows nevertheless
 *
 * A free cluster is taken from the head of its device's list and returns to the
 * tail, and the devices are used in turn: try until the cluster is the wanted one.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBUSY if the wanted slots are in use, or an error of
 * folio_alloc_swap().
 */
int ptebatch_swap_alloc_after(struct folio *folio, const struct folio *previous,
			      bool other)
{
	unsigned long tries = SWAP_DISKS * free_slots / folio_nr_pages(folio) + 1;
	pgoff_t wanted = swp_offset(previous->swap) + folio_nr_pages(previous);

	while (tries--) {
		int err = ptebatch_swap_alloc(folio);

		if (err)
			return err;
		if (swp_offset(folio->swap) == wanted &&
		    (swp_type(folio->swap) != swp_type(previous->swap)) == other)
			return 0;
		swap_cache_del_folio(folio);
	}
	return -EBUSY;
}

/*
 * folio_dup_swap() and folio_put_swap() take one page or the whole folio; with
 * some patch series, a range of pages.
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
 * ptebatch_swap_dup() - increment the swap count of a page
 * @folio: a folio in the swap cache, see ptebatch_swap_alloc()
 * @page: index of the page in the folio
 * @nr: increment
 *
 * Return: 0, or -ENOMEM if the count needs memory to grow.
 */
int ptebatch_swap_dup(struct folio *folio, unsigned int page, unsigned int nr)
{
	int err = 0;

	while (nr-- && !err)
		err = dup_page(folio, folio_page(folio, page));
	return err;
}

/**
 * ptebatch_swap_put() - decrement the swap count of a page
 * @folio: a folio in the swap cache
 * @page: index of the page in the folio
 * @nr: decrement
 */
void ptebatch_swap_put(struct folio *folio, unsigned int page, unsigned int nr)
{
	while (nr--)
		put_page_swap(folio, folio_page(folio, page));
}

/**
 * ptebatch_swap_count() - get the swap count of a page
 * @folio: a folio in the swap cache
 * @page: index of the page in the folio
 *
 * Return: number of references to the page's swap slot by swap entries.
 */
int ptebatch_swap_count(struct folio *folio, unsigned int page)
{
	return swp_swapcount(page_swap_entry(folio_page(folio, page)));
}

/**
 * ptebatch_swap_entry_count() - get the swap count of a slot
 * @entry: the swap entry
 *
 * Return: number of references to the slot by swap entries.
 */
int ptebatch_swap_entry_count(swp_entry_t entry)
{
	return swp_swapcount(entry);
}

/**
 * ptebatch_swap_cached() - get the folio of a swap entry from the swap cache
 * @entry: the swap entry
 *
 * Return: the folio with a reference for the caller; %NULL if there is no folio
 * or no such swap device.
 */
struct folio *ptebatch_swap_cached(swp_entry_t entry)
{
	struct swap_info_struct *device;
	struct folio *folio;

	/* get_swap_device() reports an entry that a row without swap space has. */
	device = ptebatch_swap_missing() ? NULL : get_swap_device(entry);
	if (!device)
		return NULL;
	folio = swap_cache_get_folio(entry);
	put_swap_device(device);
	return folio;
}

/**
 * ptebatch_swap_free_unused() - free a slot that only the swap cache still uses
 * @entry: a swap entry of the slot, maybe no longer in any page table
 *
 * As reclaim does, which finds the folio on the LRU list.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_swap_free_unused(swp_entry_t entry)
{
	struct folio *folio = ptebatch_swap_cached(entry);

	if (!folio)
		return;
	folio_lock(folio);
	if (!folio_mapped(folio))
		folio_free_swap(folio);
	folio_unlock(folio);
	folio_put(folio);
}

/**
 * ptebatch_swap_page() - find the page of a folio that has a swap entry
 * @folio: the folio
 * @entry: the swap entry
 *
 * Return: index of the page in @folio, -1 if no page has @entry.
 */
long ptebatch_swap_page(struct folio *folio, swp_entry_t entry)
{
	unsigned long page = entry.val - folio->swap.val;

	return folio_test_swapcache(folio) && page < folio_nr_pages(folio) ?
	       (long)page : -1;
}

/**
 * ptebatch_swap_write() - write a folio in the swap cache to its slots
 * @folio: the folio, locked; unlocked afterwards
 *
 * Context: Process context, may sleep.
 * Return: 0, or an error of swap_writeout().
 */
int ptebatch_swap_write(struct folio *folio)
{
	struct swap_io_ctx ctx = {};
	int err;

	err = swap_writeout(&ctx, folio);
	swap_write_submit(&ctx);
	return err;
}

/**
 * ptebatch_swap_read() - read a folio in the swap cache from its slots
 * @folio: the folio, locked, not uptodate; locked again afterwards
 *
 * Context: Process context, may sleep.
 * Return: true if the folio is uptodate.
 */
bool ptebatch_swap_read(struct folio *folio)
{
	struct swap_io_ctx ctx = {};

	swap_read_folio(&ctx, folio);
	swap_read_submit(&ctx);
	folio_lock(folio);
	return folio_test_uptodate(folio);
}

/* Write a locked folio in the swap cache; locked again after success. */
static int write_out(struct folio *folio)
{
	int err;

	folio_clear_dirty_for_io(folio);
	err = ptebatch_swap_write(folio);
	if (err)
		return -EIO;
	folio_wait_writeback(folio);
	folio_lock(folio);
	return 0;
}

/**
 * ptebatch_swap_round_trip() - swap a folio out and in
 * @folio: a folio in the swap cache, unmapped and locked
 *
 * Zeroes the folio and its memory tags after swap-out. After success, the folio is
 * uptodate, clean and locked.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EIO.
 */
int ptebatch_swap_round_trip(struct folio *folio)
{
	unsigned int i;
	int err;

	err = write_out(folio);
	if (err)
		return err;
	memset(folio_address(folio), 0, folio_size(folio));
	for (i = 0; i < folio_nr_pages(folio); i++)
		ptebatch_page_untag(folio_page(folio, i));
	folio_clear_uptodate(folio);
	return ptebatch_swap_read(folio) ? 0 : -EIO;
}

/**
 * ptebatch_swap_out() - swap a folio out, and remove it from the swap cache
 * @folio: a folio in the swap cache, unmapped and locked
 *
 * Afterwards only swap entries refer to its slots. The folio is unlocked.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EIO.
 */
int ptebatch_swap_out(struct folio *folio)
{
	int err = write_out(folio);

	if (err)
		return err;
	swap_cache_del_folio(folio);
	folio_unlock(folio);
	return 0;
}

/**
 * ptebatch_swap_flags() - change the flags of a swap device
 * @entry: a swap entry of the device
 * @clear: SWP_* flags to clear
 * @set: SWP_* flags to set
 *
 * Return: the flags before; 0 if there is no such swap device.
 */
unsigned long ptebatch_swap_flags(swp_entry_t entry, unsigned long clear,
				  unsigned long set)
{
	struct swap_info_struct *device = get_swap_device(entry);
	unsigned long before;

	if (!device)
		return 0;
	before = device->flags;
	device->flags = (before & ~clear) | set;
	put_swap_device(device);
	return before;
}

/**
 * ptebatch_swap_free() - remove a folio from the swap cache
 * @folio: a locked folio; no swap entry refers to its swap space
 */
void ptebatch_swap_free(struct folio *folio)
{
	if (folio_test_swapcache(folio))
		swap_cache_del_folio(folio);
}

#else /* !CONFIG_SWAP || !CONFIG_BLK_DEV_RAM || !CONFIG_TRANSPARENT_HUGEPAGE */

int ptebatch_swap_on(struct kunit_suite *suite)
{
	return 0;
}

int ptebatch_swap_on_two(struct kunit_suite *suite)
{
	return 0;
}

long ptebatch_swap_cycle(void)
{
	return -EOPNOTSUPP;
}

void ptebatch_swap_off(struct kunit_suite *suite)
{
}

const char *ptebatch_swap_missing(void)
{
	if (!IS_ENABLED(CONFIG_SWAP))
		return "no swap space without CONFIG_SWAP";
	if (!IS_ENABLED(CONFIG_BLK_DEV_RAM))
		return "no swap space without CONFIG_BLK_DEV_RAM";
	return "no large folios in swap space without CONFIG_TRANSPARENT_HUGEPAGE";
}

const char *ptebatch_swap_second_missing(void)
{
	return ptebatch_swap_missing();
}

long ptebatch_swap_used(void)
{
	return -1;
}

int ptebatch_swap_alloc(struct folio *folio)
{
	return -EOPNOTSUPP;
}

int ptebatch_swap_alloc_after(struct folio *folio, const struct folio *previous,
			      bool other)
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

int ptebatch_swap_entry_count(swp_entry_t entry)
{
	return 0;
}

struct folio *ptebatch_swap_cached(swp_entry_t entry)
{
	return NULL;
}

void ptebatch_swap_free_unused(swp_entry_t entry)
{
}

long ptebatch_swap_page(struct folio *folio, swp_entry_t entry)
{
	return -1;
}

int ptebatch_swap_write(struct folio *folio)
{
	return -EOPNOTSUPP;
}

bool ptebatch_swap_read(struct folio *folio)
{
	return false;
}

int ptebatch_swap_round_trip(struct folio *folio)
{
	return -EOPNOTSUPP;
}

int ptebatch_swap_out(struct folio *folio)
{
	return -EOPNOTSUPP;
}

unsigned long ptebatch_swap_flags(swp_entry_t entry, unsigned long clear,
				  unsigned long set)
{
	return 0;
}

void ptebatch_swap_free(struct folio *folio)
{
}

#endif
