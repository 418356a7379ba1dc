// SPDX-License-Identifier: GPL-2.0
/*
 * folio_pte_batch_flags() returns the number of PTEs in a batch. It is compared
 * with a reference that looks at one entry after the other (rule 3), with every
 * combination of FPB_* flags: for each first entry and each maximum in rows, and
 * for all triples of states.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/check/checks.h"
#include "../lib/check/states.h"
#include "../lib/row/rules.h"
#include "../lib/run/window.h"
#include "../lib/service/service.h"
#include "../lib/space/pte.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* fpb_t is not for arithmetic. */
#define FLAG(name)	((__force unsigned int)FPB_##name)
#define FLAGS_END	(FLAG(MERGE_YOUNG_DIRTY) << 1)

/* Does a batch of @first continue with its @nth entry, @next? */
static bool continues(const struct ptebatch_entry *first,
		      const struct ptebatch_entry *next, unsigned int nth,
		      unsigned int flags)
{
	u16 respected = PTEBATCH_UFFD;

	if (flags & FLAG(RESPECT_DIRTY))
		respected |= PTEBATCH_DIRTY;
	if (flags & FLAG(RESPECT_SOFT_DIRTY))
		respected |= PTEBATCH_SOFT_DIRTY;
	if (!ptebatch_entry_normal(next) || next->folio != first->folio ||
	    next->page != first->page + nth ||
	    (first->flags ^ next->flags) & respected)
		return false;
	if (first->kind == next->kind)
		return true;
	return !(flags & FLAG(RESPECT_WRITE)) &&
	       first->kind != PTEBATCH_PROTNONE && next->kind != PTEBATCH_PROTNONE;
}

/* Expected length of the batch; @merged is set to the expected first entry. */
static unsigned int expected_batch(const struct ptebatch_entry *entries,
				   unsigned int max_nr, unsigned int flags,
				   struct ptebatch_entry *merged)
{
	const u16 used = PTEBATCH_YOUNG | PTEBATCH_DIRTY;
	unsigned int nr = 1;

	*merged = entries[0];
	/* Without its dirty bit, it would look like a read-only PTE. */
	if (entries[0].kind == PTEBATCH_SHADOW_STACK && flags & FLAG(RESPECT_WRITE) &&
	    !(flags & FLAG(RESPECT_DIRTY)))
		return 1;
	while (nr < max_nr && continues(&entries[0], &entries[nr], nr, flags)) {
		if (flags & FLAG(MERGE_WRITE) &&
		    (entries[nr].kind == PTEBATCH_WRITABLE ||
		     entries[nr].kind == PTEBATCH_SHADOW_STACK))
			merged->kind = PTEBATCH_WRITABLE;
		if (flags & FLAG(MERGE_YOUNG_DIRTY))
			merged->flags |= entries[nr].flags & used;
		nr++;
	}
	/* On x86, pte_mkdirty() makes the caller's copy of such a PTE read-only. */
	if (merged->kind == PTEBATCH_SHADOW_STACK && nr > 1 &&
	    flags & FLAG(MERGE_YOUNG_DIRTY))
		merged->kind = PTEBATCH_READABLE;
	return nr;
}

/**
 * struct batch - a call of folio_pte_batch_flags()
 * @vma: the VMA
 * @folio: the folio of the first entry
 * @ptep: pointer to the first entry; the page table lock is held
 * @entries: the first entry and those behind it, as read from the page table
 * @nr: number of @entries; those behind them are none entries
 * @max_nr: maximum number of entries
 * @flags: FPB_*
 */
struct batch {
	struct vm_area_struct *vma;
	struct folio *folio;
	pte_t *ptep;
	const struct ptebatch_entry *entries;
	unsigned int nr;
	unsigned int max_nr;
	unsigned int flags;
};

/* Returns what is wrong, %NULL if nothing is; @got is the length of the batch. */
static const char *wrong_batch(const struct batch *batch, unsigned int *got)
{
	u16 ignored = PTEBATCH_EXCLUSIVE | PTEBATCH_LAZYFREE;
	struct ptebatch_entry expected, merged = {};
	pte_t pte = ptep_get(batch->ptep);
	unsigned int nr;

	nr = expected_batch(batch->entries, min(batch->max_nr, batch->nr), batch->flags,
			    &expected);
	if (!batch->flags) {
		*got = folio_pte_batch(batch->folio, batch->ptep, pte, batch->max_nr);
		if (*got != nr)
			return "folio_pte_batch() returns another number of entries";
	}
	*got = folio_pte_batch_flags(batch->folio, batch->vma, batch->ptep, &pte,
				     batch->max_nr, (__force fpb_t)batch->flags);
	if (*got != nr)
		return "folio_pte_batch_flags() returns another number of entries";
	ptebatch_pte_read(pte, &merged);
	if (merged.kind != expected.kind)
		return "write permission is not merged as expected";
	/*
	 * On x86, pte_mkdirty() also sets soft-dirty. It is the caller's copy of
	 * the PTE, which no caller writes to a page table.
	 */
	if (batch->flags & FLAG(MERGE_YOUNG_DIRTY))
		ignored |= PTEBATCH_SOFT_DIRTY;
	if ((merged.flags ^ expected.flags) & ~ignored)
		return "accessed, dirty or another flag is not merged as expected";
	return NULL;
}

static const struct batch_row {
	const char *name;
	struct ptebatch_setup setup;
} rows[] = {
	{ "64K folio: one batch", { "{Wdyx*16}", .prot = RW } },
	{ "64K folio, unaligned: one batch", { "@3 {Wdyx*16}", .prot = RW } },
	{ "2M folio: one batch", { "{Wdyx*T}", .prot = RW } },
	{ "64K folio, AnonExclusive alternates: one batch",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx*6 Rdy*6}", .prot = RO } },
	{ "64K folio, writable and read-only halves: split by FPB_RESPECT_WRITE",
	  { "{Wdyx*8 Rdyx*8}", .prot = RW } },
	/* On arm64 two contiguous blocks: pte_batch_hint() must not exceed the first. */
	{ "128K folio, writable and read-only halves: split by FPB_RESPECT_WRITE",
	  { "{Wdyx*16 Rdyx*16}", .prot = RW } },
	{ "64K folio, read-only and writable alternate: split by FPB_RESPECT_WRITE",
	  { "{Rdyx Wdyx Rdyx Wdyx Rdyx*4 Wdyx*8}", .prot = RW } },
	{ "64K folio, dirty and clean halves: split by FPB_RESPECT_DIRTY",
	  { "{Wdyx*8 Wyx*8}", .prot = RW } },
	{ "64K folio, only the last page dirty: split by FPB_RESPECT_DIRTY",
	  { "{Wyx*15 Wdyx}", .prot = RW } },
	{ "64K folio, young and old alternate: one batch",
	  { "{Wdyx Wdx Wdyx Wdx Wdyx*6 Wdx*6}", .prot = RW } },
	{ "64K folio, only the last page young and dirty: merged",
	  { "{Wx*15 Wdyx}", .prot = RW } },
	{ "64K folio, soft-dirty half: split by FPB_RESPECT_SOFT_DIRTY",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true } },
	{ "64K folio, soft-dirty half, only the last page dirty: merged",
	  { "{Rysx*8 Ryx*7 Rdyx}", .prot = RO, .track = true } },
	{ "64K folio, middle uffd-wp: split whatever the flags",
	  { "{Rdyx*6 Rdyux*4 Rdyx*6}", .prot = RW, .uffd = UFFD_WP } },
	{ "64K folio, middle PROT_NONE: split whatever the flags",
	  { "{Rdyx*6 Ndyx*4 Rdyx*6}", .prot = RO } },
	{ "64K folio of shadow-stack PTEs: no batch with FPB_RESPECT_WRITE alone",
	  { "{Cdyx*16}", .prot = RW } },
	{ "64K folio, none entries in the middle: batch ends there",
	  { "{Wdyx*5 -*3 Wdyx*8}", .prot = RW } },
	{ "64K folio, pages left out between adjacent PTEs: batch ends there",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW } },
	{ "16K folio, pages in the order 3, 1, 2, 0: batch of pages 1 and 2 only",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW } },
	{ "64K folio, quarters exchanged: batches end at the quarters",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW } },
	{ "64K folio, migration entries in the middle: batch ends there",
	  { "{Wdyx*6 Mw*2 Mx*2 Wdyx*6}", .prot = RW } },
	{ "two 64K folios: batch ends with the folio",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW } },
	{ "three physically adjacent 64K folios: batch ends with each folio",
	  { "{Wdyx*16} +{Wdyx*16} +{Wdyx*16}", .prot = RW } },
	{ "64K folio before physically adjacent small folios: batch ends with it",
	  { "{Wdyx*16} +Wdyx +Wdyx", .prot = RW } },
	{ "last 11 pages of a 64K folio, then another folio: batch ends with the folio",
	  { "{.*5 Wdyx*11} {Wdyx*4}", .prot = RW } },
	{ "64K shmem folio, dirty and clean pages: split by FPB_RESPECT_DIRTY",
	  { "{Wdy*4 Wy*12}", PTEBATCH_SHMEM, RW } },
	{ "64K file folio, read-only pages: split by FPB_RESPECT_WRITE",
	  { "{Wdy*4 Ry*4 Wdy*8}", PTEBATCH_FILE, RW } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

/* Longer batches, and those from later entries, are not tried in long rows. */
#define ENTRIES_TRIED	20

/* Try each limit and all flags; @left entries are left in the page table. */
static const char *try_batches(struct batch *batch, unsigned int left,
			       unsigned int *got)
{
	const char *wrong;

	for (batch->max_nr = 1; batch->max_nr <= left; batch->max_nr++) {
		if (batch->max_nr > ENTRIES_TRIED && batch->max_nr < left)
			continue;
		for (batch->flags = 0; batch->flags < FLAGS_END; batch->flags++) {
			wrong = wrong_batch(batch, got);
			if (wrong)
				return wrong;
		}
	}
	return NULL;
}

static void report(struct kunit *test, const char *wrong, const struct batch *batch,
		   unsigned int got, const struct ptebatch_row *row, unsigned int i)
{
	KUNIT_FAIL(test, PTEBATCH_RULE_END ": %s: got %u of at most %u, from entry %u, flags %#x",
		   wrong, got, batch->max_nr, i, batch->flags);
	ptebatch_print_row(test, "entries", row, NULL);
}

static void batch_row(struct kunit *test)
{
	const struct batch_row *param = test->param_value;
	const struct ptebatch_row *row;
	struct ptebatch_trial *trial;
	struct mm_struct *mm;
	const char *wrong = NULL;
	struct batch batch = {};
	spinlock_t *ptl;	/* of the page table */
	unsigned int i, got;

	trial = ptebatch_trial_begin(test, "no operation", &param->setup);
	row = &trial->before.row;
	mm = trial->place->mm;
	mmap_read_lock(mm);
	batch.vma = vma_lookup(mm, trial->place->start);
	for (i = 0; i < min(row->nr, ENTRIES_TRIED) && !wrong; i++) {
		batch.entries = &row->entries[i];
		batch.nr = row->nr - i;
		/* Callers pass a present entry of a large folio. */
		if (!ptebatch_entry_normal(batch.entries) ||
		    !row->folios[batch.entries->folio].order)
			continue;
		batch.folio = trial->space->folios[batch.entries->folio];
		batch.ptep = get_locked_pte(mm, ptebatch_addr(trial->space, i), &ptl);
		if (!batch.ptep)
			break;
		/* The two entries behind the row are none entries. */
		wrong = try_batches(&batch, min(row->nr + 2 - i,
						(unsigned int)PTRS_PER_PTE - row->first - i),
				    &got);
		pte_unmap_unlock(batch.ptep, ptl);
	}
	mmap_read_unlock(mm);
	if (wrong)
		report(test, wrong, &batch, got, row, i - 1);
	KUNIT_EXPECT_TRUE_MSG(test, wrong || i == min(row->nr, ENTRIES_TRIED),
			      "no page table for entry %u", i);
}

/* All triples of states in the middle of a folio, with all flags. */

static const struct ptebatch_setup memories[] = {
	{ "{Wdyx*16}", .prot = RW },
	{ "{Wdyx*16}", .prot = RW, .track = true },
	{ "{Wdyx*16}", .prot = RW, .uffd = UFFD_WP },
	{ "{Wdy*16}", PTEBATCH_SHMEM, RW },
};

static void describe_memory(const struct ptebatch_setup *setup, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s%s%s, all triples of states: as one entry after the other",
		 setup->mapping == PTEBATCH_ANON ? "anonymous" : "shmem",
		 setup->track ? ", soft-dirty tracked" : "",
		 setup->uffd & UFFD_WP ? ", uffd-wp" : "");
}

KUNIT_ARRAY_PARAM(memories, memories, describe_memory);

/* A sample of the triples; the number shares no factor with a number of states. */
#define SAMPLE	13

static void set_states(struct ptebatch_window *window,
		       const struct ptebatch_states *states, unsigned int triple)
{
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++, triple /= states->nr)
		ptebatch_window_state(window, i, &states->state[triple % states->nr]);
}

static void batch_states(struct kunit *test)
{
	const struct ptebatch_setup *setup = test->param_value;
	const struct ptebatch_call call = ptebatch_setup_call(setup, NULL, RW);
	struct ptebatch_states *states;
	struct ptebatch_window *window;
	struct batch batch = {};
	unsigned int triple, got;
	const char *wrong = NULL;

	states = kunit_kzalloc(test, sizeof(*states), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, states);
	ptebatch_states(states, &call);
	window = ptebatch_window(ptebatch_space(test, setup), 5, &call);
	batch.entries = window->trial->after.row.entries;
	batch.nr = PTEBATCH_WINDOW_ENTRIES;
	batch.folio = window->space->folios[0];
	batch.ptep = window->pte[0];
	for (triple = 0; triple < states->nr * states->nr * states->nr && !wrong;
	     triple += SAMPLE) {
		set_states(window, states, triple);
		if (!ptebatch_entry_normal(&window->row->entries[0]))
			continue;
		ptebatch_window_set(window);
		ptebatch_window_get(window);
		mmap_read_lock(window->place.mm);
		batch.vma = vma_lookup(window->place.mm, window->place.start);
		spin_lock(window->ptl[0]);
		wrong = try_batches(&batch, PTEBATCH_WINDOW_ENTRIES, &got);
		spin_unlock(window->ptl[0]);
		mmap_read_unlock(window->place.mm);
	}
	if (wrong)
		report(test, wrong, &batch, got, &window->trial->after.row, 0);
}

static struct kunit_case util_cases[] = {
	KUNIT_CASE_PARAM(batch_row, rows_gen_params),
	KUNIT_CASE_PARAM(batch_states, memories_gen_params),
	{}
};

PTEBATCH_SUITE(util, util_cases);
