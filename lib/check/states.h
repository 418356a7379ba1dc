/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All possible states of an entry.
 */
#ifndef PTEBATCH_STATES_H
#define PTEBATCH_STATES_H

#include "model.h"

/* Number of kinds times flags, rounded up. */
#define PTEBATCH_STATES_MAX	512

/**
 * struct ptebatch_states - possible states of an entry of a VMA
 * @nr: number of possible states
 * @state: the possible states, without a page
 * @nr_ruled_out: number of impossible states
 * @ruled_out: the impossible states
 * @reason: for each impossible state, why it is impossible
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
