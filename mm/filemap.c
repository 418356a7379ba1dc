// SPDX-License-Identifier: GPL-2.0
/*
 * A fault in a file maps a large folio of the page cache in a batch: fault-around
 * (filemap_map_pages()) maps each folio in the 16 pages around a read fault, and
 * finish_fault() the folio of any other fault. A folio is mapped as a whole if it
 * lies in the VMA, in the page table and, except for shmem, in the file. Otherwise
 * fault-around maps its pages among the 16, and finish_fault() the page of the
 * fault:
 *
 *	read fault of page 5, the file has 11 pages
 *	{-*16}  ->  {Ry*11 -*5}
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>

#include "../lib/inject/conditions.h"
#include "../lib/record/counter.h"
#include "../lib/run/case.h"
#include "../lib/service/swap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define PAGES_PER_TABLE	((unsigned int)PTRS_PER_PTE)

/* As mm/memory.c: without it, the pages around a fault are mapped young. */
#ifndef arch_wants_old_prefaulted_pte
#define arch_wants_old_prefaulted_pte()	false
#endif

/* Replace each "o" in a picture by "y" or nothing. */
static const char *expected_picture(struct kunit *test, const char *picture)
{
	char *text = kunit_kzalloc(test, strlen(picture) + 1, GFP_KERNEL);
	char *end = text;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (; *picture; picture++) {
		if (*picture != 'o')
			*end++ = *picture;
		else if (!arch_wants_old_prefaulted_pte())
			*end++ = 'y';
	}
	return text;
}

/* vm_ops->fault() of all files. */
static struct ptebatch_counter handlers[] = {
	{ .function = "filemap_fault" },
	{ .function = "shmem_fault" },
};

/* PMD-mapped folios are permitted. */
#define PMD_PERMITTED	NO_MM_FLAG(MMF_DISABLE_THP_COMPLETELY)

static void expect_calls(struct ptebatch_trial *trial, unsigned int calls)
{
	if (IS_ENABLED(CONFIG_KPROBES))
		KUNIT_EXPECT_EQ_MSG(trial->test, handlers[0].hits + handlers[1].hits,
				    calls, "calls of vm_ops->fault()");
}

static void expect_call(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	expect_calls(trial, 1);
}

static void expect_no_call(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	expect_calls(trial, 0);
}

/*
 * A fault of an entry. If fault-around has mapped the page of the fault, the file is
 * not asked for it.
 */
#define FAULT_AROUND(entry) \
	.op = &ptebatch_read_fault, .arg = (entry), .check = expect_no_call
#define READ_FAULT(entry)	.op = &ptebatch_read_fault, .arg = (entry), .check = expect_call
#define WRITE_FAULT(entry) \
	.op = &ptebatch_write_fault, .arg = (entry), .check = expect_call

/* The folios that shmem allocates for swap-in: a large one, then a small one. */
#define NO_SWAP_IN_FOLIO(nr)	NO_FOLIO_OF("folio_alloc_mpol_noprof", nr)

/* In expected rows "o" stands for "y", unless the pages around a fault are mapped as old. */
static const struct ptebatch_case rows[] = {
	/* Fault-around. */
	{ "64K folio, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{Ry*16}", FAULT_AROUND(5) },
	{ "64K folio, read fault in a private mapping: folio mapped",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*16}", FAULT_AROUND(5) },
	{ "64K shmem folio, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO }, "{Ry*16}", FAULT_AROUND(5) },
	{ "128K folio, more than the 16 pages around a read fault: folio mapped",
	  { "{-*32}", PTEBATCH_FILE, RW }, "{Ry*32}", FAULT_AROUND(20) },
	{ "five 16K folios, read fault in the second: first four mapped",
	  { "{-*4}*5", PTEBATCH_FILE, RW }, "{Ro*4} {Ry*4} {Ro*4} {Ro*4} {-*4}",
	  FAULT_AROUND(5) },
	{ "small folios, read fault in the sixth: first 16 mapped",
	  { "{-}*20", PTEBATCH_FILE, RW }, "{Ro}*5 {Ry} {Ro}*10 {-}*4",
	  FAULT_AROUND(5) },
	{ "64K folios, virtual address not 64K-aligned, read fault in the second: both mapped",
	  { "@5 {-*16} {-*16}", PTEBATCH_FILE, RW }, "@5 {Ro*16} {Ry*16}",
	  FAULT_AROUND(17) },
	{ "PTEs 4 and 5 of a 64K folio present, read fault: the rest mapped",
	  { "{-*4 Ry*2 -*10}", PTEBATCH_FILE, RW }, "{Ry*6 Ro*10}", FAULT_AROUND(0) },
	{ "first and last PTE of a 64K folio present, read fault: the rest mapped",
	  { "{Ry -*14 Ry}", PTEBATCH_FILE, RW }, "{Ry*16}", FAULT_AROUND(5) },
	{ "64K folio across a page table boundary, read fault: mapped up to it",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, "@-8 {Ry*8 -*8}", FAULT_AROUND(3) },
	{ "64K folio across the end of a VMA, read fault: mapped up to it",
	  { "{-*12 ; -*4}", PTEBATCH_FILE, RW }, "{Ry*12 ; -*4}", FAULT_AROUND(3) },
	{ "64K folio, page 9 PG_hwpoison, read fault: all other pages mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{Ry*9 - Ro*6}", FAULT_AROUND(5),
	  .with = { HWPOISON(9) } },
	{ "64K folio, page of the fault PG_hwpoison, read fault: -EFAULT, not mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{-*16}", READ_FAULT(9), .ret = -EFAULT,
	  .with = { HWPOISON(9) } },
	{ "small folios, page of the fault PG_hwpoison, read fault: the others mapped, -EFAULT",
	  { "{-}*16", PTEBATCH_FILE, RW }, "{Ro}*5 {-} {Ro}*10", READ_FAULT(5),
	  .ret = -EFAULT, .with = { HWPOISON(5) } },
	{ "small folios, the third PG_hwpoison, read fault in the sixth: the rest mapped",
	  { "{-}*16", PTEBATCH_FILE, RW }, "{Ro}*2 {-} {Ro}*2 {Ry} {Ro}*10",
	  FAULT_AROUND(5), .with = { HWPOISON(2) } },
	{ "page table gone before the lock, read fault: folio mapped by finish_fault()",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{Ry*16}", READ_FAULT(5),
	  .with = { TABLE_LOST } },
	{ "private mapping, page table gone before the lock, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW }, "{Ry*16}", READ_FAULT(5),
	  .with = { TABLE_LOST } },
	{ "128K folio at the end of a page table, read fault of page 20: folio mapped",
	  { "@-32 {-*32}", PTEBATCH_FILE, RW }, "@-32 {Ry*32}", FAULT_AROUND(20) },
	{ "two 32K folios, the second mapped, read fault in the first: it is mapped",
	  { "{-*8} {Ry*8}", PTEBATCH_FILE, RW }, "{Ry*8} {Ry*8}", FAULT_AROUND(2) },
	{ "64K folio, dirty, read fault with write notification: mapped clean",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{Ry*16}", FAULT_AROUND(5),
	  .with = { DIRTY(0) } },
	{ "64K shmem folio, uffd-wp registered, read fault: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO, .uffd = UFFD_WP }, "{-*5 Ry -*10}",
	  READ_FAULT(5) },
	{ "uffd-wp marker in a 64K shmem folio, read fault of it: read-only and uffd-wp",
	  { "{-*5 U -*10}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "{-*5 Ryu -*10}",
	  READ_FAULT(5) },
	{ "small folios, the third and eighth present, read fault in the sixth: the rest mapped",
	  { "{-}*2 {Ry} {-}*4 {Ry}", PTEBATCH_FILE, RW },
	  "{Ro}*2 {Ry} {Ro}*2 {Ry} {Ro} {Ry}", FAULT_AROUND(5) },
	{ "64K shmem folio, clean, read fault in a writable mapping: writable and clean",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, "{Wy*16}", FAULT_AROUND(5) },
	{ "64K shmem folio, dirty, read fault in a writable mapping: writable and dirty",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", FAULT_AROUND(5),
	  .with = { DIRTY(0) } },

	/* Fault-around at the end of the file. */
	{ "64K folio, file ends after page 5, read fault: 5 pages mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 5 }, "{Ry*5 -*11}", FAULT_AROUND(2) },
	{ "64K shmem folio, file ends after page 5, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO, .eof = 5 }, "{Ry*16}", FAULT_AROUND(2) },
	{ "32K folios, file ends in the second, read fault in the first: mapped up to the end",
	  { "{-*8} {-*8}", PTEBATCH_FILE, RW, .eof = 12 }, "{Ry*8} {Ro*4 -*4}",
	  FAULT_AROUND(2) },
	{ "128K folio that ends with the file, read fault: folio mapped",
	  { "{-*32}", PTEBATCH_FILE, RW, .eof = 32 }, "{Ry*32}", FAULT_AROUND(5) },
	{ "128K folio, file ends one page before its end, read fault: 16 pages mapped",
	  { "{-*32}", PTEBATCH_FILE, RW, .eof = 31 }, "{Ry*16 -*16}", FAULT_AROUND(5) },
	{ "2M folio that ends with the file, read fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE }, "[Ry]",
	  FAULT_AROUND(5), .with = { PMD_PERMITTED } },
	{ "2M folio, file ends one page before its end, read fault: 16 pages mapped",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE - 1 }, "{Ry*16 -*T-16}",
	  FAULT_AROUND(5), .with = { PMD_PERMITTED } },
	{ "2M shmem folio, file ends one page before its end, read fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_SHMEM, RO, .eof = PAGES_PER_TABLE - 1 }, "[Ry]",
	  FAULT_AROUND(5), .with = { PMD_PERMITTED } },

	/* finish_fault(). */
	{ "64K folio, write fault: folio mapped, writable",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{Wdy*16}", WRITE_FAULT(5) },
	{ "128K shmem folio, write fault: folio mapped, writable",
	  { "{-*32}", PTEBATCH_SHMEM, RW }, "{Wdy*32}", WRITE_FAULT(20) },
	{ "two 64K folios, write fault in the second: only it is mapped",
	  { "{-*16} {-*16}", PTEBATCH_FILE, RW }, "{-*16} {Wdy*16}", WRITE_FAULT(17) },
	{ "64K folio of a private mapping, write fault: page copied",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW, .folios = ON_LRU }, "-*5 ~{Wdyx} -*10",
	  WRITE_FAULT(5) },
	{ "private mapping, OOM killer has reaped the mm, write fault: -EFAULT",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW }, "{-*16}", WRITE_FAULT(5),
	  .ret = -EFAULT, .with = { MM_FLAG(MMF_UNSTABLE) } },
	{ "shared mapping, OOM killer has reaped the mm, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, "{Wdy*16}", WRITE_FAULT(5),
	  .with = { MM_FLAG(MMF_UNSTABLE) } },
	{ "page table gone before the lock, write fault: nothing mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{-*16}", WRITE_FAULT(5),
	  .with = { TABLE_LOST } },
	{ "poison marker appears behind the fault before the lock: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{-*5 Wdy -*9 P}", WRITE_FAULT(5),
	  .with = { PTES_BECOME("{-*15 P}") } },
	{ "poison marker appears in the first PTE of the folio before the lock: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{P -*4 Wdy -*10}", WRITE_FAULT(5),
	  .with = { PTES_BECOME("{P -*15}") } },
	{ "poison marker appears at the fault of a 64K folio before the lock: nothing mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{-*5 P -*10}", WRITE_FAULT(5),
	  .with = { PTES_BECOME("{-*5 P -*10}") } },
	{ "poison marker appears at the fault of an 8K folio before the lock: nothing mapped",
	  { "{-*2}", PTEBATCH_SHMEM, RW }, "{P -}", WRITE_FAULT(0),
	  .with = { PTES_BECOME("{P -}") } },
	{ "poison marker appears at the fault of a small folio before the lock: nothing mapped",
	  { "{-}*4", PTEBATCH_FILE, RW }, "{-} {P} {-}*2", WRITE_FAULT(1),
	  .with = { PTES_BECOME("{-} {P} {-}*2") } },
	{ "64K folio that fills a VMA, write fault: folio mapped",
	  { "- ; | {-*16} | ; -", PTEBATCH_FILE, RW }, "- {Wdy*16} -", WRITE_FAULT(6) },
	{ "64K folio at the end of a page table, write fault of its last page: folio mapped",
	  { "@-16 {-*16}", PTEBATCH_FILE, RW }, "@-16 {Wdy*16}", WRITE_FAULT(15) },
	{ "8K shmem folio, second page present, write fault of the first: one page mapped",
	  { "{- Wdy}", PTEBATCH_SHMEM, RW }, "{Wdy*2}", WRITE_FAULT(0) },
	{ "8K shmem folio, write fault of the second page: folio mapped",
	  { "{-*2}", PTEBATCH_SHMEM, RW }, "{Wdy*2}", WRITE_FAULT(1) },
	{ "2M folio, PMDs not permitted, write fault: mapped by PTEs",
	  { "{-*T}", PTEBATCH_SHMEM, RW }, "{Wdy*T}", WRITE_FAULT(5) },
	{ "PTEs 4 and 5 of a 64K folio present, write fault: one page mapped",
	  { "{-*4 Ry*2 -*10}", PTEBATCH_FILE, RW }, "{Wdy -*3 Ry*2 -*10}",
	  WRITE_FAULT(0) },
	{ "last PTE of a 64K shmem folio present, write fault: one page mapped",
	  { "{-*15 Wdy}", PTEBATCH_SHMEM, RW }, "{-*3 Wdy -*11 Wdy}", WRITE_FAULT(3) },
	{ "64K folio across a page table boundary, write fault: one page mapped",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, "@-8 {-*3 Wdy -*12}", WRITE_FAULT(3) },
	{ "64K folio across a page table boundary, write fault behind it: one page mapped",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, "@-8 {-*12 Wdy -*3}", WRITE_FAULT(12) },
	{ "64K folio across the end of a VMA, write fault: one page mapped",
	  { "{-*12 ; -*4}", PTEBATCH_FILE, RW }, "{-*3 Wdy -*8 ; -*4}",
	  WRITE_FAULT(3) },
	{ "64K folio across the beginning of a VMA, write fault: one page mapped",
	  { "{-*4 ; -*12}", PTEBATCH_FILE, RW }, "{-*4 ; - Wdy -*10}", WRITE_FAULT(5) },
	{ "64K shmem folio, uffd-wp registered, write fault: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "{-*5 Wdy -*10}",
	  WRITE_FAULT(5) },
	{ "64K folio, page 9 PG_hwpoison, write fault of page 5: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, "{-*5 Wdy -*10}", WRITE_FAULT(5),
	  .with = { HWPOISON(9) } },
	{ "64K shmem folio, page 9 PG_hwpoison, write fault of page 5: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, "{-*5 Wdy -*10}", WRITE_FAULT(5),
	  .with = { HWPOISON(9) } },
	{ "64K folio, file ends after page 5, write fault: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 5 }, "{-*2 Wdy -*13}", WRITE_FAULT(2) },
	{ "64K shmem folio, file ends after page 5, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW, .eof = 5 }, "{Wdy*16}", WRITE_FAULT(2) },
	{ "64K folio that ends with the file, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 16 }, "{Wdy*16}", WRITE_FAULT(2) },
	{ "2M folio that ends with the file, write fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE }, "[Wdy]",
	  WRITE_FAULT(5), .with = { PMD_PERMITTED } },
	{ "2M folio, file ends one page before its end, write fault: one page mapped",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE - 1 }, "{-*5 Wdy -*T-6}",
	  WRITE_FAULT(5), .with = { PMD_PERMITTED } },

	/* Shmem in swap: a folio of any size is read, or none. */
	{ "64K shmem folio in swap, no memory, write fault of page 0: -ENOMEM",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16", WRITE_FAULT(0),
	  .ret = -ENOMEM, .with = { FILE_SWAPPED_OUT, NO_SWAP_IN_FOLIO(2) } },
	{ "64K shmem folio in swap, no memory, write fault of page 5: -ENOMEM",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*16", WRITE_FAULT(5),
	  .ret = -ENOMEM, .with = { FILE_SWAPPED_OUT, NO_SWAP_IN_FOLIO(2) } },
	{ "64K shmem folio in swap, no 64K folio, write fault of page 5: one page mapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU }, "-*5 ~{Wdy} -*10",
	  WRITE_FAULT(5), .with = { FILE_SWAPPED_OUT, NO_SWAP_IN_FOLIO(1) } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void fault_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "requires pages of 4K: fault-around maps 64K");
	row.after = expected_picture(test, row.after);
	handlers[0].hits = 0;
	handlers[1].hits = 0;
	ptebatch_case_run(test, &row);
}

static struct kunit_case filemap_cases[] = {
	KUNIT_CASE_PARAM(fault_row, rows_gen_params),
	{}
};

/* Not for each case: a kprobe takes longer than most of them. */
static int suite_init(struct kunit_suite *suite)
{
	return IS_ENABLED(CONFIG_KPROBES) ?
	       ptebatch_counters_begin(handlers, ARRAY_SIZE(handlers)) : 0;
}

static void suite_exit(struct kunit_suite *suite)
{
	if (IS_ENABLED(CONFIG_KPROBES))
		ptebatch_counters_end(handlers, ARRAY_SIZE(handlers));
}

PTEBATCH_SUITE(filemap, filemap_cases, PTEBATCH_SWAP_SPACE, { suite_init, suite_exit });
