// SPDX-License-Identifier: GPL-2.0
/*
 * try_to_unmap() clears the PTEs of a large folio in batches: those of file and
 * lazyfree folios, and with mm/series/unmap those of swap-backed folios.
 *
 * Each row runs twice, in two equal address spaces: with try_to_unmap() and
 * with its twin, which unmaps one PTE at a time.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/shmem_fs.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/contents.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/advise.h"
#include "../lib/op/protect.h"
#include "../lib/op/uffd.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/swap.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/*
 * The RSS before the call, in pages, as update_hiwater_rss() reads it, and the
 * references to the first folio after the call.
 */
static unsigned long rss_before;
static unsigned int refs;

static long unmap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	rss_before = get_mm_rss(space->places[0].mm);
	ptebatch_unmap.call(op, space, twin);
	refs = folio_ref_count(space->folios[0]);
	return 0;
}

static const struct ptebatch_op unmap_op = {
	.function = "try_to_unmap()", .call = unmap, .model = ptebatch_model_unmap,
};

/* The model covers neither hwpoison nor mlock nor redirtied lazyfree folios. */
static bool is_modelled(struct kunit *test, const struct ptebatch_case *row)
{
	const struct ptebatch_row *was = ptebatch_picture(test, row->setup.picture);
	u16 poisoned = row->arg & TTU_HWPOISON ? PTEBATCH_POISONED : 0;
	u16 redirtied = PTEBATCH_LAZYFREE | PTEBATCH_DIRTY;
	unsigned int i;

	if (((row->setup.vma | row->setup.next_vma) & VM_LOCKED) &&
	    !(row->arg & TTU_IGNORE_MLOCK))
		return false;
	for (i = was->from; i < was->to; i++)
		if (was->entries[i].flags & poisoned ||
		    (was->entries[i].flags & redirtied) == redirtied)
			return false;
	return true;
}

static void check_peak(const struct ptebatch_trial *trial)
{
	/* The split of a PMD that maps a file does not update the peak. */
	if (trial->space->setup.mapping != PTEBATCH_ANON &&
	    !bitmap_empty(trial->before.huge, trial->before.row.nr))
		return;
	KUNIT_EXPECT_GE_MSG(trial->test, get_mm_hiwater_rss(trial->place->mm),
			    rss_before, PTEBATCH_RULE_ACCOUNTING
			    ": peak of the RSS after %s, in pages", trial->function);
}

/*
 * Each munlock puts a folio into a batch of the CPU, which holds a reference:
 * reclaim can free the folio only if try_to_unmap() drains the batch.
 */
static void check_drained(const struct ptebatch_trial *trial,
			  const struct ptebatch_case *row)
{
	if (row->arg & TTU_IGNORE_MLOCK)
		KUNIT_EXPECT_EQ_MSG(trial->test, refs,
				    folio_ref_count(trial->space->folios[0]),
				    PTEBATCH_RULE_MLOCKED
				    ": references after %s, and after lru_add_drain_all()",
				    trial->function);
}

/* PG_mlocked of folios that were not mlocked before. */
static void check_mlocked(const struct ptebatch_trial *trial,
			  const struct ptebatch_case *row, bool mlocked)
{
	unsigned int i;

	check_peak(trial);
	check_drained(trial, row);
	if (!(row->setup.vma & VM_LOCKED) || row->setup.folios & FOLIOS_MLOCKED)
		return;
	for (i = 0; i < trial->space->row.nr_folios; i++)
		KUNIT_EXPECT_EQ_MSG(trial->test,
				    folio_test_mlocked(trial->space->folios[i]),
				    mlocked, PTEBATCH_RULE_MLOCKED
				    ": PG_mlocked of folio %u after %s", i,
				    trial->function);
}

static void check_state(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	check_mlocked(trial, row, false);
}

static void check_becomes_mlocked(struct ptebatch_trial *trial,
				  const struct ptebatch_case *row)
{
	check_mlocked(trial, row, true);
}

static void check_row(struct kunit *test, struct ptebatch_case row)
{
	row.op = &unmap_op;
	row.no_model = !is_modelled(test, &row);
	row.check = row.check ?: check_state;
	ptebatch_case_run(test, &row);
}

static const struct ptebatch_case rows[] = {
	/* Rule 17: dirty reaches the file's folio, uffd-wp leaves markers. */
	{ "64K file folio, clean: unmapped", { "{Ry*16}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K file folio, PTE 9 dirty: unmapped, folio dirty",
	  { "{Ry*9 Wdy Ry*6}", PTEBATCH_FILE, RW }, "-*16" },
	{ "64K file folio, last PTE dirty: unmapped, folio dirty",
	  { "{Ry*15 Rdy}", PTEBATCH_FILE, RO }, "-*16" },
	{ "64K shmem folio, writable and dirty: unmapped, folio dirty",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "64K shmem folio, PROT_NONE, first half dirty: unmapped, folio dirty",
	  { "{Ndy*8 Ny*8}", PTEBATCH_SHMEM }, "-*16" },
	{ "64K shmem folio with a hole of 3 PTEs, first 5 PTEs dirty: unmapped, folio dirty",
	  { "{Wdy*5 -*3 Ry*8}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "64K shmem folio across a page table boundary: unmapped, folio dirty",
	  { "@-8 {Wdy*16}", PTEBATCH_SHMEM, RW }, "@-8 -*16" },
	{ "second of two 64K shmem folios: unmapped, first unchanged",
	  { "{Wdy*16} | {Wdy*16} |", PTEBATCH_SHMEM, RW }, "{Wdy*16} -*16" },
	{ "second of two physically contiguous 64K shmem folios: unmapped, first unchanged",
	  { "{Wdy*16} | +{Wdy*16} |", PTEBATCH_SHMEM, RW }, "{Wdy*16} -*16" },
	{ "64K shmem folio mapped by two VMAs: unmapped, folio dirty",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "-*16" },
	{ "64K shmem folio, uffd-wp on 12 PTEs: 12 uffd-wp markers, 4 empty PTEs",
	  { "{Rdyu*4 Wdy*4 Ryu*8}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP },
	  "U*4 -*4 U*8" },
	{ "64K file folio, uffd-wp on the last PTE: a uffd-wp marker in the last PTE only",
	  { "{Ry*15 Ryu}", PTEBATCH_FILE, RO, .uffd = UFFD_WP }, "-*15 U" },
	{ "private file mapping of a 64K page cache folio: unmapped",
	  { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW }, "-*16" },

	/* Rule 18: lazyfree folios are dropped only if clean. */
	{ "64K lazyfree folio, clean: unmapped",
	  { "{Wyxl*16}", .prot = RW }, "-*16" },
	{ "64K lazyfree folio, clean, PTEs 4 to 7 read-only: unmapped",
	  { "{Wyxl*4 Ryxl*4 Wyxl*8}", .prot = RW }, "-*16" },
	{ "64K lazyfree folio, first PTE dirty: stays mapped, PTEs unchanged",
	  { "{Wdyxl Wyxl*15}", .prot = RW }, "{Wdyx Wyx*15}" },
	{ "64K lazyfree folio, dirty shadow stack PTE first: read-only PTEs stay read-only",
	  { "{Cdyxl Ryxl*15}", .prot = RW }, "{Cdyx Ryx*15}" },
	{ "64K lazyfree folio, 4 device-exclusive entries: unmapped",
	  { "{Wyxl*4 Exl*4 Wyxl*8}", .prot = RW }, "-*16" },
	{ "64K lazyfree folio, zero page in its middle: unmapped, zero page stays",
	  { "{Wyxl*4 Rzy*4 Wyxl*8}", .prot = RW }, "-*4 Rzy*4 -*8" },
	{ "64K lazyfree folio across a page table boundary: unmapped",
	  { "@-5 {Wyxl*16}", .prot = RW }, "@-5 -*16" },
	{ "64K lazyfree folio, last 13 pages mapped: unmapped",
	  { "{.*3 Wyxl*13}", .prot = RW }, "-*13" },
	{ "64K droppable folio, dirty: unmapped",
	  { "{Wdyxl*16}", .prot = RW, .vma = VM_DROPPABLE }, "-*16" },
	{ "64K droppable folio, only the last PTE dirty, PTE 3 read-only: unmapped",
	  { "{Wyxl*3 Ryxl Wyxl*11 Wdyxl}", .prot = RW, .vma = VM_DROPPABLE }, "-*16" },
	{ "small droppable folio, dirty: unmapped",
	  { "{Wdyxl}", .prot = RW, .vma = VM_DROPPABLE }, "-" },

	/* Rule 19: each page gets its own swap entry, with its own flags. */
	{ "64K folio, exclusive: 16 exclusive swap entries",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" },
	{ "64K folio, shared: 16 swap entries, none exclusive",
	  { "{Rdy*16}", .prot = RO, .folios = WITH_SWAP }, "{S*16}" },
	{ "64K folio, shared, pinned: 16 swap entries, only exclusive pages stay for a pin",
	  { "{Rdy*16}", .prot = RO, .folios = WITH_SWAP }, "{S*16}", .with = { PINNED(0) } },
	{ "64K folio, second half shared: only the first 8 swap entries exclusive",
	  { "{Rdyx*8 Rdy*8}", .prot = RO, .folios = WITH_SWAP }, "{Sx*8 S*8}" },
	{ "64K folio, first page shared: all swap entries but the first exclusive",
	  { "{Rdy Rdyx*15}", .prot = RO, .folios = WITH_SWAP }, "{S Sx*15}" },
	{ "64K folio, last page shared: all swap entries but the last exclusive",
	  { "{Rdyx*15 Rdy}", .prot = RO, .folios = WITH_SWAP }, "{Sx*15 S}" },
	{ "32K folio, every other page shared: every other swap entry exclusive",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RO, .folios = WITH_SWAP },
	  "{Sx S Sx S Sx S Sx S}" },
	{ "64K folio, shared runs of 1, 2 and 3 pages: their swap entries not exclusive",
	  { "{Rdyx Rdy Rdyx*2 Rdy*2 Rdyx*3 Rdy*3 Rdyx*4}", .prot = RO, .folios = WITH_SWAP },
	  "{Sx S Sx*2 S*2 Sx*3 S*3 Sx*4}" },
	{ "64K folio, writable, read-only and PROT_NONE PTEs: 16 exclusive swap entries",
	  { "{Wdyx*4 Rdyx*4 Ndyx*4 Wdyx*4}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" },
	{ "64K folio, young and old, dirty and clean PTEs: 16 exclusive swap entries",
	  { "{Wdyx*4 Wdx*4 Wyx*4 Wx*4}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" },
	{ "64K folio, 5 PTEs soft-dirty: the swap entries of these 5 soft-dirty",
	  { "{Wdysx*4 Rdyx*4 Wdysx Rdyx*7}", .prot = RW, .track = true, .folios = WITH_SWAP },
	  "{Ssx*4 Sx*4 Ssx Sx*7}" },
	{ "64K folio, last PTE dirty, none soft-dirty: no swap entry soft-dirty",
	  { "{Ryx*15 Rdyx}", .prot = RO, .track = true, .folios = WITH_SWAP }, "{Sx*16}" },
	{ "64K folio, 12 PTEs uffd-wp: the swap entries of these 12 uffd-wp",
	  { "{Rdyux*4 Wdyx*4 Rdyux Rdyu*7}", .prot = RW, .uffd = UFFD_WP,
	    .folios = WITH_SWAP }, "{Sxu*4 Sx*4 Sxu Su*7}" },
	{ "64K folio, first 4 PTEs uffd-rwp: first 4 swap entries uffd-rwp",
	  { "{Ndyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_RWP, .folios = WITH_SWAP },
	  "{Sxu*4 Sx*12}" },
	{ "64K folio, pages 5 to 10 mapped: 6 exclusive swap entries",
	  { "{.*5 Wdyx*6 .*5}", .prot = RW, .folios = WITH_SWAP }, "{.*5 Sx*6 .*5}" },
	{ "64K folio with a hole of 2 PTEs: 14 exclusive swap entries, hole stays",
	  { "{Wdyx*5 - - Wdyx*9}", .prot = RW, .folios = WITH_SWAP }, "{Sx*5 - - Sx*9}" },
	{ "64K folio, 2 swap entries: they stay, 14 PTEs become exclusive swap entries",
	  { "{Wdyx*5 Sx S Wdyx*9}", .prot = RW, .folios = WITH_SWAP }, "{Sx*6 S Sx*9}" },
	{ "64K folio, 2 migration entries: they stay, 14 PTEs become exclusive swap entries",
	  { "{Wdyx*5 Mx M Wdyx*9}", .prot = RW, .folios = WITH_SWAP }, "{Sx*5 Mx M Sx*9}" },
	{ "64K folio across a page table boundary: 16 exclusive swap entries",
	  { "@-8 {Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "@-8 {Sx*16}" },
	{ "64K folio, virtual address not 64K-aligned: 16 exclusive swap entries",
	  { "@5 {Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "@5 {Sx*16}" },
	{ "middle one of three 64K folios: 16 exclusive swap entries, neighbours unchanged",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW, .folios = WITH_SWAP },
	  "{Wdyx*16} {Sx*16} {Wdyx*16}" },
	{ "first of two physically contiguous 64K folios: 16 swap entries, second unchanged",
	  { "| {Wdyx*16} | +{Wdyx*16}", .prot = RW, .folios = WITH_SWAP },
	  "{Sx*16} {Wdyx*16}" },
	{ "two 64K folios, TTU_BATCH_FLUSH: 32 exclusive swap entries",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16} {Sx*16}",
	  .arg = TTU_BATCH_FLUSH },
	{ "64K folio, TTU_SYNC and TTU_BATCH_FLUSH: 16 exclusive swap entries",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}",
	  .arg = TTU_SYNC | TTU_BATCH_FLUSH },
	{ "folios of orders 0, 1, 3 and 5, order 5 shared: its swap entries not exclusive",
	  { "{Wdyx} {Wdyx*2} {Wdyx*8} {Rdy*32}", .prot = RW, .folios = WITH_SWAP },
	  "{Sx} {Sx*2} {Sx*8} {S*32}" },
	{ "small folio that a guest no longer needs: no swap entry", { "Wdyx", .prot = RW }, "-",
	  .with = { UNUSED(0) } },

	/* Rules 16 and 21: PMD-mapped, mlocked and multiply mapped folios. */
	{ "64K folio mapped by parent and child: 16 swap entries, none exclusive",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP, .twice = true }, "{S*16}" },
	{ "small folio mapped by parent and child: swap entry, not exclusive",
	  { "{Wdyx}", .prot = RW, .folios = WITH_SWAP, .twice = true }, "{S}" },
	{ "64K lazyfree folio mapped by parent and child: unmapped",
	  { "{Wyxl*16}", .prot = RW, .twice = true }, "-*16" },
	{ "64K folio in an mlocked VMA: stays mapped",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP | FOLIOS_MLOCKED, .vma = VM_LOCKED },
	  "{Wdyx*16}" },
	{ "64K folio in an mlocked VMA, TTU_IGNORE_MLOCK: 16 exclusive swap entries",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP | FOLIOS_MLOCKED, .vma = VM_LOCKED },
	  "{Sx*16}", .arg = TTU_IGNORE_MLOCK },
	/* munlock of a large folio uses no batch of the CPU, see check_drained(). */
	{ "small folio in an mlocked VMA, TTU_IGNORE_MLOCK: exclusive swap entry",
	  { "{Wdyx}", .prot = RW, .folios = WITH_SWAP | FOLIOS_MLOCKED, .vma = VM_LOCKED }, "{Sx}",
	  .arg = TTU_IGNORE_MLOCK },

	/* A folio in an mlocked VMA that is not mlocked yet. */
	{ "64K folio not mlocked, in an mlocked VMA: becomes mlocked, stays mapped",
	  { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP, .vma = VM_LOCKED }, "{Wdyx*16}",
	  .check = check_becomes_mlocked },
	{ "small folio not mlocked, in an mlocked VMA: becomes mlocked, stays mapped",
	  { "{Wdyx}", .prot = RW, .folios = WITH_SWAP, .vma = VM_LOCKED }, "{Wdyx}",
	  .check = check_becomes_mlocked },
	{ "64K file folio not mlocked, in an mlocked VMA: becomes mlocked, stays mapped",
	  { "{Ry*16}", PTEBATCH_FILE, RW, .vma = VM_LOCKED }, "{Ry*16}",
	  .check = check_becomes_mlocked },
	{ "64K folio, first 8 pages mapped in an mlocked VMA: not mlocked, stays mapped",
	  { "{Wdyx*8 .*8}", .prot = RW, .folios = WITH_SWAP, .vma = VM_LOCKED },
	  "{Wdyx*8 .*8}" },
	{ "64K folio across page tables of an mlocked VMA: not mlocked, stays mapped",
	  { "@-8 {Wdyx*16}", .prot = RW, .folios = WITH_SWAP, .vma = VM_LOCKED },
	  "@-8 {Wdyx*16}" },
	{ "PMD-mapped folio not mlocked, in an mlocked VMA: becomes mlocked, not split",
	  { "[Wdyx]", .prot = RW, .folios = WITH_SWAP, .vma = VM_LOCKED }, "[Wdyx]",
	  .arg = TTU_SPLIT_HUGE_PMD, .check = check_becomes_mlocked },

	/* Rules 3 and 21: a batch ends with its VMA. */
	{ "64K lazyfree folio in two VMAs, PTE of the first one dirty: both stay mapped",
	  { "{Wdyxl Wyxl*7 ; Wyxl*8}", .prot = RW },
	  "{Wdyx Wyx*7 ; Wyx*8}" },
	{ "64K lazyfree folio in two VMAs: unmapped",
	  { "{Wyxl*8 ; Wyxl*8}", .prot = RW }, "-*16" },
	{ "64K lazyfree folio in two VMAs, second one mlocked: only the first half unmapped",
	  { "{Wyxl*8 ; Wyxl*8}", .prot = RW, .next_vma = VM_LOCKED },
	  "{-*8 Wyxl*8}" },
	{ "64K lazyfree folio in three VMAs, middle one mlocked: only the first 5 PTEs unmapped",
	  { "{Wyxl*5 ; Wyxl*4 ; Wyxl*7}", .prot = RW,
	    .next_vma = VM_LOCKED }, "{-*5 Wyxl*11}" },
	{ "64K lazyfree folio in three VMAs, middle one mlocked, TTU_IGNORE_MLOCK: unmapped",
	  { "{Wyxl*5 ; Wyxl*4 ; Wyxl*7}", .prot = RW,
	    .next_vma = VM_LOCKED }, "-*16", .arg = TTU_IGNORE_MLOCK },
	{ "64K lazyfree folio, VMA and page table end after 8 PTEs, mlocked VMA: 8 PTEs unmapped",
	  { "@-8 {Wyxl*8 ; Wyxl*8}", .prot = RW, .next_vma = VM_LOCKED },
	  "@-8 {-*8 Wyxl*8}" },
	{ "64K file folio in two VMAs, second one mlocked: only the first half unmapped",
	  { "{Wdy*8 ; Wdy*8}", PTEBATCH_FILE, RW, .next_vma = VM_LOCKED },
	  "{-*8 Wdy*8}" },
	{ "64K shmem folio in two VMAs, second one mlocked: only the first PTE unmapped",
	  { "{Ry ; Ry*15}", PTEBATCH_SHMEM, RW, .next_vma = VM_LOCKED }, "{- Ry*15}" },
	{ "64K folio in two VMAs, second one mlocked: 8 swap entries",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW, .folios = WITH_SWAP, .next_vma = VM_LOCKED },
	  "{Sx*8 Wdyx*8}" },

	{ "PMD-mapped folio, TTU_SPLIT_HUGE_PMD: all swap entries exclusive",
	  { "[Wdyx]", .prot = RW, .folios = WITH_SWAP }, "{Sx*T}", .arg = TTU_SPLIT_HUGE_PMD },
	{ "PMD-mapped folio, shared, TTU_SPLIT_HUGE_PMD: no swap entry exclusive",
	  { "[Rdy]", .prot = RO, .folios = WITH_SWAP }, "{S*T}", .arg = TTU_SPLIT_HUGE_PMD },
	{ "2M folio mapped by PTEs, pages 255 and 256 shared: their swap entries not exclusive",
	  { "{Wdyx*255 Rdy*2 Wdyx*255}", .prot = RW, .folios = WITH_SWAP },
	  "{Sx*255 S*2 Sx*255}" },
	{ "PMD-mapped shmem folio, TTU_SPLIT_HUGE_PMD: unmapped, folio dirty",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T", .arg = TTU_SPLIT_HUGE_PMD },

	/* Rule 22: hwpoison entries, no batch. */
	{ "small folio, PG_hwpoison, TTU_HWPOISON: hwpoison entry",
	  { "{Wdyxh}", .prot = RW }, "{H}", .arg = TTU_HWPOISON },
	{ "small shmem folio, PG_hwpoison, TTU_HWPOISON: hwpoison entry",
	  { "{Wdyh}", PTEBATCH_SHMEM, RW }, "{H}", .arg = TTU_HWPOISON },
	{ "64K shmem folio, first page PG_hwpoison, TTU_HWPOISON: no batch, 16 hwpoison entries",
	  { "{Wdyh Wdy*15}", PTEBATCH_SHMEM, RW }, "{H*16}", .arg = TTU_HWPOISON },
	{ "64K shmem folio, page 3 PG_hwpoison, TTU_HWPOISON: unmapped, folio dirty",
	  { "{Wdy*3 Wdyh Wdy*12}", PTEBATCH_SHMEM, RW }, "-*16", .arg = TTU_HWPOISON },
	{ "64K shmem folio, first page PG_hwpoison: unmapped, folio dirty",
	  { "{Wdyh Wdy*15}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "64K shmem folio, page 3 PG_hwpoison: unmapped, folio dirty",
	  { "{Wdy*3 Wdyh Wdy*12}", PTEBATCH_SHMEM, RW }, "-*16" },
	{ "64K folio, page 3 PG_hwpoison: 16 exclusive swap entries",
	  { "{Wdyx*3 Wdyxh Wdyx*12}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" },
	{ "PMD-mapped folio, PG_hwpoison, TTU_SPLIT_HUGE_PMD: all swap entries exclusive",
	  { "[Wdyxh]", .prot = RW, .folios = WITH_SWAP }, "{Sx*T}",
	  .arg = TTU_SPLIT_HUGE_PMD },
	{ "PMD-mapped folio, PG_hwpoison, TTU_SPLIT_HUGE_PMD and TTU_HWPOISON: hwpoison entries",
	  { "[Wdyxh]", .prot = RW }, "{H*T}",
	  .arg = TTU_SPLIT_HUGE_PMD | TTU_HWPOISON },
	{ "64K shmem folio, no PG_hwpoison, TTU_HWPOISON: unmapped, folio dirty",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16", .arg = TTU_HWPOISON },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void unmap_row(struct kunit *test)
{
	check_row(test, *(const struct ptebatch_case *)test->param_value);
}

/* Each kind of folio in each order. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *before, *after;
} kinds[] = {
	{ "folio, exclusive: exclusive swap entries",
	  { .prot = RW, .folios = WITH_SWAP }, "Wdyx", .after = "Sx" },
	{ "folio, shared: swap entries, none exclusive",
	  { .prot = RO, .folios = WITH_SWAP }, "Rdy", .after = "S" },
	{ "lazyfree folio, clean: unmapped",
	  { .prot = RW }, "Wyxl", .after = "-" },
	{ "file folio: unmapped, folio dirty",
	  { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", .after = "-" },
	{ "shmem folio: unmapped, folio dirty",
	  { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", .after = "-" },
};

PTEBATCH_ORDER_PARAMS(unmap_order, kinds);

static void unmap_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	const struct kind *kind = param->kind;
	struct ptebatch_case row = { .setup = kind->setup };

	row.setup.picture = ptebatch_draw(test, "{%s*%u}", kind->before,
					  1U << param->order);
	row.after = ptebatch_draw(test, "{%s*%u}", kind->after, 1U << param->order);
	check_row(test, row);
}

/*
 * Rule 20: try_to_unmap() fails at page @at at the latest. PTEs before the
 * failure are unmapped and accounted, the rest is restored exactly. Each row
 * runs with @at from 0 to 15.
 */

/* TLB flushes: the PTEs are cleared. */
#define FLUSH	PTEBATCH_FLUSH_HOOK

/**
 * struct failure_row - try_to_unmap() fails
 * @c: the case, with the condition of the failure; the picture is drawn
 * @first: the pages before page @at
 * @at: page @at
 * @rest: the pages after page @at
 * @done_first: expected for them when the call is repeated without the condition;
 *              %NULL: it is not
 * @done_at: the same for @at
 * @done_rest: the same for @rest
 */
struct failure_row {
	struct ptebatch_case c;
	const char *first, *at, *rest;
	const char *done_first, *done_at, *done_rest;
};

static const struct failure_row failures[] = {
	{ { "64K folio, pinned, shared, then exclusive read-only pages: no exclusive page unmapped",
	    { .prot = RO, .folios = WITH_SWAP }, .with = { PINNED(0) } }, "Rdy", "Rdyx",
	    .rest = "Rdyx", .done_first = "S", .done_at = "Sx", .done_rest = "Sx" },
	{ { "64K folio, pinned, shared, then exclusive writable pages: no exclusive page unmapped",
	    { .prot = RW, .folios = WITH_SWAP }, .with = { PINNED(0) } }, "Rdy", "Wdyx",
	    .rest = "Wdyx", .done_first = "S", .done_at = "Sx", .done_rest = "Sx" },
	{ { "64K folio, pinned after its PTEs are cleared: no exclusive page unmapped",
	    { .prot = RO, .folios = WITH_SWAP }, .with = { PINNED_AT(FLUSH, 0, 0) } }, "Rdy",
	    "Rdyx", .rest = "Rdyx", .done_first = "S", .done_at = "Sx", .done_rest = "Sx" },
	{ { "64K folio, pinned, soft-dirty up to the first exclusive page: restored PTE by PTE",
	    { .prot = RW, .folios = WITH_SWAP, .track = true }, .with = { PINNED(0) } },
	    "Rdys", "Wdysx", .rest = "Rdyx", .done_first = "Ss", .done_at = "Ssx",
	    .done_rest = "Sx" },
	{ { "64K folio, pinned, read-only after shadow stack PTEs: restored read-only",
	    { .prot = RW, .folios = WITH_SWAP }, .with = { PINNED(0) } }, "Cdyx", "Ryx",
	    .rest = "Ryx",
	    .done_first = "Sx", .done_at = "Sx", .done_rest = "Sx" },
	{ { "64K folio, swap count of an exclusive page cannot grow: it and later pages restored",
	    { .prot = RW, .folios = WITH_SWAP }, .with = { SWAP_COUNT_FULL(0), NO_SLAB } },
	    "Wdyx", "Wdyx", .rest = "Wdyx", .done_first = "Sx", .done_at = "Sx",
	    .done_rest = "Sx" },
	{ { "64K folio, swap count of a shared page cannot grow: it and later pages restored",
	    { .prot = RW, .folios = WITH_SWAP }, .with = { SWAP_COUNT_FULL(0), NO_SLAB } },
	    "Rdyx", "Rdy", .rest = "Rdyx", .done_first = "Sx", .done_at = "S", .done_rest = "Sx" },
	{ { "64K lazyfree folio, dirtied after its PTEs are cleared: restored, swap-backed again",
	    { .prot = RW }, .with = { DIRTY_AT(FLUSH, 0, 0) } },
	    "Wyxl", "Wyxl", .rest = "Wyxl" },
	{ { "64K lazyfree folio, additional reference, one PTE read-only: restored PTE by PTE",
	    { .prot = RW }, .with = { REFERENCED(0) } }, "Wyxl", "Ryxl",
	    .rest = "Wyxl", .done_first = "-", .done_at = "-", .done_rest = "-" },
	{ { "64K lazyfree folio, referenced after its PTEs are cleared: restored PTE by PTE",
	    { .prot = RW }, .with = { REFERENCED_AT(FLUSH, 0, 0) } },
	    "Wyxl", "Ryxl", .rest = "Wyxl", .done_first = "-", .done_at = "-", .done_rest = "-" },
	{ { "64K lazyfree folio, additional reference, one PTE not soft-dirty: restored PTE by PTE",
	    { .prot = RW, .track = true },
	    .with = { REFERENCED(0) } }, "Wysxl", "Ryxl", .rest = "Rysxl", .done_first = "-",
	    .done_at = "-", .done_rest = "-" },
};

static bool check_failure(struct kunit *test, const struct failure_row *row,
			  const char *done, unsigned int at, bool twin)
{
	struct ptebatch_trial *trial;
	bool passes = true;
	unsigned int i;

	trial = ptebatch_case_call(test, &row->c, twin, &passes);
	/* Rule 18: a dirty folio is swap-backed again. */
	for (i = 0; row->c.with[0].type == &ptebatch_condition_dirty && i < 16; i++)
		trial->before.row.entries[i].flags &= ~PTEBATCH_LAZYFREE;
	passes = passes && ptebatch_trial_halfway(trial, done, at);
	/* Without the cause of failure, the next call must succeed. */
	if (done && passes) {
		ptebatch_unmap.call(&ptebatch_unmap, trial->space, twin);
		/* The flushes of this call are not recorded. */
		bitmap_fill(trial->secondary.flushed, PTEBATCH_ROW_ENTRIES);
		passes = ptebatch_trial_end(trial) &&
			 ptebatch_trial_expect(trial, done);
	}
	ptebatch_trial_release(trial);
	return passes;
}

KUNIT_ARRAY_PARAM_DESC(failures, failures, c.name);

static void unmap_fails(struct kunit *test)
{
	struct failure_row row = *(const struct failure_row *)test->param_value;
	const char *done = NULL;
	unsigned int at;

	row.c.op = &ptebatch_unmap;
	row.c.no_model = true;
	for (at = 0; at < 16; at++) {
		row.c.setup.picture = ptebatch_draw(test, "{%s*%u %s %s*%u}", row.first, at,
						    row.at, row.rest, 15 - at);
		if (row.done_at)
			done = ptebatch_draw(test, "{%s*%u %s %s*%u}", row.done_first, at,
					     row.done_at, row.done_rest, 15 - at);
		if (row.c.with[0].type == &ptebatch_condition_swap_count_full)
			row.c.with[0].value = at;
		if (!check_failure(test, &row, done, at, false) ||
		    !check_failure(test, &row, done, at, true))
			return;
	}
}

/*
 * Swap-out and swap-in round trip: after the faults each page has its own
 * contents, and each PTE has its exclusive, soft-dirty and uffd-wp flags.
 */

static const struct swap_row {
	struct ptebatch_case c;		/* of the unmapping */
	const char *swapped_in;		/* expected after swap-in */
} swap_rows[] = {
	{ { "64K folio, exclusive: writable and exclusive after swap-in",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" }, "{Wyx*16}" },
	{ { "64K folio, shared: read-only and shared after swap-in",
	    { "{Rdy*16}", .prot = RW, .folios = WITH_SWAP }, "{S*16}" }, "{Ry*16}" },
	{ { "64K folio, pages 5 to 10 shared: after swap-in they are read-only, the rest writable",
	    { "{Wdyx*5 Rdy*6 Wdyx*5}", .prot = RW, .folios = WITH_SWAP }, "{Sx*5 S*6 Sx*5}" },
	    "{Wyx*5 Ry*6 Wyx*5}" },
	{ { "64K folio in a read-only VMA: read-only and exclusive after swap-in",
	    { "{Rdyx*16}", .prot = RO, .folios = WITH_SWAP }, "{Sx*16}" }, "{Ryx*16}" },
	{ { "64K folio, first 4 PTEs soft-dirty: after swap-in the first 4 soft-dirty",
	    { "{Wdysx*4 Rdyx*12}", .prot = RW, .folios = WITH_SWAP, .track = true },
	    "{Ssx*4 Sx*12}" }, "{Wysx*4 Ryx*12}" },
	{ { "64K folio, first 4 PTEs uffd-wp: after swap-in the first 4 uffd-wp",
	    { "{Rdyux*4 Wdyx*12}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP },
	    "{Sxu*4 Sx*12}" }, "{Ryux*4 Wyx*12}" },
	{ { "64K folio, last 13 pages mapped: writable and exclusive after swap-in",
	    { "{.*3 Wdyx*13}", .prot = RW, .folios = WITH_SWAP }, "{.*3 Sx*13}" },
	    "{.*3 Wyx*13}" },
	{ { "64K folio, memory tags: each page has its tags after swap-in",
	    { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE, .folios = WITH_SWAP }, "{Sx*16}" },
	    "{Wyx*16}" },
	{ { "64K folio across a page table boundary: writable and exclusive after swap-in",
	    { "@-5 {Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "@-5 {Sx*16}" },
	    "@-5 {Wyx*16}" },
	{ { "three small folios, the middle one shared: read-only after swap-in, the rest writable",
	    { "{Wdyx} {Rdy} {Wdyx}", .prot = RW, .folios = WITH_SWAP }, "{Sx} {S} {Sx}" },
	    "{Wyx} {Ry} {Wyx}" },
	{ { "2M folio mapped by PTEs: writable and exclusive after swap-in",
	    { "{Wdyx*T}", .prot = RW, .folios = WITH_SWAP }, "{Sx*T}" }, "{Wyx*T}" },
};

KUNIT_ARRAY_PARAM_DESC(swap_rows, swap_rows, c.name);

/* Each page is read, or with @off swapoff() reads all. */
static bool swap_and_read(struct kunit *test, const struct swap_row *row, bool off,
			  bool twin)
{
	struct ptebatch_case c = row->c;
	struct ptebatch_trial *trial;
	bool passes = true;
	struct seq_buf out;
	unsigned int i;

	c.op = &ptebatch_unmap;
	c.filled = true;
	trial = ptebatch_case_try(test, &c, twin, &passes);
	for (i = 0; i < trial->space->row.nr_folios; i++) {
		struct folio *folio = trial->space->folios[i];

		KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_round_trip(folio));
		/* The fault takes the folio lock. */
		folio_unlock(folio);
	}
	if (off)
		KUNIT_ASSERT_EQ(test, 0, ptebatch_swap_cycle());
	else
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_contents_read(trial->space), -1,
				    "entry with wrong contents after swap-in");
	for (i = 0; i < trial->space->row.nr_folios; i++)
		folio_lock(trial->space->folios[i]);
	ptebatch_trial_stop(trial);
	passes &= ptebatch_trial_expect(trial, row->swapped_in);
	KUNIT_EXPECT_TRUE_MSG(test,
			      ptebatch_check_passes(trial, &ptebatch_check_contents, &out),
			      "after swap-in, %s", seq_buf_str(&out));
	ptebatch_trial_release(trial);
	return passes;
}

static void swap_in(struct kunit *test)
{
	if (swap_and_read(test, test->param_value, false, false))
		swap_and_read(test, test->param_value, false, true);
}

/* swapoff() makes the pages of all mms that have swap entries present again. */
static const struct swap_row off_rows[] = {
	{ { "64K folio, exclusive: old, read-only and exclusive after swapoff()",
	    { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, "{Sx*16}" }, "{Rx*16}" },
	{ { "64K folio, pages 5 to 10 shared, 4 PTEs soft-dirty: shared and soft-dirty afterwards",
	    { "{Wdysx*4 Wdyx Rdy*6 Wdyx*5}", .prot = RW, .folios = WITH_SWAP, .track = true },
	    "{Ssx*4 Sx S*6 Sx*5}" }, "{Rsx*4 Rx R*6 Rx*5}" },
	{ { "64K folio, first 4 PTEs uffd-wp: the first 4 uffd-wp afterwards",
	    { "{Rdyux*4 Wdyx*12}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP },
	    "{Sxu*4 Sx*12}" }, "{Rux*4 Rx*12}" },
	{ { "small folio: old, read-only and exclusive after swapoff()",
	    { "{Wdyx}", .prot = RW, .folios = WITH_SWAP }, "{Sx}" }, "{Rx}" },
};

KUNIT_ARRAY_PARAM_DESC(off_rows, off_rows, c.name);

static void swap_off(struct kunit *test)
{
	if (ptebatch_swap_missing())
		kunit_skip(test, "%s", ptebatch_swap_missing());
	if (swap_and_read(test, test->param_value, true, false))
		swap_and_read(test, test->param_value, true, true);
}

/* Shmem: page cache is replaced by swap entries, and read again by faults. */

#define SHMEM_PAGEOUT \
	.op = &ptebatch_advices[PTEBATCH_PAGEOUT], .no_model = true, .filled = true, \
	.with = { FILE_WRITTEN }

static const struct ptebatch_case shmem_rows[] = {
	{ "small shmem folios: swapped out, each with its contents after swap-in",
	  { "Wdy*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*4", SHMEM_PAGEOUT },
	{ "64K shmem folio: swapped out, each page with its contents after swap-in",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16", SHMEM_PAGEOUT },
	{ "two 64K shmem folios: swapped out, each page with its contents after swap-in",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*32", SHMEM_PAGEOUT },
};

KUNIT_ARRAY_PARAM_DESC(shmem_rows, shmem_rows, name);

static void shmem_swap(struct kunit *test)
{
	struct ptebatch_trial *trial;
	bool passes = true;

	trial = ptebatch_case_try(test, test->param_value, false, &passes);
	KUNIT_EXPECT_EQ_MSG(test, SHMEM_I(file_inode(trial->space->file))->swapped,
			    trial->before.row.nr, "pages of the file in swap");
	KUNIT_EXPECT_EQ_MSG(test, ptebatch_contents_read(trial->space), -1,
			    "entry with wrong contents after swap-in");
}

/* An anonymous swap-backed folio outside of the swap cache must stay mapped. */

static const struct ptebatch_case uncached_rows[] = {
	{ "small folio, swap-backed, not in the swap cache: a warning, stays mapped",
	  { "Wyx", .prot = RW }, .op = &ptebatch_unmap, .no_model = true },
	{ "64K folio, swap-backed, not in the swap cache: a warning, stays mapped",
	  { "{Wyx*16}", .prot = RW }, .op = &ptebatch_unmap, .no_model = true },
};

KUNIT_ARRAY_PARAM_DESC(uncached_rows, uncached_rows, name);

static void unmap_uncached(struct kunit *test)
{
	kunit_warning_suppress(test) {
		ptebatch_case_param(test);
		/*
		 * One of try_to_unmap(), one of its twin. On UML, WARN_ON_ONCE()
		 * warns in the first case only.
		 */
		if (!PTEBATCH_WARNS_ONCE || test->param_value == uncached_rows)
			KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(test, 2);
	}
}

/*
 * TTU_SYNC takes the page table lock before it reads the first entry, and so
 * waits for a zap that has cleared it but not yet removed the rmap.
 */

#define UNMAP_CALLS(function, nr) \
	.op = &ptebatch_unmap, .no_twin = true, .with = { CALLS(function, nr) }

static const struct ptebatch_case sync_rows[] = {
	{ "none entry before the first PTE: read without the page table lock",
	  { "{-*3 Wdy*13}", PTEBATCH_SHMEM, RW }, "-*16",
	  UNMAP_CALLS("pte_offset_map_lock", 0) },
	{ "TTU_SYNC, none entry before the first PTE: read with the page table lock",
	  { "{-*3 Wdy*13}", PTEBATCH_SHMEM, RW }, "-*16", .arg = TTU_SYNC,
	  UNMAP_CALLS("pte_offset_map_lock", 1) },
};

KUNIT_ARRAY_PARAM_DESC(sync_rows, sync_rows, name);

static void unmap_sync(struct kunit *test)
{
	ptebatch_case_param(test);
}

/* After a batch of the whole folio, the walk of the page table ends. */

static const struct ptebatch_case walk_rows[] = {
	{ "64K shmem folio: 1 call of page_vma_mapped_walk()",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16",
	  UNMAP_CALLS("page_vma_mapped_walk", 1) },
	{ "64K shmem folio, first 8 pages mapped: 2 calls of page_vma_mapped_walk()",
	  { "{Wdy*8 .*8}", PTEBATCH_SHMEM, RW }, "-*8",
	  UNMAP_CALLS("page_vma_mapped_walk", 2) },
	{ "64K shmem folio in two VMAs, first one maps it: second one not walked",
	  { "{Wdy*8 ; -*8}", PTEBATCH_SHMEM, RW }, "-*16",
	  UNMAP_CALLS("page_vma_mapped_walk", 2) },
};

KUNIT_ARRAY_PARAM_DESC(walk_rows, walk_rows, name);

static void unmap_walks(struct kunit *test)
{
	ptebatch_case_param(test);
}

#ifdef CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH

/*
 * Rule 8: TTU_BATCH_FLUSH leaves the TLB flush to try_to_unmap_flush(), and
 * remembers whether a CPU may still write to the folio.
 */

static const struct defer_row {
	const char *name;
	const char *picture;
	enum ttu_flags flags;
	bool pending, writable;	/* expected, after try_to_unmap() */
} defer_rows[] = {
	{ "no TTU_BATCH_FLUSH: no flush is pending", "{Wdy*16}", 0, .pending = false,
	  .writable = false },
	{ "TTU_BATCH_FLUSH, clean folio: a flush is pending, not for writes",
	  "{Ry*16}", TTU_BATCH_FLUSH, .pending = true, .writable = false },
	{ "TTU_BATCH_FLUSH, dirty folio: a flush is pending, for writes",
	  "{Wdy*16}", TTU_BATCH_FLUSH, .pending = true, .writable = true },
	{ "TTU_BATCH_FLUSH, only the last page dirty: a flush is pending, for writes",
	  "{Ry*15 Rdy}", TTU_BATCH_FLUSH, .pending = true, .writable = true },
};

KUNIT_ARRAY_PARAM_DESC(defer_rows, defer_rows, name);

static void expect_pending(struct kunit *test, const char *when, bool pending,
			   bool writable)
{
	KUNIT_EXPECT_EQ_MSG(test, current->tlb_ubc.flush_required, pending,
			    PTEBATCH_RULE_TLB ": a flush is pending, %s", when);
	KUNIT_EXPECT_EQ_MSG(test, current->tlb_ubc.writable, writable,
			    PTEBATCH_RULE_TLB ": a CPU may still write, %s", when);
}

static void unmap_defers(struct kunit *test)
{
	const struct defer_row *row = test->param_value;
	const struct ptebatch_setup setup = { row->picture, PTEBATCH_FILE, RW };
	struct ptebatch_trial *trial;
	struct folio *folio;

	trial = ptebatch_trial_begin(test, "try_to_unmap()", &setup);
	if (!arch_tlbbatch_should_defer(trial->place->mm))
		kunit_skip(test, "this machine defers no TLB flush: no other CPU");
	folio = trial->space->folios[0];
	folio_lock(folio);
	try_to_unmap(folio, row->flags);
	folio_unlock(folio);
	expect_pending(test, "after try_to_unmap()", row->pending, row->writable);
	KUNIT_EXPECT_EQ_MSG(test, !!atomic_read(&trial->place->mm->tlb_flush_batched),
			    row->pending, PTEBATCH_RULE_TLB ": pending in the mm");
	try_to_unmap_flush_dirty();
	expect_pending(test, "after try_to_unmap_flush_dirty()",
		       row->pending && !row->writable, false);
	try_to_unmap_flush();
	expect_pending(test, "after try_to_unmap_flush()", false, false);
	if (PTEBATCH_DEFERS_RANGES)
		KUNIT_EXPECT_EQ_MSG(test, bitmap_weight(trial->secondary.flushed,
							PTEBATCH_ROW_ENTRIES), 16,
				    PTEBATCH_RULE_TLB ": entries flushed");
	if (ptebatch_trial_end(trial))
		ptebatch_trial_expect(trial, "-*16");
}

#ifdef CONFIG_ARM64_CONTPTE

/*
 * Rule 25: PTEs that mapped pages may be restored as a contpte block only when
 * no TLB has entries for the pages any more (break-before-make). TTU_BATCH_FLUSH
 * invalidates them without waiting for the completion.
 */

static void map_by_pages(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;
	unsigned int i;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	ptep = get_locked_pte(place->mm, place->start, &ptl);
	for (i = 0; i < CONT_PTES; i++)
		__set_pte(ptep + i, pte_mknoncont(ptebatch_raw_pte(ptep + i)));
	pte_unmap_unlock(ptep, ptl);
	flush_tlb_mm(place->mm);
}

static const struct ptebatch_condition_type no_block = {
	.name = "the PTEs are no contpte block", .occur = map_by_pages,
};

static void match_mm(struct ptebatch_use *use)
{
	use->hook.match = use->trial->place->mm;
}

static void note_pending(struct ptebatch_use *use, const unsigned long *args,
			 struct pt_regs *regs)
{
	use->word |= current->tlb_ubc.flush_required;
}

static void expect_none_pending(struct ptebatch_use *use)
{
	KUNIT_EXPECT_FALSE_MSG(use->trial->test, use->word, PTEBATCH_RULE_BLOCKS
			       ": contpte_set_ptes() while an invalidation is pending");
}

/* Without mm/series/unmap, swap-backed folios are restored page by page. */
static const struct ptebatch_condition_type restored = {
	.name = "PTEs are restored", .begin = match_mm, .occur = note_pending,
	.end = expect_none_pending, .always = true, .optional = true,
};

static void unmap_restores_block(struct kunit *test)
{
	static const struct ptebatch_case row = {
		.setup = { "{Wdyx*16}", .prot = RW, .folios = WITH_SWAP }, .after = "{Wdyx*16}",
		.op = &ptebatch_unmap_deferred, .no_model = true, .no_twin = true,
		.with = {
			{ .type = &no_block }, PINNED(0),
			{ .type = &restored, .function = "contpte_set_ptes" },
		},
	};

	ptebatch_case_run(test, &row);
}

#endif

/*
 * Rule 8: as long as reclaim, or another thread's zap, has not flushed, an operation
 * that relies on the entries flushes the whole mm before it changes any of them.
 */

static void set_pending(struct ptebatch_use *use)
{
	struct mm_struct *mm = use->trial->place->mm;

	use->hook.match = mm;
	atomic_set(&mm->tlb_flush_batched, 1);
}

/* At the first flush: has the first entry of the range changed? */
static void note_change(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	const struct ptebatch_snapshot *before = &use->trial->before;
	unsigned long addr = ptebatch_addr(use->trial->space, before->row.from);
	pmd_t *pmd = ptebatch_find_pmd(use->trial->place->mm, addr);

	/* The caller holds the page table lock. */
	use->word = !pmd || pmd_none(*pmd) ||
		    !pte_same(ptebatch_bare_pte(ptep_get(pte_offset_kernel(pmd, addr))),
			      before->raw[before->lead + before->row.from]);
}

static void expect_no_change(struct ptebatch_use *use)
{
	KUNIT_EXPECT_FALSE_MSG(use->trial->test, use->word,
			       PTEBATCH_RULE_TLB ": %s changes entries before the flush",
			       use->trial->function);
}

static const struct ptebatch_condition_type flush_pending = {
	.name = "a flush of the mm is pending", .begin = set_pending, .occur = note_change,
	.end = expect_no_change,
};

/* Another thread has zapped pages. */
static void begin_zap(struct ptebatch_use *use)
{
	struct mm_struct *mm = use->trial->place->mm;

	use->hook.match = mm;
	inc_tlb_flush_pending(mm);
}

static void end_zap(struct ptebatch_use *use)
{
	dec_tlb_flush_pending(use->trial->place->mm);
	expect_no_change(use);
}

static const struct ptebatch_condition_type zapping = {
	.name = "a zap has not flushed yet", .begin = begin_zap, .occur = note_change,
	.end = end_zap,
};

#define ZAPPING		{ .type = &zapping, .function = FLUSH }

static const struct ptebatch_case pending_rows[] = {
	{ "mprotect() of part of a folio: whole mm flushed before the change",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 Rdyx*8 Wdyx*4}",
	  .op = &ptebatch_protections[PTEBATCH_TO_READABLE] },
	{ "zapping of part of a folio: whole mm flushed before the change",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 -*8 Wdyx*4}",
	  .op = &ptebatch_zap },
	{ "MADV_COLD of part of the mm: whole mm flushed before the change",
	  { "Wdyx*4 | Wdyx*8 | Wdyx*4", .prot = RW, .folios = ON_LRU },
	  "Wdyx*4 Wdx*8 Wdyx*4", .op = &ptebatch_advices[PTEBATCH_COLD] },
	{ "MADV_FREE of part of the mm: whole mm flushed before the change",
	  { "Wdyx*4 | Wdyx*8 | Wdyx*4", .prot = RW, .folios = ON_LRU },
	  "Wdyx*4 Wxl*8 Wdyx*4", .op = &ptebatch_advices[PTEBATCH_FREE] },
	{ "MADV_GUARD_INSTALL over unmapped pages: whole mm flushed before the change",
	  { "{Wdy*4 | -*8 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*4 G*8 Wdy*4}",
	  .op = &ptebatch_advices[PTEBATCH_GUARD_INSTALL] },
	{ "MADV_GUARD_INSTALL over pages being zapped: whole mm flushed before the change",
	  { "{Wdy*4 | -*8 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*4 G*8 Wdy*4}",
	  .op = &ptebatch_advices[PTEBATCH_GUARD_INSTALL], .with = { ZAPPING } },
	{ "UFFDIO_POISON over unmapped pages: whole mm flushed before the change",
	  { "{Wdy*4 | -*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "{Wdy*4 P*8 Wdy*4}", .op = &ptebatch_uffd_poison },
	{ "UFFDIO_POISON over pages being zapped: whole mm flushed before the change",
	  { "{Wdy*4 | -*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "{Wdy*4 P*8 Wdy*4}", .op = &ptebatch_uffd_poison, .with = { ZAPPING } },
	{ "mremap() of part of a folio: whole mm flushed before the change",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 -*8 Wdyx*4}",
	  .second = "{-*4 Wdyx*8 -*4}", .op = &ptebatch_move },
};

KUNIT_ARRAY_PARAM_DESC(pending_rows, pending_rows, name);

static void check_flushed(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	KUNIT_EXPECT_TRUE_MSG(trial->test,
			      bitmap_full(trial->secondary.flushed, trial->before.row.nr),
			      PTEBATCH_RULE_TLB ": %s does not flush the whole mm",
			      trial->function);
}

static void pending_flush(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	if (!row.with[0].type)
		row.with[0] = (struct ptebatch_condition) {
			.type = &flush_pending, .function = FLUSH,
		};
	row.check = check_flushed;
	ptebatch_case_run(test, &row);
}

#endif

static struct kunit_case rmap_cases[] = {
	KUNIT_CASE_PARAM(unmap_row, rows_gen_params),
	PTEBATCH_CASE_PARAMS(unmap_order),
	KUNIT_CASE_PARAM(unmap_fails, failures_gen_params),
	KUNIT_CASE_PARAM(unmap_uncached, uncached_rows_gen_params),
	KUNIT_CASE_PARAM(unmap_sync, sync_rows_gen_params),
	KUNIT_CASE_PARAM(unmap_walks, walk_rows_gen_params),
#ifdef CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH
	KUNIT_CASE_PARAM(unmap_defers, defer_rows_gen_params),
#ifdef CONFIG_ARM64_CONTPTE
	KUNIT_CASE(unmap_restores_block),
#endif
	KUNIT_CASE_PARAM(pending_flush, pending_rows_gen_params),
#endif
	KUNIT_CASE_PARAM(swap_in, swap_rows_gen_params),
	KUNIT_CASE_PARAM(swap_off, off_rows_gen_params),
	KUNIT_CASE_PARAM(shmem_swap, shmem_rows_gen_params),
	{}
};

PTEBATCH_SUITE(rmap, rmap_cases, PTEBATCH_SWAP_SPACE);
