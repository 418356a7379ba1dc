/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MGLRU: enable and disable it, read generations, start page table walks.
 */
#ifndef PTEBATCH_LRU_GEN_H
#define PTEBATCH_LRU_GEN_H

#include <kunit/test.h>
#include <linux/mm_types.h>

int ptebatch_lru_gen_on(struct kunit_suite *suite);
int ptebatch_lru_gen_off(struct kunit_suite *suite);
void ptebatch_lru_gen_restore(struct kunit_suite *suite);

const char *ptebatch_lru_gen_missing(void);
const char *ptebatch_lru_gen_walk_missing(void);
int ptebatch_lru_gen_of(const struct folio *folio);
int ptebatch_lru_gen_at_age(const struct folio *folio, unsigned int age);
int ptebatch_lru_gen_walk(struct mm_struct *mm);

#endif /* PTEBATCH_LRU_GEN_H */
