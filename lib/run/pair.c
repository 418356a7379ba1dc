// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../check/checks.h"
#include "../check/contents.h"
#include "../check/unused.h"
#include "../kernel/kcsan.h"
#include "../op/op.h"
#include "../op/step.h"
#include "../service/anon_orders.h"
#include "../space/pte.h"
#include "../space/refs.h"
#include "pair.h"
#include "program.h"

static const char * const order_names[] = {
	[PTEBATCH_FIRST_ALONE] = "first",
	[PTEBATCH_SECOND_ALONE] = "second",
	[PTEBATCH_FIRST_THEN_SECOND] = "1, 2",
	[PTEBATCH_SECOND_THEN_FIRST] = "2, 1",
	[PTEBATCH_INTERLEAVED] = "got",
};

/* What @nr, a number of a step, writes to page @i. */
static u32 value_of(unsigned int nr, unsigned int i)
{
	return (nr + 1) << 16 | i;
}

/* One page or more; the first error ends it, as it ends a system call. */
static long access_in_step(struct ptebatch_space *space, const struct ptebatch_step *step,
			   unsigned int nr)
{
	unsigned int i, to = step->to ?: space->row.nr;
	struct mm_struct *mm = space->places[0].mm;
	long err = 0;

	kthread_use_mm(mm);
	for (i = step->from; i < to && !err; i++) {
		u32 __user *at = (u32 __user *)ptebatch_addr(space, i);
		u32 value = value_of(nr, i);

		err = ptebatch_step_writes(step->kind) ? put_user(value, at) : get_user(value, at);
	}
	kthread_unuse_mm(mm);
	return err;
}

static bool uffd_moves(const struct ptebatch_step *step)
{
	return step->kind == PTEBATCH_STEP_UFFD_MOVE;
}

static bool moves(const struct ptebatch_step *step)
{
	return uffd_moves(step) || step->kind == PTEBATCH_STEP_MOVE_DONTUNMAP;
}

/* A move of a program takes the row with it; here the other step gets the old place. */
static const struct ptebatch_op *step_op(const struct ptebatch_step *step)
{
	return uffd_moves(step) ? &ptebatch_uffd_move_range :
	       moves(step) ? &ptebatch_move_entries : ptebatch_step_op(step->kind);
}

static bool forks(const struct ptebatch_step *step)
{
	return step->kind == PTEBATCH_STEP_FORK;
}

static long take_one(struct ptebatch_space *space, const struct ptebatch_step *step,
		     unsigned int nr)
{
	const struct ptebatch_op *op = step_op(step);
	long ret;

	/* As the entry code does. */
	do {
		ret = op ? op->call(op, space, false) : access_in_step(space, step, nr);
	} while (ret == -ERESTARTNOINTR);
	return ret;
}

static long take_second(void *data)
{
	struct ptebatch_pair *pair = data;

	return take_one(pair->space, &pair->parsed[1], 1);
}

static void look(struct ptebatch_pair *pair, enum ptebatch_pair_moment moment)
{
	ptebatch_snapshot_unlocked(&pair->moments[moment], pair->space, &pair->space->places[0]);
}

static void pause_here(void *data)
{
	struct ptebatch_pair *pair = data;

	look(pair, PTEBATCH_FIRST_PAUSES);
	ptebatch_pause_at(&pair->pause, PTEBATCH_CHOSEN);
	look(pair, PTEBATCH_FIRST_GOES_ON);
}

static void end_trial(struct ptebatch_trial *trial, struct ptebatch_outcome *outcome)
{
	const struct ptebatch_trial *wrong;

	if (ptebatch_trial_end(trial))
		return;
	outcome->passes = false;
	wrong = trial->violated ? trial : trial->second;
	kunit_err(trial->test, "%s violates %s\n%s", trial->function, wrong->violated,
		  wrong->report);
}

static struct ptebatch_trial *begin_trial(struct kunit *test, struct ptebatch_space *space,
					  const char *name, const struct ptebatch_place *second)
{
	struct ptebatch_trial *trial;

	space->row.from = 0;
	space->row.to = space->row.nr;
	trial = ptebatch_trial_next(test, name, space);
	trial->quiet = true;
	if (second)
		ptebatch_trial_second(trial, second);
	return trial;
}

static vm_flags_t step_vma_flags(const struct ptebatch_step *step)
{
	return ptebatch_op_vma_flags(step_op(step));
}

/* The steps before the two. */
static void prepare(struct ptebatch_pair *pair)
{
	struct ptebatch_program program = {};
	struct kunit *test = pair->test;
	struct ptebatch_trial *trial;
	const char *error;
	unsigned int i;

	ptebatch_pages_fill(pair->space);
	if (pair->row->before)
		KUNIT_ASSERT_EQ_MSG(test, 0,
				    ptebatch_program_parse(&program, pair->row->before, &error),
				    "%s: %s", pair->row->before, error);
	for (i = 0; i < program.nr; i++) {
		const struct ptebatch_step *step = &program.steps[i];

		trial = begin_trial(test, pair->space, "the steps before",
				    forks(step) ? &pair->space->places[1] : NULL);
		trial->call.vma_flags = step_vma_flags(step);
		trial->returned = take_one(pair->space, step, i + 2);
		KUNIT_ASSERT_EQ(test, 0, trial->returned);
		KUNIT_ASSERT_TRUE(test, ptebatch_trial_end(trial));
		ptebatch_trial_free(trial);
	}
}

/* How often the first step has reached each instruction, without a pause. */
static void count_reached(struct ptebatch_pair *pair)
{
	unsigned int i;

	for (i = 0; i < pair->instructions.nr; i++)
		pair->reached[i] = ptebatch_instruction_reached(&pair->instructions, i);
}

/* Not one that is freed with its page table, which a step may do. */
static spinlock_t *entry_lock(const struct ptebatch_space *space)
{
	return ALLOC_SPLIT_PTLOCKS ? NULL :
	       ptebatch_entry_lock(space->places[0].mm, ptebatch_addr(space, 0));
}

static bool faults_large(const struct ptebatch_step *step)
{
	return step->kind == PTEBATCH_STEP_THP_WRITE || step->kind == PTEBATCH_STEP_THP_READ;
}

/* The orders are those of the process, and so of both steps. */
static void permit_large(const struct ptebatch_pair *pair, bool permit)
{
	const struct ptebatch_anon_orders orders = {
		.always = ptebatch_row_orders(&pair->space->row),
	};
	struct mm_struct *mm = pair->space->places[0].mm;

	if (!faults_large(&pair->parsed[0]) && !faults_large(&pair->parsed[1]))
		return;
	if (permit)
		ptebatch_anon_orders_begin(mm, &orders);
	else
		ptebatch_anon_orders_end(mm);
}

/* The second step runs on its CPU in any order: a NUMA hint fault depends on the node. */
static void begin_pause(struct ptebatch_pair *pair, enum ptebatch_point point,
			enum ptebatch_pause_until until)
{
	int err;

	pair->pause = (struct ptebatch_pause) {
		.point = point, .until = until, .work = take_second, .data = pair,
		.ptl = entry_lock(pair->space),
	};
	err = ptebatch_pause_begin(&pair->pause);
	if (err)
		permit_large(pair, false);
	KUNIT_ASSERT_EQ(pair->test, 0, err);
	pair->paused = true;
}

static long take_first(struct ptebatch_pair *pair)
{
	long ret;

	if (pair->watches)
		ptebatch_kcsan_watch_each(true);
	ret = take_one(pair->space, &pair->parsed[0], 0);
	if (pair->watches)
		ptebatch_kcsan_watch_each(false);
	return ret;
}

/* At instruction @at, after the first step has reached it @times times. */
static void run_steps(struct ptebatch_pair *pair, enum ptebatch_pair_order order, unsigned int at,
		      unsigned int times)
{
	struct ptebatch_outcome *outcome = &pair->outcomes[order];

	switch (order) {
	case PTEBATCH_FIRST_ALONE:
		outcome->ret[0] = take_one(pair->space, &pair->parsed[0], 0);
		return;
	case PTEBATCH_FIRST_THEN_SECOND:
		begin_pause(pair, PTEBATCH_RETURNED, PTEBATCH_UNTIL_DONE);
		ptebatch_instructions_pass(&pair->instructions, pair->instructions.nr, 0);
		break;
	case PTEBATCH_SECOND_ALONE:
	case PTEBATCH_SECOND_THEN_FIRST:
		begin_pause(pair, PTEBATCH_CHOSEN, PTEBATCH_UNTIL_DONE);
		ptebatch_pause_at(&pair->pause, PTEBATCH_CHOSEN);
		break;
	default:
		look(pair, PTEBATCH_BEFORE_BOTH);
		begin_pause(pair, PTEBATCH_CHOSEN, PTEBATCH_UNTIL_BLOCKED);
		ptebatch_instructions_pass(&pair->instructions, at, times);
	}
	if (order != PTEBATCH_SECOND_ALONE)
		outcome->ret[0] = take_first(pair);
	ptebatch_instructions_stop(&pair->instructions);
	if (order == PTEBATCH_FIRST_THEN_SECOND && pair->instructions.only < 0)
		count_reached(pair);
	if (order == PTEBATCH_INTERLEAVED) {
		pair->tried += pair->pause.reached;
		pair->finished += pair->pause.finished;
	}
	/* What the first step calls may depend on other tasks: then the second one follows it. */
	ptebatch_pause_at(&pair->pause, PTEBATCH_CHOSEN);
	ptebatch_pause_end(&pair->pause);
	pair->paused = false;
	outcome->ret[1] = pair->pause.result;
}

/* The child that a step makes, the destination of one, also where it does not run; or %NULL. */
static const struct ptebatch_place *second_place(const struct ptebatch_pair *pair,
						 enum ptebatch_pair_order order)
{
	const struct ptebatch_place *to;

	if (moves(&pair->parsed[0]) || moves(&pair->parsed[1])) {
		to = ptebatch_space_add_place(pair->space, pair->space->row.first);
		if (uffd_moves(&pair->parsed[0]) || uffd_moves(&pair->parsed[1]))
			KUNIT_ASSERT_EQ(pair->test, 0, ptebatch_uffd_map_last(pair->space));
		return to;
	}
	if ((order != PTEBATCH_SECOND_ALONE && forks(&pair->parsed[0])) ||
	    (order != PTEBATCH_FIRST_ALONE && forks(&pair->parsed[1])))
		return &pair->space->places[1];
	return NULL;
}

static bool locks_meanwhile(const struct ptebatch_pair *pair, enum ptebatch_pair_order order)
{
	return order == PTEBATCH_INTERLEAVED && (pair->parsed[0].kind == PTEBATCH_STEP_MLOCK ||
						 pair->parsed[1].kind == PTEBATCH_STEP_MLOCK);
}

/* Pages whose contents a later swap-out would lose. */
static void reclaim(struct ptebatch_pair *pair, struct ptebatch_outcome *outcome)
{
	static const struct ptebatch_step step = { .kind = PTEBATCH_STEP_RECLAIM };
	struct ptebatch_trial *trial = begin_trial(pair->test, pair->space, "reclaim", NULL);

	take_one(pair->space, &step, 0);
	end_trial(trial, outcome);
	ptebatch_trial_free(trial);
}

static void run_order(struct ptebatch_pair *pair, enum ptebatch_pair_order order, unsigned int at,
		      unsigned int times)
{
	struct ptebatch_outcome *outcome = &pair->outcomes[order];
	struct ptebatch_slots_before *slots;
	struct ptebatch_trial *trial;
	unsigned int i;
	char name[100];

	memset(outcome, 0, offsetof(struct ptebatch_outcome, rows));
	outcome->passes = true;
	snprintf(name, sizeof(name), "%s (%s) %s", pair->steps[0]->step, order_names[order],
		 pair->steps[1]->step);
	pair->space = ptebatch_space(pair->test, &pair->row->setup);
	prepare(pair);
	trial = begin_trial(pair->test, pair->space, name, second_place(pair, order));
	for (i = 0; i < 2; i++)
		trial->call.vma_flags |= step_vma_flags(&pair->parsed[i]);
	slots = ptebatch_slots_list(trial);
	/* In how many batches a folio is unmapped depends on the other step. */
	trial->without = "deferred";
	trial->misses_mlock = locks_meanwhile(pair, order);
	permit_large(pair, true);
	run_steps(pair, order, at, times);
	permit_large(pair, false);
	ptebatch_slots_free_unused(trial, slots);
	end_trial(trial, outcome);
	ptebatch_outcome_save(outcome, trial);
	ptebatch_trial_free(trial);
	if (pair->reclaims)
		reclaim(pair, outcome);
	ptebatch_outcome_read(outcome, pair->space);
	ptebatch_space_release(pair->space);
}

/* A number of pages: some before the other step, the rest after it. */
static bool is_between(const struct ptebatch_pair *pair, unsigned int nr)
{
	long ret = pair->outcomes[PTEBATCH_INTERLEAVED].ret[nr];
	long a = pair->outcomes[PTEBATCH_FIRST_THEN_SECOND].ret[nr];
	long b = pair->outcomes[PTEBATCH_SECOND_THEN_FIRST].ret[nr];

	return min(a, b) >= 0 && ret > min(a, b) && ret < max(a, b);
}

/* A fault may end the protection of a page, and the scan count it, before the write does so. */
static bool returns_same(const struct ptebatch_pair *pair, enum ptebatch_pair_order order)
{
	const struct ptebatch_outcome *a = &pair->outcomes[PTEBATCH_INTERLEAVED];
	const struct ptebatch_outcome *b = &pair->outcomes[order];
	unsigned int nr;

	for (nr = 0; nr < 2; nr++)
		if (!pair->steps[nr]->tries && a->ret[nr] != b->ret[nr] && !is_between(pair, nr) &&
		    !(pair->parsed[nr].kind == PTEBATCH_STEP_SCAN && a->ret[nr] > b->ret[nr]))
			return false;
	return true;
}

/* Is it the other order that returns the same? */
static bool is_excluded(const struct ptebatch_pair *pair, enum ptebatch_pair_order order)
{
	return (order == PTEBATCH_FIRST_THEN_SECOND || order == PTEBATCH_SECOND_THEN_FIRST) &&
	       !returns_same(pair, order) &&
	       returns_same(pair, PTEBATCH_FIRST_THEN_SECOND + PTEBATCH_SECOND_THEN_FIRST - order);
}

/* A NUMA hint fault does not move a folio that the other step has isolated. */
static bool may_do_nothing(const struct ptebatch_pair *pair, unsigned int nr)
{
	const char *before = pair->row->before;

	return pair->steps[nr]->tries ||
	       (pair->steps[!nr]->tries && before && strstr(before, "numa hint") &&
		ptebatch_step_accesses(pair->parsed[nr].kind));
}

/* An order that counts, in as many places as it has. */
static bool counts(const struct ptebatch_pair *pair, enum ptebatch_pair_order order,
		   unsigned int places)
{
	if ((order == PTEBATCH_FIRST_ALONE && !may_do_nothing(pair, 1)) ||
	    (order == PTEBATCH_SECOND_ALONE && !may_do_nothing(pair, 0)))
		return false;
	return places <= pair->outcomes[order].nr_places;
}

static bool may_give_up(const struct ptebatch_pair *pair)
{
	return pair->steps[0]->tries || pair->steps[1]->tries;
}

/* A step that gives up may have unmapped a folio of the file before. */
static bool is_unmapped(const struct ptebatch_pair *pair, unsigned int place, unsigned int i)
{
	const struct ptebatch_row *row = &pair->outcomes[PTEBATCH_INTERLEAVED].rows[place];

	return may_give_up(pair) && ptebatch_shared(pair->row->setup.mapping) &&
	       row->entries[i].kind == PTEBATCH_NONE && !row->entries[i].flags;
}

/* A step that gives up may have split a lazyfree folio: reclaim frees its pages one by one. */
static bool is_reclaimed(const struct ptebatch_pair *pair, unsigned int place, unsigned int i)
{
	const struct ptebatch_outcome *got = &pair->outcomes[PTEBATCH_INTERLEAVED];
	const struct ptebatch_page_outcome *page = &got->pages[place][i];

	return pair->reclaims && may_give_up(pair) &&
	       got->rows[place].entries[i].flags & PTEBATCH_LAZYFREE &&
	       !page->err && !page->value && !page->pinned;
}

/* A fault, and the access that is repeated after it, are two steps. */
static bool accesses(const struct ptebatch_pair *pair)
{
	return ptebatch_step_accesses(pair->parsed[0].kind) ||
	       ptebatch_step_accesses(pair->parsed[1].kind);
}

/* Is page @i, in places @from to @to, what no order leads to? */
static bool is_wrong(const struct ptebatch_pair *pair, unsigned int from, unsigned int to,
		     unsigned int i)
{
	const struct ptebatch_outcome *got = &pair->outcomes[PTEBATCH_INTERLEAVED];
	bool entries = false, pages = false;
	enum ptebatch_pair_order order;

	for (order = 0; order < PTEBATCH_INTERLEAVED; order++) {
		const struct ptebatch_outcome *expected = &pair->outcomes[order];
		bool entry = true, page = !is_excluded(pair, order);
		unsigned int place;

		if (!counts(pair, order, to))
			continue;
		for (place = from; place < to; place++) {
			entry &= is_unmapped(pair, place, i) ||
				 ptebatch_outcome_entry(got, expected, place, i);
			page &= is_reclaimed(pair, place, i) ||
				ptebatch_outcome_page(got, expected, place, i);
		}
		if (entry && page)
			return false;
		entries |= entry;
		pages |= page;
	}
	return !accesses(pair) || !entries || !pages;
}

/*
 * A page that moves is in one of two places. But a step may come to two processes, and a move
 * to a fault and the access after it, at different times.
 */
static bool is_wrong_anywhere(const struct ptebatch_pair *pair, unsigned int i)
{
	unsigned int places = pair->outcomes[PTEBATCH_INTERLEAVED].nr_places, place;

	if ((moves(&pair->parsed[0]) || moves(&pair->parsed[1])) && !accesses(pair))
		return is_wrong(pair, 0, places, i);
	for (place = 0; place < places; place++)
		if (is_wrong(pair, place, place + 1, i))
			return true;
	return false;
}

static bool returns_right(const struct ptebatch_pair *pair, unsigned int nr)
{
	long ret = pair->outcomes[PTEBATCH_INTERLEAVED].ret[nr];

	return pair->steps[nr]->tries || is_between(pair, nr) ||
	       ret == pair->outcomes[PTEBATCH_FIRST_THEN_SECOND].ret[nr] ||
	       ret == pair->outcomes[PTEBATCH_SECOND_THEN_FIRST].ret[nr];
}

static void print_place(const struct ptebatch_pair *pair, unsigned int place,
			const unsigned long *differs)
{
	enum ptebatch_pair_order order;

	for (order = 0; order < PTEBATCH_NR_ORDERS; order++)
		if (place < pair->outcomes[order].nr_places)
			ptebatch_print_row(pair->test, order_names[order],
					   &pair->outcomes[order].rows[place],
					   order == PTEBATCH_INTERLEAVED ? differs : NULL);
}

static void print_values(const struct ptebatch_pair *pair, unsigned int place, unsigned int i)
{
	enum ptebatch_pair_order order;

	for (order = 0; order < PTEBATCH_NR_ORDERS; order++)
		if (place < pair->outcomes[order].nr_places)
			kunit_err(pair->test, "%-9sa read of page %u returns %d, %#x\n",
				  order_names[order], i, pair->outcomes[order].pages[place][i].err,
				  pair->outcomes[order].pages[place][i].value);
}

#define COLUMNS	"         %-*s | %s\n"

/* Both steps, side by side, and the row between their parts. */
static void print_course(const struct ptebatch_pair *pair)
{
	const struct ptebatch_outcome *got = &pair->outcomes[PTEBATCH_INTERLEAVED];
	const bool finished = pair->pause.finished;
	struct kunit *test = pair->test;
	char at[100], ends[2][40];
	unsigned int nr, width;

	for (nr = 0; nr < 2; nr++)
		snprintf(ends[nr], sizeof(ends[nr]), "returns %ld", got->ret[nr]);
	width = snprintf(at, sizeof(at), "pauses at %pS, after %u calls",
			 ptebatch_instruction_address(&pair->instructions),
			 pair->instructions.times);
	kunit_err(test, COLUMNS, width, pair->steps[0]->step, pair->steps[1]->step);
	ptebatch_print_row(test, "", &pair->moments[PTEBATCH_BEFORE_BOTH].row, NULL);
	kunit_err(test, COLUMNS, width, at, "");
	ptebatch_print_row(test, "", &pair->moments[PTEBATCH_FIRST_PAUSES].row, NULL);
	kunit_err(test, COLUMNS, width, "", finished ? ends[1] : "is blocked");
	ptebatch_print_row(test, "", &pair->moments[PTEBATCH_FIRST_GOES_ON].row, NULL);
	kunit_err(test, COLUMNS, width, ends[0], finished ? "" : ends[1]);
	ptebatch_print_row(test, "", &got->rows[0], NULL);
}

static void report_wrong(const struct ptebatch_pair *pair, const char *wrong)
{
	KUNIT_FAIL(pair->test, "%s: %s pauses, %s meanwhile: %s", pair->row->name,
		   pair->steps[0]->step, pair->steps[1]->step, wrong);
	print_course(pair);
}

static bool compare(const struct ptebatch_pair *pair)
{
	const struct ptebatch_outcome *got = &pair->outcomes[PTEBATCH_INTERLEAVED];
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
	unsigned int place, i, nr;
	bool passes = true;

	if (!got->passes) {
		report_wrong(pair, "a rule is violated, see above");
		print_place(pair, 0, NULL);
		return false;
	}
	for (nr = 0; nr < 2; nr++) {
		if (returns_right(pair, nr))
			continue;
		report_wrong(pair, "wrong return value");
		kunit_err(pair->test, "%s returns %ld, %ld in the order 1, 2, %ld in the order 2, 1\n",
			  pair->steps[nr]->step, got->ret[nr],
			  pair->outcomes[PTEBATCH_FIRST_THEN_SECOND].ret[nr],
			  pair->outcomes[PTEBATCH_SECOND_THEN_FIRST].ret[nr]);
		passes = false;
	}
	bitmap_zero(differs, PTEBATCH_ROW_ENTRIES);
	for (i = 0; i < got->rows[0].nr; i++)
		if (is_wrong_anywhere(pair, i))
			__set_bit(i, differs);
	if (bitmap_empty(differs, PTEBATCH_ROW_ENTRIES))
		return passes;
	report_wrong(pair, "neither order gives this");
	for (place = 0; place < got->nr_places; place++) {
		if (place)
			kunit_err(pair->test, "in the child, or where the row was moved:\n");
		print_place(pair, place, differs);
		print_values(pair, place, find_first_bit(differs, PTEBATCH_ROW_ENTRIES));
	}
	return false;
}

/* Why the row cannot have the step, %NULL if it can. */
static const char *one_error(const struct ptebatch_pair_row *row, const struct ptebatch_step *step)
{
	if (row->setup.track && !pgtable_supports_soft_dirty())
		return "no soft-dirty bit on this architecture";
	if (ptebatch_step_needs_uffd(step->kind) && !row->setup.uffd)
		return "not registered";
	if (step->kind == PTEBATCH_STEP_SCAN && !(row->setup.uffd & WP_ASYNC))
		return "no UFFD_FEATURE_WP_ASYNC";
	if (step->kind == PTEBATCH_STEP_FORK && row->before && strstr(row->before, "fork"))
		return "a second child";
	if (moves(step) && row->before && strstr(row->before, "fork"))
		return "a child, and a destination";
	return ptebatch_step_error(step->kind, row->setup.mapping) ?:
	       ptebatch_step_missing(step->kind) ?:
	       (faults_large(step) ? ptebatch_anon_orders_missing() : NULL);
}

/**
 * ptebatch_pair_error() - check that a row can have both steps
 * @pair: the two steps
 *
 * Return: why it cannot, %NULL if it can.
 */
const char *ptebatch_pair_error(const struct ptebatch_pair *pair)
{
	u8 first = pair->parsed[0].kind, second = pair->parsed[1].kind;

	if ((first == second && (first == PTEBATCH_STEP_FORK || first == PTEBATCH_STEP_PIN)) ||
	    (moves(&pair->parsed[0]) && moves(&pair->parsed[1])))
		return "one child, one pinned page, and one destination";
	if ((moves(&pair->parsed[0]) && forks(&pair->parsed[1])) ||
	    (forks(&pair->parsed[0]) && moves(&pair->parsed[1])))
		return "a child, and a destination";
	if ((first == PTEBATCH_STEP_SCAN && second == PTEBATCH_STEP_FORK) ||
	    (first == PTEBATCH_STEP_FORK && second == PTEBATCH_STEP_SCAN))
		return "the child gets the argument of PAGEMAP_SCAN, too";
	if ((uffd_moves(&pair->parsed[0]) && faults_large(&pair->parsed[1])) ||
	    (faults_large(&pair->parsed[0]) && uffd_moves(&pair->parsed[1])))
		return "a large folio that a fault maps over pages around the one that moves";
	return one_error(pair->row, &pair->parsed[0]) ?: one_error(pair->row, &pair->parsed[1]);
}

/*
 * An instruction that the first step reaches more often, such as in each of 500 faults, is as
 * many points: the first and the last times.
 */
#define MOST_TIMES	8

static unsigned int points_of(const struct ptebatch_pair *pair, unsigned int at)
{
	return pair->each_time ? pair->reached[at] : min(pair->reached[at], MOST_TIMES);
}

static unsigned int times_of(const struct ptebatch_pair *pair, unsigned int at, unsigned int point)
{
	return point < MOST_TIMES / 2 ? point : pair->reached[at] - points_of(pair, at) + point;
}

static unsigned int count_points(const struct ptebatch_pair *pair)
{
	unsigned int at, sum = 0;

	for (at = 0; at < pair->instructions.nr; at++)
		sum += points_of(pair, at);
	return sum;
}

/**
 * ptebatch_pair_try() - run two steps, the second one while the first one pauses, and compare
 * @pair: the two steps, after ptebatch_pair_references()
 * @point: number of the point, of those that the first step passes
 *
 * Return: true if the result is one that the steps give in one of the two orders.
 */
bool ptebatch_pair_try(struct ptebatch_pair *pair, unsigned int point)
{
	unsigned int at;

	for (at = 0; point >= points_of(pair, at); at++)
		point -= points_of(pair, at);
	if (pair->same_first)
		ptebatch_instructions_only(&pair->instructions, at);
	run_order(pair, PTEBATCH_INTERLEAVED, at, times_of(pair, at, point));
	/* An access may hold a lock for which the other step spins without interrupts. */
	if (pair->pause.expired && !pair->watches) {
		report_wrong(pair, "neither finishes nor waits");
		return false;
	}
	return compare(pair);
}

static void run_reference(struct ptebatch_pair *pair, enum ptebatch_pair_order order)
{
	run_order(pair, order, 0, 0);
	KUNIT_EXPECT_TRUE_MSG(pair->test, pair->outcomes[order].passes,
			      "without a pause, see above");
}

/**
 * ptebatch_pair_references() - run two steps one after the other, in both orders
 * @pair: the two steps, with the points at which the first one may pause
 *
 * A step that may leave pages as they are is left out once, too. Fails the case if a rule
 * is violated.
 *
 * Return: the number of points: instructions that the first step reaches, each as often as it
 *         does, but without @each_time at most 8 times: the first and the last 4.
 */
unsigned int ptebatch_pair_references(struct ptebatch_pair *pair)
{
	unsigned int points, order;

	/* Those that do not run have no places. */
	for (order = 0; order < PTEBATCH_NR_ORDERS; order++)
		pair->outcomes[order].nr_places = 0;
	run_reference(pair, PTEBATCH_FIRST_THEN_SECOND);
	points = count_points(pair);
	if (!points)
		return 0;
	run_reference(pair, PTEBATCH_SECOND_THEN_FIRST);
	if (may_do_nothing(pair, 1))
		run_reference(pair, PTEBATCH_FIRST_ALONE);
	if (may_do_nothing(pair, 0))
		run_reference(pair, PTEBATCH_SECOND_ALONE);
	return points;
}

/**
 * ptebatch_pair_begin_points() - begin to choose points; there are none yet
 * @pair: the two steps
 */
void ptebatch_pair_begin_points(struct ptebatch_pair *pair)
{
	KUNIT_ASSERT_EQ(pair->test, 0, ptebatch_instructions_begin(&pair->instructions));
	pair->has_points = true;
}

/**
 * ptebatch_pair_end_points() - remove all points
 * @pair: the two steps
 */
void ptebatch_pair_end_points(struct ptebatch_pair *pair)
{
	if (pair->has_points)
		ptebatch_instructions_end(&pair->instructions);
	pair->has_points = false;
}

static void clean_up(void *data)
{
	struct ptebatch_pair *pair = data;

	ptebatch_instructions_stop(&pair->instructions);
	if (pair->watches)
		ptebatch_kcsan_watch_each(false);
	if (pair->paused)
		ptebatch_pause_end(&pair->pause);
	ptebatch_pair_end_points(pair);
	kvfree(pair);
}

/**
 * ptebatch_pair() - begin to run pairs of steps
 * @test: the case, which is skipped if steps cannot pause; it frees the pair at its end
 *
 * Context: Process context of a kernel thread without an mm, may sleep; between
 * ptebatch_pause_on() and ptebatch_pause_off().
 *
 * Return: a pair without row, steps and points.
 */
struct ptebatch_pair *ptebatch_pair(struct kunit *test)
{
	const char *missing = ptebatch_pause_missing(PTEBATCH_CHOSEN) ?: ptebatch_detour_missing();
	struct ptebatch_pair *pair;

	if (missing)
		kunit_skip(test, "%s", missing);
	pair = kvzalloc_obj(*pair);
	KUNIT_ASSERT_NOT_NULL(test, pair);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, clean_up, pair));
	pair->test = test;
	pair->instructions = (struct ptebatch_instructions) {
		.act = pause_here, .data = pair, .in_task = true,
	};
	return pair;
}

/**
 * ptebatch_pair_choose() - choose one of the two steps
 * @pair: the two steps
 * @nr: 0: the one that pauses; 1: the one that runs meanwhile
 * @step: the step
 */
void ptebatch_pair_choose(struct ptebatch_pair *pair, unsigned int nr,
			  const struct ptebatch_pair_step *step)
{
	struct ptebatch_program program;
	const char *error;

	pair->steps[nr] = step;
	KUNIT_ASSERT_EQ_MSG(pair->test, 0, ptebatch_program_parse(&program, step->step, &error),
			    "%s: %s", step->step, error);
	pair->parsed[nr] = program.steps[0];
}
