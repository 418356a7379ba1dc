// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/seq_buf.h>

#include "../check/checks.h"
#include "../check/compare.h"
#include "../service/part.h"
#include "case.h"
#include "random.h"
#include "random_row.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the first row, 0 for a random seed");

static unsigned int rounds = 100;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "number of rows to test");

/**
 * ptebatch_random_begin() - begin a random test, and print its seed
 * @test: the case
 * @nr: set to the number of rows or programs to test
 *
 * Return: the seed of the first one; the next one has the next seed.
 */
u64 ptebatch_random_begin(struct kunit *test, unsigned int *nr)
{
	u64 first = seed ?: get_random_u32() + 1ULL;

	kunit_info(test, "random seed=%llu rounds=%u\n", first, rounds);
	*nr = rounds;
	return first;
}

static bool print_picture(struct ptebatch_random *random)
{
	struct seq_buf out;

	seq_buf_init(&out, random->picture, sizeof(random->picture));
	ptebatch_row_print(&out, random->row, NULL);
	seq_buf_str(&out);	/* terminates the string */
	return !seq_buf_has_overflowed(&out);
}

static struct ptebatch_trial *run(struct ptebatch_random *random, bool twin,
				  bool quiet, bool *passes)
{
	const struct ptebatch_op *op = random->op;
	struct ptebatch_trial *trial;

	trial = ptebatch_op_begin(random->test, op, &random->setup, twin);
	trial->quiet = quiet;
	if (op->moves)
		ptebatch_op_second(trial, op,
				   ptebatch_space_add_place(trial->space,
							    random->first));
	trial->returned = op->call(op, trial->space, twin);
	*passes &= ptebatch_trial_end(trial);
	return trial;
}

/* Run all checks on the row, without reporting a failure. */
static void add_flags(struct ptebatch_row *row, u16 flags)
{
	unsigned int i;

	for (i = 0; i < row->nr; i++)
		if (ptebatch_entry_mapped(&row->entries[i]))
			row->entries[i].flags |= flags;
}

static bool row_passes(struct ptebatch_random *random)
{
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	if (!print_picture(random))
		return true;
	kernel = run(random, false, true, &passes);
	if (passes) {
		twin = run(random, true, true, &passes);
		passes = ptebatch_trial_allows(kernel, &twin->after.row) &&
			 (!kernel->second ||
			  ptebatch_trial_allows(kernel->second,
						&twin->second->after.row)) &&
			 passes;
		ptebatch_trial_release(twin);
	}
	ptebatch_trial_release(kernel);
	return passes;
}

/*
 * Drop what the failure does not need: the limits of VMAs, then entries, halves
 * first, then singles.
 */
static void shrink(struct ptebatch_random *random, struct ptebatch_row *smaller)
{
	unsigned int chunk, at, nr;

	*smaller = *random->row;
	bitmap_zero(smaller->vma_starts, PTEBATCH_ROW_ENTRIES);
	swap(random->row, smaller);
	if (row_passes(random))
		swap(random->row, smaller);
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

/* Run the row again and report all failures. */
static void report(struct ptebatch_random *random)
{
	const struct ptebatch_setup *setup = &random->setup;
	struct ptebatch_trial *kernel, *twin;
	bool passes = true;

	kernel = run(random, false, false, &passes);
	kunit_err(random->test, "%s, %s%s%s, returned %ld\n", random->op->name,
		  setup->mapping == PTEBATCH_ANON ? "anonymous" :
		  setup->mapping == PTEBATCH_SHMEM ? "shmem" : "a file",
		  setup->track ? ", soft-dirty tracked" : "",
		  setup->uffd & UFFD_WP ? ", uffd-wp" : setup->uffd & UFFD_RWP ? ", uffd-rwp" : "",
		  kernel->returned);
	twin = run(random, true, false, &passes);
	ptebatch_trial_same(kernel, twin);
}

/**
 * ptebatch_random_file() - choose a file mapping
 * @bits: random bits
 *
 * Return: the mapping; without THP, files have small folios only: none.
 */
enum ptebatch_mapping ptebatch_random_file(u32 bits)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return PTEBATCH_ANON;
	return bits & 1 ? PTEBATCH_SHMEM : PTEBATCH_FILE;
}

/* The states of the VMA that the operation takes. */
static void list_states(struct ptebatch_random *random,
			const struct ptebatch_call *call)
{
	struct ptebatch_states *states = &random->states;
	unsigned int i, nr = 0;

	ptebatch_states(states, call);
	for (i = 0; random->usable && i < states->nr; i++)
		if (random->usable(random, &states->state[i]))
			states->state[nr++] = states->state[i];
	if (random->usable)
		states->nr = nr;
}

/**
 * ptebatch_random_run() - test an operation on randomly generated rows
 * @test: the case; fails at the first row that fails, which is the last
 * @choose: chooses operation and memory: sets @op, @setup, and if needed @first,
 *          @usable and @one_vma of its argument
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_random_run(struct kunit *test,
			 void (*choose)(struct ptebatch_random *random,
					struct rnd_state *rnd))
{
	struct ptebatch_random *random;
	struct ptebatch_row *smaller;
	struct rnd_state rnd;
	unsigned int i, nr;
	u64 first = ptebatch_random_begin(test, &nr);

	random = kunit_kzalloc(test, sizeof(*random), GFP_KERNEL);
	smaller = kunit_kzalloc(test, sizeof(*smaller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, random);
	KUNIT_ASSERT_NOT_NULL(test, smaller);
	random->row = kunit_kzalloc(test, sizeof(*random->row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, random->row);
	random->test = test;

	for (i = 0; i < nr; i++) {
		struct ptebatch_call call;

		if (!ptebatch_in_part(i))
			continue;
		prandom_seed_state(&rnd, first + i);
		choose(random, &rnd);
		random->setup.picture = random->picture;
		call = ptebatch_op_call(random->op, &random->setup);
		list_states(random, &call);
		ptebatch_random_row(random->row, &rnd, &call, &random->states);
		add_flags(random->row, random->flags);
		if (!random->one_vma)
			ptebatch_random_vmas(random->row, &rnd);
		if (random->op->whole) {
			random->row->from = 0;
			random->row->to = random->row->nr;
		}
		if (row_passes(random))
			continue;
		shrink(random, smaller);
		KUNIT_FAIL(test, "%s fails on a randomly generated row",
			   random->op->function);
		kunit_err(test, "random failed seed=%llu\n", first + i);
		report(random);
		return;
	}
}
