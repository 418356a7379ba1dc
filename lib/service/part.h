/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One of several parts of the cases, for SHARD=: each part runs all suites and
 * skips what the others run, so that their results have the same cases.
 */
#ifndef PTEBATCH_PART_H
#define PTEBATCH_PART_H

#include <kunit/test.h>

bool ptebatch_in_part(u64 nr);
int ptebatch_part_init(struct kunit *test, const struct kunit_case *cases);

#endif /* PTEBATCH_PART_H */
