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

#include "../lib/arch.h"
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
 * @call: what the model is told
 * @to: the protection that the range gets
 */
struct attempt {
	struct kunit *test;
	struct ptebatch_row *row;
	char picture[PICTURE_SIZE];
	struct ptebatch_setup setup;
	struct ptebatch_call call;
	unsigned long to;
};

/* What is done, and to what memory; the row comes after. */
static void choose_call(struct attempt *attempt, struct rnd_state *rnd)
{
	static const unsigned long prots[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
	};
	static const enum ptebatch_mapping mappings[] = {
		PTEBATCH_ANON, PTEBATCH_ANON, PTEBATCH_SHMEM, PTEBATCH_FILE,
	};
	u32 chance = prandom_u32_state(rnd);
	struct ptebatch_setup *setup = &attempt->setup;

	*setup = (struct ptebatch_setup) {
		.picture = attempt->picture,
		.mapping = PTEBATCH_ANON,
		.prot = PROT_READ,
		.track = pgtable_supports_soft_dirty() && chance & BIT(0),
		.uffd_wp = pgtable_supports_uffd() && chance & BIT(1),
	};
	/* Without it, a file has small folios only. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		setup->mapping = mappings[chance >> 2 & 3];
	attempt->to = prots[(chance >> 4) % ARRAY_SIZE(prots)];
	attempt->call = (struct ptebatch_call) {
		.model = ptebatch_model_protect,
		.readable = attempt->to & PROT_READ,
		.writable = attempt->to & PROT_WRITE,
		.shared = setup->mapping != PTEBATCH_ANON,
		.anonymous = setup->mapping == PTEBATCH_ANON,
		.file = setup->mapping != PTEBATCH_ANON,
		.notify = setup->mapping == PTEBATCH_FILE,
		.track = setup->track,
		.uffd_wp = setup->uffd_wp,
		.try_writable = attempt->to & PROT_WRITE && chance & BIT(31),
	};
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
	ptebatch_change(trial->space->places[0].mm,
			ptebatch_addr(trial->space, row->from),
			ptebatch_addr(trial->space, row->to), attempt->to,
			attempt->call.try_writable ?
			MM_CP_TRY_CHANGE_WRITABLE : 0, how);
	return trial;
}

/* Entries that the model does not allow. */
static bool model_allows(const struct attempt *attempt,
			 const struct ptebatch_trial *trial,
			 unsigned long *differs)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct ptebatch_row *is = &trial->after.row;
	unsigned int i;

	bitmap_zero(differs, PTEBATCH_ROW_ENTRIES);
	for (i = was->from; i < was->to; i++) {
		u8 spread = ptebatch_model_spread(was, i) | PTEBATCH_COMES_YOUNG;

		if (!ptebatch_model_allows(&attempt->call, &was->entries[i],
					   spread, &is->entries[i]))
			set_bit(i, differs);
	}
	return bitmap_empty(differs, PTEBATCH_ROW_ENTRIES);
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
	good = model_allows(attempt, kernel, differs) &&
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
	unsigned int chunk, at;

	for (chunk = attempt->row->nr / 2; chunk; chunk /= 2) {
		for (at = 0; at + chunk <= attempt->row->nr;) {
			unsigned int nr = attempt->row->nr;
			bool needed = true;

			if (ptebatch_row_without(smaller, attempt->row, at,
						 chunk)) {
				swap(attempt->row, smaller);
				needed = holds(attempt);
				if (needed)
					swap(attempt->row, smaller);
			}
			/* Where it became shorter, others have moved here. */
			if (needed || attempt->row->nr == nr)
				at += chunk;
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
	if (!model_allows(attempt, kernel, differs))
		ptebatch_trial_print(kernel, "not what the rules allow", differs);
	twin = change(attempt, "the twin", ptebatch_twin_change_protection);
	ptebatch_trial_end(twin);
	ptebatch_trial_same(kernel, twin);
	kunit_err(test, "the VMA is %s, becomes %s%s%s\n",
		  attempt->setup.mapping == PTEBATCH_ANON ? "anonymous" :
		  attempt->setup.mapping == PTEBATCH_SHMEM ? "shmem" : "a file's",
		  attempt->to == PROT_NONE ? "inaccessible" :
		  attempt->to == PROT_READ ? "read-only" : "writable",
		  attempt->setup.track ? ", is tracked for soft-dirty" : "",
		  attempt->setup.uffd_wp ? ", has uffd-wp" : "");
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
		ptebatch_random_row(attempt->row, &rnd, &attempt->call);
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
