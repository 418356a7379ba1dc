/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An operation on the range of a row.
 */
#ifndef PTEBATCH_OP_H
#define PTEBATCH_OP_H

#include "../check/model.h"
#include "../space/space.h"

/**
 * struct ptebatch_op - an operation
 * @name: name of the operation
 * @function: name of the kernel's function, for messages
 * @call: calls the kernel's function or, if @twin, its twin, on the range of the
 *        space's row; returns what the function returns, or 0
 * @no_twin: there is no twin
 * @arg: argument of the function: MADV_*, MM_CP_*, TTU_*, MREMAP_*; of a fault:
 *       the entry of the row that faults
 * @new_pages: mremap(): new length, in pages; 0: the old length
 * @prot: another argument; with @protects, PROT_READ, PROT_WRITE, PROT_EXEC and
 *        PTEBATCH_PROT_MTE of the VMA from the call on
 * @pkey: with @protects, protection key of the VMA from the call on; 0: the old
 * @model: model of the operation, %NULL if there is none
 * @second_model: model at the destination of a move or in the child of a fork
 * @missing: returns what the kernel lacks for the operation, or %NULL
 * @protects: the VMA gets @prot
 * @counts: the function returns the number of changed pages
 * @moves: the range moves to the last place of the space
 * @forks: the row is copied to a child, the second place of the space
 * @whole: takes whole folios: the range is the whole row
 * @swaps: swaps anonymous pages out
 * @splits: splits folios that lie partly outside the range
 * @uffd_wp: requires a VMA with userfaultfd write protection
 * @uffd_rwp: requires a VMA with userfaultfd read-write protection
 * @vma_flags: VM_* of the VMA that may change, in addition to those of @protects
 *
 * Benches of system calls on regions, and suites of what a system call does
 * besides changing entries (process_madvise(), mlock()), call the kernel
 * without an operation: they need a user address space or several ranges.
 */
struct ptebatch_op {
	const char *name;
	const char *function;
	long (*call)(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin);
	unsigned long arg;
	unsigned long new_pages;
	unsigned long prot;
	unsigned int pkey;
	ptebatch_model_t *model;
	ptebatch_model_t *second_model;
	const char *(*missing)(void);
	bool no_twin;
	bool protects;
	bool counts;
	bool moves;
	bool forks;
	bool whole;
	bool swaps;
	bool splits;
	bool uffd_wp;
	bool uffd_rwp;
	vm_flags_t vma_flags;
};

/* unmap.c: reclaim of the range, which contains whole folios only; zapping. */
extern const struct ptebatch_op ptebatch_unmap, ptebatch_unmap_deferred;
extern const struct ptebatch_op ptebatch_zap, ptebatch_zap_batched;

/* unmap.c: zapping that frees page tables; of the file's pages in the range. */
extern const struct ptebatch_op ptebatch_zap_tables, ptebatch_unmap_pages;
extern const struct ptebatch_op ptebatch_unmap_copies, ptebatch_unmap_folios;

void ptebatch_zap_pages(const struct ptebatch_place *place, unsigned int from,
			unsigned int to);

/*
 * move.c: mremap() of the range to the last place of the space; UFFDIO_MOVE, if that is
 * mapped.
 */
extern const struct ptebatch_op ptebatch_move, ptebatch_move_entries;
extern const struct ptebatch_op ptebatch_uffd_move_range;
long ptebatch_uffd_map_last(const struct ptebatch_space *space);
long ptebatch_uffd_move_between(struct file *uffd, const struct ptebatch_space *space,
				const struct ptebatch_place *from,
				const struct ptebatch_place *to, u64 registers, u64 mode);

/* fault.c: a fault of entry @arg; the case sets it in a copy. */
extern const struct ptebatch_op ptebatch_read_fault, ptebatch_write_fault;
long ptebatch_fault(struct ptebatch_space *space, unsigned int i, unsigned int flags);

/*
 * fault.c: the same, of a swap entry; the range has the entries that the fault
 * maps. The twin maps them by a fault each.
 */
extern const struct ptebatch_op ptebatch_swap_in_read, ptebatch_swap_in_write;
long ptebatch_swap_in(struct ptebatch_space *space, unsigned int i,
		      unsigned int flags, bool twin);

/* fork.c: copy of the row to a child, the second place of the space. */
extern const struct ptebatch_op ptebatch_copy, ptebatch_dup_mmap;

const char *ptebatch_op_missing(const struct ptebatch_op *op);
vm_flags_t ptebatch_op_vma_flags(const struct ptebatch_op *op);
struct ptebatch_call ptebatch_op_call(const struct ptebatch_op *op,
				      const struct ptebatch_setup *setup);

#endif /* PTEBATCH_OP_H */
