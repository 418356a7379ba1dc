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

#include "../lib/arch/arch.h"
#include "../lib/check/contents.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/op.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Does the child get a VMA without its entries? */
static bool is_wiped(const struct ptebatch_setup *setup)
{
	return (setup->vma | setup->next_vma) & (VM_WIPEONFORK | VM_DROPPABLE);
}

/* Does fork() copy the PTEs, or leave them to faults of the child? */
static bool is_copied(const struct ptebatch_setup *setup)
{
	return !ptebatch_shared(setup->mapping) || setup->vma & VM_MAYBE_GUARD ||
	       setup->vma & VM_MIXEDMAP ||
	       ((setup->uffd & (UFFD_WP | UFFD_RWP)) && !(setup->uffd & NOT_INHERITED));
}

/* The model covers neither copies of pinned pages nor uncopied entries. */
static bool is_modelled(const struct ptebatch_case *row)
{
	const struct ptebatch_setup *setup = &row->setup;

	if (!is_copied(setup) || is_wiped(setup) ||
	    (row->with[0].type && row->with[1].type != &ptebatch_condition_no_mm_flag))
		return false;
	/* The PMD of a file folio is not copied: a fault maps it. */
	return setup->mapping == PTEBATCH_ANON || !strchr(setup->picture, '[');
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

	KUNIT_EXPECT_EQ_MSG(test, !!pte_write(pte), writable,
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

static void check(struct ptebatch_trial *parent, const struct ptebatch_case *row)
{
	expect_no_dirty_spread(parent, false);
	expect_no_dirty_spread(parent->second,
			       ptebatch_shared(parent->space->setup.mapping));
	expect_copies(parent->second);
}

static bool check_row(struct kunit *test, const struct ptebatch_case *of)
{
	struct ptebatch_case row = *of;

	row.op = &ptebatch_copy;
	row.filled = row.with[0].type;
	row.no_model = !is_modelled(of);
	row.check = check;
	/* ptebatch_copy copies despite VM_WIPEONFORK. */
	if (!is_wiped(&row.setup) && !ptebatch_case_run(test, &row))
		return false;
	/* dup_mmap() leaves a child that it cannot copy unfinished. */
	if (row.setup.uffd & NOT_INHERITED || row.ret)
		return true;
	row.op = &ptebatch_dup_mmap;
	return ptebatch_case_run(test, &row);
}

static const struct ptebatch_case rows[] = {
	{ "64K folio, exclusive and writable: read-only and shared, child's PTEs old",
	  { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio, exclusive, read-only VMA: shared, child's PTEs old",
	  { "{Rdyx*16}", .prot = RO }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio, shared already: stays shared, child's PTEs old",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio, PROT_NONE VMA: PROT_NONE and shared in parent and child",
	  { "{Ndyx*16}", .prot = NONE }, "{Ndy*16}", .second = "{Nd*16}" },
	{ "64K folio in an mlocked VMA: read-only and shared in parent and child",
	  { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED }, "{Rdy*16}",
	  .second = "{Rd*16}" },
	{ "64K lazyfree folio, second half dirty: read-only and shared, dirty kept per PTE",
	  { "{Wyxl*8 Wdyxl*8}", .prot = RW }, "{Ryl*8 Rdyl*8}",
	  .second = "{Rl*8 Rdl*8}" },
	{ "small folios and an empty PTE: read-only and shared, dirty kept per PTE",
	  { "Wdyx Rdyx Rdy - Wyx Wx", .prot = RW }, "Rdy*3 - Ry R",
	  .second = "Rd*3 - R*2" },

	/* Rule 5: fork() shares the pages, none stays exclusive. */
	{ "64K folio, second half shared: all pages shared in parent and child",
	  { "{Rdyx*8 Rdy*8}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio, only the last page exclusive: all pages shared in parent and child",
	  { "{Rdy*15 Rdyx}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "32K folio, every other page shared: all pages shared in parent and child",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RW }, "{Rdy*8}",
	  .second = "{Rd*8}" },

	/* Rule 3: no batch ends where writable changes, as all PTEs lose it. */
	{ "64K folio, only the last PTE writable: all PTEs read-only",
	  { "{Rdyx*15 Wdyx}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio, only the first PTE writable: all PTEs read-only",
	  { "{Wdyx Rdyx*15}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "32K folio, every other PTE writable: all PTEs read-only",
	  { "{Wdyx Rdyx Wdyx Rdy Wdyx Rdyx Wdyx Rdy}", .prot = RW }, "{Rdy*8}",
	  .second = "{Rd*8}" },
	{ "64K folio, PTEs 4 to 7 PROT_NONE: these stay PROT_NONE, the rest read-only",
	  { "{Wdyx*4 Ndyx*4 Wdyx*8}", .prot = RW }, "{Rdy*4 Ndy*4 Rdy*8}",
	  .second = "{Rd*4 Nd*4 Rd*8}" },

	/* Rule 3: batches end where dirty or soft-dirty changes. */
	{ "64K folio, young and old, dirty and clean PTEs: dirty kept per PTE",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW }, "{Rdy*4 Rd*4 Ry*4 R*4}",
	  .second = "{Rd*8 R*8}" },
	{ "64K folio, only the first PTE dirty: only the first dirty in parent and child",
	  { "{Wdyx Wyx*15}", .prot = RW }, "{Rdy Ry*15}", .second = "{Rd R*15}" },
	{ "64K folio, only the last PTE dirty: only the last dirty in parent and child",
	  { "{Wyx*15 Wdyx}", .prot = RW }, "{Ry*15 Rdy}", .second = "{R*15 Rd}" },
	{ "64K folio, only the first PTE young: kept in the parent, child's PTEs old",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Rdy Rd*15}", .second = "{Rd*16}" },
	{ "64K folio, only the last PTE young: kept in the parent, child's PTEs old",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Rd*15 Rdy}", .second = "{Rd*16}" },
	{ "64K folio, first 4 PTEs soft-dirty: first 4 soft-dirty in parent and child",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true }, "{Rdys*4 Rdy*12}",
	  .second = "{Rds*4 Rd*12}" },
	{ "64K folio, last PTE soft-dirty: only the last soft-dirty in parent and child",
	  { "{Wdyx*15 Wdysx}", .prot = RW, .track = true }, "{Rdy*15 Rdys}",
	  .second = "{Rd*15 Rds}" },
	{ "64K folio, clean, first half soft-dirty: first half soft-dirty in parent and child",
	  { "{Wysx*8 Wyx*8}", .prot = RW, .track = true }, "{Rys*8 Ry*8}",
	  .second = "{Rs*8 R*8}" },

	/* Rules 2, 3 and 4: page order, holes, boundaries. */
	{ "64K folio with a hole of 4 PTEs: the same hole in the child",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, "{Rdy*6 -*4 Rdy*6}",
	  .second = "{Rd*6 -*4 Rd*6}" },
	{ "64K folio, pages 6 to 9 left out between adjacent PTEs: each PTE keeps its page",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW }, "{Rdy*6 .*4 Rdy*6}",
	  .second = "{Rd*6 .*4 Rd*6}" },
	{ "folio mapped in the order of pages 3, 1, 2, 0: each PTE keeps its page",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW },
	  "{Rdy=3 Rdy=1 Rdy=2 Rdy=0 .*3}", .second = "{Rd=3 Rd=1 Rd=2 Rd=0 .*3}" },
	{ "64K folio, second and third quarters exchanged: each PTE keeps its page",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW },
	  "{Rdy*4 Rdy=8*4 Rdy=4*4 Rdy=12*4}",
	  .second = "{Rd*4 Rd=8*4 Rd=4*4 Rd=12*4}" },
	{ "last 11 pages of a 64K folio, then a small folio: read-only and shared",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW }, "{.*5 Rdy*11} Rdy",
	  .second = "{.*5 Rd*11} Rd" },
	{ "first 5 pages of a 64K folio, then a small folio: read-only and shared",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW }, "{Rdy*5 .*11} Rdy",
	  .second = "{Rd*5 .*11} Rd" },
	{ "64K folio, virtual address not 64K-aligned: read-only and shared",
	  { "@3 {Wdyx*16}", .prot = RW }, "@3 {Rdy*16}", .second = "@3 {Rd*16}" },
	{ "two 64K folios: read-only and shared",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "{Rdy*16} {Rdy*16}",
	  .second = "{Rd*16} {Rd*16}" },
	{ "three physically contiguous 64K folios: read-only and shared",
	  { "{Wdyx*16} +{Rdy*16} +{Wdyx*16}", .prot = RW },
	  "{Rdy*16} +{Rdy*16} +{Rdy*16}", .second = "{Rd*16} +{Rd*16} +{Rd*16}" },
	{ "four physically contiguous small folios: read-only and shared",
	  { "Wdyx +Rdy +Wdyx +Rdyx", .prot = RW }, "Rdy +Rdy*3",
	  .second = "Rd +Rd*3" },
	{ "folios of orders 0 to 4 and an empty PTE: read-only and shared",
	  { "Wdyx {Wdyx*2} {Rdyx*4} Wdyx {Wdyx*16} {Rdy*8} - Wdyx*3", .prot = RW },
	  "Rdy {Rdy*2} {Rdy*4} Rdy {Rdy*16} {Rdy*8} - Rdy*3",
	  .second = "Rd {Rd*2} {Rd*4} Rd {Rd*16} {Rd*8} - Rd*3" },
	{ "64K folio across a page table boundary: read-only and shared",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Rdy*16}",
	  .second = "@-8 {Rd*16}" },
	{ "2M folio across a page table boundary: read-only and shared",
	  { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Rdy*T}",
	  .second = "@T/2 {Rd*T}" },
	{ "three page tables, the middle one missing: folios read-only and shared",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW }, "@-2 {Rdy*2} -*T {Rdy*2}",
	  .second = "@-2 {Rd*2} -*T {Rd*2}" },
	{ "three page tables full of 64K folios: read-only and shared",
	  { "{Wdyx*16}*T/16 {Wdyx*16}*T/16 {Wdyx*16}*T/16", .prot = RW },
	  "{Rdy*16}*T/16 {Rdy*16}*T/16 {Rdy*16}*T/16",
	  .second = "{Rd*16}*T/16 {Rd*16}*T/16 {Rd*16}*T/16" },
	{ "64K folio in two VMAs: read-only and shared in both VMAs",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "64K folio in three VMAs, dirty in the second: dirty kept per PTE",
	  { "{Wyx*5 ; Wdyx*4 ; Wyx*7}", .prot = RW }, "{Ry*5 Rdy*4 Ry*7}",
	  .second = "{R*5 Rd*4 R*7}" },
	{ "64K folio, protection key 5: key kept in parent and child",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, "{Rdy*16}", .second = "{Rd*16}" },
	{ "executable 64K folio: executable in parent and child",
	  { "{Rdyx*16}", .prot = RO | PROT_EXEC }, "{Rdy*16}",
	  .second = "{Rd*16}" },
	{ "64K droppable folio: unchanged, the child has no entries",
	  { "{Wdyxl*16}", .prot = RW, .vma = VM_DROPPABLE }, "{Wdyxl*16}",
	  .second = "-*16" },

	/* File mappings: copied only if faults cannot restore all entries. */
	{ "64K shmem folio: not copied, left to faults of the child",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", .second = "-*16" },
	{ "64K shmem folio and guards: copied, child's PTEs clean and old",
	  { "{Wdy*16} G*2", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD }, "{Wdy*16} G*2",
	  .second = "{W*16} G*2" },
	{ "64K shmem folio, young and old, dirty and clean: child's PTEs clean and old",
	  { "{Wdy*4 Wd*4 Wy*4 W*4}", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD },
	  "{Wdy*4 Wd*4 Wy*4 W*4}", .second = "{W*16}" },
	{ "64K shmem folio, read-only VMA: child's PTEs read-only, clean and old",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO, .vma = VM_MAYBE_GUARD }, "{Rdy*8 Ry*8}",
	  .second = "{R*16}" },
	{ "13 pages of a 64K shmem folio in two page tables: child's PTEs clean and old",
	  { "@-5 {.*3 Wdy*13}", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD },
	  "@-5 {.*3 Wdy*13}", .second = "@-5 {.*3 W*13}" },
	{ "64K file folio, all PTEs writable and dirty: child's PTEs writable and clean",
	  { "{Wdy*16} G", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "{Wdy*16} G",
	  .second = "{W*16} G" },
	{ "64K file folio, all PTEs read-only for write notification: child's PTEs read-only",
	  { "{Ry*16}", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "{Ry*16}",
	  .second = "{R*16}" },
	{ "64K file folio, only the first PTE writable: only the child's first PTE writable",
	  { "{Wdy Ry*15}", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "{Wdy Ry*15}",
	  .second = "{W R*15}" },
	{ "64K file folio, only the last PTE writable: only the child's last PTE writable",
	  { "{Ry*15 Wdy}", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "{Ry*15 Wdy}",
	  .second = "{R*15 W}" },
	{ "private file mapping of a 64K page cache folio: child's PTEs old",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*16}", .second = "{R*16}" },
	{ "private file mapping, second half of a page cache folio dirty: dirty kept per PTE",
	  { "{Ry*8 Rdy*8}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*8 Rdy*8}",
	  .second = "{R*8 Rd*8}" },
	{ "private file mapping, copy between page cache folios: copy read-only and shared",
	  { "{Ry*4} {Wdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*4} {Rdy*4} {Ry*4}", .second = "{R*4} {Rd*4} {R*4}" },

	/* PTEs without a folio are copied, without rmap and reference. */
	{ "zero page in and between folios: unchanged in the parent, old in the child",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz", .prot = RW },
	  "Rzy {Rdy*4 Rzy*4 Rdy*8} Rz", .second = "Rz {Rd*4 Rz*4 Rd*8} Rz" },
	{ "zero page, first of 2 PTEs soft-dirty: first soft-dirty in parent and child",
	  { "Rzys Rzy", .prot = RW, .track = true }, "Rzys Rzy",
	  .second = "Rzs Rz" },
	{ "zero page, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "Rzyu Rzy", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "Rzyu Rzy", .second = "Rz*2" },
	{ "zero pages of KSM: unchanged in the parent, old in the child, counted in both",
	  { "Rdzy*2 Wdyx Rzy Rdz", .prot = RW }, "Rdzy*2 Rdy Rzy Rdz",
	  .second = "Rdz*2 Rd Rz Rdz" },
	{ "zero pages of KSM, VM_WIPEONFORK: unchanged, the child has none and counts none",
	  { "Rdzy*2 Wdyx", .prot = RW, .vma = VM_WIPEONFORK }, "Rdzy*2 Wdyx",
	  .second = "-*3" },
	{ "zero pages of KSM, second VMA VM_WIPEONFORK: the child counts those of the first",
	  { "Rdzy*2 ; Rdzy*3", .prot = RW, .next_vma = VM_WIPEONFORK }, "Rdzy*5",
	  .second = "Rdz*2 -*3" },
	{ "KSM pages between exclusive pages: shared with the child",
	  { "Wdyx Rdyk*2 Wdyx", .prot = RW }, "Rdy Rdyk*2 Rdy",
	  .second = "Rd Rdk*2 Rd" },
	{ "special PTEs between PTEs of the same 64K folio: stay read-only and special",
	  { "{Wdyx*4 Rdpy*4 Wdyx*8}", .prot = RW, .vma = VM_MIXEDMAP },
	  "{Rdy*4 Rdpy*4 Rdy*8}", .second = "{Rd*4 Rdp*4 Rd*8}" },
	{ "special PTEs of shmem, dirty and clean: child's PTEs writable, clean and old",
	  { "{Wdpy*4 Wpy*4}", PTEBATCH_SHMEM, RW, .vma = VM_MIXEDMAP },
	  "{Wdpy*4 Wpy*4}", .second = "{Wp*8}" },

	/* Device entries. */
	{ "device-private entries, writable, exclusive and shared: all readable and shared",
	  { "Dwx {Dwx*8 Dx*4 D*4}", .prot = RW }, "D {D*16}",
	  .second = "D {D*16}" },
	{ "device-private entries, uffd-wp on 2 of 4: uffd-wp in parent and child",
	  { "{Dxu*2 Dwx*2}", .prot = RW, .uffd = UFFD_WP }, "{Du*2 D*2}",
	  .second = "{Du*2 D*2}" },
	{ "device-exclusive entries in a 32K folio: become present, read-only and shared",
	  { "{Wdyx*2 Ex*2 Wdyx*4}", .prot = RW }, "{Rdy*2 R*2 Rdy*4}",
	  .second = "{Rd*2 R*2 Rd*4}" },
	{ "device-exclusive entries, soft-dirty on 2 of 4: soft-dirty in parent and child",
	  { "{Exs*2 Ex*2}", .prot = RW, .track = true }, "{Rs*2 R*2}",
	  .second = "{Rs*2 R*2}" },

	/* Rule 6: uffd bits follow userfaultfd to the child. */
	{ "64K folio, 8 PTEs uffd-wp, userfaultfd inherited: the same 8 uffd-wp in the child",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd = UFFD_WP },
	  "{Rdyu*4 Rdy*8 Rdyu*4}", .second = "{Rdu*4 Rd*8 Rdu*4}" },
	{ "64K folio, 8 PTEs uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "{Rdyu*4 Rdy*8 Rdyu*4}",
	  .second = "{Rd*16}" },
	{ "64K folio, 8 PTEs PROT_NONE and uffd-wp, not inherited: PROT_NONE without uffd-wp",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED }, "{Ndyu*8 Rdy*8}",
	  .second = "{Nd*8 Rd*8}" },
	{ "64K folio, 8 PTEs uffd-rwp, userfaultfd inherited: the same 8 uffd-rwp in the child",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd = UFFD_RWP },
	  "{Ndyu*4 Rdy*8 Ndyu*4}", .second = "{Ndu*4 Rd*8 Ndu*4}" },
	{ "64K folio, 8 PTEs uffd-rwp, userfaultfd not inherited: all PTEs readable in the child",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd = UFFD_RWP | NOT_INHERITED },
	  "{Ndyu*4 Rdy*8 Ndyu*4}",
	  .second = "{Rd*16}" },
	{ "64K folio, 4 PTEs uffd-rwp, 8 PROT_NONE, not inherited: only these 4 become readable",
	  { "{Ndyux*4 Ndyx*8 Wdyx*4}", .prot = RW, .uffd = UFFD_RWP | NOT_INHERITED },
	  "{Ndyu*4 Ndy*8 Rdy*4}",
	  .second = "{Rd*4 Nd*8 Rd*4}" },
	{ "64K shmem folio, uffd-wp PTEs and markers, inherited: the same in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "{Rdyu*4 Wdy*12} U*2 P", .second = "{Ru*4 W*12} U*2 P" },
	{ "64K shmem folio, uffd-wp PTEs and markers, not inherited: no uffd-wp in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP | NOT_INHERITED,
	    .vma = VM_MAYBE_GUARD }, "{Rdyu*4 Wdy*12} U*2 P",
	  .second = "{R*4 W*12} -*2 P" },

	/* Rule 15: non-present entries. */
	{ "64K folio, 6 swap entries, 4 of them exclusive: all shared in parent and child",
	  { "{Sx*4 S*2 Wdyx*10}", .prot = RW, .folios = WITH_SWAP }, "{S*6 Rdy*10}",
	  .second = "{S*6 Rd*10}" },
	{ "64K folio, 4 of 8 swap entries soft-dirty: these 4 soft-dirty in parent and child",
	  { "{Ssx*4 Sx*4 Wdysx*8}", .prot = RW, .folios = WITH_SWAP, .track = true },
	  "{Ss*4 S*4 Rdys*8}", .second = "{Ss*4 S*4 Rds*8}" },
	{ "16 swap entries, 12 uffd-wp, inherited: the same 12 uffd-wp in parent and child",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP },
	  "{Su*4 S*4 Su*8}", .second = "{Su*4 S*4 Su*8}" },
	{ "16 swap entries, 12 uffd-wp, not inherited: no uffd-wp in the child",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP | NOT_INHERITED },
	  "{Su*4 S*4 Su*8}", .second = "{S*16}" },
	{ "migration entries, writable and exclusive: read-only and shared in parent and child",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "{M*12 Rdy*4}",
	  .second = "{M*12 Rd*4}" },
	{ "shmem migration entries, 4 of 8 writable: the same 4 writable in the child",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD },
	  "{Mw*4 M*4 Wdy*8}", .second = "{Mw*4 M*4 W*8}" },
	{ "16 migration entries, 8 of them soft-dirty: these 8 soft-dirty in parent and child",
	  { "{Mws*4 Mxs*4 M*8}", .prot = RW, .track = true }, "{Ms*8 M*8}",
	  .second = "{Ms*8 M*8}" },
	{ "16 migration entries, 12 uffd-wp, not inherited: no uffd-wp in the child",
	  { "{Mxu*4 Mw*4 Mu*8}", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED }, "{Mu*4 M*4 Mu*8}",
	  .second = "{M*16}" },
	{ "poison and guard markers between 8K folios: copied to the child",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW }, "{Rdy*2} P G {Rdy*2} P",
	  .second = "{Rd*2} P G {Rd*2} P" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD-mapped folio, exclusive and writable: read-only and shared, child's PMD old",
	  { "[Wdyx]", .prot = RW }, "[Rdy]", .second = "[Rd]" },
	{ "PMD-mapped folio, shared already: stays shared, child's PMD old",
	  { "[Rdy]", .prot = RW }, "[Rdy]", .second = "[Rd]" },
	{ "PMD-mapped folio, clean: read-only, shared and clean in parent and child",
	  { "[Wyx]", .prot = RW }, "[Ry]", .second = "[R]" },
	{ "PMD-mapped folio, soft-dirty: soft-dirty in parent and child",
	  { "[Wdysx]", .prot = RW, .track = true }, "[Rdys]", .second = "[Rds]" },
	{ "PMD-mapped folio, uffd-wp, userfaultfd inherited: child's PMD uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "[Rdyu]", .second = "[Rdu]" },
	{ "PMD-mapped folio, uffd-wp, userfaultfd not inherited: child's PMD not uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "[Rdyu]", .second = "[Rd]" },
	{ "huge zero page: unchanged in the parent, child's PMD old",
	  { "[Rzy] {Wdyx*4}", .prot = RW }, "[Rzy] {Rdy*4}",
	  .second = "[Rz] {Rd*4}" },
	{ "PMD migration entry, writable: readable and shared in parent and child",
	  { "[Mw]", .prot = RW }, "[M]", .second = "[M]" },
	{ "PMD migration entry, exclusive and soft-dirty: shared and soft-dirty in both",
	  { "[Mxs]", .prot = RW, .track = true }, "[Ms]", .second = "[Ms]" },
	{ "PMD migration entry, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "[Mu]", .second = "[M]" },
	{ "PMD-mapped folio, NUMA hint: hint and no exclusive pages in both",
	  { "[Ndyx]", .prot = RW }, "[Ndy]", .second = "[Nd]" },
	{ "PMD-mapped folio, uffd-rwp, userfaultfd inherited: child's PMD uffd-rwp",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "[Ndyu]",
	  .second = "[Ndu]" },
	{ "PMD-mapped folio, uffd-rwp, userfaultfd not inherited: child's PMD accessible",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP | NOT_INHERITED },
	  "[Ndyu]", .second = "[Rd]" },
	{ "huge zero page, uffd-wp, userfaultfd not inherited: child's PMD not uffd-wp",
	  { "[Rzyu]", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "[Rzyu]", .second = "[Rz]" },
	{ "PMD migration entry, exclusive, uffd-wp, userfaultfd inherited: uffd-wp in both",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP }, "[Mu]", .second = "[Mu]" },
	{ "device-private PMD, writable: readable and shared in parent and child",
	  { "[Dwx]", .prot = RW }, "[D]", .second = "[D]" },
	{ "device-private PMD, readable and exclusive: shared in parent and child",
	  { "[Dx]", .prot = RW }, "[D]", .second = "[D]" },
	{ "device-private PMD, uffd-wp, userfaultfd not inherited: no uffd-wp in the child",
	  { "[Dxu]", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED },
	  "[Du]", .second = "[D]" },
	{ "PMD-mapped shmem folio, VMA with guards: not copied, left to faults of the child",
	  { "[Wdy]", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD }, "[Wdy]",
	  .second = "-*T" },
	{ "PMD-mapped folio between page tables: PMD and PTEs read-only and shared",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW },
	  "@-4 {Rdy*4} [Rdy] {Rdy*4}", .second = "@-4 {Rd*4} [Rd] {Rd*4}" },
	{ "2M folio mapped by PTEs, pages 255 and 256 shared: all read-only and shared",
	  { "{Wdyx*255 Rdy*2 Rdyx*255}", .prot = RW }, "{Rdy*512}",
	  .second = "{Rd*512}" },

	/* The parent keeps pinned exclusive pages, the child gets copies. */
	{ "pinned 64K folio, memory tags: copied with the tags of each page",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "{Wdyx*16}",
	  .second = "{?dy*16}", .with = { PINNED(LAST_FOLIO) } },
	{ "64K folio, memory tags: read-only and shared, child's PTEs old",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "{Rdy*16}",
	  .second = "{Rd*16}" },
	{ "64K folio, pinned: copied for the child, parent's PTEs unchanged",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .second = "{?dy*16}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "small folio, pinned: copied for the child, parent's PTE unchanged",
	  { "{Wdyx}", .prot = RW }, "{Wdyx}", .second = "{?dy}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "64K folio, pinned, read-only VMA: copied for the child, parent's PTEs unchanged",
	  { "{Rdyx*16}", .prot = RO }, "{Rdyx*16}", .second = "{?dy*16}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "64K folio, pinned, 5 pages exclusive: these 5 copied, 11 shared with the child",
	  { "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}", .prot = RW }, "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}",
	  .second = "{Rd*4 ?dy*4 Rd*7 ?dy}", .with = { PINNED(LAST_FOLIO) } },
	{ "64K folio, pinned, all pages shared: none copied",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "two physically contiguous 64K folios, second pinned: only the second copied",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, "{Rdy*16} {Wdyx*16}",
	  .second = "{Rd*16} {?dy*16}", .with = { PINNED(LAST_FOLIO) } },
	{ "32K folio, pinned, across a page table boundary: copied for the child",
	  { "@-3 {Wdyx*8}", .prot = RW }, "@-3 {Wdyx*8}", .second = "@-3 {?dy*8}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "pinned folio, pages 0, 1, 5 and 6 mapped around a hole: these 4 copied",
	  { "{Wdyx*2 - Wdyx=5*2 .}", .prot = RW }, "{Wdyx*2 - Wdyx=5*2 .}",
	  .second = "{?dy*2 - ?dy*2 .*3}", .with = { PINNED(LAST_FOLIO) } },
	{ "32K folio, pinned, first half uffd-wp, inherited: copies of the first half uffd-wp",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd = UFFD_WP }, "{Rdyux*4 Wdyx*4}",
	  .second = "{?dyu*4 ?dy*4}", .with = { PINNED(LAST_FOLIO) } },
	{ "32K folio, pinned, first half uffd-wp, not inherited: no copy uffd-wp",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd = UFFD_WP | NOT_INHERITED }, "{Rdyux*4 Wdyx*4}",
	  .second = "{?dy*8}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "PMD-mapped folio, pinned: PMD split, all pages copied for the child",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", .second = "{?dy*T}",
	  .with = { PINNED(LAST_FOLIO) } },
	{ "64K file folio, pinned: not copied, mapped by the child",
	  { "{Wdy*16}", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "{Wdy*16}",
	  .second = "{W*16}", .with = { PINNED(LAST_FOLIO) } },
	{ "64K folio with pin references, mm without MMF_HAS_PINNED: shared, not copied",
	  { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*16}",
	  .with = { PINNED(LAST_FOLIO), NO_MM_FLAG(MMF_HAS_PINNED) } },

	/* Rule 20: allocation of a copy fails. */
	{ "64K folio, pinned, no memory for copies: -ENOMEM, parent unchanged, child empty",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .second = "-*16",
	  .ret = -ENOMEM, .with = { PINNED(LAST_FOLIO), NO_MEMORY_NODE } },
	{ "two 64K folios, second pinned, no memory for copies: -ENOMEM, only the first shared",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "{Rdy*16} {Wdyx*16}",
	  .second = "{Rd*16} -*16", .ret = -ENOMEM,
	  .with = { PINNED(LAST_FOLIO), NO_MEMORY_NODE } },
	{ "64K folio, pinned, 5 pages shared, no memory for copies: -ENOMEM, child has these 5",
	  { "{Ry*5 Wdyx*11}", .prot = RW }, "{Ry*5 Wdyx*11}",
	  .second = "{R*5 -*11}", .ret = -ENOMEM,
	  .with = { PINNED(LAST_FOLIO), NO_MEMORY_NODE } },
	{ "two page tables, folio in the second pinned, no memory: -ENOMEM, first folio shared",
	  { "@-4 {Wdyx*4} {Wdyx*4}", .prot = RW }, "@-4 {Rdy*4} {Wdyx*4}",
	  .second = "@-4 {Rd*4} -*4", .ret = -ENOMEM,
	  .with = { PINNED(LAST_FOLIO), NO_MEMORY_NODE } },
	{ "PMD-mapped folio, pinned, no memory for copies: -ENOMEM, PMD split, child empty",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", .second = "-*T", .ret = -ENOMEM,
	  .with = { PINNED(LAST_FOLIO), NO_MEMORY_NODE } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void fork_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Each kind of folio in each order, whole and in part. */

static const struct ptebatch_case kinds[] = {
	{ "anonymous folio: read-only and shared, child's PTEs old",
	  { "Wdyx", .prot = RW }, "Rdy", .second = "Rd" },
	{ "pinned folio: copied for the child",
	  { "Wdyx", .prot = RW }, "Wdyx", .second = "?dy",
	  .with = { PINNED(0), PINNED(0), PINNED(0) } },
	{ "file folio: child's PTEs writable, clean and old",
	  { "Wdy", PTEBATCH_FILE, RW, .vma = VM_MAYBE_GUARD }, "Wdy", .second = "W" },
	{ "shmem folio: child's PTEs writable, clean and old",
	  { "Wdy", PTEBATCH_SHMEM, RW, .vma = VM_MAYBE_GUARD }, "Wdy", .second = "W" },
};

PTEBATCH_ORDER_PARAMS(fork_order, kinds);

/* Only pages @from to @to - 1 of the folio are mapped. */
static bool check_part(struct kunit *test, unsigned int from, unsigned int to)
{
	static const char format[] = "{.*%u %s*%u .*%u}";
	const struct ptebatch_order *param = test->param_value;
	struct ptebatch_case row = *(const struct ptebatch_case *)param->kind;
	unsigned int nr = 1U << param->order;

	row.setup.picture = ptebatch_draw(test, format, from, row.setup.picture, to - from,
					  nr - to);
	row.after = ptebatch_draw(test, format, from, row.after, to - from, nr - to);
	row.second = ptebatch_draw(test, format, from, row.second, to - from, nr - to);
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
static void fork_swap_count(struct kunit *test)
{
	struct ptebatch_case row = {
		.setup = { "{Wdyx*4 Sx*12}", .prot = RW, .folios = WITH_SWAP },
		.after = "{Rdy*4 S*12}", .second = "{Rd*4 S*12}", .op = &ptebatch_copy,
		.with = { SWAP_COUNT_FULL(4), NO_SLAB_AT("swap_dup_entry_direct", 0) },
	};

	for (; row.with[0].value < 16; row.with[0].value++)
		if (!ptebatch_case_run(test, &row))
			return;
}

static struct kunit_case fork_cases[] = {
	KUNIT_CASE_PARAM(fork_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(fork_order),
	KUNIT_CASE(fork_swap_count),
	{}
};

PTEBATCH_SUITE(memory_fork, fork_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
