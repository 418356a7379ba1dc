// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on rows that nobody has thought of: up to a page table of
 * entries, folios of mixed orders, states in runs of all lengths. A row that
 * fails is made as small as it can be and still fails, and then shown.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/books.h"
#include "../lib/model.h"
#include "../lib/protect.h"
#include "../lib/random.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the first row, 0: any");

static unsigned int rounds = 100;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how many rows to try");

#define ARCH_NAME	(IS_ENABLED(CONFIG_UML) ? "um" : \
			 IS_ENABLED(CONFIG_ARM64) ? "arm64" : "x86_64")

static struct kunit_suite random_suite;

/* The longest picture of a row. */
#define PICTURE_SIZE	SZ_32K

/**
 * struct attempt - a row and what is done to it
 * @test: the case
 * @row: the row
 * @picture: the row, drawn
 * @setup: the address space
 * @protection: what is done
 * @call: the same for the model
 * @states: what entries can be
 * @pages: what it has returned
 */
struct attempt {
	struct kunit *test;
	struct ptebatch_row *row;
	char picture[PICTURE_SIZE];
	struct ptebatch_setup setup;
	const struct ptebatch_protection *protection;
	struct ptebatch_call call;
	struct ptebatch_states states;
	long pages;
};

/* What is done, and to what memory; the row comes after. */
static void choose_call(struct attempt *attempt, struct rnd_state *rnd)
{
	static const enum ptebatch_mapping mappings[] = {
		PTEBATCH_ANON, PTEBATCH_ANON, PTEBATCH_SHMEM, PTEBATCH_FILE,
	};
	u32 chance = prandom_u32_state(rnd);
	const struct ptebatch_protection *protection;
	struct ptebatch_setup *setup = &attempt->setup;
	bool uffd_wp = pgtable_supports_uffd() && chance & BIT(1);

	do {
		protection = &ptebatch_protections[prandom_u32_state(rnd) %
						   PTEBATCH_NR_PROTECTIONS];
	} while (ptebatch_protection_missing(protection));
	attempt->protection = protection;
	*setup = (struct ptebatch_setup) {
		.picture = attempt->picture,
		.mapping = PTEBATCH_ANON,
		.prot = PROT_READ,
		.track = pgtable_supports_soft_dirty() && chance & BIT(0),
		/* One or the other. */
		.uffd_wp = protection->uffd_wp ||
			   (!protection->uffd_rwp && uffd_wp),
		.uffd_rwp = protection->uffd_rwp,
	};
	/* Without it, a file has small folios only. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		setup->mapping = mappings[chance >> 2 & 3];
	attempt->call = ptebatch_protection_call(protection, setup);
	ptebatch_states(&attempt->states, &attempt->call);
}

static bool draw(struct attempt *attempt)
{
	struct seq_buf out;

	seq_buf_init(&out, attempt->picture, PICTURE_SIZE);
	ptebatch_row_print(&out, attempt->row, NULL);
	seq_buf_str(&out);	/* ends the string */
	return !seq_buf_has_overflowed(&out);
}

static struct ptebatch_trial *change(struct attempt *attempt, const char *who,
				     ptebatch_change_t how)
{
	const struct ptebatch_row *row = attempt->row;
	struct ptebatch_trial *trial;

	trial = ptebatch_trial_begin(attempt->test, who, &attempt->setup);
	attempt->pages = ptebatch_change(trial->space->places[0].mm,
					 ptebatch_addr(trial->space, row->from),
					 ptebatch_addr(trial->space, row->to),
					 attempt->protection, how);
	return trial;
}

static bool allowed(const struct attempt *attempt,
		    const struct ptebatch_trial *trial, unsigned long *differs)
{
	return ptebatch_model_row(&attempt->call, &trial->before.row,
				  &trial->after.row, differs) &&
	       ptebatch_model_counts(&attempt->call, &trial->before.row,
				     attempt->pages);
}

/* Do all verdicts say yes? Without a word if not. */
static bool holds(struct attempt *attempt)
{
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
	struct ptebatch_trial *kernel, *twin;
	struct seq_buf ignored;
	char text[64];
	bool good;

	if (!draw(attempt))
		return true;
	kernel = change(attempt, "change_protection()", change_protection);
	ptebatch_trial_stop(kernel);
	seq_buf_init(&ignored, text, sizeof(text));
	good = allowed(attempt, kernel, differs) &&
	       ptebatch_neighbours_same(&kernel->before, &kernel->after,
					&ignored) &&
	       ptebatch_flush_covers(&kernel->flush, &kernel->before.row,
				     &kernel->after.row, &ignored) &&
	       ptebatch_books_balance(kernel->space, &ignored) == 1;
	if (good) {
		twin = change(attempt, "the twin",
			      ptebatch_twin_change_protection);
		ptebatch_trial_stop(twin);
		good = ptebatch_trial_allows(kernel, &twin->after.row, differs);
		ptebatch_trial_release(twin);
	}
	ptebatch_trial_release(kernel);
	return good;
}

/* Leave out what it fails without: halves first, single entries last. */
static void shrink(struct attempt *attempt, struct ptebatch_row *smaller)
{
	unsigned int chunk, at, nr;

	for (chunk = attempt->row->nr / 2; chunk; chunk /= 2) {
		/* From the end: what is behind it is left out or needed. */
		for (at = attempt->row->nr; at;) {
			nr = min(chunk, at);
			at -= nr;
			if (!ptebatch_row_without(smaller, attempt->row, at, nr))
				continue;
			swap(attempt->row, smaller);
			if (holds(attempt))
				swap(attempt->row, smaller);
			else if (!at)
				/* What was behind has come to the front. */
				at = min(chunk, attempt->row->nr - 1);
		}
	}
	draw(attempt);
}

/* Once more, and aloud. */
static void show(struct attempt *attempt)
{
	DECLARE_BITMAP(differs, PTEBATCH_ROW_ENTRIES);
	struct kunit *test = attempt->test;
	struct ptebatch_trial *kernel, *twin;

	kernel = change(attempt, "change_protection()", change_protection);
	ptebatch_trial_end(kernel);
	if (!allowed(attempt, kernel, differs))
		ptebatch_trial_print(kernel, "not what the rules allow", differs);
	kunit_err(test, "%s, %s, returns %ld%s%s\n", attempt->protection->name,
		  attempt->setup.mapping == PTEBATCH_ANON ? "anonymous" :
		  attempt->setup.mapping == PTEBATCH_SHMEM ? "shmem" : "a file",
		  attempt->pages,
		  attempt->setup.track ? ", soft-dirty tracked" : "",
		  attempt->setup.uffd_wp ? ", uffd-wp" :
		  attempt->setup.uffd_rwp ? ", uffd-rwp" : "");
	twin = change(attempt, "the twin", ptebatch_twin_change_protection);
	ptebatch_trial_end(twin);
	ptebatch_trial_same(kernel, twin);
}

static void mprotect_random(struct kunit *test)
{
	struct ptebatch_row *smaller;
	struct attempt *attempt;
	struct rnd_state rnd;
	u64 first = seed ?: get_random_u32() + 1ULL;
	unsigned int i;

	kunit_info(test, "SEED=%llu ROUNDS=%u\n", first, rounds);
	attempt = kunit_kzalloc(test, sizeof(*attempt), GFP_KERNEL);
	smaller = kunit_kzalloc(test, sizeof(*smaller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt);
	KUNIT_ASSERT_NOT_NULL(test, smaller);
	attempt->row = kunit_kzalloc(test, sizeof(*attempt->row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attempt->row);
	attempt->test = test;

	for (i = 0; i < rounds; i++) {
		prandom_seed_state(&rnd, first + i);
		choose_call(attempt, &rnd);
		ptebatch_random_row(attempt->row, &rnd, &attempt->call,
				    &attempt->states);
		if (holds(attempt))
			continue;
		shrink(attempt, smaller);
		KUNIT_FAIL(test, "a row that chance has drawn");
		kunit_err(test, "again by: make run ARCH=%s SUITES=%s SEED=%llu ROUNDS=1\n",
			  ARCH_NAME, random_suite.name, first + i);
		show(attempt);
		return;
	}
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(mprotect_random),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ptebatch_mprotect_random",
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
