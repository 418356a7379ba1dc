// SPDX-License-Identifier: GPL-2.0
/*
 * Two operations at the same time: the first one pauses at a call of a kernel function,
 * and meanwhile another CPU runs the second one, until it has finished or waits for a
 * lock. What they leave must be what one after the other leaves, in one of the two orders,
 * for each page:
 *
 *	{Wdyx*16}: mprotect ro pauses at __mmu_notifier_invalidate_range_start(), write 5
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "../lib/run/interleave.h"
#include "../lib/service/khugepaged.h"
#include "../lib/service/pause.h"
#include "../lib/service/proc.h"
#include "../lib/service/service.h"
#include "../lib/service/swap.h"

#define RW	(PROT_READ | PROT_WRITE)

#define ANON(picture)	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU }
#define UFFD(picture)	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .uffd = UFFD_WP_ASYNC }
#define TRACK(picture)	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .track = true }
#define SHMEM(picture)	{ picture, PTEBATCH_SHMEM, RW, .folios = ON_LRU }

enum {
	SMALL, LARGE, TRACKED, FORKED, SWAPPED, PROTECTED, LAZY, HINTED, HUGE, HUGE_TRACKED, TABLE,
	FILE, UNMAPPED,
};

static const struct ptebatch_pair_row rows[] = {
	[SMALL] = { "small folios", ANON("Wdyx*4") },
	[LARGE] = { "64K folio", ANON("{Wdyx*16}") },
	[TRACKED] = { "64K folio, soft-dirty tracked", TRACK("{Wdysx*16}") },
	[FORKED] = { "64K folio of two processes", ANON("{Wdyx*16}"), "fork" },
	[SWAPPED] = { "64K folio, swapped out", ANON("{Wdyx*16}"), "pageout" },
	[PROTECTED] = { "64K folio, uffd-wp", UFFD("{Wdyx*16}"), "uffd protect" },
	[LAZY] = { "64K folio, lazyfree", ANON("{Wdyx*16}"), "free" },
	[HINTED] = { "64K folio, NUMA hints", ANON("{Wdyx*16}"), "numa hint" },
	[HUGE] = { "PMD", ANON("[Wdyx]") },
	[HUGE_TRACKED] = { "PMD, soft-dirty tracked", TRACK("[Wdysx]") },
	[TABLE] = { "64K folio and holes of a page table", ANON("@0 {Wdyx*16} -*T-16") },
	[FILE] = { "64K shmem folio", SHMEM("{Wdy*16}") },
	[UNMAPPED] = { "64K shmem folio, not mapped", SHMEM("{Wdy*16}"), "dontneed" },
};

#define GIVES_UP	"it gives up a folio that is locked or has more references"
#define CHANGES		.changes = true

static const struct ptebatch_pair_step steps[] = {
	{ "read 2", CHANGES },
	{ "write 2", CHANGES },
	{ "thp read 2" },
	{ "thp write 2" },
	{ "mprotect ro" },
	{ "mprotect rw" },
	{ "dontneed", CHANGES },
	{ "guard install" },
	{ "uffd protect" },
	{ "uffd resolve" },
	{ "scan" },
	{ "clear refs" },
	{ "fork" },
	{ "hole" },
	{ "mlock" },
	{ "move dontunmap" },
	{ "pin" },
	{ "free", GIVES_UP },
	{ "cold", GIVES_UP },
	{ "pageout", GIVES_UP },
	{ "reclaim", GIVES_UP },
	{ "collapse", GIVES_UP },
	{ "split", GIVES_UP, CHANGES },
	{ "migrate", GIVES_UP, CHANGES },
	{ "numa hint", GIVES_UP },
	{ "idle", GIVES_UP },
	{ "uffd move", GIVES_UP },
};

/* Locks, rmap, TLB flushes, MMU notifiers, LRU lists, swap cache, allocation, faults. */
static const char * const calls[] = {
	"pte_offset_map_lock", "__pte_offset_map_lock", "__pmd_trans_huge_lock",
	"pte_offset_map_rw_nolock", "__pte_offset_map", "__pte_alloc",
	"down_read", "down_write", "up_read", "up_write", "folio_unlock", "__folio_lock",
	"lock_vma_under_rcu", "__vma_start_write", "folio_lock_anon_vma_read",
	"anon_vma_clone", "__anon_vma_prepare",
	"flush_tlb_mm_range", "tlb_flush_mmu", "tlb_finish_mmu", "tlb_gather_mmu",
	"ptep_clear_flush", "pmdp_huge_clear_flush", "pmdp_invalidate", "ptep_set_access_flags",
	"try_to_unmap_flush", "flush_tlb_batched_pending",
	"__mmu_notifier_invalidate_range_start", "__mmu_notifier_invalidate_range_end",
	"__mmu_notifier_arch_invalidate_secondary_tlbs", "__mmu_notifier_clear_flush_young",
	"page_vma_mapped_walk", "rmap_walk", "rmap_walk_locked", "try_to_migrate",
	"try_to_unmap", "remove_migration_ptes", "folio_add_new_anon_rmap",
	"folio_add_anon_rmap_ptes", "folio_add_anon_rmap_pmd", "folio_add_file_rmap_ptes",
	"folio_remove_rmap_ptes", "folio_remove_rmap_pmd", "folio_move_anon_rmap",
	"folio_isolate_lru", "folio_putback_lru", "folio_add_lru", "folio_add_lru_vma",
	"lru_add_drain", "folio_mark_accessed", "folio_mark_lazyfree", "folio_deactivate",
	"folio_mark_dirty", "folio_batch_move_lru", "mlock_folio", "munlock_folio",
	"swap_cache_get_folio", "swap_cache_alloc_folio", "folio_alloc_swap",
	"folio_dup_swap", "folio_put_swap",
	"folio_free_swap", "swap_cache_del_folio", "swap_put_entries_direct", "do_swap_page",
	"swapin_sync", "swap_read_folio", "swap_writeout",
	"vma_alloc_folio_noprof", "folio_alloc_noprof", "folios_put_refs", "__folio_put",
	"free_folio_and_swap_cache", "free_pages_and_swap_cache",
	"handle_mm_fault", "handle_userfault", "do_wp_page", "finish_fault", "do_anonymous_page",
	"__split_huge_pmd", "split_huge_pmd_locked", "folio_split",
	"split_folio_to_list", "deferred_split_folio", "folio_remove_rmap_pte",
	"filemap_map_pages", "shmem_get_folio_gfp", "unmap_mapping_range", "truncate_inode_folio",
	"truncate_inode_partial_folio", "filemap_remove_folio", "folio_migrate_mapping",
	"folio_migrate_flags", "folio_mc_copy", "walk_page_range_mm", "walk_page_range_vma",
	"vma_modify_flags", "vma_modify_flags_uffd", "copy_page_range", "change_protection",
	NULL
};

/* Before each of its instructions. */
#define EACH	.each = true

/* The batched functions, and those that contain them after inlining. */
static const struct ptebatch_interleave_function functions[] = {
	{ "change_protection", &rows[LARGE], "mprotect ro", EACH },
	{ "change_protection", &rows[SWAPPED], "mprotect ro", EACH },
	{ "change_protection", &rows[PROTECTED], "uffd resolve", EACH },
	{ "change_huge_pmd", &rows[HUGE], "numa hint" },
	{ "try_to_unmap_one", &rows[LARGE], "reclaim", EACH },
	{ "try_to_unmap_one", &rows[FORKED], "reclaim", EACH },
	{ "try_to_unmap_one", &rows[LAZY], "reclaim", EACH },
	{ "try_to_unmap_one", &rows[FILE], "reclaim", EACH },
	{ "try_to_migrate_one", &rows[LARGE], "migrate" },
	{ "try_to_migrate_one", &rows[HUGE], "migrate" },
	{ "remove_migration_pte", &rows[LARGE], "migrate" },
	{ "do_swap_page", &rows[SWAPPED], "read 2", EACH },
	{ "do_swap_page", &rows[SWAPPED], "write 2", EACH },
	{ "do_wp_page", &rows[FORKED], "write 2" },
	{ "do_wp_page", &rows[PROTECTED], "write 2" },
	{ "do_anonymous_page", &rows[TABLE], "mlock" },
	{ "finish_fault", &rows[UNMAPPED], "write 2" },
	{ "__handle_mm_fault", &rows[HINTED], "read 2" },
	{ "collapse_huge_page", &rows[TABLE], "collapse", EACH },
	{ "__zap_vma_range", &rows[LARGE], "dontneed" },
	{ "__zap_vma_range", &rows[HUGE], "dontneed" },
	{ "copy_page_range", &rows[LARGE], "fork" },
	{ "copy_present_ptes", &rows[LARGE], "fork" },
	{ "madvise_cold_or_pageout_pte_range", &rows[LARGE], "cold" },
	{ "madvise_free_pte_range", &rows[LARGE], "free" },
	{ "gup_fast_fallback", &rows[LARGE], "pin" },
	{ "move_page_tables", &rows[LARGE], "move dontunmap" },
	{ "move_page_tables", &rows[HUGE], "move dontunmap" },
	{ "move_pages_ptes", &rows[SMALL], "uffd move", EACH },
	{ "move_pages_ptes", &rows[LARGE], "uffd move", EACH },
	{ "move_pages_ptes", &rows[SWAPPED], "uffd move", EACH },
	{ "userfaultfd_ioctl", &rows[SMALL], "uffd move", EACH },
	{ "userfaultfd_ioctl", &rows[LARGE], "uffd move", EACH },
	{ "userfaultfd_ioctl", &rows[SWAPPED], "uffd move", EACH },
};

static const struct ptebatch_interleavings all = {
	.rows = rows, .nr_rows = ARRAY_SIZE(rows),
	.steps = steps, .nr_steps = ARRAY_SIZE(steps),
};

static void calls_random(struct kunit *test)
{
	ptebatch_interleave_calls(test, &all, calls);
}

static void instructions_random(struct kunit *test)
{
	ptebatch_interleave_instructions(test, &all, functions, ARRAY_SIZE(functions));
}

/* Before each spinlock is taken: an entry may change between two locks. */
#define LOCK	"_raw_spin_lock"

/* An entry is cleared, or invalid. arm64 has no such function. */
#define FLUSH	"flush_tlb_mm_range"

/* Rows of the table below only. */
static const struct ptebatch_pair_row holes = {
	"holes of a page table, and a page", ANON("@0 -*T-1 Wdyx"),
};

static const struct ptebatch_pair_row file_holes = {
	"shmem holes of a page table, and a page", SHMEM("@0 -*T-1 Wdy"),
};

/* Interleavings that mutants or bugs have shown to matter. */
static const struct ptebatch_interleave_case known[] = {
	{ &rows[SWAPPED], "read 2", "vma_alloc_folio_noprof", "dontneed" },
	{ &rows[SWAPPED], "read 2", "swap_cache_get_folio", "read 2" },
	{ &rows[SWAPPED], "read 2", "pte_offset_map_lock", "dontneed" },
	{ &rows[SWAPPED], "read 2", "pte_offset_map_lock", "read 2" },
	{ &rows[SWAPPED], "read 2", "folio_add_new_anon_rmap", "dontneed" },
	{ &rows[SMALL], "reclaim", "folio_dup_swap", "write 2" },
	{ &rows[SMALL], "reclaim", "folio_dup_swap", "read 2" },
	{ &rows[SMALL], "reclaim", "folio_mark_dirty", "write 2" },
	{ &rows[LARGE], "dontneed", "flush_tlb_batched_pending", "write 2" },
	{ &rows[HUGE], "guard install", "__pte_alloc", "write 2" },
	{ &rows[HUGE], "dontneed", "__pmd_trans_huge_lock", "split" },
	{ &rows[HUGE], "mprotect ro", "__pmd_trans_huge_lock", "split" },
	{ &rows[HUGE], "mlock", "__pmd_trans_huge_lock", "split" },
	{ &rows[HUGE], "move dontunmap", "__pmd_trans_huge_lock", "split" },
	{ &rows[HUGE_TRACKED], "clear refs", "__pmd_trans_huge_lock", "split" },
	{ &rows[PROTECTED], "migrate", "folio_migrate_flags", "fork" },
	{ &rows[LARGE], "migrate", "folio_migrate_flags", "fork" },
	{ &rows[PROTECTED], "write 2", "ptep_set_access_flags", "dontneed" },
	{ &rows[FORKED], "write 2", "folio_add_new_anon_rmap", "write 2" },
	{ &rows[HUGE], "migrate", FLUSH, "write 2" },
	{ &rows[HUGE], "numa hint", FLUSH, "dontneed" },
	{ &rows[HUGE], "migrate", FLUSH, "dontneed" },
	{ &rows[HUGE], "split", FLUSH, "dontneed" },
	{ &rows[HUGE], "free", FLUSH, "dontneed" },
	{ &rows[HUGE], "reclaim", "__mmu_notifier_invalidate_range_start", "free" },
	{ &rows[LARGE], "split", "try_to_migrate", "migrate" },
	{ &rows[FILE], "hole", "folio_unlock", "split" },
	{ &rows[HUGE], "migrate", "folio_add_anon_rmap_pmd", "read 2" },
	{ &rows[SMALL], "migrate", "page_vma_mapped_walk", "write 2" },
	{ &rows[LARGE], "migrate", "folio_add_anon_rmap_ptes", "dontneed" },
	{ &rows[SMALL], "dontneed", "flush_tlb_batched_pending", "migrate" },
	{ &rows[SMALL], "reclaim", "folio_alloc_swap", "mlock" },
	{ &rows[LARGE], "reclaim", "folio_unlock", "split" },
	{ &rows[LARGE], "split", "try_to_migrate", "reclaim" },
	{ &rows[LARGE], "reclaim", "swap_writeout", "dontneed" },
	{ &rows[FILE], "hole", "truncate_inode_folio", "read 2" },
	{ &rows[FILE], "reclaim", "folio_dup_swap", "hole" },
	{ &rows[FILE], "hole", "tlb_finish_mmu", "write 2" },
	{ &rows[LARGE], "guard install", "tlb_finish_mmu", "write 2" },
	{ &rows[LARGE], "dontneed", "pte_offset_map_lock", "mlock" },
	{ &rows[HUGE], "pageout", "folio_isolate_lru", "dontneed" },
	{ &rows[HUGE], "migrate", FLUSH, "cold" },
	{ &rows[LARGE], "guard install", "pte_offset_map_lock", "fork" },
	{ &rows[FORKED], "pin", "pte_offset_map_lock", "dontneed" },
	{ &rows[PROTECTED], "pin", "folio_mark_accessed", "dontneed" },
	{ &rows[HUGE], "mlock", "mlock_folio", "migrate" },
	{ &rows[LARGE], "idle", "rmap_walk", "dontneed" },
	{ &rows[TRACKED], "migrate", "folio_migrate_flags", "clear refs" },
	{ &rows[HUGE_TRACKED], "migrate", "folio_migrate_flags", "clear refs" },
	{ &rows[SWAPPED], "uffd move", "swap_cache_get_folio", "dontneed" },
	{ &rows[SMALL], "uffd move", LOCK, "dontneed" },
	{ &rows[TABLE], "collapse", "__mmu_notifier_invalidate_range_end", "dontneed" },
	{ &holes, "write 2", "__pte_offset_map", "dontneed" },
	{ &holes, "read 2", "pte_offset_map_lock", "dontneed" },
	{ &holes, "thp write 2", "__pte_offset_map", "dontneed" },
	{ &holes, "thp write 2", "vma_alloc_folio_noprof", "write 2" },
	{ &rows[SWAPPED], "thp read 2", "swapin_sync", "dontneed" },
	{ &rows[UNMAPPED], "write 2", "finish_fault", "write 2" },
	{ &file_holes, "write 2", "shmem_get_folio_gfp", "dontneed" },
};

/* For data races, which have no effect on most CPUs. */
static const struct ptebatch_interleave_case accesses[] = {
	{ &rows[SWAPPED], "read 2", PTEBATCH_EACH_ACCESS, "dontneed" },
	{ &rows[PROTECTED], "write 2", PTEBATCH_EACH_ACCESS, "dontneed" },
	{ &rows[LARGE], "pin", PTEBATCH_EACH_ACCESS, "dontneed" },
	{ &rows[LARGE], "dontneed", PTEBATCH_EACH_ACCESS, "pin" },
	{ &rows[LARGE], "reclaim", PTEBATCH_EACH_ACCESS, "write 2" },
	{ &rows[LARGE], "reclaim", PTEBATCH_EACH_ACCESS, "mprotect ro" },
	{ &rows[LARGE], "migrate", PTEBATCH_EACH_ACCESS, "mprotect ro" },
	{ &rows[LARGE], "mprotect ro", PTEBATCH_EACH_ACCESS, "write 2" },
	{ &rows[LARGE], "clear refs", PTEBATCH_EACH_ACCESS, "write 2" },
	{ &rows[LARGE], "fork", PTEBATCH_EACH_ACCESS, "pin" },
	{ &rows[HUGE], "dontneed", PTEBATCH_EACH_ACCESS, "split" },
	{ &rows[TABLE], "collapse", PTEBATCH_EACH_ACCESS, "write 2" },
};

KUNIT_ARRAY_PARAM(known, known, ptebatch_interleave_desc);

static void known_interleaving(struct kunit *test)
{
	ptebatch_interleave_param(test, &all);
}

KUNIT_ARRAY_PARAM(access, accesses, ptebatch_interleave_desc);

static void watched_access(struct kunit *test)
{
	ptebatch_interleave_param(test, &all);
}

static struct kunit_case interleavings_cases[] = {
	KUNIT_CASE_PARAM(known_interleaving, known_gen_params),
	KUNIT_CASE_PARAM(watched_access, access_gen_params),
	KUNIT_CASE_SLOW(calls_random),
	KUNIT_CASE_SLOW(instructions_random),
	{}
};

PTEBATCH_SUITE(interleavings, interleavings_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_SECOND_CPU,
	       PTEBATCH_PROC, PTEBATCH_KHUGEPAGED);
