/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An operation on rows that chance draws, held to model and twin. A row that
 * fails is made as small as it can be and still fail, and then shown.
 */
#ifndef PTEBATCH_CHANCE_H
#define PTEBATCH_CHANCE_H

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "model.h"
#include "space.h"
#include "states.h"

struct ptebatch_chance;

/*
 * Does it to the row's range; says in @pages what it has returned. If it moves
 * the range, then to the last place of the space.
 */
typedef void (*ptebatch_deed_t)(struct ptebatch_chance *chance,
				struct ptebatch_space *space);

/**
 * struct ptebatch_chance - a row and what is done to it
 * @test: the case
 * @row: the row
 * @picture: the row, drawn
 * @setup: the address space
 * @call: the operation, for the model
 * @moves: it moves the range to another place
 * @first: index in its page table that the row's first entry has there
 * @there: the operation as that place sees it
 * @states: what entries can be
 * @what: the operation, for messages
 * @who: the kernel's function, for messages
 * @kernel: has the kernel do it
 * @twin: does it one entry at a time
 * @data: for these two
 * @whole: it is done to whole folios: the range is the row
 * @counts: they say how many pages they have changed
 * @pages: how many these were
 * @differs: a bit for each entry that is not what it ought to be
 */
struct ptebatch_chance {
	struct kunit *test;
	struct ptebatch_row *row;
	char picture[SZ_32K];
	struct ptebatch_setup setup;
	struct ptebatch_call call;
	bool moves;
	unsigned int first;
	struct ptebatch_call there;
	struct ptebatch_states states;
	const char *what;
	const char *who;
	ptebatch_deed_t kernel;
	ptebatch_deed_t twin;
	const void *data;
	bool whole;
	bool counts;
	long pages;
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
};

void ptebatch_chance_play(struct kunit *test, const char *suite,
			  void (*choose)(struct ptebatch_chance *chance,
					 struct rnd_state *rnd));

#endif /* PTEBATCH_CHANCE_H */
