/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what the rules allow an entry to be after a call.
 */
#ifndef PTEBATCH_MODEL_H
#define PTEBATCH_MODEL_H

#include "../arch/arch.h"
#include "../row/row.h"
#include "../space/types.h"

/* On UML a change of protection sets the accessed bit of each PTE. */
#define PTEBATCH_PROT_YOUNG	(PTEBATCH_PROT_SETS_YOUNG ? PTEBATCH_YOUNG : 0)

/**
 * struct ptebatch_allowed - what an entry may be after a call
 * @kinds: allowed kinds, one bit for each enum ptebatch_kind
 * @flags: exact flags of the entry
 * @counts: the call counts the entry in its return value
 */
struct ptebatch_allowed {
	u32 kinds;
	u16 flags;
	bool counts;
};

struct ptebatch_call;

/* A model of an operation: sets @allowed to what @was may be after the call. */
typedef void ptebatch_model_t(const struct ptebatch_call *call,
			      const struct ptebatch_entry *was,
			      struct ptebatch_allowed *allowed);

/**
 * struct ptebatch_call - properties of a call and its VMA, for the model
 * @model: model of the call
 * @readable: the VMA permits reads, from the call on
 * @writable: the VMA permits writes, from the call on
 * @shared: the VMA is shared
 * @anonymous: the pages are anonymous; in a private file VMA they are copies
 * @file: the VMA maps a file, shmem included
 * @notify: the file requires a notification of the first write to each page
 * @track: soft-dirty is tracked
 * @uffd_wp: the VMA is registered with userfaultfd for write protection
 * @uffd_rwp: the VMA is registered with userfaultfd for read-write protection
 * @uffd_no_remap_event: the VMA's userfaultfd has no UFFD_FEATURE_EVENT_REMAP
 * @uffd_not_inherited: fork(): the child does not inherit the registration
 * @try_writable: the call avoids write faults (MM_CP_TRY_CHANGE_WRITABLE)
 * @mixedmap: the VMA may have special PTEs
 * @droppable: reclaim drops the pages of the VMA, even if they are dirty
 * @swap: the anonymous pages have swap space; otherwise they are lazyfree
 * @freed: the pages may be freed, so that swap entries do not identify them
 * @counts: the call returns the number of changed pages (rule 9)
 * @hints: NUMA hinting accepts all folios of the row; otherwise none
 * @vma_flags: VM_* that may change
 */
struct ptebatch_call {
	ptebatch_model_t *model;
	bool readable;
	bool writable;
	bool shared;
	bool anonymous;
	bool file;
	bool notify;
	bool track;
	bool uffd_wp;
	bool uffd_rwp;
	bool uffd_no_remap_event;
	bool uffd_not_inherited;
	bool try_writable;
	bool mixedmap;
	bool droppable;
	bool swap;
	bool freed;
	bool counts;
	bool hints;
	vm_flags_t vma_flags;
};

struct ptebatch_call ptebatch_setup_call(const struct ptebatch_setup *setup,
					 ptebatch_model_t *model,
					 unsigned long prot);

ptebatch_model_t ptebatch_model_protect, ptebatch_model_uffd_wp,
	ptebatch_model_uffd_resolve, ptebatch_model_uffd_rwp,
	ptebatch_model_numa_hint;
ptebatch_model_t ptebatch_model_unmap, ptebatch_model_zap,
	ptebatch_model_referenced;
ptebatch_model_t ptebatch_model_cold, ptebatch_model_free,
	ptebatch_model_guard_install, ptebatch_model_guard_remove;
ptebatch_model_t ptebatch_model_move_source, ptebatch_model_move;
ptebatch_model_t ptebatch_model_fork_parent, ptebatch_model_fork_child;

u16 ptebatch_model_block(const struct ptebatch_row *row, unsigned int i);
bool ptebatch_model_same_block(const struct ptebatch_row *row, unsigned int i,
			       unsigned int j);
u16 ptebatch_model_spread(const struct ptebatch_row *row, unsigned int first,
			  unsigned int i, bool batches);
bool ptebatch_model_allows(const struct ptebatch_call *call,
			   const struct ptebatch_entry *was, u16 spread,
			   const struct ptebatch_entry *got);

#endif /* PTEBATCH_MODEL_H */
