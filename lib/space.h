/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A synthetic address space: an mm of its own, with folios mapped as drawn.
 */
#ifndef PTEBATCH_SPACE_H
#define PTEBATCH_SPACE_H

#include <kunit/test.h>
#include <linux/kmsg_dump.h>
#include <linux/mm.h>

#include "model.h"
#include "row.h"

struct userfaultfd_ctx;

/**
 * enum ptebatch_mapping - what kind of VMA the row lies in
 * @PTEBATCH_ANON: private, no file
 * @PTEBATCH_SHMEM: shared, of a shmem file: no write notification
 * @PTEBATCH_FILE: shared, of a file that wants to be notified of writes
 * @PTEBATCH_PRIVATE_FILE: private, of a file: a folio with an exclusive page
 *                         is an anonymous copy, all others are the file's
 */
enum ptebatch_mapping {
	PTEBATCH_ANON,
	PTEBATCH_SHMEM,
	PTEBATCH_FILE,
	PTEBATCH_PRIVATE_FILE,
};

static inline bool ptebatch_shared(enum ptebatch_mapping mapping)
{
	return mapping == PTEBATCH_SHMEM || mapping == PTEBATCH_FILE;
}

/**
 * struct ptebatch_setup - an address space as a case wants it
 * @picture: the row, see row.h
 * @mapping: one of enum ptebatch_mapping
 * @prot: PROT_READ and PROT_WRITE of the VMA, before the operation
 * @track: soft-dirty is tracked, as after a write to /proc/PID/clear_refs;
 *         else the VMA counts as soft-dirty as a whole, and the entries' bits
 *         say nothing and are not looked at
 * @uffd_wp: the VMA is registered with userfaultfd for write protection
 * @uffd_rwp: the same for read and write protection
 * @uffd_deaf: whoever registered it does not hear of moves, so that what is
 *             moved is registered no longer
 * @swap: the anonymous folios have swap space, and are locked
 * @lazyfree: the anonymous folios are lazyfree, as after MADV_FREE
 * @mlocked: the VMA is locked into memory
 * @small: each page that the picture shows is a small folio, whatever the braces
 * @lru: the folios are on the LRU lists, and during the operation nobody but
 *       their mappings and the file holds them, so that it may split or free
 *       them
 * @twice: mapped once more: anonymous memory by a child after a fork, a file
 *         by a second VMA
 */
struct ptebatch_setup {
	const char *picture;
	enum ptebatch_mapping mapping;
	unsigned long prot;
	bool track;
	bool uffd_wp;
	bool uffd_rwp;
	bool uffd_deaf;
	bool swap;
	bool lazyfree;
	bool mlocked;
	bool small;
	bool lru;
	bool twice;
};

/**
 * struct ptebatch_place - where a row is mapped
 * @mm: the mm
 * @start: address of the row's first entry, in bytes
 */
struct ptebatch_place {
	struct mm_struct *mm;
	unsigned long start;
};

/* After a fork or a second mmap(), and after a move. */
#define PTEBATCH_PLACES		3

/**
 * struct ptebatch_space - an address space and all that was made for it
 * @test: the case that it belongs to
 * @setup: what it was made from; a copy, as the case may return before teardown
 * @row: the row as drawn
 * @places: where the row is mapped; the operation gets the first one
 * @nr_places: how many these are
 * @folios: the row's folios, see hold.h
 * @held: a bit for each of their pages: where a folio begins that we hold
 * @index: where in the file or the VMA they are, while we don't hold them
 * @mapping: what the anonymous ones belonged to then
 * @cached: which of them are the file's; the others are anonymous
 * @file: the file, %NULL for anonymous memory
 * @uffd: the userfaultfd that does not hear of moves, %NULL if there is none
 * @log: the kernel's log since the space was made
 */
struct ptebatch_space {
	struct kunit *test;
	struct ptebatch_setup setup;
	struct ptebatch_row row;
	struct ptebatch_place places[PTEBATCH_PLACES];
	unsigned int nr_places;
	struct folio *folios[PTEBATCH_ROW_ENTRIES];
	unsigned long *held;
	pgoff_t index[PTEBATCH_ROW_ENTRIES];
	struct address_space *mapping[PTEBATCH_ROW_ENTRIES];
	DECLARE_BITMAP(cached, PTEBATCH_ROW_ENTRIES);
	struct file *file;
	struct userfaultfd_ctx *uffd;
	struct kmsg_dump_iter log;
};

/* The address of entry @i of the row, where it is mapped first. */
static inline unsigned long ptebatch_addr(const struct ptebatch_space *space,
					  unsigned int i)
{
	return space->places[0].start + i * PAGE_SIZE;
}

struct ptebatch_call ptebatch_setup_call(const struct ptebatch_setup *setup,
					 ptebatch_model_t model,
					 unsigned long prot);
struct mm_struct *ptebatch_mm_alloc(void);
void ptebatch_vma_flags(struct mm_struct *mm, unsigned long addr,
			vm_flags_t set, vm_flags_t clear);
struct ptebatch_space *ptebatch_space(struct kunit *test,
				      const struct ptebatch_setup *setup);
const struct ptebatch_place *
ptebatch_space_add_place(struct ptebatch_space *space, unsigned int first);

bool ptebatch_space_blocks_agree(const struct ptebatch_space *space,
				 const char *who);
void ptebatch_print_lines(struct kunit *test, struct seq_buf *out);
void ptebatch_space_release(struct ptebatch_space *space);

#endif /* PTEBATCH_SPACE_H */
