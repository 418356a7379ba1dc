// SPDX-License-Identifier: GPL-2.0
#include <linux/prandom.h>

#include "../service/part.h"
#include "interleave.h"
#include "params.h"
#include "random.h"

/* Of a sample: points of a pair, one of so many calls, or instructions of a function. */
#define POINTS			10
#define SOME_CALLS		4
#define SOME_INSTRUCTIONS	16

/* Of all points: one of so many instructions, about one a line; which, by the seed. */
#define INSTRUCTIONS_OF_LINE	4

/* A pair takes as long as so many random rows, and longer if few steps reach its points. */
#define ROUNDS_OF_PAIR		10
#define ROUNDS_OF_FUNCTION	50

/* Pairs, or functions, to draw until the first step passes a point. */
#define MOST_DRAWS	100

/* Which accesses a step makes differs from run to run: as often, at any of them. */
#define ACCESSES	1000

#define MOST_FAILURES	20

/* Of a sample, one of so many second steps is any step, and not one that changes much. */
#define ANY_STEP	4

/**
 * struct interleaving - pairs that run interleaved
 * @pair: the present pair
 * @all: what is combined
 * @calls: where the first step may pause: calls, up to %NULL
 * @functions: or instructions of these functions
 * @nr_functions: number of them
 * @failed: number of pairs that have failed
 */
struct interleaving {
	struct ptebatch_pair *pair;
	const struct ptebatch_interleavings *all;
	const char * const *calls;
	const struct ptebatch_interleave_function *functions;
	unsigned int nr_functions;
	unsigned int failed;
};

static void choose_step(struct interleaving *run, unsigned int nr, const char *name)
{
	const struct ptebatch_interleavings *all = run->all;
	unsigned int i;

	for (i = 0; i < all->nr_steps && strcmp(all->steps[i].step, name); i++)
		;
	KUNIT_ASSERT_LT_MSG(run->pair->test, i, all->nr_steps, "no such step: %s", name);
	ptebatch_pair_choose(run->pair, nr, &all->steps[i]);
}

static bool watches(const struct ptebatch_interleave_case *param)
{
	return !strcmp(param->at, PTEBATCH_EACH_ACCESS);
}

/**
 * ptebatch_interleave_desc() - name a case
 * @param: the case
 * @desc: receives the name, of at most KUNIT_PARAM_DESC_SIZE bytes
 */
void ptebatch_interleave_desc(const struct ptebatch_interleave_case *param, char *desc)
{
	if (watches(param))
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: each access of %s, %s: no data race",
			 param->row->name, param->first, param->second);
	else
		snprintf(desc, KUNIT_PARAM_DESC_SIZE,
			 "%s: %s pauses in %s(), %s: result of one order", param->row->name,
			 param->first, param->at, param->second);
}

/**
 * ptebatch_interleave_param() - run the case that is the parameter of the test
 * @test: the case, with a struct ptebatch_interleave_case as its parameter
 * @all: the rows and steps
 *
 * Context: As ptebatch_pair().
 */
void ptebatch_interleave_param(struct kunit *test, const struct ptebatch_interleavings *all)
{
	const struct ptebatch_interleave_case *param = test->param_value;
	struct interleaving run = { .pair = ptebatch_pair(test), .all = all };
	struct ptebatch_pair *pair = run.pair;
	const char *error;
	unsigned int i, points, tried;

	pair->row = param->row;
	choose_step(&run, 0, param->first);
	choose_step(&run, 1, param->second);
	error = ptebatch_pair_error(pair);
	if (!error && watches(param))
		error = ptebatch_kcsan_missing();
	if (error)
		kunit_skip(test, "%s", error);
	pair->watches = watches(param);
	pair->each_time = true;
	ptebatch_pair_begin_points(pair);
	ptebatch_instructions_first(&pair->instructions, param->at);
	if (!pair->instructions.nr)
		kunit_skip(test, "no function %s(), or the compiler has inlined it", param->at);
	points = ptebatch_pair_references(pair);
	tried = pair->watches && points ? ACCESSES : points;
	for (i = 0; i < tried && ptebatch_pair_try(pair, i * points / tried); i++)
		;
	KUNIT_EXPECT_GT_MSG(test, pair->tried, 0, "%s does not call %s()", param->first,
			    param->at);
}

/* At some points by @rnd, or at all: the number of points that the first step passes. */
static unsigned int try_pair(struct interleaving *run, struct rnd_state *rnd)
{
	struct ptebatch_pair *pair = run->pair;
	unsigned int i, points, tried;

	pair->reclaims = !rnd || prandom_u32_state(rnd) % 2;
	points = ptebatch_pair_references(pair);
	tried = rnd && points ? POINTS : points;
	for (i = 0; i < tried; i++)
		if (!ptebatch_pair_try(pair, rnd ? prandom_u32_state(rnd) % points : i)) {
			run->failed++;
			break;
		}
	return points;
}

/* All points, for the matrix. */
static void try_all(struct interleaving *run, const char *error)
{
	const struct ptebatch_pair *pair = run->pair;
	unsigned int points = error ? 0 : try_pair(run, NULL);

	kunit_info(pair->test, "interleaved points=%u first=%s second=%s row=%s error=%s\n",
		   points, pair->steps[0]->step, pair->steps[1]->step, pair->row->name,
		   error ?: "");
}

static u64 count_pairs(const struct interleaving *run)
{
	return (u64)run->all->nr_rows * run->all->nr_steps * run->all->nr_steps;
}

/* Pair @nr of all; returns why it is impossible, or %NULL. */
static const char *choose_pair(struct interleaving *run, u64 nr)
{
	const struct ptebatch_interleavings *all = run->all;
	unsigned int i;
	u32 rest;

	nr = div_u64_rem(nr, all->nr_rows, &rest);
	run->pair->row = &all->rows[rest];
	for (i = 0; i < 2; i++) {
		nr = div_u64_rem(nr, all->nr_steps, &rest);
		ptebatch_pair_choose(run->pair, i, &all->steps[rest]);
	}
	return ptebatch_pair_error(run->pair);
}

/* Some calls by @rnd, or all. */
static void begin_calls(struct interleaving *run, struct rnd_state *rnd)
{
	const char * const *call;

	ptebatch_pair_begin_points(run->pair);
	for (call = run->calls; *call; call++)
		if (!rnd || !(prandom_u32_state(rnd) % SOME_CALLS))
			ptebatch_instructions_first(&run->pair->instructions, *call);
}

static void try_all_calls(struct interleaving *run)
{
	u64 i, total = count_pairs(run);

	begin_calls(run, NULL);
	for (i = 0; i < total && run->failed < MOST_FAILURES; i++)
		if (ptebatch_in_part(i))
			try_all(run, choose_pair(run, i));
	ptebatch_pair_end_points(run->pair);
}

/* Second step @nr of all; returns why it is impossible, or %NULL. */
static const char *choose_second(struct interleaving *run, unsigned int nr)
{
	ptebatch_pair_choose(run->pair, 1, &run->all->steps[nr]);
	if (!run->pair->instructions.nr)
		return "the compiler has inlined the function";
	return ptebatch_pair_error(run->pair);
}

/* A second step of a sample; returns why the pair is impossible, or %NULL. */
static const char *draw_second(struct interleaving *run, struct rnd_state *rnd)
{
	const struct ptebatch_interleavings *all = run->all;
	const bool any = !(prandom_u32_state(rnd) % ANY_STEP);
	u32 nr;

	do {
		nr = prandom_u32_state(rnd) % all->nr_steps;
	} while (!any && !all->steps[nr].changes);
	return choose_second(run, nr);
}

/* A possible pair, of which the first step passes a point. */
static void try_some_calls(struct interleaving *run, struct rnd_state *rnd)
{
	const struct ptebatch_interleavings *all = run->all;
	unsigned int draws;

	begin_calls(run, rnd);
	for (draws = 0; draws < MOST_DRAWS; draws++) {
		run->pair->row = &all->rows[prandom_u32_state(rnd) % all->nr_rows];
		ptebatch_pair_choose(run->pair, 0,
				     &all->steps[prandom_u32_state(rnd) % all->nr_steps]);
		if (!draw_second(run, rnd) && try_pair(run, rnd))
			break;
	}
	ptebatch_pair_end_points(run->pair);
}

/* One of @every instructions by @rnd of a function, in its own row and first step. */
static void begin_instructions(struct interleaving *run,
			       const struct ptebatch_interleave_function *function,
			       unsigned int every, struct rnd_state *rnd)
{
	struct ptebatch_instructions *instructions = &run->pair->instructions;

	run->pair->row = function->row;
	choose_step(run, 0, function->first);
	instructions->every = every;
	instructions->skip = prandom_u32_state(rnd) % every;
	ptebatch_pair_begin_points(run->pair);
	ptebatch_instructions_of_name(instructions, function->function);
	KUNIT_ASSERT_LT_MSG(run->pair->test, instructions->nr, PTEBATCH_INSTRUCTIONS,
			    "%s() has more instructions", function->function);
}

static void try_all_instructions(struct interleaving *run, u64 seed)
{
	unsigned int i, second;
	struct rnd_state rnd;

	run->pair->same_first = true;
	for (i = 0; i < run->nr_functions; i++) {
		const struct ptebatch_interleave_function *function = &run->functions[i];

		/* Kprobes on its instructions take seconds: each function is in one part. */
		if (!ptebatch_in_part(i))
			continue;
		prandom_seed_state(&rnd, seed + i);
		begin_instructions(run, function, function->each ? 1 : INSTRUCTIONS_OF_LINE, &rnd);
		for (second = 0; second < run->all->nr_steps; second++)
			if (run->failed < MOST_FAILURES)
				try_all(run, choose_second(run, second));
		ptebatch_pair_end_points(run->pair);
	}
}

/* A function, of which the first step passes an instruction, and a possible second step. */
static void try_some_instructions(struct interleaving *run, struct rnd_state *rnd)
{
	unsigned int draws, points = 0;

	for (draws = 0; draws < MOST_DRAWS && !points; draws++) {
		u32 function = prandom_u32_state(rnd) % run->nr_functions;

		begin_instructions(run, &run->functions[function], SOME_INSTRUCTIONS, rnd);
		if (!draw_second(run, rnd))
			points = try_pair(run, rnd);
		ptebatch_pair_end_points(run->pair);
	}
}

/* Each seed for itself, so that one that fails can be run again. */
static void try_seeds(struct interleaving *run, u64 seed, unsigned int nr,
		      void (*try)(struct interleaving *run, struct rnd_state *rnd))
{
	struct rnd_state rnd;
	unsigned int i;

	for (i = 0; i < nr && run->failed < MOST_FAILURES; i++) {
		unsigned int failed = run->failed;

		if (!ptebatch_in_part(i))
			continue;
		prandom_seed_state(&rnd, seed + i);
		try(run, &rnd);
		if (run->failed > failed)
			kunit_err(run->pair->test, "random failed seed=%llu\n", seed + i);
	}
}

static void end_run(const struct interleaving *run)
{
	const struct ptebatch_pair *pair = run->pair;

	kunit_info(pair->test, "pauses tried=%u finished=%u\n", pair->tried, pair->finished);
	KUNIT_EXPECT_GT_MSG(pair->test, pair->tried, 0, "no step reaches a point");
}

/**
 * ptebatch_interleave_calls() - run pairs of steps, the first of which pauses at calls
 * @test: the case; fails if a result is one that neither order gives
 * @all: what is combined
 * @calls: names of kernel functions, up to %NULL
 *
 * A sample, by the seed; all pairs and calls if the parameter "exhaustive" is set.
 *
 * Context: As ptebatch_pair().
 */
void ptebatch_interleave_calls(struct kunit *test, const struct ptebatch_interleavings *all,
			       const char * const *calls)
{
	struct interleaving run = { .pair = ptebatch_pair(test), .all = all, .calls = calls };
	unsigned int rounds;
	u64 seed = ptebatch_random_begin(test, &rounds);

	if (ptebatch_exhaustive)
		try_all_calls(&run);
	else
		try_seeds(&run, seed, DIV_ROUND_UP(rounds, ROUNDS_OF_PAIR), try_some_calls);
	end_run(&run);
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
 * Context: As ptebatch_pair().
 */
void ptebatch_interleave_instructions(struct kunit *test,
				      const struct ptebatch_interleavings *all,
				      const struct ptebatch_interleave_function *functions,
				      unsigned int nr)
{
	struct interleaving run = {
		.pair = ptebatch_pair(test), .all = all, .functions = functions,
		.nr_functions = nr,
	};
	unsigned int rounds;
	u64 seed = ptebatch_random_begin(test, &rounds);

	if (ptebatch_exhaustive)
		try_all_instructions(&run, seed);
	else
		try_seeds(&run, seed, DIV_ROUND_UP(rounds, ROUNDS_OF_FUNCTION),
			  try_some_instructions);
	end_run(&run);
}
