/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unmap folios as reclaim, munmap() and MADV_DONTNEED do.
 */
#ifndef PTEBATCH_UNMAP_H
#define PTEBATCH_UNMAP_H

#include <linux/rmap.h>

#include "../space/space.h"

typedef void (*ptebatch_unmap_t)(struct folio *folio, enum ttu_flags flags);
typedef void (*ptebatch_zap_t)(struct vm_area_struct *vma, unsigned long start,
			       unsigned long bytes);

void ptebatch_unmap(struct ptebatch_space *space, enum ttu_flags flags,
		    ptebatch_unmap_t unmap);
void ptebatch_zap(struct ptebatch_space *space, ptebatch_zap_t zap);

void ptebatch_zap_batched(struct vm_area_struct *vma, unsigned long start,
			  unsigned long bytes);

#endif /* PTEBATCH_UNMAP_H */
