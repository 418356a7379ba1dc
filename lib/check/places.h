/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Visit the page tables of all places of a space, and the VMAs of an mm.
 */
#ifndef PTEBATCH_PLACES_H
#define PTEBATCH_PLACES_H

#include "trial.h"

/* Called with the last snapshot of @place. */
typedef void ptebatch_visit_t(const struct ptebatch_trial *trial,
			      const struct ptebatch_place *place,
			      const struct ptebatch_snapshot *snapshot,
			      void *data);

unsigned int ptebatch_first_place(const struct ptebatch_space *space, unsigned int i);
int ptebatch_each_place(struct ptebatch_trial *trial, ptebatch_visit_t *visit, void *data);

typedef void ptebatch_visit_vma_t(struct vm_area_struct *vma, void *data);

void ptebatch_each_vma(struct mm_struct *mm, ptebatch_visit_vma_t *visit, void *data);

#endif /* PTEBATCH_PLACES_H */
