/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A synthetic address space: an mm that maps the folios of a picture.
 */
#ifndef PTEBATCH_SPACE_H
#define PTEBATCH_SPACE_H

#include "types.h"

void ptebatch_parse(struct kunit *test, struct ptebatch_row *row, const char *picture);
struct ptebatch_space *ptebatch_space(struct kunit *test,
				      const struct ptebatch_setup *setup);
const struct ptebatch_place *
ptebatch_space_add_place(struct ptebatch_space *space, unsigned int first);
void ptebatch_space_drop_place(struct ptebatch_space *space);
void ptebatch_space_release(struct ptebatch_space *space);

#endif /* PTEBATCH_SPACE_H */
