// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/seq_buf.h>

#include "books.h"
#include "chance.h"
#include "random.h"
#include "trial.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the first row, 0: any");

static unsigned int rounds = 100;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how many rows to try");

#define ARCH_NAME	(IS_ENABLED(CONFIG_UML) ? "um" : \
			 IS_ENABLED(CONFIG_ARM64) ? "arm64" : "x86_64")

static bool draw(struct ptebatch_chance *chance)
{
	struct seq_buf out;

	seq_buf_init(&out, chance->picture, sizeof(chance->picture));
	ptebatch_row_print(&out, chance->row, NULL);
	seq_buf_str(&out);	/* ends the string */
	return !seq_buf_has_overflowed(&out);
}

/**
 * struct attempt - the operation, done once
 * @here: at the row's place
 * @there: at the place that it moves the range to, %NULL if it does not
 */
struct attempt {
	struct ptebatch_trial *here;
	struct ptebatch_trial *there;
};

static struct attempt attempt(struct ptebatch_chance *chance, const char *who,
			      ptebatch_deed_t deed)
{
	struct attempt attempt = {};
	struct ptebatch_space *space;

	attempt.here = ptebatch_trial_begin(chance->test, who, &chance->setup);
	space = attempt.here->space;
	if (chance->moves)
		attempt.there =
			ptebatch_trial_there(attempt.here,
					     ptebatch_space_add_place(space, chance->first));
	deed(chance, space);
	return attempt;
}

static void stop(const struct attempt *attempt)
{
	if (attempt->there)
		ptebatch_trial_stop(attempt->there);
	ptebatch_trial_stop(attempt->here);
}

static void end(const struct attempt *attempt)
{
	if (attempt->there)
		ptebatch_trial_end(attempt->there);
	ptebatch_trial_end(attempt->here);
}

static void release(const struct attempt *attempt)
{
	if (attempt->there)
		ptebatch_trial_release(attempt->there);
	ptebatch_trial_release(attempt->here);
}

static bool allowed(struct ptebatch_chance *chance,
		    const struct ptebatch_trial *trial)
{
	const struct ptebatch_call *call =
		trial->origin ? &chance->there : &chance->call;

	return ptebatch_model_row(call, ptebatch_trial_was(trial),
				  &trial->after.row, chance->differs) &&
	       (!chance->counts ||
		ptebatch_model_counts(call, &trial->before.row, chance->pages));
}

/* All verdicts but those on the whole space. */
static bool good_there(struct ptebatch_chance *chance,
		       const struct ptebatch_trial *trial)
{
	struct seq_buf ignored;
	char text[64];

	seq_buf_init(&ignored, text, sizeof(text));
	return allowed(chance, trial) &&
	       ptebatch_neighbours_same(&trial->before, &trial->after,
					&ignored) &&
	       ptebatch_flush_covers(&trial->flush, &trial->before.row,
				     &trial->after.row, &ignored);
}

static bool same(struct ptebatch_chance *chance, const struct attempt *kernel,
		 const struct attempt *twin)
{
	return ptebatch_trial_allows(kernel->here, &twin->here->after.row,
				     chance->differs) &&
	       (!chance->moves ||
		ptebatch_trial_allows(kernel->there, &twin->there->after.row,
				      chance->differs));
}

/* Do all verdicts say yes? Without a word if not. */
static bool holds(struct ptebatch_chance *chance)
{
	struct attempt kernel, twin;
	struct seq_buf ignored;
	char text[64];
	bool good;

	if (!draw(chance))
		return true;
	kernel = attempt(chance, chance->who, chance->kernel);
	stop(&kernel);
	seq_buf_init(&ignored, text, sizeof(text));
	good = good_there(chance, kernel.here) &&
	       (!kernel.there || good_there(chance, kernel.there)) &&
	       ptebatch_books_balance(kernel.here->space, &ignored) == 1;
	if (good) {
		twin = attempt(chance, "the twin", chance->twin);
		stop(&twin);
		good = same(chance, &kernel, &twin);
		release(&twin);
	}
	release(&kernel);
	return good;
}

/* Leave out what it fails without: halves first, single entries last. */
static void shrink(struct ptebatch_chance *chance, struct ptebatch_row *smaller)
{
	unsigned int chunk, at, nr;

	for (chunk = chance->row->nr / 2; chunk; chunk /= 2) {
		/* From the end: what is behind it is left out or needed. */
		for (at = chance->row->nr; at;) {
			nr = min(chunk, at);
			at -= nr;
			if (!ptebatch_row_without(smaller, chance->row, at, nr))
				continue;
			swap(chance->row, smaller);
			if (holds(chance))
				swap(chance->row, smaller);
			else if (!at)
				/* What was behind has come to the front. */
				at = min(chunk, chance->row->nr - 1);
		}
	}
	draw(chance);
}

static void show_trial(struct ptebatch_chance *chance,
		       const struct ptebatch_trial *trial)
{
	if (trial && !allowed(chance, trial))
		ptebatch_trial_print(trial, "not what the rules allow",
				     chance->differs);
}

/* Once more, and aloud. */
static void show(struct ptebatch_chance *chance)
{
	struct kunit *test = chance->test;
	struct attempt kernel, twin;

	kernel = attempt(chance, chance->who, chance->kernel);
	end(&kernel);
	show_trial(chance, kernel.here);
	show_trial(chance, kernel.there);
	kunit_err(test, "%s, %s%s%s, %ld pages\n", chance->what,
		  chance->setup.mapping == PTEBATCH_ANON ? "anonymous" :
		  chance->setup.mapping == PTEBATCH_SHMEM ? "shmem" : "a file",
		  chance->setup.track ? ", soft-dirty tracked" : "",
		  chance->setup.uffd_wp ? ", uffd-wp" :
		  chance->setup.uffd_rwp ? ", uffd-rwp" : "", chance->pages);
	twin = attempt(chance, "the twin", chance->twin);
	end(&twin);
	ptebatch_trial_same(kernel.here, twin.here);
	if (chance->moves)
		ptebatch_trial_same(kernel.there, twin.there);
}

/**
 * ptebatch_chance_play() - try an operation on as many rows as the user wants
 * @test: the case; fails at the first row that fails
 * @suite: its suite
 * @choose: decides what is done to what memory: sets all of the chance but
 *          @row, @picture and @test
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_chance_play(struct kunit *test, const char *suite,
			  void (*choose)(struct ptebatch_chance *chance,
					 struct rnd_state *rnd))
{
	struct ptebatch_chance *chance;
	struct ptebatch_row *smaller;
	struct rnd_state rnd;
	u64 first = seed ?: get_random_u32() + 1ULL;
	unsigned int i;

	kunit_info(test, "SEED=%llu ROUNDS=%u\n", first, rounds);
	chance = kunit_kzalloc(test, sizeof(*chance), GFP_KERNEL);
	smaller = kunit_kzalloc(test, sizeof(*smaller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chance);
	KUNIT_ASSERT_NOT_NULL(test, smaller);
	chance->row = kunit_kzalloc(test, sizeof(*chance->row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chance->row);
	chance->test = test;

	for (i = 0; i < rounds; i++) {
		prandom_seed_state(&rnd, first + i);
		choose(chance, &rnd);
		chance->setup.picture = chance->picture;
		ptebatch_random_row(chance->row, &rnd, &chance->call,
				    &chance->states);
		if (chance->whole) {
			chance->row->from = 0;
			chance->row->to = chance->row->nr;
		}
		if (holds(chance))
			continue;
		shrink(chance, smaller);
		KUNIT_FAIL(test, "a row that chance has drawn");
		kunit_err(test, "again by: make run ARCH=%s SUITES=%s.%s SEED=%llu ROUNDS=1\n",
			  ARCH_NAME, suite, test->name, first + i);
		show(chance);
		return;
	}
}
