// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include "../arch/arch.h"
#include "../row/rules.h"
#include "../space/refs.h"
#include "compare.h"

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

static bool entries_equal(const struct ptebatch_entry *a,
			  const struct ptebatch_entry *b)
{
	return a->kind == b->kind && a->flags == b->flags &&
	       a->folio == b->folio && a->page == b->page;
}

static bool entry_allowed(const struct ptebatch_trial *trial, unsigned int i,
			  const struct ptebatch_entry *expected)
{
	const struct ptebatch_row *from = ptebatch_trial_was(trial);
	const struct ptebatch_entry *was = &from->entries[i];
	const struct ptebatch_entry *got = &trial->after.row.entries[i];
	u16 spread;

	if (entries_equal(got, expected))
		return true;
	spread = ptebatch_model_spread(from, trial->after.row.first, i, true) |
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
 * @trial: the trial, stopped; its @differs is set to the entries that differ
 * @expected: the expected row; accessed and dirty may spread in addition
 *
 * Return: true if all entries are as expected.
 */
bool ptebatch_trial_allows(struct ptebatch_trial *trial,
			   const struct ptebatch_row *expected)
{
	unsigned int i;

	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < trial->after.row.nr; i++)
		if (!entry_allowed(trial, i, &expected->entries[i]))
			set_bit(i, trial->differs);
	return bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES);
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

static bool compare(struct ptebatch_trial *trial,
		    const struct ptebatch_row *expected, const char *what)
{
	const struct ptebatch_row *got = &trial->after.row;
	struct kunit *test = trial->test;
	unsigned int first, last, printed = 0;

	if (ptebatch_trial_allows(trial, expected))
		return true;
	KUNIT_FAIL(test, "%s leaves %s", trial->function, what);
	ptebatch_print_row(test, trial->first ? "first" : "before",
			   ptebatch_trial_was(trial), NULL);
	ptebatch_print_row(test, "expected", expected, trial->differs);
	ptebatch_print_row(test, "got", got, trial->differs);
	for (first = 0; first < got->nr; first = last + 1) {
		last = first;
		if (!test_bit(first, trial->differs))
			continue;
		if (printed++ == DIFFERENCES_PRINTED)
			break;
		while (last + 1 < got->nr && test_bit(last + 1, trial->differs) &&
		       differs_alike(expected, got, last))
			last++;
		print_difference(test, expected, got, first, last);
	}
	return false;
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

	counted = kunit_kmalloc(trial->test, sizeof(*counted), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, counted);
	number = kunit_kcalloc(trial->test, expected->nr_folios + 1,
			       sizeof(*number), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(trial->test, number);
	ptebatch_row_copy(counted, expected);
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

/*
 * Check that exactly the expected folios are split, new or on another node, and
 * that PMDs map the huge zero page in the expected page tables.
 */
static bool expect_shapes(const struct ptebatch_trial *trial,
			  const struct ptebatch_row *expected)
{
	const struct ptebatch_row *got = &trial->after.row;
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < got->nr_folios && !wrong; i++)
		wrong = wrong_shape(&expected->folios[i], &got->folios[i]);
	if (wrong)
		KUNIT_FAIL(trial->test, "%s: folio %u %s", trial->function, i - 1,
			   wrong);
	else if (expected->huge_zero != got->huge_zero)
		KUNIT_FAIL(trial->test, "%s: a PMD %s the huge zero page",
			   trial->function, expected->huge_zero & ~got->huge_zero ?
			   "does not map" : "maps");
	else
		return true;
	ptebatch_print_row(trial->test, "before", &trial->before.row, NULL);
	ptebatch_print_row(trial->test, "expected", expected, NULL);
	ptebatch_print_row(trial->test, "got", got, NULL);
	return false;
}

/**
 * ptebatch_picture() - parse the picture of a case
 * @test: the case; fails and ends if the picture is invalid
 * @picture: the picture
 *
 * Context: Process context, may sleep.
 * Return: the row, freed at the end of the case.
 */
struct ptebatch_row *ptebatch_picture(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, row);
	ptebatch_parse(test, row, picture);
	return row;
}

/**
 * ptebatch_trial_expect() - fail the case if the result differs from a picture
 * @trial: the trial, stopped
 * @picture: the expected row, whole
 *
 * Return: true if the result is as expected.
 */
bool ptebatch_trial_expect(struct ptebatch_trial *trial, const char *picture)
{
	struct ptebatch_row *expected = ptebatch_picture(trial->test, picture);
	bool same;

	KUNIT_ASSERT_EQ_MSG(trial->test, expected->nr, trial->after.row.nr,
			    "\"%s\": wrong number of entries, expected as before the operation",
			    picture);
	expected->from = trial->after.row.from;
	expected->to = trial->after.row.to;
	bitmap_copy(expected->vma_starts, trial->after.row.vma_starts,
		    PTEBATCH_ROW_ENTRIES);
	number_folios(trial, expected);
	same = compare(trial, expected, "entries that the rules do not allow") &&
	       expect_shapes(trial, expected);
	kunit_kfree(trial->test, expected);
	return same;
}

/**
 * ptebatch_trial_same() - rule 1: fail the case if the twin's result differs
 * @trial: trial of the kernel's function, stopped
 * @twin: trial of the twin on an equal address space, stopped
 *
 * Return: true if the results are the same at all places.
 */
bool ptebatch_trial_same(struct ptebatch_trial *trial,
			 const struct ptebatch_trial *twin)
{
	return compare(trial, &twin->after.row,
		       "entries that its twin does not leave: " PTEBATCH_RULE_TWIN) &&
	       (!trial->second || ptebatch_trial_same(trial->second, twin->second));
}

/**
 * ptebatch_trial_untouched() - fail the case if any entry or folio changed
 * @trial: the trial, stopped
 *
 * Return: true if none changed.
 */
bool ptebatch_trial_untouched(struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *before = &trial->before;
	const struct ptebatch_snapshot *after = &trial->after;
	unsigned int i;

	bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < before->row.nr; i++)
		if (!pte_same(before->raw[before->lead + i],
			      after->raw[after->lead + i]))
			set_bit(i, trial->differs);
	/* The folios of a second place are checked with the first. */
	if (bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES))
		return trial->first || expect_shapes(trial, &before->row);
	ptebatch_trial_print(trial, "changes entries, expected no change");
	return false;
}

/**
 * ptebatch_trial_halfway() - rule 20: fail the case unless an operation that
 * failed did the first entries and restored the rest
 * @trial: the trial, stopped
 * @done: picture of the row if the operation had not failed; %NULL: all entries
 *        none
 * @at: index of the entry that failed at the latest
 *
 * Return: true if at most the first @at entries are done, and the rest restored.
 */
bool ptebatch_trial_halfway(struct ptebatch_trial *trial, const char *done,
			    unsigned int at)
{
	const struct ptebatch_row *was = &trial->before.row;
	struct ptebatch_row *expected;
	unsigned int nr = 0;
	bool same;

	expected = ptebatch_picture(trial->test, done ?: "-");
	while (nr < was->nr &&
	       !ptebatch_entry_present(&trial->after.row.entries[nr]))
		nr++;
	memcpy(expected->entries + nr, was->entries + nr,
	       (was->nr - nr) * sizeof(was->entries[0]));
	same = ptebatch_trial_allows(trial, expected);
	if (!same)
		ptebatch_trial_print(trial, "leaves entries neither unmapped nor restored: "
				     PTEBATCH_RULE_HALFWAY);
	KUNIT_EXPECT_LE_MSG(trial->test, nr, at,
			    PTEBATCH_RULE_HALFWAY ": %s unmapped %u entries, expected at most %u",
			    trial->function, nr, at);
	kunit_kfree(trial->test, expected);
	return same && nr <= at;
}

/**
 * ptebatch_trial_expect_old() - fail the case unless entries are old as in a picture
 * @trial: the trial, stopped
 * @picture: the expected row, whole
 *
 * For operations that make entries old: ptebatch_trial_expect() lets accessed spread
 * over a batch.
 */
void ptebatch_trial_expect_old(const struct ptebatch_trial *trial, const char *picture)
{
	struct ptebatch_row *expected = ptebatch_picture(trial->test, picture);
	unsigned int i, wrong;

	for (i = 0, wrong = expected->nr; i < expected->nr; i++)
		if (trial->after.row.entries[i].flags & PTEBATCH_YOUNG &&
		    !(expected->entries[i].flags & PTEBATCH_YOUNG))
			wrong = min(wrong, i);
	KUNIT_EXPECT_EQ_MSG(trial->test, wrong, expected->nr, "entry %u stays young after %s",
			    wrong, trial->function);
	kunit_kfree(trial->test, expected);
}

/**
 * ptebatch_trial_expect_old_in() - fail the case unless old entries are old there
 * @trial: the trial, stopped
 * @entries: bitmap of the entries that became old elsewhere
 * @where: where, for the message
 */
void ptebatch_trial_expect_old_in(const struct ptebatch_trial *trial,
				  const unsigned long *entries, const char *where)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	for (i = 0; i < was->nr; i++)
		if (was->entries[i].flags & ~is->entries[i].flags & PTEBATCH_YOUNG)
			KUNIT_EXPECT_TRUE_MSG(trial->test, test_bit(i, entries),
					      "%s makes entry %u old, but not %s",
					      trial->function, i, where);
}
