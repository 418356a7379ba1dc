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

static struct ptebatch_trial *attempt(struct ptebatch_chance *chance,
				      const char *who, ptebatch_deed_t deed)
{
	struct ptebatch_trial *trial;

	trial = ptebatch_trial_begin(chance->test, who, &chance->setup);
	deed(chance, trial->space);
	return trial;
}

static bool allowed(struct ptebatch_chance *chance,
		    const struct ptebatch_trial *trial)
{
	return ptebatch_model_row(&chance->call, &trial->before.row,
				  &trial->after.row, chance->differs) &&
	       (!chance->counts ||
		ptebatch_model_counts(&chance->call, &trial->before.row,
				      chance->pages));
}

/* Do all verdicts say yes? Without a word if not. */
static bool holds(struct ptebatch_chance *chance)
{
	struct ptebatch_trial *kernel, *twin;
	struct seq_buf ignored;
	char text[64];
	bool good;

	if (!draw(chance))
		return true;
	kernel = attempt(chance, chance->who, chance->kernel);
	ptebatch_trial_stop(kernel);
	seq_buf_init(&ignored, text, sizeof(text));
	good = allowed(chance, kernel) &&
	       ptebatch_neighbours_same(&kernel->before, &kernel->after,
					&ignored) &&
	       ptebatch_flush_covers(&kernel->flush, &kernel->before.row,
				     &kernel->after.row, &ignored) &&
	       ptebatch_books_balance(kernel->space, &ignored) == 1;
	if (good) {
		twin = attempt(chance, "the twin", chance->twin);
		ptebatch_trial_stop(twin);
		good = ptebatch_trial_allows(kernel, &twin->after.row,
					     chance->differs);
		ptebatch_trial_release(twin);
	}
	ptebatch_trial_release(kernel);
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

/* Once more, and aloud. */
static void show(struct ptebatch_chance *chance)
{
	struct kunit *test = chance->test;
	struct ptebatch_trial *kernel, *twin;

	kernel = attempt(chance, chance->who, chance->kernel);
	ptebatch_trial_end(kernel);
	if (!allowed(chance, kernel))
		ptebatch_trial_print(kernel, "not what the rules allow",
				     chance->differs);
	kunit_err(test, "%s, %s%s%s, %ld pages\n", chance->what,
		  chance->setup.mapping == PTEBATCH_ANON ? "anonymous" :
		  chance->setup.mapping == PTEBATCH_SHMEM ? "shmem" : "a file",
		  chance->setup.track ? ", soft-dirty tracked" : "",
		  chance->setup.uffd_wp ? ", uffd-wp" :
		  chance->setup.uffd_rwp ? ", uffd-rwp" : "", chance->pages);
	twin = attempt(chance, "the twin", chance->twin);
	ptebatch_trial_end(twin);
	ptebatch_trial_same(kernel, twin);
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
