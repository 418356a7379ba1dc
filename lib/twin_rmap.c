// SPDX-License-Identifier: GPL-2.0
/* mm/rmap.c with batching off. */
#include "twin_begin.h"

#include <rmap.c>

__visible void ptebatch_twin_try_to_unmap(struct folio *folio,
					  enum ttu_flags flags)
{
	try_to_unmap(folio, flags);
}
