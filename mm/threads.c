// SPDX-License-Identifier: GPL-2.0
/*
 * What one thread cannot show: an operation pauses, and meanwhile another CPU
 * writes, pins, zaps, unmaps, migrates or splits the same folio.
 *
 * The points at which an operation pauses are defined, see
 * lib/kernel/pause.h. So is what the other CPU does then: its operation finishes
 * during the pause, or it waits for a lock that the paused operation holds.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/arch/arch.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/access.h"
#include "../lib/op/advise.h"
#include "../lib/op/migrate.h"
#include "../lib/op/protect.h"
#include "../lib/run/threads.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define TO_READABLE	(&ptebatch_protections[PTEBATCH_TO_READABLE])
#define TO_WRITABLE	(&ptebatch_protections[PTEBATCH_TO_WRITABLE])
#define DONTNEED	(&ptebatch_advices[PTEBATCH_DONTNEED])
#define FREE		(&ptebatch_advices[PTEBATCH_FREE])

#define DONE		PTEBATCH_UNTIL_DONE
#define ASLEEP		PTEBATCH_UNTIL_ASLEEP
#define SPINNING	PTEBATCH_UNTIL_SPINNING
/* A TLB flush waits until each CPU that uses the mm has interrupts enabled. */
#define IPI		(PTEBATCH_TLB_FLUSH_IPI ? SPINNING : DONE)

static long do_nothing(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	return 0;
}

/* With .tlb, the second CPU uses the mm and has read the pages. */
static const struct ptebatch_op nothing = {
	.name = "nothing", .function = "nothing", .call = do_nothing, .no_twin = true,
};

static long call_zap_half(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	ptebatch_zap_pages(&space->places[0], space->row.nr / 2, space->row.nr);
	return 0;
}

static const struct ptebatch_op zap_half = {
	.name = "zap half", .function = "zap_vma_range()", .call = call_zap_half,
	.no_twin = true,
};

static const struct threads_row {
	const char *name;
	struct ptebatch_threads threads;
} rows[] = {
	/* mprotect(), which holds the mmap_lock for writing. */
	{ "mprotect() to read-only, folio in migration meanwhile: read-only",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    &ptebatch_migrate, DONE, &ptebatch_migrated, "{Rdyx*16}" } },
	{ "mprotect() of half a folio in migration: the other half stays writable",
	  { TO_READABLE, { "{Wdyx*8 | Wdyx*8} |", .prot = RW }, PTEBATCH_RANGE_START,
	    &ptebatch_migrate, DONE, &ptebatch_migrated, "{Wdyx*8 Rdyx*8}" } },
	{ "mprotect() to read-only, folio split meanwhile: read-only",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_START, &ptebatch_split, DONE, NULL, "(Rdyx*16)" } },
	{ "mprotect() to read-only, page 5 pinned meanwhile: read-only",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    PTEBATCH_PIN(5), DONE, NULL, "{Rdyx*16}", .meanwhile_ret = 1 } },
	{ "mprotect() to read-only, page table unlocked: no pin for writing",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_END,
	    PTEBATCH_PIN(5), ASLEEP, NULL, "{Rdyx*16}",
	    .meanwhile_ret = -EFAULT } },
	{ "mprotect() to read-only, page table unlocked, MADV_DONTNEED: waits, zaps",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_END,
	    DONTNEED, ASLEEP, NULL, "-*16" } },
	{ "mprotect() to read-only, page table unlocked, try_to_unmap(): swap entries",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_RANGE_END, &ptebatch_unmap, DONE, NULL, "{Sx*16}" } },
	{ "mprotect() to read-only, then a write by a CPU with TLB entries: -EFAULT",
	  { TO_READABLE, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RETURNED,
	    PTEBATCH_WRITE(5), DONE, NULL, "{Rdyx*16}",
	    .meanwhile_ret = -EFAULT, .tlb = true } },
	{ "mprotect() to writable, try_to_unmap() meanwhile: swap entries",
	  { TO_WRITABLE, { "{Rdyx*16}", .prot = RO, .swap = true },
	    PTEBATCH_RANGE_START, &ptebatch_unmap, DONE, NULL, "{Sx*16}" } },

	/* GUP-fast, which holds no lock: interrupts are off. */
	{ "GUP-fast has read the PTE, mprotect() to read-only: no pin",
	  { PTEBATCH_PIN(5), { "{Wdyx*16}", .prot = RW }, PTEBATCH_GUP_READ,
	    TO_READABLE, IPI, NULL, "{Rdyx*16}",
	    .ret = -EFAULT, .meanwhile_ret = 16 } },
	{ "GUP-fast has read the PTE, try_to_unmap(): no pin, swap entries",
	  { PTEBATCH_PIN(0), { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_GUP_READ, &ptebatch_unmap, IPI, NULL, "{Sx*16}",
	    .ret = -EFAULT } },
	{ "GUP-fast has pinned page 0, try_to_unmap(): no swap entries",
	  { PTEBATCH_PIN(0), { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_GUP_PINNED, &ptebatch_unmap, IPI, NULL, "{Wdyx*16}",
	    .ret = 1 } },

	/* fork(), which holds the mmap_lock for writing. */
	{ "fork(), page 5 pinned before entries are copied: child gets copies",
	  { &ptebatch_copy, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    PTEBATCH_PIN(5), DONE, NULL, "{Wdyx*16}", "{?dy*16}",
	    .meanwhile_ret = 1 } },
	{ "fork() copies entries: GUP-fast pins no page",
	  { &ptebatch_copy, { "{Wdyx*16}", .prot = RW }, PTEBATCH_SECOND_TABLE,
	    PTEBATCH_PIN(5), ASLEEP, NULL, "{Rdy*16}", "{Rd*16}",
	    .meanwhile_ret = -EFAULT } },
	{ "fork(), folio in migration meanwhile: shared and read-only",
	  { &ptebatch_copy, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    &ptebatch_migrate, DONE, &ptebatch_migrated, "{Rdy*16}",
	    "{Rdy*16}" } },
	{ "fork(), folio split meanwhile: shared and read-only",
	  { &ptebatch_copy, { "{Wdyx*16}", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_START, &ptebatch_split, DONE, NULL, "(Rdy*16)",
	    "(Rd*16)" } },
	{ "fork(), then a write by a CPU with TLB entries: page 15 copied",
	  { &ptebatch_dup_mmap, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RETURNED,
	    PTEBATCH_WRITE(15), DONE, NULL, "{Rdy*15 ?dy}", "{Rd*16}",
	    .tlb = true } },

	/* try_to_unmap(), which holds no mmap_lock. */
	{ "try_to_unmap(), page 5 pinned meanwhile: no swap entries",
	  { &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_RANGE_START, PTEBATCH_PIN(5), DONE, NULL, "{Wdyx*16}",
	    .meanwhile_ret = 1 } },
	{ "try_to_unmap(), PTE 0 cleared: GUP-fast does not pin page 0",
	  { &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_FLUSH, PTEBATCH_PIN(0), SPINNING, NULL, "{Sx*16}",
	    .meanwhile_ret = -EFAULT } },
	{ "try_to_unmap(), MADV_DONTNEED meanwhile: no entries",
	  { &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_RANGE_START, DONTNEED, DONE, NULL, "-*16" } },
	{ "try_to_unmap(), TTU_BATCH_FLUSH, another CPU has TLB entries: flushed",
	  { &ptebatch_unmap_deferred, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_RANGE_START, &nothing, DONE, NULL, "{Sx*16}", .tlb = true } },
	{ "try_to_unmap(), first PTE cleared, MADV_DONTNEED: waits, zaps swap entries",
	  { &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_FLUSH, DONTNEED, SPINNING, NULL, "-*16" } },
	{ "try_to_unmap(), mprotect() to read-only meanwhile: swap entries",
	  { &ptebatch_unmap, { "{Wdyx*16}", .prot = RW, .swap = true },
	    PTEBATCH_RANGE_START, TO_READABLE, DONE, NULL, "{Sx*16}",
	    .meanwhile_ret = 16 } },

	/* Rule 18: lazyfree folios, written to until the PTEs are cleared. */
	/* Restored as one batch: dirty spreads to all entries (rule 1). */
	{ "try_to_unmap() of a lazyfree folio, page 9 written meanwhile: stays mapped",
	  { &ptebatch_unmap, { "{Wyx*16}", .prot = RW, .lazyfree = true },
	    PTEBATCH_RANGE_START, PTEBATCH_WRITE(9), DONE, NULL,
	    "{Wdyx*16}" } },
	{ "try_to_unmap() of a lazyfree folio, PTEs cleared: a write gets a new page",
	  { &ptebatch_unmap, { "{Wyxl*16}", .prot = RW, .lazyfree = true, .lru = true },
	    PTEBATCH_FLUSH, PTEBATCH_WRITE(9), SPINNING, NULL,
	    "-*9 ~Wdyx -*6", .tlb = true, .discards = true } },
	{ "try_to_unmap() of a lazyfree folio, page 9 pinned meanwhile: stays mapped",
	  { &ptebatch_unmap, { "{Wyx*16}", .prot = RW, .lazyfree = true },
	    PTEBATCH_RANGE_START, PTEBATCH_PIN(9), DONE, NULL, "{Wyx*16}",
	    .meanwhile_ret = 1 } },
	{ "try_to_unmap() of a lazyfree folio, PTEs cleared: GUP-fast pins no page",
	  { &ptebatch_unmap, { "{Wyx*16}", .prot = RW, .lazyfree = true },
	    PTEBATCH_FLUSH, PTEBATCH_PIN(9), SPINNING, NULL, "-*16",
	    .meanwhile_ret = -EFAULT, .discards = true } },
	{ "MADV_FREE, then a write by a CPU with TLB entries: PTE 9 dirty",
	  { FREE, { "{Wdyx*16}", .prot = RW, .lru = true }, PTEBATCH_RETURNED,
	    PTEBATCH_WRITE(9), DONE, NULL, "{Wxl*9 Wdyxl Wxl*6}", .tlb = true } },

	/* Zapping. */
	{ "MADV_DONTNEED, folio in migration meanwhile: no entries",
	  { DONTNEED, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    &ptebatch_migrate, DONE, &ptebatch_migrated, "-*16" } },
	{ "MADV_DONTNEED, folio split meanwhile: no entries",
	  { DONTNEED, { "{Wdyx*16}", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_START, &ptebatch_split, DONE, NULL, "-*16",
	    .discards = true } },
	{ "MADV_DONTNEED of half a folio, split meanwhile: the other half stays",
	  { DONTNEED, { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_START, &ptebatch_split, DONE, NULL,
	    "(Wdyx*8 .*8) -*8", .discards = true } },
	{ "MADV_DONTNEED, page 5 pinned meanwhile: no entries",
	  { DONTNEED, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    PTEBATCH_PIN(5), DONE, NULL, "-*16", .meanwhile_ret = 1 } },
	{ "MADV_DONTNEED, then a write by a CPU with TLB entries: a new page",
	  { DONTNEED, { "{Wdyx*16}", .prot = RW, .lru = true }, PTEBATCH_RETURNED,
	    PTEBATCH_WRITE(5), DONE, NULL, "-*5 ~Wdyx -*10", .tlb = true,
	    .discards = true } },
	/* The fault maps the whole folio again. */
	{ "MADV_DONTNEED of dirty shmem, before the TLB flush: a write waits",
	  { DONTNEED, { "{Wdy*16}", PTEBATCH_SHMEM, RW }, PTEBATCH_FLUSH,
	    PTEBATCH_WRITE(5), SPINNING, NULL, "{Wdy*16}", .tlb = true } },

	/* migrate_pages(), which holds the folio lock. */
	{ "migrate_pages(), second half of the folio zapped meanwhile: partially mapped",
	  { &ptebatch_move_folios, { "{Wdyx*16}", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_END, &zap_half, DONE, NULL, "~{Wdyx*8 .*8} -*8",
	    .discards = true } },

	/* mremap(), which holds both page table locks. */
	{ "mremap(), folio in migration meanwhile: moved",
	  { &ptebatch_move, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    &ptebatch_migrate, DONE, &ptebatch_migrated, "-*16", "{Wdyx*16}" } },
	{ "mremap() of half a folio, split meanwhile: moved",
	  { &ptebatch_move, { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .lru = true },
	    PTEBATCH_RANGE_START, &ptebatch_split, DONE, NULL,
	    "(Wdyx*8 .*8) -*8", "-*8 (.*8 Wdyx*8)" } },
	{ "mremap(), page 5 pinned meanwhile: moved",
	  { &ptebatch_move, { "{Wdyx*16}", .prot = RW }, PTEBATCH_RANGE_START,
	    PTEBATCH_PIN(5), DONE, NULL, "-*16", "{Wdyx*16}",
	    .meanwhile_ret = 1 } },
	{ "mremap() moves entries: migration finds all pages",
	  { &ptebatch_move, { "{Wdyx*16}", .prot = RW }, PTEBATCH_SECOND_TABLE,
	    &ptebatch_migrate, SPINNING, &ptebatch_migrated, "-*16",
	    "{Wdyx*16}" } },
	{ "mremap() flushes the TLB: a second thread cannot unmap before",
	  { &ptebatch_move, { "{Wdyx*16}", .prot = RW }, PTEBATCH_FLUSH,
	    &ptebatch_migrate, SPINNING, &ptebatch_migrated, "-*16",
	    "{Wdyx*16}" } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/*
 * Without a schedule, for data races that KCSAN detects: both repeat their
 * operation until the first one has done so often enough. Any result that the
 * checks accept is right.
 */

static long change_twice(const struct ptebatch_op *op,
			 struct ptebatch_space *space, bool twin)
{
	TO_READABLE->call(TO_READABLE, space, false);
	TO_WRITABLE->call(TO_WRITABLE, space, false);
	return 0;
}

static const struct ptebatch_op to_readable_and_back = {
	.name = "to read-only and back", .function = "change_protection()",
	.call = change_twice, .no_twin = true,
};

#define RACE(first, picture, at, second, ...) { &(first), { picture, .prot = RW,	\
	.lru = true }, at, second,						\
	PTEBATCH_UNTIL_STARTED, .rounds = 16, .discards = true,		\
	__VA_ARGS__ }

#define START	PTEBATCH_RANGE_START

static const struct threads_row races[] = {
	{ "mprotect() to read-only and back, writes",
	  RACE(to_readable_and_back, "{Wdyx*16}", START, PTEBATCH_WRITE(5)) },
	{ "mprotect() to read-only and back, pins",
	  RACE(to_readable_and_back, "{Wdyx*16}", START, PTEBATCH_PIN(5)) },
	{ "mprotect() to read-only and back, migration",
	  RACE(to_readable_and_back, "{Wdyx*16}", START, &ptebatch_migrate,
	       .finally = &ptebatch_migrated) },
	{ "MADV_COLD, writes",
	  RACE(ptebatch_advices[PTEBATCH_COLD], "{Wdyx*16}", PTEBATCH_FLUSH, PTEBATCH_WRITE(5)) },
	{ "MADV_FREE, writes",
	  RACE(ptebatch_advices[PTEBATCH_FREE], "{Wdyx*16}", START, PTEBATCH_WRITE(5)) },
	{ "MADV_DONTNEED, writes",
	  RACE(ptebatch_advices[PTEBATCH_DONTNEED], "{Wdyx*16}", START, PTEBATCH_WRITE(5)) },
	{ "MADV_DONTNEED, pins",
	  RACE(ptebatch_advices[PTEBATCH_DONTNEED], "{Wdyx*16}", START, PTEBATCH_PIN(5)) },
};

KUNIT_ARRAY_PARAM_DESC(races, races, name);

static void two_threads(struct kunit *test)
{
	const struct threads_row *row = test->param_value;

	ptebatch_threads_run(test, &row->threads);
}

static void free_running(struct kunit *test)
{
	const struct threads_row *row = test->param_value;

	ptebatch_threads_run(test, &row->threads);
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE_PARAM(two_threads, rows_gen_params),
	KUNIT_CASE_PARAM(free_running, races_gen_params),
	{}
};

PTEBATCH_SUITE(threads, threads_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_SECOND_CPU);
