/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A synthetic address space: the set-up that a case requests, and the result.
 */
#ifndef PTEBATCH_SPACE_TYPES_H
#define PTEBATCH_SPACE_TYPES_H

#include <kunit/test.h>
#include <linux/kmsg_dump.h>
#include <linux/mm.h>

#include "../row/row.h"

struct userfaultfd_ctx;

/**
 * enum ptebatch_mapping - kind of the VMA that contains the row
 * @PTEBATCH_ANON: private, no file
 * @PTEBATCH_SHMEM: shared, shmem file, without write notification
 * @PTEBATCH_FILE: shared, file with write notification
 * @PTEBATCH_PRIVATE_FILE: private, file: a folio with an AnonExclusive page is
 *                         an anonymous copy, all other folios are page cache
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
 * enum ptebatch_uffd - how the VMA is registered with userfaultfd
 * @UFFD_WP: for write protection
 * @UFFD_RWP: for read-write protection
 * @NO_REMAP_EVENT: without UFFD_FEATURE_EVENT_REMAP, so a move ends the registration
 * @NOT_INHERITED: a child does not inherit the registration
 * @WP_ASYNC: with NO_REMAP_EVENT, and UFFD_FEATURE_WP_ASYNC: a write ends the protection of
 *            the page
 */
enum ptebatch_uffd {
	UFFD_WP = BIT(0),
	UFFD_RWP = BIT(1),
	NO_REMAP_EVENT = BIT(2),
	NOT_INHERITED = BIT(3),
	WP_ASYNC = BIT(4),
};

#define UFFD_WP_ASYNC	(UFFD_WP | NO_REMAP_EVENT | WP_ASYNC)

/**
 * enum ptebatch_folios - state of the folios
 * @ON_LRU: on the LRU lists; during the operation the space holds no references, so
 *          the kernel may split or free the folios
 * @WITH_SWAP: the anonymous folios have swap space, and are locked
 * @SWAP_FOLLOWS: the swap slots of each folio follow those of the preceding folio;
 *                each folio uses a whole cluster (SWAPFILE_CLUSTER), so that @small
 *                of the set-up ignores this
 * @SWAP_ALTERNATES: with @SWAP_FOLLOWS, only the offsets follow: each folio is on
 *                   another swap device than the preceding folio
 * @COHERENT: in device-coherent memory (ZONE_DEVICE), so on no LRU list; the suite
 *            needs PTEBATCH_COHERENT_DEVICE
 * @FOLIOS_MLOCKED: with VM_LOCKED: the mapped folios are mlocked, too
 */
enum ptebatch_folios {
	ON_LRU = BIT(0),
	WITH_SWAP = BIT(1),
	SWAP_FOLLOWS = BIT(2),
	SWAP_ALTERNATES = BIT(3),
	COHERENT = BIT(4),
	FOLIOS_MLOCKED = BIT(5),
};

/**
 * struct ptebatch_setup - the address space that a case requests
 * @picture: the row, see row.h
 * @mapping: one of enum ptebatch_mapping
 * @prot: PROT_READ, PROT_WRITE, PROT_EXEC and PTEBATCH_PROT_MTE of the VMA, before
 *        the operation
 * @pkey: protection key of the VMA; the PTEs have it even if the CPU does not
 *        support protection keys
 * @track: soft-dirty is tracked, as after a write to /proc/PID/clear_refs;
 *         otherwise the VMA has VM_SOFTDIRTY and the soft-dirty bits of the
 *         entries are ignored
 * @vma: VM_LOCKED, VM_SEQ_READ, VM_MIXEDMAP, so that it may have special PTEs,
 *       VM_DROPPABLE, so that the VMA is from mmap(MAP_DROPPABLE) and has
 *       VM_WIPEONFORK, or VM_MAYBE_GUARD, so that fork() copies the VMA even where
 *       faults could populate the child
 * @next_vma: in addition, flags of the VMA after the first ";" of the picture, of
 *            the VMA after the third ";", and so on
 * @uffd: bits of enum ptebatch_uffd: userfaultfd
 * @folios: bits of enum ptebatch_folios: all folios
 * @eof: number of entries of the row that are inside of the file; 0: all, and
 *       the VMA
 * @small: each page of the picture is a small folio; braces have no effect
 * @twice: the row is mapped a second time: anonymous memory by a child after
 *         fork(), a file by a second VMA
 * @pud_boundary: the second page table of the row is below another PUD, if a PUD
 *                maps 1G as with 4K pages
 */
struct ptebatch_setup {
	const char *picture;
	enum ptebatch_mapping mapping;
	unsigned long prot;
	unsigned int pkey;
	unsigned int eof;
	vm_flags_t vma;
	vm_flags_t next_vma;
	unsigned int uffd;
	unsigned int folios;
	bool track;
	bool small;
	bool twice;
	bool pud_boundary;
};

/**
 * struct ptebatch_place - mm and address at which a row is mapped
 * @mm: the mm
 * @start: address that the row's first entry maps, in bytes
 * @tables: pages around each of the row's page tables, see tables.c
 */
struct ptebatch_place {
	struct mm_struct *mm;
	unsigned long start;
	struct page *tables[PTEBATCH_ROW_ENTRIES / PTRS_PER_PTE];
};

/* The row's own, one more for fork() or a second mmap(), one for a move. */
#define PTEBATCH_PLACES		3

/**
 * struct ptebatch_space - an address space and its resources
 * @test: the case that the space belongs to
 * @setup: the set-up; a copy, as the case may return before teardown
 * @row: the row, and new folios found by ptebatch_space_reacquire_refs()
 * @places: the places that map the row; the operation gets the first place
 * @nr_places: number of places
 * @folios: the row's folios, see refs.h
 * @held: one bit per page of the row's folios, set at the first page of each
 *        folio that the space holds a reference to
 * @index: each folio's index, from when its reference was dropped
 * @mapping: each anonymous folio's mapping, from when its reference was dropped
 * @cached: one bit per folio, set for page cache, clear for anonymous folios
 * @file: the file, %NULL for anonymous memory
 * @pgoff: index in the file of the page of the row's first entry
 * @pinned: the page that the suite has pinned for writing, %NULL if none, see access.c
 * @uffd: userfaultfd without UFFD_FEATURE_EVENT_REMAP, %NULL if not requested
 * @log: position in the kernel log at which the space was made
 * @reports: patterns of the kernel's error reports that the case provokes, up to a
 *           %NULL, see kernel/reports.h; %NULL if there are none
 * @adopted: the row is what an operation has left, see ptebatch_space_adopt()
 * @hides_table: the operation does not see the entries of the row's first page table
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
	pgoff_t pgoff;
	struct page *pinned;
	struct file *uffd;
	struct kmsg_dump_iter log;
	const char * const *reports;
	bool adopted;
	bool hides_table;
};

/* The address that entry @i of the row maps, in the first place. */
static inline unsigned long ptebatch_addr(const struct ptebatch_space *space,
					  unsigned int i)
{
	return space->places[0].start + i * PAGE_SIZE;
}

#endif /* PTEBATCH_SPACE_TYPES_H */
