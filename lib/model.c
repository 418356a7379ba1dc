// SPDX-License-Identifier: GPL-2.0
/*
 * The rules, an entry at a time. Nothing here knows of batches but
 * ptebatch_model_spread(), which bounds what rule 1 lets them blur; nothing
 * here is the kernel's code.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "arch.h"
#include "model.h"

/* The call leaves the entry as it was, and does not count it. */
static void stays(const struct ptebatch_entry *was,
		  struct ptebatch_allowed *allowed)
{
	*allowed = (struct ptebatch_allowed) {
		.kinds = BIT(was->kind),
		.flags = was->flags,
	};
}

/* The call makes it this, and counts it (rule 9). */
static void becomes(u16 kinds, u8 flags, struct ptebatch_allowed *allowed)
{
	*allowed = (struct ptebatch_allowed) {
		.kinds = kinds,
		.flags = flags,
		.counts = true,
	};
}

/* Rule 5: does somebody wait for the write fault of this page? */
static bool fault_wanted(const struct ptebatch_call *call, u8 flags)
{
	if (call->track && !(flags & PTEBATCH_SOFT_DIRTY))
		return true;
	if (call->uffd_wp && flags & PTEBATCH_UFFD)
		return true;
	if (call->shared)
		return !(flags & PTEBATCH_DIRTY) &&
		       (call->notify || call->track || call->uffd_wp);
	return !(flags & PTEBATCH_EXCLUSIVE);
}

/* What a page may be mapped as, by the VMA and by its flags. */
static u16 kinds_of_page(const struct ptebatch_call *call, u8 flags)
{
	bool all_alike = call->shared && !call->notify && !call->track &&
			 !call->uffd_wp;

	if (!call->readable)
		return BIT(PTEBATCH_PROTNONE);
	/* Rule 14: who protects from reads, too, traps whatever the VMA says. */
	if (call->uffd_rwp && flags & PTEBATCH_UFFD)
		return BIT(PTEBATCH_PROTNONE);
	if (!call->writable)
		return BIT(PTEBATCH_READABLE);
	if (all_alike)
		return BIT(PTEBATCH_WRITABLE);
	if (!call->try_writable || fault_wanted(call, flags))
		return BIT(PTEBATCH_READABLE);
	/* Rule 12 asks for the write only of dirty pages. */
	if (flags & PTEBATCH_DIRTY)
		return BIT(PTEBATCH_WRITABLE);
	return BIT(PTEBATCH_READABLE) | BIT(PTEBATCH_WRITABLE);
}

/*
 * Rule 15, and rule 6 for what is not present: a migration entry loses its
 * write permission, and who had it was exclusive; uffd-wp comes and goes as
 * asked, the rest stays.
 */
static void change_absent(const struct ptebatch_call *call,
			  const struct ptebatch_entry *was, u8 set, u8 clear,
			  struct ptebatch_allowed *allowed)
{
	u8 flags = was->flags;

	if (was->kind != PTEBATCH_SWAP && was->kind != PTEBATCH_MIGRATION) {
		stays(was, allowed);
		return;
	}
	if (flags & PTEBATCH_MIGRATION_WRITE && call->anonymous)
		set |= PTEBATCH_EXCLUSIVE;
	flags &= ~(clear | PTEBATCH_MIGRATION_WRITE);
	flags |= set;
	if (flags == was->flags)
		stays(was, allowed);
	else
		becomes(BIT(was->kind), flags, allowed);
}

/**
 * ptebatch_model_protect() - mprotect(): rules 5, 6, 12 and 15
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_protect(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed)
{
	/* A shadow stack is written to by calls, whatever the VMA says of writes. */
	if (was->kind == PTEBATCH_SHADOW_STACK && call->readable)
		becomes(BIT(was->kind), was->flags, allowed);
	else if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, was->flags), was->flags, allowed);
	else
		change_absent(call, was, 0, 0, allowed);
}

/**
 * ptebatch_model_uffd_wp() - userfaultfd protects from writes: rule 14
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_uffd_wp(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed)
{
	u8 flags = was->flags | PTEBATCH_UFFD;

	if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, flags), flags, allowed);
	else if (was->kind == PTEBATCH_NONE && call->file && call->uffd_wp)
		becomes(BIT(PTEBATCH_MARKER), 0, allowed);
	else
		change_absent(call, was, PTEBATCH_UFFD, 0, allowed);
}

/**
 * ptebatch_model_uffd_resolve() - and permits again what it protected from,
 * writes or all: rule 14
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_uffd_resolve(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed)
{
	u8 flags = was->flags & ~PTEBATCH_UFFD;

	if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, flags), flags, allowed);
	else if (was->kind == PTEBATCH_MARKER)
		becomes(BIT(PTEBATCH_NONE), 0, allowed);
	else
		change_absent(call, was, 0, PTEBATCH_UFFD, allowed);
}

/**
 * ptebatch_model_uffd_rwp() - userfaultfd protects from all: rule 14
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_uffd_rwp(const struct ptebatch_call *call,
			     const struct ptebatch_entry *was,
			     struct ptebatch_allowed *allowed)
{
	if (was->kind == PTEBATCH_PROTNONE && was->flags & PTEBATCH_UFFD)
		stays(was, allowed);
	else if (ptebatch_entry_present(was))
		becomes(BIT(PTEBATCH_PROTNONE), was->flags | PTEBATCH_UFFD,
			allowed);
	else
		change_absent(call, was, PTEBATCH_UFFD, 0, allowed);
}

/**
 * ptebatch_model_numa_hint() - MM_CP_PROT_NUMA: rule 13
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 *
 * Which folios are worth a hint is not for the model to say; who is not is not
 * touched.
 */
void ptebatch_model_numa_hint(const struct ptebatch_call *call,
			      const struct ptebatch_entry *was,
			      struct ptebatch_allowed *allowed)
{
	if (!ptebatch_entry_present(was))
		change_absent(call, was, 0, 0, allowed);
	else if (was->kind == PTEBATCH_PROTNONE || !call->hints)
		stays(was, allowed);
	else
		becomes(BIT(PTEBATCH_PROTNONE), was->flags, allowed);
}

/* Rule 17: write protection of a file's page outlives the page. */
static void goes(const struct ptebatch_call *call,
		 const struct ptebatch_entry *was,
		 struct ptebatch_allowed *allowed)
{
	bool marked = call->file && call->uffd_wp && was->flags & PTEBATCH_UFFD;

	becomes(BIT(marked ? PTEBATCH_MARKER : PTEBATCH_NONE), 0, allowed);
}

/**
 * ptebatch_model_unmap() - try_to_unmap() of a folio that nothing holds: rules
 * 17 to 19
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_unmap(const struct ptebatch_call *call,
			  const struct ptebatch_entry *was,
			  struct ptebatch_allowed *allowed)
{
	const u8 kept = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE;

	if (!ptebatch_entry_present(was))
		stays(was, allowed);
	else if (call->anonymous && call->swap)
		becomes(BIT(PTEBATCH_SWAP), was->flags & kept, allowed);
	else
		goes(call, was, allowed);
}

/**
 * ptebatch_model_zap() - zap_vma_range()
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 *
 * Guards stay where they are, and so do userfaultfd's markers in a file.
 */
void ptebatch_model_zap(const struct ptebatch_call *call,
			const struct ptebatch_entry *was,
			struct ptebatch_allowed *allowed)
{
	if (was->kind == PTEBATCH_NONE || was->kind == PTEBATCH_GUARD ||
	    (was->kind == PTEBATCH_MARKER && call->file))
		stays(was, allowed);
	else
		goes(call, was, allowed);
}

/**
 * ptebatch_model_cold() - MADV_COLD: rule 24
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_cold(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	if (ptebatch_entry_present(was))
		becomes(BIT(was->kind), was->flags & ~PTEBATCH_YOUNG, allowed);
	else
		stays(was, allowed);
}

/**
 * ptebatch_model_free() - MADV_FREE of folios of our own: rule 24
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 *
 * What is in swap, or broken, need not wait for reclaim.
 */
void ptebatch_model_free(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	const u8 used = PTEBATCH_DIRTY | PTEBATCH_YOUNG;

	if (ptebatch_entry_present(was))
		becomes(BIT(was->kind),
			(was->flags & ~used) | PTEBATCH_LAZYFREE, allowed);
	else if (was->kind == PTEBATCH_SWAP || was->kind == PTEBATCH_POISON ||
		 was->kind == PTEBATCH_HWPOISON)
		becomes(BIT(PTEBATCH_NONE), 0, allowed);
	else
		stays(was, allowed);
}

/**
 * ptebatch_model_guard_install() - MADV_GUARD_INSTALL: rule 24
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_guard_install(const struct ptebatch_call *call,
				  const struct ptebatch_entry *was,
				  struct ptebatch_allowed *allowed)
{
	becomes(BIT(PTEBATCH_GUARD), 0, allowed);
}

/**
 * ptebatch_model_guard_remove() - MADV_GUARD_REMOVE: rule 24
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_guard_remove(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed)
{
	if (was->kind == PTEBATCH_GUARD)
		becomes(BIT(PTEBATCH_NONE), 0, allowed);
	else
		stays(was, allowed);
}

/**
 * ptebatch_model_gone() - mremap(), at the old place
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_gone(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	becomes(BIT(PTEBATCH_NONE), 0, allowed);
}

/**
 * ptebatch_model_move() - mremap(), at the new place: rules 6 and 14
 * @call: the call
 * @was: the entry at the old place before
 * @allowed: gets what may be at the new place after
 *
 * Who tracks soft-dirty must see that there is something where there was
 * nothing. What userfaultfd protected is protected no longer where it is not
 * registered any more.
 */
void ptebatch_model_move(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	bool leaf = ptebatch_entry_present(was) ||
		    was->kind == PTEBATCH_MIGRATION ||
		    was->kind == PTEBATCH_SWAP;

	stays(was, allowed);
	if (call->uffd_deaf && was->kind == PTEBATCH_MARKER)
		becomes(BIT(PTEBATCH_NONE), 0, allowed);
	if (call->uffd_deaf && was->flags & PTEBATCH_UFFD) {
		allowed->flags &= ~PTEBATCH_UFFD;
		/* Who was protected from reads, too, must not stay so. */
		if (call->uffd_rwp && was->kind == PTEBATCH_PROTNONE)
			allowed->kinds = kinds_of_page(call, allowed->flags);
		else if (call->uffd_rwp && ptebatch_entry_present(was))
			allowed->kinds |= kinds_of_page(call, allowed->flags);
	}
	if (call->track && leaf)
		allowed->flags |= PTEBATCH_SOFT_DIRTY;
}

/**
 * ptebatch_model_fork_parent() - fork(), as it leaves the parent
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 *
 * What is private is exclusive to nobody any more, so nobody may write to it.
 */
void ptebatch_model_fork_parent(const struct ptebatch_call *call,
				const struct ptebatch_entry *was,
				struct ptebatch_allowed *allowed)
{
	stays(was, allowed);
	if (call->shared)
		return;
	allowed->flags &= ~(PTEBATCH_EXCLUSIVE | PTEBATCH_MIGRATION_WRITE);
	if (was->kind == PTEBATCH_WRITABLE || was->kind == PTEBATCH_SHADOW_STACK)
		allowed->kinds = BIT(PTEBATCH_READABLE);
}

/**
 * ptebatch_model_fork_child() - and what it gives the child
 * @call: the call
 * @was: the parent's entry before
 * @allowed: gets what the child's entry may be
 *
 * The child has not accessed it yet, nor written to it where that is for the
 * file to know. userfaultfd's bits and markers are for those who are
 * registered.
 */
void ptebatch_model_fork_child(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed)
{
	bool armed = (call->uffd_wp || call->uffd_rwp) && !call->disarmed;

	ptebatch_model_fork_parent(call, was, allowed);
	if (ptebatch_entry_present(was)) {
		allowed->flags &= ~PTEBATCH_YOUNG;
		if (call->shared)
			allowed->flags &= ~PTEBATCH_DIRTY;
	}
	if (armed)
		return;
	allowed->flags &= ~PTEBATCH_UFFD;
	if (was->kind == PTEBATCH_MARKER)
		allowed->kinds = BIT(PTEBATCH_NONE);
	/* Nobody is there to permit again what was trapped. */
	if (call->uffd_rwp && was->kind == PTEBATCH_PROTNONE &&
	    was->flags & PTEBATCH_UFFD && call->readable)
		allowed->kinds = BIT(PTEBATCH_READABLE);
}

/**
 * ptebatch_model_referenced() - somebody asks whether pages are in use
 * @call: the call
 * @was: the entry before
 * @allowed: gets what it may be after
 */
void ptebatch_model_referenced(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed)
{
	stays(was, allowed);
	if (ptebatch_entry_present(was))
		allowed->flags &= ~PTEBATCH_YOUNG;
}

/* May @a and @b, next to each other, be in one batch? Rule 3. */
static bool batches_with(const struct ptebatch_entry *a,
			 const struct ptebatch_entry *b)
{
	const u8 respected = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD;

	return a->folio != PTEBATCH_NO_FOLIO && a->folio == b->folio &&
	       b->page == a->page + 1 && a->kind == b->kind &&
	       !((a->flags ^ b->flags) & respected);
}

/*
 * Can the entries of the block of entry @i be one contpte block: all there, of
 * one folio, and physically as aligned as virtually? Gets its first entry.
 */
static bool find_block_at(const struct ptebatch_row *row,
			  unsigned int row_first, unsigned int i,
			  unsigned int *first)
{
	const struct ptebatch_entry *entry = &row->entries[i];
	unsigned int offset = (row_first + i) % PTEBATCH_BLOCK_ENTRIES;
	unsigned int at;

	if (offset > i || i - offset + PTEBATCH_BLOCK_ENTRIES > row->nr ||
	    !ptebatch_entry_present(entry) ||
	    entry->page % PTEBATCH_BLOCK_ENTRIES != offset)
		return false;
	*first = i - offset;
	for (at = 0; at < PTEBATCH_BLOCK_ENTRIES; at++) {
		const struct ptebatch_entry *other = &row->entries[*first + at];

		if (!ptebatch_entry_present(other) ||
		    other->folio != entry->folio ||
		    other->page != entry->page - offset + at)
			return false;
	}
	return true;
}

static bool find_block(const struct ptebatch_row *row, unsigned int i,
		       unsigned int *first)
{
	return find_block_at(row, row->first, i, first);
}

/* Accessed and dirty of entries @from to @to - 1, but for @but. */
static u8 used_flags(const struct ptebatch_row *row, unsigned int from,
		     unsigned int to, unsigned int but)
{
	u8 flags = 0;

	for (; from < to; from++)
		if (from != but)
			flags |= row->entries[from].flags;
	return flags & (PTEBATCH_DIRTY | PTEBATCH_YOUNG);
}

/**
 * ptebatch_model_block() - what a contpte block says for all its entries
 * @row: the row
 * @i: one of the block
 *
 * The call may make alike what was not, and a block of it.
 *
 * Return: accessed and dirty of the other entries there; nothing but on arm64.
 */
u8 ptebatch_model_block(const struct ptebatch_row *row, unsigned int i)
{
	unsigned int first;

	if (!find_block(row, i, &first))
		return 0;
	return used_flags(row, first, first + PTEBATCH_BLOCK_ENTRIES, i);
}

/**
 * ptebatch_model_spread() - rule 1: what may spread to an entry
 * @row: the row before the call
 * @i: the entry
 *
 * On arm64 a batch spreads over the blocks that it reaches into, and a block
 * over the batches, one after the other.
 *
 * Return: accessed and dirty of all that can have come to it so.
 */
u8 ptebatch_model_spread(const struct ptebatch_row *row, unsigned int i)
{
	const struct ptebatch_entry *entries = row->entries;
	unsigned int from = i, to = i + 1, first, was_from, was_to;

	do {
		was_from = from;
		was_to = to;
		while (from > row->from && from < row->to &&
		       batches_with(&entries[from - 1], &entries[from]))
			from--;
		while (to > row->from && to < row->to &&
		       batches_with(&entries[to - 1], &entries[to]))
			to++;
		if (find_block(row, from, &first))
			from = first;
		if (find_block(row, to - 1, &first))
			to = first + PTEBATCH_BLOCK_ENTRIES;
	} while (from != was_from || to != was_to);
	return used_flags(row, from, to, i);
}

/**
 * ptebatch_model_spread_to() - the same, for entries that may have been moved
 * @row: the row before the call
 * @first: index in its page table that the row's first entry has after it
 * @i: the entry
 *
 * There it may be in another block, and share what the others have brought.
 *
 * Return: accessed and dirty of all that can have come to it so.
 */
u8 ptebatch_model_spread_to(const struct ptebatch_row *row, unsigned int first,
			    unsigned int i)
{
	u8 spread = ptebatch_model_spread(row, i);
	unsigned int at, block;

	if (first == row->first || !find_block_at(row, first, i, &block))
		return spread;
	for (at = block; at < block + PTEBATCH_BLOCK_ENTRIES; at++)
		spread |= ptebatch_model_spread(row, at);
	return spread |
	       used_flags(row, block, block + PTEBATCH_BLOCK_ENTRIES, i);
}

/**
 * ptebatch_model_allows() - do the rules allow this?
 * @call: the call
 * @was: an entry before it, in the range
 * @spread: what may have spread to it, see ptebatch_model_spread()
 * @got: the entry after it
 *
 * What spreads, spreads before the call decides: who has become dirty so may
 * be writable now.
 *
 * Return: whether they do.
 */
bool ptebatch_model_allows(const struct ptebatch_call *call,
			   const struct ptebatch_entry *was, u8 spread,
			   const struct ptebatch_entry *got)
{
	struct ptebatch_entry with = *was;
	struct ptebatch_allowed allowed;

	if (ptebatch_entry_present(was))
		with.flags |= got->flags & spread;
	call->model(call, &with, &allowed);
	if (!(allowed.kinds & BIT(got->kind)) || allowed.flags != got->flags)
		return false;
	/* Whether it is the right page, if it has one. */
	return got->folio == PTEBATCH_NO_FOLIO ?
	       !ptebatch_entry_present(got) &&
	       (got->kind != PTEBATCH_SWAP || call->freed ||
		was->folio == PTEBATCH_NO_FOLIO) :
	       got->folio == was->folio && got->page == was->page;
}

/**
 * ptebatch_model_row() - do they allow it for all of the range?
 * @call: the call
 * @was: the row before it
 * @got: the row after it
 * @differs: bitmap of PTEBATCH_ROW_ENTRIES, gets the entries that they do not
 *
 * Return: whether they do.
 */
bool ptebatch_model_row(const struct ptebatch_call *call,
			const struct ptebatch_row *was,
			const struct ptebatch_row *got, unsigned long *differs)
{
	unsigned int i;

	bitmap_zero(differs, PTEBATCH_ROW_ENTRIES);
	for (i = was->from; i < was->to; i++)
		if (!ptebatch_model_allows(call, &was->entries[i],
					   ptebatch_model_spread_to(was,
								    got->first,
								    i) |
					   PTEBATCH_COMES_YOUNG,
					   &got->entries[i]))
			set_bit(i, differs);
	return bitmap_empty(differs, PTEBATCH_ROW_ENTRIES);
}

/**
 * ptebatch_model_counts() - rule 9: is this how many pages are changed?
 * @call: the call
 * @was: the row before it
 * @pages: what it has returned
 *
 * Return: whether it may be.
 */
bool ptebatch_model_counts(const struct ptebatch_call *call,
			   const struct ptebatch_row *was, long pages)
{
	struct ptebatch_allowed allowed;
	unsigned int i;

	for (i = was->from; i < was->to; i++) {
		call->model(call, &was->entries[i], &allowed);
		pages -= allowed.counts;
	}
	return !pages;
}
