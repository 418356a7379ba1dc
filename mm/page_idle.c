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
#include "../lib/inject/conditions.h"
#include "../lib/op/idle.h"
#include "../lib/run/case.h"
#include "../lib/service/damon.h"
#include "../lib/service/service.h"

#if defined(CONFIG_IDLE_PAGE_TRACKING) && defined(CONFIG_DAMON_VADDR) && \
	defined(CONFIG_DAMON_PADDR)
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Flags of the folio. */
#define IDLE	BIT(0)
#define YOUNG	BIT(1)

/* The last page that a PMD maps. */
#define LAST	(PTRS_PER_PTE - 1)

/**
 * struct idle_row - a case
 * @c: the case; its argument is the operation's page: number of the entry that maps
 *     it, from 0; its return value is 1 if the bitmap has the page as idle, or if
 *     DAMON found it accessed
 * @is: IDLE and YOUNG: flags of the folio after the operation
 */
struct idle_row {
	struct ptebatch_case c;
	unsigned int is;
};

static void set_idle(struct ptebatch_use *use, const unsigned long *args,
		     struct pt_regs *regs)
{
	folio_set_idle(use->trial->space->folios[0]);
}

static const struct ptebatch_condition_type idle = {
	.name = "the folio is idle", .occur = set_idle,
};

#define WAS_IDLE	{ .type = &idle }

/* The operations, on the page of the case. */

static unsigned long pfn_of(const struct ptebatch_op *op, const struct ptebatch_space *space)
{
	return folio_pfn(space->folios[0]) + space->row.entries[op->arg].page;
}

/* DAMON draws any address of the page. */
static unsigned long address_of(const struct ptebatch_op *op,
				const struct ptebatch_space *space)
{
	return ptebatch_addr(space, op->arg) + PAGE_SIZE / 2;
}

static long write_bitmap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return ptebatch_idle_mark(pfn_of(op, space));
}

static long read_bitmap(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return ptebatch_idle_read(pfn_of(op, space));
}

static long prepare_physical(const struct ptebatch_op *op, struct ptebatch_space *space,
			     bool twin)
{
	unsigned long address = PFN_PHYS(pfn_of(op, space));

	return ptebatch_damon_prepare(NULL, &address, 1);
}

static long check_physical(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	unsigned long address = PFN_PHYS(pfn_of(op, space));

	return ptebatch_damon_check(NULL, &address, 1);
}

static long prepare_virtual(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	unsigned long address = address_of(op, space);

	return ptebatch_damon_prepare(space->places[0].mm, &address, 1);
}

static long check_virtual(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	unsigned long address = address_of(op, space);

	return ptebatch_damon_check(space->places[0].mm, &address, 1);
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

/* Anonymous folios on the LRU lists. */
#define LRU_ROW(picture)		{ picture, .prot = RW, .folios = ON_LRU }

#define MARK(page)		.op = &mark_idle, .arg = (page)
#define READ_IDLE(page)		.op = &read_idle, .arg = (page)
#define PA_PREPARE(page)	.op = &damon_pa_prepare, .arg = (page)
#define PA_CHECK(page)		.op = &damon_pa_check, .arg = (page)
#define VA_PREPARE(page)	.op = &damon_va_prepare, .arg = (page)
#define VA_CHECK(page)		.op = &damon_va_check, .arg = (page)

#define OLD_MIDDLE	"{Wdyx*5 Wdx Wdyx*10}"

static const struct idle_row rows[] = {
	/* A bit of the bitmap is set: the folio is idle from now on. */
	{ { "64K folio, accessed, marked idle: old, PG_young",
	    LRU_ROW("{Wdyx*16}"), "{Wdx*16}", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio, PTE 9 accessed, marked idle: old, PG_young",
	    LRU_ROW("{Wdx*9 Wdyx Wdx*6}"), "{Wdx*16}", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio, old, marked idle: not PG_young",
	    LRU_ROW("{Wdx*16}"), MARK(0) }, IDLE },
	{ { "small folio, accessed, marked idle: old, PG_young",
	    LRU_ROW("Wdyx Wdyx"), "Wdx Wdyx", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio across a page table boundary, marked idle: old, PG_young",
	    LRU_ROW("@-8 {Wdyx*16}"), "@-8 {Wdx*16}", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio in two VMAs, marked idle: old, PG_young",
	    LRU_ROW("@5 {Wdyx*6 ; Wdyx*10}"), "@5 {Wdx*16}", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio, PROT_NONE PTEs and a hole, marked idle: old, PG_young",
	    { "{Ndyx*8 .*4 Ndyx*4}", .prot = PROT_NONE, .folios = ON_LRU },
	    "{Ndx*8 .*4 Ndx*4}", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio between two others, marked idle: they stay young",
	    LRU_ROW("{Wdyx*16} {Wdyx*16} +{Wdyx*16}"), "{Wdx*16} {Wdyx*16} {Wdyx*16}",
	    MARK(0) }, IDLE | YOUNG },
	{ { "64K file folio, marked idle: old, PG_young",
	    { "{Ry*16}", PTEBATCH_FILE, RO, .folios = ON_LRU }, "{R*16}",
	    MARK(0) }, IDLE | YOUNG },
	{ { "64K shmem folio mapped by two VMAs, marked idle: old in both",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU, .twice = true }, "{Wd*16}",
	    MARK(0), .second = "{Wd*16}" }, IDLE | YOUNG },
	{ { "PMD-mapped folio, marked idle: old, PG_young",
	    LRU_ROW("[Wdyx]"), "[Wdx]", MARK(0) }, IDLE | YOUNG },
	{ { "64K folio, bit of page 5 set: no change",
	    LRU_ROW("{Wdyx*16}"), MARK(5) } },
	{ { "64K folio on no LRU list, marked idle: no change",
	    { "{Wdyx*16}", .prot = RW }, MARK(0) } },
	{ { "64K folio, locked, marked idle: PTEs stay young",
	    LRU_ROW("{Wdyx*16}"), MARK(0), .with = { LOCKED(0) } }, IDLE },
	{ { "64K folio, page 9 young in a secondary MMU, marked idle: PG_young",
	    LRU_ROW("{Wdx*16}"), MARK(0),
	    .with = { SECONDARY_YOUNG(9) } }, IDLE | YOUNG },
	{ { "PMD-mapped folio, last page young in a secondary MMU, marked idle: PG_young",
	    LRU_ROW("[Wdx]"), MARK(0), .with = { SECONDARY_YOUNG(LAST) } }, IDLE | YOUNG },

	/* The bitmap is read: is it still idle? */
	{ { "64K folio, idle and old, read: idle",
	    LRU_ROW("{Wdx*16}"), READ_IDLE(0), .ret = 1, .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle and PTE 9 accessed, read: not idle, old",
	    LRU_ROW("{Wdx*9 Wdyx Wdx*6}"), "{Wdx*16}", READ_IDLE(0),
	    .with = { WAS_IDLE } }, YOUNG },
	{ { "64K folio, not idle, read: not idle, PTEs stay young",
	    LRU_ROW("{Wdyx*16}"), READ_IDLE(0) } },
	{ { "64K folio, idle and old, bit of page 5 read: not idle",
	    LRU_ROW("{Wdx*16}"), READ_IDLE(5), .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle and locked, read: idle, PTEs stay young",
	    LRU_ROW("{Wdyx*16}"), READ_IDLE(0), .ret = 1,
	    .with = { WAS_IDLE, LOCKED(0) } }, IDLE },
	{ { "PMD-mapped folio, idle and accessed, read: not idle, old",
	    LRU_ROW("[Wdyx]"), "[Wdx]", READ_IDLE(0), .with = { WAS_IDLE } }, YOUNG },
	{ { "64K folio, idle, page 9 young in a secondary MMU, read: not idle",
	    LRU_ROW("{Wdx*16}"), READ_IDLE(0),
	    .with = { WAS_IDLE, SECONDARY_YOUNG(9) } }, YOUNG },

	/* DAMON, physical addresses. */
	{ { "64K folio, DAMON prepares page 5: all PTEs old, PG_young",
	    LRU_ROW("{Wdyx*16}"), "{Wdx*16}", PA_PREPARE(5) }, IDLE | YOUNG },
	{ { "64K folio, PTE 9 accessed, DAMON prepares page 5: old, PG_idle",
	    LRU_ROW("{Wdx*9 Wdyx Wdx*6}"), "{Wdx*16}", PA_PREPARE(5) }, IDLE | YOUNG },
	{ { "64K folio across a page table boundary, DAMON prepares page 5: all PTEs old",
	    LRU_ROW("@-8 {Wdyx*16}"), "@-8 {Wdx*16}", PA_PREPARE(5) }, IDLE | YOUNG },
	{ { "64K shmem folio mapped by two VMAs, DAMON prepares page 5: old in both",
	    { "{Wdy*16}", PTEBATCH_SHMEM, RW, .folios = ON_LRU, .twice = true }, "{Wd*16}",
	    PA_PREPARE(5), .second = "{Wd*16}" }, IDLE | YOUNG },
	{ { "PMD-mapped folio, DAMON prepares last page: PMD old",
	    LRU_ROW("[Wdyx]"), "[Wdx]", PA_PREPARE(LAST) }, IDLE | YOUNG },
	{ { "64K folio, locked, DAMON prepares page 5: no change",
	    LRU_ROW("{Wdyx*16}"), PA_PREPARE(5), .with = { LOCKED(0) } } },
	{ { "64K folio on no LRU list, DAMON prepares page 5: no change",
	    { "{Wdyx*16}", .prot = RW }, PA_PREPARE(5) } },
	{ { "PMD-mapped folio, last page young in a secondary MMU, DAMON prepares page 5: PG_young",
	    LRU_ROW("[Wdx]"), PA_PREPARE(5),
	    .with = { SECONDARY_YOUNG(LAST) } }, IDLE | YOUNG },
	{ { "64K folio, idle and PTE 9 accessed, DAMON checks page 5: accessed",
	    LRU_ROW("{Wdx*9 Wdyx Wdx*6}"), PA_CHECK(5), .ret = 1,
	    .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle and last PTE accessed, DAMON checks page 5: accessed",
	    LRU_ROW("@-8 {Wdx*15 Wdyx}"), PA_CHECK(5), .ret = 1,
	    .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle and old, DAMON checks page 5: not accessed",
	    LRU_ROW("{Wdx*16}"), PA_CHECK(5), .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, not idle, old, DAMON checks page 5: accessed",
	    LRU_ROW("{Wdx*16}"), PA_CHECK(5), .ret = 1 } },
	{ { "64K folio, accessed, locked, DAMON checks page 5: not accessed",
	    LRU_ROW("{Wdyx*16}"), PA_CHECK(5), .with = { WAS_IDLE, LOCKED(0) } }, IDLE },
	{ { "PMD-mapped folio, idle and accessed, DAMON checks last page: accessed",
	    LRU_ROW("[Wdyx]"), PA_CHECK(LAST), .ret = 1, .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle, page 9 young in a secondary MMU, DAMON checks page 5: accessed",
	    LRU_ROW("{Wdx*16}"), PA_CHECK(5), .ret = 1,
	    .with = { WAS_IDLE, SECONDARY_YOUNG(9) } }, IDLE },

	/* DAMON, virtual addresses. */
	{ { "64K folio, DAMON prepares PTE 5: this one old, or its contpte block",
	    LRU_ROW("{Wdyx*16}"), OLD_MIDDLE, VA_PREPARE(5) }, IDLE | YOUNG },
	{ { "64K folio, virtual address not 64K-aligned, DAMON prepares PTE 5: this one old",
	    LRU_ROW("@5 {Wdyx*16}"), "@5 " OLD_MIDDLE, VA_PREPARE(5) }, IDLE | YOUNG },
	{ { "64K folio, PTE 5 old, DAMON prepares it: not PG_young",
	    LRU_ROW("@5 " OLD_MIDDLE), VA_PREPARE(5) }, IDLE },
	{ { "128K folio, DAMON prepares PTE 20: this one old, or its contpte block",
	    LRU_ROW("{Wdyx*32}"), "{Wdyx*20 Wdx Wdyx*11}",
	    VA_PREPARE(20) }, IDLE | YOUNG },
	{ { "64K file folio, DAMON prepares PTE 5: this one old, or its contpte block",
	    { "{Ry*16}", PTEBATCH_FILE, RO, .folios = ON_LRU }, "{Ry*5 R Ry*10}",
	    VA_PREPARE(5) }, IDLE | YOUNG },
	{ { "PMD-mapped folio, DAMON prepares last page: PMD old",
	    LRU_ROW("[Wdyx]"), "[Wdx]", VA_PREPARE(LAST) }, IDLE | YOUNG },
	{ { "hole in a 64K folio, DAMON prepares it: no change",
	    LRU_ROW("{Wdyx*5 -*2 Wdyx*9}"), VA_PREPARE(5) } },
	{ { "migration entry of a 64K folio, DAMON prepares it: no change",
	    LRU_ROW("{Wdyx*5 Mw*2 Wdyx*9}"), VA_PREPARE(5) } },
	{ { "64K folio, page 5 young in a secondary MMU, DAMON prepares PTE 5: PG_young",
	    LRU_ROW("{Wdx*16}"), VA_PREPARE(5),
	    .with = { SECONDARY_YOUNG(5) } }, IDLE | YOUNG },
	{ { "64K folio, page 6 young in a secondary MMU, DAMON prepares PTE 5: not PG_young",
	    LRU_ROW("{Wdx*16}"), VA_PREPARE(5), .with = { SECONDARY_YOUNG(6) } }, IDLE },
	{ { "PMD-mapped folio, page 9 young in a secondary MMU, DAMON prepares last page: PG_young",
	    LRU_ROW("[Wdx]"), VA_PREPARE(LAST),
	    .with = { SECONDARY_YOUNG(9) } }, IDLE | YOUNG },
	{ { "64K folio, idle and PTE 5 accessed, DAMON checks it: accessed",
	    LRU_ROW("@5 {Wdx*5 Wdyx Wdx*10}"), VA_CHECK(5), .ret = 1,
	    .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle and PTE 5 old, the rest accessed, DAMON checks it: not accessed",
	    LRU_ROW("@5 " OLD_MIDDLE), VA_CHECK(5), .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, not idle, old, DAMON checks PTE 5: accessed",
	    LRU_ROW("{Wdx*16}"), VA_CHECK(5), .ret = 1 } },
	{ { "hole in a 64K folio, DAMON checks it: not accessed",
	    LRU_ROW("{Wdyx*5 -*2 Wdyx*9}"), VA_CHECK(5) } },
	{ { "PMD-mapped folio, idle and accessed, DAMON checks last page: accessed",
	    LRU_ROW("[Wdyx]"), VA_CHECK(LAST), .ret = 1, .with = { WAS_IDLE } }, IDLE },
	{ { "64K folio, idle, page 5 young in a secondary MMU, DAMON checks PTE 5: accessed",
	    LRU_ROW("{Wdx*16}"), VA_CHECK(5), .ret = 1,
	    .with = { WAS_IDLE, SECONDARY_YOUNG(5) } }, IDLE },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

/* clear_young() covers the PTE, or with @all the PTEs that map the folio; or the PMD. */
static void expect_cleared(const struct ptebatch_trial *trial, bool all)
{
	const struct idle_row *row = trial->test->param_value;
	const struct ptebatch_secondary *secondary = &trial->secondary;
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	KUNIT_EXPECT_TRUE_MSG(trial->test,
			      secondary->old_start >= ptebatch_addr(trial->space, 0) &&
			      secondary->old_end <= ptebatch_addr(trial->space, was->nr),
			      "%s clears young outside the row in the secondary MMU",
			      trial->function);
	for (i = 0; i < was->nr; i++) {
		bool expected = all || test_bit(i, trial->before.huge) || i == row->c.arg;
		bool cleared = test_bit(i, secondary->old);

		KUNIT_EXPECT_EQ_MSG(trial->test, cleared, expected,
				    "%s: clear_young() of entry %u in the secondary MMU",
				    trial->function, i);
	}
}

static void check(struct ptebatch_trial *trial, const struct ptebatch_case *c)
{
	const struct idle_row *row = trial->test->param_value;
	struct folio *folio = trial->space->folios[0];

	KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_idle(folio), !!(row->is & IDLE),
			    "PG_idle after %s", trial->function);
	KUNIT_EXPECT_EQ_MSG(trial->test, folio_test_young(folio), !!(row->is & YOUNG),
			    "PG_young after %s", trial->function);
	if (row->c.after)
		ptebatch_trial_expect_old(trial, row->c.after);
	if (row->c.second)
		ptebatch_trial_expect_old(trial->second, row->c.second);
	if (ptebatch_conditions_have(c->with, &ptebatch_condition_secondary_young) &&
	    (row->is & YOUNG || c->op == &damon_va_prepare))
		expect_cleared(trial, c->op != &damon_va_prepare);
}

/* The expected row: with the PTE of the page, the others of its contpte block are old. */
static const char *after_block(struct kunit *test, const struct ptebatch_case *c)
{
	struct ptebatch_row *expected = ptebatch_picture(test, c->after);
	struct seq_buf out;
	unsigned int i;
	char *picture;

	picture = kunit_kzalloc(test, SZ_256, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, picture);
	for (i = 0; i < expected->nr; i++)
		if (ptebatch_model_same_block(expected, i, c->arg))
			expected->entries[i].flags &= ~PTEBATCH_YOUNG;
	seq_buf_init(&out, picture, SZ_256);
	ptebatch_row_print(&out, expected, NULL);
	kunit_kfree(test, expected);
	return seq_buf_str(&out);
}

static void idle_row(struct kunit *test)
{
	const struct idle_row *row = test->param_value;
	struct ptebatch_case c = row->c;

	if (c.after)
		c.after = after_block(test, &c);
	if (c.second)
		c.second = c.after;
	c.check = check;
	ptebatch_case_run(test, &c);
}

static struct kunit_case page_idle_cases[] = {
	KUNIT_CASE_PARAM(idle_row, rows_gen_params),
	{}
};

PTEBATCH_SUITE(page_idle, page_idle_cases);
#endif
