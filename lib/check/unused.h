/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swap slots that only the swap cache still uses. The kernel leaves some pages there that
 * nothing refers to any more, for example the page at which a folio was split, or one that
 * was unmapped while reclaim had locked it, until reclaim finds them.
 */
#ifndef PTEBATCH_UNUSED_H
#define PTEBATCH_UNUSED_H

#include "trial.h"

struct ptebatch_slots_before;

struct ptebatch_slots_before *ptebatch_slots_list(struct ptebatch_trial *trial);
void ptebatch_slots_free_unused(const struct ptebatch_trial *trial,
				struct ptebatch_slots_before *slots);

#endif /* PTEBATCH_UNUSED_H */
