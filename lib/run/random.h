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

#include "../check/model.h"
#include "../check/states.h"
#include "../space/space.h"

struct ptebatch_random;

/*
 * Run the operation on the row's range and store its return value in @pages.
 * With @moves, the destination is the last place of the space.
 */
typedef void (*ptebatch_random_op_t)(struct ptebatch_random *random,
				     struct ptebatch_space *space);

/**
 * struct ptebatch_random - a row and the operation on it
 * @test: the case
 * @row: the row
 * @picture: the row as a picture
 * @setup: set-up of the address space
 * @call: the operation, for the model
 * @moves: the operation moves the range to a destination
 * @first: index of the row's first entry in the destination's page table
 * @destination_call: the operation at the destination, for the model
 * @states: possible states of an entry
 * @what: name of the operation, for messages
 * @function: name of the kernel's function, for messages
 * @kernel: runs the kernel's function
 * @twin: runs the twin, one entry at a time
 * @data: data for @kernel and @twin
 * @whole: the operation takes whole folios: the range is the whole row
 * @counts: @kernel and @twin store the number of changed pages in @pages
 * @pages: number of pages that the last call reported as changed
 * @differs: bitmap of the entries that the model or the twin does not allow
 */
struct ptebatch_random {
	struct kunit *test;
	struct ptebatch_row *row;
	char picture[SZ_32K];
	struct ptebatch_setup setup;
	struct ptebatch_call call;
	bool moves;
	unsigned int first;
	struct ptebatch_call destination_call;
	struct ptebatch_states states;
	const char *what;
	const char *function;
	ptebatch_random_op_t kernel;
	ptebatch_random_op_t twin;
	const void *data;
	bool whole;
	bool counts;
	long pages;
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
};

void ptebatch_random_run(struct kunit *test, const char *suite,
			 void (*choose)(struct ptebatch_random *random,
					struct rnd_state *rnd));

#endif /* PTEBATCH_RANDOM_H */
