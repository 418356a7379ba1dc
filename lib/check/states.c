// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/pgtable.h>
#include <linux/userfaultfd_k.h>

#include "states.h"

#define OF_PAGE \
	(PTEBATCH_DIRTY | PTEBATCH_YOUNG | PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | \
	 PTEBATCH_EXCLUSIVE)

/*
 * The entries: a kind, the flags that all of its entries have, and the flags
 * that they may have. The zero page is clean and has no folio; of a special PTE
 * the flags that decide on write permission suffice.
 */
static const struct {
	u16 kind, fixed, flags;
} kinds[] = {
	{ PTEBATCH_NONE },
	{ PTEBATCH_WRITABLE, 0, OF_PAGE },
	{ PTEBATCH_READABLE, 0, OF_PAGE },
	{ PTEBATCH_PROTNONE, 0, OF_PAGE },
	{ PTEBATCH_READABLE, PTEBATCH_ZERO_PAGE,
	  PTEBATCH_YOUNG | PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD },
	{ PTEBATCH_PROTNONE, PTEBATCH_ZERO_PAGE,
	  PTEBATCH_YOUNG | PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD },
	{ PTEBATCH_WRITABLE, PTEBATCH_SPECIAL,
	  PTEBATCH_DIRTY | PTEBATCH_SOFT_DIRTY },
	{ PTEBATCH_READABLE, PTEBATCH_SPECIAL,
	  PTEBATCH_DIRTY | PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD },
	{ PTEBATCH_PROTNONE, PTEBATCH_SPECIAL, PTEBATCH_SOFT_DIRTY },
	{ PTEBATCH_MIGRATION, 0,
	  PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE |
	  PTEBATCH_MIGRATION_WRITE },
	{ PTEBATCH_DEVICE_PRIVATE, 0,
	  PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE | PTEBATCH_MIGRATION_WRITE },
	{ PTEBATCH_DEVICE_EXCLUSIVE, PTEBATCH_EXCLUSIVE,
	  PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD },
	{ PTEBATCH_SWAP, 0,
	  PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE },
	{ PTEBATCH_MARKER },
	{ PTEBATCH_POISON },
	{ PTEBATCH_GUARD },
};

/*
 * Returns why there is no such entry, %NULL if there is. Exclusive pages are
 * anonymous; other pages in a file VMA are page cache.
 */
static const char *ruled_out(const struct ptebatch_call *call,
			     const struct ptebatch_entry *entry)
{
	bool uffd = call->uffd_wp || call->uffd_rwp;
	bool writable = entry->kind == PTEBATCH_WRITABLE ||
			entry->flags & PTEBATCH_MIGRATION_WRITE;

	if (entry->flags & PTEBATCH_SOFT_DIRTY && !call->track)
		return "soft-dirty is ignored without soft-dirty tracking";
	if (entry->flags & PTEBATCH_UFFD && !uffd)
		return "no uffd bit without userfaultfd registration";
	if (entry->flags & PTEBATCH_ZERO_PAGE && call->file)
		return "only anonymous memory maps the zero page";
	if (entry->flags & PTEBATCH_SPECIAL && !call->mixedmap)
		return "special PTEs only in VMAs with VM_MIXEDMAP";
	if (entry->flags & PTEBATCH_EXCLUSIVE && !call->anonymous)
		return "only anonymous pages are AnonExclusive";
	if ((entry->kind == PTEBATCH_DEVICE_PRIVATE ||
	     entry->kind == PTEBATCH_DEVICE_EXCLUSIVE) &&
	    !(IS_ENABLED(CONFIG_DEVICE_PRIVATE) && call->anonymous && !call->file))
		return "device entries only in anonymous memory with CONFIG_DEVICE_PRIVATE";
	if (entry->kind == PTEBATCH_DEVICE_PRIVATE &&
	    entry->flags & PTEBATCH_MIGRATION_WRITE &&
	    !(entry->flags & PTEBATCH_EXCLUSIVE))
		return "the page of a writable device-private entry is AnonExclusive";
	if (entry->kind == PTEBATCH_SWAP && !call->anonymous)
		return "only anonymous pages have swap entries";
	if (entry->kind == PTEBATCH_MIGRATION && !IS_ENABLED(CONFIG_MIGRATION))
		return "no migration without CONFIG_MIGRATION";
	if (entry->kind == PTEBATCH_MARKER &&
	    !(call->file && call->uffd_wp && uffd_supports_wp_marker()))
		return "uffd-wp markers only in files with userfaultfd write protection";
	if (!writable)
		return NULL;
	if (entry->kind == PTEBATCH_MIGRATION &&
	    entry->flags & PTEBATCH_EXCLUSIVE)
		return "a writable migration entry implies exclusive";
	if (entry->flags & PTEBATCH_UFFD)
		return "an entry with the uffd bit is not writable";
	if (entry->kind == PTEBATCH_DEVICE_PRIVATE)
		return NULL;
	if (call->track && !(entry->flags & PTEBATCH_SOFT_DIRTY))
		return "an entry that needs a soft-dirty fault is not writable";
	if (!call->shared && entry->flags & PTEBATCH_SPECIAL)
		return "a special PTE of a private mapping is not writable";
	if (!call->shared && call->anonymous &&
	    entry->kind == PTEBATCH_WRITABLE && !(entry->flags & PTEBATCH_EXCLUSIVE))
		return "a private page that is not AnonExclusive is not writable";
	if (!call->shared && !call->anonymous)
		return "page cache is not writable in a private mapping";
	if (call->shared && call->notify && entry->kind == PTEBATCH_WRITABLE &&
	    !(entry->flags & PTEBATCH_DIRTY))
		return "an entry that needs a write notification is not writable";
	return NULL;
}

/**
 * ptebatch_states() - list the possible and the impossible states of an entry
 * @states: set to the states
 * @call: a call with the properties of the VMA
 */
void ptebatch_states(struct ptebatch_states *states,
		     const struct ptebatch_call *call)
{
	struct ptebatch_entry entry = { .folio = PTEBATCH_NO_FOLIO };
	const char *reason;
	unsigned int flags, i;

	states->nr = 0;
	states->nr_ruled_out = 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (flags = 0; flags <= kinds[i].flags; flags++) {
			if (flags & ~kinds[i].flags)
				continue;
			entry.kind = kinds[i].kind;
			entry.flags = flags | kinds[i].fixed;
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
