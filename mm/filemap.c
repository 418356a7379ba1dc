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

#include "../lib/op/op.h"
#include "../lib/kernel/counter.h"
#include "../lib/run/rows.h"
#include "../lib/space/folio.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define PAGES_PER_TABLE	((unsigned int)PTRS_PER_PTE)

/**
 * struct fault_row - a fault in a file
 * @name: name of the case
 * @setup: address space before the fault; folios are in the page cache
 * @at: entry that faults
 * @after: expected row; "o" stands for "y", unless the architecture maps the
 *         pages around the fault as old
 * @hwpoison: number of the page, of all folios, that has PG_hwpoison; 0: none
 * @write: a write faults, not a read
 * @huge: PMD-mapped folios are permitted
 * @alone: a read fault maps no pages around it
 * @dirty: the first folio is dirty
 * @unstable: the OOM killer has reaped the mm
 * @err: expected return value
 */
struct fault_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned int at;
	const char *after;
	unsigned int hwpoison;
	bool write;
	bool huge;
	bool alone;
	bool dirty;
	bool unstable;
	long err;
};

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

static void poison(const struct ptebatch_space *space, unsigned int page, bool on)
{
	const struct ptebatch_shape *shape = space->row.folios;
	unsigned int i = 0;

	while (page >= shape[i].first + (1U << shape[i].order))
		i++;
	(on ? ptebatch_folio_poison : ptebatch_folio_unpoison)
		(space->folios[i], page - shape[i].first);
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	const struct fault_row *row = data;

	if (row->huge)
		mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, space->places[0].mm);
	if (row->hwpoison)
		poison(space, row->hwpoison, true);
	if (row->dirty) {
		folio_mark_dirty(space->folios[0]);
		set_bit(0, trial->dirty);
	}
	if (row->unstable)
		mm_flags_set(MMF_UNSTABLE, space->places[0].mm);
	handlers[0].hits = 0;
	handlers[1].hits = 0;
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	const struct fault_row *row = data;

	if (row->huge)
		mm_flags_set(MMF_DISABLE_THP_COMPLETELY, space->places[0].mm);
	if (row->unstable)
		mm_flags_clear(MMF_UNSTABLE, space->places[0].mm);
	if (row->hwpoison)
		poison(space, row->hwpoison, false);
}

/* If fault-around has mapped the page of the fault, the file is not asked for it. */
static void check_handled(struct ptebatch_trial *trial, const void *data)
{
	const struct fault_row *row = data;

	if (!IS_ENABLED(CONFIG_KPROBES))
		return;
	KUNIT_EXPECT_EQ_MSG(trial->test, handlers[0].hits + handlers[1].hits,
			    row->write || row->alone, "calls of vm_ops->fault()");
}

static const struct fault_row rows[] = {
	/* Fault-around. */
	{ "64K folio, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, 5, "{Ry*16}" },
	{ "64K folio, read fault in a private mapping: folio mapped",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "{Ry*16}" },
	{ "64K shmem folio, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO }, 5, "{Ry*16}" },
	{ "128K folio, more than the 16 pages around a read fault: folio mapped",
	  { "{-*32}", PTEBATCH_FILE, RW }, 20, "{Ry*32}" },
	{ "five 16K folios, read fault in the second: first four mapped",
	  { "{-*4}*5", PTEBATCH_FILE, RW }, 5,
	  "{Ro*4} {Ry*4} {Ro*4} {Ro*4} {-*4}" },
	{ "small folios, read fault in the sixth: first 16 mapped",
	  { "{-}*20", PTEBATCH_FILE, RW }, 5, "{Ro}*5 {Ry} {Ro}*10 {-}*4" },
	{ "64K folios, virtual address not 64K-aligned, read fault in the second: both mapped",
	  { "@5 {-*16} {-*16}", PTEBATCH_FILE, RW }, 17, "@5 {Ro*16} {Ry*16}" },
	{ "PTEs 4 and 5 of a 64K folio present, read fault: the rest mapped",
	  { "{-*4 Ry*2 -*10}", PTEBATCH_FILE, RW }, 0, "{Ry*6 Ro*10}" },
	{ "first and last PTE of a 64K folio present, read fault: the rest mapped",
	  { "{Ry -*14 Ry}", PTEBATCH_FILE, RW }, 5, "{Ry*16}" },
	{ "64K folio across a page table boundary, read fault: mapped up to it",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, 3, "@-8 {Ry*8 -*8}" },
	{ "64K folio across the end of a VMA, read fault: mapped up to it",
	  { "{-*12 ; -*4}", PTEBATCH_FILE, RW }, 3, "{Ry*12 ; -*4}" },
	{ "64K folio, page 9 PG_hwpoison, read fault: all other pages mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, 5, "{Ry*9 - Ro*6}", .hwpoison = 9 },
	{ "64K folio, page of the fault PG_hwpoison, read fault: -EFAULT, not mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, 9, "{-*16}", .hwpoison = 9,
	  .alone = true, .err = -EFAULT },
	{ "small folios, page of the fault PG_hwpoison, read fault: the others mapped, -EFAULT",
	  { "{-}*16", PTEBATCH_FILE, RW }, 5, "{Ro}*5 {-} {Ro}*10", .hwpoison = 5,
	  .alone = true, .err = -EFAULT },
	{ "small folios, the third PG_hwpoison, read fault in the sixth: the rest mapped",
	  { "{-}*16", PTEBATCH_FILE, RW }, 5, "{Ro}*2 {-} {Ro}*2 {Ry} {Ro}*10",
	  .hwpoison = 2 },
	{ "page table gone before the lock, read fault: folio mapped by finish_fault()",
	  { "{-*16}", PTEBATCH_FILE, RW, .lost_in = "pte_offset_map_lock" }, 5, "{Ry*16}",
	  .alone = true },
	{ "private mapping, page table gone before the lock, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW, .lost_in = "pte_offset_map_lock" }, 5,
	  "{Ry*16}", .alone = true },
	{ "128K folio at the end of a page table, read fault of page 20: folio mapped",
	  { "@-32 {-*32}", PTEBATCH_FILE, RW }, 20, "@-32 {Ry*32}" },
	{ "two 32K folios, the second mapped, read fault in the first: it is mapped",
	  { "{-*8} {Ry*8}", PTEBATCH_FILE, RW }, 2, "{Ry*8} {Ry*8}" },
	{ "64K folio, dirty, read fault with write notification: mapped clean",
	  { "{-*16}", PTEBATCH_FILE, RW }, 5, "{Ry*16}", .dirty = true },
	{ "64K shmem folio, uffd-wp registered, read fault: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO, .uffd_wp = true }, 5, "{-*5 Ry -*10}",
	  .alone = true },
	{ "uffd-wp marker in a 64K shmem folio, read fault of it: read-only and uffd-wp",
	  { "{-*5 U -*10}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, 5,
	  "{-*5 Ryu -*10}", .alone = true },
	{ "small folios, the third and eighth present, read fault in the sixth: the rest mapped",
	  { "{-}*2 {Ry} {-}*4 {Ry}", PTEBATCH_FILE, RW }, 5,
	  "{Ro}*2 {Ry} {Ro}*2 {Ry} {Ro} {Ry}" },
	{ "64K shmem folio, clean, read fault in a writable mapping: writable and clean",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, 5, "{Wy*16}" },
	{ "64K shmem folio, dirty, read fault in a writable mapping: writable and dirty",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, 5, "{Wdy*16}", .dirty = true },

	/* Fault-around at the end of the file. */
	{ "64K folio, file ends after page 5, read fault: 5 pages mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 5 }, 2, "{Ry*5 -*11}" },
	{ "64K shmem folio, file ends after page 5, read fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RO, .eof = 5 }, 2, "{Ry*16}" },
	{ "32K folios, file ends in the second, read fault in the first: mapped up to the end",
	  { "{-*8} {-*8}", PTEBATCH_FILE, RW, .eof = 12 }, 2, "{Ry*8} {Ro*4 -*4}" },
	{ "128K folio that ends with the file, read fault: folio mapped",
	  { "{-*32}", PTEBATCH_FILE, RW, .eof = 32 }, 5, "{Ry*32}" },
	{ "128K folio, file ends one page before its end, read fault: 16 pages mapped",
	  { "{-*32}", PTEBATCH_FILE, RW, .eof = 31 }, 5, "{Ry*16 -*16}" },
	{ "2M folio that ends with the file, read fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE }, 5, "[Ry]",
	  .huge = true },
	{ "2M folio, file ends one page before its end, read fault: 16 pages mapped",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE - 1 }, 5,
	  "{Ry*16 -*T-16}", .huge = true },
	{ "2M shmem folio, file ends one page before its end, read fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_SHMEM, RO, .eof = PAGES_PER_TABLE - 1 }, 5, "[Ry]",
	  .huge = true },

	/* finish_fault(). */
	{ "64K folio, write fault: folio mapped, writable",
	  { "{-*16}", PTEBATCH_FILE, RW }, 5, "{Wdy*16}", .write = true },
	{ "128K shmem folio, write fault: folio mapped, writable",
	  { "{-*32}", PTEBATCH_SHMEM, RW }, 20, "{Wdy*32}", .write = true },
	{ "two 64K folios, write fault in the second: only it is mapped",
	  { "{-*16} {-*16}", PTEBATCH_FILE, RW }, 17, "{-*16} {Wdy*16}",
	  .write = true },
	{ "64K folio of a private mapping, write fault: page copied",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW, .lru = true }, 5,
	  "-*5 ~{Wdyx} -*10", .write = true },
	{ "private mapping, OOM killer has reaped the mm, write fault: -EFAULT",
	  { "{-*16}", PTEBATCH_PRIVATE_FILE, RW }, 5, "{-*16}", .write = true,
	  .unstable = true, .err = -EFAULT },
	{ "shared mapping, OOM killer has reaped the mm, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, 5, "{Wdy*16}", .write = true,
	  .unstable = true },
	{ "page table gone before the lock, write fault: nothing mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .lost_in = "pte_offset_map_lock" }, 5, "{-*16}",
	  .write = true },
	{ "poison marker appears behind the fault before the lock: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .meanwhile = PTEBATCH_AT_LOCK("{-*15 P}") }, 5,
	  "{-*5 Wdy -*9 P}", .write = true },
	{ "poison marker appears in the first PTE of the folio before the lock: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .meanwhile = PTEBATCH_AT_LOCK("{P -*15}") }, 5,
	  "{P -*4 Wdy -*10}", .write = true },
	{ "poison marker appears at the fault of a 64K folio before the lock: nothing mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .meanwhile = PTEBATCH_AT_LOCK("{-*5 P -*10}") }, 5,
	  "{-*5 P -*10}", .write = true },
	{ "poison marker appears at the fault of an 8K folio before the lock: nothing mapped",
	  { "{-*2}", PTEBATCH_SHMEM, RW, .meanwhile = PTEBATCH_AT_LOCK("{P -}") }, 0, "{P -}",
	  .write = true },
	{ "poison marker appears at the fault of a small folio before the lock: nothing mapped",
	  { "{-}*4", PTEBATCH_FILE, RW, .meanwhile = PTEBATCH_AT_LOCK("{-} {P} {-}*2") }, 1,
	  "{-} {P} {-}*2", .write = true },
	{ "64K folio that fills a VMA, write fault: folio mapped",
	  { "- ; | {-*16} | ; -", PTEBATCH_FILE, RW }, 6, "- {Wdy*16} -", .write = true },
	{ "64K folio at the end of a page table, write fault of its last page: folio mapped",
	  { "@-16 {-*16}", PTEBATCH_FILE, RW }, 15, "@-16 {Wdy*16}", .write = true },
	{ "8K shmem folio, second page present, write fault of the first: one page mapped",
	  { "{- Wdy}", PTEBATCH_SHMEM, RW }, 0, "{Wdy*2}", .write = true },
	{ "8K shmem folio, write fault of the second page: folio mapped",
	  { "{-*2}", PTEBATCH_SHMEM, RW }, 1, "{Wdy*2}", .write = true },
	{ "2M folio, PMDs not permitted, write fault: mapped by PTEs",
	  { "{-*T}", PTEBATCH_SHMEM, RW }, 5, "{Wdy*T}", .write = true },
	{ "PTEs 4 and 5 of a 64K folio present, write fault: one page mapped",
	  { "{-*4 Ry*2 -*10}", PTEBATCH_FILE, RW }, 0, "{Wdy -*3 Ry*2 -*10}",
	  .write = true },
	{ "last PTE of a 64K shmem folio present, write fault: one page mapped",
	  { "{-*15 Wdy}", PTEBATCH_SHMEM, RW }, 3, "{-*3 Wdy -*11 Wdy}",
	  .write = true },
	{ "64K folio across a page table boundary, write fault: one page mapped",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, 3, "@-8 {-*3 Wdy -*12}",
	  .write = true },
	{ "64K folio across a page table boundary, write fault behind it: one page mapped",
	  { "@-8 {-*16}", PTEBATCH_FILE, RW }, 12, "@-8 {-*12 Wdy -*3}",
	  .write = true },
	{ "64K folio across the end of a VMA, write fault: one page mapped",
	  { "{-*12 ; -*4}", PTEBATCH_FILE, RW }, 3, "{-*3 Wdy -*8 ; -*4}",
	  .write = true },
	{ "64K folio across the beginning of a VMA, write fault: one page mapped",
	  { "{-*4 ; -*12}", PTEBATCH_FILE, RW }, 5, "{-*4 ; - Wdy -*10}",
	  .write = true },
	{ "64K shmem folio, uffd-wp registered, write fault: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW, .uffd_wp = true }, 5, "{-*5 Wdy -*10}",
	  .write = true },
	{ "64K folio, page 9 PG_hwpoison, write fault of page 5: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW }, 5, "{-*5 Wdy -*10}",
	  .write = true, .hwpoison = 9 },
	{ "64K shmem folio, page 9 PG_hwpoison, write fault of page 5: one page mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW }, 5, "{-*5 Wdy -*10}",
	  .write = true, .hwpoison = 9 },
	{ "64K folio, file ends after page 5, write fault: one page mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 5 }, 2, "{-*2 Wdy -*13}",
	  .write = true },
	{ "64K shmem folio, file ends after page 5, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_SHMEM, RW, .eof = 5 }, 2, "{Wdy*16}", .write = true },
	{ "64K folio that ends with the file, write fault: folio mapped",
	  { "{-*16}", PTEBATCH_FILE, RW, .eof = 16 }, 2, "{Wdy*16}", .write = true },
	{ "2M folio that ends with the file, write fault: mapped by a PMD",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE }, 5, "[Wdy]",
	  .write = true, .huge = true },
	{ "2M folio, file ends one page before its end, write fault: one page mapped",
	  { "{-*T}", PTEBATCH_FILE, RW, .eof = PAGES_PER_TABLE - 1 }, 5,
	  "{-*5 Wdy -*T-6}", .write = true, .huge = true },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void fault_row(struct kunit *test)
{
	const struct fault_row *row = test->param_value;
	struct ptebatch_op op = row->write ? ptebatch_write_fault : ptebatch_read_fault;
	struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .prepare = prepare, .undo = undo,
		.check = check_handled, .ret = row->err, .data = row,
	};

	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "requires pages of 4K: fault-around maps 64K");
	if (row->hwpoison && !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "no PG_hwpoison without CONFIG_MEMORY_FAILURE");
	op.arg = row->at;
	run.after = expected_picture(test, row->after);
	ptebatch_row_run(test, &run);
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

static struct kunit_suite filemap_suite = {
	.name = "ptebatch_filemap",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.test_cases = filemap_cases,
};

kunit_test_suite(filemap_suite);
