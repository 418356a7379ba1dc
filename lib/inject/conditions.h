/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conditions by name, for the member "with" of a case, grouped by what they are
 * of. NAME_AT(function, calls, ...) occurs at the call of a kernel function after
 * so many calls, NAME(...) before the operation.
 */
#ifndef PTEBATCH_CONDITIONS_H
#define PTEBATCH_CONDITIONS_H

#include "condition.h"

#define PTEBATCH_CONDITION(kind, arg)					\
	{ .type = &ptebatch_condition_##kind, .value = (arg) }
#define PTEBATCH_CONDITION_AT(kind, at, after, arg)			\
	{ .type = &ptebatch_condition_##kind, .function = (at), .calls = (after), \
	  .value = (arg) }

/* The value of a condition that is of @nr entries, from entry @from on. */
#define PART(from, nr)			((from) | (unsigned long)(nr) << 16)
#define PART_FROM(value)		((value) & 0xffff)
#define PART_NR(value)			((value) >> 16)

/* folio.c: a folio of the row, by its number in the picture. */
extern const struct ptebatch_condition_type ptebatch_condition_referenced,
	ptebatch_condition_pinned, ptebatch_condition_locked, ptebatch_condition_isolated,
	ptebatch_condition_dirty, ptebatch_condition_hwpoison, ptebatch_condition_off_lru,
	ptebatch_condition_unlocked, ptebatch_condition_splits,
	ptebatch_condition_result_referenced;

#define LAST_FOLIO			ULONG_MAX
#define REFERENCED(folio)		PTEBATCH_CONDITION(referenced, folio)
#define REFERENCED_AT(function, calls, folio) \
	PTEBATCH_CONDITION_AT(referenced, function, calls, folio)
/* Of the folio that the function returns. */
#define RESULT_REFERENCED_OF(function, calls) \
	PTEBATCH_CONDITION_AT(result_referenced, function, calls, 0)
#define PINNED(folio)			PTEBATCH_CONDITION(pinned, folio)
#define PINNED_AT(function, calls, folio) \
	PTEBATCH_CONDITION_AT(pinned, function, calls, folio)
#define LOCKED(folio)			PTEBATCH_CONDITION(locked, folio)
#define LOCKED_AT(function, calls, folio) \
	PTEBATCH_CONDITION_AT(locked, function, calls, folio)
#define ISOLATED(folio)			PTEBATCH_CONDITION(isolated, folio)
#define DIRTY(folio)			PTEBATCH_CONDITION(dirty, folio)
#define DIRTY_AT(function, calls, folio) \
	PTEBATCH_CONDITION_AT(dirty, function, calls, folio)
/* The operation splits a folio. */
#define SPLITS				PTEBATCH_CONDITION(splits, 0)
/* Of a page, by its number in all folios. */
#define HWPOISON(page)			PTEBATCH_CONDITION(hwpoison, page)
#define OFF_LRU(folio)			PTEBATCH_CONDITION(off_lru, folio)
#define OFF_LRU_AT(function, calls, folio) \
	PTEBATCH_CONDITION_AT(off_lru, function, calls, folio)
/* No folio is locked, not even those with swap space, which set-up locks. */
#define UNLOCKED			PTEBATCH_CONDITION(unlocked, 0)

/*
 * entries.c: another thread changes entries: those without a page may become others,
 * flags may differ, and an entry may lose its page; of the row, or of the second
 * place.
 */
extern const struct ptebatch_condition_type ptebatch_condition_ptes;

#define PTES_BECOME_AT(at, after, row) \
	{ .type = &ptebatch_condition_ptes, .picture = (row), .function = (at), \
	  .calls = (after) }
#define SECOND_PTES_BECOME_AT(at, after, row) \
	{ .type = &ptebatch_condition_ptes, .picture = (row), .function = (at), \
	  .calls = (after), .value = 1 }
/* When the operation is about to lock the page table for the first time. */
#define PTES_BECOME(row)		PTES_BECOME_AT("pte_offset_map_lock", 0, row)

/* entries.c: a guest no longer needs the page of an entry (s390). */
extern const struct ptebatch_condition_type ptebatch_condition_unused;

#define UNUSED(entry)			PTEBATCH_CONDITION(unused, entry)

/* entries.c: the child has unmapped @nr entries from @from on, at most to the row's end. */
extern const struct ptebatch_condition_type ptebatch_condition_child_lacks;

#define CHILD_LACKS(from, nr)		PTEBATCH_CONDITION(child_lacks, PART(from, nr))

/*
 * lost.c: a call of a function that looks something up finds nothing: of
 * get_swap_device(), __filemap_get_folio_mpol(), mtree_load(), pte_offset_map_rw_nolock(), or
 * of pte_offset_map_lock() for the row's addresses.
 */
extern const struct ptebatch_condition_type ptebatch_condition_lost;

#define LOST_AT(function, calls)	PTEBATCH_CONDITION_AT(lost, function, calls, 0)
#define TABLE_LOST			LOST_AT("pte_offset_map_lock", 0)

/*
 * table.c: the first page table of the row, SECOND_*: of the second place. TABLE_GONE_AT:
 * another thread takes the table at the call, NEW_TABLE_GONE: as soon as it is allocated, until
 * the end of the operation, or until the next call of the function of TABLE_BACK_AT, which is
 * the next condition of the case. TABLE_APPEARS_AT: it has taken it before, and returns it.
 * BAD_PMD: the operation finds the PMD corrupt, reports that and clears it. DESTINATION_TABLES:
 * the two page tables to which the row moves exist, between empty pages, so that a batch that
 * goes on behind the first one does not end there by chance.
 */
extern const struct ptebatch_condition_type ptebatch_condition_table_gone,
	ptebatch_condition_new_table_gone, ptebatch_condition_table_back,
	ptebatch_condition_table_appears, ptebatch_condition_bad_pmd,
	ptebatch_condition_destination_tables;

#define TABLE_GONE_AT(function, calls)	PTEBATCH_CONDITION_AT(table_gone, function, calls, 0)
#define NEW_TABLE_GONE			PTEBATCH_CONDITION_AT(new_table_gone, "__pte_alloc", 0, 0)
#define SECOND_TABLE_GONE_AT(function, calls) \
	PTEBATCH_CONDITION_AT(table_gone, function, calls, 1)
#define TABLE_BACK_AT(function)		PTEBATCH_CONDITION_AT(table_back, function, 0, 0)
#define TABLE_APPEARS_AT(function, calls) \
	PTEBATCH_CONDITION_AT(table_appears, function, calls, 0)
#define BAD_PMD				PTEBATCH_CONDITION(bad_pmd, 0)
#define DESTINATION_TABLES		PTEBATCH_CONDITION(destination_tables, 0)

/*
 * lock.c: at the call, the operation holds the lock of the row's first PMD, or of the anon_vma
 * of the VMA of its first entry.
 */
extern const struct ptebatch_condition_type ptebatch_condition_pmd_locked,
	ptebatch_condition_anon_vma_locked;

#define PMD_LOCKED_AT(function, calls)	PTEBATCH_CONDITION_AT(pmd_locked, function, calls, 0)
#define ANON_VMA_LOCKED_AT(function, calls) \
	PTEBATCH_CONDITION_AT(anon_vma_locked, function, calls, 0)

/*
 * memory.c: an allocation fails, that of a page table after @calls others, those of
 * @nr folios, with NO_PAGES of up to 8 pages, of folios of @order, or the first one of
 * a slab. NEW_FOLIO_FREED: the operation allocates a folio, and frees it as it cannot
 * map it.
 */
extern const struct ptebatch_condition_type ptebatch_condition_no_table,
	ptebatch_condition_no_folio, ptebatch_condition_no_folio_of_order,
	ptebatch_condition_no_slab, ptebatch_condition_freed;

#define NO_TABLE(calls)			PTEBATCH_CONDITION_AT(no_table, "__pte_alloc", calls, 0)
#define NO_FOLIO(nr)			NO_FOLIO_OF("vma_alloc_folio_noprof", nr)
#define NO_MIGRATION_FOLIO(nr)		NO_FOLIO_OF("__folio_alloc_noprof", nr)
#define NO_PAGES			NO_FOLIO_OF("get_free_pages_noprof", 0)
#define NO_FOLIO_OF(function, nr)	PTEBATCH_CONDITION_AT(no_folio, function, 0, nr)
#define NO_FOLIO_OF_ORDER(order) \
	PTEBATCH_CONDITION_AT(no_folio_of_order, "__folio_alloc_noprof", 0, order)
#define NO_SLAB				PTEBATCH_CONDITION(no_slab, 0)
#define NO_SLAB_AT(function, calls)	PTEBATCH_CONDITION_AT(no_slab, function, calls, 0)
#define NEW_FOLIO_FREED			NEW_FOLIO_FREED_OF("vma_alloc_folio_noprof")
#define NEW_FOLIO_FREED_OF(function)	PTEBATCH_CONDITION_AT(freed, function, 0, 0)

/*
 * policy.c: the memory policy of the VMA of the row's first entry has no node, so that
 * the VMA gets no folio; or prefers a node, to which NUMA hinting faults migrate folios.
 * INTERLEAVES: that of the VMA of @entry interleaves all nodes; the folio that the operation
 * maps there comes from the node that it selects.
 */
extern const struct ptebatch_condition_type ptebatch_condition_no_memory_node,
	ptebatch_condition_prefers_node, ptebatch_condition_interleaves;

#define NO_MEMORY_NODE			PTEBATCH_CONDITION(no_memory_node, 0)
#define PREFERS_NODE(node)		PTEBATCH_CONDITION(prefers_node, node)
#define INTERLEAVES(entry)		PTEBATCH_CONDITION(interleaves, entry)

/* machine_check.c: copies of pages with PG_hwpoison to another page fail. */
extern const struct ptebatch_condition_type ptebatch_condition_machine_check;

#define MACHINE_CHECK	PTEBATCH_CONDITION_AT(machine_check, "copy_mc_to_kernel", 0, 0)

/*
 * swap.c: all folios are swapped out, and not in the swap cache; a file was written: its
 * size includes the pages; a shmem file was written and swapped out, of which each folio
 * becomes one swap entry, with ON_LRU; the swap count of a page of the row's first folio
 * is the largest without an extend table.
 */
extern const struct ptebatch_condition_type ptebatch_condition_swapped_out,
	ptebatch_condition_file_written, ptebatch_condition_file_swapped_out,
	ptebatch_condition_swap_count_full;

#define SWAPPED_OUT			PTEBATCH_CONDITION(swapped_out, 0)
#define FILE_WRITTEN			PTEBATCH_CONDITION(file_written, 0)
#define FILE_SWAPPED_OUT		PTEBATCH_CONDITION(file_swapped_out, 0)
#define SWAP_COUNT_FULL(page)		PTEBATCH_CONDITION(swap_count_full, page)

/*
 * vma.c: flags of the VMA of the row's first entry are set or cleared. HOLE: no VMA
 * has @nr empty entries of the row, from entry @from on.
 */
extern const struct ptebatch_condition_type ptebatch_condition_vma_flags,
	ptebatch_condition_no_vma_flags, ptebatch_condition_hole;

#define HOLE(from, nr)			PTEBATCH_CONDITION(hole, PART(from, nr))

#define VMA_FLAGS(flags)		PTEBATCH_CONDITION(vma_flags, flags)
#define VMA_FLAGS_AT(function, calls, flags) \
	PTEBATCH_CONDITION_AT(vma_flags, function, calls, flags)
#define NO_VMA_FLAGS(flags)		PTEBATCH_CONDITION(no_vma_flags, flags)

/*
 * mm.c: a flag of the row's mm, for example MMF_UNSTABLE, is set or clear. SECONDARY_YOUNG:
 * a secondary MMU, such as that of a virtual machine, has accessed the page of @entry.
 */
extern const struct ptebatch_condition_type ptebatch_condition_mm_flag,
	ptebatch_condition_no_mm_flag, ptebatch_condition_secondary_young;

#define MM_FLAG(flag)			PTEBATCH_CONDITION(mm_flag, flag)
#define NO_MM_FLAG(flag)		PTEBATCH_CONDITION(no_mm_flag, flag)
#define SECONDARY_YOUNG(entry)		PTEBATCH_CONDITION(secondary_young, entry)

/* calls.c: the operation, but not its twin, calls a function @nr times. */
extern const struct ptebatch_condition_type ptebatch_condition_calls;

#define CALLS(function, nr)		PTEBATCH_CONDITION_AT(calls, function, 0, nr)

/*
 * anon_orders.c: faults may map anonymous folios of some orders, one bit per order, in
 * all VMAs or in those with VM_HUGEPAGE. Without it, the mm permits no large folios.
 */
extern const struct ptebatch_condition_type ptebatch_condition_anon_orders,
	ptebatch_condition_advised_orders;

#define ANON_ORDERS(orders)		PTEBATCH_CONDITION(anon_orders, orders)
#define ADVISED_ANON_ORDERS(orders)	PTEBATCH_CONDITION(advised_orders, orders)

/* task.c: the calling task. */
extern const struct ptebatch_condition_type ptebatch_condition_killed;

#define KILLED				PTEBATCH_CONDITION(killed, 0)
#define KILLED_AT(function, calls)	PTEBATCH_CONDITION_AT(killed, function, calls, 0)

#endif /* PTEBATCH_CONDITIONS_H */
