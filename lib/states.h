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
 */
struct ptebatch_states {
	unsigned int nr;
	struct ptebatch_entry state[PTEBATCH_STATES_MAX];
};

const char *ptebatch_state_ruled_out(const struct ptebatch_call *call,
				     const struct ptebatch_entry *entry);
void ptebatch_states(struct ptebatch_states *states,
		     const struct ptebatch_call *call);

#endif /* PTEBATCH_STATES_H */
