/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A region: uniform private anonymous memory in an address space of its own,
 * for benches. For entries that differ from page to page, see space.h.
 */
#ifndef PTEBATCH_REGION_H
#define PTEBATCH_REGION_H

#include <kunit/test.h>
#include <linux/mm_types.h>

/**
 * struct ptebatch_region - an address space with one VMA
 * @test: the case that owns the region
 * @mm: the mm
 * @start: address of the first byte, aligned to a page table
 * @bytes: size of the region, in bytes
 */
struct ptebatch_region {
	struct kunit *test;
	struct mm_struct *mm;
	unsigned long start;
	unsigned long bytes;
};

struct ptebatch_region *ptebatch_region(struct kunit *test,
					unsigned long bytes);
struct ptebatch_region *ptebatch_region_filled(struct kunit *test,
					       unsigned long bytes,
					       unsigned int order);
void ptebatch_region_share_odd_pages(struct ptebatch_region *region);
void ptebatch_region_clear_refs(struct ptebatch_region *region);
void ptebatch_region_release(struct ptebatch_region *region);

#endif /* PTEBATCH_REGION_H */
