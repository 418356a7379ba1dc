/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mmap() of the range, and mremap() of the whole row to one of two addresses, the one
 * at which it is not.
 */
#ifndef PTEBATCH_REMAP_H
#define PTEBATCH_REMAP_H

#include "op.h"

/* mmap(MAP_FIXED): munmap() of the range, and new memory, registered as the old one was. */
extern const struct ptebatch_op ptebatch_map_anew;

/* With MREMAP_DONTUNMAP, the next move unmaps what stays. */
extern const struct ptebatch_op ptebatch_move_whole, ptebatch_move_dontunmap;

/*
 * UFFDIO_MOVE of each VMA of the row. mremap() moves the rest of a VMA of which it moves
 * only the first pages. Returns the number of pages that UFFDIO_MOVE moves, or an error.
 */
extern const struct ptebatch_op ptebatch_uffd_move;

/* To the entries before the range, and back to all. */
extern const struct ptebatch_op ptebatch_resize;

#endif /* PTEBATCH_REMAP_H */
