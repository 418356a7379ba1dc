// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/pgtable.h>
#include <linux/userfaultfd_k.h>

#include "states.h"

/* The flags that an entry of each kind has at all. */
static const u8 flags_of_kind[] = {
	[PTEBATCH_NONE] = 0,
	[PTEBATCH_WRITABLE] = PTEBATCH_DIRTY | PTEBATCH_YOUNG |
			      PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD |
			      PTEBATCH_EXCLUSIVE,
	[PTEBATCH_READABLE] = PTEBATCH_DIRTY | PTEBATCH_YOUNG |
			      PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD |
			      PTEBATCH_EXCLUSIVE,
	[PTEBATCH_PROTNONE] = PTEBATCH_DIRTY | PTEBATCH_YOUNG |
			      PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD |
			      PTEBATCH_EXCLUSIVE,
	[PTEBATCH_MIGRATION] = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD |
			       PTEBATCH_EXCLUSIVE | PTEBATCH_MIGRATION_WRITE,
	[PTEBATCH_SWAP] = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD |
			  PTEBATCH_EXCLUSIVE,
	[PTEBATCH_MARKER] = 0,
	[PTEBATCH_POISON] = 0,
	[PTEBATCH_GUARD] = 0,
};

/*
 * Why there can be no such entry, %NULL if there can. Its page is anonymous if
 * it is exclusive, else in a VMA of a file the file's.
 */
static const char *ruled_out(const struct ptebatch_call *call,
			     const struct ptebatch_entry *entry)
{
	bool uffd = call->uffd_wp || call->uffd_rwp;
	bool writable = entry->kind == PTEBATCH_WRITABLE ||
			entry->flags & PTEBATCH_MIGRATION_WRITE;

	if (entry->flags & PTEBATCH_SOFT_DIRTY && !call->track)
		return "soft-dirty says nothing without tracking";
	if (entry->flags & PTEBATCH_UFFD && !uffd)
		return "no uffd bit without userfaultfd";
	if (entry->flags & PTEBATCH_EXCLUSIVE && !call->anonymous)
		return "only anonymous pages are AnonExclusive";
	if (entry->kind == PTEBATCH_SWAP && !call->anonymous)
		return "only anonymous pages have swap entries";
	if (entry->kind == PTEBATCH_MIGRATION && !IS_ENABLED(CONFIG_MIGRATION))
		return "no migration without CONFIG_MIGRATION";
	if (entry->kind == PTEBATCH_MARKER &&
	    !(call->file && call->uffd_wp && uffd_supports_wp_marker()))
		return "uffd markers are for files with write protection";
	if (!writable)
		return NULL;
	if (entry->kind == PTEBATCH_MIGRATION &&
	    entry->flags & PTEBATCH_EXCLUSIVE)
		return "a writable migration entry is exclusive without saying so";
	if (entry->flags & PTEBATCH_UFFD)
		return "what userfaultfd protects is not writable";
	if (call->track && !(entry->flags & PTEBATCH_SOFT_DIRTY))
		return "what waits for its soft-dirty fault is not writable";
	if (!call->shared && call->anonymous &&
	    entry->kind == PTEBATCH_WRITABLE && !(entry->flags & PTEBATCH_EXCLUSIVE))
		return "what is private and not exclusive is not writable";
	if (!call->shared && !call->anonymous)
		return "a file's page is not writable where it is private";
	if (call->shared && call->notify && entry->kind == PTEBATCH_WRITABLE &&
	    !(entry->flags & PTEBATCH_DIRTY))
		return "what waits for its write notification is not writable";
	return NULL;
}

/**
 * ptebatch_states() - all states of an entry, and those that cannot be
 * @states: gets them
 * @call: says in what VMA
 */
void ptebatch_states(struct ptebatch_states *states,
		     const struct ptebatch_call *call)
{
	struct ptebatch_entry entry = { .folio = PTEBATCH_NO_FOLIO };
	const char *reason;
	unsigned int flags;

	states->nr = 0;
	states->nr_ruled_out = 0;
	for (entry.kind = 0; entry.kind < ARRAY_SIZE(flags_of_kind); entry.kind++) {
		for (flags = 0; flags <= flags_of_kind[entry.kind]; flags++) {
			if (flags & ~flags_of_kind[entry.kind])
				continue;
			entry.flags = flags;
			reason = ruled_out(call, &entry);
			if (!reason) {
				states->state[states->nr++] = entry;
				continue;
			}
			states->reason[states->nr_ruled_out] = reason;
			states->ruled_out[states->nr_ruled_out++] = entry;
		}
	}
}
