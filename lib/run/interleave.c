// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../check/checks.h"
#include "../check/contents.h"
#include "../check/unused.h"
#include "../inject/instruction.h"
#include "../op/step.h"
#include "../service/part.h"
#include "../service/pause.h"
#include "../space/refs.h"
#include "interleave.h"
#include "outcome.h"
#include "params.h"
#include "program.h"
#include "random.h"

/* Of a sample: points of a pair, one of so many calls, or instructions of a function. */
#define POINTS			6
#define SOME_CALLS		8
#define SOME_INSTRUCTIONS	16

/* Of all points: one of so many instructions, about one a line; which, by the seed. */
#define INSTRUCTIONS_OF_LINE	4

/* A pair takes as long as so many random rows, and longer if few steps reach its points. */
#define ROUNDS_OF_PAIR		10
#define ROUNDS_OF_FUNCTION	50

/* Pairs to draw until the first step passes a point. */
#define MOST_DRAWS	100

#define MOST_FAILURES	20

/* How two steps run. */
enum order {
	FIRST_ALONE,
	SECOND_ALONE,
	FIRST_THEN_SECOND,
	SECOND_THEN_FIRST,
	INTERLEAVED,
	NR_ORDERS,
};

static const char * const order_names[] = {
	[FIRST_ALONE] = "first",
	[SECOND_ALONE] = "second",
	[FIRST_THEN_SECOND] = "1, 2",
	[SECOND_THEN_FIRST] = "2, 1",
	[INTERLEAVED] = "got",
};

/**
 * struct interleaving - two steps on a row, and what they lead to
 * @test: the case
 * @all: what is combined
 * @row: the row
 * @steps: the two steps
 * @parsed: the same, parsed
 * @instructions: the points
 * @reached: how often the first step reaches each point
 * @space: the address space of the present run
 * @pause: pause of the first step
 * @outcomes: what each order has led to
 * @rnd: chooses instructions, if all of them are too many
 * @has_points: @instructions has begun
 * @paused: @pause has begun
 * @reclaims: the folios are reclaimed before the pages are read
 * @failed: number of pairs that have failed
 * @tried: number of runs in which the first step has paused
 * @finished: number of those in which the second step has finished meanwhile
 */
struct interleaving {
	struct kunit *test;
	const struct ptebatch_interleavings *all;
	const struct ptebatch_interleave_row *row;
	const struct ptebatch_interleave_step *steps[2];
	struct ptebatch_step parsed[2];
	struct ptebatch_instructions instructions;
	unsigned int reached[PTEBATCH_INSTRUCTIONS];
	struct ptebatch_space *space;
	struct ptebatch_pause pause;
	struct ptebatch_outcome outcomes[NR_ORDERS];
	struct rnd_state rnd;
	bool has_points;
	bool paused;
	bool reclaims;
	unsigned int failed;
	unsigned int tried;
	unsigned int finished;
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

static long take_one(struct ptebatch_space *space, const struct ptebatch_step *step,
		     unsigned int nr)
{
	const struct ptebatch_op *op = ptebatch_step_op(step->kind);
	long ret;

	/* As the entry code does. */
	do {
		ret = op ? op->call(op, space, false) : access_in_step(space, step, nr);
	} while (ret == -ERESTARTNOINTR);
	return ret;
}

static long take_second(void *data)
{
	struct interleaving *run = data;

	return take_one(run->space, &run->parsed[1], 1);
}

static void pause_here(void *data)
{
	struct interleaving *run = data;

	ptebatch_pause_at(&run->pause, PTEBATCH_CHOSEN);
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
					  const char *name, bool forks)
{
	struct ptebatch_trial *trial;

	space->row.from = 0;
	space->row.to = space->row.nr;
	trial = ptebatch_trial_next(test, name, space);
	trial->quiet = true;
	if (forks)
		ptebatch_trial_second(trial, &space->places[1]);
	return trial;
}

/* The steps before the two. */
static void prepare(struct interleaving *run)
{
	struct ptebatch_program program = {};
	struct kunit *test = run->test;
	struct ptebatch_trial *trial;
	const char *error;
	unsigned int i;

	ptebatch_pages_fill(run->space);
	if (run->row->before)
		KUNIT_ASSERT_EQ_MSG(test, 0,
				    ptebatch_program_parse(&program, run->row->before, &error),
				    "%s: %s", run->row->before, error);
	for (i = 0; i < program.nr; i++) {
		const struct ptebatch_step *step = &program.steps[i];

		trial = begin_trial(test, run->space, "the steps before",
				    step->kind == PTEBATCH_STEP_FORK);
		trial->returned = take_one(run->space, step, i + 2);
		KUNIT_ASSERT_EQ(test, 0, trial->returned);
		KUNIT_ASSERT_TRUE(test, ptebatch_trial_end(trial));
		ptebatch_trial_free(trial);
	}
}

/* How often the first step has reached each point, without a pause. */
static void count_points(struct interleaving *run)
{
	unsigned int i;

	for (i = 0; i < run->instructions.nr; i++)
		run->reached[i] = ptebatch_instruction_reached(&run->instructions, i);
}

/* The second step runs on its CPU in any order: a NUMA hint fault depends on the node. */
static void begin_pause(struct interleaving *run, enum ptebatch_point point,
			enum ptebatch_pause_until until)
{
	run->pause = (struct ptebatch_pause) {
		.point = point, .until = until, .work = take_second, .data = run,
	};
	KUNIT_ASSERT_EQ(run->test, 0, ptebatch_pause_begin(&run->pause));
	run->paused = true;
}

/* At instruction @at, after the first step has reached it @times times. */
static void run_steps(struct interleaving *run, enum order order, unsigned int at,
		      unsigned int times)
{
	struct ptebatch_outcome *outcome = &run->outcomes[order];

	switch (order) {
	case FIRST_ALONE:
		outcome->ret[0] = take_one(run->space, &run->parsed[0], 0);
		return;
	case FIRST_THEN_SECOND:
		begin_pause(run, PTEBATCH_RETURNED, PTEBATCH_UNTIL_DONE);
		ptebatch_instructions_pass(&run->instructions, run->instructions.nr, 0);
		break;
	case SECOND_ALONE:
	case SECOND_THEN_FIRST:
		begin_pause(run, PTEBATCH_CHOSEN, PTEBATCH_UNTIL_DONE);
		ptebatch_pause_at(&run->pause, PTEBATCH_CHOSEN);
		break;
	default:
		begin_pause(run, PTEBATCH_CHOSEN, PTEBATCH_UNTIL_BLOCKED);
		ptebatch_instructions_pass(&run->instructions, at, times);
	}
	if (order != SECOND_ALONE)
		outcome->ret[0] = take_one(run->space, &run->parsed[0], 0);
	ptebatch_instructions_stop(&run->instructions);
	if (order == FIRST_THEN_SECOND)
		count_points(run);
	ptebatch_pause_end(&run->pause);
	run->paused = false;
	outcome->ret[1] = run->pause.result;
	if (order != INTERLEAVED)
		return;
	run->tried += run->pause.reached;
	run->finished += run->pause.finished;
}

static bool forks(const struct interleaving *run, enum order order)
{
	return (order != SECOND_ALONE && run->parsed[0].kind == PTEBATCH_STEP_FORK) ||
	       (order != FIRST_ALONE && run->parsed[1].kind == PTEBATCH_STEP_FORK);
}

/* Pages whose contents a later swap-out would lose. */
static void reclaim(struct interleaving *run, struct ptebatch_outcome *outcome)
{
	static const struct ptebatch_step step = { .kind = PTEBATCH_STEP_RECLAIM };
	struct ptebatch_trial *trial = begin_trial(run->test, run->space, "reclaim", false);

	take_one(run->space, &step, 0);
	end_trial(trial, outcome);
	ptebatch_trial_free(trial);
}

static void run_order(struct interleaving *run, enum order order, unsigned int at,
		      unsigned int times)
{
	struct ptebatch_outcome *outcome = &run->outcomes[order];
	struct ptebatch_slots_before *slots;
	struct ptebatch_trial *trial;
	char name[100];

	memset(outcome, 0, offsetof(struct ptebatch_outcome, rows));
	outcome->passes = true;
	snprintf(name, sizeof(name), "%s (%s) %s", run->steps[0]->step, order_names[order],
		 run->steps[1]->step);
	run->space = ptebatch_space(run->test, &run->row->setup);
	prepare(run);
	trial = begin_trial(run->test, run->space, name, forks(run, order));
	slots = ptebatch_slots_list(trial);
	/* In how many batches a folio is unmapped depends on the other step. */
	trial->without = "deferred";
	run_steps(run, order, at, times);
	ptebatch_slots_free_unused(trial, slots);
	end_trial(trial, outcome);
	ptebatch_outcome_save(outcome, trial);
	ptebatch_trial_free(trial);
	if (run->reclaims)
		reclaim(run, outcome);
	ptebatch_outcome_read(outcome, run->space);
	ptebatch_space_release(run->space);
}

/* A fault may end the protection of a page, and the scan count it, before the write does so. */
static bool returns_same(const struct interleaving *run, enum order order)
{
	const struct ptebatch_outcome *a = &run->outcomes[INTERLEAVED], *b = &run->outcomes[order];
	unsigned int nr;

	for (nr = 0; nr < 2; nr++)
		if (!run->steps[nr]->tries && a->ret[nr] != b->ret[nr] &&
		    !(run->parsed[nr].kind == PTEBATCH_STEP_SCAN && a->ret[nr] > b->ret[nr]))
			return false;
	return true;
}

/* Is it the other order that returns the same? */
static bool is_excluded(const struct interleaving *run, enum order order)
{
	return (order == FIRST_THEN_SECOND || order == SECOND_THEN_FIRST) &&
	       !returns_same(run, order) &&
	       returns_same(run, FIRST_THEN_SECOND + SECOND_THEN_FIRST - order);
}

/* An order that counts, in a place that it has. */
static bool counts(const struct interleaving *run, enum order order, unsigned int place)
{
	if ((order == FIRST_ALONE && !run->steps[1]->tries) ||
	    (order == SECOND_ALONE && !run->steps[0]->tries))
		return false;
	return place < run->outcomes[order].nr_places;
}

/* A fault, and the access that is repeated after it, are two steps. */
static bool accesses(const struct interleaving *run)
{
	return ptebatch_step_accesses(run->parsed[0].kind) ||
	       ptebatch_step_accesses(run->parsed[1].kind);
}

static bool is_wrong(const struct interleaving *run, unsigned int place, unsigned int i)
{
	const struct ptebatch_outcome *got = &run->outcomes[INTERLEAVED];
	bool entries = false, pages = false;
	enum order order;

	for (order = 0; order < INTERLEAVED; order++) {
		const struct ptebatch_outcome *expected = &run->outcomes[order];
		bool entry, page;

		if (!counts(run, order, place))
			continue;
		entry = ptebatch_outcome_entry(got, expected, place, i);
		page = ptebatch_outcome_page(got, expected, place, i) && !is_excluded(run, order);
		if (entry && page)
			return false;
		entries |= entry;
		pages |= page;
	}
	return !accesses(run) || !entries || !pages;
}

/* A number of pages may be in between: some before the other step, the rest after it. */
static bool returns_right(const struct interleaving *run, unsigned int nr)
{
	long ret = run->outcomes[INTERLEAVED].ret[nr];
	long a = run->outcomes[FIRST_THEN_SECOND].ret[nr];
	long b = run->outcomes[SECOND_THEN_FIRST].ret[nr];

	return run->steps[nr]->tries || ret == a || ret == b ||
	       (min(a, b) >= 0 && ret >= min(a, b) && ret <= max(a, b));
}

static void print_place(const struct interleaving *run, unsigned int place,
			const unsigned long *differs)
{
	const struct ptebatch_outcome *outcome;

	for (outcome = run->outcomes; outcome < run->outcomes + NR_ORDERS; outcome++)
		if (place < outcome->nr_places)
			ptebatch_print_row(run->test, order_names[outcome - run->outcomes],
					   &outcome->rows[place],
					   outcome == &run->outcomes[INTERLEAVED] ? differs : NULL);
}

static void print_values(const struct interleaving *run, unsigned int place, unsigned int i)
{
	enum order order;

	for (order = 0; order < NR_ORDERS; order++)
		if (place < run->outcomes[order].nr_places)
			kunit_err(run->test, "%-9sa read of page %u returns %d, %#x\n",
				  order_names[order], i, run->outcomes[order].pages[place][i].err,
				  run->outcomes[order].pages[place][i].value);
}

static void report_wrong(const struct interleaving *run, const char *wrong)
{
	KUNIT_FAIL(run->test, "%s: %s pauses, %s meanwhile: %s", run->row->name,
		   run->steps[0]->step, run->steps[1]->step, wrong);
	kunit_err(run->test, "paused at %pS, after %u calls; %s %s\n",
		  ptebatch_instruction_address(&run->instructions), run->instructions.times,
		  run->steps[1]->step,
		  run->pause.finished ? "finished during the pause" : "was blocked");
}

static bool compare(const struct interleaving *run)
{
	const struct ptebatch_outcome *got = &run->outcomes[INTERLEAVED];
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
	unsigned int place, i, nr;
	bool passes = true;

	if (!got->passes) {
		report_wrong(run, "a rule is violated, see above");
		print_place(run, 0, NULL);
		return false;
	}
	for (nr = 0; nr < 2; nr++) {
		if (returns_right(run, nr))
			continue;
		report_wrong(run, "wrong return value");
		kunit_err(run->test, "%s returns %ld, %ld in the order 1, 2, %ld in the order 2, 1\n",
			  run->steps[nr]->step, got->ret[nr],
			  run->outcomes[FIRST_THEN_SECOND].ret[nr],
			  run->outcomes[SECOND_THEN_FIRST].ret[nr]);
		passes = false;
	}
	for (place = 0; place < got->nr_places; place++) {
		bitmap_zero(differs, PTEBATCH_ROW_ENTRIES);
		for (i = 0; i < got->rows[place].nr; i++)
			if (is_wrong(run, place, i))
				__set_bit(i, differs);
		if (bitmap_empty(differs, PTEBATCH_ROW_ENTRIES))
			continue;
		report_wrong(run, place ? "neither order gives this, in the child" :
				    "neither order gives this");
		print_place(run, place, differs);
		print_values(run, place, find_first_bit(differs, PTEBATCH_ROW_ENTRIES));
		passes = false;
	}
	return passes;
}

/* Why the row cannot have the step, %NULL if it can. */
static const char *one_error(const struct ptebatch_interleave_row *row,
			     const struct ptebatch_step *step)
{
	bool anon = row->setup.mapping == PTEBATCH_ANON;

	if ((step->kind == PTEBATCH_STEP_HOLE || step->kind == PTEBATCH_STEP_TRUNCATE) && anon)
		return "there is no file";
	if (step->kind == PTEBATCH_STEP_KSM && !anon)
		return "KSM merges private memory only";
	if (row->setup.track && !pgtable_supports_soft_dirty())
		return "no soft-dirty bit on this architecture";
	if (ptebatch_step_needs_uffd(step->kind) && !row->setup.uffd)
		return "not registered";
	if (step->kind == PTEBATCH_STEP_SCAN && !(row->setup.uffd & WP_ASYNC))
		return "no UFFD_FEATURE_WP_ASYNC";
	if (step->kind == PTEBATCH_STEP_FORK && row->before && strstr(row->before, "fork"))
		return "a second child";
	return ptebatch_step_missing(step->kind);
}

static const char *pair_error(const struct interleaving *run)
{
	u8 first = run->parsed[0].kind, second = run->parsed[1].kind;

	if (first == second && (first == PTEBATCH_STEP_FORK || first == PTEBATCH_STEP_PIN))
		return "one child, and one pinned page";
	if ((first == PTEBATCH_STEP_SCAN && second == PTEBATCH_STEP_FORK) ||
	    (first == PTEBATCH_STEP_FORK && second == PTEBATCH_STEP_SCAN))
		return "the child gets the argument of PAGEMAP_SCAN, too";
	return one_error(run->row, &run->parsed[0]) ?: one_error(run->row, &run->parsed[1]);
}

static unsigned int count_reached(const struct interleaving *run)
{
	unsigned int i, sum = 0;

	for (i = 0; i < run->instructions.nr; i++)
		sum += run->reached[i];
	return sum;
}

/* Point @point of those that the first step passes. */
static bool try_point(struct interleaving *run, unsigned int point)
{
	unsigned int at;

	for (at = 0; point >= run->reached[at]; at++)
		point -= run->reached[at];
	run_order(run, INTERLEAVED, at, point);
	if (run->pause.expired) {
		report_wrong(run, "neither finishes nor waits");
		return false;
	}
	/* What it calls may depend on other tasks; then the second step has not run. */
	return !run->pause.reached || compare(run);
}

static void run_reference(struct interleaving *run, enum order order)
{
	run_order(run, order, 0, 0);
	KUNIT_EXPECT_TRUE_MSG(run->test, run->outcomes[order].passes,
			      "without a pause, see above");
}

/* Returns the number of points that the first step passes. */
static unsigned int run_references(struct interleaving *run)
{
	unsigned int points, order;

	/* Those that do not run have no places. */
	for (order = 0; order < NR_ORDERS; order++)
		run->outcomes[order].nr_places = 0;
	run_reference(run, FIRST_THEN_SECOND);
	points = count_reached(run);
	if (!points)
		return 0;
	run_reference(run, SECOND_THEN_FIRST);
	if (run->steps[1]->tries)
		run_reference(run, FIRST_ALONE);
	if (run->steps[0]->tries)
		run_reference(run, SECOND_ALONE);
	return points;
}

/* At some points by @rnd, or at all: the number of points that the first step passes. */
static unsigned int try_pair(struct interleaving *run, struct rnd_state *rnd)
{
	unsigned int i, points, tried;

	run->reclaims = !rnd || prandom_u32_state(rnd) % 2;
	points = run_references(run);
	tried = rnd && points ? POINTS : points;
	for (i = 0; i < tried; i++)
		if (!try_point(run, rnd ? prandom_u32_state(rnd) % points : i)) {
			run->failed++;
			break;
		}
	return points;
}

static void begin_points(struct interleaving *run)
{
	KUNIT_ASSERT_EQ(run->test, 0, ptebatch_instructions_begin(&run->instructions));
	run->has_points = true;
}

static void end_points(struct interleaving *run)
{
	if (run->has_points)
		ptebatch_instructions_end(&run->instructions);
	run->has_points = false;
}

static void clean_up(void *data)
{
	struct interleaving *run = data;

	ptebatch_instructions_stop(&run->instructions);
	if (run->paused)
		ptebatch_pause_end(&run->pause);
	end_points(run);
	kvfree(run);
}

static struct interleaving *begin_run(struct kunit *test,
				      const struct ptebatch_interleavings *all)
{
	const char *missing = ptebatch_pause_missing(PTEBATCH_CHOSEN) ?: ptebatch_detour_missing();
	struct interleaving *run;

	if (missing)
		kunit_skip(test, "%s", missing);
	run = kvzalloc_obj(*run);
	KUNIT_ASSERT_NOT_NULL(test, run);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, clean_up, run));
	run->test = test;
	run->all = all;
	run->instructions = (struct ptebatch_instructions) {
		.act = pause_here, .data = run, .in_task = true,
	};
	return run;
}

static void choose_step(struct interleaving *run, unsigned int nr, const char *name)
{
	const struct ptebatch_interleavings *all = run->all;
	struct ptebatch_program program;
	const char *error;
	unsigned int i;

	for (i = 0; i < all->nr_steps && strcmp(all->steps[i].step, name); i++)
		;
	KUNIT_ASSERT_LT_MSG(run->test, i, all->nr_steps, "no such step: %s", name);
	run->steps[nr] = &all->steps[i];
	KUNIT_ASSERT_EQ_MSG(run->test, 0, ptebatch_program_parse(&program, name, &error),
			    "%s: %s", name, error);
	run->parsed[nr] = program.steps[0];
}

/**
 * ptebatch_interleave_desc() - name a case
 * @param: the case
 * @desc: receives the name, of at most KUNIT_PARAM_DESC_SIZE bytes
 */
void ptebatch_interleave_desc(const struct ptebatch_interleave_case *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s pauses in %s(), %s: result of one order",
		 param->row->name, param->first, param->at, param->second);
}

/**
 * ptebatch_interleave_param() - run the case that is the parameter of the test
 * @test: the case, with a struct ptebatch_interleave_case as its parameter
 * @all: the rows and steps
 *
 * Context: As ptebatch_interleave_calls().
 */
void ptebatch_interleave_param(struct kunit *test, const struct ptebatch_interleavings *all)
{
	const struct ptebatch_interleave_case *param = test->param_value;
	struct interleaving *run = begin_run(test, all);
	const char *error;
	unsigned int i, points;

	run->row = param->row;
	choose_step(run, 0, param->first);
	choose_step(run, 1, param->second);
	error = pair_error(run);
	if (error)
		kunit_skip(test, "%s", error);
	begin_points(run);
	ptebatch_instructions_first(&run->instructions, param->at);
	if (!run->instructions.nr)
		kunit_skip(test, "no function %s(), or the compiler has inlined it", param->at);
	points = run_references(run);
	for (i = 0; i < points && try_point(run, i); i++)
		;
	KUNIT_EXPECT_GT_MSG(test, run->tried, 0, "%s does not call %s()", param->first, param->at);
}

/* Pair @nr of all; returns why it is impossible, or %NULL. */
static const char *choose_pair(struct interleaving *run, u64 nr)
{
	const struct ptebatch_interleavings *all = run->all;
	unsigned int i;
	u32 rest;

	nr = div_u64_rem(nr, all->nr_rows, &rest);
	run->row = &all->rows[rest];
	for (i = 0; i < 2; i++) {
		nr = div_u64_rem(nr, all->nr_steps, &rest);
		choose_step(run, i, all->steps[rest].step);
	}
	return pair_error(run);
}

/* All points, for the matrix. */
static void try_all(struct interleaving *run, const char *error)
{
	unsigned int points = error ? 0 : try_pair(run, NULL);

	kunit_info(run->test, "interleaved points=%u first=%s second=%s row=%s error=%s\n",
		   points, run->steps[0]->step, run->steps[1]->step, run->row->name, error ?: "");
}

static void begin_calls(struct interleaving *run, const char * const *calls,
			struct rnd_state *rnd)
{
	begin_points(run);
	for (; *calls; calls++)
		if (!rnd || !(prandom_u32_state(rnd) % SOME_CALLS))
			ptebatch_instructions_first(&run->instructions, *calls);
}

static void try_all_calls(struct interleaving *run, const char * const *calls)
{
	const struct ptebatch_interleavings *all = run->all;
	u64 i, total = (u64)all->nr_rows * all->nr_steps * all->nr_steps;

	begin_calls(run, calls, NULL);
	for (i = 0; i < total && run->failed < MOST_FAILURES; i++)
		if (ptebatch_in_part(i))
			try_all(run, choose_pair(run, i));
	end_points(run);
}

/* A possible pair, of which the first step passes a point. */
static void try_random_pair(struct interleaving *run, struct rnd_state *rnd)
{
	const struct ptebatch_interleavings *all = run->all;
	u64 pair, total = (u64)all->nr_rows * all->nr_steps * all->nr_steps;
	unsigned int draws;

	for (draws = 0; draws < MOST_DRAWS; draws++) {
		div64_u64_rem(prandom_u32_state(rnd), total, &pair);
		if (!choose_pair(run, pair) && try_pair(run, rnd))
			return;
	}
}

static void end_run(struct interleaving *run)
{
	kunit_info(run->test, "pauses tried=%u finished=%u\n", run->tried, run->finished);
	KUNIT_EXPECT_GT_MSG(run->test, run->tried, 0, "no step reaches a point");
}

/**
 * ptebatch_interleave_calls() - run pairs of steps, the first of which pauses at calls
 * @test: the case; fails if a result is one that neither order gives
 * @all: what is combined
 * @calls: names of kernel functions, up to %NULL
 *
 * A sample, by the seed; all pairs and calls if the parameter "exhaustive" is set.
 *
 * Context: Process context of a kernel thread without an mm, may sleep; between
 * ptebatch_pause_on() and ptebatch_pause_off().
 */
void ptebatch_interleave_calls(struct kunit *test, const struct ptebatch_interleavings *all,
			       const char * const *calls)
{
	struct interleaving *run = begin_run(test, all);
	unsigned int rounds, i, failed;
	struct rnd_state rnd;
	u64 seed;

	if (ptebatch_exhaustive) {
		try_all_calls(run, calls);
		end_run(run);
		return;
	}
	seed = ptebatch_random_begin(test, &rounds);
	for (i = 0; i < DIV_ROUND_UP(rounds, ROUNDS_OF_PAIR) && run->failed < MOST_FAILURES; i++) {
		if (!ptebatch_in_part(i))
			continue;
		failed = run->failed;
		prandom_seed_state(&rnd, seed + i);
		begin_calls(run, calls, &rnd);
		try_random_pair(run, &rnd);
		end_points(run);
		if (run->failed > failed)
			kunit_err(test, "random failed seed=%llu\n", seed + i);
	}
	end_run(run);
}

/* With each possible second step, or with one by @rnd. */
static void try_function(struct interleaving *run,
			 const struct ptebatch_interleave_function *function,
			 struct rnd_state *rnd)
{
	const struct ptebatch_interleavings *all = run->all;
	struct ptebatch_instructions *instructions = &run->instructions;
	unsigned int i, nr = all->nr_steps;
	const char *error;

	run->row = function->row;
	choose_step(run, 0, function->first);
	instructions->every = rnd ? SOME_INSTRUCTIONS : INSTRUCTIONS_OF_LINE;
	instructions->skip = prandom_u32_state(rnd ?: &run->rnd) % instructions->every;
	begin_points(run);
	ptebatch_instructions_of_name(instructions, function->function);
	for (i = 0; i < nr && run->failed < MOST_FAILURES; i++) {
		choose_step(run, 1, all->steps[rnd ? prandom_u32_state(rnd) % nr : i].step);
		error = pair_error(run);
		if (!rnd)
			try_all(run, error);
		else if (!error && try_pair(run, rnd))
			break;
	}
	end_points(run);
}

/**
 * ptebatch_interleave_instructions() - run pairs of steps, the first of which pauses before
 *                                      instructions of a function
 * @test: the case; fails if a result is one that neither order gives
 * @all: what is combined
 * @functions: the functions, with the row and the first step
 * @nr: number of functions
 *
 * A sample, by the seed; all functions, second steps and points if the parameter
 * "exhaustive" is set.
 *
 * Context: As ptebatch_interleave_calls().
 */
void ptebatch_interleave_instructions(struct kunit *test,
				      const struct ptebatch_interleavings *all,
				      const struct ptebatch_interleave_function *functions,
				      unsigned int nr)
{
	struct interleaving *run = begin_run(test, all);
	unsigned int rounds, i, failed;
	struct rnd_state rnd;
	u64 seed = ptebatch_random_begin(test, &rounds);

	prandom_seed_state(&run->rnd, seed);
	rounds = DIV_ROUND_UP(rounds, ROUNDS_OF_FUNCTION);
	for (i = 0; i < (ptebatch_exhaustive ? nr : rounds); i++) {
		if (!ptebatch_in_part(i))
			continue;
		if (ptebatch_exhaustive) {
			try_function(run, &functions[i], NULL);
			continue;
		}
		failed = run->failed;
		prandom_seed_state(&rnd, seed + i);
		try_function(run, &functions[prandom_u32_state(&rnd) % nr], &rnd);
		if (run->failed > failed)
			kunit_err(test, "random failed seed=%llu\n", seed + i);
	}
	end_run(run);
}
