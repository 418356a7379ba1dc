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
#include "../lib/twin/names.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/swapops.h>

#include "../lib/check/contents.h"
#include "../lib/kernel/device.h"
#include "../lib/op/migrate.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct migrate_row - a case of try_to_migrate() and remove_migration_ptes()
 * @name: name of the case
 * @setup: address space before the call
 * @forth: expected row after try_to_migrate(), also of a child
 * @back: expected row after remove_migration_ptes(), also of a child; %NULL: as in
 *        @setup
 * @child_forth: expected row of the child, which has unmapped half of the row, after
 *               try_to_migrate()
 * @child_back: the same after remove_migration_ptes(); %NULL if the child has
 *              unmapped nothing
 * @pinned: the first folio is pinned
 */
struct migrate_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *forth;
	const char *back;
	const char *child_forth;
	const char *child_back;
	bool pinned;
};

static const struct migrate_row rows[] = {
	{ "64K folio, writable, read-only and shared pages: as before",
	  { "{Wdyx*8 Rdyx*4 Rdy*4}", .prot = RW }, "{Mw*8 Mx*4 M*4}" },
	{ "64K folio, dirty and old: as before", { "{Wdx*16}", .prot = RW }, "{Mw*16}" },
	{ "64K folio, clean and young: as before", { "{Wyx*16}", .prot = RW }, "{Mw*16}" },
	{ "64K folio, clean and old: as before", { "{Rx*16}", .prot = RO }, "{Mx*16}" },
	{ "64K folio in parent and child: as before in both",
	  { "{Rd*16}", .prot = RW, .twice = true }, "{M*16}" },
	{ "64K folio in two VMAs, half of it shared: as before",
	  { "{Wdyx*6 Rdy*2 ; Rdy*8}", .prot = RW }, "{Mw*6 M*2 ; M*8}" },
	{ "64K folio across a page table boundary: as before",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Mw*16}" },
	{ "64K folio with a hole: as before",
	  { "{Wdyx*4 -*4 Wdyx*8}", .prot = RW }, "{Mw*4 -*4 Mw*8}" },
	{ "two 64K folios: as before",
	  { "{Wdyx*16} {Rdyx*16}", .prot = RW }, "{Mw*16} {Mx*16}" },
	{ "small folio between empty entries: as before",
	  { "- Wdyx -", .prot = RW }, "- {Mw} -" },
	{ "64K folio, PROT_NONE: as before",
	  { "{Ndyx*16}", .prot = PROT_NONE }, "{Mx*16}" },
	{ "64K folio, NUMA hints: readable",
	  { "{Ndyx*16}", .prot = RW }, "{Mx*16}", "{Rdyx*16}" },
	{ "64K folio in an mlocked VMA: as before",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, "{Mw*16}" },
	{ "64K folio, half of it soft-dirty: as before",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "{Mws*8 Mx*8}" },
	{ "64K folio, half of it uffd-wp: as before",
	  { "{Wdyx*8 Rdyux*8}", .prot = RW, .uffd_wp = true }, "{Mw*8 Mxu*8}" },
	{ "64K folio, half of it uffd-rwp: as before",
	  { "{Wdyx*8 Ndyux*8}", .prot = RW, .uffd_rwp = true }, "{Mw*8 Mxu*8}" },
	{ "64K folio, device-exclusive page 5: PTE read-only, old and clean",
	  { "{Wdyx*5 Ex Wdyx*10}", .prot = RW }, "{Mw*5 Mx Mw*10}", "{Wdyx*5 Rx Wdyx*10}" },
	{ "64K shmem folio, writable: as before",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Mw*16}" },
	{ "64K shmem folio, half of it uffd-wp: as before",
	  { "{Wdy*8 Rdyu*8}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "{Mw*8 Mu*8}" },
	{ "64K file folio, half of it read-only: as before",
	  { "{Wdy*8 Ry*8}", PTEBATCH_FILE, RW }, "{Mw*8 M*8}" },

	{ "64K folio in device-coherent memory, half of it mapped: as before, not in the queue",
	  { "{Wdyx*8 .*8}", .prot = RW, .coherent = true }, "{Mw*8 .*8}" },
	{ "2M folio mapped by PTEs: as before", { "{Wdyx*T}", .prot = RW }, "{Mw*T}" },
	{ "PMD-mapped folio: as before", { "[Wdyx]", .prot = RW }, "[Mw]" },
	{ "PMD-mapped folio, clean and old: as before", { "[Rx]", .prot = RO }, "[Mx]" },
	{ "PMD-mapped folio, soft-dirty: as before",
	  { "[Rysx]", .prot = RW, .track = true }, "[Mxs]" },
	{ "PMD-mapped folio, dirty, not soft-dirty: as before",
	  { "[Rdyx]", .prot = RW, .track = true }, "[Mx]" },
	{ "PMD-mapped folio, uffd-wp: as before",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true }, "[Mxu]" },
	{ "PMD-mapped folio, half of it mapped by PTEs of a child: as before in both",
	  { "[Rdy]", .prot = RW, .twice = true }, "[M]",
	  .child_forth = "{M*T/2 -*T/2}", .child_back = "{Rd*T/2 -*T/2}" },

	/* Failure half way. */
	{ "64K folio, pinned: no change",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .pinned = true },
	{ "64K folio, second half exclusive, pinned: first half migrates and comes back",
	  { "{Rdy*8 Rdyx*8}", .prot = RW }, "{M*8 Rdyx*8}", .pinned = true },
	{ "64K folio, page 8 exclusive, pinned: pages before it migrate and come back",
	  { "{Rdy*8 Wdyx Rdy*7}", .prot = RW }, "{M*8 Wdyx Rdy*7}", .pinned = true },
	{ "64K folio, second half soft-dirty and exclusive, pinned: keeps soft-dirty",
	  { "{Rdys*4 Rdy*4 Wdysx*8}", .prot = RW, .track = true },
	  "{Ms*4 M*4 Wdysx*8}", .pinned = true },
	{ "64K folio, uffd-wp, second half exclusive, pinned: stays uffd-wp",
	  { "{Rdyu*8 Rdyux*8}", .prot = RW, .uffd_wp = true }, "{Mu*8 Rdyux*8}",
	  .pinned = true },
	{ "64K folio in two VMAs, exclusive in the second, pinned: the first migrates",
	  { "{Rdy*8 ; Rdyx*8}", .prot = RW }, "{M*8 ; Rdyx*8}", .pinned = true },
	{ "64K folio, shared, pinned: migrates",
	  { "{Rdy*16}", .prot = RW }, "{M*16}", .pinned = true },
	{ "64K shmem folio, pinned: migrates",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Mw*16}", .pinned = true },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	const struct migrate_row *row = data;
	struct ptebatch_space *space = trial->space;

	if (row->child_back)
		ptebatch_zap_pages(&space->places[1], space->row.nr / 2, space->row.nr);
	if (space->setup.twice)
		ptebatch_trial_second(trial, &space->places[1]);
	if (row->pinned)
		ptebatch_folio_pin(space->folios[0], 1);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	const struct migrate_row *row = data;

	if (row->pinned)
		ptebatch_folio_pin(trial->space->folios[0], -1);
}

static void run_row(struct kunit *test, const struct ptebatch_op *op, const char *after,
		    const char *child)
{
	const struct migrate_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = op, .setup = &row->setup, .after = after,
		.second = row->setup.twice ? child ?: after : NULL,
		.prepare = prepare, .undo = undo, .data = row,
	};

	if (ptebatch_op_missing(op))
		kunit_skip(test, "%s", ptebatch_op_missing(op));
	ptebatch_row_run(test, &run);
}

static void forth_row(struct kunit *test)
{
	const struct migrate_row *row = test->param_value;

	run_row(test, &ptebatch_migrate_all, row->forth, row->child_forth);
}

static void back_row(struct kunit *test)
{
	const struct migrate_row *row = test->param_value;

	if (!migration_entry_supports_ad())
		kunit_skip(test, "migration entries have no accessed and dirty bits here");
	run_row(test, &ptebatch_migrate_and_back, row->back ?: row->setup.picture,
		row->child_back);
}

/**
 * struct move_row - a case of migrate_pages()
 * @name: name of the case
 * @setup: address space before the call
 * @after: expected row; %NULL if no entry may change
 * @failed: expected number of folios that do not move
 * @referenced: the first folio has an extra reference, so that it does not move
 */
struct move_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	unsigned int failed;
	bool referenced;
};

static const struct move_row move_rows[] = {
	{ "64K folio: moved, not partially mapped",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "~{Wdyx*16}" },
	{ "2M folio mapped by PTEs: moved, not partially mapped",
	  { "{Wdyx*T}", .prot = RW, .lru = true }, "~{Wdyx*T}" },
	{ "PMD-mapped folio: moved, stays PMD-mapped",
	  { "[Wdyx]", .prot = RW, .lru = true }, "~[Wdyx]" },
	{ "PMD-mapped folio, dirty, not soft-dirty: moved, not soft-dirty",
	  { "[Rdyx]", .prot = RW, .lru = true, .track = true }, "~[Rdyx]" },
	{ "64K folio with an extra reference: not moved, not partially mapped",
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "{Wdyx*16}", 1, .referenced = true },
	{ "64K folio with an extra reference, another one: only the other one moved",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW, .lru = true }, "{Wdyx*16} ~{Wdyx*16}", 1,
	  .referenced = true },
};

KUNIT_ARRAY_PARAM_DESC(move, move_rows, name);

static void prepare_move(struct ptebatch_trial *trial, const void *data)
{
	const struct move_row *row = data;

	ptebatch_contents_fill(trial);
	if (row->referenced)
		folio_get(trial->space->folios[0]);
}

static void undo_move(struct ptebatch_trial *trial, const void *data)
{
	const struct move_row *row = data;

	if (row->referenced)
		folio_put(trial->space->folios[0]);
}

static void move_row(struct kunit *test)
{
	const struct move_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = &ptebatch_move_folios, .setup = &row->setup, .after = row->after,
		.ret = row->failed, .prepare = prepare_move, .undo = undo_move, .data = row,
	};

	if (!migration_entry_supports_ad())
		kunit_skip(test, "migration entries have no accessed and dirty bits here");
	if (ptebatch_op_missing(run.op))
		kunit_skip(test, "%s", ptebatch_op_missing(run.op));
	ptebatch_row_run(test, &run);
}

/* What another thread does while the folio has no mapping. */
static long zap_half_meanwhile(const struct ptebatch_op *op, struct ptebatch_space *space,
			       bool twin)
{
	ptebatch_migrate.call(&ptebatch_migrate, space, false);
	ptebatch_zap_pages(&space->places[0], space->row.nr / 2, space->row.nr);
	return ptebatch_migrated.call(&ptebatch_migrated, space, false);
}

/**
 * struct zap_row - a case of remove_migration_ptes() after zap_vma_range()
 * @name: name of the case
 * @setup: address space before the migration; its second half is zapped
 * @after: expected row
 */
struct zap_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
};

static const struct zap_row zap_rows[] = {
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
	const struct zap_row *row = test->param_value;
	const struct ptebatch_op op = {
		.function = "remove_migration_ptes()", .call = zap_half_meanwhile,
		.no_twin = true,
	};
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .after = row->after,
	};

	if (!migration_entry_supports_ad())
		kunit_skip(test, "migration entries have no accessed and dirty bits here");
	if (ptebatch_op_missing(&ptebatch_migrate))
		kunit_skip(test, "%s", ptebatch_op_missing(&ptebatch_migrate));
	ptebatch_row_run(test, &run);
}

static struct kunit_case migrate_cases[] = {
	KUNIT_CASE_PARAM(forth_row, rows_gen_params),
	KUNIT_CASE_PARAM(back_row, rows_gen_params),
	KUNIT_CASE_PARAM(move_row, move_gen_params),
	KUNIT_CASE_PARAM(zap_row, zap_gen_params),
	{}
};

PTEBATCH_SUITE(migrate, migrate_cases, PTEBATCH_COHERENT_DEVICE);
