/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For a kernel without this header, in which callers plug the requests of swap devices.
 */
#ifndef PTEBATCH_SWAP_OPS_H
#define PTEBATCH_SWAP_OPS_H

#include "internal.h"
#include <swap.h>

struct swap_io_ctx {
	struct swap_iocb *plug;
};

#define swap_writeout(ctx, folio)	(swap_writeout)(folio, &(ctx)->plug)
#define swap_write_submit(ctx)		((ctx)->plug ? swap_write_unplug((ctx)->plug) : (void)0)
#define swap_read_folio(ctx, folio)	(swap_read_folio)(folio, &(ctx)->plug)
#define swap_read_submit(ctx)		swap_read_unplug((ctx)->plug)

#endif /* PTEBATCH_SWAP_OPS_H */
