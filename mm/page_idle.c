// SPDX-License-Identifier: GPL-2.0
/*
 * Idle page tracking and DAMON clear accessed bits, and check later whether a CPU
 * has set them. They keep what they cleared in PG_young, for reclaim, and PG_idle
 * says that a folio was not accessed since:
 *
 *	{Wdx*9 Wdyx Wdx*6}  ->  {Wdx*16}, PG_idle and PG_young
 *
 * The bitmap of page_idle and DAMON of a physical address clear the bits in all
 * mappings of the folio, DAMON of a virtual address in one PTE. All change one PTE
 * at a time, also in large folios; in a contpte block, the bit of one PTE is that of
 * all. There is no twin.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/page_idle.h>
#include <linux/pagemap.h>

#include "../lib/check/compare.h"
#include "../lib/check/model.h"
#include "../lib/check/notifier.h"
#include "../lib/kernel/damon.h"
#include "../lib/kernel/sysfs.h"
#include "../lib/run/rows.h"

#if defined(CONFIG_IDLE_PAGE_TRACKING) && defined(CONFIG_DAMON_VADDR) && \
	defined(CONFIG_DAMON_PADDR)
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Flags of the folio. */
#define IDLE	BIT(0)
#define YOUNG	BIT(1)

/**
 * struct idle_row - a case
 * @name: name of the case
 * @op: operation
 * @page: the operation's page: number of the entry that maps it, from 0
 * @setup: address space before the operation
 * @after: expected row; %NULL if no entry may change
 * @was: IDLE or 0: flags of the folio before the operation
 * @is: IDLE and YOUNG: flags of the folio after it
 * @ret: expected return value: 1 if the bitmap has the page as idle, or if DAMON
 *       found it accessed
 * @secondary_young: number of the entry that is young in the secondary MMU, counted
 *                   from 1; 0 if none is
 * @locked: the folio is locked
 */
struct idle_row {
	const char *name;
	const struct ptebatch_op *op;
	unsigned int page;
	struct ptebatch_setup setup;
	const char *after;
	unsigned int was, is;
	long ret;
	unsigned int secondary_young;
	bool locked;
};

/**
 * struct secondary_mmu - a secondary MMU, which knows whether pages are young
 * @notifier: its MMU notifier, %NULL if there is no secondary MMU
 * @space: the address space
 * @young: address of the page that is young in it
 * @cleared: bitmap of the entries that clear_young() covered
 * @outside: clear_young() covered other addresses than those of the row
 */
static struct secondary_mmu {
	struct ptebatch_notifier *notifier;
	const struct ptebatch_space *space;
	unsigned long young;
	DECLARE_BITMAP(cleared, PTEBATCH_ROW_ENTRIES);
	bool outside;
} secondary;

static bool clear_young(struct mmu_notifier *notifier, struct mm_struct *mm,
			unsigned long start, unsigned long end)
{
	unsigned long row = ptebatch_addr(secondary.space, 0);
	unsigned long row_end = ptebatch_addr(secondary.space, secondary.space->row.nr);
	unsigned long at;

	secondary.outside |= start < row || end > row_end;
	start = clamp(start, row, row_end);
	end = clamp(end, row, row_end);
	for (at = PAGE_ALIGN_DOWN(start); at < end; at += PAGE_SIZE)
		set_bit((at - row) / PAGE_SIZE, secondary.cleared);
	return secondary.young >= start && secondary.young < end;
}

static bool test_young(struct mmu_notifier *notifier, struct mm_struct *mm,
		       unsigned long address)
{
	return PAGE_ALIGN_DOWN(address) == secondary.young;
}

static const struct mmu_notifier_ops secondary_ops = {
	.clear_young = clear_young,
	.test_young = test_young,
	.free_notifier = ptebatch_notifier_free,
};

/* The operations, on the page of the case. */

static unsigned long pfn_of(const struct ptebatch_space *space)
{
	const struct idle_row *row = space->test->param_value;

	return folio_pfn(space->folios[0]) + space->row.entries[row->page].page;
}

/* DAMON draws any address of the page. */
static unsigned long address_of(const struct ptebatch_space *space)
{
	const struct idle_row *row = space->test->param_value;

	return ptebatch_addr(space, row->page) + PAGE_SIZE / 2;
}

/* The bitmap is read and written in words of 64 bits. */
#define BITMAP_FOLDER	"mm/page_idle"
#define BITMAP_BYTE(pfn)	(round_down(pfn, BITS_PER_TYPE(u64)) / BITS_PER_BYTE)

static long write_bitmap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long pfn = pfn_of(space);
	u64 bits = BIT_ULL(pfn % BITS_PER_TYPE(u64));
	ssize_t len;

	len = ptebatch_sysfs_write_binary(BITMAP_FOLDER, "bitmap", &bits, BITMAP_BYTE(pfn),
					  sizeof(bits));
	return len == sizeof(bits) ? 0 : len;
}

static long read_bitmap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	unsigned long pfn = pfn_of(space);
	ssize_t len;
	u64 bits;

	len = ptebatch_sysfs_read_binary(BITMAP_FOLDER, "bitmap", &bits, BITMAP_BYTE(pfn),
					 sizeof(bits));
	if (len != sizeof(bits))
		return len;
	return !!(bits & BIT_ULL(pfn % BITS_PER_TYPE(u64)));
}

static long prepare_physical(const struct ptebatch_op *op, struct ptebatch_space *space,
			     bool twin)
{
	return ptebatch_damon_prepare(NULL, PFN_PHYS(pfn_of(space)));
}

static long check_physical(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	return ptebatch_damon_check(NULL, PFN_PHYS(pfn_of(space)));
}

static long prepare_virtual(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	return ptebatch_damon_prepare(space->places[0].mm, address_of(space));
}

static long check_virtual(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	return ptebatch_damon_check(space->places[0].mm, address_of(space));
}

static const struct ptebatch_op mark_idle = {
	.function = "write() to the bitmap of page_idle", .call = write_bitmap, .no_twin = true,
};

static const struct ptebatch_op read_idle = {
	.function = "read() of the bitmap of page_idle", .call = read_bitmap, .no_twin = true,
};

static const struct ptebatch_op damon_pa_prepare = {
	.function = "damon_pa_prepare_access_checks()", .call = prepare_physical,
	.no_twin = true,
};

static const struct ptebatch_op damon_pa_check = {
	.function = "damon_pa_check_accesses()", .call = check_physical, .no_twin = true,
};

static const struct ptebatch_op damon_va_prepare = {
	.function = "damon_va_prepare_access_checks()", .call = prepare_virtual,
	.no_twin = true,
};

static const struct ptebatch_op damon_va_check = {
	.function = "damon_va_check_accesses()", .call = check_virtual, .no_twin = true,
};

#define OLD_MIDDLE	"{Wdyx*5 Wdx Wdyx*10}"

static const struct idle_row rows[] = {
	/* A bit of the bitmap is set: the folio is idle from now on. */
	{ "64K folio, accessed, marked idle: old, PG_young", &mark_idle, 0,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "{Wdx*16}", 0, IDLE | YOUNG },
	{ "64K folio, PTE 9 accessed, marked idle: old, PG_young", &mark_idle, 0,
	  { "{Wdx*9 Wdyx Wdx*6}", .prot = RW, .lru = true }, "{Wdx*16}", 0,
	  IDLE | YOUNG },
	{ "64K folio, old, marked idle: not PG_young", &mark_idle, 0,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, 0, IDLE },
	{ "small folio, accessed, marked idle: old, PG_young", &mark_idle, 0,
	  { "Wdyx Wdyx", .prot = RW, .lru = true }, "Wdx Wdyx", 0, IDLE | YOUNG },
	{ "64K folio across a page table boundary, marked idle: old, PG_young", &mark_idle, 0,
	  { "@-8 {Wdyx*16}", .prot = RW, .lru = true }, "@-8 {Wdx*16}", 0, IDLE | YOUNG },
	{ "64K folio in two VMAs, marked idle: old, PG_young", &mark_idle, 0,
	  { "@5 {Wdyx*6 ; Wdyx*10}", .prot = RW, .lru = true }, "@5 {Wdx*16}", 0,
	  IDLE | YOUNG },
	{ "64K folio, PROT_NONE PTEs and a hole, marked idle: old, PG_young", &mark_idle, 0,
	  { "{Ndyx*8 .*4 Ndyx*4}", .prot = PROT_NONE, .lru = true }, "{Ndx*8 .*4 Ndx*4}",
	  0, IDLE | YOUNG },
	{ "64K folio between two others, marked idle: they stay young", &mark_idle, 0,
	  { "{Wdyx*16} {Wdyx*16} +{Wdyx*16}", .prot = RW, .lru = true },
	  "{Wdx*16} {Wdyx*16} {Wdyx*16}", 0, IDLE | YOUNG },
	{ "64K file folio, marked idle: old, PG_young", &mark_idle, 0,
	  { "{Ry*16}", PTEBATCH_FILE, RO, .lru = true }, "{R*16}", 0, IDLE | YOUNG },
	{ "64K shmem folio mapped by two VMAs, marked idle: old in both", &mark_idle, 0,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .lru = true, .twice = true }, "{Wd*16}", 0,
	  IDLE | YOUNG },
	{ "PMD-mapped folio, marked idle: old, PG_young", &mark_idle, 0,
	  { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]", 0, IDLE | YOUNG },
	{ "64K folio, bit of page 5 set: no change", &mark_idle, 5,
	  { "{Wdyx*16}", .prot = RW, .lru = true } },
	{ "64K folio on no LRU list, marked idle: no change", &mark_idle, 0,
	  { "{Wdyx*16}", .prot = RW } },
	{ "64K folio, locked, marked idle: PTEs stay young", &mark_idle, 0,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, NULL, 0, IDLE, .locked = true },
	{ "64K folio, page 9 young in a secondary MMU, marked idle: PG_young", &mark_idle, 0,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, 0, IDLE | YOUNG,
	  .secondary_young = 10 },
	{ "PMD-mapped folio, page 300 young in a secondary MMU, marked idle: PG_young",
	  &mark_idle, 0, { "[Wdx]", .prot = RW, .lru = true }, NULL, 0, IDLE | YOUNG,
	  .secondary_young = 301 },

	/* The bitmap is read: is it still idle? */
	{ "64K folio, idle and old, read: idle", &read_idle, 0,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1 },
	{ "64K folio, idle and PTE 9 accessed, read: not idle, old", &read_idle, 0,
	  { "{Wdx*9 Wdyx Wdx*6}", .prot = RW, .lru = true }, "{Wdx*16}", IDLE, YOUNG },
	{ "64K folio, not idle, read: not idle, PTEs stay young", &read_idle, 0,
	  { "{Wdyx*16}", .prot = RW, .lru = true } },
	{ "64K folio, idle and old, bit of page 5 read: not idle", &read_idle, 5,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE },
	{ "64K folio, idle and locked, read: idle, PTEs stay young", &read_idle, 0,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1, .locked = true },
	{ "PMD-mapped folio, idle and accessed, read: not idle, old", &read_idle, 0,
	  { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]", IDLE, YOUNG },
	{ "64K folio, idle, page 9 young in a secondary MMU, read: not idle", &read_idle, 0,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, YOUNG,
	  .secondary_young = 10 },

	/* DAMON, physical addresses. */
	{ "64K folio, DAMON prepares page 5: all PTEs old, PG_young", &damon_pa_prepare, 5,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, "{Wdx*16}", 0, IDLE | YOUNG },
	{ "64K folio, PTE 9 accessed, DAMON prepares page 5: old, PG_idle", &damon_pa_prepare,
	  5, { "{Wdx*9 Wdyx Wdx*6}", .prot = RW, .lru = true }, "{Wdx*16}", 0,
	  IDLE | YOUNG },
	{ "64K folio across a page table boundary, DAMON prepares page 5: all PTEs old",
	  &damon_pa_prepare, 5, { "@-8 {Wdyx*16}", .prot = RW, .lru = true },
	  "@-8 {Wdx*16}", 0, IDLE | YOUNG },
	{ "64K shmem folio mapped by two VMAs, DAMON prepares page 5: old in both",
	  &damon_pa_prepare, 5,
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .lru = true, .twice = true }, "{Wd*16}", 0,
	  IDLE | YOUNG },
	{ "PMD-mapped folio, DAMON prepares page 300: PMD old", &damon_pa_prepare, 300,
	  { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]", 0, IDLE | YOUNG },
	{ "64K folio, locked, DAMON prepares page 5: no change", &damon_pa_prepare, 5,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, .locked = true },
	{ "64K folio on no LRU list, DAMON prepares page 5: no change", &damon_pa_prepare, 5,
	  { "{Wdyx*16}", .prot = RW } },
	{ "PMD-mapped folio, page 300 young in a secondary MMU, DAMON prepares page 5: PG_young",
	  &damon_pa_prepare, 5, { "[Wdx]", .prot = RW, .lru = true }, NULL, 0,
	  IDLE | YOUNG, .secondary_young = 301 },
	{ "64K folio, idle and PTE 9 accessed, DAMON checks page 5: accessed",
	  &damon_pa_check, 5, { "{Wdx*9 Wdyx Wdx*6}", .prot = RW, .lru = true }, NULL,
	  IDLE, IDLE, 1 },
	{ "64K folio, idle and last PTE accessed, DAMON checks page 5: accessed",
	  &damon_pa_check, 5, { "@-8 {Wdx*15 Wdyx}", .prot = RW, .lru = true }, NULL,
	  IDLE, IDLE, 1 },
	{ "64K folio, idle and old, DAMON checks page 5: not accessed", &damon_pa_check, 5,
	  { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE },
	{ "64K folio, not idle, old, DAMON checks page 5: accessed", &damon_pa_check, 5,
	  { "{Wdx*16}", .prot = RW, .lru = true }, .ret = 1 },
	{ "64K folio, accessed, locked, DAMON checks page 5: not accessed", &damon_pa_check, 5,
	  { "{Wdyx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, .locked = true },
	{ "PMD-mapped folio, idle and accessed, DAMON checks page 300: accessed",
	  &damon_pa_check, 300, { "[Wdyx]", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1 },
	{ "64K folio, idle, page 9 young in a secondary MMU, DAMON checks page 5: accessed",
	  &damon_pa_check, 5, { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1,
	  .secondary_young = 10 },

	/* DAMON, virtual addresses. */
	{ "64K folio, DAMON prepares PTE 5: this one old, or its contpte block",
	  &damon_va_prepare, 5, { "{Wdyx*16}", .prot = RW, .lru = true }, OLD_MIDDLE, 0,
	  IDLE | YOUNG },
	{ "64K folio, virtual address not 64K-aligned, DAMON prepares PTE 5: this one old",
	  &damon_va_prepare, 5, { "@5 {Wdyx*16}", .prot = RW, .lru = true },
	  "@5 " OLD_MIDDLE, 0, IDLE | YOUNG },
	{ "64K folio, PTE 5 old, DAMON prepares it: not PG_young", &damon_va_prepare, 5,
	  { "@5 " OLD_MIDDLE, .prot = RW, .lru = true }, NULL, 0, IDLE },
	{ "128K folio, DAMON prepares PTE 20: this one old, or its contpte block",
	  &damon_va_prepare, 20, { "{Wdyx*32}", .prot = RW, .lru = true },
	  "{Wdyx*20 Wdx Wdyx*11}", 0, IDLE | YOUNG },
	{ "64K file folio, DAMON prepares PTE 5: this one old, or its contpte block",
	  &damon_va_prepare, 5, { "{Ry*16}", PTEBATCH_FILE, RO, .lru = true },
	  "{Ry*5 R Ry*10}", 0, IDLE | YOUNG },
	{ "PMD-mapped folio, DAMON prepares page 300: PMD old", &damon_va_prepare, 300,
	  { "[Wdyx]", .prot = RW, .lru = true }, "[Wdx]", 0, IDLE | YOUNG },
	{ "hole in a 64K folio, DAMON prepares it: no change", &damon_va_prepare, 5,
	  { "{Wdyx*5 -*2 Wdyx*9}", .prot = RW, .lru = true } },
	{ "migration entry of a 64K folio, DAMON prepares it: no change", &damon_va_prepare, 5,
	  { "{Wdyx*5 Mw*2 Wdyx*9}", .prot = RW, .lru = true } },
	{ "64K folio, page 5 young in a secondary MMU, DAMON prepares PTE 5: PG_young",
	  &damon_va_prepare, 5, { "{Wdx*16}", .prot = RW, .lru = true }, NULL, 0,
	  IDLE | YOUNG, .secondary_young = 6 },
	{ "64K folio, page 6 young in a secondary MMU, DAMON prepares PTE 5: not PG_young",
	  &damon_va_prepare, 5, { "{Wdx*16}", .prot = RW, .lru = true }, NULL, 0, IDLE,
	  .secondary_young = 7 },
	{ "PMD-mapped folio, page 9 young in a secondary MMU, DAMON prepares page 300: PG_young",
	  &damon_va_prepare, 300, { "[Wdx]", .prot = RW, .lru = true }, NULL, 0,
	  IDLE | YOUNG, .secondary_young = 10 },
	{ "64K folio, idle and PTE 5 accessed, DAMON checks it: accessed", &damon_va_check, 5,
	  { "@5 {Wdx*5 Wdyx Wdx*10}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1 },
	{ "64K folio, idle and PTE 5 old, the rest accessed, DAMON checks it: not accessed",
	  &damon_va_check, 5, { "@5 " OLD_MIDDLE, .prot = RW, .lru = true }, NULL, IDLE,
	  IDLE },
	{ "64K folio, not idle, old, DAMON checks PTE 5: accessed", &damon_va_check, 5,
	  { "{Wdx*16}", .prot = RW, .lru = true }, .ret = 1 },
	{ "hole in a 64K folio, DAMON checks it: not accessed", &damon_va_check, 5,
	  { "{Wdyx*5 -*2 Wdyx*9}", .prot = RW, .lru = true } },
	{ "PMD-mapped folio, idle and accessed, DAMON checks page 300: accessed",
	  &damon_va_check, 300, { "[Wdyx]", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1 },
	{ "64K folio, idle, page 5 young in a secondary MMU, DAMON checks PTE 5: accessed",
	  &damon_va_check, 5, { "{Wdx*16}", .prot = RW, .lru = true }, NULL, IDLE, IDLE, 1,
	  .secondary_young = 6 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	struct ptebatch_space *space = trial->space;
	struct folio *folio = space->folios[0];
	const struct idle_row *row = data;

	if (row->was & IDLE)
		folio_set_idle(folio);
	if (row->locked)
		folio_lock(folio);
	if (row->setup.twice)
		ptebatch_op_second(trial, row->op, &space->places[1]);
	secondary = (struct secondary_mmu) { .space = space };
	if (!row->secondary_young)
		return;
	secondary.young = ptebatch_addr(space, row->secondary_young - 1);
	secondary.notifier = ptebatch_notifier_begin(&secondary_ops, space->places[0].mm, NULL);
	KUNIT_ASSERT_NOT_NULL(trial->test, secondary.notifier);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	const struct idle_row *row = data;

	if (secondary.notifier)
		ptebatch_notifier_end(secondary.notifier);
	if (row->locked)
		folio_unlock(trial->space->folios[0]);
}

/* clear_young() covers the PTE, or with @all the PTEs that map the folio; or the PMD. */
static void expect_cleared(const struct ptebatch_trial *trial, bool all)
{
	const struct idle_row *row = trial->test->param_value;
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	KUNIT_EXPECT_FALSE_MSG(trial->test, secondary.outside,
			       "%s clears young outside the row in the secondary MMU",
			       trial->function);
	for (i = 0; i < was->nr; i++) {
		bool expected = all || test_bit(i, trial->before.huge) || i == row->page;
		bool cleared = test_bit(i, secondary.cleared);

		KUNIT_EXPECT_EQ_MSG(trial->test, cleared, expected,
				    "%s: clear_young() of entry %u in the secondary MMU",
				    trial->function, i);
	}
}

static void check(struct ptebatch_trial *trial, const void *data)
{
	struct folio *folio = trial->space->folios[0];
	const struct idle_row *row = data;

	KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_idle(folio), !!(row->is & IDLE),
			    "PG_idle after %s", trial->function);
	KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_young(folio), !!(row->is & YOUNG),
			    "PG_young after %s", trial->function);
	if (row->after)
		ptebatch_trial_expect_old(trial, row->after);
	if (row->after && trial->second)
		ptebatch_trial_expect_old(trial->second, row->after);
	if (secondary.notifier && (row->is & YOUNG || row->op == &damon_va_prepare))
		expect_cleared(trial, row->op != &damon_va_prepare);
}

/* The expected row: with the PTE of the page, the others of its contpte block are old. */
static const char *after_block(struct kunit *test, const struct idle_row *row)
{
	struct ptebatch_row *expected = ptebatch_picture(test, row->after);
	struct seq_buf out;
	unsigned int i;
	char *picture;

	picture = kunit_kzalloc(test, SZ_256, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, picture);
	for (i = 0; i < expected->nr; i++)
		if (ptebatch_model_same_block(expected, i, row->page))
			expected->entries[i].flags &= ~PTEBATCH_YOUNG;
	seq_buf_init(&out, picture, SZ_256);
	ptebatch_row_print(&out, expected, NULL);
	kunit_kfree(test, expected);
	return seq_buf_str(&out);
}

static void idle_row(struct kunit *test)
{
	const struct idle_row *row = test->param_value;
	const char *after = row->after ? after_block(test, row) : NULL;
	const struct ptebatch_run run = {
		.op = row->op, .setup = &row->setup, .after = after,
		.second = row->setup.twice ? after : NULL, .ret = row->ret,
		.prepare = prepare, .undo = undo, .check = check, .data = row,
	};

	ptebatch_row_run(test, &run);
}

static struct kunit_case page_idle_cases[] = {
	KUNIT_CASE_PARAM(idle_row, rows_gen_params),
	{}
};

static struct kunit_suite page_idle_suite = {
	.name = "ptebatch_page_idle",
	.test_cases = page_idle_cases,
};

kunit_test_suite(page_idle_suite);
#endif
