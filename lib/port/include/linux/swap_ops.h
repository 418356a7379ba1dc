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

static inline int ptebatch_swap_writeout(struct swap_io_ctx *ctx, struct folio *folio)
{
	return swap_writeout(folio, &ctx->plug);
}

static inline void ptebatch_swap_write_submit(struct swap_io_ctx *ctx)
{
	if (ctx->plug)
		swap_write_unplug(ctx->plug);
}

static inline void ptebatch_swap_read_folio(struct swap_io_ctx *ctx, struct folio *folio)
{
	swap_read_folio(folio, &ctx->plug);
}

static inline void ptebatch_swap_read_submit(struct swap_io_ctx *ctx)
{
	swap_read_unplug(ctx->plug);
}

#define swap_writeout		ptebatch_swap_writeout
#define swap_write_submit	ptebatch_swap_write_submit
#define swap_read_folio		ptebatch_swap_read_folio
#define swap_read_submit	ptebatch_swap_read_submit

#endif /* PTEBATCH_SWAP_OPS_H */
