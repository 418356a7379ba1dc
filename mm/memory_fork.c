// SPDX-License-Identifier: GPL-2.0
/*
 * copy_page_range() copies the entries of a large folio to a child in batches.
 *
 * Each row is done three times, in three address spaces that are alike: by
 * dup_mmap(), which is all of fork() that concerns memory, by copy_page_range()
 * alone, and by the latter's twin, which does one entry at a time. Each time
 * both are looked at, what the parent has then and what the child has.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"
#include <swap_table.h>

#include "../lib/folio.h"
#include "../lib/fork.h"
#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct fork_row - a case of fork()
 * @name: of the case
 * @setup: the parent before
 * @parent: the row as it shall be there then
 * @child: and as it shall be in the child; "?" is a copy of the parent's page
 * @fork: what else there is
 * @pins: the last folio is pinned by this many, which the mm knows
 * @unknown: which the mm does not know
 */
struct fork_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *parent, *child;
	struct ptebatch_fork fork;
	unsigned int pins;
	bool unknown;
};

/* Is it copied at all? Else faults fill it from the file. */
static bool copied(const struct fork_row *row)
{
	const struct ptebatch_setup *setup = &row->setup;

	return !ptebatch_shared(setup->mapping) || row->fork.guarded ||
	       ((setup->uffd_wp || setup->uffd_rwp) && !row->fork.disarmed);
}

/* What the model does not know is left to pictures. */
static bool modelled(const struct fork_row *row,
		     const struct ptebatch_snapshot *before)
{
	if (!copied(row) || (row->pins && !row->unknown))
		return false;
	/* A file's PMD can be had by a fault, too. */
	return row->setup.mapping == PTEBATCH_ANON ||
	       bitmap_empty(before->huge, PTEBATCH_ROW_ENTRIES);
}

/*
 * Dirty is what batches end at, or clear: only a contpte block may spread it,
 * not a batch.
 */
static void expect_own_dirt(const struct ptebatch_trial *trial, bool cleaned)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	for (i = 0; i < was->nr; i++) {
		u8 dirt = was->entries[i].flags |
			  ptebatch_model_block(was, i);

		if (!ptebatch_entry_present(&was->entries[i]) ||
		    !ptebatch_entry_present(&is->entries[i]) ||
		    !(is->entries[i].flags & PTEBATCH_DIRTY))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      !cleaned && dirt & PTEBATCH_DIRTY,
				      "%s: entry %u has become dirty",
				      trial->who, i);
	}
}

/* The last folio; what is pinned may be written to by who has it pinned. */
static struct folio *victim(struct ptebatch_space *space)
{
	return space->folios[space->row.nr_folios - 1];
}

/* The bytes of a page, different for each. */
static u8 byte_of(unsigned int page)
{
	return 1 + page % 251;
}

static void fill_pages(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		memset(page_address(folio_page(folio, i)), byte_of(i), PAGE_SIZE);
}

/* A page that the child has for itself, like that of the parent's entry @was. */
static void expect_copy(const struct ptebatch_trial *child, unsigned int i)
{
	const struct ptebatch_entry *was = &child->before.row.entries[i];
	const struct ptebatch_setup *setup = &child->space->setup;
	pte_t pte = child->after.raw[child->after.lead + i];
	bool writable = setup->prot & PROT_WRITE &&
			!(child->after.row.entries[i].flags & PTEBATCH_UFFD);
	struct kunit *test = child->test;
	struct page *page = pte_page(pte);
	struct folio *folio = page_folio(page);

	KUNIT_EXPECT_EQ_MSG(test, pte_write(pte), writable,
			    "rule 5: the copy at entry %u", i);
	KUNIT_EXPECT_TRUE_MSG(test, folio_test_anon(folio) &&
			      PageAnonExclusive(page) &&
			      folio_mapcount(folio) == 1,
			      "the copy at entry %u is not the child's alone", i);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(page_address(page),
					       byte_of(was->page), PAGE_SIZE),
			      "the copy at entry %u has other bytes", i);
}

static void expect_copies(const struct ptebatch_trial *child)
{
	unsigned int i;

	for (i = 0; i < child->after.row.nr; i++)
		if (child->after.row.entries[i].kind == PTEBATCH_FOREIGN)
			expect_copy(child, i);
}

static int fork_by(struct ptebatch_space *space, const struct fork_row *row,
		   ptebatch_copy_t copy)
{
	return copy ? ptebatch_fork_vma(space, &row->fork, copy) :
		      ptebatch_fork_whole(space, &row->fork);
}

/* Returns the parent's trial; @child gets the child's. */
static struct ptebatch_trial *make_child(struct kunit *test, const char *who,
					 const char *whose,
					 const struct fork_row *row,
					 ptebatch_copy_t copy,
					 struct ptebatch_trial **child)
{
	struct ptebatch_call call =
		ptebatch_setup_call(&row->setup, ptebatch_model_fork_parent,
				    row->setup.prot);
	struct ptebatch_trial *trial;
	int err;

	trial = ptebatch_trial_begin(test, who, &row->setup);
	if (row->pins) {
		fill_pages(victim(trial->space));
		ptebatch_folio_pin(victim(trial->space), row->pins);
		if (!row->unknown)
			mm_flags_set(MMF_HAS_PINNED, trial->space->places[0].mm);
	}
	err = fork_by(trial->space, row, copy);
	if (row->pins)
		ptebatch_folio_pin(victim(trial->space), -(int)row->pins);
	KUNIT_EXPECT_EQ_MSG(test, err, row->fork.nowhere ? -ENOMEM : 0,
			    "%s returns %d", who, err);
	ptebatch_trial_end(trial);
	*child = ptebatch_trial_second(trial, whose);
	ptebatch_trial_expect(trial, row->parent);
	ptebatch_trial_expect(*child, row->child);
	expect_own_dirt(trial, false);
	expect_own_dirt(*child, ptebatch_shared(row->setup.mapping));
	expect_copies(*child);
	if (!modelled(row, &trial->before))
		return trial;

	call.disarmed = row->fork.disarmed;
	ptebatch_trial_model(trial, &call);
	call.model = ptebatch_model_fork_child;
	ptebatch_trial_model(*child, &call);
	return trial;
}

static void check_row(struct kunit *test, const struct fork_row *row)
{
	struct ptebatch_trial *parent, *child, *twin, *twins_child;

	parent = make_child(test, "copy_page_range()",
			    "copy_page_range(), the child", row,
			    copy_page_range, &child);
	if (ptebatch_failed(test))
		return;
	twin = make_child(test, "the twin", "the twin, its child", row,
			  ptebatch_twin_copy_page_range, &twins_child);
	ptebatch_trial_same(parent, twin);
	ptebatch_trial_same(child, twins_child);
	if (ptebatch_failed(test) || row->fork.disarmed || row->fork.nowhere)
		return;
	make_child(test, "dup_mmap()", "dup_mmap(), the child", row, NULL,
		   &child);
}

static const struct fork_row rows[] = {
	{ "64K folio", { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "read-only 64K folio",
	  { "{Rdyx*16}", .prot = RO }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio shared already",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio without access",
	  { "{Ndyx*16}", .prot = NONE }, "{Ndy*16}", "{Nd*16}" },
	{ "64K folio, locked into memory",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, "{Rdy*16}", "{Rd*16}" },
	{ "64K folio, lazyfree",
	  { "{Wyx*8 Wdyx*8}", .prot = RW, .lazyfree = true },
	  "{Ry*8 Rdy*8}", "{R*8 Rd*8}" },
	{ "small folios",
	  { "Wdyx Rdyx Rdy - Wyx Wx", .prot = RW },
	  "Rdy*3 - Ry R", "Rd*3 - R*2" },

	/* Exclusive to both is exclusive to none. */
	{ "second half shared",
	  { "{Rdyx*8 Rdy*8}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "one page exclusive, the last",
	  { "{Rdy*15 Rdyx}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "every other page shared",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RW },
	  "{Rdy*8}", "{Rd*8}" },

	/* Rule 3: batches go on where writable changes, all lose it. */
	{ "one page writable, the last",
	  { "{Rdyx*15 Wdyx}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "one page writable, the first",
	  { "{Wdyx Rdyx*15}", .prot = RW }, "{Rdy*16}", "{Rd*16}" },
	{ "writable and read-only pages in turn",
	  { "{Wdyx Rdyx Wdyx Rdy Wdyx Rdyx Wdyx Rdy}", .prot = RW },
	  "{Rdy*8}", "{Rd*8}" },
	{ "pages without access among writable ones",
	  { "{Wdyx*4 Ndyx*4 Wdyx*8}", .prot = RW },
	  "{Rdy*4 Ndy*4 Rdy*8}", "{Rd*4 Nd*4 Rd*8}" },

	/* They end where dirty or soft-dirty changes. */
	{ "young and old, clean and dirty",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW },
	  "{Rdy*4 Rd*4 Ry*4 R*4}", "{Rd*8 R*8}" },
	{ "one dirty page, the first",
	  { "{Wdyx Wyx*15}", .prot = RW }, "{Rdy Ry*15}", "{Rd R*15}" },
	{ "one dirty page, the last",
	  { "{Wyx*15 Wdyx}", .prot = RW }, "{Ry*15 Rdy}", "{R*15 Rd}" },
	{ "one young page, the first",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Rdy Rd*15}", "{Rd*16}" },
	{ "one young page, the last",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Rd*15 Rdy}", "{Rd*16}" },
	{ "soft-dirty pages while tracking",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true },
	  "{Rdys*4 Rdy*12}", "{Rds*4 Rd*12}" },
	{ "one soft-dirty page, the last",
	  { "{Wdyx*15 Wdysx}", .prot = RW, .track = true },
	  "{Rdy*15 Rdys}", "{Rd*15 Rds}" },
	{ "soft-dirty and clean pages",
	  { "{Wysx*8 Wyx*8}", .prot = RW, .track = true },
	  "{Rys*8 Ry*8}", "{Rs*8 R*8}" },

	/* Rules 2, 3 and 4: pages, holes, edges. */
	{ "hole in a folio",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW },
	  "{Rdy*6 -*4 Rdy*6}", "{Rd*6 -*4 Rd*6}" },
	{ "pages of a folio left out without a hole",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW },
	  "{Rdy*6 .*4 Rdy*6}", "{Rd*6 .*4 Rd*6}" },
	{ "pages of a folio out of order",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW },
	  "{Rdy=3 Rdy=1 Rdy=2 Rdy=0 .*3}", "{Rd=3 Rd=1 Rd=2 Rd=0 .*3}" },
	{ "quarters of a folio out of order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW },
	  "{Rdy*4 Rdy=8*4 Rdy=4*4 Rdy=12*4}", "{Rd*4 Rd=8*4 Rd=4*4 Rd=12*4}" },
	{ "folio mapped from its middle on",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW },
	  "{.*5 Rdy*11} Rdy", "{.*5 Rd*11} Rd" },
	{ "folio mapped up to its middle",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW },
	  "{Rdy*5 .*11} Rdy", "{Rd*5 .*11} Rd" },
	{ "folio off its alignment",
	  { "@3 {Wdyx*16}", .prot = RW }, "@3 {Rdy*16}", "@3 {Rd*16}" },
	{ "folios side by side",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW },
	  "{Rdy*16} {Rdy*16}", "{Rd*16} {Rd*16}" },
	{ "folios physically side by side",
	  { "{Wdyx*16} +{Rdy*16} +{Wdyx*16}", .prot = RW },
	  "{Rdy*16} +{Rdy*16} +{Rdy*16}", "{Rd*16} +{Rd*16} +{Rd*16}" },
	{ "small folios physically side by side",
	  { "Wdyx +Rdy +Wdyx +Rdyx", .prot = RW },
	  "Rdy +Rdy*3", "Rd +Rd*3" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Rdyx*4} Wdyx {Wdyx*16} {Rdy*8} - Wdyx*3", .prot = RW },
	  "Rdy {Rdy*2} {Rdy*4} Rdy {Rdy*16} {Rdy*8} - Rdy*3",
	  "Rd {Rd*2} {Rd*4} Rd {Rd*16} {Rd*8} - Rd*3" },
	{ "folio over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Rdy*16}", "@-8 {Rd*16}" },
	{ "2M folio over the edge of a page table",
	  { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Rdy*T}", "@T/2 {Rd*T}" },
	{ "three page tables, the middle one missing",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW },
	  "@-2 {Rdy*2} -*T {Rdy*2}", "@-2 {Rd*2} -*T {Rd*2}" },
	{ "three page tables full of 64K folios",
	  { "{Wdyx*16}*96", .prot = RW }, "{Rdy*16}*96", "{Rd*16}*96" },

	/* Files: copied where the VMA has what no fault brings back. */
	{ "shmem is left to faults",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", "-*16" },
	{ "shmem beside guards",
	  { "{Wdy*16} G*2", PTEBATCH_SHMEM, RW }, "{Wdy*16} G*2", "{W*16} G*2",
	  { .guarded = true } },
	{ "shmem, young and old, clean and dirty",
	  { "{Wdy*4 Wd*4 Wy*4 W*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*4 Wd*4 Wy*4 W*4}", "{W*16}", { .guarded = true } },
	{ "shmem, read-only",
	  { "{Rdy*8 Ry*8}", PTEBATCH_SHMEM, RO }, "{Rdy*8 Ry*8}", "{R*16}",
	  { .guarded = true } },
	{ "shmem, part of a folio, over the edge of a page table",
	  { "@-5 {.*3 Wdy*13}", PTEBATCH_SHMEM, RW },
	  "@-5 {.*3 Wdy*13}", "@-5 {.*3 W*13}", { .guarded = true } },
	{ "file, all pages written",
	  { "{Wdy*16} G", PTEBATCH_FILE, RW }, "{Wdy*16} G", "{W*16} G",
	  { .guarded = true } },
	{ "file, no page written",
	  { "{Ry*16}", PTEBATCH_FILE, RW }, "{Ry*16}", "{R*16}",
	  { .guarded = true } },
	{ "file, the first page written, the others notify",
	  { "{Wdy Ry*15}", PTEBATCH_FILE, RW }, "{Wdy Ry*15}", "{W R*15}",
	  { .guarded = true } },
	{ "file, the last page written, the others notify",
	  { "{Ry*15 Wdy}", PTEBATCH_FILE, RW }, "{Ry*15 Wdy}", "{R*15 W}",
	  { .guarded = true } },
	{ "private file, its own pages",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*16}", "{R*16}" },
	{ "private file, its own pages dirty in part",
	  { "{Ry*8 Rdy*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*8 Rdy*8}", "{R*8 Rd*8}" },
	{ "private file, its own pages beside copies",
	  { "{Ry*4} {Wdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RW },
	  "{Ry*4} {Rdy*4} {Ry*4}", "{R*4} {Rd*4} {R*4}" },

	/* Rule 6: userfaultfd. */
	{ "uffd-wp follows the child",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyu*4 Rdy*8 Rdyu*4}", "{Rdu*4 Rd*8 Rdu*4}" },
	{ "uffd-wp of a child that is not registered",
	  { "{Rdyux*4 Wdyx*8 Rdyu*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyu*4 Rdy*8 Rdyu*4}", "{Rd*16}", { .disarmed = true } },
	{ "uffd-rwp follows the child",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd_rwp = true },
	  "{Ndyu*4 Rdy*8 Ndyu*4}", "{Ndu*4 Rd*8 Ndu*4}" },
	{ "uffd-rwp of a child that is not registered",
	  { "{Ndyux*4 Wdyx*8 Ndyu*4}", .prot = RW, .uffd_rwp = true },
	  "{Ndyu*4 Rdy*8 Ndyu*4}", "{Rd*16}", { .disarmed = true } },
	{ "uffd-rwp, no access for another reason",
	  { "{Ndyux*4 Ndyx*8 Wdyx*4}", .prot = RW, .uffd_rwp = true },
	  "{Ndyu*4 Ndy*8 Rdy*4}", "{Rd*4 Nd*8 Rd*4}", { .disarmed = true } },
	{ "uffd-wp of shmem and its markers",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "{Rdyu*4 Wdy*12} U*2 P", "{Ru*4 W*12} U*2 P" },
	{ "uffd-wp of shmem, not registered in the child",
	  { "{Rdyu*4 Wdy*12} U*2 P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  "{Rdyu*4 Wdy*12} U*2 P", "{R*4 W*12} -*2 P",
	  { .guarded = true, .disarmed = true } },

	/* Rule 15: what maps no page. */
	{ "swap entries are shared",
	  { "{Sx*4 S*2 Wdyx*10}", .prot = RW, .swap = true },
	  "{S*6 Rdy*10}", "{S*6 Rd*10}" },
	{ "swap entries, soft-dirty",
	  { "{Ssx*4 Sx*4 Wdysx*8}", .prot = RW, .swap = true, .track = true },
	  "{Ss*4 S*4 Rdys*8}", "{Ss*4 S*4 Rds*8}" },
	{ "swap entries with uffd-wp",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .swap = true, .uffd_wp = true },
	  "{Su*4 S*4 Su*8}", "{Su*4 S*4 Su*8}" },
	{ "swap entries with uffd-wp, not registered in the child",
	  { "{Sxu*4 Sx*4 Su*8}", .prot = RW, .swap = true, .uffd_wp = true },
	  "{Su*4 S*4 Su*8}", "{S*16}", { .disarmed = true } },
	{ "migration entries lose write and exclusive",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW },
	  "{M*12 Rdy*4}", "{M*12 Rd*4}" },
	{ "migration entries of shmem keep write",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW },
	  "{Mw*4 M*4 Wdy*8}", "{Mw*4 M*4 W*8}", { .guarded = true } },
	{ "migration entries, soft-dirty",
	  { "{Mws*4 Mxs*4 M*8}", .prot = RW, .track = true },
	  "{Ms*8 M*8}", "{Ms*8 M*8}" },
	{ "migration entries with uffd-wp, not registered in the child",
	  { "{Mxu*4 Mw*4 Mu*8}", .prot = RW, .uffd_wp = true },
	  "{Mu*4 M*4 Mu*8}", "{M*16}", { .disarmed = true } },
	{ "poison and guard markers",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW },
	  "{Rdy*2} P G {Rdy*2} P", "{Rd*2} P G {Rd*2} P" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD", { "[Wdyx]", .prot = RW }, "[Rdy]", "[Rd]" },
	{ "shared PMD", { "[Rdy]", .prot = RW }, "[Rdy]", "[Rd]" },
	{ "PMD, clean", { "[Wyx]", .prot = RW }, "[Ry]", "[R]" },
	{ "PMD, soft-dirty",
	  { "[Wdysx]", .prot = RW, .track = true }, "[Rdys]", "[Rds]" },
	{ "PMD with uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true }, "[Rdyu]", "[Rdu]" },
	{ "PMD with uffd-wp, not registered in the child",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true }, "[Rdyu]", "[Rd]",
	  { .disarmed = true } },
	{ "PMD of shmem is left to faults",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Wdy]", "-*T", { .guarded = true } },
	{ "PMD between page tables",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW },
	  "@-4 {Rdy*4} [Rdy] {Rdy*4}", "@-4 {Rd*4} [Rd] {Rd*4}" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*255 Rdy*2 Rdyx*255}", .prot = RW },
	  "{Rdy*512}", "{Rd*512}" },

	/* Pages that a device may write to stay the parent's. */
	{ "pinned",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", "{?dy*16}", .pins = 1 },
	{ "pinned, small",
	  { "{Wdyx}", .prot = RW }, "{Wdyx}", "{?dy}", .pins = 1 },
	{ "pinned, read-only memory",
	  { "{Rdyx*16}", .prot = RO }, "{Rdyx*16}", "{?dy*16}", .pins = 1 },
	{ "pinned, shared in part",
	  { "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}", .prot = RW },
	  "{Rdy*4 Wdyx*4 Rdy*7 Rdyx}", "{Rd*4 ?dy*4 Rd*7 ?dy}", .pins = 1 },
	{ "pinned and shared",
	  { "{Rdy*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}", .pins = 1 },
	{ "pinned beside others",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW },
	  "{Rdy*16} {Wdyx*16}", "{Rd*16} {?dy*16}", .pins = 1 },
	{ "pinned, over the edge of a page table",
	  { "@-3 {Wdyx*8}", .prot = RW }, "@-3 {Wdyx*8}", "@-3 {?dy*8}",
	  .pins = 1 },
	{ "pinned, out of order, with holes",
	  { "{Wdyx*2 - Wdyx=5*2 .}", .prot = RW },
	  "{Wdyx*2 - Wdyx=5*2 .}", "{?dy*2 - ?dy*2 .*3}", .pins = 1 },
	{ "pinned, with uffd-wp",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyux*4 Wdyx*4}", "{?dyu*4 ?dy*4}", .pins = 1 },
	{ "pinned, uffd-wp not registered in the child",
	  { "{Rdyux*4 Wdyx*4}", .prot = RW, .uffd_wp = true },
	  "{Rdyux*4 Wdyx*4}", "{?dy*8}", { .disarmed = true }, .pins = 1 },
	{ "pinned PMD is split",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", "{?dy*T}", .pins = 1 },
	{ "pinned file",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{Wdy*16}", "{W*16}",
	  { .guarded = true }, .pins = 1 },
	{ "has references as if pinned, in an mm that never pinned",
	  { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", "{Rd*16}",
	  .pins = 1, .unknown = true },

	/* Rule 20: no memory for the copies. */
	{ "no memory for the first copy",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", "-*16",
	  { .nowhere = true }, .pins = 1 },
	{ "no memory for the copies of the second folio",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW },
	  "{Rdy*16} {Wdyx*16}", "{Rd*16} -*16", { .nowhere = true }, .pins = 1 },
	{ "no memory for copies half way in a folio",
	  { "{Ry*5 Wdyx*11}", .prot = RW },
	  "{Ry*5 Wdyx*11}", "{R*5 -*11}", { .nowhere = true }, .pins = 1 },
	{ "no memory for copies behind the edge of a page table",
	  { "@-4 {Wdyx*4} {Wdyx*4}", .prot = RW },
	  "@-4 {Rdy*4} {Wdyx*4}", "@-4 {Rd*4} -*4", { .nowhere = true },
	  .pins = 1 },
	{ "no memory for the copies of a PMD",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T}", "-*T",
	  { .nowhere = true }, .pins = 1 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void fork_row(struct kunit *test)
{
	const struct fork_row *row = test->param_value;

	if (row->fork.nowhere && !IS_ENABLED(CONFIG_NUMA))
		kunit_skip(test, "no memory policy without CONFIG_NUMA");
	check_row(test, row);
}

/* Every order of every kind, whole and in part. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before, *parent, *child;
	unsigned int pins;
} kinds[] = {
	{ "anonymous", { .prot = RW }, "Wdyx", "Rdy", "Rd" },
	{ "pinned", { .prot = RW }, "Wdyx", "Wdyx", "?dy", 3 },
	{ "of a file",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", "Wdy", "W" },
	{ "of shmem",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", "Wdy", "W" },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

/* Pages @from to @to - 1 of a folio of @nr. */
static void draw(char text[32], const char *token, unsigned int nr,
		 unsigned int from, unsigned int to)
{
	struct seq_buf out;

	seq_buf_init(&out, text, 32);
	seq_buf_puts(&out, "{");
	if (from)
		seq_buf_printf(&out, ".*%u ", from);
	seq_buf_printf(&out, "%s*%u", token, to - from);
	if (to < nr)
		seq_buf_printf(&out, " .*%u", nr - to);
	seq_buf_puts(&out, "}");
	seq_buf_str(&out);
}

static void check_part(struct kunit *test, const struct ptebatch_order *param,
		       unsigned int from, unsigned int to)
{
	const struct kind *kind = &kinds[param->kind];
	unsigned int nr = 1U << param->order;
	char before[32], parent[32], child[32];
	struct fork_row *row;

	if (from >= to || ptebatch_failed(test))
		return;
	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	draw(before, kind->before, nr, from, to);
	draw(parent, kind->parent, nr, from, to);
	draw(child, kind->child, nr, from, to);
	row->setup = kind->setup;
	row->setup.picture = before;
	row->parent = parent;
	row->child = child;
	row->fork.guarded = ptebatch_shared(kind->setup.mapping);
	row->pins = kind->pins;
	check_row(test, row);
}

static void fork_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	check_part(test, param, 0, nr);
	if (nr < 4)
		return;
	check_part(test, param, 1, nr - 1);
	check_part(test, param, nr / 2 - 1, nr);
}

/* A swap count that grows only at the second try: the first finds no memory. */

/* Swap counts up to where the next one needs a table. */
#define MANY	(SWP_TB_COUNT_MAX - 1)

static int short_of_memory(struct vm_area_struct *child,
			   struct vm_area_struct *parent, ptebatch_copy_t copy)
{
	int err;

#ifdef CONFIG_FAILSLAB
	current->fail_nth = 1;
#endif
	err = copy(child, parent);
#ifdef CONFIG_FAILSLAB
	if (current->fail_nth)
		err = -EINVAL;
	current->fail_nth = 0;
#endif
	return err;
}

static int copy_short(struct vm_area_struct *child,
		      struct vm_area_struct *parent)
{
	return short_of_memory(child, parent, copy_page_range);
}

static int twin_copy_short(struct vm_area_struct *child,
			   struct vm_area_struct *parent)
{
	return short_of_memory(child, parent, ptebatch_twin_copy_page_range);
}

static void fork_counted(struct kunit *test, const char *who, unsigned int at,
			 ptebatch_copy_t copy)
{
	static const struct ptebatch_setup setup = {
		"{Wdyx*4 Sx*12}", .prot = RW, .swap = true,
	};
	const struct ptebatch_fork fork = {};
	struct ptebatch_trial *trial, *child;

	trial = ptebatch_trial_begin(test, who, &setup);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_dup(trial->space->folios[0], at,
						   MANY - 1));
	KUNIT_EXPECT_EQ_MSG(test, ptebatch_fork_vma(trial->space, &fork, copy),
			    0, "%s does not try again", who);
	ptebatch_swap_put(trial->space->folios[0], at, MANY - 1);
	ptebatch_trial_end(trial);
	child = ptebatch_trial_second(trial, who);
	ptebatch_trial_expect(trial, "{Rdy*4 S*12}");
	ptebatch_trial_expect(child, "{Rd*4 S*12}");
}

static void fork_swap_count(struct kunit *test)
{
	unsigned int at;

	if (!IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "no allocation fails without CONFIG_FAILSLAB");
	for (at = 4; at < 16 && !ptebatch_failed(test); at++) {
		fork_counted(test, "copy_page_range()", at, copy_short);
		fork_counted(test, "the twin", at, twin_copy_short);
	}
}

static struct kunit_case fork_cases[] = {
	KUNIT_CASE_PARAM(fork_row, rows_gen_params),
	KUNIT_CASE_PARAM(fork_order, orders_gen_params),
	KUNIT_CASE(fork_swap_count),
	{}
};

static struct kunit_suite fork_suite = {
	.name = "ptebatch_memory_fork",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = fork_cases,
};

kunit_test_suite(fork_suite);
