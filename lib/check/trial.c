// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/slab.h>

#include "../arch/arch.h"
#include "../kernel/log.h"
#include "../space/blocks.h"
#include "../space/reacquire.h"
#include "../space/refs.h"
#include "../space/space.h"
#include "accounting.h"
#include "model.h"
#include "trial.h"

/* Longer pictures are cut off: a record of the kernel log has 1024 bytes. */
#define PICTURE_SIZE	840

static void destroy(void *data)
{
	struct ptebatch_trial *trial = data;

	ptebatch_flush_end(&trial->flush);
	kvfree(trial);
}

static void print_row(struct kunit *test, const char *what,
		      const struct ptebatch_row *row,
		      const unsigned long *differs)
{
	struct seq_buf out;
	char *text;

	text = kunit_kmalloc(test, PICTURE_SIZE, GFP_KERNEL);
	if (!text)
		return;
	seq_buf_init(&out, text, PICTURE_SIZE);
	ptebatch_row_print(&out, row, differs);
	kunit_err(test, "%-9s%s%s\n", what, seq_buf_str(&out),
		  seq_buf_has_overflowed(&out) ? " ..." : "");
}

static void print_before(const struct ptebatch_trial *trial)
{
	print_row(trial->test, trial->origin ? "moved" : "before",
		  ptebatch_trial_was(trial), NULL);
}

static void fail_with(const struct ptebatch_trial *trial, const char *rule,
		      struct seq_buf *out)
{
	KUNIT_FAIL(trial->test, "%s violates %s", trial->function, rule);
	print_row(trial->test, "before", &trial->before.row, NULL);
	print_row(trial->test, "after", &trial->after.row, NULL);
	ptebatch_print_lines(trial->test, out);
}

static bool set_up_as_drawn(const struct ptebatch_trial *trial)
{
	const struct ptebatch_row *drawn = &trial->space->row;
	unsigned int i;

	for (i = 0; i < drawn->nr; i++) {
		struct ptebatch_entry entry = trial->before.row.entries[i];

		entry.flags &= ~ptebatch_model_block(drawn, i) | drawn->entries[i].flags;
		if (memcmp(&entry, &drawn->entries[i], sizeof(entry)))
			return false;
	}
	return !memcmp(trial->before.row.folios, drawn->folios,
		       sizeof(drawn->folios));
}

static struct ptebatch_trial *alloc_trial(struct kunit *test, const char *function)
{
	struct ptebatch_trial *trial = kvzalloc_obj(*trial);

	KUNIT_ASSERT_NOT_NULL(test, trial);
	trial->test = test;
	trial->function = function;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, trial));
	return trial;
}

/**
 * ptebatch_trial_begin() - set up an address space for an operation
 * @test: the case
 * @function: name of the function under test, for messages
 * @setup: set-up of the address space
 *
 * Fails and ends the case if the page tables differ from the picture, or if the
 * accounting is inconsistent.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *function,
					    const struct ptebatch_setup *setup)
{
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[256];

	trial = alloc_trial(test, function);
	trial->space = ptebatch_space(test, setup);
	trial->place = &trial->space->places[0];
	ptebatch_snapshot(&trial->before, trial->space, trial->place);
	/* After fork() the pages are shared and write-protected. */
	if (!setup->twice && !set_up_as_drawn(trial)) {
		print_row(test, "drawn", &trial->space->row, NULL);
		print_row(test, "set up", &trial->before.row, NULL);
		KUNIT_FAIL_AND_ABORT(test, "the page tables were not set up as drawn");
	}
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_ASSERT_EQ_MSG(test, ptebatch_accounting_consistent(trial->space, &out), 1,
			    "rule 7 (accounting) violated before the operation: %s",
			    seq_buf_str(&out));
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_flush_begin(&trial->flush, trial->place));
	if (setup->lru)
		ptebatch_space_drop_refs(trial->space);
	return trial;
}

/**
 * ptebatch_trial_destination() - begin a trial of the destination of a move
 * @source: trial of the source, begun
 * @place: the destination
 *
 * The trial must be ended and released before @source.
 *
 * Context: Process context, may sleep.
 * Return: the trial of the destination, released at the end of the case.
 */
struct ptebatch_trial *
ptebatch_trial_destination(const struct ptebatch_trial *source,
			   const struct ptebatch_place *place)
{
	struct ptebatch_trial *destination = alloc_trial(source->test, source->function);

	destination->space = source->space;
	destination->origin = source;
	destination->place = place;
	ptebatch_snapshot(&destination->before, destination->space, place);
	KUNIT_ASSERT_EQ(destination->test, 0,
			ptebatch_flush_begin(&destination->flush, place));
	return destination;
}

/*
 * An entry that maps a wrong page is reported as a violation. Teardown would
 * unmap and free that page, which the space does not own, and crash the kernel:
 * restore the right page if the space still has a reference to it.
 */
static void restore_pages(struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *right =
		trial->origin ? &trial->origin->before : &trial->before;
	const struct ptebatch_row *row = &right->row;
	struct mm_struct *mm = trial->place->mm;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;
	pte_t *ptep;

	mmap_write_lock(mm);
	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *was = &row->entries[i];
		const struct ptebatch_entry *is = &trial->after.row.entries[i];
		unsigned long addr = trial->place->start + i * PAGE_SIZE;

		if (!ptebatch_entry_present(is) ||
		    trial->after.row.folios[is->folio].made ||
		    test_bit(i, trial->after.huge) ||
		    (is->folio == was->folio && is->page == was->page))
			continue;
		ptep = get_locked_pte(mm, addr, &ptl);
		if (!ptep)
			continue;
		ptep_get_and_clear(mm, addr, ptep);
		if (was->folio == PTEBATCH_NO_FOLIO ||
		    ptebatch_page_folio(trial->space, was->folio, was->page))
			set_pte_at(mm, addr, ptep, right->raw[right->lead + i]);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(mm);
}

/**
 * ptebatch_trial_stop() - take the snapshot after the operation
 * @trial: the trial
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_stop(struct ptebatch_trial *trial)
{
	unsigned int i;

	ptebatch_flush_end(&trial->flush);
	if (trial->space->setup.lru)
		KUNIT_ASSERT_EQ(trial->test, 0,
				ptebatch_space_reacquire_refs(trial->space));
	for (i = 0; i < trial->space->row.nr_folios; i++)
		KUNIT_EXPECT_FALSE_MSG(trial->test,
				       ptebatch_folio_leaked(trial->space, i),
				       "%s leaks folio %u: not mapped, but not free",
				       trial->function, i);
	ptebatch_snapshot(&trial->after, trial->space, trial->place);
	restore_pages(trial);
}

/**
 * ptebatch_trial_second() - take a snapshot of the second place
 * @trial: trial of the first place, ended
 * @function: name of the function under test, for messages on the second place
 *
 * @trial has checked the accounting of both places.
 *
 * Context: Process context, may sleep.
 * Return: a trial with the first place's snapshot before the operation and the
 * second place's snapshot after it, released at the end of the case.
 */
struct ptebatch_trial *ptebatch_trial_second(const struct ptebatch_trial *trial,
					     const char *function)
{
	struct ptebatch_trial *second = alloc_trial(trial->test, function);

	second->space = trial->space;
	second->place = &trial->space->places[1];
	second->before = trial->before;
	ptebatch_snapshot(&second->after, second->space, second->place);
	restore_pages(second);
	return second;
}

/**
 * ptebatch_trial_end() - stop a trial and check the rules for all operations
 * @trial: the trial
 *
 * Rules 4 (neighbours), 7 (accounting), 8 (TLB) and 25 (contpte blocks).
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_end(struct ptebatch_trial *trial)
{
	struct seq_buf out;
	char text[512];
	int balance;

	ptebatch_trial_stop(trial);

	seq_buf_init(&out, text, sizeof(text));
	if (!ptebatch_neighbours_same(&trial->before, &trial->after, &out))
		fail_with(trial, "rule 4 (neighbours)", &out);

	seq_buf_clear(&out);
	balance = ptebatch_accounting_consistent(trial->space, &out);
	KUNIT_ASSERT_GE(trial->test, balance, 0);
	if (!balance)
		fail_with(trial, "rule 7 (accounting)", &out);

	seq_buf_clear(&out);
	if (!ptebatch_flush_covers(&trial->flush, &trial->before.row,
				   &trial->after.row, &out))
		fail_with(trial, "rule 8 (TLB)", &out);

	if (!ptebatch_blocks_consistent(trial->space, trial->function)) {
		print_row(trial->test, "before", &trial->before.row, NULL);
		print_row(trial->test, "after", &trial->after.row, NULL);
	}
}

/**
 * ptebatch_trial_print() - fail the case and print the trial's rows
 * @trial: the trial, stopped or ended
 * @wrong: description of the failure
 * @differs: bitmap of the entries to mark as wrong
 */
void ptebatch_trial_print(const struct ptebatch_trial *trial, const char *wrong,
			  const unsigned long *differs)
{
	KUNIT_FAIL(trial->test, "%s: %s", trial->function, wrong);
	print_before(trial);
	print_row(trial->test, "after", &trial->after.row, differs);
}

/**
 * ptebatch_trial_release() - release a trial before the end of the case
 * @trial: the trial, stopped or ended
 *
 * Context: Process context, may sleep.
 */
void ptebatch_trial_release(struct ptebatch_trial *trial)
{
	if (!trial->origin)
		ptebatch_space_release(trial->space);
	kunit_release_action(trial->test, destroy, trial);
}

/*
 * Rule 5: an entry that became dirty by spreading needs no write notification,
 * and so may be writable.
 */
static bool writable_by_dirty(const struct ptebatch_entry *writable,
			      const struct ptebatch_entry *readable)
{
	return writable->kind == PTEBATCH_WRITABLE &&
	       readable->kind == PTEBATCH_READABLE &&
	       writable->flags & ~readable->flags & PTEBATCH_DIRTY;
}

static bool entry_allowed(const struct ptebatch_trial *trial, unsigned int i,
			  const struct ptebatch_entry *expected)
{
	const struct ptebatch_row *from = ptebatch_trial_was(trial);
	const struct ptebatch_entry *was = &from->entries[i];
	const struct ptebatch_entry *got = &trial->after.row.entries[i];
	u8 spread = ptebatch_model_spread_to(from, trial->after.row.first, i) |
		    PTEBATCH_PROT_YOUNG;

	if (got->folio != expected->folio || got->page != expected->page)
		return false;
	if (got->flags & ~expected->flags & ~spread)
		return false;
	/* In the twin, the flags may have spread further than in the kernel. */
	if (expected->flags & ~got->flags & ~(spread & ~was->flags))
		return false;
	return got->kind == expected->kind ||
	       (ptebatch_shared(trial->space->setup.mapping) &&
		(writable_by_dirty(got, expected) ||
		 writable_by_dirty(expected, got)));
}

/**
 * ptebatch_trial_allows() - rule 1: compare the result with the expected row
 * @trial: the trial, stopped or ended
 * @expected: the expected row; accessed and dirty may spread in addition
 * @differs: bitmap of PTEBATCH_ROW_ENTRIES, set to the entries that differ
 *
 * Return: true if all entries are as expected.
 */
bool ptebatch_trial_allows(const struct ptebatch_trial *trial,
			   const struct ptebatch_row *expected,
			   unsigned long *differs)
{
	unsigned int i;

	bitmap_zero(differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < trial->after.row.nr; i++)
		if (!entry_allowed(trial, i, &expected->entries[i]))
			set_bit(i, differs);
	return bitmap_empty(differs, PTEBATCH_ROW_ENTRIES);
}

/* Does entry @i + 1 differ from its expected entry just as entry @i does? */
static bool differs_alike(const struct ptebatch_row *expected,
			  const struct ptebatch_row *got, unsigned int i)
{
	const struct ptebatch_entry *exp = &expected->entries[i];
	const struct ptebatch_entry *act = &got->entries[i];

	return exp[1].kind == exp->kind && exp[1].flags == exp->flags &&
	       act[1].kind == act->kind && act[1].flags == act->flags &&
	       exp[1].folio == exp->folio && act[1].folio == act->folio &&
	       (act->folio == PTEBATCH_NO_FOLIO ||
		act[1].page - exp[1].page == act->page - exp->page);
}

static void print_difference(struct kunit *test,
			     const struct ptebatch_row *expected,
			     const struct ptebatch_row *got, unsigned int first,
			     unsigned int last)
{
	const struct ptebatch_entry *exp = &expected->entries[first];
	const struct ptebatch_entry *act = &got->entries[first];
	struct seq_buf out;
	char text[128];

	seq_buf_init(&out, text, sizeof(text));
	if (first == last)
		seq_buf_printf(&out, "entry %u: expected ", first);
	else
		seq_buf_printf(&out, "entries %u to %u: expected ", first, last);
	ptebatch_entry_print(&out, exp);
	seq_buf_puts(&out, ", got ");
	ptebatch_entry_print(&out, act);
	if (act->folio != PTEBATCH_NO_FOLIO && act->folio != exp->folio)
		seq_buf_puts(&out, " of another folio");
	else if (act->folio != PTEBATCH_NO_FOLIO && act->page != exp->page)
		seq_buf_printf(&out, " of page %u, not %u", act->page,
			       exp->page);
	kunit_err(test, "%s\n", seq_buf_str(&out));
}

/* The picture marks all differences. */
#define DIFFERENCES_PRINTED	8

static bool compare(const struct ptebatch_trial *trial,
		    const struct ptebatch_row *expected, const char *what)
{
	const struct ptebatch_row *got = &trial->after.row;
	struct kunit *test = trial->test;
	unsigned int first, last, printed = 0;
	unsigned long *differs;
	bool same;

	differs = kunit_kcalloc(test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, differs);
	same = ptebatch_trial_allows(trial, expected, differs);
	if (same)
		goto out;

	KUNIT_FAIL(test, "%s leaves %s", trial->function, what);
	print_before(trial);
	print_row(test, "expected", expected, differs);
	print_row(test, "got", got, differs);
	for (first = 0; first < got->nr; first = last + 1) {
		last = first;
		if (!test_bit(first, differs))
			continue;
		if (printed++ == DIFFERENCES_PRINTED)
			break;
		while (last + 1 < got->nr && test_bit(last + 1, differs) &&
		       differs_alike(expected, got, last))
			last++;
		print_difference(test, expected, got, first, last);
	}
out:
	kunit_kfree(test, differs);
	return same;
}

static unsigned int nr_drawn(const struct ptebatch_row *row)
{
	unsigned int nr = row->nr_folios;

	while (nr && row->folios[nr - 1].made)
		nr--;
	return nr;
}

/*
 * Change the folio numbers of a parsed picture to those of the space: freed
 * folios, which the picture does not show, keep their numbers, and new folios
 * follow all drawn folios.
 */
static void number_folios(const struct ptebatch_trial *trial,
			  struct ptebatch_row *expected)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i, drawn = 0, made = nr_drawn(&space->row);
	struct ptebatch_row *counted;
	s16 *number;

	counted = kunit_kzalloc(trial->test, sizeof(*counted), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, counted);
	number = kunit_kcalloc(trial->test, expected->nr_folios + 1,
			       sizeof(*number), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, number);
	*counted = *expected;
	memset(expected->folios, 0, sizeof(expected->folios));
	for (i = 0; i < counted->nr_folios; i++) {
		while (!counted->folios[i].made && drawn < space->row.nr_folios &&
		       ptebatch_folio_gone(space, drawn))
			drawn++;
		number[i] = counted->folios[i].made ? made++ : drawn++;
		KUNIT_ASSERT_LT_MSG(trial->test, number[i],
				    ARRAY_SIZE(expected->folios),
				    "the expected row has too many folios");
		expected->folios[number[i]] = counted->folios[i];
	}
	for (i = 0; i < expected->nr; i++)
		if (expected->entries[i].folio != PTEBATCH_NO_FOLIO)
			expected->entries[i].folio =
				number[expected->entries[i].folio];
	kunit_kfree(trial->test, number);
	kunit_kfree(trial->test, counted);
}

/* Returns how a folio differs from the expected one, %NULL if it does not. */
static const char *wrong_shape(const struct ptebatch_shape *expected,
			       const struct ptebatch_shape *got)
{
	if (expected->split != got->split)
		return got->split ? "was split" : "was not split";
	if (expected->pmd != got->pmd)
		return got->pmd ? "is mapped by a PMD" : "is not mapped by a PMD";
	if (expected->made != got->made)
		return got->made ? "is new" : "is not new";
	if (expected->made && expected->order != got->order)
		return "is new, with the wrong order";
	if (expected->node && expected->node != got->node)
		return "is on the wrong node";
	return NULL;
}

/* Check that exactly the expected folios are split, new or on another node. */
static void expect_shapes(const struct ptebatch_trial *trial,
			  const struct ptebatch_row *expected)
{
	const struct ptebatch_row *got = &trial->after.row;
	unsigned int i;

	for (i = 0; i < got->nr_folios; i++) {
		const char *wrong = wrong_shape(&expected->folios[i],
						&got->folios[i]);

		if (!wrong)
			continue;
		KUNIT_FAIL(trial->test, "%s: folio %u %s", trial->function, i, wrong);
		print_row(trial->test, "before", &trial->before.row, NULL);
		print_row(trial->test, "expected", expected, NULL);
		print_row(trial->test, "got", got, NULL);
		return;
	}
}

/**
 * ptebatch_trial_expect() - fail the case if the result differs from a picture
 * @trial: the trial, ended
 * @picture: the expected row, whole
 */
void ptebatch_trial_expect(const struct ptebatch_trial *trial,
			   const char *picture)
{
	struct ptebatch_row *expected;
	const char *error;
	int at;

	expected = kunit_kzalloc(trial->test, sizeof(*expected), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, expected);
	at = ptebatch_row_parse(expected, picture, &error);
	if (at)
		KUNIT_FAIL_AND_ABORT(trial->test,
				     "%s, at character %d of \"%s\"", error,
				     -at, picture);
	KUNIT_ASSERT_EQ_MSG(trial->test, expected->nr, trial->before.row.nr,
			    "\"%s\": wrong number of entries, expected as before the operation",
			    picture);
	expected->from = trial->before.row.from;
	expected->to = trial->before.row.to;
	number_folios(trial, expected);
	if (compare(trial, expected, "entries that the rules do not allow"))
		expect_shapes(trial, expected);
	kunit_kfree(trial->test, expected);
}

/**
 * ptebatch_trial_model() - fail the case if the model does not allow the result
 * @trial: the trial, ended
 * @call: the operation
 */
void ptebatch_trial_model(const struct ptebatch_trial *trial,
			  const struct ptebatch_call *call)
{
	unsigned long *differs;

	differs = kunit_kcalloc(trial->test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, differs);
	if (!ptebatch_model_row(call, ptebatch_trial_was(trial),
				&trial->after.row, differs))
		ptebatch_trial_print(trial, "entries not allowed by the model", differs);
	kunit_kfree(trial->test, differs);
}

/**
 * ptebatch_trial_same() - rule 1: fail the case if the twin's result differs
 * @trial: trial of the kernel's function, ended
 * @twin: trial of the twin on an equal address space, ended
 */
void ptebatch_trial_same(const struct ptebatch_trial *trial,
			 const struct ptebatch_trial *twin)
{
	compare(trial, &twin->after.row,
		"entries that its twin does not leave: rule 1 (same as one by one)");
}

/**
 * ptebatch_trial_untouched() - fail the case if any entry or folio changed
 * @trial: the trial, ended
 */
void ptebatch_trial_untouched(const struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *before = &trial->before;
	const struct ptebatch_snapshot *after = &trial->after;
	unsigned long *differs;
	unsigned int i;

	differs = kunit_kcalloc(trial->test, BITS_TO_LONGS(PTEBATCH_ROW_ENTRIES),
				sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, differs);
	for (i = 0; i < before->row.nr; i++)
		if (!pte_same(before->raw[before->lead + i],
			      after->raw[after->lead + i]))
			set_bit(i, differs);
	if (!bitmap_empty(differs, PTEBATCH_ROW_ENTRIES))
		ptebatch_trial_print(trial, "changes entries, expected no change",
				     differs);
	else
		expect_shapes(trial, &before->row);
	kunit_kfree(trial->test, differs);
}

/**
 * ptebatch_trial_on_lists() - check that mapped folios are unlocked and on LRU
 * lists
 * @trial: the trial, ended; its folios were unlocked and on LRU lists
 *
 * The operation must put back each folio that it isolates from the LRU.
 */
void ptebatch_trial_on_lists(const struct ptebatch_trial *trial)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_folio_intact(space, i) || !folio_mapped(folio))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test, folio_test_lru(folio),
				      "%s leaves folio %u, mapped, on no LRU list",
				      trial->function, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_locked(folio),
				       "%s leaves folio %u locked", trial->function, i);
	}
}
