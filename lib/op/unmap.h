/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unmap folios as reclaim, munmap() and MADV_DONTNEED do.
 */
#ifndef PTEBATCH_UNMAP_H
#define PTEBATCH_UNMAP_H

#include "op.h"

extern const struct ptebatch_op ptebatch_unmap, ptebatch_zap,
	ptebatch_zap_batched;

#endif /* PTEBATCH_UNMAP_H */
