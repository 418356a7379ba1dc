// SPDX-License-Identifier: GPL-2.0
/* mm/madvise.c with batching off, including the zap in mm/memory.c. */
#include "begin.h"

#define zap_vma_range	ptebatch_twin_zap_vma_range
#define zap_vma_range_batched(tlb, vma, start, bytes, details)	\
	((void)(tlb), (void)(details),				\
	 ptebatch_twin_zap_vma_range(vma, start, bytes))

#include <madvise.c>

__visible int ptebatch_twin_do_madvise(struct mm_struct *mm,
				       unsigned long start, size_t bytes,
				       int behavior)
{
	return do_madvise(mm, start, bytes, behavior);
}
