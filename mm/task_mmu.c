// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/clear_refs makes the entries of a process old, or not soft-dirty and
 * read-only. PAGEMAP_SCAN, an ioctl of /proc/PID/pagemap, reports the ranges that
 * were written since userfaultfd write-protected them, and protects them again:
 *
 *	{Wdyx*4 Rdyux*8 Wdyx*4}  ->  {Rdyux*16}, reported: "0-4 12-16"
 *
 * Both change one entry at a time, also in large folios and in contpte blocks. There
 * is no twin.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/syscall.h"
#include "../lib/kernel/uffd.h"
#include "../lib/op/clear_refs.h"
#include "../lib/op/scan.h"
#include "../lib/run/case.h"
#include "../lib/service/device.h"
#include "../lib/service/proc.h"
#include "../lib/service/swap.h"

#ifdef CONFIG_PROC_PAGE_MONITOR
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static const struct ptebatch_case refs_rows[] = {
	/* Accessed. */
	{ "64K folio, clear_refs 1: old",
	  { "{Wdyx*16}", .prot = RW }, "{Wdx*16}", .arg = PTEBATCH_OLD_ALL },
	{ "64K folio, every second PTE accessed, clear_refs 1: old",
	  { "{Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx}",
	    .prot = RW }, "{Wdx*16}", .arg = PTEBATCH_OLD_ALL },
	{ "64K folio across a page table boundary, clear_refs 1: old",
	  { "@-8 {Rdyx*16}", .prot = RO }, "@-8 {Rdx*16}", .arg = PTEBATCH_OLD_ALL },
	{ "64K folio in two VMAs, clear_refs 1: old",
	  { "{Wdyx*6 ; Wdyx*10}", .prot = RW }, "{Wdx*6 ; Wdx*10}",
	  .arg = PTEBATCH_OLD_ALL },
	{ "PROT_NONE PTEs and a hole in a 64K folio, clear_refs 1: old",
	  { "{Ndyx*8 -*4 Ndyx*4}", .prot = PROT_NONE }, "{Ndx*8 -*4 Ndx*4}",
	  .arg = PTEBATCH_OLD_ALL },
	{ "PMD-mapped folio, clear_refs 1: old",
	  { "[Wdyx]", .prot = RW }, "[Wdx]", .arg = PTEBATCH_OLD_ALL },
	{ "swap entries of a 64K folio, clear_refs 1: no change",
	  { "{Sx*16}", .prot = RW, .folios = WITH_SWAP }, NULL, .arg = PTEBATCH_OLD_ALL },
	{ "zero page, clear_refs 1: stays young",
	  { "Rzy*4", .prot = RW }, NULL, .arg = PTEBATCH_OLD_ALL },
	{ "64K folio, clear_refs 2 (anonymous): old",
	  { "{Wdyx*16}", .prot = RW }, "{Wdx*16}", .arg = PTEBATCH_OLD_ANON },
	{ "64K file folio, clear_refs 2 (anonymous): no change",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, NULL, .arg = PTEBATCH_OLD_ANON },
	{ "64K file folio, clear_refs 3 (file): old",
	  { "{Wdy*16}", PTEBATCH_FILE, RW }, "{Wd*16}", .arg = PTEBATCH_OLD_FILE },
	{ "64K folio, clear_refs 3 (file): no change",
	  { "{Wdyx*16}", .prot = RW }, NULL, .arg = PTEBATCH_OLD_FILE },

	/* Soft-dirty. */
	{ "64K folio, clear_refs 4: read-only, not soft-dirty",
	  { "{Wdysx*16}", .prot = RW, .track = true }, "{Rdyx*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "64K folio, second half not soft-dirty but writable, clear_refs 4: read-only",
	  { "{Wdysx*8 Wdyx*8}", .prot = RW, .track = true }, "{Rdyx*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "64K shmem folio, clear_refs 4: read-only, not soft-dirty",
	  { "{Wdys*16}", PTEBATCH_SHMEM, RW, .track = true }, "{Rdy*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "64K folio, soft-dirty PROT_NONE PTEs, clear_refs 4: not soft-dirty",
	  { "{Ndysx*16}", .prot = PROT_NONE, .track = true }, "{Ndyx*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "64K folio, uffd-wp, clear_refs 4: not soft-dirty, still uffd-wp",
	  { "{Rdysux*16}", .prot = RW, .track = true, .uffd = UFFD_WP },
	  "{Rdyux*16}", .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "64K folio that is pinned, clear_refs 4: no change",
	  { "{Wdysx*16}", .prot = RW, .track = true }, NULL, .arg = PTEBATCH_NOT_SOFT_DIRTY,
	  .with = { PINNED(0) } },
	{ "swap entries of a 64K folio, clear_refs 4: not soft-dirty",
	  { "{Ssx*8 Sx*8}", .prot = RW, .folios = WITH_SWAP, .track = true }, "{Sx*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "migration entries of a 64K folio, clear_refs 4: read-only, not soft-dirty",
	  { "{Msw*16}", .prot = RW, .track = true }, "{Mx*16}",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "PMD-mapped folio, clear_refs 4: read-only, not soft-dirty",
	  { "[Wdysx]", .prot = RW, .track = true }, "[Rdyx]",
	  .arg = PTEBATCH_NOT_SOFT_DIRTY },
	{ "PMD migration entry, clear_refs 4: read-only, not soft-dirty",
	  { "[Msw]", .prot = RW, .track = true }, "[Mx]", .arg = PTEBATCH_NOT_SOFT_DIRTY },
};

KUNIT_ARRAY_PARAM_DESC(refs, refs_rows, name);

static void expect_old(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	if (row->after)
		ptebatch_trial_expect_old(trial, row->after);
}

static void refs_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	if (row.arg == PTEBATCH_NOT_SOFT_DIRTY && !pgtable_supports_soft_dirty())
		kunit_skip(test, "no soft-dirty bit without CONFIG_MEM_SOFT_DIRTY");
	row.op = &ptebatch_clear_refs;
	row.check = expect_old;
	ptebatch_case_run(test, &row);
}

/* The last one. */
static struct ptebatch_scan scanned;

/* Write-protect the regions, too. */
#define WRITE_PROTECT	(PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC)

/**
 * struct scan_row - a case of PAGEMAP_SCAN
 * @c: the case; its argument is PM_SCAN_*
 * @regions: expected regions that were written, as entries of the range; %NULL
 *           if the call does not return them
 * @nr: number of regions, if they are too many for @regions
 * @most: maximum number of pages; 0: no maximum
 * @end: entry at which the scan must end; 0: at the end of the range
 * @of: PAGE_IS_* of the pages to find, in addition to PAGE_IS_WRITTEN
 * @any_of: PAGE_IS_* of which they have one, if it is not 0
 * @none_of: PAGE_IS_* that they do not have
 */
struct scan_row {
	struct ptebatch_case c;
	const char *regions;
	unsigned int nr, most, end;
	u64 of, any_of, none_of;
};

static long scan(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct scan_row *row = space->test->param_value;

	ptebatch_scan_range(&scanned, space, op->arg);
	scanned.arg.max_pages = row->most;
	scanned.arg.category_mask |= row->of | row->none_of;
	scanned.arg.category_anyof_mask = row->any_of;
	scanned.arg.category_inverted = row->none_of;
	if (!row->regions && !row->nr)
		scanned.arg.vec_len = 0;
	return ptebatch_scan(space->places[0].mm, &scanned);
}

static const struct ptebatch_op scan_op = {
	.function = "PAGEMAP_SCAN", .call = scan, .missing = ptebatch_uffd_missing,
	.no_twin = true,
};

static const struct scan_row scan_rows[] = {
	/* Write-protect, without returning regions. */
	{ { "64K folio, write-protect: uffd-wp",
	    { "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, "{Rdyux*16}",
	    .arg = WRITE_PROTECT } },
	{ { "middle of a 64K folio, write-protect: uffd-wp",
	    { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "{Wdyx*4 Rdyux*8 Wdyx*4}", .arg = WRITE_PROTECT } },
	{ { "64K folio, part of it uffd-wp, write-protect: the rest, too",
	    { "{Wdyx*4 Rdyux*8 Wdyx*4}", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "{Rdyux*16}", .arg = WRITE_PROTECT } },
	{ { "64K folio across a page table boundary, write-protect: uffd-wp",
	    { "@-8 {Wdyx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, "@-8 {Rdyux*16}",
	    .arg = WRITE_PROTECT } },
	{ { "64K shmem folio between empty entries, write-protect: uffd-wp and markers",
	    { "-*4 {Wdy*16} -*4", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP_ASYNC },
	    "U*4 {Rdyu*16} U*4", .arg = WRITE_PROTECT } },
	{ { "empty entries of anonymous memory, write-protect: markers",
	    { "Wdyx -*4 Wdyx", .prot = RW, .uffd = UFFD_WP_ASYNC }, "Rdyux U*4 Rdyux",
	    .arg = WRITE_PROTECT } },
	{ { "swap entries of a 64K folio, write-protect: uffd-wp",
	    { "{Sx*8 Sxu*8}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP_ASYNC },
	    "{Sxu*16}", .arg = WRITE_PROTECT } },
	{ { "migration entries of a 64K folio, write-protect: uffd-wp",
	    { "{Mx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, "{Mxu*16}",
	    .arg = WRITE_PROTECT } },
	{ { "writable migration entries of a 64K folio, write-protect: read-only, uffd-wp",
	    { "{Mw*8 Msw*8}", .prot = RW, .track = true, .uffd = UFFD_WP_ASYNC },
	    "{Mxu*8 Msxu*8}", .arg = WRITE_PROTECT } },
	{ { "writable migration entries of a 64K shmem folio, write-protect: read-only, uffd-wp",
	    { "{Mw*16}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP_ASYNC }, "{Mu*16}",
	    .arg = WRITE_PROTECT } },
	{ { "writable device-private entries of a 64K folio, write-protect: read-only, uffd-wp",
	    { "{Dwx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, "{Dxu*16}",
	    .arg = WRITE_PROTECT } },
	{ { "writable PMD migration entry, write-protect: read-only, uffd-wp",
	    { "[Mw]", .prot = RW, .uffd = UFFD_WP_ASYNC }, "[Mxu]",
	    .arg = WRITE_PROTECT } },
	{ { "writable PMD migration entry, soft-dirty, write-protect: still soft-dirty",
	    { "[Msw]", .prot = RW, .track = true, .uffd = UFFD_WP_ASYNC }, "[Msxu]",
	    .arg = WRITE_PROTECT } },
	{ { "writable device-private PMD, write-protect: read-only, uffd-wp",
	    { "[Dwx]", .prot = RW, .uffd = UFFD_WP_ASYNC }, "[Dxu]",
	    .arg = WRITE_PROTECT } },
	{ { "writable device-private PMD, soft-dirty, write-protect: still soft-dirty",
	    { "[Dswx]", .prot = RW, .track = true, .uffd = UFFD_WP_ASYNC }, "[Dsxu]",
	    .arg = WRITE_PROTECT } },
	{ { "writable device-private entries, soft-dirty, write-protect: still soft-dirty",
	    { "{Dswx*16}", .prot = RW, .track = true, .uffd = UFFD_WP_ASYNC },
	    "{Dsxu*16}", .arg = WRITE_PROTECT } },
	{ { "PMD-mapped folio, write-protect: PMD uffd-wp",
	    { "[Wdyx]", .prot = RW, .uffd = UFFD_WP_ASYNC }, "[Rdyux]",
	    .arg = WRITE_PROTECT } },
	{ { "first half of a PMD-mapped folio, write-protect: PMD split, first half uffd-wp",
	    { "[|Wdyx*T/2|Wdyx*T/2]", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "{Rdyux*T/2 Wdyx*T/2}", .arg = WRITE_PROTECT } },

	/* Write-protect the pages of some categories. */
	{ { "64K folio between empty entries, write-protect present pages: no markers",
	    { "-*4 {Wdyx*16} -*4", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "-*4 {Rdyux*16} -*4", .arg = WRITE_PROTECT }, .of = PAGE_IS_PRESENT },
	{ { "64K folio, partly soft-dirty, write-protect soft-dirty pages: no other",
	    { "{Wdysx*8 Wdyx*8}", .prot = RW, .track = true, .uffd = UFFD_WP_ASYNC },
	    "{Rdysux*8 Wdyx*8}", .arg = WRITE_PROTECT }, .of = PAGE_IS_SOFT_DIRTY },
	{ { "swap entries and a 64K folio, write-protect pages not in swap: no swap entry",
	    { "{Sx*16} {Wdyx*16}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP_ASYNC },
	    "{Sx*16} {Rdyux*16}", .arg = WRITE_PROTECT }, .none_of = PAGE_IS_SWAPPED },
	{ { "pages of a private file, some copied, write-protect file pages: no copy",
	    { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW, .uffd = UFFD_WP_ASYNC },
	    "{Ryu*8} {Wdyx*8}", .arg = WRITE_PROTECT }, .of = PAGE_IS_FILE },
	{ { "swap entries, zero pages, a folio, write-protect the first two: no folio",
	    { "{Sx*4} Rzy*4 {Wdyx*4}", .prot = RW, .folios = WITH_SWAP,
	      .uffd = UFFD_WP_ASYNC }, "{Sxu*4} Rzyu*4 {Wdyx*4}",
	    .arg = WRITE_PROTECT }, .any_of = PAGE_IS_SWAPPED | PAGE_IS_PFNZERO },
	{ { "64K folio, write-protect pages that were not written: no change",
	    { "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, .arg = WRITE_PROTECT },
	  .none_of = PAGE_IS_WRITTEN },
	{ { "PMD-mapped folio, write-protect swap entries: no change",
	    { "[Wdyx]", .prot = RW, .uffd = UFFD_WP_ASYNC }, .arg = WRITE_PROTECT },
	  .of = PAGE_IS_SWAPPED },

	/* With regions. */
	{ { "64K folio, part of it uffd-wp, return and write-protect: two regions",
	    { "{Wdyx*4 Rdyux*8 Wdyx*4}", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "{Rdyux*16}", .arg = WRITE_PROTECT }, "0-4 12-16" },
	{ { "two 64K folios, the first uffd-wp, return and write-protect: one region",
	    { "{Rdyux*16} {Wdyx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC },
	    "{Rdyux*16} {Rdyux*16}", .arg = WRITE_PROTECT }, "16-32" },
	{ { "64K folio, at most 6 pages, return and write-protect: 6 pages",
	    { "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP_ASYNC }, "{Rdyux*6 Wdyx*10}",
	    .arg = WRITE_PROTECT }, "0-6", .most = 6, .end = 6 },
	{ { "every second page of 16K folios uffd-wp, return: 600 regions, to the end",
	    { "{Wdyx Rdyux Wdyx Rdyux}*300", .prot = RW, .uffd = UFFD_WP_ASYNC } },
	  .nr = 600 },
	{ { "PMD-mapped folio, at most 16 pages, find PMDs and write-protect: split, to the end",
	    { "[Wdyx]", .prot = RW, .uffd = UFFD_WP_ASYNC }, "{Wdyx*T}",
	    .arg = WRITE_PROTECT }, "", .most = 16, .of = PAGE_IS_HUGE },
	{ { "64K folio, written in the middle, return: one region, no change",
	    { "{Rdyux*4 Wdyx*8 Rdyux*4}", .prot = RW, .uffd = UFFD_WP_ASYNC } }, "4-12" },
	{ { "64K folio, uffd-wp, return: no region",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP_ASYNC } }, "" },
	{ { "swap entries and a 64K folio, return and write-protect what is in swap: one region",
	    { "{Sx*16} {Wdyx*16}", .prot = RW, .folios = WITH_SWAP, .uffd = UFFD_WP_ASYNC },
	    "{Sxu*16} {Wdyx*16}", .arg = WRITE_PROTECT }, "0-16", .of = PAGE_IS_SWAPPED },
	{ { "PMD-mapped folio, return: one region",
	    { "[|Wdyx*16|Wdyx*T-16]", .prot = RW, .uffd = UFFD_WP_ASYNC } }, "0-16" },
};

KUNIT_ARRAY_PARAM_DESC(scan, scan_rows, c.name);

static void expect_regions(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	const struct scan_row *row = trial->test->param_value;
	unsigned long start = scanned.arg.start;
	u64 end = row->end ? start + row->end * PAGE_SIZE : scanned.arg.end;
	char found[64] = "";
	unsigned int i, len = 0;

	KUNIT_EXPECT_EQ_MSG(trial->test, scanned.arg.walk_end, end,
			    "PAGEMAP_SCAN ends at page %llu, expected %llu",
			    (scanned.arg.walk_end - start) / PAGE_SIZE,
			    (end - start) / PAGE_SIZE);
	if (!row->regions)
		return;
	for (i = 0; i < PTEBATCH_SCAN_REGIONS && scanned.regions[i].end; i++)
		len += scnprintf(found + len, sizeof(found) - len, "%s%llu-%llu", i ? " " : "",
				 (scanned.regions[i].start - start) / PAGE_SIZE,
				 (scanned.regions[i].end - start) / PAGE_SIZE);
	KUNIT_EXPECT_STREQ_MSG(trial->test, found, row->regions,
			       "PAGEMAP_SCAN returns pages %s as written, expected %s", found,
			       row->regions);
}

static unsigned int nr_regions(const char *regions)
{
	unsigned int nr = 0;

	for (; regions && *regions; regions++)
		nr += *regions == '-';
	return nr;
}

static void scan_row(struct kunit *test)
{
	const struct scan_row *row = test->param_value;
	struct ptebatch_case c = row->c;

	c.op = &scan_op;
	c.ret = row->nr ?: nr_regions(row->regions);
	c.check = expect_regions;
	ptebatch_case_run(test, &c);
}

/* Entries of /proc/PID/pagemap. */
static u64 pagemap[PTEBATCH_ROW_ENTRIES];

/* Documentation/admin-guide/mm/pagemap.rst: the page is mapped exactly once. */
#define EXCLUSIVE	BIT_ULL(56)

/**
 * struct pagemap_row - a case of /proc/PID/pagemap, after fork()
 * @c: the case; its argument is the first page that the child drops
 * @drops: the page after the last one that it drops; 0: it drops none
 */
struct pagemap_row {
	struct ptebatch_case c;
	unsigned int drops;
};

static long read_file(struct file *file, void *data)
{
	const struct ptebatch_space *space = data;
	loff_t at = ptebatch_addr(space, 0) / PAGE_SIZE * sizeof(pagemap[0]);
	size_t bytes = space->row.nr * sizeof(pagemap[0]);
	unsigned long to;
	long ret;

	kthread_use_mm(space->places[0].mm);
	to = ptebatch_to_user(pagemap, bytes);
	if (IS_ERR_VALUE(to)) {
		ret = to;
		goto unuse;
	}
	ret = file->f_op->read(file, (char __user *)to, bytes, &at);
	if (copy_from_user(pagemap, (void __user *)to, bytes))
		ret = -EFAULT;
	vm_munmap(to, PAGE_ALIGN(bytes));
unuse:
	kthread_unuse_mm(space->places[0].mm);
	return ret == bytes ? 0 : ret;
}

static long read_pagemap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct pagemap_row *row = space->test->param_value;
	long ret = ptebatch_dup_mmap.call(&ptebatch_dup_mmap, space, false);

	if (ret)
		return ret;
	if (row->drops)
		ptebatch_zap_pages(&space->places[1], row->c.arg, row->drops);
	return ptebatch_proc_call(space->places[0].mm, "pagemap", O_RDONLY, read_file, space);
}

static const struct ptebatch_op pagemap_op = {
	.function = "read() of /proc/PID/pagemap", .call = read_pagemap, .forks = true,
	.no_twin = true,
};

static const struct pagemap_row pagemap_rows[] = {
	{ { "64K folio, all pages mapped by the child: none exclusive",
	    { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{R*16}" } },
	{ { "64K folio, page 5 dropped by the child: that page exclusive",
	    { "{Wdyx*16}", .prot = RW }, "{Rdy*16}", .second = "{Rd*5 - Rd*10}",
	    .arg = 5 }, .drops = 6 },
	{ { "PMD-mapped folio, all pages mapped by the child: none exclusive",
	    { "[Wdyx]", .prot = RW }, "[Rdy]", .second = "[Rd]" } },
	{ { "PMD-mapped folio, first page dropped by the child: that page exclusive",
	    { "[Wdyx]", .prot = RW }, "[Rdy]", .second = "{- Rd*T-1}" }, .drops = 1 },
	{ { "PMD-mapped folio, all but the first page dropped by the child: these exclusive",
	    { "[Wdyx]", .prot = RW }, "[Rdy]", .second = "{Rd -*T-1}",
	    .arg = 1 }, .drops = PTRS_PER_PTE },
};

KUNIT_ARRAY_PARAM_DESC(pagemap, pagemap_rows, c.name);

static void expect_exclusive(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	const struct pagemap_row *row = trial->test->param_value;
	unsigned int i;

	for (i = 0; i < trial->space->row.nr; i++) {
		bool exclusive = pagemap[i] & EXCLUSIVE;
		bool expected = i >= c->arg && i < row->drops;

		KUNIT_ASSERT_EQ_MSG(trial->test, exclusive, expected,
				    "page %u is mapped %s once, but its bit 56 in pagemap is %u",
				    i, expected ? "exactly" : "more than", exclusive);
	}
}

static void pagemap_row(struct kunit *test)
{
	const struct pagemap_row *row = test->param_value;
	struct ptebatch_case c = row->c;

	if (!IS_ENABLED(CONFIG_PAGE_MAPCOUNT))
		kunit_skip(test, "no mapcounts of pages without CONFIG_PAGE_MAPCOUNT");
	c.op = &pagemap_op;
	c.check = expect_exclusive;
	ptebatch_case_run(test, &c);
}

/* "Swap:" of /proc/PID/smaps, for a mapping of each range of the row. */
static long count_swapped(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct address_space *file = space->file->f_mapping;
	const struct ptebatch_row *row = &space->row;
	unsigned int from, to, expected;
	unsigned long bytes;

	for (from = 0; from < row->nr; from++) {
		expected = 0;
		for (to = from + 1; to <= row->nr; to++) {
			expected += row->entries[to - 1].folio != PTEBATCH_NO_FOLIO;
			bytes = shmem_partial_swap_usage(file, space->pgoff + from,
							 space->pgoff + to);
			KUNIT_ASSERT_EQ_MSG(space->test, bytes, expected * PAGE_SIZE,
					    "%lu pages of %u to %u in swap, expected %u",
					    bytes / PAGE_SIZE, from, to - 1, expected);
		}
	}
	return 0;
}

static const struct ptebatch_op swapped_op = {
	.function = "shmem_partial_swap_usage()", .call = count_swapped, .no_twin = true,
};

#define IN_SWAP		.op = &swapped_op, .with = { FILE_SWAPPED_OUT }

static const struct ptebatch_case swapped_rows[] = {
	{ "small shmem folios in swap, each range: its pages",
	  { "Wdy*4 -*4 Wdy*4", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*12", IN_SWAP },
	{ "64K shmem folio in swap, each range: its pages",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16", IN_SWAP },
	{ "16K, small and 64K shmem folios in swap, each range: its pages, without the hole",
	  { "{Wdy*4} Wdy*4 -*8 {Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*32",
	  IN_SWAP },
	{ "512K shmem folio between 64K ones in swap, each range: its pages",
	  { "-*112 {Wdy*16} {Wdy*128} {Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU },
	  "-*272", IN_SWAP },
};

KUNIT_ARRAY_PARAM_DESC(swapped, swapped_rows, name);

static void swapped_row(struct kunit *test)
{
	ptebatch_case_param(test);
}

static struct kunit_case task_mmu_cases[] = {
	KUNIT_CASE_PARAM(refs_row, refs_gen_params),
	KUNIT_CASE_PARAM(scan_row, scan_gen_params),
	KUNIT_CASE_PARAM(pagemap_row, pagemap_gen_params),
	KUNIT_CASE_PARAM(swapped_row, swapped_gen_params),
	{}
};

PTEBATCH_SUITE(task_mmu, task_mmu_cases,
	       PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE, PTEBATCH_PROC);
#endif
