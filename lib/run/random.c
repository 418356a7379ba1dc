// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/seq_buf.h>

#include "../arch/arch.h"
#include "../check/accounting.h"
#include "../check/model.h"
#include "../check/trial.h"
#include "../space/space.h"
#include "random.h"
#include "random_row.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the first row, 0 for a random seed");

static unsigned int rounds = 100;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "number of rows to test");

static bool print_picture(struct ptebatch_random *random)
{
	struct seq_buf out;

	seq_buf_init(&out, random->picture, sizeof(random->picture));
	ptebatch_row_print(&out, random->row, NULL);
	seq_buf_str(&out);	/* terminates the string */
	return !seq_buf_has_overflowed(&out);
}

/**
 * struct attempt - one run of the operation
 * @source: trial at the row's place
 * @destination: trial at the destination of a move, %NULL if nothing moves
 */
struct attempt {
	struct ptebatch_trial *source;
	struct ptebatch_trial *destination;
};

static struct attempt run_attempt(struct ptebatch_random *random,
				  const char *function,
				  ptebatch_random_op_t operation)
{
	const struct ptebatch_place *place;
	struct attempt attempt = {};
	struct ptebatch_space *space;

	attempt.source = ptebatch_trial_begin(random->test, function,
					      &random->setup);
	space = attempt.source->space;
	if (random->moves) {
		place = ptebatch_space_add_place(space, random->first);
		attempt.destination = ptebatch_trial_destination(attempt.source,
								 place);
	}
	operation(random, space);
	return attempt;
}

static void stop(const struct attempt *attempt)
{
	if (attempt->destination)
		ptebatch_trial_stop(attempt->destination);
	ptebatch_trial_stop(attempt->source);
}

static void end(const struct attempt *attempt)
{
	if (attempt->destination)
		ptebatch_trial_end(attempt->destination);
	ptebatch_trial_end(attempt->source);
}

static void release(const struct attempt *attempt)
{
	if (attempt->destination)
		ptebatch_trial_release(attempt->destination);
	ptebatch_trial_release(attempt->source);
}

static bool model_allows(struct ptebatch_random *random,
			 const struct ptebatch_trial *trial)
{
	const struct ptebatch_call *call =
		trial->origin ? &random->destination_call : &random->call;

	return ptebatch_model_row(call, ptebatch_trial_was(trial),
				  &trial->after.row, random->differs) &&
	       (!random->counts ||
		ptebatch_model_counts(call, &trial->before.row, random->pages));
}

/* Run the checks of a single place: model, neighbours and TLB. */
static bool place_passes(struct ptebatch_random *random,
			 const struct ptebatch_trial *trial)
{
	struct seq_buf ignored;
	char text[64];

	seq_buf_init(&ignored, text, sizeof(text));
	return model_allows(random, trial) &&
	       ptebatch_neighbours_same(&trial->before, &trial->after,
					&ignored) &&
	       ptebatch_flush_covers(&trial->flush, &trial->before.row,
				     &trial->after.row, &ignored);
}

static bool same_as_twin(struct ptebatch_random *random,
			 const struct attempt *kernel,
			 const struct attempt *twin)
{
	return ptebatch_trial_allows(kernel->source, &twin->source->after.row,
				     random->differs) &&
	       (!random->moves ||
		ptebatch_trial_allows(kernel->destination,
				      &twin->destination->after.row,
				      random->differs));
}

/* Run all checks on the row, without reporting a failure. */
static bool row_passes(struct ptebatch_random *random)
{
	struct attempt kernel, twin;
	struct seq_buf ignored;
	char text[64];
	bool passes;

	if (!print_picture(random))
		return true;
	kernel = run_attempt(random, random->function, random->kernel);
	stop(&kernel);
	seq_buf_init(&ignored, text, sizeof(text));
	passes = place_passes(random, kernel.source) &&
		 (!kernel.destination ||
		  place_passes(random, kernel.destination)) &&
		 ptebatch_accounting_consistent(kernel.source->space,
						&ignored) == 1;
	if (passes) {
		twin = run_attempt(random, "the twin", random->twin);
		stop(&twin);
		passes = same_as_twin(random, &kernel, &twin);
		release(&twin);
	}
	release(&kernel);
	return passes;
}

/* Drop entries that the failure does not need: halves first, then singles. */
static void shrink(struct ptebatch_random *random, struct ptebatch_row *smaller)
{
	unsigned int chunk, at, nr;

	for (chunk = random->row->nr / 2; chunk; chunk /= 2) {
		/* Backwards: entries behind @at are dropped or needed. */
		for (at = random->row->nr; at;) {
			nr = min(chunk, at);
			at -= nr;
			if (!ptebatch_row_without(smaller, random->row, at, nr))
				continue;
			swap(random->row, smaller);
			if (row_passes(random))
				swap(random->row, smaller);
			else if (!at)
				/* The entries behind have moved to the front. */
				at = min(chunk, random->row->nr - 1);
		}
	}
	print_picture(random);
}

static void report_trial(struct ptebatch_random *random,
			 const struct ptebatch_trial *trial)
{
	if (trial && !model_allows(random, trial))
		ptebatch_trial_print(trial,
				     "entries or number of pages not allowed by the model",
				     random->differs);
}

/* Run the row again and report all failures. */
static void report(struct ptebatch_random *random)
{
	struct kunit *test = random->test;
	struct attempt kernel, twin;

	kernel = run_attempt(random, random->function, random->kernel);
	end(&kernel);
	report_trial(random, kernel.source);
	report_trial(random, kernel.destination);
	kunit_err(test, "%s, %s%s%s, %ld pages\n", random->what,
		  random->setup.mapping == PTEBATCH_ANON ? "anonymous" :
		  random->setup.mapping == PTEBATCH_SHMEM ? "shmem" : "a file",
		  random->setup.track ? ", soft-dirty tracked" : "",
		  random->setup.uffd_wp ? ", uffd-wp" :
		  random->setup.uffd_rwp ? ", uffd-rwp" : "", random->pages);
	twin = run_attempt(random, "the twin", random->twin);
	end(&twin);
	ptebatch_trial_same(kernel.source, twin.source);
	if (random->moves)
		ptebatch_trial_same(kernel.destination, twin.destination);
}

/**
 * ptebatch_random_run() - test an operation on randomly generated rows
 * @test: the case; fails at the first row that fails, which is the last
 * @suite: name of the case's suite
 * @choose: chooses operation and memory: sets all members of its argument but
 *          @row, @picture and @test
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_random_run(struct kunit *test, const char *suite,
			 void (*choose)(struct ptebatch_random *random,
					struct rnd_state *rnd))
{
	struct ptebatch_random *random;
	struct ptebatch_row *smaller;
	struct rnd_state rnd;
	u64 first = seed ?: get_random_u32() + 1ULL;
	unsigned int i;

	kunit_info(test, "SEED=%llu ROUNDS=%u\n", first, rounds);
	random = kunit_kzalloc(test, sizeof(*random), GFP_KERNEL);
	smaller = kunit_kzalloc(test, sizeof(*smaller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, random);
	KUNIT_ASSERT_NOT_NULL(test, smaller);
	random->row = kunit_kzalloc(test, sizeof(*random->row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, random->row);
	random->test = test;

	for (i = 0; i < rounds; i++) {
		prandom_seed_state(&rnd, first + i);
		choose(random, &rnd);
		random->setup.picture = random->picture;
		ptebatch_random_row(random->row, &rnd, &random->call,
				    &random->states);
		if (random->whole) {
			random->row->from = 0;
			random->row->to = random->row->nr;
		}
		if (row_passes(random))
			continue;
		shrink(random, smaller);
		KUNIT_FAIL(test, "%s fails on a randomly generated row",
			   random->function);
		kunit_err(test, "again by: make run ARCH=%s SUITES=%s.%s SEED=%llu ROUNDS=1\n",
			  PTEBATCH_ARCH, suite, test->name, first + i);
		report(random);
		return;
	}
}
