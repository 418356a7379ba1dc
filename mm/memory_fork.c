// SPDX-License-Identifier: GPL-2.0
/*
 * copy_page_range() copies the PTEs of a large folio to a child in batches.
 *
 * Each row runs three times, in three equal address spaces: with
 * copy_page_range(), with its twin, which copies one PTE at a time, and with
 * dup_mmap(), the part of fork() that copies the mm. Each run checks the
 * parent and the child.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "internal.h"
#include <swap_table.h>

#include "../lib/arch/arch.h"
#include "../lib/check/contents.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/swap.h"
#include "../lib/op/op.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct fork_row - a case of fork()
 * @name: name of the case
 * @setup: address space of the parent before the call
 * @parent: expected row of the parent after the call
 * @child: expected row of the child; "?" is a copy of the parent's page
 * @pins: number of pins of the last folio
 * @never_pinned: the parent's mm does not have MMF_HAS_PINNED, despite @pins
 */
struct fork_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *parent, *child;
	unsigned int pins;
	bool never_pinned;
};

/* Does fork() copy the PTEs, or leave them to faults of the child? */
static bool is_copied(const struct fork_row *row)
{
	const struct ptebatch_setup *setup = &row->setup;

	return !ptebatch_shared(setup->mapping) || setup->guarded ||
	       setup->mixedmap ||
	       ((setup->uffd_wp || setup->uffd_rwp) && !setup->uffd_not_inherited);
}

/* The model covers neither copies of pinned pages nor uncopied entries. */
static bool is_modelled(const struct fork_row *row,
			const struct ptebatch_snapshot *before)
{
	if (!is_copied(row) || row->setup.droppable || (row->pins && !row->never_pinned))
		return false;
	/* The PMD of a file folio is not copied: a fault maps it. */
	return row->setup.mapping == PTEBATCH_ANON ||
	       bitmap_empty(before->huge, PTEBATCH_ROW_ENTRIES);
}

/*
 * Rule 3: batches end where dirty changes (private) or clear it (shared). So
 * dirty may spread within a contpte block, but not within a batch.
 */
static void expect_no_dirty_spread(const struct ptebatch_trial *trial,
				   bool cleaned)
{
	const struct ptebatch_row *was = ptebatch_trial_was(trial);
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	for (i = 0; i < was->nr; i++) {
		u16 flags = was->entries[i].flags |
			   ptebatch_model_block(was, i);

		if (!ptebatch_entry_present(&was->entries[i]) ||
		    !ptebatch_entry_present(&is->entries[i]) ||
		    !(is->entries[i].flags & PTEBATCH_DIRTY))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      !cleaned && flags & PTEBATCH_DIRTY,
				      "%s: dirty has spread to entry %u",
				      trial->function, i);
	}
}

/* The folio to pin: the last one of the row. */
static struct folio *last_folio(struct ptebatch_space *space)
{
	return space->folios[space->row.nr_folios - 1];
}

/* Entry @i of the child maps an exclusive copy of the parent's page. */
static void expect_copy(const struct ptebatch_trial *child, unsigned int i)
{
	const struct ptebatch_entry *was = &ptebatch_trial_was(child)->entries[i];
	const struct ptebatch_setup *setup = &child->space->setup;
	pte_t pte = child->after.raw[child->after.lead + i];
	bool writable = setup->prot & PROT_WRITE &&
			!(child->after.row.entries[i].flags & PTEBATCH_UFFD);
	struct kunit *test = child->test;
	struct page *page = pte_page(pte);
	struct folio *folio = page_folio(page);

	KUNIT_EXPECT_EQ_MSG(test, pte_write(pte), writable,
			    PTEBATCH_RULE_WRITABLE ": write bit of the copy at entry %u",
			    i);
	KUNIT_EXPECT_TRUE_MSG(test, folio_test_anon(folio) &&
			      PageAnonExclusive(page) &&
			      folio_mapcount(folio) == 1,
			      "the copy at entry %u is not an exclusive anonymous page of the child",
			      i);
	KUNIT_EXPECT_TRUE_MSG(test, ptebatch_contents_copied(child->space, was, page),
			      "contents of the copy at entry %u differ from the parent's page",
			      i);
}

static void expect_copies(const struct ptebatch_trial *child)
{
	unsigned int i;

	for (i = 0; i < child->after.row.nr; i++)
		if (child->after.row.entries[i].kind == PTEBATCH_FOREIGN)
			expect_copy(child, i);
}

static void prepare(struct ptebatch_trial *parent, const void *data)
{
	const struct fork_row *row = data;
	struct ptebatch_space *space = parent->space;

	if (!is_modelled(row, &parent->before)) {
		parent->call.model = NULL;
		parent->second->call.model = NULL;
	}
	if (!row->pins)
		return;
	ptebatch_contents_fill(parent);
	ptebatch_folio_pin(last_folio(space), row->pins);
	if (!row->never_pinned)
		mm_flags_set(MMF_HAS_PINNED, space->places[0].mm);
}

static void undo(struct ptebatch_trial *parent, const void *data)
{
	const struct fork_row *row = data;

	if (row->pins)
		ptebatch_folio_pin(last_folio(parent->space), -(int)row->pins);
}

static void check(struct ptebatch_trial *parent, const void *data)
{
	expect_no_dirty_spread(parent, false);
	expect_no_dirty_spread(parent->second,
			       ptebatch_shared(parent->space->setup.mapping));
	expect_copies(parent->second);
}

static bool check_row(struct kunit *test, const struct fork_row *row)
{
	const struct ptebatch_setup *setup = &row->setup;
	struct ptebatch_run run = {
		.op = &ptebatch_copy, .setup = setup, .after = row->parent,
		.second = row->child, .prepare = prepare, .undo = undo,
		.check = check, .data = row,
		.ret = setup->no_memory_node ? -ENOMEM : 0,
	};

	/* ptebatch_copy copies despite VM_WIPEONFORK. */
	if (!setup->droppable && !ptebatch_row_run(test, &run))
		return false;
	if (setup->uffd_not_inherited || setup->no_memory_node)
		return true;
	run.op = &ptebatch_dup_mmap;
	return ptebatch_row_run(test, &run);
}

static const struct fork_row rows[] = {
	{ "64K folio, exclusive and writable: read-only and shared, child's PTEs old",
	  { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, exclusive, read-only VMA: shared, child's PTEs old",
	  { "{Rdyx*16}", .prot = RO }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, shared already: stays shared, child's PTEs old",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, PROT_NONE VMA: PROT_NONE and shared in parent and child",
	  { "{Ndyx*16}", .prot = NONE }, "{Ndy*16}", "{Nd*16}" },
	{ "64K folio in an mlocked VMA: read-only and shared in parent and child",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, "{Rdy*16}", "{Rd*16}" },
	{ "64K lazyfree folio, second half dirty: read-only and shared, dirty kept per PTE",
	  { "{Wyx*8 Wdyx*8}", .prot = RW, .lazyfree = true },
	  "{Ry*8 Rdy*8}", "{R*8 Rd*8}" },
	{ "small folios and an empty PTE: read-only and shared, dirty kept per PTE",
	  { "Wdyx Rdyx Rdy - Wyx Wx", .prot = RW },
	  "Rdy*3 - Ry R", "Rd*3 - R*2" },

	/* Rule 5: fork() shares the pages, none stays exclusive. */
	{ "64K folio, second half shared: all pages shared in parent and child",
	  { "{Rdyx*8 Rdy*8}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, only the last page exclusive: all pages shared in parent and child",
	  { "{Rdy*15 Rdyx}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "32K folio, every other page shared: all pages shared in parent and child",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RW },
	  "{Rdy*8}", "{Rd*8}" },

	/* Rule 3: no batch ends where writable changes, as all PTEs lose it. */
	{ "64K folio, only the last PTE writable: all PTEs read-only",
	  { "{Rdyx*15 Wdyx}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, only the first PTE writable: all PTEs read-only",
	  { "{Wdyx Rdyx*15}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "32K folio, every other PTE writable: all PTEs read-only",
	  { "{Wdyx Rdyx Wdyx Rdy Wdyx Rdyx Wdyx Rdy}", .prot = RW },
	  "{Rdy*8}", "{Rd*8}" },
	{ "64K folio, PTEs 4 to 7 PROT_NONE: these stay PROT_NONE, the rest read-only",
	  { "{Wdyx*4 Ndyx*4 Wdyx*8}", .prot = RW },
	  "{Rdy*4 Ndy*4 Rdy*8}", "{Rd*4 Nd*4 Rd*8}" },

	/* Rule 3: batches end where dirty or soft-dirty changes. */
	{ "64K folio, young and old, dirty and clean PTEs: dirty kept per PTE",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW },
	  "{Rdy*4 Rd*4 Ry*4 R*4}", "{Rd*8 R*8}" },
	{ "64K folio, only the first PTE dirty: only the first dirty in parent and child",
	  { "{Wdyx Wyx*15}", .prot = RW }, "{Rdy Ry*15}", "{Rd R*15}" },
	{ "64K folio, only the last PTE dirty: only the last dirty in parent and child",
	  { "{Wyx*15 Wdyx}", .prot = RW }, "{Ry*15 Rdy}", "{R*15 Rd}" },
	{ "64K folio, only the first PTE young: kept in the parent, child's PTEs old",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Rdy Rd*15}", "{Rd*16}" },
	{ "64K folio, only the last PTE young: kept in the parent, child's PTEs old",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Rd*15 Rdy}", "{Rd*16}" },
	{ "64K folio, first 4 PTEs soft-dirty: first 4 soft-dirty in parent and child",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true },
	  "{Rdys*4 Rdy*12}", "{Rds*4 Rd*12}" },
	{ "64K folio, last PTE soft-dirty: only the last soft-dirty in parent and child",
	  { "{Wdyx*15 Wdysx}", .prot = RW, .track = true },
	  "{Rdy*15 Rdys}", "{Rd*15 Rds}" },
	{ "64K folio, clean, first half soft-dirty: first half soft-dirty in parent and child",
	  { "{Wysx*8 Wyx*8}", .prot = RW, .track = true },
	  "{Rys*8 Ry*8}", "{Rs*8 R*8}" },

	/* Rules 2, 3 and 4: page order, holes, boundaries. */
	{ "64K folio with a hole of 4 PTEs: the same hole in the child",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW },
	  "{Rdy*6 -*4 Rdy*6}", "{Rd*6 -*4 Rd*6}" },
	{ "64K folio, pages 6 to 9 left out between adjacent PTEs: each PTE keeps its page",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW },
	  "{Rdy*6 .*4 Rdy*6}", "{Rd*6 .*4 Rd*6}" },
	{ "folio mapped in the order of pages 3, 1, 2, 0: each PTE keeps its page",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW },
	  "{Rdy=3 Rdy=1 Rdy=2 Rdy=0 .*3}", "{Rd=3 Rd=1 Rd=2 Rd=0 .*3}" },
	{ "64K folio, second and third quarters exchanged: each PTE keeps its page",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW },
	  "{Rdy*4 Rdy=8*4 Rdy=4*4 Rdy=12*4}", "{Rd*4 Rd=8*4 Rd=4*4 Rd=12*4}" },
	{ "last 11 pages of a 64K folio, then a small folio: read-only and shared",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW },
	  "{.*5 Rdy*11} Rdy", "{.*5 Rd*11} Rd" },
	{ "first 5 pages of a 64K folio, then a small folio: read-only and shared",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW },
	  "{Rdy*5 .*11} Rdy", "{Rd*5 .*11} Rd" },
	{ "64K folio, virtual address not 64K-aligned: read-only and shared",
	  { "@3 {Wdyx*16}", .prot = RW }, "@3 {Rdy*16}", "@3 {Rd*16}" },
	{ "two 64K folios: read-only and shared",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW },
	  "{Rdy*16} {Rdy*16}", "{Rd*16} {Rd*16}" },
	{ "three physically contiguous 64K folios: read-only and shared",
	  { "{Wdyx*16} +{Rdy*16} +{Wdyx*16}", .prot = RW },
	  "{Rdy*16} +{Rdy*16} +{Rdy*16}", "{Rd*16} +{Rd*16} +{Rd*16}" },
	{ "four physically contiguous small folios: read-only and shared",
	  { "Wdyx +Rdy +Wdyx +Rdyx", .prot = RW },
	  "Rdy +Rdy*3", "Rd +Rd*3" },
	{ "folios of orders 0 to 4 and an empty PTE: read-only and shared",
	  { "Wdyx {Wdyx*2} {Rdyx*4} Wdyx {Wdyx*16} {Rdy*8} - Wdyx*3", .prot = RW },
	  "Rdy {Rdy*2} {Rdy*4} Rdy {Rdy*16} {Rdy*8} - Rdy*3",
	  "Rd {Rd*2} {Rd*4} Rd {Rd*16} {Rd*8} - Rd*3" },
	{ "64K folio across a page table boundary: read-only and shared",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Rdy*16}", "@-8 {Rd*16}" },
	{ "2M folio across a page table boundary: read-only and shared",
	  { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Rdy*T}", "@T/2 {Rd*T}" },
	{ "three page tables, the middle one missing: folios read-only and shared",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW },
	  "@-2 {Rdy*2} -*T {Rdy*2}", "@-2 {Rd*2} -*T {Rd*2}" },
	{ "three page tables full of 64K folios: read-only and shared",
	  { "{Wdyx*16}*96", .prot = RW }, "{Rdy*16}*96", "{Rd*16}*96" },
	{ "64K folio in two VMAs: read-only and shared in both VMAs",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio in three VMAs, dirty in the second: dirty kept per PTE",
	  { "{Wyx*5 ; Wdyx*4 ; Wyx*7}", .prot = RW },
	  "{Ry*5 Rdy*4 Ry*7}", "{R*5 Rd*4 R*7}" },
	{ "64K folio, protection key 5: key kept in parent and child",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, "{Rdy*16}", "{Rd*16}" },
	{ "executable 64K folio: executable in parent and child",
	  { "{Rdyx*16}", .prot = RO | PROT_EXEC }, "{Rdy*16}", "{Rd*16}" },
	{ "64K droppable folio: unchanged, the child has no entries",
	  { "{Wdyx*16}", .prot = RW, .droppable = true },
	  "{Wdyx*16}", "-*16" },

	/* File mappings: copied only if faults cannot restore all entries. */
	{ "64K shmem folio: not copied, left to faults of the child",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", "-*16" },
	{ "64K shmem folio and guards: copied, child's PTEs clean and old",
	  { "{Wdy*16} G*2", PTEBATCH_SHMEM, RW, .guarded = true },
	  "{Wdy*16} G*2", "{W*16} G*2" },
	{ "64K shmem folio, young and old, dirty and clean: child's PTEs clean and old",
	  { "{Wdy*4 Wd*4 Wy*4 W*4}", PTEBATCH_SHMEM, RW, .guarded = true },
	  "{Wdy*4 Wd*4 Wy*4 W*4}", "{W*16}" },
	{ "64K shmem folio, read-only VMA: child's PTEs read-only, clean and old",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO, .guarded = true },
	  "{Rdy*8 Ry*8}", "{R*16}" },
	{ "13 pages of a 64K shmem folio in two page tables: child's PTEs clean and old",
	  { "@-5 {.*3 Wdy*13}", PTEBATCH_SHMEM, RW, .guarded = true },
	  "@-5 {.*3 Wdy*13}", "@-5 {.*3 W*13}" },
	{ "64K file folio, all PTEs writable and dirty: child's PTEs writable and clean",
	  { "{Wdy*16} G", PTEBATCH_FILE, RW, .guarded = true },
	  "{Wdy*16} G", "{W*16} G" },
	{ "64K file folio, all PTEs read-only for write notification: child's PTEs read-only",
	  { "{Ry*16}", PTEBATCH_FILE, RW, .guarded = true },
	  "{Ry*16}", "{R*16}" },
	{ "64K file folio, only the first PTE writable: only the child's first PTE writable",
	  { "{Wdy Ry*15}", PTEBATCH_FILE, RW, .guarded = true },
	  "{Wdy Ry*15}", "{W R*15}" },
	{ "64K file folio, only the last PTE writable: only the child's last PTE writable",
	  { "{Ry*15 Wdy}", PTEBATCH_FILE, RW, .guarded = true },
	  "{Ry*15 Wdy}", "{R*15 W}" },
	{ "private file mapping of a 64K page cache folio: child's PTEs old",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*16}", "{R*16}" },
	{ "private file mapping, second half of a page cache folio dirty: dirty kept per PTE",
	  { "{Ry*8 Rdy*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*8 Rdy*8}", "{R*8 Rd*8}" },
	{ "private file mapping, copy between page cache folios: copy read-only and shared",
	  { "{Ry*4} {Wdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*4} {Rdy*4} {Ry*4}", "{R*4} {Rd*4} {R*4}" },

	/* PTEs without a folio are copied, without rmap and reference. */
	{ "zero page in and between folios: unchanged in the parent, old in the child",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz", .prot = RW },
	  "Rzy {Rdy*4 Rzy*4 Rdy*8} Rz", "Rz {Rd*4 Rz*4 Rd*8} Rz" },
	{ "zero page, first of 2 PTEs soft-dirty: first soft-dirty in parent and child",
	  { "Rzys Rzy", .prot = RW, .track = true }, "Rzys Rzy", "Rzs Rz" },
	{ "zero page, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "Rzyu Rzy", .prot = RW, .uffd_wp = true,
	    .uffd_not_inherited = true }, "Rzyu Rzy", "Rz*2" },
	{ "KSM pages between exclusive pages: shared with the child",
	  { "Wdyx Rdyk*2 Wdyx", .prot = RW }, "Rdy Rdyk*2 Rdy", "Rd Rdk*2 Rd" },
	{ "special PTEs between PTEs of the same 64K folio: stay read-only and special",
	  { "{Wdyx*4 Rdpy*4 Wdyx*8}", .prot = RW, .mixedmap = true },
	  "{Rdy*4 Rdpy*4 Rdy*8}", "{Rd*4 Rdp*4 Rd*8}" },
	{ "special PTEs of shmem, dirty and clean: child's PTEs writable, clean and old",
	  { "{Wdpy*4 Wpy*4}", PTEBATCH_SHMEM, RW, .mixedmap = true },
	  "{Wdpy*4 Wpy*4}", "{Wp*8}" },

	/* Device entries. */
	{ "device-private entries, writable, exclusive and shared: all readable and shared",
	  { "Dwx {Dwx*8 Dx*4 D*4}", .prot = RW }, "D {D*16}", "D {D*16}" },
	{ "device-private entries, uffd-wp on 2 of 4: uffd-wp in parent and child",
	  { "{Dxu*2 Dwx*2}", .prot = RW, .uffd_wp = true },
	  "{Du*2 D*2}", "{Du*2 D*2}" },
	{ "device-exclusive entries in a 32K folio: become present, read-only and shared",
	  { "{Wdyx*2 Ex*2 Wdyx*4}", .prot = RW },
	  "{Rdy*2 R*2 Rdy*4}", "{Rd*2 R*2 Rd*4}" },
	{ "device-exclusive entries, soft-dirty on 2 of 4: soft-dirty in parent and child",
	  { "{Exs*2 Ex*2}", .prot = RW, .track = true },
	  "{Rs*2 R*2}", "{Rs*2 R*2}" },

	/* Rule 6: uffd bits follow userfaultfd to the child. */
	{ "64K folio, 8 PTEs uffd-wp, userfaultfd inherited: the same 8 uffd-wp in the child",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyu*4 Rdy*8 Rdyu*4}", "{Rdu*4 Rd*8 Rdu*4}" },
	{ "64K folio, 8 PTEs uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd_wp = true,
	    .uffd_not_inherited = true },
	  "{Rdyu*4 Rdy*8 Rdyu*4}", "{Rd*16}" },
	{ "64K folio, 8 PTEs PROT_NONE and uffd-wp, not inherited: PROT_NONE without uffd-wp",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd_wp = true,
	    .uffd_not_inherited = true },
	  "{Ndyu*8 Rdy*8}", "{Nd*8 Rd*8}" },
	{ "64K folio, 8 PTEs uffd-rwp, userfaultfd inherited: the same 8 uffd-rwp in the child",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd_rwp = true },
	  "{Ndyu*4 Rdy*8 Ndyu*4}", "{Ndu*4 Rd*8 Ndu*4}" },
	{ "64K folio, 8 PTEs uffd-rwp, userfaultfd not inherited: all PTEs readable in the child",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd_rwp = true,
	    .uffd_not_inherited = true },
	  "{Ndyu*4 Rdy*8 Ndyu*4}", "{Rd*16}" },
	{ "64K folio, 4 PTEs uffd-rwp, 8 PROT_NONE, not inherited: only these 4 become readable",
	  { "{Ndyux*4 Ndyx*8 Wdyx*4}", .prot = RW, .uffd_rwp = true,
	    .uffd_not_inherited = true },
	  "{Ndyu*4 Ndy*8 Rdy*4}", "{Rd*4 Nd*8 Rd*4}" },
	{ "64K shmem folio, uffd-wp PTEs and markers, inherited: the same in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "{Rdyu*4 Wdy*12} U*2 P", "{Ru*4 W*12} U*2 P" },
	{ "64K shmem folio, uffd-wp PTEs and markers, not inherited: no uffd-wp in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd_wp = true,
	    .guarded = true, .uffd_not_inherited = true },
	  "{Rdyu*4 Wdy*12} U*2 P", "{R*4 W*12} -*2 P" },

	/* Rule 15: non-present entries. */
	{ "64K folio, 6 swap entries, 4 of them exclusive: all shared in parent and child",
	  { "{Sx*4 S*2 Wdyx*10}", .prot = RW, .swap = true },
	  "{S*6 Rdy*10}", "{S*6 Rd*10}" },
	{ "64K folio, 4 of 8 swap entries soft-dirty: these 4 soft-dirty in parent and child",
	  { "{Ssx*4 Sx*4 Wdysx*8}", .prot = RW, .swap = true, .track = true },
	  "{Ss*4 S*4 Rdys*8}", "{Ss*4 S*4 Rds*8}" },
	{ "16 swap entries, 12 uffd-wp, inherited: the same 12 uffd-wp in parent and child",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .swap = true, .uffd_wp = true },
	  "{Su*4 S*4 Su*8}", "{Su*4 S*4 Su*8}" },
	{ "16 swap entries, 12 uffd-wp, not inherited: no uffd-wp in the child",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .swap = true, .uffd_wp = true,
	    .uffd_not_inherited = true },
	  "{Su*4 S*4 Su*8}", "{S*16}" },
	{ "migration entries, writable and exclusive: read-only and shared in parent and child",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW },
	  "{M*12 Rdy*4}", "{M*12 Rd*4}" },
	{ "shmem migration entries, 4 of 8 writable: the same 4 writable in the child",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW, .guarded = true },
	  "{Mw*4 M*4 Wdy*8}", "{Mw*4 M*4 W*8}" },
	{ "16 migration entries, 8 of them soft-dirty: these 8 soft-dirty in parent and child",
	  { "{Mws*4 Mxs*4 M*8}", .prot = RW, .track = true },
	  "{Ms*8 M*8}", "{Ms*8 M*8}" },
	{ "16 migration entries, 12 uffd-wp, not inherited: no uffd-wp in the child",
	  { "{Mxu*4 Mw*4 Mu*8}", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true },
	  "{Mu*4 M*4 Mu*8}", "{M*16}" },
	{ "poison and guard markers between 8K folios: copied to the child",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW },
	  "{Rdy*2} P G {Rdy*2} P", "{Rd*2} P G {Rd*2} P" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD-mapped folio, exclusive and writable: read-only and shared, child's PMD old",
	  { "[Wdyx]", .prot = RW }, "[Rdy]", "[Rd]" },
	{ "PMD-mapped folio, shared already: stays shared, child's PMD old",
	  { "[Rdy]", .prot = RW }, "[Rdy]", "[Rd]" },
	{ "PMD-mapped folio, clean: read-only, shared and clean in parent and child",
	  { "[Wyx]", .prot = RW }, "[Ry]", "[R]" },
	{ "PMD-mapped folio, soft-dirty: soft-dirty in parent and child",
	  { "[Wdysx]", .prot = RW, .track = true }, "[Rdys]", "[Rds]" },
	{ "PMD-mapped folio, uffd-wp, userfaultfd inherited: child's PMD uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true }, "[Rdyu]", "[Rdu]" },
	{ "PMD-mapped folio, uffd-wp, userfaultfd not inherited: child's PMD not uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true },
	  "[Rdyu]", "[Rd]" },
	{ "huge zero page: unchanged in the parent, child's PMD old",
	  { "Rzy*T {Wdyx*4}", .prot = RW, .huge_zero = true },
	  "Rzy*T {Rdy*4}", "Rz*T {Rd*4}" },
	{ "PMD migration entry, writable: readable and shared in parent and child",
	  { "[Mw]", .prot = RW }, "[M]", "[M]" },
	{ "PMD migration entry, exclusive and soft-dirty: shared and soft-dirty in both",
	  { "[Mxs]", .prot = RW, .track = true }, "[Ms]", "[Ms]" },
	{ "PMD migration entry, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "[Mxu]", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true },
	  "[Mu]", "[M]" },
	{ "PMD-mapped folio, NUMA hint: hint and no exclusive pages in both",
	  { "[Ndyx]", .prot = RW }, "[Ndy]", "[Nd]" },
	{ "PMD-mapped folio, uffd-rwp, userfaultfd inherited: child's PMD uffd-rwp",
	  { "[Ndyux]", .prot = RW, .uffd_rwp = true }, "[Ndyu]", "[Ndu]" },
	{ "PMD-mapped folio, uffd-rwp, userfaultfd not inherited: child's PMD accessible",
	  { "[Ndyux]", .prot = RW, .uffd_rwp = true, .uffd_not_inherited = true },
	  "[Ndyu]", "[Rd]" },
	{ "huge zero page, uffd-wp, userfaultfd not inherited: child's PMD not uffd-wp",
	  { "Rzyu*T", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true,
	    .huge_zero = true }, "Rzyu*T", "Rz*T" },
	{ "PMD migration entry, exclusive, uffd-wp, userfaultfd inherited: uffd-wp in both",
	  { "[Mxu]", .prot = RW, .uffd_wp = true }, "[Mu]", "[Mu]" },
	{ "device-private PMD, writable: readable and shared in parent and child",
	  { "[Dwx]", .prot = RW }, "[D]", "[D]" },
	{ "device-private PMD, readable and exclusive: shared in parent and child",
	  { "[Dx]", .prot = RW }, "[D]", "[D]" },
	{ "device-private PMD, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "[Dxu]", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true },
	  "[Du]", "[D]" },
	{ "PMD-mapped shmem folio, VMA with guards: not copied, left to faults of the child",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .guarded = true },
	  "[Wdy]", "-*T" },
	{ "PMD-mapped folio between page tables: PMD and PTEs read-only and shared",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW },
	  "@-4 {Rdy*4} [Rdy] {Rdy*4}", "@-4 {Rd*4} [Rd] {Rd*4}" },
	{ "2M folio mapped by PTEs, pages 255 and 256 shared: all read-only and shared",
	  { "{Wdyx*255 Rdy*2 Rdyx*255}", .prot = RW },
	  "{Rdy*512}", "{Rd*512}" },

	/* The parent keeps pinned exclusive pages, the child gets copies. */
	{ "pinned 64K folio, memory tags: copied with the tags of each page",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "{Wdyx*16}",
	  "{?dy*16}", .pins = 1 },
	{ "64K folio, memory tags: read-only and shared, child's PTEs old",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE },
	  "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, pinned: copied for the child, parent's PTEs unchanged",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", "{?dy*16}", .pins = 1 },
	{ "small folio, pinned: copied for the child, parent's PTE unchanged",
	  { "{Wdyx}", .prot = RW }, "{Wdyx}", "{?dy}", .pins = 1 },
	{ "64K folio, pinned, read-only VMA: copied for the child, parent's PTEs unchanged",
	  { "{Rdyx*16}", .prot = RO }, "{Rdyx*16}", "{?dy*16}", .pins = 1 },
	{ "64K folio, pinned, 5 pages exclusive: these 5 copied, 11 shared with the child",
	  { "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}", .prot = RW },
	  "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}", "{Rd*4 ?dy*4 Rd*7 ?dy}", .pins = 1 },
	{ "64K folio, pinned, all pages shared: none copied",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}", .pins = 1 },
	{ "two physically contiguous 64K folios, second pinned: only the second copied",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW },
	  "{Rdy*16} {Wdyx*16}", "{Rd*16} {?dy*16}", .pins = 1 },
	{ "32K folio, pinned, across a page table boundary: copied for the child",
	  { "@-3 {Wdyx*8}", .prot = RW }, "@-3 {Wdyx*8}", "@-3 {?dy*8}",
	  .pins = 1 },
	{ "pinned folio, pages 0, 1, 5 and 6 mapped around a hole: these 4 copied",
	  { "{Wdyx*2 - Wdyx=5*2 .}", .prot = RW },
	  "{Wdyx*2 - Wdyx=5*2 .}", "{?dy*2 - ?dy*2 .*3}", .pins = 1 },
	{ "32K folio, pinned, first half uffd-wp, inherited: copies of the first half uffd-wp",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyux*4 Wdyx*4}", "{?dyu*4 ?dy*4}", .pins = 1 },
	{ "32K folio, pinned, first half uffd-wp, not inherited: no copy uffd-wp",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd_wp = true, .uffd_not_inherited = true },
	  "{Rdyux*4 Wdyx*4}", "{?dy*8}", .pins = 1 },
	{ "PMD-mapped folio, pinned: PMD split, all pages copied for the child",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", "{?dy*T}", .pins = 1 },
	{ "64K file folio, pinned: not copied, mapped by the child",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .guarded = true },
	  "{Wdy*16}", "{W*16}", .pins = 1 },
	{ "64K folio with pin references, mm without MMF_HAS_PINNED: shared, not copied",
	  { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}",
	  .pins = 1, .never_pinned = true },

	/* Rule 20: allocation of a copy fails. */
	{ "64K folio, pinned, no memory for copies: -ENOMEM, parent unchanged, child empty",
	  { "{Wdyx*16}", .prot = RW, .no_memory_node = true },
	  "{Wdyx*16}", "-*16", .pins = 1 },
	{ "two 64K folios, second pinned, no memory for copies: -ENOMEM, only the first shared",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW, .no_memory_node = true },
	  "{Rdy*16} {Wdyx*16}", "{Rd*16} -*16", .pins = 1 },
	{ "64K folio, pinned, 5 pages shared, no memory for copies: -ENOMEM, child has these 5",
	  { "{Ry*5 Wdyx*11}", .prot = RW, .no_memory_node = true },
	  "{Ry*5 Wdyx*11}", "{R*5 -*11}", .pins = 1 },
	{ "two page tables, folio in the second pinned, no memory: -ENOMEM, first folio shared",
	  { "@-4 {Wdyx*4} {Wdyx*4}", .prot = RW, .no_memory_node = true },
	  "@-4 {Rdy*4} {Wdyx*4}", "@-4 {Rd*4} -*4", .pins = 1 },
	{ "PMD-mapped folio, pinned, no memory for copies: -ENOMEM, PMD split, child empty",
	  { "[Wdyx]", .prot = RW, .no_memory_node = true },
	  "{Wdyx*T}", "-*T", .pins = 1 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void fork_row(struct kunit *test)
{
	const struct fork_row *row = test->param_value;

	if (row->setup.no_memory_node && !IS_ENABLED(CONFIG_NUMA))
		kunit_skip(test, "no memory policy without CONFIG_NUMA");
	check_row(test, row);
}

/* Each kind of folio in each order, whole and in part. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before, *parent, *child;
	unsigned int pins;
} kinds[] = {
	{ "anonymous folio: read-only and shared, child's PTEs old",
	  { .prot = RW }, "Wdyx", "Rdy", "Rd" },
	{ "pinned folio: copied for the child",
	  { .prot = RW }, "Wdyx", "Wdyx", "?dy", 3 },
	{ "file folio: child's PTEs writable, clean and old",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", "Wdy", "W" },
	{ "shmem folio: child's PTEs writable, clean and old",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", "Wdy", "W" },
};

PTEBATCH_ORDER_PARAMS(fork_order, kinds);

/* Only pages @from to @to - 1 of the folio are mapped. */
static bool check_part(struct kunit *test, unsigned int from, unsigned int to)
{
	static const char format[] = "{.*%u %s*%u .*%u}";
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	unsigned int nr = 1U << param->order;
	struct fork_row row = { .setup = kind->setup, .pins = kind->pins };

	row.setup.picture = ptebatch_draw(test, format, from, kind->before,
					  to - from, nr - to);
	row.parent = ptebatch_draw(test, format, from, kind->parent, to - from,
				   nr - to);
	row.child = ptebatch_draw(test, format, from, kind->child, to - from,
				  nr - to);
	row.setup.guarded = ptebatch_shared(kind->setup.mapping);
	return check_row(test, &row);
}

static void fork_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	if (check_part(test, 0, nr) && nr >= 4 && check_part(test, 1, nr - 1))
		check_part(test, nr / 2 - 1, nr);
}

/* The first allocation of a swap extend table fails, the retry succeeds. */

/* Largest swap count that needs no extend table. */
#define MAX_PLAIN_COUNT	(SWP_TB_COUNT_MAX - 1)

/* Entry of the picture whose swap count cannot grow without an extend table. */
static unsigned int full_at;

static void prepare_full(struct ptebatch_trial *parent, const void *data)
{
	KUNIT_ASSERT_EQ(parent->test, 0,
			ptebatch_swap_dup(parent->space->folios[0], full_at,
					  MAX_PLAIN_COUNT - 1));
}

static void undo_full(struct ptebatch_trial *parent, const void *data)
{
	ptebatch_swap_put(parent->space->folios[0], full_at, MAX_PLAIN_COUNT - 1);
}

static void fork_swap_count(struct kunit *test)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4 Sx*12}", .prot = RW, .swap = true, .fail_alloc = true,
	};
	const struct ptebatch_run run = {
		.op = &ptebatch_copy, .setup = &setup,
		.after = "{Rdy*4 S*12}", .second = "{Rd*4 S*12}",
		.prepare = prepare_full, .undo = undo_full,
	};

	if (!IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "cannot make an allocation fail without CONFIG_FAILSLAB");
	for (full_at = 4; full_at < 16; full_at++)
		if (!ptebatch_row_run(test, &run))
			return;
}

static struct kunit_case fork_cases[] = {
	KUNIT_CASE_PARAM(fork_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(fork_order),
	KUNIT_CASE(fork_swap_count),
	{}
};

PTEBATCH_SUITE(memory_fork, fork_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
