/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A region: much private memory in an address space of its own, all alike, for
 * benches. What differs from page to page is a row's, see space.h.
 */
#ifndef PTEBATCH_REGION_H
#define PTEBATCH_REGION_H

#include <kunit/test.h>
#include <linux/mm_types.h>

/**
 * struct ptebatch_region - an address space with one VMA
 * @test: the case that it belongs to
 * @mm: the mm
 * @start: address of the first byte, on a page table's edge
 * @bytes: its size
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
void ptebatch_region_clear_refs(struct ptebatch_region *region);
void ptebatch_region_release(struct ptebatch_region *region);

#endif /* PTEBATCH_REGION_H */
