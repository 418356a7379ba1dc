/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run an operation on randomly generated rows and compare the result with the
 * model and the twin. A row that fails is shrunk and then printed.
 */
#ifndef PTEBATCH_RANDOM_H
#define PTEBATCH_RANDOM_H

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "../check/states.h"
#include "../op/op.h"

/**
 * struct ptebatch_random - a row and the operation on it
 * @test: the case
 * @op: the operation
 * @setup: set-up of the address space; its picture is printed from @row
 * @first: for a move, index of the row's first entry in the destination's page
 *         table
 * @usable: whether a state that is possible in this VMA may be in the row;
 *          %NULL for all
 * @flags: flags that all entries that map a page of a folio have, too
 * @one_vma: the operation fails on a range of several VMAs
 * @row: the row
 * @picture: the row as a picture
 * @states: possible states of an entry
 */
struct ptebatch_random {
	struct kunit *test;
	const struct ptebatch_op *op;
	struct ptebatch_setup setup;
	unsigned int first;
	bool (*usable)(const struct ptebatch_random *random,
		       const struct ptebatch_entry *state);
	u16 flags;
	bool one_vma;
	struct ptebatch_row *row;
	char picture[SZ_32K];
	struct ptebatch_states states;
};

u64 ptebatch_random_begin(struct kunit *test, unsigned int *nr);
enum ptebatch_mapping ptebatch_random_file(u32 bits);
void ptebatch_random_run(struct kunit *test,
			 void (*choose)(struct ptebatch_random *random,
					struct rnd_state *rnd));

#endif /* PTEBATCH_RANDOM_H */
