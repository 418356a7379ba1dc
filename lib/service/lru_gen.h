/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MGLRU: enable and disable it, read generations, start page table walks.
 */
#ifndef PTEBATCH_LRU_GEN_H
#define PTEBATCH_LRU_GEN_H

#include <kunit/test.h>
#include <linux/mm_types.h>

#include "service.h"

/**
 * struct ptebatch_lru_gen_stats - statistics of MGLRU's walks
 * @nodes: number of nodes, each with walks of its own
 * @total: number of entries that were read
 * @young: number of entries that were young, or in a batch that was
 * @found: number of page tables that were walked
 * @added: number of page tables that the next walk is to walk again
 */
struct ptebatch_lru_gen_stats {
	unsigned long nodes;
	unsigned long total;
	unsigned long young;
	unsigned long found;
	unsigned long added;
};

int ptebatch_lru_gen_on(struct kunit_suite *suite);
int ptebatch_lru_gen_off(struct kunit_suite *suite);
void ptebatch_lru_gen_restore(struct kunit_suite *suite);

const char *ptebatch_lru_gen_missing(void);
const char *ptebatch_lru_gen_walk_missing(void);
const char *ptebatch_lru_gen_stats_missing(void);
int ptebatch_lru_gen_of(const struct folio *folio);
int ptebatch_lru_gen_refs(const struct folio *folio);
int ptebatch_lru_gen_at_age(const struct folio *folio, unsigned int age);
int ptebatch_lru_gen_walk(struct mm_struct *mm);
int ptebatch_lru_gen_add(struct mm_struct *mm);
int ptebatch_lru_gen_walk_hot(struct mm_struct *mm);
bool ptebatch_lru_gen_is_only(const struct mm_struct *mm);
void ptebatch_lru_gen_stats(struct ptebatch_lru_gen_stats *stats);

/* Of a suite, see service.h. */
#define PTEBATCH_LRU_GEN		{ ptebatch_lru_gen_on, ptebatch_lru_gen_restore }
#define PTEBATCH_NO_LRU_GEN	{ ptebatch_lru_gen_off, ptebatch_lru_gen_restore }

#endif /* PTEBATCH_LRU_GEN_H */
