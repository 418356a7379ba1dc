/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what the rules allow a call to leave of an entry.
 */
#ifndef PTEBATCH_MODEL_H
#define PTEBATCH_MODEL_H

#include "row.h"

/**
 * struct ptebatch_allowed - what an entry may be after a call
 * @kinds: a bit for each enum ptebatch_kind that it may be
 * @flags: its flags, exactly
 * @counts: the call counts it in what it returns
 */
struct ptebatch_allowed {
	u16 kinds;
	u8 flags;
	bool counts;
};

struct ptebatch_call;

/* What a kind of call may leave of an entry: a function for each kind. */
typedef void (*ptebatch_model_t)(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed);

/**
 * struct ptebatch_call - what the rules ask about a call and its VMA
 * @model: what the rules say of such a call
 * @readable: the VMA permits reads, from the call on
 * @writable: the VMA permits writes, from the call on
 * @shared: the VMA is shared
 * @anonymous: the pages are; in a private VMA of a file those that were copied
 * @file: the VMA is of a file; shmem is one
 * @notify: that file wants to be notified of the first write to each page
 * @track: soft-dirty is tracked
 * @uffd_wp: userfaultfd is registered for write protection
 * @uffd_rwp: userfaultfd is registered for read and write protection
 * @uffd_deaf: whoever registered it does not hear of moves
 * @disarmed: of a fork: but with the parent only
 * @try_writable: the caller wants no write faults that it can spare
 * @swap: the anonymous pages have swap space; else they are lazyfree
 * @freed: the pages may be freed, and who has been swapped out is not known
 *         then by its place in swap
 * @hints: all folios here are worth a NUMA hint; else none is
 */
struct ptebatch_call {
	ptebatch_model_t model;
	bool readable;
	bool writable;
	bool shared;
	bool anonymous;
	bool file;
	bool notify;
	bool track;
	bool uffd_wp;
	bool uffd_rwp;
	bool uffd_deaf;
	bool disarmed;
	bool try_writable;
	bool swap;
	bool freed;
	bool hints;
};

void ptebatch_model_protect(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed);
void ptebatch_model_uffd_wp(const struct ptebatch_call *call,
			    const struct ptebatch_entry *was,
			    struct ptebatch_allowed *allowed);
void ptebatch_model_uffd_resolve(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed);
void ptebatch_model_uffd_rwp(const struct ptebatch_call *call,
			     const struct ptebatch_entry *was,
			     struct ptebatch_allowed *allowed);
void ptebatch_model_numa_hint(const struct ptebatch_call *call,
			      const struct ptebatch_entry *was,
			      struct ptebatch_allowed *allowed);

void ptebatch_model_unmap(const struct ptebatch_call *call,
			  const struct ptebatch_entry *was,
			  struct ptebatch_allowed *allowed);
void ptebatch_model_zap(const struct ptebatch_call *call,
			const struct ptebatch_entry *was,
			struct ptebatch_allowed *allowed);

void ptebatch_model_cold(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed);
void ptebatch_model_free(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed);
void ptebatch_model_guard_install(const struct ptebatch_call *call,
				  const struct ptebatch_entry *was,
				  struct ptebatch_allowed *allowed);
void ptebatch_model_guard_remove(const struct ptebatch_call *call,
				 const struct ptebatch_entry *was,
				 struct ptebatch_allowed *allowed);
void ptebatch_model_gone(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed);
void ptebatch_model_move(const struct ptebatch_call *call,
			 const struct ptebatch_entry *was,
			 struct ptebatch_allowed *allowed);
void ptebatch_model_fork_parent(const struct ptebatch_call *call,
				const struct ptebatch_entry *was,
				struct ptebatch_allowed *allowed);
void ptebatch_model_fork_child(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed);

void ptebatch_model_referenced(const struct ptebatch_call *call,
			       const struct ptebatch_entry *was,
			       struct ptebatch_allowed *allowed);

u8 ptebatch_model_block(const struct ptebatch_row *row, unsigned int i);
u8 ptebatch_model_spread(const struct ptebatch_row *row, unsigned int i);
u8 ptebatch_model_spread_to(const struct ptebatch_row *row, unsigned int first,
			    unsigned int i);
bool ptebatch_model_allows(const struct ptebatch_call *call,
			   const struct ptebatch_entry *was, u8 spread,
			   const struct ptebatch_entry *got);
bool ptebatch_model_row(const struct ptebatch_call *call,
			const struct ptebatch_row *was,
			const struct ptebatch_row *got, unsigned long *differs);
bool ptebatch_model_counts(const struct ptebatch_call *call,
			   const struct ptebatch_row *was, long pages);

#endif /* PTEBATCH_MODEL_H */
