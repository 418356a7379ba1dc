// SPDX-License-Identifier: GPL-2.0
/*
 * ksmd merges pages with equal contents, and maps the zero page for pages of zeros.
 * It splits a large folio for the first page of it that can be merged:
 *
 *	{Wdyx*16}, page 5 zero  ->  (Wdyx*5 Rzdy Wdyx*10)
 *
 * The bits that say what user space knows of a page, soft-dirty and uffd-wp, stay.
 * ksmd handles one page at a time. There is no twin.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "../lib/op/advise.h"
#include "../lib/op/merge.h"
#include "../lib/op/op.h"
#include "../lib/run/case.h"
#include "../lib/service/ksmd.h"

#ifdef CONFIG_KSM
#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct merge_row - a case, and the contents of the pages before and after
 * @row: the case; @row.op: the operation when ksmd has merged pages, %NULL: none; a
 *       fault is of the last page with the same contents
 * @first: first page of the row that has the same contents as others
 * @nr: number of these pages; the contents of all other pages are unique
 * @value: what these pages contain, as bytes
 */
struct merge_row {
	struct ptebatch_case row;
	unsigned int first, nr;
	u8 value;
};

static long advise(struct ptebatch_space *space, int behavior)
{
	return ptebatch_do_madvise(space->places[0].mm, ptebatch_addr(space, 0),
				   space->row.nr * PAGE_SIZE, behavior);
}

static long merge(struct ptebatch_space *space)
{
	return ptebatch_merge.call(&ptebatch_merge, space, false);
}

static long unmerge(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return merge(space) ?: advise(space, MADV_UNMERGEABLE);
}

static const struct ptebatch_op unmerge_op = {
	.function = "MADV_UNMERGEABLE", .call = unmerge, .no_twin = true,
	.vma_flags = VM_MERGEABLE,
};

static long write_merged(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct ptebatch_op fault = ptebatch_write_fault;

	fault.arg = op->arg;
	return merge(space) ?: fault.call(&fault, space, twin);
}

static const struct ptebatch_op write_op = {
	.function = "a write fault", .call = write_merged, .no_twin = true,
	.vma_flags = VM_MERGEABLE,
};

/* As break_ksm(), of one page. */
static vm_fault_t unshare(struct ptebatch_space *space, unsigned int i)
{
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, i);
	vm_fault_t ret;

	mmap_read_lock(mm);
	ret = handle_mm_fault(vma_lookup(mm, addr), addr,
			      FAULT_FLAG_UNSHARE | FAULT_FLAG_REMOTE, NULL);
	mmap_read_unlock(mm);
	return ret;
}

static long unshare_merged(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	long err = merge(space);
	vm_fault_t ret;

	if (err)
		return err;
	ret = unshare(space, op->arg);
	return ret & VM_FAULT_ERROR ? vm_fault_to_errno(ret, 0) : 0;
}

static const struct ptebatch_op unshare_op = {
	.function = "an unshare fault", .call = unshare_merged, .no_twin = true,
	.vma_flags = VM_MERGEABLE,
};

static long move_merged(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return merge(space) ?: ptebatch_move.call(&ptebatch_move, space, twin);
}

static const struct ptebatch_op move_op = {
	.function = "mremap()", .call = move_merged, .no_twin = true, .moves = true,
	.vma_flags = VM_MERGEABLE,
};

static const struct merge_row rows[] = {
	/* Pages of zeros: a split maps the zero page for all of them in the folio. */
	{ { "page 5 of a 64K folio is zero: folio split, zero page",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    "(Wdyx*5 Ryz Wdyx*10)" }, 5, 1 },
	{ { "first page of a 64K folio is zero: folio split, zero page",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Ryz Wdyx*15)" }, 0, 1 },
	{ { "last page of a 64K folio across a page table boundary is zero: folio split",
	    { "@-8 {Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    "@-8 (Wdyx*15 Ryz)" }, 15, 1 },
	{ { "8 pages of a 64K folio are zero: folio split, zero pages",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    "(Wdyx*4 Ryz*8 Wdyx*4)" }, 4, 8 },
	{ { "last page of a PMD-mapped folio is zero: PMD and folio split",
	    { "[Wdyx]", .prot = RW, .folios = ON_LRU },
	    "(Wdyx*T-1 Ryz)" }, PTRS_PER_PTE - 1, 1 },
	{ { "page 5 of a 64K folio is zero and uffd-wp: zero page uffd-wp",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(Rdyux*5 Ryzu Rdyux*10)" }, 5, 1 },
	{ { "page 5 of a 64K folio is zero and soft-dirty: zero page soft-dirty",
	    { "{Wdyx*4 Wdysx*4 Wdyx*8}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(Wdyx*4 Wdysx Ryzs Wdysx*2 Wdyx*8)" }, 5, 1 },
	{ { "small folio between 64K folios is zero: dirty zero page",
	    { "{Wdyx*16} Wdyx {Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    "{Wdyx*16} Rdyz {Wdyx*16}" }, 16, 1 },
	{ { "small folio between 64K folios is zero and uffd-wp: zero page uffd-wp",
	    { "{Wdyx*16} Rdyux {Wdyx*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "{Wdyx*16} Rdyzu {Wdyx*16}" }, 16, 1 },
	{ { "small folio between 64K folios is zero, not soft-dirty: zero page not soft-dirty",
	    { "{Wdysx*16} Wdyx {Wdysx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "{Wdysx*16} Rdyz {Wdysx*16}" }, 16, 1 },
	{ { "small folio between 64K folios is zero and soft-dirty: zero page soft-dirty",
	    { "{Wdyx*16} Wdysx {Wdyx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "{Wdyx*16} Rdysz {Wdyx*16}" }, 16, 1 },

	/* Equal pages. */
	{ { "two pages of a 64K folio are equal: folio split, both map the second, read-only",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	    "(Wdyx*5 Ryk=6 Ryk=6 Wdyx*9)" }, 5, 2, .value = 0x55 },
	{ { "two pages of a 64K folio are equal and uffd-wp: both uffd-wp",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(Rdyux*5 Ryuk=6 Ryuk=6 Rdyux*9)" }, 5, 2, .value = 0x55 },
	{ { "two pages of a 64K folio are equal and uffd-rwp: folio split, not merged",
	    { "{Ndyux*16}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU },
	    "(Ndyux*16)" }, 5, 2, .value = 0x55 },
	{ { "last two pages of a 64K folio are equal, one uffd-rwp: not merged, the other copied",
	    { "{Wdyx*14 Ndyux Wdyx}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU },
	    "(Wdyx*14 Ndyux .) ~Ryx" }, 14, 2, .value = 0x55 },
	{ { "small folio between 64K folios is zero and uffd-rwp: no change",
	    { "{Wdyx*16} Ndyux {Wdyx*16}", .prot = RW, .uffd = UFFD_RWP,
	      .folios = ON_LRU } }, 16, 1 },

	/* MADV_UNMERGEABLE afterwards: each page has a copy of its own again. */
	{ { "last two equal pages, MADV_UNMERGEABLE: copies, read-only and exclusive",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*14 .*2) ~Ryx*2",
	    .op = &unmerge_op }, 14, 2, .value = 0x55 },
	{ { "last two equal soft-dirty pages, MADV_UNMERGEABLE: copies, soft-dirty",
	    { "{Wdysx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(Wdysx*14 .*2) ~Rysx*2", .op = &unmerge_op }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-wp pages, MADV_UNMERGEABLE: copies, uffd-wp",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(Rdyux*14 .*2) ~Ryux*2", .op = &unmerge_op }, 14, 2, .value = 0x55 },
	{ { "two equal uffd-rwp pages, MADV_UNMERGEABLE: never merged, no copies",
	    { "{Ndyux*16}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU },
	    "(Ndyux*16)", .op = &unmerge_op }, 5, 2, .value = 0x55 },

	/* A write fault of the last page afterwards. */
	{ { "last two equal pages, write fault: the page is a writable copy",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*14 Ryk=15) ~Wdyx",
	    .op = &write_op }, 14, 2, .value = 0x55 },
	{ { "last two equal pages, not soft-dirty, write fault: only the copy is soft-dirty",
	    { "{Wdyx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(Wdyx*14 Ryk=15) ~Wdysx", .op = &write_op }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-wp pages, write fault: message, both stay merged",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(Rdyux*14 Ryuk=15 Ryuk=15)", .op = &write_op,
	    .ret = -EFAULT }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-rwp pages, write fault: message, never merged",
	    { "{Ndyux*16}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU },
	    "(Ndyux*16)", .op = &write_op, .ret = -EFAULT }, 14, 2, .value = 0x55 },

	/* An unshare fault of the last page afterwards, as of a pin for reading. */
	{ { "last two equal pages, unshare fault: the page is a read-only copy",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(Wdyx*14 Ryk=15) ~Ryx",
	    .op = &unshare_op }, 14, 2, .value = 0x55 },
	{ { "last two equal soft-dirty pages, unshare fault: both stay soft-dirty",
	    { "{Wdysx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(Wdysx*14 Rysk=15) ~Rysx", .op = &unshare_op }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-wp pages, unshare fault: both stay uffd-wp",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(Rdyux*14 Ryuk=15) ~Ryux", .op = &unshare_op }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-rwp pages, unshare fault: message, never merged",
	    { "{Ndyux*16}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU },
	    "(Ndyux*16)", .op = &unshare_op, .ret = -EFAULT }, 14, 2, .value = 0x55 },

	/* mremap() afterwards: it copies the pages, and moves the copies. */
	{ { "last two equal pages, mremap(): copies at the destination",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU }, "(-*14 .*2) ~{-}*2",
	    .op = &move_op, .second = "(Wdyx*14 .*2) ~Ryx*2" }, 14, 2, .value = 0x55 },
	{ { "last two equal pages, soft-dirty tracked, mremap(): all soft-dirty",
	    { "{Wdyx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(-*14 .*2) ~{-}*2", .op = &move_op,
	    .second = "(Wdysx*14 .*2) ~Rysx*2" }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-wp pages, mremap(): copies, uffd-wp",
	    { "{Rdyux*16}", .prot = RW, .uffd = UFFD_WP, .folios = ON_LRU },
	    "(-*14 .*2) ~{-}*2", .op = &move_op,
	    .second = "(Rdyux*14 .*2) ~Ryux*2" }, 14, 2, .value = 0x55 },
	{ { "last two equal uffd-rwp pages, mremap(): never merged, moved",
	    { "{Ndyux*16}", .prot = RW, .uffd = UFFD_RWP, .folios = ON_LRU }, "(-*16)",
	    .op = &move_op, .second = "(Ndyux*16)" }, 14, 2, .value = 0x55 },

	{ { "two pages of a 64K folio are equal and soft-dirty: both soft-dirty",
	    { "{Wdysx*16}", .prot = RW, .track = true, .folios = ON_LRU },
	    "(Wdysx*5 Rysk=6 Rysk=6 Wdysx*9)" }, 5, 2, .value = 0x55 },
	{ { "64K folio, no page is zero or equal to another: no change",
	    { "{Wdyx*16}", .prot = RW, .folios = ON_LRU } } },
	{ { "page 5 of a 64K file folio is zero: no change",
	    { "{Ry*16}", PTEBATCH_PRIVATE_FILE, RW, .folios = ON_LRU } }, 5, 1 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, row.name);

/* All other pages begin with a number of their own. */
static bool shared(const struct merge_row *row, unsigned int i)
{
	return i >= row->first && i < row->first + row->nr;
}

static void fill(struct page *page, const struct merge_row *row, unsigned int i)
{
	u32 *at = page_address(page);

	memset(at, row->value, PAGE_SIZE);
	if (!shared(row, i))
		*at = i + 1;
}

/* Does the page that entry @i maps contain what it contained before? */
static bool contains(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct merge_row *row = trial->test->param_value;
	const struct ptebatch_snapshot *after = &trial->after;
	u32 expected, *at;

	at = page_address(pfn_to_page(pte_pfn(after->raw[after->lead + i])));
	memset(&expected, row->value, sizeof(expected));
	return *at == (shared(row, i) ? expected : i + 1);
}

static void fill_pages(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		const struct ptebatch_entry *entry = &space->row.entries[i];

		fill(folio_page(space->folios[entry->folio], entry->page),
		     space->test->param_value, i);
	}
}

static const struct ptebatch_condition_type contents = {
	.name = "some pages have the same contents", .occur = fill_pages,
};

static void check(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_trial *at = trial->second ?: trial;
	unsigned int i;

	for (i = 0; i < at->after.row.nr; i++)
		KUNIT_EXPECT_TRUE_MSG(trial->test, contains(at, i),
				      "the page of entry %u has other contents than before", i);
}

static void merge_row(struct kunit *test)
{
	const struct merge_row *param = test->param_value;
	struct ptebatch_case row = param->row;

	if (ptebatch_ksmd_missing())
		kunit_skip(test, "%s", ptebatch_ksmd_missing());
	row.op = row.op ?: &ptebatch_merge;
	row.arg = param->first + param->nr - 1;
	row.with[0].type = &contents;
	row.check = check;
	ptebatch_case_run(test, &row);
}

static struct kunit_case ksm_cases[] = {
	KUNIT_CASE_PARAM(merge_row, rows_gen_params),
	{}
};

PTEBATCH_SUITE(ksm, ksm_cases, PTEBATCH_KSMD);
#endif
