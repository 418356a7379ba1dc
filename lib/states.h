/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that an entry can be.
 */
#ifndef PTEBATCH_STATES_H
#define PTEBATCH_STATES_H

#include "model.h"

/* Kinds times flags is what there would be if nothing were ruled out. */
#define PTEBATCH_STATES_MAX	128

/**
 * struct ptebatch_states - what an entry of a VMA can be
 * @nr: how many states there are
 * @state: the states, without a page
 * @nr_ruled_out: how many there would be besides
 * @ruled_out: those
 * @reason: for each of them, why it is ruled out
 */
struct ptebatch_states {
	unsigned int nr;
	struct ptebatch_entry state[PTEBATCH_STATES_MAX];
	unsigned int nr_ruled_out;
	struct ptebatch_entry ruled_out[PTEBATCH_STATES_MAX];
	const char *reason[PTEBATCH_STATES_MAX];
};

void ptebatch_states(struct ptebatch_states *states,
		     const struct ptebatch_call *call);

#endif /* PTEBATCH_STATES_H */
