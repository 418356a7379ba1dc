/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swap space: of the machine, or on RAM disks if the machine has none.
 */
#ifndef PTEBATCH_SWAP_H
#define PTEBATCH_SWAP_H

#include <kunit/test.h>
#include <linux/mm_types.h>

#include "service.h"

int ptebatch_swap_on(struct kunit_suite *suite);
int ptebatch_swap_on_two(struct kunit_suite *suite);
void ptebatch_swap_off(struct kunit_suite *suite);
long ptebatch_swap_cycle(void);
const char *ptebatch_swap_missing(void);
const char *ptebatch_swap_second_missing(void);
long ptebatch_swap_used(void);

int ptebatch_swap_alloc(struct folio *folio);
int ptebatch_swap_alloc_after(struct folio *folio, const struct folio *previous,
			      bool other);
int ptebatch_swap_dup(struct folio *folio, unsigned int page, unsigned int nr);
void ptebatch_swap_put(struct folio *folio, unsigned int page, unsigned int nr);
int ptebatch_swap_count(struct folio *folio, unsigned int page);
int ptebatch_swap_entry_count(swp_entry_t entry);
struct folio *ptebatch_swap_cached(swp_entry_t entry);
void ptebatch_swap_free_unused(swp_entry_t entry);
long ptebatch_swap_page(struct folio *folio, swp_entry_t entry);
int ptebatch_swap_write(struct folio *folio);
bool ptebatch_swap_read(struct folio *folio);
int ptebatch_swap_round_trip(struct folio *folio);
int ptebatch_swap_out(struct folio *folio);
unsigned long ptebatch_swap_flags(swp_entry_t entry, unsigned long clear,
				  unsigned long set);
void ptebatch_swap_free(struct folio *folio);

/* Of a suite, see service.h. */
#define PTEBATCH_SWAP_SPACE		{ ptebatch_swap_on, ptebatch_swap_off }
#define PTEBATCH_TWO_SWAP_SPACES	{ ptebatch_swap_on_two, ptebatch_swap_off }

#endif /* PTEBATCH_SWAP_H */
