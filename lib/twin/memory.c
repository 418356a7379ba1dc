// SPDX-License-Identifier: GPL-2.0
/* mm/memory.c with batching off. */

#include "begin.h"

/*
 * With lockdep, mm/memory.c allocates page table locks from a slab cache that it
 * creates at boot. Leave out the twin's cache: the headers above call the
 * kernel's ptlock_alloc() and ptlock_free().
 */
#undef ALLOC_SPLIT_PTLOCKS
#define ALLOC_SPLIT_PTLOCKS	0

#include <memory.c>

__visible void ptebatch_twin_zap_vma_range(struct vm_area_struct *vma,
					   unsigned long start,
					   unsigned long bytes)
{
	/* Only the kernel's copy is set at boot. Accept any PFN. */
	highest_memmap_pfn = ULONG_MAX;
	zap_vma_range(vma, start, bytes);
}

__visible int ptebatch_twin_copy_page_range(struct vm_area_struct *child,
					    struct vm_area_struct *parent)
{
	highest_memmap_pfn = ULONG_MAX;
	return copy_page_range(child, parent);
}

__visible vm_fault_t ptebatch_twin_do_swap_page(struct vm_fault *vmf)
{
	highest_memmap_pfn = ULONG_MAX;
	return do_swap_page(vmf);
}
