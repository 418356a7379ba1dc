// SPDX-License-Identifier: GPL-2.0
/* mm/rmap.c with batching off. */
#include "begin.h"

/* lru_gen_look_around() is in mm/vmscan.c, which has no twin. */
#include <linux/mm_inline.h>
#define lru_gen_enabled()	false

#include <rmap.c>

__visible void ptebatch_twin_try_to_unmap(struct folio *folio,
					  enum ttu_flags flags)
{
	try_to_unmap(folio, flags);
}

__visible int ptebatch_twin_folio_referenced(struct folio *folio, int is_locked,
					     struct mem_cgroup *memcg,
					     void *vma_flags)
{
	return folio_referenced(folio, is_locked, memcg, vma_flags);
}
