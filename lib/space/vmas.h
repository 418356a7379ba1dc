/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VMAs of a row, one after each ";" of its picture.
 */
#ifndef PTEBATCH_VMAS_H
#define PTEBATCH_VMAS_H

#include "types.h"

int ptebatch_vmas_split(const struct ptebatch_space *space,
			const struct ptebatch_place *place);

#endif /* PTEBATCH_VMAS_H */
