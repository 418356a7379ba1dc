// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() changes the entries of a large folio in batches, and
 * mprotect_fixup() makes the VMA and calls it.
 *
 * Each row is done three times, in three address spaces that are alike: by
 * mprotect_fixup(), by change_protection() in the middle of a VMA, and by the
 * latter's twin, which does one entry at a time.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "internal.h"

#include "../lib/orders.h"
#include "../lib/protect.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct mprotect_row - a case of mprotect()
 * @name: of the case
 * @setup: the address space before
 * @to: protection that the row's range gets
 * @after: the row as it shall be then
 */
struct mprotect_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned long to;
	const char *after;
};

static void mprotect(struct ptebatch_trial *trial, unsigned long to)
{
	const struct ptebatch_row *row = &trial->space->row;
	int err;

	err = ptebatch_mprotect(trial->space->places[0].mm,
				ptebatch_addr(trial->space, row->from),
				ptebatch_addr(trial->space, row->to), to);
	KUNIT_EXPECT_EQ_MSG(trial->test, err, 0, "mprotect_fixup() failed");
}

static void change(struct ptebatch_trial *trial,
		   enum ptebatch_protection_id how, ptebatch_change_t change)
{
	const struct ptebatch_protection *protection =
		&ptebatch_protections[how];
	const struct ptebatch_setup *setup = &trial->space->setup;
	const struct ptebatch_row *row = &trial->space->row;
	struct ptebatch_call call = ptebatch_protection_call(protection, setup);
	long pages;

	pages = ptebatch_change(trial->space->places[0].mm,
				ptebatch_addr(trial->space, row->from),
				ptebatch_addr(trial->space, row->to),
				protection, change);
	KUNIT_EXPECT_TRUE_MSG(trial->test,
			      ptebatch_model_counts(&call, &trial->before.row,
						    pages),
			      "rule 9: %s returns %ld, which is not the number of pages",
			      trial->who, pages);
}

/* change_protection() and its twin, in address spaces that are alike. */
static void check_change(struct kunit *test, const struct ptebatch_setup *setup,
			 enum ptebatch_protection_id how, const char *after)
{
	struct ptebatch_trial *kernel, *twin;

	kernel = ptebatch_trial_begin(test, "change_protection()", setup);
	change(kernel, how, change_protection);
	ptebatch_trial_end(kernel);
	ptebatch_trial_expect(kernel, after);
	if (ptebatch_failed(test))
		return;

	twin = ptebatch_trial_begin(test, "the twin", setup);
	change(twin, how, ptebatch_twin_change_protection);
	ptebatch_trial_end(twin);
	ptebatch_trial_expect(twin, after);
	ptebatch_trial_same(kernel, twin);
}

static void check_row(struct kunit *test, const struct mprotect_row *row)
{
	struct ptebatch_trial *whole;

	whole = ptebatch_trial_begin(test, "mprotect_fixup()", &row->setup);
	mprotect(whole, row->to);
	ptebatch_trial_end(whole);
	ptebatch_trial_expect(whole, row->after);
	if (ptebatch_failed(test))
		return;
	check_change(test, &row->setup,
		     row->to == NONE ? PTEBATCH_TO_NONE :
		     row->to == RO ? PTEBATCH_TO_READABLE : PTEBATCH_TO_WRITABLE,
		     row->after);
}

static const struct mprotect_row rows[] = {
	/* Whole folios, and what their pages have in common. */
	{ "64K folio to read-only",
	  { "{Wdyx*16}", .prot = RW }, RO, "{Rdyx*16}" },
	{ "64K folio writable again without a fault",
	  { "{Rdyx*16}", .prot = RO }, RW, "{Wdyx*16}" },
	{ "64K folio to no access",
	  { "{Wdyx*16}", .prot = RW }, NONE, "{Ndyx*16}" },
	{ "64K folio from no access to writable",
	  { "{Ndyx*16}", .prot = NONE }, RW, "{Wdyx*16}" },
	{ "64K folio from no access to read-only",
	  { "{Ndyx*16}", .prot = NONE }, RO, "{Rdyx*16}" },
	{ "shared 64K folio stays read-only",
	  { "{Rdy*16}", .prot = RO }, RW, "{Rdy*16}" },
	{ "shared 64K folio from no access to read-only",
	  { "{Ndy*16}", .prot = NONE }, RW, "{Rdy*16}" },

	/* Rule 11: each run of equal exclusivity for itself. */
	{ "second half shared",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, RW, "{Wdyx*8 Rdy*8}" },
	{ "first half shared",
	  { "{Rdy*8 Rdyx*8}", .prot = RO }, RW, "{Rdy*8 Wdyx*8}" },
	{ "first page shared",
	  { "{Rdy Rdyx*15}", .prot = RO }, RW, "{Rdy Wdyx*15}" },
	{ "last page shared",
	  { "{Rdyx*15 Rdy}", .prot = RO }, RW, "{Wdyx*15 Rdy}" },
	{ "one page exclusive",
	  { "{Rdy*7 Rdyx Rdy*8}", .prot = RO }, RW, "{Rdy*7 Wdyx Rdy*8}" },
	{ "every other page shared",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RO }, RW,
	  "{Wdyx Rdy Wdyx Rdy Wdyx Rdy Wdyx Rdy}" },
	{ "shared in runs of one, two and three",
	  { "{Rdy Rdyx Rdy*2 Rdyx*2 Rdy*3 Rdyx*3 Rdyx*4}", .prot = RO }, RW,
	  "{Rdy Wdyx Rdy*2 Wdyx*2 Rdy*3 Wdyx*7}" },
	{ "exclusivity changes at the edges of the range",
	  { "{Rdy*2 | Rdyx*6 Rdy*4 | Rdyx*4}", .prot = RO }, RW,
	  "{Rdy*2 Wdyx*6 Rdy*4 Rdyx*4}" },
	{ "one exclusive page left and right of the range",
	  { "{Rdyx | Rdy*14 | Rdyx}", .prot = RO }, RW, "{Rdyx Rdy*14 Rdyx}" },

	/* Rule 3: where a batch ends, inside a folio. */
	{ "read-only run in a writable folio to no access",
	  { "{Wdyx*4 Rdyx*4 Wdyx*8}", .prot = RW }, NONE,
	  "{Ndyx*16}" },
	{ "writable and read-only pages in turn to read-only",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}", .prot = RW }, RO,
	  "{Rdyx*8}" },
	{ "read-only pages before writable ones to read-only",
	  { "{Rdyx*4 Wdyx*12}", .prot = RW }, RO, "{Rdyx*16}" },
	{ "no-access run among readable pages made writable",
	  { "{Rdyx*3 Ndyx*2 Rdyx*3}", .prot = RO }, RW, "{Wdyx*8}" },
	{ "hole in a folio",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, RO,
	  "{Rdyx*6 -*4 Rdyx*6}" },
	{ "pages of a folio left out without a hole",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW }, RO, "{Rdyx*6 .*4 Rdyx*6}" },
	{ "pages of a folio out of order",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW }, RO,
	  "{Rdyx=3 Rdyx=1 Rdyx=2 Rdyx=0 .*3}" },

	/* Rule 1: accessed and dirty may spread in a batch, never vanish. */
	{ "young pages among old ones",
	  { "{Wdyx*4 Wdx*4 Wdyx*8}", .prot = RW }, RO,
	  "{Rdyx*4 Rdx*4 Rdyx*8}" },
	{ "one young page, the last",
	  { "{Wdx*15 Wdyx}", .prot = RW }, RO, "{Rdx*15 Rdyx}" },
	{ "one dirty page, the last",
	  { "{Wyx*15 Wdyx}", .prot = RW }, RO, "{Ryx*15 Rdyx}" },
	{ "one dirty page, in the middle, to no access",
	  { "{Wyx*7 Wdyx Wyx*8}", .prot = RW }, NONE, "{Nyx*7 Ndyx Nyx*8}" },
	{ "clean and old folio stays clean and old",
	  { "{Wx*16}", .prot = RW }, RO, "{Rx*16}" },
	{ "what is dirty before the range stays there",
	  { "{Wdyx*4 | Wx*8 | Wdyx*4}", .prot = RW }, RO,
	  "{Wdyx*4 Rx*8 Wdyx*4}" },

	/* Rules 3 and 4: edges of folios, ranges and page tables. */
	{ "two folios side by side",
	  { "{Rdyx*16} {Rdy*16}", .prot = RO }, RW, "{Wdyx*16} {Rdy*16}" },
	{ "two folios physically side by side",
	  { "{Rdyx*16} +{Rdy*16}", .prot = RO }, RW, "{Wdyx*16} +{Rdy*16}" },
	{ "dirty stays in its folio where the next frame follows",
	  { "{Wdyx*16} +{Wx*16}", .prot = RW }, RO, "{Rdyx*16} +{Rx*16}" },
	{ "range ends where the next frame follows",
	  { "|{Wdyx*16}| +{Wdyx*16}", .prot = RW }, RO, "{Rdyx*16} +{Wdyx*16}" },
	{ "small folios physically side by side",
	  { "Rdyx +Rdy +Rdyx +Rdy", .prot = RO }, RW, "Wdyx +Rdy +Wdyx +Rdy" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdyx*4} Wdyx {Wdyx*16} {Wdyx*8} Wdyx*3", .prot = RW },
	  RO, "Rdyx {Rdyx*2} {Rdyx*4} Rdyx {Rdyx*16} {Rdyx*8} Rdyx*3" },
	{ "folio mapped off its alignment",
	  { "@3 {Wdyx*16}", .prot = RW }, RO, "@3 {Rdyx*16}" },
	{ "folio mapped from its middle on",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW }, RO, "{.*5 Rdyx*11} Rdyx" },
	{ "folio mapped up to its middle",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW }, RO, "{Rdyx*5 .*11} Rdyx" },
	{ "empty entries around the folio",
	  { "-*3 {Wdyx*4} -*9", .prot = RW }, RO, "-*3 {Rdyx*4} -*9" },
	{ "nothing mapped in the range",
	  { "{Wdyx*4} |-*8| {Wdyx*4}", .prot = RW }, RO, "{Wdyx*4} -*8 {Wdyx*4}" },
	{ "folio over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW }, RO, "@-8 {Rdyx*16}" },
	{ "shared from the edge of a page table on",
	  { "@-8 {Rdyx*8 Rdy*8}", .prot = RO }, RW, "@-8 {Wdyx*8 Rdy*8}" },
	{ "range ends at the edge of a page table, in a folio",
	  { "@-8 |{Wdyx*8 | Wdyx*8}", .prot = RW }, RO, "@-8 {Rdyx*8 Wdyx*8}" },
	{ "range begins at the edge of a page table, in a folio",
	  { "@-8 {Wdyx*8 | Wdyx*8}|", .prot = RW }, RO, "@-8 {Wdyx*8 Rdyx*8}" },
	{ "2M folio over the edge of a page table",
	  { "@T/2 {Wdyx*T}", .prot = RW }, RO, "@T/2 {Rdyx*T}" },
	{ "three page tables, the middle one missing",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW }, RO,
	  "@-2 {Rdyx*2} -*T {Rdyx*2}" },
	{ "three page tables full of 64K folios",
	  { "{Wdyx*16}*96", .prot = RW }, RO, "{Rdyx*16}*96" },

	/* Other mappings. */
	{ "shared memory to read-only and its dirty bits",
	  { "{Wdy*4 Wy*12}", PTEBATCH_SHMEM, RW }, RO, "{Rdy*4 Ry*12}" },
	{ "shared memory writable again, clean or dirty",
	  { "{Ry*8 Rdy*8}", PTEBATCH_SHMEM, RO }, RW, "{Wy*8 Wdy*8}" },
	{ "shared memory, part of a folio",
	  { "{Wdy*3 | Wdy*10 | Wdy*3}", PTEBATCH_SHMEM, RW }, RO,
	  "{Wdy*3 Rdy*10 Wdy*3}" },
	{ "shared file, clean pages wait for their write notification",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, RW, "{Ry*16}" },
	{ "shared file, dirty pages need none",
	  { "{Rdy*16}", PTEBATCH_FILE, RO }, RW, "{Wdy*16}" },
	{ "shared file, dirty and clean pages",
	  { "{Rdy*4 Ry*4} {Ry*4} {Rdy*4}", PTEBATCH_FILE, RO }, RW,
	  "{Wdy*4 Ry*4} {Ry*4} {Wdy*4}" },
	{ "private file, its own pages stay read-only",
	  { "{Rdy*16}", PTEBATCH_PRIVATE_FILE, RO }, RW, "{Rdy*16}" },
	{ "private file, its own pages beside copies",
	  { "{Ry*4} {Rdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RO }, RW,
	  "{Ry*4} {Wdyx*4} {Ry*4}" },

	/* Mapped twice. */
	{ "anonymous folio, after a fork",
	  { "{Rdyx*16}", .prot = RO, .twice = true }, RW, "{Rdy*16}" },
	{ "anonymous folio to no access, after a fork",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, NONE, "{Ndy*16}" },
	{ "shared memory mapped twice",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, RO, "{Rdy*16}" },

	/* Rule 12: one reason is enough to wait for the fault. */
	{ "soft-dirty tracking waits for the write",
	  { "{Rdyx*16}", .prot = RO, .track = true }, RW, "{Rdyx*16}" },
	{ "soft-dirty pages need no fault while tracking",
	  { "{Rdysx*16}", .prot = RO, .track = true }, RW, "{Wdysx*16}" },
	{ "soft-dirty and other pages while tracking",
	  { "{Rdyx*4 Rdysx*4 Rdyx*8}", .prot = RO, .track = true }, RW,
	  "{Rdyx*4 Wdysx*4 Rdyx*8}" },
	{ "a dirty page among clean ones while tracking",
	  { "{Ryx*7 Rdyx Ryx*8}", .prot = RO, .track = true }, RW,
	  "{Ryx*7 Rdyx Ryx*8}" },
	{ "soft-dirty survives read-only",
	  { "{Wdysx*4 Rdyx*4 Wdysx*8}", .prot = RW, .track = true }, RO,
	  "{Rdysx*4 Rdyx*4 Rdysx*8}" },
	{ "soft-dirty survives no access",
	  { "{Rdysx*4 Rdyx*4 Rdysx*8}", .prot = RO, .track = true }, NONE,
	  "{Ndysx*4 Ndyx*4 Ndysx*8}" },
	{ "soft-dirty does not come with dirty",
	  { "{Rdyx*4 Ryx*12}", .prot = RO, .track = true }, NONE,
	  "{Ndyx*4 Nyx*12}" },
	{ "uffd-wp waits for the write",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, RW, "{Rdyux*16}" },
	{ "uffd-wp and other pages",
	  { "{Rdyx*4 Rdyux*4 Rdyx*8}", .prot = RO, .uffd_wp = true }, RW,
	  "{Wdyx*4 Rdyux*4 Wdyx*8}" },
	{ "uffd-wp survives no access",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true }, NONE,
	  "{Ndyux*4 Ndyx*12}" },

	/*
	 * Rules 3 and 5: a shadow-stack PTE of x86 is write-protected and dirty;
	 * read-only ones behind it, clean or dirty, do not belong to its batch.
	 */
	{ "shadow-stack PTE before shared clean ones: these stay read-only",
	  { "{Cdyx Ry*15}", .prot = RO }, RW, "{Cdyx Ry*15}" },
	{ "shadow-stack PTE before shared dirty ones: these stay read-only",
	  { "{Cdyx Rdy*15}", .prot = RO }, RW, "{Cdyx Rdy*15}" },
	{ "shadow-stack PTEs before exclusive dirty ones: these become writable",
	  { "{Cdyx*4 Rdyx*12}", .prot = RO }, RW, "{Cdyx*4 Wdyx*12}" },

	/* Rule 15: what maps no page. */
	{ "migration entries lose write, and stay exclusive",
	  { "{Mw*4 Mx*4 M*4 Rdyx*4}", .prot = RW }, RO,
	  "{Mx*8 M*4 Rdyx*4}" },
	{ "migration entries of shared memory lose write",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW }, RO, "{M*8 Rdy*8}" },
	{ "migration entries do not become writable",
	  { "{Mx*4 M*4 Rdyx*8}", .prot = RO }, RW, "{Mx*4 M*4 Wdyx*8}" },
	{ "swap entries stay what they are",
	  { "{Wdyx*4} Sx*2 S*2 {Wdyx*4}", .prot = RW }, NONE,
	  "{Ndyx*4} Sx*2 S*2 {Ndyx*4}" },
	{ "soft-dirty survives in swap and migration entries",
	  { "{Mws*2 Mx*2} Ssx S", .prot = RW, .track = true }, RO,
	  "{Mxs*2 Mx*2} Ssx S" },
	{ "poison and guard markers stay",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW }, RO,
	  "{Rdyx*2} P G {Rdyx*2} P" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD to read-only", { "[Wdyx]", .prot = RW }, RO, "[Rdyx]" },
	{ "PMD writable again", { "[Rdyx]", .prot = RO }, RW, "[Wdyx]" },
	{ "shared PMD stays read-only", { "[Rdy]", .prot = RO }, RW, "[Rdy]" },
	{ "PMD to no access", { "[Wdyx]", .prot = RW }, NONE, "[Ndyx]" },
	{ "part of a PMD that is not soft-dirty: its PTEs are not either",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO, .track = true }, RW,
	  "{Rdyx*T}" },
	{ "part of a soft-dirty PMD: its PTEs are soft-dirty",
	  { "[Wdysx*T/2 | Wdysx*T/2]|", .prot = RW, .track = true }, RO,
	  "{Wdysx*T/2 Rdysx*T/2}" },
	{ "PMD of shared memory", { "[Wdy]", PTEBATCH_SHMEM, RW }, RO, "[Rdy]" },
	{ "PMD split at both ends of the range",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW }, RO,
	  "{Wdyx*T/4 Rdyx*T/2 Wdyx*T/4}" },
	{ "PMD split at the start of the range, writable again",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO }, RW,
	  "{Rdyx*T/2 Wdyx*T/2}" },
	{ "shared PMD split",
	  { "|[Rdy*T/2 | Rdy*T/2]", .prot = RO }, RW, "{Rdy*T}" },
	{ "PMD between page tables",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW }, RO,
	  "@-4 {Rdyx*4} [Rdyx] {Rdyx*4}" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*T}", .prot = RW }, RO, "{Rdyx*T}" },
	{ "2M folio mapped by page table entries, mixed exclusivity",
	  { "{Rdyx*255 Rdy*2 Rdyx*255}", .prot = RO }, RW,
	  "{Wdyx*255 Rdy*2 Wdyx*255}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void mprotect_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* What else than mprotect() changes protections. */

static const struct protection_row {
	const char *name;
	struct ptebatch_setup setup;
	enum ptebatch_protection_id how;
	const char *after;
} protection_rows[] = {
	/* Rule 14. */
	{ "uffd-wp protects all, present or not",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -" },
	{ "uffd-wp protects part of a folio",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Wdyx*5 Rdyux*6 Wdyx*5}" },
	{ "uffd-wp leaves markers where a file has nothing",
	  { "{Wdy*4} -*2 G P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Rdyu*4} U*2 G P" },
	{ "uffd-wp resolves all, present or not",
	  { "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -" },
	{ "uffd-wp resolves what it protected and what not",
	  { "{Rdyux*4 Rdyx*4 Wdyx*8}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdyx*16}" },
	{ "uffd-wp drops its markers, and no other",
	  { "{Rdyu*4} U*2 G P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdy*4} -*2 G P" },
	{ "uffd-rwp protects all, present or not",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP, "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -" },
	{ "uffd-rwp resolves all, present or not",
	  { "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP_RESOLVE, "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -" },

	/* Rule 13. */
	{ "NUMA hint for a folio",
	  { "{Wdyx*16}", .prot = RW }, PTEBATCH_NUMA_HINT, "{Ndyx*16}" },
	{ "NUMA hint for part of a folio",
	  { "{Wdyx*3 | Wdyx*9 | Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Wdyx*3 Ndyx*9 Wdyx*4}" },
	{ "NUMA hint where some have it already",
	  { "{Wdyx*4 Ndyx*4 Rdy*4 Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Ndyx*8 Ndy*4 Ndyx*4}" },
	{ "no NUMA hint for copy-on-write pages of two",
	  { "{Rdy*16} {Rdy*4}", .prot = RW, .twice = true },
	  PTEBATCH_NUMA_HINT, "{Rdy*16} {Rdy*4}" },
	{ "NUMA hint for shared memory",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, PTEBATCH_NUMA_HINT, "{Ndy*16}" },
	{ "NUMA hint and what maps no page",
	  { "{Wdyx*4 Mx*4} Sx - G", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Ndyx*4 Mx*4} Sx - G" },
};

KUNIT_ARRAY_PARAM_DESC(protection_rows, protection_rows, name);

static void mprotect_protection(struct kunit *test)
{
	const struct protection_row *row = test->param_value;
	const char *missing =
		ptebatch_protection_missing(&ptebatch_protections[row->how]);

	if (missing)
		kunit_skip(test, "%s", missing);
	check_change(test, &row->setup, row->how, row->after);
}

/*
 * Every order, every kind of range: rows of one folio whose entries are all
 * alike, so that two tokens say what goes in and what comes out.
 */

static const struct change {
	const char *name;
	enum ptebatch_mapping mapping;
	unsigned long from, to;
	const char *before, *after;
} changes[] = {
	{ "to read-only", PTEBATCH_ANON, RW, RO, "Wdyx", "Rdyx" },
	{ "writable again", PTEBATCH_ANON, RO, RW, "Rdyx", "Wdyx" },
	{ "shared, stays read-only", PTEBATCH_ANON, RO, RW, "Rdy", "Rdy" },
	{ "to no access", PTEBATCH_ANON, RW, NONE, "Wdyx", "Ndyx" },
	{ "from no access", PTEBATCH_ANON, NONE, RW, "Ndyx", "Wdyx" },
	{ "shared memory to read-only", PTEBATCH_SHMEM, RW, RO, "Wdy", "Rdy" },
	{ "shared file stays read-only", PTEBATCH_FILE, RO, RW, "Ry", "Ry" },
};

PTEBATCH_ORDER_PARAM(orders, changes);

static void check_range(struct kunit *test, const struct ptebatch_order *param,
			unsigned int from, unsigned int to)
{
	const struct change *change = &changes[param->kind];
	unsigned int nr = 1U << param->order;
	char before[64], after[64];
	const struct mprotect_row row = {
		.setup = {
			.picture = ptebatch_row_of_folio(before, sizeof(before),
							 nr, from, to,
							 change->before,
							 change->before),
			.mapping = change->mapping,
			.prot = change->from,
		},
		.to = change->to,
		.after = ptebatch_row_of_folio(after, sizeof(after), nr, from,
					       to, change->before,
					       change->after),
	};

	if (!ptebatch_failed(test))
		check_row(test, &row);
}

static void mprotect_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	ptebatch_each_range(test, check_range);
	if (nr < 4)
		return;
	check_range(test, param, 0, 1);
	check_range(test, param, nr - 1, nr);
	check_range(test, param, 0, nr - 1);
	check_range(test, param, 1, nr);
}

static struct kunit_case mprotect_cases[] = {
	KUNIT_CASE_PARAM(mprotect_row, rows_gen_params),
	KUNIT_CASE_PARAM(mprotect_protection, protection_rows_gen_params),
	KUNIT_CASE_PARAM(mprotect_order, orders_gen_params),
	{}
};

static struct kunit_suite mprotect_suite = {
	.name = "ptebatch_mprotect",
	.test_cases = mprotect_cases,
};

kunit_test_suite(mprotect_suite);

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for batched page table entry handling");
MODULE_LICENSE("GPL");
