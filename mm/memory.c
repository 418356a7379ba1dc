// SPDX-License-Identifier: GPL-2.0
/*
 * zap_vma_range() and zap_vma_range_batched() clear the PTEs of a large folio
 * in batches. The twin of both is zap_vma_range() with batches of one.
 *
 * unmap_mapping_pages() and unmap_mapping_folio() do the same in each VMA of a
 * file. They may spare the copies of a private mapping:
 *
 *	{Ry*8} {Wdyx*8}  ->  {-*8} {Wdyx*8}
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/sizes.h>

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/op.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static unsigned int count_young(const struct ptebatch_row *row, s16 folio)
{
	unsigned int i, nr = 0;

	for (i = row->from; i < row->to; i++)
		nr += ptebatch_entry_normal(&row->entries[i]) &&
		      row->entries[i].folio == folio &&
		      row->entries[i].flags & PTEBATCH_YOUNG;
	return nr;
}

/*
 * Rule 17: young of a cleared file PTE must reach the folio, unless the VMA is
 * read sequentially.
 */
static void expect_accessed_folios(struct ptebatch_trial *trial,
				   const struct ptebatch_case *row)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i, young;

	for_each_set_bit(i, space->cached, space->row.nr_folios) {
		young = space->setup.vma & VM_SEQ_READ ? 0 :
			count_young(&trial->before.row, i);
		/* A second folio_mark_accessed() changes more than PG_referenced. */
		if (young > 1)
			continue;
		KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_referenced(space->folios[i]),
				    young, PTEBATCH_RULE_FILE
				    ": PG_referenced of folio %u after %s cleared %u young entries",
				    i, trial->function, young);
	}
}

/* Flushed entries, and those whose folio was unmapped before their flush. */
static DECLARE_BITMAP(flushed, PTEBATCH_ROW_ENTRIES);
static DECLARE_BITMAP(early, PTEBATCH_ROW_ENTRIES);

static void record_unmapped(struct ptebatch_hook *hook, const unsigned long *args,
			    struct pt_regs *regs)
{
	const struct ptebatch_trial *trial = hook->data;
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	for_each_set_bit(i, trial->secondary.flushed, was->nr) {
		const struct ptebatch_entry *entry = &was->entries[i];

		if (!test_and_set_bit(i, flushed) &&
		    ptebatch_entry_normal(entry) && entry->flags & PTEBATCH_DIRTY &&
		    test_bit(entry->folio, trial->space->cached) &&
		    !test_bit(i, trial->before.huge) &&
		    !folio_mapped(trial->space->folios[entry->folio]))
			set_bit(i, early);
	}
}

static void watch_flushes(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	bitmap_zero(flushed, PTEBATCH_ROW_ENTRIES);
	bitmap_zero(early, PTEBATCH_ROW_ENTRIES);
	/* At its return, the trial has recorded the flush. */
	use->hook = (struct ptebatch_hook) {
		.function = PTEBATCH_FLUSH_HOOK,
		.at_return = true, .match = use->trial->place->mm,
		.act = record_unmapped, .data = use->trial,
	};
	/* Without CONFIG_SMP, no other CPU has a TLB entry. */
	if (IS_ENABLED(CONFIG_SMP) && !ptebatch_hook_missing())
		KUNIT_ASSERT_EQ(use->trial->test, 0, ptebatch_hook_begin(&use->hook));
}

/*
 * Rule 8: until its TLB entry is flushed, a CPU may write through a PTE that was
 * dirty. folio_mkclean() must find the mapping until then.
 */
static void expect_late_unmap(struct ptebatch_use *use)
{
	const struct ptebatch_trial *trial = use->trial;
	unsigned int i;

	for_each_set_bit(i, early, trial->before.row.nr)
		KUNIT_FAIL(trial->test, PTEBATCH_RULE_TLB
			   ": %s unmaps the folio of dirty entry %u before the flush",
			   trial->function, i);
}

static const struct ptebatch_condition_type flushes_watched = {
	.name = "TLB flushes are watched", .occur = watch_flushes, .end = expect_late_unmap,
};

#define FLUSHES_WATCHED	{ .type = &flushes_watched }

static bool check_op(struct kunit *test, const struct ptebatch_op *op,
		     const struct ptebatch_case *of)
{
	struct ptebatch_case row = *of;

	row.op = op;
	row.with[0] = (struct ptebatch_condition)FLUSHES_WATCHED;
	row.check = row.check ?: expect_accessed_folios;
	return ptebatch_case_run(test, &row);
}

static bool check_row(struct kunit *test, const struct ptebatch_case *row)
{
	return check_op(test, &ptebatch_zap, row) &&
	       check_op(test, &ptebatch_zap_batched, row);
}

static const struct ptebatch_case rows[] = {
	{ "64K folio, exclusive: all PTEs cleared",
	  { "{Wdyx*16}", .prot = RW }, "-*16" },
	{ "64K folio, shared: all PTEs cleared",
	  { "{Rdy*16}", .prot = RO }, "-*16" },
	{ "PTEs 5 to 10 of a 64K folio: cleared, the rest unchanged",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}" },
	{ "first PTE of a 64K folio: cleared, the rest unchanged",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "{- Wdyx*15}" },
	{ "last PTE of a 64K folio: cleared, the rest unchanged",
	  { "{Wdyx*15 | Wdyx} |", .prot = RW }, "{Wdyx*15 -}" },
	{ "last 4 PTEs of a 64K folio, first 4 of the next one: 8 PTEs cleared",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "last 4 PTEs of a 64K folio, first 4 of one physically next to it: 8 PTEs cleared",
	  { "{Wdyx*12 | Wdyx*4} +{Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}" },
	{ "64K folio, writable, read-only, shared, PROT_NONE and old PTEs: all cleared",
	  { "{Wdyx*4 Rdyx*3 Rdy*3 Ndyx*3 Rx*3}", .prot = RW }, "-*16" },
	{ "folios of orders 0, 1, 3 and 5 and an empty PTE: all PTEs cleared",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, "-*44" },
	{ "64K folio, virtual address not 64K-aligned: all PTEs cleared",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 -*16" },
	{ "64K folio, second and third quarters exchanged: all PTEs cleared",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, "-*16" },
	{ "first 12 PTEs of a 64K folio across a page table boundary: cleared, 4 unchanged",
	  { "@-8 | {Wdyx*12 | Wdyx*4}", .prot = RW }, "@-8 {-*12 Wdyx*4}" },
	{ "three page tables, the middle one missing: all PTEs cleared",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16" },
	{ "middle half of a 64K folio mapped by parent and child: cleared in the parent",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}" },
	{ "64K folio, first half soft-dirty: all PTEs cleared",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "-*16" },
	{ "middle half of a 64K folio in an mlocked VMA: cleared, the rest unchanged",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .vma = VM_LOCKED,
	    .folios = FOLIOS_MLOCKED },
	  "{Wdyx*4 -*8 Wdyx*4}" },
	{ "64K folio in two VMAs: all PTEs cleared",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "-*16" },
	{ "PTEs 5 to 10 of a 64K folio in two VMAs: cleared, the rest unchanged",
	  { "{Wdyx*5 | Wdyx*3 ; Wdyx*3 | Wdyx*5}", .prot = RW },
	  "{Wdyx*5 -*6 Wdyx*5}" },
	{ "64K shmem folio, first of two VMAs in the range: cleared, the rest unchanged",
	  { "| {Wdy*8 | ; Wdy*8}", PTEBATCH_SHMEM, RW }, "{-*8 Wdy*8}" },
	{ "64K folio, page 3 PG_hwpoison: all PTEs cleared",
	  { "{Wdyx*3 Wdyxh Wdyx*12}", .prot = RW }, "-*16" },
	{ "64K folio and small folios in an mlocked VMA: cleared, folios not mlocked",
	  { "{Wdyx*16} Wdyx Rdyx", .prot = RW, .vma = VM_LOCKED,
	    .folios = FOLIOS_MLOCKED }, "-*18" },
	{ "64K file folio in an mlocked VMA: cleared, folio not mlocked",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .vma = VM_LOCKED,
	    .folios = FOLIOS_MLOCKED }, "-*16" },

	/* Rule 17: dirty and young reach the folio, uffd-wp leaves markers. */
	{ "64K file folio, clean: all PTEs cleared",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, PTE 9 dirty: all PTEs cleared, folio dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_FILE, RW }, "-*16" },
	{ "64K file folio, PTE 9 young: all PTEs cleared, folio PG_referenced",
	  { "{R*9 Ry R*6}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, all PTEs old: all PTEs cleared, folio not PG_referenced",
	  { "{R*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, PTE 9 young, MADV_SEQUENTIAL: folio not PG_referenced",
	  { "{R*9 Ry R*6}", PTEBATCH_FILE, RO, .vma = VM_SEQ_READ }, "-*16" },
	{ "64K file folio, last PTE dirty and young: folio dirty and PG_referenced",
	  { "{R*15 Rdy}", PTEBATCH_FILE, RO }, "-*16" },
	{ "PTEs 3 to 11 of a 64K shmem folio: cleared, folio dirty, the rest unchanged",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}" },
	{ "64K shmem folio mapped by two VMAs: all PTEs of the first VMA cleared",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "-*16" },
	{ "private file mapping, page cache folio and copy: all PTEs cleared",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16" },
	{ "64K shmem folio, uffd-wp on 12 PTEs: 12 uffd-wp markers, 4 empty PTEs",
	  { "{Rdyu*4 Wdy*4 Rdyu*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "U*4 -*4 U*8" },
	{ "64K anonymous folio, uffd-wp on 8 PTEs: all PTEs cleared, no marker",
	  { "{Rdyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_WP }, "-*16" },
	{ "middle half of a 64K shmem folio, uffd-wp: 8 uffd-wp markers, the rest unchanged",
	  { "{Rdyu*4 | Rdyu*8 | Rdyu*4}", PTEBATCH_SHMEM, RW,
	    .uffd = UFFD_WP }, "{Rdyu*4 U*8 Rdyu*4}" },

	/* Non-present entries. */
	{ "64K folio, 10 swap entries and 6 PTEs: all cleared",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .folios = WITH_SWAP }, "-*16" },
	{ "middle 8 of 16 swap entries of a folio: cleared, the rest unchanged",
	  { "{Sx*4 | Sx*8 | Sx*4}", .prot = RW, .folios = WITH_SWAP },
	  "{Sx*4 -*8 Sx*4}" },
	{ "swap entries of two 64K folios: all cleared",
	  { "{Sx*16} {Sx*16}", .prot = RW, .folios = WITH_SWAP }, "-*32" },
	{ "swap entries of a 64K folio, exclusive alternates: all cleared",
	  { "{Sx S Sx S Sx*6 S*6}", .prot = RW, .folios = WITH_SWAP }, "-*16" },
	{ "middle 8 of 16 swap entries, soft-dirty and exclusive change: cleared",
	  { "{Ssx*3 S | Ss*2 Ssx*2 Sx*3 S | Ss*4}", .prot = RW, .track = true,
	    .folios = WITH_SWAP }, "{Ssx*3 S -*8 Ss*4}" },
	{ "swap entries, an empty PTE and a guard between: guard stays, the rest cleared",
	  { "{Sx*4 -*2 Sx*2} G {Sx*4}", .prot = RW, .folios = WITH_SWAP }, "-*8 G -*4" },
	{ "swap entries of a 64K folio, pages in the order 8 to 15, 0 to 7: all cleared",
	  { "{Sx=8*8 Sx=0*8}", .prot = RW, .folios = WITH_SWAP }, "-*16" },
	{ "swap entries of a 64K folio mapped by parent and child: cleared in the parent",
	  { "{S*8 | S*4 | S*4}", .prot = RW, .folios = WITH_SWAP, .twice = true },
	  "{S*8 -*4 S*4}" },
	{ "private file mapping, 8 of 16 swap entries uffd-wp: 8 uffd-wp markers",
	  { "{Sux*4 Sx*8 Sux*4}", PTEBATCH_PRIVATE_FILE, RW, .uffd = UFFD_WP,
	    .folios = WITH_SWAP }, "U*4 -*8 U*4" },
	{ "swap entries across a page table boundary: middle 12 cleared, the rest unchanged",
	  { "@-8 {Sx*2 | Sx*12 | Sx*2}", .prot = RW, .folios = WITH_SWAP },
	  "@-8 {Sx*2 -*12 Sx*2}" },
	{ "swap entries across the end of a swap cluster: all cleared",
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW, .folios = WITH_SWAP | SWAP_FOLLOWS },
	  "@T/2 -*T -*T" },
	{ "8 swap entries across the end of a swap cluster: cleared, the rest unchanged",
	  { "@T/2 {Sx*T-4 | Sx*4} {Sx*4 | Sx*T-4}", .prot = RW,
	    .folios = WITH_SWAP | SWAP_FOLLOWS },
	  "@T/2 {Sx*T-4 -*4} {-*4 Sx*T-4}" },
	{ "swap entries of two devices, with slots that follow one another: all cleared",
	  { "@T/2 {Sx*T} {Sx*T}", .prot = RW,
	    .folios = WITH_SWAP | SWAP_FOLLOWS | SWAP_ALTERNATES }, "@T/2 -*T -*T" },
	{ "64K folio, 12 migration entries and 4 PTEs: all cleared",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "-*16" },
	{ "64K shmem folio, 8 of 16 migration entries uffd-wp: 8 uffd-wp markers",
	  { "{Mu*8 M*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "U*8 -*8" },
	{ "64K shmem folio, 8 of 16 migration entries uffd-rwp: all cleared, no marker",
	  { "{Mu*8 M*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_RWP }, "-*16" },
	{ "guard and poison markers between 8K folios: guards stay, poison and PTEs cleared",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "-*2 G*2 -*4 G" },
	{ "uffd-wp markers around a 16K shmem folio: markers stay, PTEs cleared",
	  { "U*4 {Wdy*4} U", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "U*4 -*4 U" },
	{ "uffd-wp markers of shmem, VMA without userfaultfd: markers stay, PTEs cleared",
	  { "U*2 {Wdy*2} U", PTEBATCH_SHMEM, RW }, "U*2 -*2 U" },
	{ "uffd-wp markers around a 16K anonymous folio: markers and PTEs cleared",
	  { "U*4 {Wdyx*4} U", .prot = RW, .uffd = UFFD_WP }, "-*9" },

	/* PTEs without a folio, which are in no RSS counter; KSM pages. */
	{ "zero page before, in and after folios: all cleared",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Nz*2 {Wdyx*4}", .prot = RW }, "-*23" },
	{ "zero page in a private file mapping, 2 of 4 PTEs uffd-wp: 2 uffd-wp markers",
	  { "Rzyu*2 Rzy*2 {Ryu Ry*3}", PTEBATCH_PRIVATE_FILE, RW, .uffd = UFFD_WP },
	  "U*2 -*2 U -*3" },
	{ "zero page, middle 2 of 4 PTEs: cleared, the rest unchanged",
	  { "Rzy | Rzy*2 | Rzy", .prot = RW }, "Rzy -*2 Rzy" },
	{ "KSM pages between exclusive pages: all cleared",
	  { "Rdyk*2 Wdyx Rdyk {Wdyx*4}", .prot = RW }, "-*8" },
	{ "special PTEs of an anonymous folio: cleared like its other PTEs",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .prot = RW, .vma = VM_MIXEDMAP }, "-*16" },
	{ "special PTEs of a 64K folio: cleared, folio unchanged",
	  { "{Wdpy*16}", PTEBATCH_SHMEM, RW, .vma = VM_MIXEDMAP }, "-*16" },
	{ "special PTEs of shmem, uffd-wp on 4 of 16: 4 uffd-wp markers",
	  { "{Rdpyu*4 Wdpy*12}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP,
	    .vma = VM_MIXEDMAP }, "U*4 -*12" },

	/* Device entries: like PTEs in RSS, mapcount and references. */
	{ "device-private entries of folios of orders 0, 2 and 4: all cleared",
	  { "Dwx {Dwx*2 Dx D} {Dwx*16}", .prot = RW }, "-*21" },
	{ "middle 8 of 16 device-private entries: cleared, the rest unchanged",
	  { "{Dwx*4 | Dwx*8 | Dwx*4}", .prot = RW }, "{Dwx*4 -*8 Dwx*4}" },
	{ "device-exclusive entries between PTEs of a 64K folio: all cleared",
	  { "{Wdyx*4 Ex*4 Wdyx*8} Ex", .prot = RW }, "-*17" },
	{ "middle 8 of 16 device-exclusive entries: cleared, the rest unchanged",
	  { "{Ex*4 | Ex*8 | Ex*4}", .prot = RW }, "{Ex*4 -*8 Ex*4}" },
	{ "device-private entries of a folio shared with a child: cleared in the parent",
	  { "{Dwx*4}", .prot = RW, .twice = true }, "-*4" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD-mapped folio: PMD cleared", { "[Wdyx]", .prot = RW }, "-*T" },
	{ "PMD-mapped shmem folio: PMD cleared, folio dirty",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T" },
	{ "middle half of a PMD-mapped folio: PMD split, these PTEs cleared, the rest unchanged",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
	{ "huge zero page: PMD cleared",
	  { "[Rzy] {Wdyx*4}", .prot = RW }, "-*T -*4" },
	{ "middle half of a huge zero page: split, these PTEs cleared",
	  { "[Rzy*T/4 | Rzy*T/2 | Rzy*T/4]", .prot = RW },
	  "Rzy*T/4 -*T/2 Rzy*T/4" },
	{ "PMD migration entry: cleared",
	  { "[Mw]", .prot = RW }, "-*T" },
	{ "middle half of a PMD migration entry: split, these entries cleared",
	  { "[Mw*T/4 | Mw*T/2 | Mw*T/4]", .prot = RW },
	  "{Mw*T/4 -*T/2 Mw*T/4}" },
	{ "uffd-wp PMD: cleared", { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "-*T" },
	{ "uffd-rwp PMD: cleared", { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "-*T" },
	{ "PMD with a NUMA hint: cleared", { "[Ndyx]", .prot = RW }, "-*T" },
	{ "shared PMD migration entry with uffd-wp: cleared",
	  { "[Mu]", .prot = RW, .uffd = UFFD_WP }, "-*T" },
	{ "device-private PMD: cleared", { "[Dwx]", .prot = RW }, "-*T" },
	{ "middle half of a device-private PMD: split, these entries cleared",
	  { "[Dwx*T/4 | Dwx*T/2 | Dwx*T/4]", .prot = RW },
	  "{Dwx*T/4 -*T/2 Dwx*T/4}" },
	{ "device-private PMD shared with a child: cleared in the parent",
	  { "[Dwx]", .prot = RW, .twice = true }, "-*T" },
	{ "middle half of a 2M folio mapped by PTEs: cleared, the rest unchanged",
	  { "{Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4}", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void zap_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* The mmu_gather is full: zapping flushes the TLB before it continues. */

/**
 * struct full_row - a case of a full mmu_gather
 * @c: the case. Without a page, the gather is full after 7 entries: of a large
 *     folio, two each.
 * @flushes: minimum number of TLB flushes
 */
struct full_row {
	struct ptebatch_case c;
	unsigned int flushes;
};

#define NO_GATHER_PAGE	.with = { FLUSHES_WATCHED, NO_PAGES }

/* With dirty file pages, the gather may have MAX_GATHER_BATCH pages. */
static const struct full_row full_rows[] = {
	{ { "small file folios fill the mmu_gather: two TLB flushes",
	    { "Ry*T Wdy*16", PTEBATCH_FILE, RW }, "-*T -*16" }, 2 },
	{ { "small file folios, then 8K folios fill the mmu_gather: two TLB flushes",
	    { "Ry*T {Wdy*2}*16", PTEBATCH_FILE, RW }, "-*T -*32" }, 2 },
	{ { "24 small folios, no page for the mmu_gather: 4 TLB flushes",
	    { "Wdyx*24", .prot = RW }, "-*24", NO_GATHER_PAGE }, 4 },
	{ { "8 folios of 16K, no page for the mmu_gather: two TLB flushes",
	    { "{Wdyx*4}*8", .prot = RW }, "-*32", NO_GATHER_PAGE }, 2 },
	{ { "small and 16K file folios, dirty, no page for the mmu_gather: 3 TLB flushes",
	    { "Wdy*4 {Wdy*4}*4 Wdy*4", PTEBATCH_FILE, RW }, "-*24", NO_GATHER_PAGE }, 3 },
	{ { "9 small folios around a page table boundary, no page for the gather: two TLB flushes",
	    { "@-7 Wdyx*9", .prot = RW }, "@-7 -*9", NO_GATHER_PAGE }, 2 },
};

KUNIT_ARRAY_PARAM_DESC(full_rows, full_rows, c.name);

/* One while pages are left, one at the end of the page table. */
static void check_full(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct full_row *full = trial->test->param_value;

	if (PTEBATCH_FLUSHES_SEEN)
		KUNIT_EXPECT_GE_MSG(trial->test, trial->secondary.flushes, full->flushes,
				    PTEBATCH_RULE_TLB ": number of TLB flushes of %s",
				    trial->function);
	expect_accessed_folios(trial, row);
}

static void zap_full_gather(struct kunit *test)
{
	struct ptebatch_case row = ((const struct full_row *)test->param_value)->c;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "the mmu_gather is not limited without CONFIG_SMP");
	if (IS_ENABLED(CONFIG_MMU_GATHER_NO_GATHER))
		kunit_skip(test, "the mmu_gather of this architecture gathers no pages");
	if (!PTEBATCH_NOTIFIES)
		kunit_skip(test, "UML calls no MMU notifier at a TLB flush");
	if (PTRS_PER_PTE * PAGE_SIZE > SZ_64M)
		kunit_skip(test, "a page table maps more than 64 MiB, the limit of the suites");
	row.check = check_full;
	check_op(test, &ptebatch_zap, &row);
}

static void zap_ksm_zero_pages(struct kunit *test)
{
	/* Without twin: in a module, the twin has a counter of its own. */
	static const struct ptebatch_case row = {
		.setup = { "Rdzy*2 | Rdzy*3 Rzy*2 Wdyx | Rdzy", .prot = RW },
		.after = "Rdzy*2 -*6 Rdzy", .op = &ptebatch_zap_tables,
	};

	if (!IS_ENABLED(CONFIG_KSM))
		kunit_skip(test, "no KSM pages without CONFIG_KSM");
	ptebatch_case_run(test, &row);
}

/* Page tables that become empty are freed. */

static const struct ptebatch_case table_rows[] = {
	{ "2M folio that fills a page table: page table freed",
	  { "{Wdyx*T}", .prot = RW }, "-*T" },
	{ "half a page table of migration entries: page table freed",
	  { "-*T/2 {Mx*T/2}", .prot = RW }, "-*T" },
	{ "half a page table of shmem migration entries, uffd-wp VMA: page table freed",
	  { "{M*T/2} -*T/2", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*T" },
	{ "uffd-wp markers of anonymous memory: page table freed",
	  { "U*8 -*T/2-8 {Wdyx*T/2}", .prot = RW, .uffd = UFFD_WP }, "-*T" },
};

KUNIT_ARRAY_PARAM_DESC(table_rows, table_rows, name);

static void expect_table_freed(struct ptebatch_trial *trial,
			       const struct ptebatch_case *row)
{
	const struct ptebatch_place *place = trial->place;
	pmd_t *pmd;

	mmap_read_lock(place->mm);
	pmd = ptebatch_find_pmd(place->mm, place->start);
	KUNIT_EXPECT_TRUE_MSG(trial->test, pmd && pmd_none(*pmd),
			      "%s leaves an empty page table", trial->function);
	mmap_read_unlock(place->mm);
}

static void zap_table(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	if (!IS_ENABLED(CONFIG_PT_RECLAIM))
		kunit_skip(test, "no page tables are freed without CONFIG_PT_RECLAIM");
	row.op = &ptebatch_zap_tables;
	row.check = expect_table_freed;
	ptebatch_case_run(test, &row);
}

/* The page cache is unmapped from each VMA of the file. */

static const struct ptebatch_case unmap_rows[] = {
	/* unmap_mapping_pages(), page cache only. */
	{ "page cache, middle 9 pages of a 64K shmem folio: unmapped, the rest unchanged",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*3 -*9 Wdy*4}",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, a 32K folio and a copy: folio unmapped, copy unchanged",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "{-*8} {Wdyx*8}",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, small folios and copies: folios unmapped, copies unchanged",
	  { "Ry Wdyx Ry*2 Rdyx", PTEBATCH_PRIVATE_FILE, RW }, "{-} Wdyx {-}*2 Rdyx",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, swap entries of a copy: unchanged",
	  { "{Ry*8} {Sx*6 Wdyx*2}", PTEBATCH_PRIVATE_FILE, RW, .folios = WITH_SWAP },
	  "{-*8} {Sx*6 Wdyx*2}", .op = &ptebatch_unmap_pages },
	{ "page cache, migration entries of a folio and of a copy: copy's unchanged",
	  { "{M*4 Ry*4} {Mx*4 Mw*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{-*8} {Mx*4 Mw*4}", .op = &ptebatch_unmap_pages },
	{ "page cache, device entries of copies: unchanged",
	  { "{Ry*2} {Dwx*2} {Ex*2}", PTEBATCH_PRIVATE_FILE, RW },
	  "{-*2} {Dwx*2} {Ex*2}", .op = &ptebatch_unmap_pages },
	{ "page cache, zero page, poison and guard markers: markers unchanged",
	  { "{Ry*2} Rzy P*2 G", PTEBATCH_PRIVATE_FILE, RW }, "-*3 P*2 G",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, uffd-wp PTEs and uffd-wp swap entries of a copy: markers, copy unchanged",
	  { "{Ryu*4 Ry*4} {Sux*4 Sx*4} U", PTEBATCH_PRIVATE_FILE, RW,
	    .uffd = UFFD_WP, .folios = WITH_SWAP }, "{U*4 -*4} {Sux*4 Sx*4} U",
	  .op = &ptebatch_unmap_pages },

	{ "page cache, swap entry of a copy before a page: only the page unmapped",
	  { "Sx Ry", PTEBATCH_PRIVATE_FILE, RW, .folios = WITH_SWAP }, "Sx {-}",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, migration entry of a copy before a page: only the page unmapped",
	  { "Mx Ry", PTEBATCH_PRIVATE_FILE, RW }, "Mx {-}",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, device entry of a copy before a page: only the page unmapped",
	  { "Dwx Ry", PTEBATCH_PRIVATE_FILE, RW }, "Dwx {-}",
	  .op = &ptebatch_unmap_pages },
	{ "page cache, poison marker before a page: only the page unmapped",
	  { "P Ry", PTEBATCH_PRIVATE_FILE, RW }, "P {-}",
	  .op = &ptebatch_unmap_pages },

	/* unmap_mapping_pages(), with copies. */
	{ "page cache and copies, a 32K folio and a copy: both unmapped",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16",
	  .op = &ptebatch_unmap_copies },
	{ "page cache and copies, swap, migration and device entries: all cleared",
	  { "{Ry*2} {Sx*2} {Mx*2} {Dwx*2} {Ex*2}", PTEBATCH_PRIVATE_FILE, RW,
	    .folios = WITH_SWAP }, "-*10", .op = &ptebatch_unmap_copies },
	{ "page cache and copies, zero page, poison and guard markers: guard unchanged",
	  { "{Ry*2} Rzy P*2 G", PTEBATCH_PRIVATE_FILE, RW }, "-*5 G",
	  .op = &ptebatch_unmap_copies },

	/* unmap_mapping_folio(): the folio is truncated, no marker stays. */
	{ "64K shmem folio, 4 PTEs uffd-wp: unmapped, no marker",
	  { "{Rdyu*4 Wdy*12}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*16",
	  .op = &ptebatch_unmap_folios },
	{ "64K shmem folio, 8 migration entries uffd-wp: unmapped, no marker",
	  { "{Mu*8 M*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*16",
	  .op = &ptebatch_unmap_folios },
	{ "32K shmem folio, uffd-wp markers of its pages and behind it: only these dropped",
	  { "{U*2 Wdy*4 U*2} U", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*8 U",
	  .op = &ptebatch_unmap_folios },
	{ "32K shmem folio, guards at its pages and behind it: guards unchanged",
	  { "{G*2 Wdy*4 G*2} G", PTEBATCH_SHMEM, RW }, "{G*2 -*4 G*2} G",
	  .op = &ptebatch_unmap_folios },
	{ "32K page cache folio, private mapping, guard at page 2: guard unchanged",
	  { "{Ry*2 G Ry*5}", PTEBATCH_PRIVATE_FILE, RW }, "{-*2 G -*5}",
	  .op = &ptebatch_unmap_folios },
	{ "32K folio, copy, poison marker and swap entries at its pages: these unchanged",
	  { "{Ry*2 P .*5} Wdyx {Sx*4}", PTEBATCH_PRIVATE_FILE, RW, .folios = WITH_SWAP },
	  "{-*2 P .*5} Wdyx {Sx*4}", .op = &ptebatch_unmap_folios },
};

KUNIT_ARRAY_PARAM_DESC(unmap_rows, unmap_rows, name);

static void unmap_row(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;

	check_op(test, row->op, row);
}

/* Each kind of folio in each order, whole and in part. */

static const struct ptebatch_case kinds[] = {
	{ "anonymous folio, whole and in part: only the range cleared",
	  { "Wdyx", .prot = RW } },
	{ "file folio, whole and in part: only the range cleared",
	  { "Wdy", PTEBATCH_FILE, RW } },
	{ "shmem folio, whole and in part: only the range cleared",
	  { "Wdy", PTEBATCH_SHMEM, RW } },
};

PTEBATCH_ORDER_PARAMS(zap_order, kinds);

static bool check_range(struct kunit *test, const void *kind, unsigned int nr,
			unsigned int from, unsigned int to)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)kind;
	const char *token = row.setup.picture;

	row.setup.picture = ptebatch_draw_range(test, nr, from, to, token, token);
	row.after = ptebatch_draw_range(test, nr, from, to, token, "-");
	return check_row(test, &row);
}

static void zap_order(struct kunit *test)
{
	ptebatch_each_range(test, check_range);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE_PARAM(zap_row, rows_gen_params),
	KUNIT_CASE_PARAM(zap_full_gather, full_rows_gen_params),
	KUNIT_CASE(zap_ksm_zero_pages),
	KUNIT_CASE_PARAM(zap_table, table_rows_gen_params),
	KUNIT_CASE_PARAM(unmap_row, unmap_rows_gen_params),
	PTEBATCH_CASE_PARAMS(zap_order),
	{}
};

PTEBATCH_SUITE(memory, memory_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
