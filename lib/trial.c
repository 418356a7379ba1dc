// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/slab.h>

#include "arch.h"
#include "books.h"
#include "hold.h"
#include "model.h"
#include "trial.h"

/* A line of the kernel's log takes this much, and few readers more. */
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
	KUNIT_FAIL(trial->test, "%s breaks %s", trial->who, rule);
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

static struct ptebatch_trial *alloc_trial(struct kunit *test, const char *who)
{
	struct ptebatch_trial *trial = kvzalloc_obj(*trial);

	KUNIT_ASSERT_NOT_NULL(test, trial);
	trial->test = test;
	trial->who = who;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, trial));
	return trial;
}

/**
 * ptebatch_trial_begin() - set the stage for an operation
 * @test: the case
 * @who: what will do it, as messages shall call it
 * @setup: the address space
 *
 * Fails the case if what was set up does not read back as it was drawn, or if
 * the books do not balance from the start.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the trial, which goes with the case.
 */
struct ptebatch_trial *ptebatch_trial_begin(struct kunit *test, const char *who,
					    const struct ptebatch_setup *setup)
{
	struct ptebatch_trial *trial;
	struct seq_buf out;
	char text[256];

	trial = alloc_trial(test, who);
	trial->space = ptebatch_space(test, setup);
	trial->place = &trial->space->places[0];
	ptebatch_snapshot(&trial->before, trial->space, trial->place);
	/* A fork shares and protects what was drawn. */
	if (!setup->twice && !set_up_as_drawn(trial)) {
		print_row(test, "drawn", &trial->space->row, NULL);
		print_row(test, "set up", &trial->before.row, NULL);
		KUNIT_FAIL_AND_ABORT(test, "not set up as drawn");
	}
	seq_buf_init(&out, text, sizeof(text));
	KUNIT_ASSERT_EQ_MSG(test, ptebatch_books_balance(trial->space, &out), 1,
			    "set up with books that do not balance: %s",
			    seq_buf_str(&out));
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_flush_begin(&trial->flush, trial->place));
	if (setup->lru)
		ptebatch_let_go(trial->space);
	return trial;
}

/**
 * ptebatch_trial_there() - look at another place of the same operation, too
 * @here: the trial of the place that the operation moves entries from, begun
 * @place: where it will move them to
 *
 * To be ended, and released, before @here.
 *
 * Context: Process context, may sleep.
 * Return: the trial of that place, which goes with the case.
 */
struct ptebatch_trial *
ptebatch_trial_there(const struct ptebatch_trial *here,
		     const struct ptebatch_place *place)
{
	struct ptebatch_trial *there = alloc_trial(here->test, here->who);

	there->space = here->space;
	there->origin = here;
	there->place = place;
	ptebatch_snapshot(&there->before, there->space, place);
	KUNIT_ASSERT_EQ(there->test, 0,
			ptebatch_flush_begin(&there->flush, place));
	return there;
}

/*
 * Whoever maps a page that is not the right one has broken a rule, and is told
 * so. Teardown would then unmap, and free, pages of someone else, and take the
 * kernel down with all other cases: put the right ones back, if they are still
 * ours.
 */
static void put_pages_back(struct ptebatch_trial *trial)
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
		    ptebatch_held(trial->space, was->folio, was->page))
			set_pte_at(mm, addr, ptep, right->raw[right->lead + i]);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(mm);
}

/**
 * ptebatch_trial_stop() - the operation is done: see what it has left
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
				ptebatch_take_back(trial->space));
	for (i = 0; i < trial->space->row.nr_folios; i++)
		KUNIT_EXPECT_FALSE_MSG(trial->test,
				       ptebatch_leaked(trial->space, i),
				       "folio %u is mapped nowhere and not free", i);
	ptebatch_snapshot(&trial->after, trial->space, trial->place);
	put_pages_back(trial);
}

/**
 * ptebatch_trial_second() - see what it has left at the second place
 * @trial: the trial, ended
 * @who: what did it, as messages shall call it there
 *
 * The books of both places are the business of @trial.
 *
 * Context: Process context, may sleep.
 * Return: a trial with the first place before as its own before, which goes
 * with the case.
 */
struct ptebatch_trial *ptebatch_trial_second(const struct ptebatch_trial *trial,
					     const char *who)
{
	struct ptebatch_trial *second = alloc_trial(trial->test, who);

	second->space = trial->space;
	second->place = &trial->space->places[1];
	second->before = trial->before;
	ptebatch_snapshot(&second->after, second->space, second->place);
	put_pages_back(second);
	return second;
}

/**
 * ptebatch_trial_end() - and check what holds for all operations
 * @trial: the trial
 *
 * Rules 4 (neighbours), 7 (books), 8 (TLB) and 25 (contpte blocks).
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
	balance = ptebatch_books_balance(trial->space, &out);
	KUNIT_ASSERT_GE(trial->test, balance, 0);
	if (!balance)
		fail_with(trial, "rule 7 (books)", &out);

	seq_buf_clear(&out);
	if (!ptebatch_flush_covers(&trial->flush, &trial->before.row,
				   &trial->after.row, &out))
		fail_with(trial, "rule 8 (TLB)", &out);

	if (!ptebatch_space_blocks_agree(trial->space, trial->who)) {
		print_row(trial->test, "before", &trial->before.row, NULL);
		print_row(trial->test, "after", &trial->after.row, NULL);
	}
}

/**
 * ptebatch_trial_print() - say what is wrong, and show it
 * @trial: the trial, stopped or ended
 * @wrong: what is
 * @differs: bitmap of the entries that are; fails the case
 */
void ptebatch_trial_print(const struct ptebatch_trial *trial, const char *wrong,
			  const unsigned long *differs)
{
	KUNIT_FAIL(trial->test, "%s: %s", trial->who, wrong);
	print_before(trial);
	print_row(trial->test, "after", &trial->after.row, differs);
}

/**
 * ptebatch_trial_release() - be done with a trial before the case is
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
 * Who gained dirty needs no write notification any more: rule 5 allows the
 * write then.
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
		    PTEBATCH_COMES_YOUNG;

	if (got->folio != expected->folio || got->page != expected->page)
		return false;
	if (got->flags & ~expected->flags & ~spread)
		return false;
	/* With the twin, it may have spread there and not here. */
	if (expected->flags & ~got->flags & ~(spread & ~was->flags))
		return false;
	return got->kind == expected->kind ||
	       (ptebatch_shared(trial->space->setup.mapping) &&
		(writable_by_dirty(got, expected) ||
		 writable_by_dirty(expected, got)));
}

/**
 * ptebatch_trial_allows() - rule 1: is what came out what was expected?
 * @trial: the trial, ended
 * @expected: what was expected; accessed and dirty may have spread since
 * @differs: bitmap of PTEBATCH_ROW_ENTRIES, gets the entries that are not
 *
 * Return: whether it is.
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

/* Does entry @i + 1 differ from what was expected just as entry @i does? */
static bool differs_alike(const struct ptebatch_row *expected,
			  const struct ptebatch_row *got, unsigned int i)
{
	const struct ptebatch_entry *want = &expected->entries[i];
	const struct ptebatch_entry *have = &got->entries[i];

	return want[1].kind == want->kind && want[1].flags == want->flags &&
	       have[1].kind == have->kind && have[1].flags == have->flags &&
	       want[1].folio == want->folio && have[1].folio == have->folio &&
	       (have->folio == PTEBATCH_NO_FOLIO ||
		have[1].page - want[1].page == have->page - want->page);
}

static void print_difference(struct kunit *test,
			     const struct ptebatch_row *expected,
			     const struct ptebatch_row *got, unsigned int first,
			     unsigned int last)
{
	const struct ptebatch_entry *want = &expected->entries[first];
	const struct ptebatch_entry *have = &got->entries[first];
	struct seq_buf out;
	char text[128];

	seq_buf_init(&out, text, sizeof(text));
	if (first == last)
		seq_buf_printf(&out, "entry %u: expected ", first);
	else
		seq_buf_printf(&out, "entries %u to %u: expected ", first, last);
	ptebatch_entry_print(&out, want);
	seq_buf_puts(&out, ", got ");
	ptebatch_entry_print(&out, have);
	if (have->folio != PTEBATCH_NO_FOLIO && have->folio != want->folio)
		seq_buf_puts(&out, " of another folio");
	else if (have->folio != PTEBATCH_NO_FOLIO && have->page != want->page)
		seq_buf_printf(&out, " of page %u, not %u", have->page,
			       want->page);
	kunit_err(test, "%s\n", seq_buf_str(&out));
}

/* The first few say it; the picture marks them all. */
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

	KUNIT_FAIL(test, "%s leaves what %s", trial->who, what);
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
 * A picture counts the folios that it shows, and not those that are gone; those
 * that were made come behind all others.
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
		       ptebatch_gone(space, drawn))
			drawn++;
		number[i] = counted->folios[i].made ? made++ : drawn++;
		KUNIT_ASSERT_LT_MSG(trial->test, number[i],
				    ARRAY_SIZE(expected->folios),
				    "too many folios expected");
		expected->folios[number[i]] = counted->folios[i];
	}
	for (i = 0; i < expected->nr; i++)
		if (expected->entries[i].folio != PTEBATCH_NO_FOLIO)
			expected->entries[i].folio =
				number[expected->entries[i].folio];
	kunit_kfree(trial->test, number);
	kunit_kfree(trial->test, counted);
}

/* What is wrong with a folio, %NULL if nothing is. */
static const char *wrong_shape(const struct ptebatch_shape *expected,
			       const struct ptebatch_shape *got)
{
	if (expected->split != got->split)
		return got->split ? "splits" : "does not split";
	if (expected->pmd != got->pmd)
		return got->pmd ? "maps by a PMD" : "does not map by a PMD";
	if (expected->made != got->made)
		return got->made ? "makes" : "does not make";
	if (expected->made && expected->order != got->order)
		return "makes of another order";
	if (expected->node && expected->node != got->node)
		return "leaves on the wrong node";
	return NULL;
}

/* Folios are split, made and moved as they must be, and only so. */
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
		KUNIT_FAIL(trial->test, "%s %s folio %u", trial->who, wrong, i);
		print_row(trial->test, "before", &trial->before.row, NULL);
		print_row(trial->test, "expected", expected, NULL);
		print_row(trial->test, "got", got, NULL);
		return;
	}
}

/**
 * ptebatch_trial_expect() - what came out must be as drawn
 * @trial: the trial, ended
 * @picture: the whole row as it shall be now
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
			    "\"%s\" has not as many entries as the row before",
			    picture);
	expected->from = trial->before.row.from;
	expected->to = trial->before.row.to;
	number_folios(trial, expected);
	if (compare(trial, expected, "the rules do not allow"))
		expect_shapes(trial, expected);
	kunit_kfree(trial->test, expected);
}

/**
 * ptebatch_trial_model() - what came out must be what the model allows
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
		ptebatch_trial_print(trial, "not what the model allows", differs);
	kunit_kfree(trial->test, differs);
}

/**
 * ptebatch_trial_same() - rule 1: what came out must be what the twin left
 * @trial: the trial, ended
 * @twin: the same operation on an address space like this one, done without
 *        batching, ended
 */
void ptebatch_trial_same(const struct ptebatch_trial *trial,
			 const struct ptebatch_trial *twin)
{
	compare(trial, &twin->after.row,
		"one entry at a time would not have left");
}

/**
 * ptebatch_trial_untouched() - no entry has changed, to the bit, nor a folio
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
		ptebatch_trial_print(trial, "changes entries, though it does nothing",
				     differs);
	else
		expect_shapes(trial, &before->row);
	kunit_kfree(trial->test, differs);
}

/**
 * ptebatch_trial_on_lists() - what is mapped is unlocked and on an LRU list
 * @trial: the trial, ended; its folios were on the lists, and none was locked
 *
 * Whoever isolates folios must put them back.
 */
void ptebatch_trial_on_lists(const struct ptebatch_trial *trial)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_held_whole(space, i) || !folio_mapped(folio))
			continue;
		KUNIT_EXPECT_TRUE_MSG(trial->test, folio_test_lru(folio),
				      "%s leaves folio %u on no LRU list",
				      trial->who, i);
		KUNIT_EXPECT_FALSE_MSG(trial->test, folio_test_locked(folio),
				       "%s leaves folio %u locked", trial->who, i);
	}
}
