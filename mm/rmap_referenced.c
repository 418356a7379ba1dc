// SPDX-License-Identifier: GPL-2.0
/*
 * folio_referenced() clears the accessed bits of a large folio in batches.
 *
 * Each row is done twice, in two address spaces that are alike: by
 * folio_referenced() and by its twin, which does one entry at a time. Someone
 * with page tables of their own, as KVM has, is asked, too: for whole batches.
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_notifier.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/lru_gen.h"
#include "../lib/orders.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

typedef int (*referenced_t)(struct folio *folio, int is_locked,
			    struct mem_cgroup *memcg, vma_flags_t *vma_flags);

/**
 * struct referenced_row - a case of folio_referenced()
 * @name: of the case
 * @setup: the address space before
 * @after: the row as it shall be then, wherever it is mapped
 * @references: how many mappings shall be found young
 * @batches: in how many batches, at the first place
 * @mlocked: the folio shall be found in a VMA that is locked into memory
 * @elsewhere: an entry that is young in the other page tables, counted from
 *             one; 0 if none is
 */
struct referenced_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *after;
	int references;
	unsigned int batches;
	bool mlocked;
	unsigned int elsewhere;
};

/**
 * struct asked - what the owner of other page tables is asked
 * @notifier: by this
 * @start: address of the row's first entry
 * @young: address of the page that was accessed there, 0 if none was
 * @calls: how often
 * @entries: which entries, a bit each
 */
struct asked {
	struct mmu_notifier notifier;
	unsigned long start;
	unsigned long young;
	unsigned int calls;
	DECLARE_BITMAP(entries, PTEBATCH_ROW_ENTRIES);
};

#ifdef CONFIG_MMU_NOTIFIER

static bool clear_flush_young(struct mmu_notifier *notifier,
			      struct mm_struct *mm, unsigned long start,
			      unsigned long end)
{
	struct asked *asked = container_of(notifier, struct asked, notifier);
	unsigned int from = (start - asked->start) >> PAGE_SHIFT;
	unsigned int nr = (end - start) >> PAGE_SHIFT;

	asked->calls++;
	if (from + nr <= PTEBATCH_ROW_ENTRIES)
		bitmap_set(asked->entries, from, nr);
	return asked->young >= start && asked->young < end;
}

static const struct mmu_notifier_ops notifier_ops = {
	.clear_flush_young = clear_flush_young,
};

static int listen(struct asked *asked, struct mm_struct *mm)
{
	asked->notifier.ops = &notifier_ops;
	return mmu_notifier_register(&asked->notifier, mm);
}

static void listen_no_more(struct asked *asked, struct mm_struct *mm)
{
	mmu_notifier_unregister(&asked->notifier, mm);
}

#else

static int listen(struct asked *asked, struct mm_struct *mm)
{
	return 0;
}

static void listen_no_more(struct asked *asked, struct mm_struct *mm)
{
}

#endif

/* Entries of the range that map a page, asked about or not. */
static void expect_asked(const struct ptebatch_trial *trial,
			 const struct asked *asked,
			 const struct referenced_row *row, bool one_by_one)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i, present = 0;

	if (!IS_ENABLED(CONFIG_MMU_NOTIFIER) || row->setup.mlocked)
		return;
	for (i = 0; i < was->nr; i++) {
		bool maps = i >= was->from && i < was->to &&
			    ptebatch_entry_present(&was->entries[i]);

		/* A PMD is one entry. */
		present += maps && !(test_bit(i, trial->before.huge) &&
				     was->entries[i].page);
		KUNIT_EXPECT_EQ_MSG(trial->test, test_bit(i, asked->entries),
				    maps, "%s, entry %u: asked about elsewhere",
				    trial->who, i);
	}
	/* Places in one mm are asked about alike. */
	if (trial->space->places[1].mm == trial->space->places[0].mm)
		return;
	KUNIT_EXPECT_EQ_MSG(trial->test, asked->calls,
			    one_by_one ? present : row->batches,
			    "%s: the number of batches", trial->who);
}

/* Nothing but the accessed bit is different. */
static void expect_no_more(const struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *was = &trial->before;
	const struct ptebatch_snapshot *is = &trial->after;
	unsigned int i;

	for (i = was->row.from; i < was->row.to; i++) {
		pte_t before = was->raw[was->lead + i];
		pte_t after = is->raw[is->lead + i];

		if (!ptebatch_entry_present(&was->row.entries[i]) ||
		    test_bit(i, was->huge))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test,
				      pte_same(pte_mkold(before), pte_mkold(after)),
				      "%s: entry %u was %#llx and is %#llx",
				      trial->who, i, (u64)pte_val(before),
				      (u64)pte_val(after));
	}
}

/* Of all who have mapped it and used it. */
static void expect_flags(const struct ptebatch_trial *trial,
			 const struct referenced_row *row,
			 const vma_flags_t *got)
{
	const struct ptebatch_place *place = &trial->space->places[0];
	vma_flags_t expected = EMPTY_VMA_FLAGS;

	if (row->references) {
		mmap_read_lock(place->mm);
		expected = vma_lookup(place->mm, place->start)->flags;
		mmap_read_unlock(place->mm);
		vma_flags_clear(&expected, VMA_LOCKED_BIT);
	}
	if (row->mlocked)
		vma_flags_set(&expected, VMA_LOCKED_BIT);
	KUNIT_EXPECT_TRUE_MSG(trial->test,
			      !memcmp(&expected, got, sizeof(expected)),
			      "%s tells wrong VMA flags", trial->who);
}

/* Each folio of the range. */
static int count_references(struct ptebatch_space *space,
			    referenced_t referenced, vma_flags_t *flags)
{
	const struct ptebatch_row *row = &space->row;
	s16 done = PTEBATCH_NO_FOLIO;
	int references = 0;
	unsigned int i;

	*flags = EMPTY_VMA_FLAGS;
	for (i = row->from; i < row->to; i++) {
		s16 nr = row->entries[i].folio;
		vma_flags_t more;

		if (nr == PTEBATCH_NO_FOLIO || nr == done)
			continue;
		done = nr;
		references += referenced(space->folios[nr],
					 folio_test_locked(space->folios[nr]),
					 NULL, &more);
		vma_flags_set_mask(flags, more);
	}
	/* Who was found mlocked is on its way to its list. */
	lru_add_drain_all();
	return references;
}

static struct ptebatch_trial *check(struct kunit *test, const char *who,
				    const struct referenced_row *row,
				    referenced_t referenced)
{
	const struct ptebatch_call call =
		ptebatch_setup_call(&row->setup, ptebatch_model_referenced,
				    row->setup.prot);
	struct ptebatch_trial *trial, *second;
	struct mm_struct *mm;
	struct asked *asked;
	vma_flags_t flags;
	int references;

	asked = kunit_kzalloc(test, sizeof(*asked), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, asked);
	trial = ptebatch_trial_begin(test, who, &row->setup);
	mm = trial->space->places[0].mm;
	asked->start = ptebatch_addr(trial->space, 0);
	if (row->elsewhere)
		asked->young = ptebatch_addr(trial->space, row->elsewhere - 1);
	KUNIT_ASSERT_EQ(test, 0, listen(asked, mm));
	references = count_references(trial->space, referenced, &flags);
	listen_no_more(asked, mm);
	ptebatch_trial_end(trial);

	KUNIT_EXPECT_EQ_MSG(test, references, row->references,
			    "rule 9: %s returns %d", who, references);
	expect_flags(trial, row, &flags);
	expect_asked(trial, asked, row, referenced != folio_referenced);
	expect_no_more(trial);
	ptebatch_trial_expect(trial, row->after);
	/* What is mlocked stays, which the model does not know. */
	if (!row->setup.mlocked)
		ptebatch_trial_model(trial, &call);
	if (!row->setup.twice)
		return trial;
	second = ptebatch_trial_second(trial, who);
	ptebatch_trial_expect(second, row->after);
	ptebatch_trial_model(second, &call);
	return trial;
}

static void check_row(struct kunit *test, const struct referenced_row *row)
{
	struct ptebatch_trial *kernel, *twin;

	if (row->elsewhere && !IS_ENABLED(CONFIG_MMU_NOTIFIER))
		kunit_skip(test, "no other page tables without CONFIG_MMU_NOTIFIER");
	kernel = check(test, "folio_referenced()", row, folio_referenced);
	if (ptebatch_failed(test))
		return;
	twin = check(test, "the twin", row, ptebatch_twin_folio_referenced);
	ptebatch_trial_same(kernel, twin);
}

static const struct referenced_row rows[] = {
	{ "64K folio", { "{Wdyx*16}", .prot = RW }, "{Wdx*16}", 1, 1 },
	{ "64K folio, old", { "{Wdx*16}", .prot = RW }, "{Wdx*16}", 0, 1 },
	{ "64K folio, shared", { "{Rdy*16}", .prot = RO }, "{Rd*16}", 1, 1 },
	{ "64K folio without access",
	  { "{Ndyx*16}" }, "{Ndx*16}", 1, 1 },
	{ "64K folio, lazyfree",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true }, "{Wx*16}", 1, 1 },
	{ "small folios",
	  { "Wdyx Wdx - Ryx", .prot = RW }, "Wdx Wdx - Rx", 2, 3 },

	/* Rule 1: whichever page it was. */
	{ "the first page young",
	  { "{Wdyx Wdx*15}", .prot = RW }, "{Wdx*16}", 1, 1 },
	{ "the last page young",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Wdx*16}", 1, 1 },
	{ "a page in the middle young",
	  { "{Wdx*7 Wdyx Wdx*8}", .prot = RW }, "{Wdx*16}", 1, 1 },
	{ "every other page young",
	  { "{Wdx Wdyx Wdx Wdyx Wdx Wdyx Wdx Wdyx}", .prot = RW },
	  "{Wdx*8}", 1, 1 },
	{ "the first page young elsewhere",
	  { "{Wdx*16}", .prot = RW }, "{Wdx*16}", 1, 1, .elsewhere = 1 },
	{ "the last page young elsewhere",
	  { "{Wdx*16}", .prot = RW }, "{Wdx*16}", 1, 1, .elsewhere = 16 },
	{ "young elsewhere, over the edge of a page table",
	  { "@-8 {Wdx*16}", .prot = RW }, "@-8 {Wdx*16}", 1, 2,
	  .elsewhere = 16 },

	/* All other bits stay. */
	{ "writable and read-only, clean and dirty pages",
	  { "{Wdyx*4 Wyx*4 Rdyx*4 Ry*4}", .prot = RW },
	  "{Wdx*4 Wx*4 Rdx*4 R*4}", 1, 1 },
	{ "pages without access among others",
	  { "{Wdyx*4 Ndyx*4 Wdyx*8}", .prot = RW },
	  "{Wdx*4 Ndx*4 Wdx*8}", 1, 3 },
	{ "soft-dirty pages while tracking",
	  { "{Wdysx*4 Wdyx*12}", .prot = RW, .track = true },
	  "{Wdsx*4 Wdx*12}", 1, 1 },
	{ "pages with uffd-wp",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true },
	  "{Rdux*4 Wdx*12}", 1, 2 },

	/* Rules 3 and 4. */
	{ "folio off its alignment",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 {Wdx*16}", 1, 1 },
	{ "over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdx*16}", 1, 2 },
	{ "young behind the edge of a page table only",
	  { "@-8 {Wdx*15 Wdyx}", .prot = RW }, "@-8 {Wdx*16}", 1, 2 },
	{ "2M folio over the edge of a page table",
	  { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Wdx*T}", 1, 2 },
	{ "folio mapped from its middle on",
	  { "{.*5 Wdyx*11}", .prot = RW }, "{.*5 Wdx*11}", 1, 1 },
	{ "folio mapped up to its middle",
	  { "{Wdyx*5 .*11} | Wdyx |", .prot = RW }, "{Wdyx*5 .*11} Wdx", 1, 1 },
	{ "holes in a folio",
	  { "{Wdyx*5 -*2 Wdyx*3 - Wdyx*5}", .prot = RW },
	  "{Wdx*5 -*2 Wdx*3 - Wdx*5}", 1, 3 },
	{ "young behind the holes only",
	  { "{Wdx*5 -*2 Wdx*3 - Wdx*4 Wdyx}", .prot = RW },
	  "{Wdx*5 -*2 Wdx*3 - Wdx*5}", 1, 3 },
	{ "a folio that is being migrated in part",
	  { "{Wdyx*5 Mx M Wdyx*9}", .prot = RW },
	  "{Wdx*5 Mx M Wdx*9}", 1, 2 },
	{ "one of three folios",
	  { "{Wdyx*16} | {Wdyx*16} | {Wdyx*16}", .prot = RW },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}", 1, 1 },
	{ "one of three folios physically side by side",
	  { "{Wdyx*16} | +{Wdyx*16} | +{Wdyx*16}", .prot = RW },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}", 1, 1 },
	{ "old beside young folios",
	  { "{Wdyx*16} | +{Wdx*16} | +{Wdyx*16}", .prot = RW },
	  "{Wdyx*16} {Wdx*16} {Wdyx*16}", 0, 1 },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdx*4} {Wdyx*32}", .prot = RW },
	  "Wdx {Wdx*2} {Wdx*4} {Wdx*32}", 3, 4 },

	/* Other mappings, and several. */
	{ "file", { "{Ry*16}", PTEBATCH_FILE, RO }, "{R*16}", 1, 1 },
	{ "shmem, part of a folio",
	  { "{.*3 Wdy*9 .*4}", PTEBATCH_SHMEM, RW }, "{.*3 Wd*9 .*4}", 1, 1 },
	{ "shmem mapped twice",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "{Wd*16}", 2, 2 },
	{ "shmem mapped twice, one page young",
	  { "{Wd*9 Wdy Wd*6}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wd*16}", 2, 2 },
	{ "private file, its own pages beside copies",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW },
	  "{R*8} {Wdx*8}", 2, 2 },
	{ "after a fork",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, "{Rd*16}", 1, 1 },

	/* Rule 21. */
	{ "locked into memory",
	  { "{Wdyx*16}", .prot = RW, .mlocked = true }, "{Wdyx*16}", 0, 0,
	  .mlocked = true },
	{ "small folio locked into memory",
	  { "Wdyx", .prot = RW, .mlocked = true }, "Wdyx", 0, 0,
	  .mlocked = true },
	{ "part of a folio locked into memory",
	  { "{Wdyx*8 .*8}", .prot = RW, .mlocked = true },
	  "{Wdyx*8 .*8}", 0, 0 },
	{ "locked into memory over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW, .mlocked = true },
	  "@-8 {Wdyx*16}", 0, 0 },
	{ "PMD locked into memory",
	  { "[Wdyx]", .prot = RW, .mlocked = true }, "[Wdyx]", 0, 0,
	  .mlocked = true },

	/* Rule 16. */
	{ "PMD", { "[Wdyx]", .prot = RW }, "[Wdx]", 1, 1 },
	{ "PMD, old", { "[Wdx]", .prot = RW }, "[Wdx]", 0, 1 },
	{ "PMD of shmem", { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Wd]", 1, 1 },
	{ "PMD, young elsewhere",
	  { "[Wdx]", .prot = RW }, "[Wdx]", 1, 1, .elsewhere = 300 },
	{ "2M folio mapped by page table entries",
	  { "{Wdx*300 Wdyx Wdx*211}", .prot = RW }, "{Wdx*512}", 1, 1 },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void referenced_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Every order of every kind, young in one page. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *young, *old;
} kinds[] = {
	{ "anonymous", { .prot = RW }, "Wdyx", "Wdx" },
	{ "of a file", { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy", "Wd" },
	{ "of shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy", "Wd" },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

static void check_page(struct kunit *test, const struct ptebatch_order *param,
		       unsigned int at)
{
	const struct kind *kind = &kinds[param->kind];
	unsigned int nr = 1U << param->order;
	char before[64], after[32];
	struct referenced_row *row;
	struct seq_buf out;

	if (ptebatch_failed(test))
		return;
	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	seq_buf_init(&out, before, sizeof(before));
	seq_buf_puts(&out, "{");
	if (at)
		seq_buf_printf(&out, "%s*%u ", kind->old, at);
	seq_buf_puts(&out, kind->young);
	if (at < nr - 1)
		seq_buf_printf(&out, " %s*%u", kind->old, nr - 1 - at);
	seq_buf_puts(&out, "}");
	snprintf(after, sizeof(after), "{%s*%u}", kind->old, nr);
	row->setup = kind->setup;
	row->setup.picture = seq_buf_str(&out);
	row->after = after;
	row->references = 1;
	row->batches = 1;
	check_row(test, row);
}

static void referenced_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	check_page(test, param, 0);
	if (nr > 1)
		check_page(test, param, nr - 1);
	if (nr > 2)
		check_page(test, param, nr / 2);
}

static struct kunit_case referenced_cases[] = {
	KUNIT_CASE_PARAM(referenced_row, rows_gen_params),
	KUNIT_CASE_PARAM(referenced_order, orders_gen_params),
	{}
};

static struct kunit_suite referenced_suite = {
	.name = "ptebatch_rmap_referenced",
	.suite_init = ptebatch_lru_gen_off,
	.suite_exit = ptebatch_lru_gen_as_before,
	.test_cases = referenced_cases,
};

kunit_test_suite(referenced_suite);
