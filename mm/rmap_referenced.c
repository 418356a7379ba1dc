// SPDX-License-Identifier: GPL-2.0
/*
 * folio_referenced() clears the accessed bits of a large folio in batches.
 *
 * Each row runs twice, in two equal address spaces: with folio_referenced() and
 * with its twin, which clears one PTE at a time. An MMU notifier acts as a
 * secondary MMU (KVM is one) and must be called once per batch.
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/reference.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/lru_gen.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct referenced_row - a case of folio_referenced()
 * @c: the case; the expected row is that of each mapping. The return value is the
 *     number of mappings that referenced a folio; -1 if the walk ends at an mm without
 *     users.
 * @batches: expected number of batches in the first mapping
 * @mlocked: VM_LOCKED is expected in the VMA flags that the call returns
 */
struct referenced_row {
	struct ptebatch_case c;
	unsigned int batches;
	bool mlocked;
};

/* The VMA flags that the last call returned. */
static vma_flags_t returned_flags;

static void drop_users(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	use->word = atomic_xchg(&use->trial->place->mm->mm_users, 0);
}

static void restore_users(struct ptebatch_use *use)
{
	atomic_set(&use->trial->place->mm->mm_users, use->word);
}

static const struct ptebatch_condition_type no_mm_users = {
	.name = "the mm has no users", .occur = drop_users, .end = restore_users,
};

/* As after exit(). */
#define NO_MM_USERS	{ .type = &no_mm_users }

/* Calls of the rmap walk; without PVMW_SYNC, it does not lock the page table first. */
#define WALKS(nr)	CALLS("page_vma_mapped_walk", nr)
#define NO_SYNC		CALLS("pte_offset_map_lock", 0)

/* Some PTEs stay young, which the model does not cover. */
static bool leaves_young(const struct ptebatch_case *row)
{
	return (row->setup.vma | row->setup.next_vma) & VM_LOCKED || row->ret < 0;
}

/* clear_flush_young() covers the mapped entries of the range, in batches. */
static void expect_batches(const struct ptebatch_trial *trial,
			   const struct referenced_row *row)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i, present = 0;

	if (!IS_ENABLED(CONFIG_MMU_NOTIFIER) || leaves_young(&row->c))
		return;
	for (i = 0; i < was->nr; i++) {
		bool maps = i >= was->from && i < was->to &&
			    ptebatch_entry_mapped(&was->entries[i]);

		/* A PMD is one entry. */
		present += maps && !(test_bit(i, trial->before.huge) &&
				     was->entries[i].page);
		KUNIT_EXPECT_EQ_MSG(trial->test, test_bit(i, trial->secondary.old),
				    maps, "%s: clear_flush_young() covers entry %u",
				    trial->function, i);
	}
	/* The calls for two VMAs of one mm add up: not counted. */
	if (trial->space->places[1].mm == trial->space->places[0].mm)
		return;
	KUNIT_EXPECT_EQ_MSG(trial->test, trial->secondary.old_calls,
			    trial->one_by_one ? present : row->batches,
			    "%s: number of batches passed to clear_flush_young()",
			    trial->function);
}

/* A folio in an mlocked VMA that was not mlocked. */
static void expect_mlocked(const struct ptebatch_trial *trial,
			   const struct referenced_row *row)
{
	if (!(row->c.setup.vma & VM_LOCKED))
		return;
	KUNIT_EXPECT_EQ_MSG(trial->test,
			    folio_test_mlocked(trial->space->folios[0]),
			    row->mlocked, PTEBATCH_RULE_MLOCKED ": PG_mlocked after %s",
			    trial->function);
}

/* Only the accessed bits differ. */
static void expect_only_young_cleared(const struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *was = &trial->before;
	const struct ptebatch_snapshot *is = &trial->after;
	unsigned int i;

	for (i = was->row.from; i < was->row.to; i++) {
		pte_t before = was->raw[was->lead + i];
		pte_t after = is->raw[is->lead + i];

		if (!ptebatch_entry_present(&was->row.entries[i]) ||
		    test_bit(i, was->huge))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      pte_same(pte_mkold(before), pte_mkold(after)),
				      "%s: entry %u was %#llx and is %#llx, expected only young cleared",
				      trial->function, i, (u64)pte_val(before),
				      (u64)pte_val(after));
	}
}

/* Add the flags of the VMAs with entries that may have referenced a folio. */
static void add_flags(const struct ptebatch_space *space, vma_flags_t *flags)
{
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	unsigned int i;

	mmap_read_lock(mm);
	for (i = 0; i < space->row.nr; i++) {
		vma = vma_lookup(mm, ptebatch_addr(space, i));
		if (ptebatch_entry_mapped(&space->row.entries[i]) &&
		    !vma_test(vma, VMA_LOCKED_BIT))
			vma_flags_set_mask(flags, vma->flags);
	}
	mmap_read_unlock(mm);
}

/* Expected: the flags of the VMAs that referenced a folio. */
static void expect_flags(const struct ptebatch_trial *trial,
			 const struct referenced_row *row)
{
	vma_flags_t expected = EMPTY_VMA_FLAGS;

	if (row->c.ret > 0)
		add_flags(trial->space, &expected);
	if (row->mlocked)
		vma_flags_set(&expected, VMA_LOCKED_BIT);
	KUNIT_EXPECT_TRUE_MSG(trial->test,
			      !memcmp(&expected, &returned_flags, sizeof(expected)),
			      "%s returns wrong VMA flags", trial->function);
}

/* Returns the sum for the folios of the range. */
static long count_references(const struct ptebatch_op *op,
			     struct ptebatch_space *space, bool twin)
{
	const struct ptebatch_row *row = &space->row;
	s16 done = PTEBATCH_NO_FOLIO;
	long references = 0;
	unsigned int i;

	returned_flags = EMPTY_VMA_FLAGS;
	for (i = row->from; i < row->to; i++) {
		s16 nr = row->entries[i].folio;
		vma_flags_t more;

		if (nr == PTEBATCH_NO_FOLIO || nr == done)
			continue;
		done = nr;
		references +=
			ptebatch_folio_referenced(space->folios[nr], twin,
						  folio_test_locked(space->folios[nr]),
						  &more);
		vma_flags_set_mask(&returned_flags, more);
	}
	/* mlock_vma_folio() queues folios per CPU: drain the queues. */
	lru_add_drain_all();
	return references;
}

static const struct ptebatch_op referenced = {
	.function = "folio_referenced()", .call = count_references,
	.model = ptebatch_model_referenced,
	.second_model = ptebatch_model_referenced,
};

/*
 * A CPU does not set the accessed bit of an entry that is in its TLB as young.
 * x86 does without the flush: the TLB does not hold entries for long.
 */
static void expect_flushed(const struct ptebatch_trial *trial)
{
	if (PTEBATCH_FLUSHES_YOUNG)
		ptebatch_trial_expect_old_in(trial, trial->secondary.flushed,
					     "in the TLB: " PTEBATCH_RULE_TLB);
}

static void check(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	const struct referenced_row *row = container_of(c, struct referenced_row, c);

	expect_flags(trial, row);
	expect_flushed(trial);
	expect_mlocked(trial, row);
	expect_batches(trial, row);
	expect_only_young_cleared(trial);
}

static bool check_row(struct kunit *test, struct referenced_row row)
{
	if (row.c.ret < 0 && !IS_ENABLED(CONFIG_MM_ID))
		kunit_skip(test, "each large folio may be shared without CONFIG_MM_ID");
	row.c.op = &referenced;
	row.c.no_model = leaves_young(&row.c);
	row.c.second = row.c.setup.twice ? row.c.after : NULL;
	row.c.check = check;
	return ptebatch_case_run(test, &row.c);
}

static const struct referenced_row rows[] = {
	{ { "64K folio, young: referenced, all PTEs become old",
	    { "{Wdyx*16}", .prot = RW }, "{Wdx*16}", .ret = 1 }, 1 },
	{ { "64K folio, old: not referenced",
	    { "{Wdx*16}", .prot = RW }, "{Wdx*16}" }, 1 },
	{ { "64K folio, shared, young: referenced, all PTEs become old",
	    { "{Rdy*16}", .prot = RO }, "{Rd*16}", .ret = 1 }, 1 },
	{ { "64K folio, PROT_NONE, young: referenced, all PTEs become old",
	    { "{Ndyx*16}" }, "{Ndx*16}", .ret = 1 }, 1 },
	{ { "64K lazyfree folio, young: referenced, all PTEs become old",
	    { "{Wyxl*16}", .prot = RW }, "{Wxl*16}", .ret = 1 }, 1 },
	{ { "three small folios, two young: 2 references, all PTEs become old",
	    { "Wdyx Wdx - Ryx", .prot = RW }, "Wdx Wdx - Rx", .ret = 2 }, 3 },

	/* Rule 1: one young PTE is enough, whatever its position. */
	{ { "64K folio, first PTE young: referenced, all PTEs become old",
	    { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}", .ret = 1 }, 1 },
	{ { "64K folio, last PTE young: referenced, all PTEs become old",
	    { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}", .ret = 1 }, 1 },
	{ { "64K folio, PTE 7 young: referenced, all PTEs become old",
	    { "{Wdx*7 Wdyx Wdx*8}", .prot = RW }, "{Wdx*16}", .ret = 1 }, 1 },
	{ { "32K folio, every other PTE young: referenced, all PTEs become old",
	    { "{Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx}", .prot = RW }, "{Wdx*8}",
	    .ret = 1 }, 1 },
	{ { "64K folio, old, first page young in a secondary MMU: referenced",
	    { "{Wdx*16}", .prot = RW }, "{Wdx*16}", .ret = 1,
	    .with = { SECONDARY_YOUNG(0) } }, 1 },
	{ { "64K folio, old, last page young in a secondary MMU: referenced",
	    { "{Wdx*16}", .prot = RW }, "{Wdx*16}", .ret = 1,
	    .with = { SECONDARY_YOUNG(15) } }, 1 },
	{ { "64K folio, old, in two page tables, last page young in a secondary MMU: referenced",
	    { "@-8 {Wdx*16}", .prot = RW }, "@-8 {Wdx*16}", .ret = 1,
	    .with = { SECONDARY_YOUNG(15) } }, 2 },

	/* All other bits stay. */
	{ { "64K folio, writable and read-only, dirty and clean PTEs: only young cleared",
	    { "{Wdyx*4 Wyx*4 Rdyx*4 Ry*4}", .prot = RW }, "{Wdx*4 Wx*4 Rdx*4 R*4}",
	    .ret = 1 }, 1 },
	{ { "64K folio, PTEs 4 to 7 PROT_NONE: 3 batches, only young cleared",
	    { "{Wdyx*4 Ndyx*4 Wdyx*8}", .prot = RW }, "{Wdx*4 Ndx*4 Wdx*8}", .ret = 1 },
	    3 },
	{ { "64K folio, first 4 PTEs soft-dirty: 1 batch, only young cleared",
	    { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true }, "{Wdsx*4 Wdx*12}",
	    .ret = 1 }, 1 },
	{ { "64K folio, first 4 PTEs uffd-wp: 2 batches, only young cleared",
	    { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_WP }, "{Rdux*4 Wdx*12}",
	    .ret = 1 }, 2 },

	/* Rules 3 and 4: where batches end, and neighbours. */
	{ { "64K folio, virtual address not 64K-aligned: 1 batch, all PTEs become old",
	    { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wdx*16}", .ret = 1 }, 1 },
	{ { "64K folio across a page table boundary: 2 batches, all PTEs become old",
	    { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdx*16}", .ret = 1 }, 2 },
	/* Not aligned: a contpte block would be young or old in both VMAs. */
	{ { "64K folio in two VMAs: 2 references, 2 batches, all PTEs become old",
	    { "@5 {Wdyx*8 ; Wdyx*8}", .prot = RW }, "@5 {Wdx*16}", .ret = 2 }, 2 },
	{ { "64K folio in two VMAs, second one mlocked: only the first half becomes old",
	    { "@5 {Wdyx*8 ; Wdyx*8}", .prot = RW, .next_vma = VM_LOCKED },
	    "@5 {Wdx*8 Wdyx*8}", .ret = 1 } },
	{ { "64K folio across a page table boundary, last PTE young: referenced, 2 batches",
	    { "@-8 {Wdx*15 Wdyx}", .prot = RW }, "@-8 {Wdx*16}", .ret = 1 }, 2 },
	{ { "2M folio across a page table boundary: 2 batches, all PTEs become old",
	    { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Wdx*T}", .ret = 1 }, 2 },
	{ { "64K folio, last 11 pages mapped: 1 batch, all PTEs become old",
	    { "{.*5 Wdyx*11}", .prot = RW }, "{.*5 Wdx*11}", .ret = 1 }, 1 },
	{ { "small folio after 5 mapped pages of a 64K folio: becomes old, 64K folio unchanged",
	    { "{Wdyx*5 .*11} | Wdyx |", .prot = RW }, "{Wdyx*5 .*11} Wdx", .ret = 1 },
	    1 },
	{ { "64K folio with holes of 2 and 1 PTEs: 3 batches, all PTEs become old",
	    { "{Wdyx*5 -*2 Wdyx*3 - Wdyx*5}", .prot = RW }, "{Wdx*5 -*2 Wdx*3 - Wdx*5}",
	    .ret = 1 }, 3 },
	{ { "64K folio with holes of 2 and 1 PTEs, last PTE young: referenced, 3 batches",
	    { "{Wdx*5 -*2 Wdx*3 - Wdx*4 Wdyx}", .prot = RW },
	    "{Wdx*5 -*2 Wdx*3 - Wdx*5}", .ret = 1 }, 3 },
	{ { "64K folio, zero page in a hole of 2 PTEs: zero page stays young, 2 batches",
	    { "{Wdyx*5 Rzy*2 Wdyx*9}", .prot = RW }, "{Wdx*5 Rzy*2 Wdx*9}", .ret = 1 },
	    2 },
	{ { "64K folio, device-exclusive entries before, between and after PTEs: they stay",
	    { "{Ex Wdyx*4 Ex*2 Wdyx*8 Ex}", .prot = RW }, "{Ex Wdx*4 Ex*2 Wdx*8 Ex}",
	    .ret = 1 }, 6 },
	{ { "64K folio, all entries device-exclusive: not referenced, they stay",
	    { "{Ex*16}", .prot = RW }, "{Ex*16}" }, 16 },
	{ { "64K folio, 16 device-exclusive entries, one young in a secondary MMU: 1 reference",
	    { "{Ex*16}", .prot = RW }, "{Ex*16}", .ret = 1,
	    .with = { SECONDARY_YOUNG(6) } }, 16 },
	{ { "small folio, device-exclusive entry: not referenced, it stays",
	    { "Ex", .prot = RW }, "Ex" }, 1 },
	{ { "64K folio, 2 migration entries: they stay, 2 batches, all PTEs become old",
	    { "{Wdyx*5 Mx M Wdyx*9}", .prot = RW }, "{Wdx*5 Mx M Wdx*9}", .ret = 1 },
	    2 },
	{ { "middle one of three 64K folios: its PTEs become old, neighbours unchanged",
	    { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	    "{Wdyx*16} {Wdx*16} {Wdyx*16}", .ret = 1 }, 1 },
	{ { "middle one of three physically contiguous 64K folios: neighbours unchanged",
	    { "{Wdyx*16} | +{Wdyx*16} | +{Wdyx*16}", .prot = RW },
	    "{Wdyx*16} {Wdx*16} {Wdyx*16}", .ret = 1 }, 1 },
	{ { "old 64K folio physically between two young ones: not referenced",
	    { "{Wdyx*16} | +{Wdx*16} | +{Wdyx*16}", .prot = RW },
	    "{Wdyx*16} {Wdx*16} {Wdyx*16}" }, 1 },
	{ { "folios of orders 5, 0, 1 and 2, order 2 old: 3 references, 4 batches",
	    { "{Wdyx*32} Wdyx {Wdyx*2} {Wdx*4}", .prot = RW },
	    "{Wdx*32} Wdx {Wdx*2} {Wdx*4}", .ret = 3 }, 4 },

	/* File mappings, and several mappings of a folio. */
	{ { "64K file folio, young: referenced, all PTEs become old",
	    { "{Ry*16}", PTEBATCH_FILE, RO }, "{R*16}", .ret = 1 }, 1 },
	{ { "64K shmem folio, pages 3 to 11 mapped: 1 batch, all PTEs become old",
	    { "{.*3 Wdy*9 .*4}", PTEBATCH_SHMEM, RW }, "{.*3 Wd*9 .*4}", .ret = 1 },
	    1 },
	{ { "64K shmem folio mapped by two VMAs: 2 references, all PTEs become old",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "{Wd*16}", .ret = 2 },
	    2 },
	{ { "64K shmem folio mapped by two VMAs, PTE 9 young: 2 references",
	    { "{Wd*9 Wdy Wd*6}", PTEBATCH_SHMEM, RW, .twice = true }, "{Wd*16}",
	    .ret = 2 }, 2 },
	{ { "private file mapping, page cache folio and copy: 2 references, all PTEs become old",
	    { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "{R*8} {Wdx*8}",
	    .ret = 2 }, 2 },
	{ { "64K folio mapped by parent and child: 1 reference, all PTEs become old",
	    { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rd*16}", .ret = 1 }, 1 },

	/* Rule 21: mlocked folios. */
	{ { "64K folio in an mlocked VMA: VM_LOCKED returned, PTEs stay young",
	    { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED }, "{Wdyx*16}" },
	    .mlocked = true },
	{ { "small folio in an mlocked VMA: VM_LOCKED returned, PTE stays young",
	    { "Wdyx", .prot = RW, .vma = VM_LOCKED }, "Wdyx" }, .mlocked = true },
	{ { "64K folio, first 8 pages mapped in an mlocked VMA: no VM_LOCKED, PTEs stay young",
	    { "{Wdyx*8 .*8}", .prot = RW, .vma = VM_LOCKED }, "{Wdyx*8 .*8}" } },
	{ { "64K folio across page tables of an mlocked VMA: no VM_LOCKED, PTEs stay young",
	    { "@-8 {Wdyx*16}", .prot = RW, .vma = VM_LOCKED }, "@-8 {Wdyx*16}" } },
	{ { "PMD-mapped folio in an mlocked VMA: VM_LOCKED returned, PMD stays young",
	    { "[Wdyx]", .prot = RW, .vma = VM_LOCKED }, "[Wdyx]" }, .mlocked = true },

	/* The pages of an mm that the OOM reaper unmaps are not swapped out. */
	{ { "64K folio, OOM reaper: -1, PTEs stay young",
	    { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .ret = -1,
	    .with = { MM_FLAG(MMF_UNSTABLE) } } },
	{ { "64K lazyfree folio, OOM reaper: referenced, all PTEs become old",
	    { "{Wyxl*16}", .prot = RW }, "{Wxl*16}", .ret = 1,
	    .with = { MM_FLAG(MMF_UNSTABLE) } }, 1 },
	{ { "64K folio shared with a child, OOM reaper: referenced, all PTEs become old",
	    { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rd*16}", .ret = 1,
	    .with = { MM_FLAG(MMF_UNSTABLE) } }, 1 },
	{ { "64K shmem folio, OOM reaper: referenced, all PTEs become old",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wd*16}", .ret = 1,
	    .with = { MM_FLAG(MMF_UNSTABLE) } }, 1 },

	/* Nor are those of an mm that exits. */
	{ { "64K folio, mm without users: -1, PTEs stay young",
	    { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .ret = -1,
	    .with = { NO_MM_USERS } } },
	{ { "small folio, mm without users: -1, PTE stays young",
	    { "Wdyx", .prot = RW }, "Wdyx", .ret = -1, .with = { NO_MM_USERS } } },
	{ { "64K folio in two VMAs, mm without users: -1, PTEs stay young",
	    { "@5 {Wdyx*8 ; Wdyx*8}", .prot = RW }, "@5 {Wdyx*16}", .ret = -1,
	    .with = { NO_MM_USERS, WALKS(1), NO_SYNC } } },

	/* The rmap walk ends with the last PTE that maps the folio. */
	{ { "64K folio: 1 call of page_vma_mapped_walk()",
	    { "{Wdyx*16}", .prot = RW }, "{Wdx*16}", .ret = 1,
	    .with = { WALKS(1), NO_SYNC } }, 1 },
	{ { "64K folio in two VMAs, first one maps it: second one not walked",
	    { "{Wdyx*8 ; -*8}", .prot = RW }, "{Wdx*8 -*8}", .ret = 1,
	    .with = { WALKS(2), NO_SYNC } }, 1 },
	{ { "64K folio in two VMAs, second one maps it: both walked",
	    { "{-*8 ; Wdyx*8}", .prot = RW }, "{-*8 Wdx*8}", .ret = 1,
	    .with = { WALKS(3), NO_SYNC } }, 1 },
	{ { "64K folio in three VMAs, first two mlocked and not: third one not walked",
	    { "@5 {Wdyx*4 ; Wdyx*4 ; -*8}", .prot = RW, .next_vma = VM_LOCKED },
	    "@5 {Wdx*4 Wdyx*4 -*8}", .ret = 1, .with = { WALKS(7), NO_SYNC } } },
	{ { "64K folio mapped by two mlocked VMAs: mlocked by the first, second one not walked",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .vma = VM_LOCKED, .twice = true },
	    "{Wdy*16}", .with = { WALKS(16), NO_SYNC } }, .mlocked = true },

	/* Rule 16: PMD-mapped folios. */
	{ { "PMD-mapped folio, young: referenced, PMD becomes old",
	    { "[Wdyx]", .prot = RW }, "[Wdx]", .ret = 1 }, 1 },
	{ { "PMD migration entry: not referenced, stays",
	    { "[Mx]", .prot = RW }, "[Mx]" } },
	{ { "PMD-mapped folio, old: not referenced",
	    { "[Wdx]", .prot = RW }, "[Wdx]" }, 1 },
	{ { "PMD-mapped shmem folio, young: referenced, PMD becomes old",
	    { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Wd]", .ret = 1 }, 1 },
	{ { "PMD-mapped folio, old, last page young in a secondary MMU: referenced",
	    { "[Wdx]", .prot = RW }, "[Wdx]", .ret = 1,
	    .with = { SECONDARY_YOUNG(PTRS_PER_PTE - 1) } }, 1 },
	{ { "folio of a whole page table, last PTE young: 1 batch, all PTEs become old",
	    { "{Wdx*T-1 Wdyx}", .prot = RW }, "{Wdx*T}", .ret = 1 }, 1 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

static void referenced_row(struct kunit *test)
{
	check_row(test, *(const struct referenced_row *)test->param_value);
}

/* Each kind of folio in each order, one PTE young. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *young, *old;
} kinds[] = {
	{ "anonymous folio, one PTE young: referenced, all PTEs become old",
	  { .prot = RW }, "Wdyx", .old = "Wdx" },
	{ "file folio, one PTE young: referenced, all PTEs become old",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", .old = "Wd" },
	{ "shmem folio, one PTE young: referenced, all PTEs become old",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", .old = "Wd" },
};

PTEBATCH_ORDER_PARAMS(referenced_order, kinds);

static bool check_page(struct kunit *test, unsigned int at)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;
	struct referenced_row row = {
		{ .setup = kind->setup, .ret = 1 }, .batches = 1,
	};

	row.c.setup.picture = ptebatch_draw(test, "{%s*%u %s %s*%u}", kind->old, at,
					    kind->young, kind->old, nr - 1 - at);
	row.c.after = ptebatch_draw(test, "{%s*%u}", kind->old, nr);
	return check_row(test, row);
}

static void referenced_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	if (check_page(test, 0) && nr > 1 && check_page(test, nr - 1) && nr > 2)
		check_page(test, nr / 2);
}

static struct kunit_case referenced_cases[] = {
	KUNIT_CASE_PARAM(referenced_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(referenced_order),
	{}
};

PTEBATCH_SUITE(rmap_referenced, referenced_cases, PTEBATCH_NO_LRU_GEN);
