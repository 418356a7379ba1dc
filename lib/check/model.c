// SPDX-License-Identifier: GPL-2.0
/*
 * The rules, entry by entry, written without the kernel's code. Batches matter
 * only to ptebatch_model_spread(), which bounds how far rule 1 lets accessed
 * and dirty spread.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/mman.h>
#include <linux/minmax.h>

#include "../arch/arch.h"
#include "model.h"

/**
 * ptebatch_setup_call() - describe a call on an address space for the model
 * @setup: set-up of the address space; its file pages are page cache, not copies
 * @model: model of the call
 * @prot: PROT_READ and PROT_WRITE of the VMA from the call on
 *
 * Return: the call.
 */
struct ptebatch_call ptebatch_setup_call(const struct ptebatch_setup *setup,
					 ptebatch_model_t *model,
					 unsigned long prot)
{
	return (struct ptebatch_call) {
		.model = model,
		.readable = prot & PROT_READ,
		.writable = prot & PROT_WRITE,
		.shared = ptebatch_shared(setup->mapping),
		.anonymous = setup->mapping == PTEBATCH_ANON,
		.file = setup->mapping != PTEBATCH_ANON,
		.notify = setup->mapping == PTEBATCH_FILE,
		.track = setup->track,
		.uffd_wp = setup->uffd & UFFD_WP,
		.uffd_rwp = setup->uffd & UFFD_RWP,
		.uffd_no_remap_event = setup->uffd & NO_REMAP_EVENT,
		.uffd_not_inherited = setup->uffd & NOT_INHERITED,
		.mixedmap = setup->vma & VM_MIXEDMAP,
		.droppable = setup->vma & VM_DROPPABLE,
		.swap = setup->folios & WITH_SWAP,
	};
}

/* The call does not change the entry, and does not count it. */
static void stays(const struct ptebatch_entry *was,
		  struct ptebatch_allowed *allowed)
{
	*allowed = (struct ptebatch_allowed) {
		.kinds = BIT(was->kind),
		.flags = was->flags,
	};
}

/* The call changes the entry, and counts it (rule 9). */
static void becomes(u32 kinds, u16 flags, struct ptebatch_allowed *allowed)
{
	*allowed = (struct ptebatch_allowed) {
		.kinds = kinds,
		.flags = flags,
		.counts = true,
	};
}

/* Rule 5: must the first write to this page fault? */
static bool needs_write_fault(const struct ptebatch_call *call, u16 flags)
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

/* Kinds that the VMA and the entry's flags allow for a present entry. */
static u32 kinds_of_page(const struct ptebatch_call *call, u16 flags)
{
	bool always_writable = call->shared && !call->notify && !call->track &&
			       !call->uffd_wp;

	if (!call->readable)
		return BIT(PTEBATCH_PROTNONE);
	/* Rule 14: under read-write protection every access faults. */
	if (call->uffd_rwp && flags & PTEBATCH_UFFD)
		return BIT(PTEBATCH_PROTNONE);
	if (!call->writable)
		return BIT(PTEBATCH_READABLE);
	if (always_writable)
		return BIT(PTEBATCH_WRITABLE);
	if (!call->try_writable || needs_write_fault(call, flags))
		return BIT(PTEBATCH_READABLE);
	/* Rule 12 requires write permission only for dirty pages. */
	if (flags & PTEBATCH_DIRTY)
		return BIT(PTEBATCH_WRITABLE);
	return BIT(PTEBATCH_READABLE) | BIT(PTEBATCH_WRITABLE);
}

/*
 * Rules 6 and 15 for non-present entries: a writable migration or
 * device-private entry becomes readable and, if a migration entry of an
 * anonymous page, exclusive; the uffd bit is set or cleared as requested; all
 * else stays.
 */
static void change_absent(const struct ptebatch_call *call,
			  const struct ptebatch_entry *was, u16 set, u16 clear,
			  struct ptebatch_allowed *allowed)
{
	u16 flags = was->flags;

	if (was->kind != PTEBATCH_SWAP && was->kind != PTEBATCH_MIGRATION &&
	    !ptebatch_entry_mapped(was)) {
		stays(was, allowed);
		return;
	}
	if (was->kind == PTEBATCH_MIGRATION && call->anonymous &&
	    flags & PTEBATCH_MIGRATION_WRITE)
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
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_protect(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed)
{
	/* Calls write to a shadow stack whatever the VMA permits. */
	if (was->kind == PTEBATCH_SHADOW_STACK && call->readable)
		becomes(BIT(was->kind), was->flags, allowed);
	else if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, was->flags), was->flags, allowed);
	else
		change_absent(call, was, 0, 0, allowed);
}

/**
 * ptebatch_model_uffd_wp() - userfaultfd write protection: rule 14
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_uffd_wp(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed)
{
	u16 flags = was->flags | PTEBATCH_UFFD;

	if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, flags), flags, allowed);
	else if (was->kind == PTEBATCH_NONE && call->file && call->uffd_wp)
		becomes(BIT(PTEBATCH_MARKER), 0, allowed);
	else
		change_absent(call, was, PTEBATCH_UFFD, 0, allowed);
}

/**
 * ptebatch_model_uffd_resolve() - resolve userfaultfd write or read-write
 * protection: rule 14
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_uffd_resolve(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed)
{
	u16 flags = was->flags & ~PTEBATCH_UFFD;

	if (ptebatch_entry_present(was))
		becomes(kinds_of_page(call, flags), flags, allowed);
	else if (was->kind == PTEBATCH_MARKER)
		becomes(BIT(PTEBATCH_NONE), 0, allowed);
	else
		change_absent(call, was, 0, PTEBATCH_UFFD, allowed);
}

/**
 * ptebatch_model_uffd_rwp() - userfaultfd read-write protection: rule 14
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
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
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 *
 * The caller says in @call whether NUMA hinting accepts the folios; if it does
 * not, the entries stay.
 */
void ptebatch_model_numa_hint(const struct ptebatch_call *call,
			      const struct ptebatch_entry *was,
			      struct ptebatch_allowed *allowed)
{
	if (!ptebatch_entry_present(was))
		change_absent(call, was, 0, 0, allowed);
	else if (was->kind == PTEBATCH_PROTNONE || !call->hints ||
		 !ptebatch_entry_normal(was) || was->flags & PTEBATCH_KSM)
		stays(was, allowed);
	else
		becomes(BIT(PTEBATCH_PROTNONE), was->flags, allowed);
}

/* Rule 17: a uffd-wp entry of a file leaves a marker. */
static void unmapped(const struct ptebatch_call *call,
		     const struct ptebatch_entry *was,
		 struct ptebatch_allowed *allowed)
{
	bool marked = call->file && call->uffd_wp && was->flags & PTEBATCH_UFFD;

	becomes(BIT(marked ? PTEBATCH_MARKER : PTEBATCH_NONE), 0, allowed);
}

/**
 * ptebatch_model_unmap() - successful try_to_unmap(): rules 17 to 19
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_unmap(const struct ptebatch_call *call,
			  const struct ptebatch_entry *was,
			  struct ptebatch_allowed *allowed)
{
	const u16 kept = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE;

	if (!ptebatch_entry_mapped(was))
		stays(was, allowed);
	else if (call->anonymous && call->swap && !call->droppable)
		becomes(BIT(PTEBATCH_SWAP), was->flags & kept, allowed);
	else
		unmapped(call, was, allowed);
}

/**
 * ptebatch_model_zap() - zap_vma_range()
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 *
 * Guard markers stay, and so do uffd-wp markers in a file VMA.
 */
void ptebatch_model_zap(const struct ptebatch_call *call,
			const struct ptebatch_entry *was,
			struct ptebatch_allowed *allowed)
{
	if (was->kind == PTEBATCH_NONE || was->kind == PTEBATCH_GUARD ||
	    (was->kind == PTEBATCH_MARKER && call->file))
		stays(was, allowed);
	else
		unmapped(call, was, allowed);
}

/**
 * ptebatch_model_cold() - MADV_COLD: rule 24
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_cold(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	if (ptebatch_entry_normal(was))
		becomes(BIT(was->kind), was->flags & ~PTEBATCH_YOUNG, allowed);
	else
		stays(was, allowed);
}

/**
 * ptebatch_model_free() - MADV_FREE of unshared folios: rule 24
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 *
 * Swap, poison and hwpoison entries are cleared at once, not by reclaim.
 */
void ptebatch_model_free(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	const u16 used = PTEBATCH_DIRTY | PTEBATCH_YOUNG;

	if (ptebatch_entry_normal(was))
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
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
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
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
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
 * ptebatch_model_move_source() - mremap(), at the source
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_move_source(const struct ptebatch_call *call,
				const struct ptebatch_entry *was,
				struct ptebatch_allowed *allowed)
{
	becomes(BIT(PTEBATCH_NONE), 0, allowed);
}

/**
 * ptebatch_model_move() - mremap(), at the destination: rules 6 and 14
 * @call: the call
 * @was: entry at the source before the call
 * @allowed: set to what the entry at the destination may be after the call
 *
 * With soft-dirty tracking, a moved entry is soft-dirty. Without
 * UFFD_FEATURE_EVENT_REMAP the destination is not registered with userfaultfd:
 * its protection is resolved. Write faults may be avoided or not, and an access
 * that the protection does not prevent may still fault.
 */
void ptebatch_model_move(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed)
{
	bool leaf = ptebatch_entry_present(was) ||
		    was->kind == PTEBATCH_MIGRATION ||
		    was->kind == PTEBATCH_SWAP || ptebatch_entry_mapped(was);
	struct ptebatch_call upgrade = *call;
	struct ptebatch_entry moved = *was;

	if (call->track && leaf)
		moved.flags |= PTEBATCH_SOFT_DIRTY;
	stays(&moved, allowed);
	if (!call->uffd_no_remap_event)
		return;
	ptebatch_model_uffd_resolve(call, &moved, allowed);
	if (!ptebatch_entry_present(was))
		return;
	upgrade.try_writable = true;
	allowed->kinds |= kinds_of_page(&upgrade, allowed->flags);
	if (!call->uffd_rwp || !(was->flags & PTEBATCH_UFFD))
		allowed->kinds |= BIT(was->kind);
}

/**
 * ptebatch_model_fork_parent() - fork(), in the parent
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 *
 * Private pages become shared: not exclusive, and so not writable. Device-
 * exclusive entries become present first.
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
	if (was->kind == PTEBATCH_DEVICE_EXCLUSIVE)
		allowed->kinds = kinds_of_page(call, allowed->flags);
}

/**
 * ptebatch_model_fork_child() - fork(), in the child
 * @call: the call
 * @was: the parent's entry before the call
 * @allowed: set to what the child's entry may be after the call
 *
 * The accessed bit is clear, and in a shared mapping the dirty bit, too. The
 * child has uffd bits and markers only if it inherits the registration.
 */
void ptebatch_model_fork_child(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed)
{
	bool inherited = (call->uffd_wp || call->uffd_rwp) &&
			 !call->uffd_not_inherited;

	ptebatch_model_fork_parent(call, was, allowed);
	if (ptebatch_entry_present(was)) {
		allowed->flags &= ~PTEBATCH_YOUNG;
		if (call->shared)
			allowed->flags &= ~PTEBATCH_DIRTY;
	}
	if (inherited)
		return;
	allowed->flags &= ~PTEBATCH_UFFD;
	if (was->kind == PTEBATCH_MARKER)
		allowed->kinds = BIT(PTEBATCH_NONE);
	/* Without userfaultfd nothing would resolve the protection. */
	if (call->uffd_rwp && was->kind == PTEBATCH_PROTNONE &&
	    was->flags & PTEBATCH_UFFD && call->readable)
		allowed->kinds = BIT(PTEBATCH_READABLE);
}

/**
 * ptebatch_model_referenced() - folio_referenced()
 * @call: the call
 * @was: entry before the call
 * @allowed: set to what the entry may be after the call
 */
void ptebatch_model_referenced(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed)
{
	stays(was, allowed);
	if (ptebatch_entry_normal(was))
		allowed->flags &= ~PTEBATCH_YOUNG;
}

/* Rule 3: may the adjacent entries @a and @b be in one batch? */
static bool batches_with(const struct ptebatch_entry *a,
			 const struct ptebatch_entry *b)
{
	const u16 respected = PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD;

	return a->folio != PTEBATCH_NO_FOLIO && a->folio == b->folio &&
	       !((a->flags | b->flags) & PTEBATCH_SPECIAL) &&
	       b->page == a->page + 1 && a->kind == b->kind &&
	       !((a->flags ^ b->flags) & respected);
}

/*
 * Can entry @i be in a contpte block, i.e. are all entries of its aligned block
 * present, of one folio and physically aligned? Sets @first to the first entry.
 * A block may extend over two VMAs.
 */
static bool find_block_at(const struct ptebatch_row *row,
			  unsigned int row_first, unsigned int i,
			  unsigned int *first)
{
	const struct ptebatch_entry *entry = &row->entries[i];
	unsigned int offset = (row_first + i) % PTEBATCH_BLOCK_ENTRIES;
	unsigned int at;

	if (offset > i || i - offset + PTEBATCH_BLOCK_ENTRIES > row->nr ||
	    !ptebatch_entry_normal(entry) ||
	    entry->page % PTEBATCH_BLOCK_ENTRIES != offset)
		return false;
	*first = i - offset;
	for (at = 0; at < PTEBATCH_BLOCK_ENTRIES; at++) {
		const struct ptebatch_entry *other = &row->entries[*first + at];

		if (!ptebatch_entry_normal(other) ||
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

/* Accessed and dirty of entries @from to @to - 1 except entry @skip. */
static u16 used_flags(const struct ptebatch_row *row, unsigned int from,
		      unsigned int to, unsigned int skip)
{
	u16 flags = 0;

	for (; from < to; from++)
		if (from != skip)
			flags |= row->entries[from].flags;
	return flags & (PTEBATCH_DIRTY | PTEBATCH_YOUNG);
}

/**
 * ptebatch_model_block() - accessed and dirty from the rest of a contpte block
 * @row: the row
 * @i: index of the entry
 *
 * Entries that are not a contpte block yet count: the call may make them one.
 *
 * Return: accessed and dirty of the block's other entries; 0 except on arm64.
 */
u16 ptebatch_model_block(const struct ptebatch_row *row, unsigned int i)
{
	unsigned int first;

	if (!find_block(row, i, &first))
		return 0;
	return used_flags(row, first, first + PTEBATCH_BLOCK_ENTRIES, i);
}

/**
 * ptebatch_model_same_block() - whether entries are in the same contpte block
 * @row: the row
 * @i: index of an entry
 * @j: index of another entry
 *
 * Return: true if they are, or may become so; false except on arm64.
 */
bool ptebatch_model_same_block(const struct ptebatch_row *row, unsigned int i,
			       unsigned int j)
{
	unsigned int first;

	return i != j && find_block(row, i, &first) &&
	       j >= first && j - first < PTEBATCH_BLOCK_ENTRIES;
}

/*
 * Rule 1: accessed and dirty that may spread to entry @i. On arm64 they spread
 * from a batch to each contpte block that overlaps the batch, from the block to
 * each batch that overlaps the block, and so on.
 */
static u16 spread_in_batches(const struct ptebatch_row *row, unsigned int i)
{
	const struct ptebatch_entry *entries = row->entries;
	unsigned int from = i, to = i + 1, first, was_from, was_to;

	do {
		was_from = from;
		was_to = to;
		while (from > row->from && from < row->to &&
		       !test_bit(from, row->vma_starts) &&
		       batches_with(&entries[from - 1], &entries[from]))
			from--;
		while (to > row->from && to < row->to &&
		       !test_bit(to, row->vma_starts) &&
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
 * ptebatch_model_spread() - rule 1: accessed and dirty that may spread
 * @row: row before the call
 * @first: index of the row's first entry in its page table after the call
 * @i: index of the entry
 * @batches: the call batches; otherwise the flags spread in contpte blocks only
 *
 * After a move the flags also spread within the destination's contpte block.
 *
 * Return: accessed and dirty of all entries that may spread them to entry @i.
 */
u16 ptebatch_model_spread(const struct ptebatch_row *row, unsigned int first,
			  unsigned int i, bool batches)
{
	u16 (*spread)(const struct ptebatch_row *row, unsigned int i) =
		batches ? spread_in_batches : ptebatch_model_block;
	u16 flags = spread(row, i);
	unsigned int at, block;

	if (first == row->first || !find_block_at(row, first, i, &block))
		return flags;
	for (at = block; at < block + PTEBATCH_BLOCK_ENTRIES; at++)
		flags |= spread(row, at);
	return flags | used_flags(row, block, block + PTEBATCH_BLOCK_ENTRIES, i);
}

/**
 * ptebatch_model_allows() - check an entry against the model
 * @call: the call
 * @was: entry before the call, in the range
 * @spread: flags that may spread to the entry, see ptebatch_model_spread()
 * @got: entry after the call
 *
 * The flags spread before the call decides: an entry that becomes dirty may
 * become writable.
 *
 * Return: true if the rules allow @got.
 */
bool ptebatch_model_allows(const struct ptebatch_call *call,
			   const struct ptebatch_entry *was, u16 spread,
			   const struct ptebatch_entry *got)
{
	struct ptebatch_entry input = *was;
	struct ptebatch_allowed allowed;

	if (ptebatch_entry_present(was))
		input.flags |= got->flags & spread;
	call->model(call, &input, &allowed);
	if (!(allowed.kinds & BIT(got->kind)) || allowed.flags != got->flags)
		return false;
	/* If the entry has a page, it must be the page of @was. */
	return got->folio == PTEBATCH_NO_FOLIO ?
	       !ptebatch_entry_normal(got) &&
	       (got->kind != PTEBATCH_SWAP || call->freed ||
		was->folio == PTEBATCH_NO_FOLIO) :
	       got->folio == was->folio && got->page == was->page;
}
