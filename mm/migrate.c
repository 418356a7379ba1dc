// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_migrate() replaces each PTE of a folio by a migration entry, and
 * remove_migration_ptes() maps the new folio there. Both handle one PTE at a time, and
 * the bits of the PTE pass through the entry:
 *
 *	{Wdyx*8 Rdysux*8}  ->  {Mw*8 Msux*8}  ->  {Wdyx*8 Rdysux*8}
 *
 * A pinned page of an anonymous folio stops try_to_migrate(), maybe half way. Then
 * the entries go back to the old folio. It stands for the new one, except in the rows of
 * migrate_pages() and in those of mm/mempolicy.c, which move to another one.
 *
 * A migration entry stands for a mapping that will come back: a folio is partially
 * mapped if its pages are when the entries are gone (lib/check/deferred.c).
 */
#include "../lib/arch/arch.h"
#include "../lib/twin/names.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/swapops.h>

#include "../lib/inject/conditions.h"
#include "../lib/op/migrate.h"
#include "../lib/run/case.h"
#include "../lib/service/device.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct migrate_row - a case of try_to_migrate() and remove_migration_ptes()
 * @c: the case of try_to_migrate()
 * @back: expected row after remove_migration_ptes(), also of a child; %NULL: as in
 *        the set-up
 * @child_back: the same of a child that maps something else; %NULL: as @back
 */
struct migrate_row {
	struct ptebatch_case c;
	const char *back;
	const char *child_back;
};

static const struct migrate_row rows[] = {
	{ { "64K folio, writable, read-only and shared pages: as before",
	    { "{Wdyx*8 Rdyx*4 Rdy*4}", .prot = RW }, "{Mw*8 Mx*4 M*4}" } },
	{ { "64K folio, dirty and old: as before",
	    { "{Wdx*16}", .prot = RW }, "{Mw*16}" } },
	{ { "64K folio, clean and young: as before",
	    { "{Wyx*16}", .prot = RW }, "{Mw*16}" } },
	{ { "64K folio, clean and old: as before",
	    { "{Rx*16}", .prot = RO }, "{Mx*16}" } },
	{ { "64K folio in parent and child: as before in both",
	    { "{Rd*16}", .prot = RW, .twice = true }, "{M*16}", .second = "{M*16}" } },
	{ { "64K folio in two VMAs, half of it shared: as before",
	    { "{Wdyx*6 Rdy*2 ; Rdy*8}", .prot = RW }, "{Mw*6 M*2 ; M*8}" } },
	{ { "64K folio across a page table boundary: as before",
	    { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Mw*16}" } },
	{ { "64K folio with a hole: as before",
	    { "{Wdyx*4 -*4 Wdyx*8}", .prot = RW }, "{Mw*4 -*4 Mw*8}" } },
	{ { "two 64K folios: as before",
	    { "{Wdyx*16} {Rdyx*16}", .prot = RW }, "{Mw*16} {Mx*16}" } },
	{ { "small folio between empty entries: as before",
	    { "- Wdyx -", .prot = RW }, "- {Mw} -" } },
	{ { "64K folio, PROT_NONE: as before",
	    { "{Ndyx*16}", .prot = PROT_NONE }, "{Mx*16}" },
	  "{Nd" PTEBATCH_NONE_YOUNG "x*16}" },
	{ { "64K folio, NUMA hints: readable",
	    { "{Ndyx*16}", .prot = RW }, "{Mx*16}" }, "{Rdyx*16}" },
	{ { "64K folio in an mlocked VMA: as before",
	    { "{Wdyx*16}", .prot = RW, .vma = VM_LOCKED }, "{Mw*16}" } },
	{ { "64K folio, half of it soft-dirty: as before",
	    { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "{Mws*8 Mx*8}" } },
	{ { "64K folio, half of it uffd-wp: as before",
	    { "{Wdyx*8 Rdyux*8}", .prot = RW, .uffd = UFFD_WP }, "{Mw*8 Mxu*8}" } },
	{ { "64K folio, half of it uffd-rwp: as before",
	    { "{Wdyx*8 Ndyux*8}", .prot = RW, .uffd = UFFD_RWP }, "{Mw*8 Mxu*8}" } },
	{ { "64K folio, device-exclusive page 5: PTE read-only, old and clean",
	    { "{Wdyx*5 Ex Wdyx*10}", .prot = RW }, "{Mw*5 Mx Mw*10}" },
	    "{Wdyx*5 Rx Wdyx*10}" },
	{ { "64K shmem folio, writable: as before",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Mw*16}" } },
	{ { "64K shmem folio, half of it uffd-wp: as before",
	    { "{Wdy*8 Rdyu*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	    "{Mw*8 Mu*8}" } },
	{ { "64K file folio, half of it read-only: as before",
	    { "{Wdy*8 Ry*8}", PTEBATCH_FILE, RW }, "{Mw*8 M*8}" } },

	{ { "64K folio in device-coherent memory, half of it mapped: as before, not in the queue",
	    { "{Wdyx*8 .*8}", .prot = RW, .folios = COHERENT }, "{Mw*8 .*8}" } },
	{ { "2M folio mapped by PTEs: as before",
	    { "{Wdyx*T}", .prot = RW }, "{Mw*T}" } },
	{ { "PMD-mapped folio: as before", { "[Wdyx]", .prot = RW }, "[Mw]" } },
	{ { "PMD-mapped folio, clean and old: as before",
	    { "[Rx]", .prot = RO }, "[Mx]" } },
	{ { "PMD-mapped folio, soft-dirty: as before",
	    { "[Rysx]", .prot = RW, .track = true }, "[Mxs]" } },
	{ { "PMD-mapped folio, dirty, not soft-dirty: as before",
	    { "[Rdyx]", .prot = RW, .track = true }, "[Mx]" } },
	{ { "PMD-mapped folio, uffd-wp: as before",
	    { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "[Mxu]" } },
	{ { "PMD-mapped folio, half of it mapped by PTEs of a child: as before in both",
	    { "[Rdy]", .prot = RW, .twice = true }, "[M]", .second = "{M*T/2 -*T/2}",
	    .with = { CHILD_LACKS(PTRS_PER_PTE / 2, PTRS_PER_PTE / 2) } },
	    .child_back = "{Rd*T/2 -*T/2}" },

	/* Failure half way. */
	{ { "64K folio, pinned: no change",
	    { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .with = { PINNED(0) } } },
	{ { "64K folio, second half exclusive, pinned: first half migrates and comes back",
	    { "{Rdy*8 Rdyx*8}", .prot = RW }, "{M*8 Rdyx*8}", .with = { PINNED(0) } } },
	{ { "64K folio, page 8 exclusive, pinned: pages before it migrate and come back",
	    { "{Rdy*8 Wdyx Rdy*7}", .prot = RW }, "{M*8 Wdyx Rdy*7}",
	    .with = { PINNED(0) } } },
	{ { "64K folio, second half soft-dirty and exclusive, pinned: keeps soft-dirty",
	    { "{Rdys*4 Rdy*4 Wdysx*8}", .prot = RW, .track = true },
	    "{Ms*4 M*4 Wdysx*8}", .with = { PINNED(0) } } },
	{ { "64K folio, uffd-wp, second half exclusive, pinned: stays uffd-wp",
	    { "{Rdyu*8 Rdyux*8}", .prot = RW, .uffd = UFFD_WP }, "{Mu*8 Rdyux*8}",
	    .with = { PINNED(0) } } },
	{ { "64K folio in two VMAs, exclusive in the second, pinned: the first migrates",
	    { "{Rdy*8 ; Rdyx*8}", .prot = RW }, "{M*8 ; Rdyx*8}",
	    .with = { PINNED(0) } } },
	{ { "64K folio, shared, pinned: migrates",
	    { "{Rdy*16}", .prot = RW }, "{M*16}", .with = { PINNED(0) } } },
	{ { "64K shmem folio, pinned: migrates",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Mw*16}", .with = { PINNED(0) } } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

static void forth_row(struct kunit *test)
{
	const struct migrate_row *row = test->param_value;
	struct ptebatch_case c = row->c;

	c.op = &ptebatch_migrate_all;
	ptebatch_case_run(test, &c);
}

/* Skips the case if migration entries have no accessed and dirty bits. */
static void run_back(struct kunit *test, struct ptebatch_case row,
		     const struct ptebatch_op *op)
{
	if (!migration_entry_supports_ad())
		kunit_skip(test, "migration entries have no accessed and dirty bits here");
	row.op = op;
	ptebatch_case_run(test, &row);
}

static void back_row(struct kunit *test)
{
	const struct migrate_row *row = test->param_value;
	struct ptebatch_case c = row->c;

	c.after = row->back ?: c.setup.picture;
	if (c.second)
		c.second = row->child_back ?: c.after;
	run_back(test, c, &ptebatch_migrate_and_back);
}

/* migrate_pages() returns the number of folios that do not move. */
static const struct ptebatch_case move_rows[] = {
	{ "64K folio: moved, not partially mapped",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "~{Wdyx*16}" },
	{ "2M folio mapped by PTEs: moved, not partially mapped",
	  { "{Wdyx*T}", .prot = RW, .folios = ON_LRU }, "~{Wdyx*T}" },
	{ "PMD-mapped folio: moved, stays PMD-mapped",
	  { "[Wdyx]", .prot = RW, .folios = ON_LRU }, "~[Wdyx]" },
	{ "PMD-mapped folio, dirty, not soft-dirty: moved, not soft-dirty",
	  { "[Rdyx]", .prot = RW, .folios = ON_LRU, .track = true }, "~[Rdyx]" },
	{ "64K folio with an extra reference: not moved, not partially mapped",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "{Wdyx*16}", .ret = 1,
	  .with = { REFERENCED(0) } },
	{ "64K folio with an extra reference, another one: only the other one moved",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW, .folios = ON_LRU }, "{Wdyx*16} ~{Wdyx*16}",
	  .ret = 1, .with = { REFERENCED(0) } },
};

KUNIT_ARRAY_PARAM_DESC(move, move_rows, name);

static void move_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.filled = true;
	run_back(test, row, &ptebatch_move_folios);
}

/* What another thread does while the folio has no mapping. */
static long zap_half_meanwhile(const struct ptebatch_op *op, struct ptebatch_space *space,
			       bool twin)
{
	ptebatch_migrate.call(&ptebatch_migrate, space, false);
	ptebatch_zap_pages(&space->places[0], space->row.nr / 2, space->row.nr);
	return ptebatch_migrated.call(&ptebatch_migrated, space, false);
}

static const char *missing(void)
{
	return ptebatch_op_missing(&ptebatch_migrate);
}

static const struct ptebatch_op zap_meanwhile = {
	.function = "remove_migration_ptes()", .call = zap_half_meanwhile,
	.missing = missing, .no_twin = true,
};

/* The second half of the row is zapped. */
static const struct ptebatch_case zap_rows[] = {
	{ "64K folio, second half zapped meanwhile: partially mapped",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*8 -*8}" },
	{ "2M folio mapped by PTEs, second half zapped meanwhile: partially mapped",
	  { "{Wdyx*T}", .prot = RW }, "{Wdyx*T/2 -*T/2}" },
	{ "PMD-mapped folio, second half zapped meanwhile: PTEs, partially mapped",
	  { "[Wdyx]", .prot = RW }, "{Wdyx*T/2 -*T/2}" },
	{ "64K shmem folio, second half zapped meanwhile: not in the queue",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Wdy*8 -*8}" },
	{ "64K folio with a hole, second half zapped meanwhile: stays partially mapped",
	  { "{Wdyx*4 -*4 Wdyx*8}", .prot = RW }, "{Wdyx*4 -*12}" },
};

KUNIT_ARRAY_PARAM_DESC(zap, zap_rows, name);

static void zap_row(struct kunit *test)
{
	const struct ptebatch_case *row = test->param_value;

	run_back(test, *row, &zap_meanwhile);
}

static struct kunit_case migrate_cases[] = {
	KUNIT_CASE_PARAM(forth_row, rows_gen_params),
	KUNIT_CASE_PARAM(back_row, rows_gen_params),
	KUNIT_CASE_PARAM(move_row, move_gen_params),
	KUNIT_CASE_PARAM(zap_row, zap_gen_params),
	{}
};

PTEBATCH_SUITE(migrate, migrate_cases, PTEBATCH_COHERENT_DEVICE);
