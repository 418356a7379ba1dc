// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/ioport.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "device.h"

#ifdef CONFIG_DEVICE_PRIVATE

/* Several folios of the largest size: those of a case stay until it ends. */
#define DEVICE_SIZE	(8 * PTEBATCH_DEVICE_FOLIO)
#define DEVICE_PAGES	(DEVICE_SIZE / PAGE_SIZE)

/*
 * The memory of a device for the running suite:
 * @pagemap: describes the memory to the kernel
 * @region: physical addresses that nothing else uses, %NULL if there are none
 * @used: one bit per page, set if the page belongs to a folio
 */
static struct {
	struct dev_pagemap pagemap;
	struct resource *region;
	DECLARE_BITMAP(used, DEVICE_PAGES);
} device;

static unsigned long first_pfn(void)
{
	return PHYS_PFN(device.pagemap.range.start);
}

/* The region is larger than was requested: it has whole memory sections. */
static void free_region(const struct resource *region)
{
	release_mem_region(region->start, resource_size(region));
}

static void free_folio(struct folio *folio)
{
	/* After a failure: a folio of a device must not be in the deferred split queue. */
	if (folio_order(folio) > 1 && !list_empty(&folio->_deferred_list))
		list_del_init(&folio->_deferred_list);
	bitmap_clear(device.used, folio_pfn(folio) - first_pfn(),
		     folio_nr_pages(folio));
}

/*
 * Faults for which the page was locked and referenced, as a driver needs it: beside
 * the references of the mapping and of the space.
 */
static unsigned long faults;

static vm_fault_t migrate_to_ram(struct vm_fault *vmf)
{
	/* Under the lock of the VMA, drivers cannot look at other VMAs. */
	mmap_assert_locked(vmf->vma->vm_mm);
	faults += PageLocked(vmf->page) && page_count(vmf->page) > 2;
	return VM_FAULT_SIGBUS;
}

/**
 * ptebatch_device_faults() - count the faults of device-private entries
 *
 * The device refuses to migrate the page.
 *
 * Return: number of faults so far whose page was locked, with a reference of its
 * own.
 */
unsigned long ptebatch_device_faults(void)
{
	return faults;
}

static const struct dev_pagemap_ops ops = {
	.folio_free = free_folio,
	.migrate_to_ram = migrate_to_ram,
};

static int make_memory(enum memory_type type)
{
	void *start;

	device.region = request_free_mem_region(&iomem_resource, DEVICE_SIZE,
						"ptebatch");
	if (IS_ERR(device.region))
		return PTR_ERR(device.region);
	memset(&device.pagemap, 0, sizeof(device.pagemap));
	device.pagemap.type = type;
	device.pagemap.range.start = device.region->start;
	device.pagemap.range.end = device.region->end;
	device.pagemap.nr_range = 1;
	device.pagemap.ops = &ops;
	device.pagemap.owner = &device;
	start = memremap_pages(&device.pagemap, numa_node_id());
	if (!IS_ERR(start))
		return 0;
	free_region(device.region);
	device.region = NULL;
	return PTR_ERR(start);
}

/**
 * ptebatch_device_on() - make device-private memory, before a suite
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 * Return: 0, also without CONFIG_DEVICE_PRIVATE, or the error of
 * request_free_mem_region() or memremap_pages().
 */
int ptebatch_device_on(struct kunit_suite *suite)
{
	return make_memory(MEMORY_DEVICE_PRIVATE);
}

/**
 * ptebatch_coherent_on() - make device-coherent memory, before a suite
 * @suite: the suite; its suite_exit calls ptebatch_device_off()
 *
 * Context: Process context, may sleep.
 * Return: 0, even if the kernel refuses, see ptebatch_coherent_missing().
 */
int ptebatch_coherent_on(struct kunit_suite *suite)
{
	make_memory(MEMORY_DEVICE_COHERENT);
	return 0;
}

/**
 * ptebatch_coherent_missing() - get the reason why there is no coherent memory
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_coherent_missing(void)
{
	return IS_ERR_OR_NULL(device.region) ||
	       device.pagemap.type != MEMORY_DEVICE_COHERENT ?
	       "the kernel refuses device-coherent memory" : NULL;
}

/**
 * ptebatch_device_off() - remove the memory of the device, after a suite
 * @suite: the suite; its cases have freed all folios
 *
 * Context: Process context, may sleep.
 */
void ptebatch_device_off(struct kunit_suite *suite)
{
	if (IS_ERR_OR_NULL(device.region))
		return;
	memunmap_pages(&device.pagemap);
	free_region(device.region);
	device.region = NULL;
}

/**
 * ptebatch_device_folio() - allocate a folio in the memory of the device
 * @order: order of the folio
 *
 * Context: Process context, between ptebatch_device_on() or
 * ptebatch_coherent_on() and ptebatch_device_off().
 * Return: the folio with one reference, %NULL if the memory is used up.
 */
struct folio *ptebatch_device_folio(unsigned int order)
{
	unsigned int nr = 1U << order;
	unsigned long at = bitmap_find_next_zero_area(device.used, DEVICE_PAGES,
						      0, nr, nr - 1);
	struct page *page = pfn_to_page(first_pfn() + at);

	if (IS_ERR_OR_NULL(device.region) || at >= DEVICE_PAGES)
		return NULL;
	bitmap_set(device.used, at, nr);
	zone_device_page_init(page, &device.pagemap, order);
	folio_unlock(page_folio(page));
	return page_folio(page);
}

#else

int ptebatch_device_on(struct kunit_suite *suite)
{
	return 0;
}

int ptebatch_coherent_on(struct kunit_suite *suite)
{
	return 0;
}

const char *ptebatch_coherent_missing(void)
{
	return "no device-coherent memory without CONFIG_DEVICE_PRIVATE";
}

void ptebatch_device_off(struct kunit_suite *suite)
{
}

struct folio *ptebatch_device_folio(unsigned int order)
{
	return NULL;
}

unsigned long ptebatch_device_faults(void)
{
	return 0;
}

#endif
